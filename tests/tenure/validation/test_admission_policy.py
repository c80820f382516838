"""The policies that `tenure policy` writes. A real API server follows them in tests/live."""

from __future__ import annotations

import json
from pathlib import Path

from tenure.validation.admission_policy import ROUNDS, admission_policies
from tests.command_line import tenure
from tools import libyaml

RECORDED = Path(__file__).parents[2] / "recorded" / "admission-policies.yaml"


def test_the_policies_are_the_recorded_ones() -> None:
    done = tenure("policy")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == RECORDED.read_text(encoding="utf-8"), f"tenure policy > {RECORDED.name}"
    assert [*libyaml.load_all(done.stdout)] == [*admission_policies()]


def test_an_action_is_that_of_both_bindings() -> None:
    done = tenure("policy", "--action", "warn", "-o", "json")
    items = json.loads(done.stdout)["items"]
    actions = [item["spec"].get("validationActions") for item in items]
    assert actions == [None, ["Warn"], None, ["Warn"]]


def test_every_variable_is_used_after_it_is_defined() -> None:
    for policy in admission_policies()[::2]:
        names = [variable["name"] for variable in policy["spec"]["variables"]]
        for place, variable in enumerate(policy["spec"]["variables"]):
            later = names[place:]
            assert not any(f"variables.{name} " in variable["expression"] for name in later)
        assert f"remaining{ROUNDS}" in str(policy["spec"]["validations"])

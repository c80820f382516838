"""`tenure analyze sanity`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tests.command_line import tenure
from tests.tenure_check.test_loops import queue
from tools import libyaml


@pytest.fixture
def queues(tmp_path: Path) -> Path:
    """A guest without quota of its own, and the queue that it borrows from."""
    guest = queue("guest", 0, withinClusterQueue="LowerPriority")
    (group,) = guest["spec"]["resourceGroups"]
    group["flavors"][0]["resources"][0]["borrowingLimit"] = 64
    flavor = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "default"},
    }
    file = tmp_path / "queues.yaml"
    objects = [flavor, guest, queue("owner", 8)]
    file.write_text(libyaml.dump_all(objects, sort_keys=False), encoding="utf-8")
    return file


def test_every_notice_has_its_line_its_argument_and_its_rules(queues: Path) -> None:
    done = tenure("analyze", "sanity", queues.name, cwd=queues.parent)
    told = done.stdout.decode().splitlines()
    lines = queues.read_text(encoding="utf-8").splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    heads = [line for line in told if line.startswith("ClusterQueue/guest")]
    assert [head.split()[1].rpartition(".")[2] for head in heads] == ["borrowingLimit", "withinClusterQueue"]
    for head in heads:
        number = int(head.rpartition(":")[2])
        assert head.split()[1].rpartition(".")[2] in lines[number - 1]
    assert (
        "  at most 8 can ever be borrowed, so that the limit is never reached: leave it out, or lower it"
        in told
    )
    assert any(line.endswith("by KQ-520, KQ-530") for line in told)
    assert "sanity: 3 objects, 2 found" in told


def test_the_answer_is_as_its_schema_says_and_strict_makes_it_fail(queues: Path) -> None:
    done = tenure("analyze", "sanity", str(queues), "-o", "json", "--strict")
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert list(Draft202012Validator(schema("analyze-sanity")).iter_errors(answer)) == []
    assert [notice["check"] for notice in answer["notices"]] == ["LimitNeverReached", "NeverPreempts"]


def test_a_change_that_gives_the_policy_an_effect_is_found_to_do_so(queues: Path) -> None:
    quota = "clusterqueue/guest.spec.resourceGroups[0].flavors[0].resources[0]"
    changes = ("--set", f"{quota}.nominalQuota=1", "--set", f"{quota}.borrowingLimit=2")
    done = tenure("analyze", "sanity", str(queues), *changes, "--strict")
    assert done.returncode == 0
    assert done.stdout.decode().splitlines() == [
        "sanity: 3 objects, nothing found",
        "  assumed: fair sharing off, no Configuration was given (--fair-sharing sets it)",
    ]

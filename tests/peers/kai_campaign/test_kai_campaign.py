"""The campaign notices every wrong rule, makes what it notices small, and ends as it says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tenure.readings import KaiVersion
from tenure.rules.registry import RuleEntry, all_rules
from tenure_lab.generators.kai_cases import CASE_DRAWS, min_runtime_case
from tenure_lab.programs import our_answer
from tenure_proofs.mutants.comparisons import operator_changes
from tenure_proofs.mutants.forms import form_changes
from tenure_proofs.mutants.mutant import Mutant, mutants_of
from tests.peers.kai_campaign.__main__ import main
from tests.peers.kai_campaign.compare import compare, drawn_bytes, smallest
from tests.peers.kai_campaign.histogram import Histogram

NEVER_ASKED = {("KMR-080", "not protected"), ("KMR-090", "protected")}
"""Wrong rules that no answer shows, by rule and wrong source.

As the plugin, a session asks whether a job is protected only where that matters: the filter of a job that is
not elastic, a scenario of one that is. Elsewhere the job counts as unprotected, and asking would already be
remembered. Obligations tell these rules from the right ones.
"""


def mutants(entry: RuleEntry) -> list[Mutant]:
    """Its comparisons with other operators; of a rule that compares nothing, whatever else it decides by."""
    compared = list(mutants_of(entry.id, entry.function, (operator_changes,)))
    return compared or list(mutants_of(entry.id, entry.function, (form_changes,)))


MUTANTS = [mutant for entry in all_rules() if entry.id.startswith("KMR-") for mutant in mutants(entry)]
MOST, BATCH = 3000, 100


def ours(requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A peer that agrees."""
    return [our_answer(request) for request in requests]


def wrong(mutant: Mutant) -> Any:
    """A peer with one rule wrong."""

    def ask(requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        with mutant.applied():
            return ours(requests)

    return ask


def is_shown(mutant: Mutant) -> bool:
    return (mutant.rule, mutant.after) not in NEVER_ASKED


@pytest.mark.parametrize(
    "mutant", [mutant for mutant in MUTANTS if is_shown(mutant)], ids=lambda mutant: mutant.id
)
def test_every_wrong_rule_is_noticed(mutant: Mutant) -> None:
    # Only v0.17.0 has what the later rules decide.
    version = KaiVersion.V0_17 if mutant.rule >= "KMR-140" else KaiVersion.MARCH_2026
    for start in range(0, MOST, BATCH):
        drawn = [drawn_bytes(7, index) for index in range(start, start + BATCH)]
        found = compare(drawn, wrong(mutant), version)
        if any(compared.differences() for compared in found):
            return
    pytest.fail(f"{mutant.before} -> {mutant.after} answers {MOST} cases alike")


def test_a_rule_that_is_wrong_only_where_it_is_not_asked_answers_alike() -> None:
    unseen = [mutant for mutant in MUTANTS if not is_shown(mutant)]
    assert len(unseen) == len(NEVER_ASKED)
    drawn = [drawn_bytes(7, index) for index in range(500)]
    for mutant in unseen:
        assert not any(compared.differences() for compared in compare(drawn, wrong(mutant))), mutant.after


def test_a_difference_is_made_small() -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.rule == "KMR-060" and "<=" in mutant.after)
    ask = wrong(mutant)
    drawn = (drawn_bytes(7, index) for index in range(MOST))
    first = next(
        compared for bytes_ in drawn for compared in compare([bytes_], ask) if compared.differences()
    )
    small = smallest(first, ask)
    assert small.differences()
    assert len(json.dumps(small.case)) < len(json.dumps(first.case))


def test_draws_are_cases_whatever_the_bytes() -> None:
    assert min_runtime_case(b"")["op"] == "filter"
    histogram = Histogram()
    for compared in compare([bytes([value]) * CASE_DRAWS for value in range(256)], ours):
        assert "output" in compared.ours, compared.ours
        assert compared.differences() == []
        histogram.add(compared)
    assert next(histogram.lines()) == "256 cases"


def test_a_campaign_that_finds_nothing_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--peer", "oracle", "--n", "200"]) == 0
    assert "200  agrees" in capsys.readouterr().out


def test_a_peer_that_answers_otherwise_fails_the_campaign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "peer.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    print(json.dumps({'id': asked['id'], 'output': {'path': []}}), flush=True)\n"
    )
    kept = tmp_path / "kept.jsonl"
    given = ["--peer", f"python3 {program}", "--only", "3", "--keep", str(kept)]
    assert main(given) == 1
    assert "again: --seed 1 --only 3" in capsys.readouterr().err
    assert json.loads(kept.read_text(encoding="utf-8"))["theirs"]["output"] == {"path": []}
    assert main(["--peer", "/nonexistent/peer"]) == 2

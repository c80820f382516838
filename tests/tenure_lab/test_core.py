"""The optimized core against the reference, and what becomes of a difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenure.choices import Engine
from tenure.conformance.vectors import load_vectors, run_vector
from tenure_lab import engines_compared
from tenure_lab.campaign_blocks import DIFFERS, FAULT, LEFT, core_block
from tenure_lab.campaign_report import campaign_report
from tenure_lab.campaigns import MOST_KEPT, CampaignPlan
from tenure_lab.engines_compared import REFUSED
from tenure_simulate.core.decide import CoreAnswer, decide
from tests.command_line import tenure_process
from tests.sampling import sample

SEED = 8522
MANY = sample(500, 14_000)
COUNTED = ("verdicts", "decisions", "traits")
PREEMPTION = {
    *("InClusterQueue", "InClusterQueueTimeBased", "InCohortReclamation", "InCohortReclaimWhileBorrowing"),
    *("InCohortFairSharing", "UberCQPreemption", "ConfigurablePreemption"),
}


def test_drawn_scenarios_are_decided_alike(tmp_path: Path) -> None:
    asked = ("campaign", "--scenarios", str(MANY), "--seed", str(SEED), "-o", "json")
    done = tenure_process(*asked, cwd=tmp_path)
    said = json.loads(done.stdout)
    assert (done.returncode, said["scenarios"], said["failed"]) == (0, MANY, 0), said
    share = {item["what"]: item["count"] / MANY for key in COUNTED for item in said[key]}
    assert share["Preempt"] > 0.3
    left = f"{LEFT}: a repair of fair sharing"
    assert {item["what"] for item in said["verdicts"]} == {"agree", REFUSED, left}
    assert share["agree"] > 0.94
    assert 0.1 < share["with heroes"] < 0.25
    assert 0.1 < share["with PreemptionConfigs"] < 0.25
    assert share["through manifests"] == 0.02
    assert {item["what"] for item in said["reasons"]} == PREEMPTION
    assert [item["what"] for item in said["victims"]] == ["1", "2", "3 or more"]


@pytest.fixture
def wrong_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core that spares whom it should preempt last, where there are two victims or more."""

    def wrong(*asked: Any, **how: Any) -> CoreAnswer:
        answer = decide(*asked, **how)
        if len(answer.found.rows) < 2:
            return answer
        fewer = answer.found._replace(rows=answer.found.rows[:-1], bases=answer.found.bases[:-1])
        return answer._replace(found=fewer)

    monkeypatch.setattr(engines_compared, "decide_by_core", wrong)


def test_a_difference_is_made_small_and_becomes_a_vector(wrong_core: None, tmp_path: Path) -> None:
    plan = CampaignPlan(150, SEED, manifests=1000, heroes=0)
    tally = core_block(plan, 0)
    assert tally.failed > 5
    assert tally.verdicts[DIFFERS] == tally.failed
    assert len(tally.differences) == min(tally.failed, MOST_KEPT)
    made = campaign_report(plan, tally, 1, tmp_path, complete=True)
    (told,) = made.differences
    assert told.again == f"tenure campaign --seed {SEED} --index {told.index} --heroes 0"
    (vector,) = load_vectors(tmp_path)
    assert told.vector == str(vector.file)
    # Two victims are what it takes to be wrong, so no smaller scenario is.
    assert len(vector.data["input"]["admitted"]) == 2
    assert not run_vector(vector).differences
    assert not run_vector(vector, Engine.FAST).differences, "what the program runs is the right core"


def test_a_fault_of_the_core_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*asked: Any, **how: Any) -> CoreAnswer:
        raise ZeroDivisionError("a share of nothing")

    monkeypatch.setattr(engines_compared, "decide_by_core", broken)
    tally = core_block(CampaignPlan(3, SEED, manifests=1000, heroes=0), 0)
    assert tally.verdicts == {f"{FAULT}: ZeroDivisionError": 3}
    assert tally.failed == 3

"""What is proved of configurations, in full: random ones against random states, and known ones."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
import z3

from tenure.readings import preset
from tenure_check.analysis import campaign, nominal_quota_proof
from tenure_check.analysis.encoded_decisions import LEVELS
from tenure_check.analysis.encoding import Pair
from tenure_check.analysis.guarantees import NarrowCell
from tenure_check.analysis.matrix import trees_of
from tenure_check.analysis.nominal_quota import unreached_state
from tenure_proofs.solvers import Cvc5
from tests.analyzed import ANY, BY_PRIORITY, KNOWN, cells_of
from tests.clusters import cluster, queue
from tests.tenure_proofs.test_reaching import counted


def test_random_configurations_refute_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert campaign.main(["--configurations", "50", "--states", "100"]) == 0
    assert capsys.readouterr().out.endswith("0 refuted\n")


def test_random_configurations_with_heroes_refute_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert campaign.main(["--heroes", "--configurations", "3", "--states", "25"]) == 0
    assert capsys.readouterr().out.endswith("0 refuted\n")


def test_states_after_edits_refute_nothing_that_is_proved_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert campaign.main(["--configurations", "6", "--states", "60", "--scope", "edited"]) == 0
    assert capsys.readouterr().out.endswith("0 refuted\n")


@pytest.mark.parametrize("name", KNOWN)
def test_known_configurations_and_their_slices_refuse_no_decision(name: str) -> None:
    known, _ = KNOWN[name]
    for seed in (1, 2):
        print(f"seed {seed}")
        refused = campaign.refusals_in(known, preset("guaranteed"), random.Random(seed), 60, Counter())
        assert not list(refused)


@pytest.mark.parametrize("name", KNOWN)
def test_known_configurations_have_as_many_cells_as_ever_that_can_be(name: str) -> None:
    known, can = KNOWN[name]
    assert sum(said == "sat" for said in cells_of(known).values()) == can


@pytest.mark.parametrize("condition", ["age", "usage"])
def test_a_wrong_condition_is_refuted(
    condition: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guarantees: the longest age is one of those that are asked about, and a nominal quota may be used."""
    right = Pair.narrowed

    def stricter(pair: Pair, asked: NarrowCell) -> tuple[z3.BoolRef, ...]:
        facts = right(pair, asked)
        if (asked.longest is not None) != (condition == "age"):
            return facts
        return tuple(fact.arg(0) < (fact.arg(1) if condition == "age" else 1) for fact in facts)

    monkeypatch.setattr(Pair, "narrowed", stricter)
    assert campaign.main(["--configurations", "1", "--states", "30", "--seed", "3"]) == 1
    assert "never, and met" in capsys.readouterr().out


def test_no_random_state_refutes_that_nominal_quota_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    count = counted(25, 100, monkeypatch)
    print(dict(count))
    assert count["refuted"] >= 10


REFUTED = {
    "less than nominal quota is asked for": (
        "used + amount.term <= nominal",
        "used + amount.term < nominal",
    ),
    "rules allow everything": ("z3.And(advantage, self._may_be_preempted())", "advantage"),
    "in the end no ClusterQueue exceeds its quota": ("z3.Implies(stands, z3.Not(", "z3.And(stands, z3.Not("),
    "an inactive ClusterQueue loses workloads": ("elif not self._is_inactive(place):", "else:"),
    "the preemptor's priority is the higher one": (
        'record_of("P", Workload),\n            record_of("V", Workload),',
        'record_of("P", Workload, {"priority": 1}),\n            record_of("V", Workload, {"priority": 0}),',
    ),
}
LOST = {
    "the request does not fit at the start": (
        'self._all_fit("turn", may_borrow',
        'self._all_fit("start", may_borrow',
    ),
    "a candidate may be of the preemptor's ClusterQueue": (
        'yield z3.Int("V.cluster_queue") != z3.Int("T.cluster_queue")',
        "pass",
    ),
    "nothing is known of a candidate's quota": (
        'yield z3.And(z3.Bool("E.over_quota"), z3.Bool("E.advantage"))',
        "pass",
    ),
}
"""Mistakes in what is asked about nominal quota: by which too much is proved, and by which too little."""


@pytest.mark.parametrize("mistake", [*REFUTED, *LOST])
def test_a_mistake_in_what_is_asked_about_nominal_quota_is_noticed(mistake: str) -> None:
    right, wrong = (REFUTED | LOST)[mistake]
    text = Path(nominal_quota_proof.__file__).read_text(encoding="utf-8")
    assert text.count(right) == 1
    changed = ModuleType(nominal_quota_proof.__name__)
    exec(compile(text.replace(right, wrong), nominal_quota_proof.__file__, "exec"), vars(changed))
    stopped = "spec.stopPolicy is Hold" if "inactive" in mistake else ""
    policy = BY_PRIORITY if mistake in REFUTED and not stopped else ANY
    known = cluster(
        queue("a", "c", (1, None, None), reclaim_within_cohort=policy),
        queue("b", "c", (2, None, None), inactive=stopped),
    )
    (tree,), reading = trees_of(known), preset("guaranteed")
    with Cvc5() as cvc5:
        right_why, why = (
            asked.why_not_proved(known, tree, "a", reading, cvc5) for asked in (nominal_quota_proof, changed)
        )
    assert bool(right_why) != bool(why)
    assert (unreached_state(known, LEVELS, reading, "a") is not None) == (mistake in REFUTED)

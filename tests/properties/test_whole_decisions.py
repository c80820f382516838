"""What holds of every decision, in any cluster that the strategies draw."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenure.choices import Outcome
from tenure.conformance.protocol import answer
from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.explanation.explain import explain
from tenure.explanation.remarks import BASIS_RULES
from tenure.oracle.decide import Decision, decide, searched_request
from tenure.oracle.heroes.held import held_together
from tenure.oracle.question import OWN, Question
from tenure.oracle.tree import total_usage
from tenure_lab.generators.strategies import decide_inputs
from tests.sampling import sample

MANY = settings(max_examples=sample(50, 750), suppress_health_check=[HealthCheck.too_slow])
LISTS = ("clusterQueues", "cohorts", "resourceFlavors", "admitted")


def decided(scenario: dict[str, Any]) -> Decision:
    """The decision of a scenario."""
    read: DecideRequest = read_decide_request(scenario)
    return decide(read.cluster, read.preemptor, read.queue, read.now, read.reading, read.assignment)


@MANY
@given(decide_inputs(), st.randoms(use_true_random=False))
def test_the_order_of_the_objects_decides_nothing(scenario: dict[str, Any], shuffle: random.Random) -> None:
    shuffled = dict(scenario)
    for name in LISTS:
        shuffled[name] = shuffle.sample(scenario[name], len(scenario[name]))
    requests = [
        {"id": 1, "call": "decide", "input": {**entry, "explain": True}} for entry in (scenario, shuffled)
    ]
    assert answer(requests[0]) == answer(requests[1])


@MANY
@given(decide_inputs())
def test_who_leaves_makes_room(scenario: dict[str, Any]) -> None:
    decision = decided(scenario)
    assert bool(decision.targets) == (decision.outcome == Outcome.PREEMPT)
    if decision.selection is None or not decision.targets:
        return
    gone = {target.workload.key for target in decision.targets}
    assert question_of(decision).fits(without(decision, gone), may_borrow=decision.selection.may_borrow)


@MANY
@given(decide_inputs())
def test_no_workload_is_preempted_in_vain(scenario: dict[str, Any]) -> None:
    decision = decided(scenario)
    selection = decision.selection
    asking = question_of(decision)
    if selection is None or len(selection.removed) < 2:
        return  # at least one leaves, even where the request fits already
    gone = {target.workload.key for target in decision.targets}
    for kept in gone:
        assert not asking.fits(without(decision, gone - {kept}), may_borrow=selection.may_borrow)


def question_of(decision: Decision) -> Question:
    """The search behind a decision."""
    return Question(
        decision.snapshot,
        decision.preemptor,
        decision.assignment.needs_preemption,
        searched_request(decision.assignment),
        decision.terms,
        decision.now,
    )


def without(decision: Decision, gone: set[str]) -> Any:
    """What is in use when some have left, counted from nothing."""
    held = {
        place: held_together([workload for workload in workloads if workload.key not in gone])
        for place, workloads in decision.snapshot.running.items()
    }
    return total_usage(decision.snapshot.tree, held)


@MANY
@given(decide_inputs())
def test_only_borrowers_lose_workloads_to_other_queues(scenario: dict[str, Any]) -> None:
    decision = decided(scenario)
    asking, snapshot = question_of(decision), decision.snapshot
    for candidate in decision.candidates:
        if candidate.group != OWN:
            assert asking.exceeds_quota(snapshot.usage, candidate.place)
    for target in decision.targets:
        if target.workload.cluster_queue == decision.queue.name:
            assert target.workload.priority <= decision.preemptor.priority


@MANY
@given(decide_inputs())
def test_every_workload_of_the_tree_is_explained_by_rules_that_hold(scenario: dict[str, Any]) -> None:
    decision = decided(scenario)
    rows = {row.workload: row for row in explain(decision).workloads}
    assert sorted(rows) == sorted(workload.key for workload in decision.running)
    taken = {target.workload.key: target for target in decision.targets}
    for key, row in rows.items():
        assert row.preempted == (key in taken)
        assert row.verdict.startswith("preempted: " if row.preempted else "kept: ")
        if row.preempted:
            held = {remark.rule for remark in row.remarks if remark.holds}
            named = set(BASIS_RULES[taken[key].evidence.basis])
            assert named - held <= {"KQ-350", "KQ-360"}, "each rule that is named says yes below"

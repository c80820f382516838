"""Whole decisions in a ClusterQueue without cohort, and what is the same in every decision."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.choices import Outcome
from tenure.errors import ErrorCode, InputError
from tenure.model import MINUTE, Assignment, Cluster, ClusterQueue, FlavorResource, Reason, WithinClusterQueue
from tenure.oracle.decide import Decision, decide
from tenure.oracle.effects import effects_of
from tenure.oracle.heroes.held import held_together
from tenure.readings import Reading, preset
from tests.tenure.clusters import (
    CPU,
    GPU,
    NOW,
    READINGS,
    Case,
    cases,
    decided,
    queue,
    running,
    taken,
    waiting,
)

MANY = settings(deadline=None, print_blob=True, max_examples=100)
HOUR = 60 * MINUTE


@MANY
@given(cases(), READINGS, st.randoms(use_true_random=False))
def test_the_order_of_the_input_decides_nothing(case: Case, reading: Reading, shuffle: random.Random) -> None:
    admitted = list(case.cluster.admitted)
    shuffle.shuffle(admitted)
    shuffled = Case(dataclasses.replace(case.cluster, admitted=tuple(admitted)), case.preemptor, case.now)
    first, second = case.decided(reading), shuffled.decided(reading)
    assert (first.outcome, first.targets, first.selection) == (
        second.outcome,
        second.targets,
        second.selection,
    )


def fits_beside(
    usage: Mapping[FlavorResource, int],
    request: Mapping[FlavorResource, int],
    nominal: Mapping[FlavorResource, int],
) -> bool:
    """Whether a whole request fits beside what is in use; what is not asked for does not matter."""
    return all(usage.get(at, 0) + asked <= nominal.get(at, 0) for at, asked in request.items() if asked > 0)


def spared(decision: Decision) -> list[str]:
    """Who was removed and got its quota back."""
    return (
        []
        if decision.selection is None
        else [candidate.workload.name for candidate in decision.selection.spared]
    )


@MANY
@given(cases(), READINGS)
def test_victims_free_enough_quota_and_none_is_preempted_in_vain(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    leaving = [target.workload for target in decision.targets]
    assert bool(leaving) == (decision.outcome == Outcome.PREEMPT)
    nominal = decision.queue.nominal()

    def fits_without(*gone: object) -> bool:
        staying = [workload for workload in decision.running if workload not in gone]
        return fits_beside(held_together(staying), decision.assignment.usage, nominal)

    if leaving:
        assert fits_without(*leaving)
        assert not any(
            fits_without(*(workload for workload in leaving if workload != kept)) for kept in leaving
        )


@MANY
@given(cases(), READINGS)
def test_every_candidate_uses_what_is_short_and_has_no_higher_priority(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    candidates = [candidate.workload for candidate in decision.candidates]
    assert {target.workload.key for target in decision.targets} <= {workload.key for workload in candidates}
    for candidate in candidates:
        assert not decision.assignment.needs_preemption.isdisjoint(candidate.usage)
        assert candidate.priority <= decision.preemptor.priority
        assert candidate in decision.running


@MANY
@given(cases(), READINGS)
def test_the_outcome_says_why_no_workload_is_preempted(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    nominal = decision.queue.nominal()
    (pods,) = decision.preemptor.pod_sets
    asked = {at: pods.requests.get(at.resource, 0) for at in nominal}
    ever = fits_beside({}, asked, nominal)
    now = fits_beside(decision.usage, asked, nominal)
    assert (decision.outcome == Outcome.NO_FIT) == (not ever)
    assert (decision.outcome == Outcome.FIT) == (ever and now)


def test_a_request_that_fits_preempts_no_workload() -> None:
    decision = decided(waiting(2, 200), running("a", 2, 1))
    assert (decision.outcome, taken(decision)) == (Outcome.FIT, [])


def test_a_request_up_to_the_last_unit_fits() -> None:
    assert decided(waiting(1), running("a", 3)).outcome == Outcome.FIT
    assert decided(waiting(2), running("a", 3, 200)).outcome == Outcome.NO_CANDIDATES


def test_a_request_above_the_nominal_quota_never_fits() -> None:
    decision = decided(waiting(5, 200), running("a", 1, 1))
    assert (decision.outcome, taken(decision)) == (Outcome.NO_FIT, [])


def test_candidates_stay_when_they_do_not_free_enough() -> None:
    decision = decided(waiting(4, 100), running("low", 2, 50), running("high", 2, 200))
    assert (decision.outcome, taken(decision)) == (Outcome.NO_CANDIDATES, [])
    assert [candidate.workload.name for candidate in decision.candidates] == ["low"]


def test_a_request_for_nothing_fits_a_full_queue() -> None:
    assert decided(waiting(0, 1), running("a", 4, 0)).outcome == Outcome.FIT


def test_zero_of_what_is_overcommitted_still_fits() -> None:
    # A quota may have been lowered below what runs; whoever asks for none of it does not wait for it.
    over = running("over", 5, 200)
    assert decided(waiting(0, cpu=1), over).outcome == Outcome.FIT
    assert decided(waiting(1, cpu=1), over).outcome == Outcome.NO_CANDIDATES


def test_a_running_workload_that_asked_for_none_of_it_is_still_a_candidate() -> None:
    # It was assigned the flavor-resource, with amount zero: removed like any other, and given back.
    decision = decided(waiting(1), running("none", 0, 10), running("full", 4, 50))
    assert [candidate.workload.name for candidate in decision.candidates] == ["none", "full"]
    assert (taken(decision), spared(decision)) == (["full"], ["none"])


def test_a_workload_that_uses_nothing_that_is_short_is_never_preempted() -> None:
    decision = decided(waiting(1, 200), running("gpu", 4, 150), running("cpu", priority=1, usage={CPU: 6}))
    # Not even a candidate: as one it would be removed first, and given back.
    assert [candidate.workload.name for candidate in decision.candidates] == taken(decision) == ["gpu"]
    assert spared(decision) == []


def test_workloads_of_another_queue_neither_count_nor_leave() -> None:
    elsewhere = running("elsewhere", 4, 1, cluster_queue="other")
    assert decided(waiting(4, 200), elsewhere).outcome == Outcome.FIT
    assert taken(decided(waiting(4, 200), elsewhere, running("here", 1, 1))) == ["here"]


def test_lower_priority_goes_before_same_priority() -> None:
    low = running("low", 2, 50, quota_reserved_at=NOW)
    equal = running("equal", 2, 100, quota_reserved_at=NOW - 10 * HOUR)
    assert taken(decided(waiting(2), equal, low, in_queue=queue(duration=4 * HOUR))) == ["low"]


def test_the_lowest_priority_goes_first_whatever_it_has_run() -> None:
    lowest = running("lowest", 2, 10, quota_reserved_at=NOW - 9 * HOUR)
    low = running("low", 2, 50, quota_reserved_at=NOW)
    assert taken(decided(waiting(2), low, lowest)) == ["lowest"]


def test_expired_goes_before_newer() -> None:
    expired = running("expired", 2, quota_reserved_at=NOW - 4 * HOUR - 1)
    newer = running("newer", 2, created_at=5, quota_reserved_at=NOW - HOUR)
    decision = decided(waiting(2), newer, expired, in_queue=queue(duration=4 * HOUR), reading="as-written")
    assert taken(decision) == ["expired"]
    assert decision.targets[0].reason == Reason.IN_CLUSTER_QUEUE_TIME_BASED
    assert [candidate.workload.name for candidate in decision.candidates] == ["expired", "newer"]


def test_of_two_expired_the_longest_running_goes_first() -> None:
    long = running("long", 2, quota_reserved_at=NOW - 9 * HOUR)
    short = running("short", 2, quota_reserved_at=NOW - 5 * HOUR)
    assert taken(decided(waiting(2), short, long, in_queue=queue(duration=4 * HOUR))) == ["long"]


def test_of_two_newer_the_one_admitted_last_goes_first() -> None:
    early = running("early", 2, created_at=5, quota_reserved_at=NOW - 2 * HOUR)
    late = running("late", 2, created_at=5, quota_reserved_at=NOW - HOUR)
    assert taken(decided(waiting(2), early, late)) == ["late"]


def test_exactly_at_the_threshold_a_workload_is_kept_and_a_nanosecond_later_preempted() -> None:
    in_queue = queue(duration=4 * HOUR)
    at, past = (running("w", 4, quota_reserved_at=NOW - 4 * HOUR - late) for late in (0, 1))
    assert decided(waiting(1), at, in_queue=in_queue).outcome == Outcome.NO_CANDIDATES
    assert taken(decided(waiting(1), past, in_queue=in_queue)) == ["w"]


def test_already_evicted_goes_before_lower_priority() -> None:
    evicted = running("evicted", 2, 90, evicted=True)
    low = running("low", 2, 10)
    assert taken(decided(waiting(2), low, evicted)) == ["evicted"]


def test_an_evicted_target_gets_no_second_condition() -> None:
    decision = decided(waiting(4), running("evicted", 2, 90, evicted=True), running("low", 2, 10))
    assert taken(decision) == ["evicted", "low"]
    assert [effect.workload for effect in effects_of(decision)] == ["ml/low"]


def test_eviction_makes_no_workload_a_candidate() -> None:
    assert decided(waiting(2), running("evicted", 4, 200, evicted=True)).outcome == Outcome.NO_CANDIDATES


def test_equal_uids_are_broken_by_name() -> None:
    twins = [running(name, 2, 50, uid="") for name in ("b", "a")]
    assert taken(decided(waiting(2), *twins)) == ["a"]
    assert taken(decided(waiting(2), *reversed(twins))) == ["a"]


def test_the_lower_uid_goes_first_whatever_the_name() -> None:
    first, second = running("z", 2, 50, uid="1"), running("a", 2, 50, uid="2")
    assert taken(decided(waiting(2), second, first)) == ["z"]


def test_fill_back_may_spare_a_lower_priority() -> None:
    # The order of removal is what is promised: the low one goes first and returns, once the big one left.
    decision = decided(waiting(3), running("low", 1, 10), running("big", 3, 50))
    assert (taken(decision), spared(decision)) == (["big"], ["low"])
    assert decision.selection is not None
    assert len(decision.selection.removed) == 2


def test_all_that_is_short_must_become_free() -> None:
    gpus, cpus = running("gpus", 4, 10), running("cpus", priority=20, usage={CPU: 6})
    assert taken(decided(waiting(1, cpu=1), gpus, cpus)) == ["gpus", "cpus"]


@pytest.mark.parametrize("policy", list(WithinClusterQueue))
def test_a_higher_priority_stays_under_every_policy(policy: WithinClusterQueue) -> None:
    decision = decided(waiting(4), running("high", 4, 101), in_queue=queue(policy, duration=MINUTE))
    assert decision.outcome == Outcome.NO_CANDIDATES


def test_under_policy_never_no_workload_is_preempted() -> None:
    decision = decided(waiting(4), running("low", 4, 1), in_queue=queue(WithinClusterQueue.NEVER))
    assert decision.outcome == Outcome.NO_CANDIDATES


def refused(in_queue: ClusterQueue, name: str = "q") -> InputError:
    """The refusal of a decision in a queue."""
    with pytest.raises(InputError) as caught:
        decide(Cluster({"q": in_queue}), waiting(), name, NOW, preset("guaranteed"))
    return caught.value


def test_an_unknown_queue_is_refused_with_those_that_exist() -> None:
    (problem,) = refused(queue(), "p").problems
    assert (problem.code, problem.field) == (ErrorCode.BAD_INPUT, "clusterQueue")
    assert problem.expected.endswith("ClusterQueue: q")


def test_a_given_assignment_is_taken_at_its_word() -> None:
    cluster = Cluster({"q": queue()}, (running("low", 4, 1),))
    given_ = Assignment(usage={GPU: 2}, needs_preemption=frozenset({GPU}))
    decision = decide(cluster, waiting(1), "q", NOW, preset("guaranteed"), given_)
    assert taken(decision) == ["low"]
    nothing_fits = Assignment(usage={GPU: 2}, needs_preemption=frozenset({GPU}), fits=False)
    assert decide(cluster, waiting(1), "q", NOW, preset("guaranteed"), nothing_fits).outcome == Outcome.NO_FIT

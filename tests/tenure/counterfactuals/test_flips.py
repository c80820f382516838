"""The nearest counterfactuals of small situations: which field, which value, in which words."""

from __future__ import annotations

import dataclasses

import pytest

from tenure.errors import InputError
from tenure.explanation.counterfactuals import (
    Counterfactual,
    FlipAnswer,
    Situation,
    apply,
    nearest_counterfactuals,
    search_counterfactuals,
)
from tenure.explanation.counterfactuals.nearest import by_distance, first_flipping, flips_along, some_flipping
from tenure.explanation.counterfactuals.queue_fields import queue_knobs
from tenure.explanation.counterfactuals.situation import Range, relative_size
from tenure.model import (
    MINUTE,
    UNLIMITED,
    BorrowWithinCohort,
    Cluster,
    ClusterQueue,
    FlavorFungibility,
    FlavorPreference,
    Fungibility,
    PodSet,
    ReclaimWithinCohort,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import decide
from tenure.readings import preset
from tests.tenure.clusters import CPU, GPU, NOW, queue, running, waiting

HOUR = 60 * MINUTE
READING = preset("guaranteed")


def counterfactuals(
    preemptor: Workload, *admitted: Workload, in_queue: ClusterQueue | None = None, target: str | None = None
) -> dict[str, Counterfactual]:
    """All counterfactuals in a cluster of one queue, by object and field; the latter without its indices."""
    found = search_counterfactuals(
        situation(preemptor, *admitted, in_queue=in_queue), target, limit=99
    ).counterfactuals
    return {
        f"{change.object} {change.field.rsplit('.', 1)[-1]} {change.knob.about}".strip(): change
        for change in found
    }


def situation(preemptor: Workload, *admitted: Workload, in_queue: ClusterQueue | None = None) -> Situation:
    """A situation in a cluster of one queue."""
    cluster = Cluster({"q": in_queue or queue()}, admitted, (preemptor,))
    return Situation(cluster, preemptor, "q", NOW, READING)


def test_a_priority_rises_by_one_above_its_equal() -> None:
    change = counterfactuals(waiting(4), running("w", 4))["Workload/ml/preemptor priority"]
    assert (change.old_text, change.new_text, change.before, change.after) == (
        "100",
        "101",
        FlipAnswer.WAITS,
        FlipAnswer.PREEMPTS,
    )
    assert change.sentence == ("priority 101 instead of 100 (Workload ml/preemptor): would preempt ml/w")


def test_a_victim_is_kept_from_the_priority_of_the_preemptor_on() -> None:
    found = counterfactuals(waiting(4), running("w", 4, 90), target="ml/w")
    change = found["Workload/ml/w priority"]
    assert (change.new, change.after, change.exact) == (100, FlipAnswer.KEPT, True)
    assert change.sentence.endswith(": would be kept, and ml/preemptor would have to wait (NoCandidates)")


def test_the_quota_that_is_short_is_found_to_the_unit() -> None:
    change = counterfactuals(waiting(3), running("w", 4))[
        "ClusterQueue/q nominalQuota nvidia.com/gpu on a100"
    ]
    assert (change.old, change.new, change.after) == (4, 7, FlipAnswer.FITS)
    assert change.field == "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"
    assert (
        "nominalQuota 7 instead of 4 (nvidia.com/gpu on a100, ClusterQueue q): would fit without preempting"
        in change.sentence
    )


def test_quota_is_taken_away_until_a_fitting_workload_waits() -> None:
    change = counterfactuals(waiting(2), running("w", 1))[
        "ClusterQueue/q nominalQuota nvidia.com/gpu on a100"
    ]
    assert (change.old, change.new, change.after) == (4, 2, FlipAnswer.WAITS)


def test_waiting_is_until_the_instant_of_expiry() -> None:
    target = running("w", 4, quota_reserved_at=NOW - HOUR)
    found = counterfactuals(waiting(1), target, in_queue=queue(duration=4 * HOUR))
    change = found["clock now"]
    assert change.new == NOW + 3 * HOUR + 1
    assert change.sentence == (
        "At any time after 1970-01-01T04:40:00Z (wait more than 3h): would preempt ml/w"
    )
    shorter = found["ClusterQueue/q minAdmitDuration"]
    assert (shorter.old_text, shorter.new_text, shorter.bound) == ("4h", "59m59.999999999s", "below 1h")
    assert "minAdmitDuration below 1h instead of 4h (ClusterQueue q)" in shorter.sentence
    assert change.is_usable
    assert shorter.is_usable


def test_a_policy_changes_to_the_word_that_allows_it_and_none_that_the_webhook_refuses() -> None:
    strict = queue(WithinClusterQueue.NEVER)
    change = counterfactuals(waiting(4), running("w", 4, 50), in_queue=strict)[
        "ClusterQueue/q withinClusterQueue"
    ]
    assert (change.old_text, change.new_text) == ("Never", "LowerPriority")
    timed = queue(duration=HOUR)
    assert "ClusterQueue/q withinClusterQueue" not in counterfactuals(
        waiting(4), running("w", 4, 50), in_queue=timed, target="ml/w"
    )


@pytest.mark.parametrize(
    ("borrow", "preempt", "offered"),
    [
        (Fungibility.MAY_STOP_SEARCH, Fungibility.TRY_NEXT_FLAVOR, False),
        (Fungibility.TRY_NEXT_FLAVOR, Fungibility.MAY_STOP_SEARCH, False),
        (Fungibility.TRY_NEXT_FLAVOR, Fungibility.TRY_NEXT_FLAVOR, True),
    ],
)
def test_a_preference_among_flavors_is_offered_where_the_webhook_accepts_it(
    borrow: Fungibility, preempt: Fungibility, offered: bool
) -> None:
    held = dataclasses.replace(queue(), fungibility=FlavorFungibility(borrow, preempt))
    here = situation(waiting(4), running("w", 4, 50), in_queue=held)
    (preference,) = (knob for knob in queue_knobs(here) if knob.field.endswith("preference"))
    decision = decide(here.cluster, here.preemptor, "q", NOW, READING)
    values = [value for value in preference.values(decision) if isinstance(value, FlavorPreference)]
    assert (FlavorPreference.PREEMPTION_OVER_BORROWING in values) == offered


@pytest.mark.parametrize("preference", [None, *FlavorPreference])
def test_no_search_is_ended_beside_a_preference_that_is_set(preference: FlavorPreference | None) -> None:
    both = FlavorFungibility(Fungibility.TRY_NEXT_FLAVOR, Fungibility.TRY_NEXT_FLAVOR, preference)
    here = situation(waiting(4), running("w", 4, 50), in_queue=dataclasses.replace(queue(), fungibility=both))
    decision = decide(here.cluster, here.preemptor, "q", NOW, READING)
    for knob in queue_knobs(here):
        if knob.field.endswith(("whenCanBorrow", "whenCanPreempt")):
            assert (Fungibility.MAY_STOP_SEARCH in knob.values(decision)) == (preference is None)
        if knob.field.endswith("preference"):
            assert both.preferred not in knob.values(decision)


def test_the_number_of_pods_and_the_fewest_of_them() -> None:
    pods = (PodSet("main", 4, {GPU.resource: 4}),)
    found = counterfactuals(waiting(pod_sets=pods), running("w", 2))
    count, fewest = found["Workload/ml/preemptor count"], found["Workload/ml/preemptor minCount"]
    assert (count.old, count.new, fewest.old, fewest.new) == (4, 2, None, 2)
    assert fewest.sentence.startswith("podSets[0].minCount 2, now not set (Workload ml/preemptor): would fit")


def test_reclaimable_pods_and_a_second_mincount_are_left_alone() -> None:
    pods = (
        PodSet("a", 2, {GPU.resource: 2}, full_count=3),
        PodSet("b", 2, {GPU.resource: 2}, min_count=2),
    )
    found = counterfactuals(waiting(pod_sets=pods), running("w", 3))
    assert {change.field for change in found.values() if "podSets" in change.field} <= {
        "spec.podSets[1].count",
        "spec.podSets[1].minCount",
    }


def test_a_boost_is_taken_off_again() -> None:
    preemptor = waiting(4, 90, priority_boost=10)
    asked = dataclasses.replace(
        situation(preemptor, running("w", 4)),
        cluster=Cluster(
            {"q": queue()}, (running("w", 4),), (preemptor,), settings=Settings(priority_boost=True)
        ),
    )
    assert Situation.of(asked.decided()) == asked
    (change,) = (
        change
        for change in search_counterfactuals(asked, limit=99).counterfactuals
        if change.object == "Workload/ml/preemptor"
    )
    assert (change.field, change.old, change.new) == ("spec.priority", 90, 91)


def test_a_threshold_rises_to_the_priority_that_is_to_be_preempted() -> None:
    own = dataclasses.replace(
        queue(nominal={GPU: 0}, cohort="c"),
        reclaim_within_cohort=ReclaimWithinCohort.ANY,
        borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
        max_priority_threshold=10,
    )
    lender = dataclasses.replace(queue(nominal={GPU: 4}, cohort="c"), name="lender")
    other = dataclasses.replace(queue(nominal={GPU: 0}, cohort="c"), name="other")
    admitted = (running("w", 4, 50, cluster_queue="other"),)
    preemptor = waiting(2)
    cluster = Cluster(
        {cluster_queue.name: cluster_queue for cluster_queue in (own, lender, other)}, admitted, (preemptor,)
    )
    found = nearest_counterfactuals(cluster, preemptor, "q", NOW, READING, limit=99)
    (change,) = (change for change in found if change.field.endswith("maxPriorityThreshold"))
    assert (change.old, change.new, change.after) == (10, 50, FlipAnswer.PREEMPTS)
    altered = apply(change, Situation(cluster, preemptor, "q", NOW, READING))
    assert altered.cluster.cluster_queues["q"].max_priority_threshold == 50


def test_the_clock_leaves_the_cluster_alone_and_a_workload_the_queues() -> None:
    target = running("w", 4, quota_reserved_at=NOW - HOUR)
    asked = situation(waiting(1), target, in_queue=queue(duration=4 * HOUR))
    for change in search_counterfactuals(asked, limit=99).counterfactuals:
        altered = apply(change, asked)
        assert (altered.now == asked.now) == (change.object != "clock")
        same = altered.cluster.cluster_queues == asked.cluster.cluster_queues
        assert same == (not change.object.startswith("ClusterQueue/"))
        if change.object == "Workload/ml/preemptor":
            assert altered.cluster.pending == (altered.preemptor,)


def test_an_unlimited_quota_is_searched_where_it_matters() -> None:
    endless = queue(nominal={GPU: UNLIMITED, CPU: 6})
    change = counterfactuals(waiting(3), running("w", 4), in_queue=endless)
    found = change["ClusterQueue/q nominalQuota nvidia.com/gpu on a100"]
    assert (found.old_text, found.new, found.after) == ("unlimited", 6, FlipAnswer.WAITS)


def test_nothing_helps_where_the_queue_is_inactive() -> None:
    stopped = dataclasses.replace(queue(), inactive="stopped")
    assert counterfactuals(waiting(1), in_queue=stopped) == {}


def test_one_flip_is_told_of_objects_that_are_alike() -> None:
    found = counterfactuals(waiting(4, 100), *(running(f"w{number}", 1, 100) for number in range(4)))
    assert sum(change.field == "spec.priority" and "/w" in change.object for change in found.values()) <= 1


@pytest.mark.parametrize(
    ("old", "new", "size"),
    [(100, 101, 1 / 101), (64, 32, 0.5), (0, 5, 1.0), (-5, 5, 1.0), (None, 3, 1.0), (3, None, 1.0)],
)
def test_a_change_counts_by_the_part_of_the_larger_value(
    old: int | None, new: int | None, size: float
) -> None:
    assert relative_size(old, new) == pytest.approx(size)


@pytest.mark.parametrize("granule", [1, 7, 1024])
@pytest.mark.parametrize("boundary", [1, 2, 1023, 1024, 1025, 7 * 1024, 9999])
def test_a_boundary_is_found_to_the_unit_whatever_the_granule(granule: int, boundary: int) -> None:
    where = Range(start=0, low=0, high=10_000, granule=granule)
    assert list(flips_along(where, lambda value: value >= boundary)) == [boundary]


def test_nothing_is_found_where_nothing_flips() -> None:
    assert list(flips_along(Range(5, 0, 10, 1), lambda _: False)) == []
    assert list(flips_along(Range(5, 5, 5, 1), lambda _: True)) == []
    assert list(first_flipping(by_distance([1, 2], 1), lambda value: value == 1)) == []
    assert list(some_flipping([1, 2, 3], lambda _: False)) == []


def test_many_values_are_not_tried_one_by_one_and_the_flip_says_so() -> None:
    held = [running(f"w{number:03}", 1, quota_reserved_at=NOW - HOUR + number) for number in range(300)]
    wide = queue(duration=2 * HOUR, nominal={GPU: 300, CPU: 6})
    asked = situation(waiting(200), *held, in_queue=wide)
    found = search_counterfactuals(asked, limit=99, budget=400)
    (clock,) = (change for change in found.counterfactuals if change.object == "clock")
    assert (clock.new, clock.exact) == (NOW + HOUR + 199 + 1, False)
    assert found.tried <= 400
    assert not found.complete


def test_a_flip_agrees_with_the_oracle_asked_directly() -> None:
    preemptor, target = waiting(4), running("w", 4)
    cluster = Cluster({"q": queue()}, (target,), (preemptor,))
    (change, *_) = nearest_counterfactuals(cluster, preemptor, "q", NOW, READING)
    altered = apply(change, Situation(cluster, preemptor, "q", NOW, READING))
    decision = decide(altered.cluster, altered.preemptor, "q", altered.now, READING)
    assert (decision.outcome, tuple(target.workload.key for target in decision.targets)) == (
        change.outcome,
        change.preempted,
    )


def test_whoever_runs_elsewhere_is_no_target() -> None:
    with pytest.raises(InputError, match="a workload that holds quota in the tree of ClusterQueue q"):
        search_counterfactuals(situation(waiting(1)), "ml/nobody")

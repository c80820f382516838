"""What becomes of a search over scheduling cycles, by repair, and how it is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from benchmarks.repair_turns import INSIDE, Course, add, counted, merged, played
from tenure.conformance.requests import DecideRequest
from tenure.model import SECOND, PodSet, Workload
from tenure.readings import FairSharingRepair, preset
from tests.tenure.oracle.test_fair_repairs import counter_example

START = 1000 * SECOND


def counter_request() -> DecideRequest:
    """The counter-example of the analysis, as a request whose running workloads can queue again."""
    cluster = counter_example()
    running = tuple(
        replace(
            held,
            quota_reserved_at=START - SECOND,
            pod_sets=(PodSet("main", 1, {at.resource: amount for at, amount in held.usage.items()}),),
        )
        for held in cluster.admitted
    )
    hero = Workload("ns", "p-hero", "p-hero", 10, START, pod_sets=(PodSet("main", 1, {"cpu": 60}),))
    cluster = replace(cluster, admitted=running)
    return DecideRequest(cluster, hero, "qp", START, preset("released"), None, explained=False)


def test_the_counter_example_loops_by_share_as_released_and_not_with_a_check() -> None:
    loops = played(counter_request(), FairSharingRepair.NONE)
    assert loops.turn
    assert INSIDE not in loops.turn
    assert played(counter_request(), FairSharingRepair.POST_CHECK) == Course(0, (), is_open=False)


def test_every_play_is_counted_once() -> None:
    repairs = [FairSharingRepair.NONE, FairSharingRepair.LEVEL_LOCKED]
    parts = [counted(1, repairs, range(first, first + 20)) for first in (0, 20)]
    totals = merged(iter(parts))
    for found in totals.values():
        assert found["quiet"] + found["settles"] + found["loops"] + found["open"] == found["plays"] > 0
        assert found["most"] >= 1


def test_a_loop_counts_as_one_by_share_where_no_turn_is_inside_a_queue() -> None:
    counts = Counter[str]()
    add(counts, Course(7, ("InCohortFairSharing", INSIDE), is_open=False))
    add(counts, Course(5, ("InCohortFairSharing",), is_open=False))
    add(counts, Course(3, (), is_open=False))
    assert (counts["loops"], counts["by share"], counts["settles"], counts["most"]) == (2, 1, 1, 3)

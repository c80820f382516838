"""A guess at who will leave saves sorting, and changes nothing, however wrong it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from benchmarks.shapes import NOW, SHAPES, TARGET, Case, case_of
from tenure.fast import Arrays, CoreAnswer, Prepared, decide
from tenure.fast.classical import classify
from tenure.fast.decide import searched
from tenure.fast.sampling import FEWEST, NO_DIVIDER, find_divider
from tenure.fast.search import searcher
from tenure.fast.tables import SearchInput
from tenure.model import ClusterQueue, FlavorResource, Workload
from tenure.readings import preset
from tests.sampling import sample

READING = preset("released")
COUNT = FEWEST + 300


def even(workload: Workload) -> Workload:
    """As it is: what somebody holds says nothing of when it leaves."""
    return workload


def light_first(workload: Workload) -> Workload:
    """Who leaves early holds next to nothing, so many more leave than a sample lets expect."""
    factor = 1 + workload.priority**3
    return replace(workload, usage=dict.fromkeys(workload.usage, factor))


def heavy_first(workload: Workload) -> Workload:
    """Who leaves early holds nearly all."""
    factor = 1 + (90 - workload.priority) ** 3
    return replace(workload, usage=dict.fromkeys(workload.usage, factor))


def in_part(workload: Workload) -> Workload:
    """Only every seventh holds something that is asked for."""
    if int(workload.name[-6:]) % 7 == 0:
        return workload
    return replace(workload, usage={})


CHANGES = (even, light_first, heavy_first, in_part)
EVERY = [(shape, change) for shape in ("queue", "cohort", "tree") for change in CHANGES]
FEW = [("queue", even), ("queue", in_part), ("cohort", light_first), ("tree", heavy_first)]
"""Every shape and every change once at least."""


def _case(shape: str, change: Callable[[Workload], Workload]) -> Case:
    case = case_of(SHAPES[shape], COUNT, 0.3)
    admitted = tuple(map(change, case.cluster.admitted))
    held = {at: sum(workload.usage.get(at, 0) for workload in admitted) for at in case.held}
    queues = {
        name: _with_quota(queue, held, 10 if shape == "queue" else 3 if name == TARGET else 0)
        for name, queue in case.cluster.cluster_queues.items()
    }
    return replace(case, cluster=replace(case.cluster, admitted=admitted, cluster_queues=queues), held=held)


def _with_quota(queue: ClusterQueue, held: Mapping[FlavorResource, int], tenths: int) -> ClusterQueue:
    """The queue with so many tenths of all that is held as its quota."""
    (group,) = queue.resource_groups
    (quotas,) = group.flavors
    nominal = {at.resource: amount * tenths // 10 for at, amount in held.items()}
    return replace(queue, resource_groups=(replace(group, flavors=(replace(quotas, nominal=nominal),)),))


def _said(answer: CoreAnswer) -> tuple[object, ...]:
    found = answer.found
    return answer.outcome, found.rows.tolist(), found.grounds.tolist(), found.may_borrow


@pytest.mark.parametrize(("shape", "change"), sample(FEW, EVERY))
def test_the_same_leave_as_with_all_sorted(shape: str, change: Callable[[Workload], Workload]) -> None:
    case = _case(shape, change)
    arrays, outcomes = Arrays(case.cluster), []
    engine = Prepared(arrays, READING)
    for priority, share in ((1000, 0.001), (1000, 0.1), (1000, 0.29), (40, 0.1), (40, 0.002)):
        preemptor = replace(case.preemptor, priority=priority)
        asked = (preemptor, TARGET, NOW)
        cold = decide(arrays, *asked, READING, case.assignment(share))
        assert _said(cold) == _said(engine.decide(*asked, case.assignment(share)))
        outcomes.append(len(cold.found.rows))
    assert outcomes[0] < outcomes[1] < outcomes[2]


@pytest.mark.parametrize(("share", "found"), [(0.1, True), (0.9, False)])
def test_a_candidate_divides_where_most_stay(share: float, found: bool) -> None:
    case = _case("queue", even)
    assert (_divider(case, share) != NO_DIVIDER) == found


def test_few_are_not_divided() -> None:
    assert _divider(case_of(SHAPES["queue"], FEWEST - 1, 0.3), 0.1) == NO_DIVIDER


def _divider(case: Case, share: float) -> int:
    arrays, assignment = Arrays(case.cluster), case.assignment(share)
    queue = case.cluster.cluster_queues[TARGET]
    searching = searcher(arrays, case.preemptor, queue, NOW, READING)
    ask = searching.ask(assignment.needs_preemption, searched(assignment.usage))
    forest, kind = arrays.layout.forest, (searching.policy, searching.order)
    given = SearchInput(searching.rows, forest, arrays.usage, ask, *kind, arrays.work())
    classify(given)
    return int(find_divider(given))

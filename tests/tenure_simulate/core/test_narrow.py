"""Numbers in arrays of 8 and 32 bits fit them: more is refused by name, and nothing that is written wraps."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import numpy as np
import pytest

from tenure.choices import Engine, Outcome
from tenure.engines import decide
from tenure.model import (
    Basis,
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    ReclaimWithinCohort,
    ResourceGroup,
    Settings,
    Workload,
)
from tenure.readings import preset
from tenure_lab.engines_compared import WAYS, compare
from tenure_lab.generators.scenarios import draw_for_core
from tenure_simulate.core import Arrays, Uncovered, tables, uncovered
from tests.sampling import sample

MANY = 140
"""More nodes, columns, levels, rows and victims' rows than numbers of 8 bits."""


class Checked(np.ndarray[Any, Any]):
    """An array into which nothing is written that does not fit its type; NumPy and numba would wrap it."""

    written = 0

    def __setitem__(self, place: Any, value: Any) -> None:
        if self.dtype in (np.int8, np.int32):
            limits, given = np.iinfo(self.dtype), np.asarray(value)
            assert given.size == 0 or (given.min() >= limits.min and given.max() <= limits.max), value
            Checked.written += 1
        super().__setitem__(place, value)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """All arrays that are made empty, full or of zeros are checked."""
    for name in ("empty", "full", "zeros"):
        make = getattr(np, name)

        def made(*given: Any, make: Any = make, **how: Any) -> Any:
            array = make(*given, **how)
            return array.view(Checked) if array.dtype in (np.int8, np.int32) else array

        monkeypatch.setattr(np, name, made)
    monkeypatch.setattr(Checked, "written", 0)


def test_the_numbers_of_bases_and_groups_have_8_bits_and_are_the_models() -> None:
    most = np.iinfo(np.int8).max
    named = {name: getattr(tables, name) for name in Basis.__members__ if hasattr(tables, name)}
    assert {name: int(Basis[name]) for name in named} == named
    assert len(named) > len(Basis) // 2
    assert max(map(int, Basis)) <= most
    assert (tables.ADVANTAGE, tables.ELSEWHERE, tables.OWN) == (0, 1, 2)


@pytest.mark.parametrize("fair", [None, (FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,)])
def test_numbers_beyond_8_bits_are_decided_with_as_by_the_reference(fair: Any) -> None:
    asked = wide(fair)
    by_core, by_reference = (decide(engine, *asked) for engine in (Engine.FAST, Engine.REFERENCE))
    assert (by_core.engine, by_core.left) == (Engine.FAST, "")
    assert by_core.outcome == by_reference.outcome == Outcome.PREEMPT
    victims = [target.workload.name for target in by_core.targets]
    assert victims == [target.workload.name for target in by_reference.targets]
    assert len(victims) > 1


def wide(fair: Any) -> tuple[Any, ...]:
    """Cohorts, each with a queue; the last four but one borrow what the last asks for.

    They are a chain, and under fair sharing beside each other: there the reference takes very long in chains.
    """
    last = MANY - 1
    resources = [f"r{number:03}" for number in range(MANY)]
    at = FlavorResource("default", resources[last])

    def group(nominal: dict[str, int]) -> tuple[ResourceGroup, ...]:
        return (ResourceGroup(tuple(nominal), (FlavorQuotas("default", nominal),)),)

    def queue(number: int) -> ClusterQueue:
        return ClusterQueue(
            f"q{number:03}",
            group({resources[last]: 4 if number == last else 1}),
            cohort=f"c{number:03}",
            reclaim_within_cohort=ReclaimWithinCohort.ANY,
        )

    cohorts = {
        f"c{number:03}": Cohort(f"c{number:03}", f"c{0 if fair else number - 1:03}" if number else None)
        for number in range(MANY)
    }
    cohorts["c000"] = Cohort("c000", None, group(dict.fromkeys(resources[:last], 1)))
    queues = {made.name: made for made in map(queue, range(MANY))}
    running = [
        Workload(
            "ns",
            f"w{number:03}-{copy}",
            f"u{number:03}-{copy}",
            priority=0,
            created_at=number,
            quota_reserved_at=number,
            cluster_queue=f"q{number:03}",
            usage={at: 1},
        )
        for number in range(last)
        for copy in range(2 if number >= last - 4 else 1)
    ]
    waiting = Workload(
        "ns", "w", "u", priority=0, created_at=MANY, pod_sets=(PodSet("main", 1, {resources[last]: 4}),)
    )
    settings = Settings(fair_sharing=fair)
    cluster = Cluster(queues, cohorts=cohorts, admitted=tuple(running), settings=settings)
    return cluster, waiting, f"q{last:03}", MANY, preset("released")


def test_nothing_that_is_written_into_a_narrow_array_wraps(checked: None) -> None:
    if not interpreted():
        pytest.skip("compiled kernels write past NumPy")
    for index, way in zip(range(sample(120, 1_000)), cycle(WAYS), strict=False):
        assert compare(draw_for_core(8, index, 40), way).agree
    decide(Engine.FAST, *wide(None))
    assert Checked.written > 1_000


def interpreted() -> bool:
    """Whether Python runs the kernels."""
    from tenure_simulate.core import nodes

    return not hasattr(nodes.available, "py_func")


TOO_MANY = {
    "more ClusterQueues and Cohorts than 32 bits number": {"queues": 4},
    "more flavor-resources than 32 bits number": {"resources": 4},
    "more workloads than 32 bits number": {"workloads": 4},
}


def small(queues: int = 1, resources: int = 1, workloads: int = 1) -> Cluster:
    """So many of each."""
    nominal = {f"r{number}": 9 for number in range(resources)}
    groups = (ResourceGroup(tuple(nominal), (FlavorQuotas("default", nominal),)),)
    return Cluster(
        {f"q{number}": ClusterQueue(f"q{number}", groups) for number in range(queues)},
        admitted=tuple(running(number) for number in range(workloads)),
    )


def running(number: int) -> Workload:
    """One that holds quota."""
    usage = {FlavorResource("default", "r0"): 1}
    return Workload(
        "ns", f"w{number}", f"u{number}", priority=0, created_at=0, cluster_queue="q0", usage=usage
    )


@pytest.mark.parametrize("what", TOO_MANY)
def test_more_than_32_bits_number_is_left_to_the_reference(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = small(**TOO_MANY[what])
    waiting = Workload("ns", "w", "u", priority=0, created_at=0)
    Arrays(cluster)
    monkeypatch.setattr(uncovered, "MOST_NUMBERED", 3)
    with pytest.raises(Uncovered, match=what):
        Arrays(cluster)
    decision = decide(Engine.FAST, cluster, waiting, "q0", 0, preset("released"))
    assert (decision.engine, decision.left, decision.outcome) == (Engine.REFERENCE, what, Outcome.FIT)


def test_a_workload_that_32_bits_do_not_number_is_not_added(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = Arrays(small(workloads=3))
    monkeypatch.setattr(uncovered, "MOST_NUMBERED", 3)
    with pytest.raises(Uncovered, match="more workloads than 32 bits number"):
        arrays.add(running(3))
    assert len(arrays) == 3
    assert arrays.usage.tolist() == [[3]]

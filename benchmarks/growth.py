"""How a cold decision grows: with workloads, queues, levels of cohorts and resources, one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from benchmarks.measuring import MICROSECOND, median
from benchmarks.shapes import NOW, SHAPES, TARGET, Shape, case_of
from tenure.readings import Reading
from tenure_simulate.core import Arrays, decide

WORKLOADS = 10_000
SHARE = 0.1
_TREE = SHAPES["tree"]
VARIED: dict[str, tuple[tuple[int, int, Shape], ...]] = {
    "workloads": tuple((count, count, _TREE) for count in (1_000, 3_000, 10_000, 30_000, 100_000)),
    "queues": tuple((count, WORKLOADS, replace(_TREE, queues=count)) for count in (10, 30, 100, 300, 1_000)),
    "depth": tuple((depth, WORKLOADS, replace(_TREE, depth=depth)) for depth in (1, 2, 4, 6, 8)),
    "resources": tuple((count, WORKLOADS, replace(_TREE, resources=count)) for count in (1, 2, 4, 8)),
}
"""What is varied: its value, and the number of workloads and the shape for it."""

Row = dict[str, Any]


def rows(reading: Reading, seconds: float) -> Iterator[Row]:
    """One row for each value: nanoseconds of a cold decision, and bytes for each workload."""
    for what, values in VARIED.items():
        for value, count, shape in values:
            case = case_of(shape, count, SHARE)
            arrays, assignment = Arrays(case.cluster), case.assignment(SHARE)
            asked = (case.preemptor, TARGET, NOW, reading, assignment)
            victims = len(decide(arrays, *asked).found.rows)
            cold = median(lambda arrays=arrays, asked=asked: decide(arrays, *asked), seconds)  # type: ignore[misc]
            yield {
                "varied": what,
                "value": value,
                "victims": victims,
                "cold": cold,
                "bytes": arrays.nbytes / max(1, len(arrays)),
            }


def show(found: Iterable[Row]) -> None:
    """Print them."""
    print(f"\n{'varied':>9}  {'value':>9}  {'victims':>9}  {'cold':>9}  {'bytes':>9}")
    for row in found:
        print(
            f"{row['varied']:>9}  {row['value']:>9}  {row['victims']:>9}"
            f"  {row['cold'] / MICROSECOND:>9.1f}  {row['bytes']:>9.0f}"
        )

"""Decisions a second of processor time, of the reference implementation, with the objects already built.

    python benchmarks/deciding.py [--workloads 5 20 50] [--seconds 2] [--seed 1]

Clusters are drawn by `tenure_lab.generators.strategies`, so they are the ones of `make peers`: trees of
cohorts, classical and fair sharing, several flavors. Only those count where targets have to be searched for.
`snapshot shared` takes the tree around the queue as built too, as a scheduler's cache has it; otherwise each
decision makes it.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.model import Assignment
from tenure.oracle.decide import decide
from tenure.oracle.snapshot import Snapshot, take_snapshot
from tenure_lab.generators.strategies import examples

CASES = 60
"""How many different clusters of a size are decided in turn."""


@dataclass(frozen=True, slots=True)
class Case:
    """A cluster with everything built that a decision needs."""

    request: DecideRequest
    snapshot: Snapshot
    assignment: Assignment


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workloads", type=int, nargs="+", default=[5, 20, 50], help="running workloads")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long to measure each figure")
    parser.add_argument("--seed", type=int, default=1, help="of the clusters")
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}; decisions a second of processor time")
    print(f"{'workloads':>9}  {'assignment':10}  {'tree built each time':>20}  {'snapshot shared':>15}")
    for count in given.workloads:
        cases = list(_cases(count, given.seed))
        for name in ("given", "derived"):
            rates = [_rate(cases, name == "given", shared, given.seconds) for shared in (False, True)]
            print(f"{count:>9}  {name:10}  {rates[0]:>20,.0f}  {rates[1]:>15,.0f}")


def _cases(count: int, seed: int) -> Iterator[Case]:
    """Clusters with a tenth more or fewer running workloads, in which victims have to be searched for."""
    found = 0
    for scenario in examples(1_000_000, seed, max_workloads=count + count // 10 + 1):
        if abs(len(scenario["admitted"]) - count) > max(1, count // 10):
            continue
        request = read_decide_request(scenario)
        snapshot = take_snapshot(request.cluster, request.queue, request.now, request.reading)
        if snapshot.queue.inactive:
            continue
        decision = decide(request.cluster, request.preemptor, request.queue, request.now, request.reading)
        if decision.selection is None:
            continue
        yield Case(request, snapshot, decision.assignment)
        found += 1
        if found == CASES:
            return


def _rate(cases: list[Case], given: bool, shared: bool, seconds: float) -> float:
    def once() -> None:
        for case in cases:
            request = case.request
            decide(
                request.cluster,
                request.preemptor,
                request.queue,
                request.now,
                request.reading,
                case.assignment if given else None,
                case.snapshot if shared else None,
            )

    return len(cases) * _times(once, seconds) / seconds


def _times(run: Callable[[], None], seconds: float) -> float:
    """How often something runs in a time, after one run that does not count."""
    run()
    started, times = time.process_time(), 0
    while time.process_time() - started < seconds:
        run()
        times += 1
    return times * seconds / (time.process_time() - started)


if __name__ == "__main__":
    main()

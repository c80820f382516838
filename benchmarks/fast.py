"""Reference, optimized core and the released Kueue, on the same clusters in one run.

    python -m benchmarks.fast --shape queue tree --workloads 100 1000 --share 10 --peer build/kueue-peer

Shapes: one ClusterQueue, a flat cohort of 50, a tree of three levels with 100 ClusterQueues, fair sharing
over 50, and a hero above a tree. Every workload holds two resources; the request is such that about a share
of all must leave, and its flavors are given. `cold` decides on arrays, with nothing sorted; `objects` is
turning the answer into named victims. `kueue` is `GetTargets` of the released Kueue, which knows no heroes,
on a snapshot of the same objects; its victims must be the core's. All are medians of processor time, in
microseconds; of Kueue the lower one of that and of time on the clock.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks import growth
from benchmarks.kueue_timer import Peer
from benchmarks.measuring import MICROSECOND, machine, median, once
from benchmarks.shapes import NOW, SHAPES, TARGET, Shape, case_of
from tenure.choices import Engine
from tenure.engines import decide as decide_by_engine
from tenure.oracle.decide import decide as decide_by_reference
from tenure.readings import preset
from tenure_simulate.core import COMPILED, NOT_COMPILED, Arrays, Uncovered
from tenure_simulate.core import decide as decide_by_core

SIZES = (100, 1_000, 10_000, 100_000)
READING = preset("released")
HERO_READING = preset("guaranteed")
"""By the letter (`released`) every workload of a hero is billed to every queue one by one."""

LONGEST_BESIDE_HEROES = 100
"""Up to so many workloads the reference is asked there; it counts every bill again after each removal."""

HEADS = (
    "shape",
    "workloads",
    "share",
    "victims",
    "reference",
    "cold",
    "objects",
    "kueue",
    "ratio",
)
SLOW = 20_000
"""From so many workloads on the reference decides once only."""

FORMAT = 1

Row = dict[str, Any]


def main() -> int:
    """Measure, print a table, and write the figures where told."""
    given = _arguments()
    if not COMPILED:
        print(NOT_COMPILED)
    peer = Peer(given.peer) if given.peer is not None else None
    made: Row = {"format": FORMAT, "made": f"{datetime.now(UTC):%Y-%m-%d}", "machine": machine()}
    made["kueue"] = peer.version() if peer else None
    if given.note:
        made["note"] = given.note
    print("  ".join(head.rjust(9) for head in HEADS), flush=True)
    made["decisions"], earlier = [], _earlier(given.write, made)
    for name, count, share in product(given.shape, given.workloads, given.share):
        row = measure(SHAPES[name], count, share, given.seconds, peer)
        made["decisions"].append(row)
        print("  ".join(cell.rjust(9) for cell in _cells(row)), flush=True)
        _write(_with(earlier, made), given.write)
    if peer:
        peer.close()
    if given.growth:
        made["growth"] = list(growth.rows(READING, given.seconds))
        growth.show(made["growth"])
        _write(_with(earlier, made), given.write)
    return 0


def _earlier(path: Path | None, made: Row) -> Row:
    """What a file holds of the same machine and release; nothing where it is of another."""
    if path is None or not path.exists():
        return {}
    found: Row = json.loads(path.read_text(encoding="utf-8"))
    return found if all(found.get(key) == made[key] for key in ("format", "machine", "kueue")) else {}


def _with(earlier: Row, made: Row) -> Row:
    """What was measured, beside the rows of earlier runs that were not measured again."""
    rows = {(row["shape"], row["share"], row["workloads"]): row for row in earlier.get("decisions", ())}
    rows |= {(row["shape"], row["share"], row["workloads"]): row for row in made["decisions"]}
    shapes = list(SHAPES)
    ordered = sorted(
        rows.values(), key=lambda row: (shapes.index(row["shape"]), row["workloads"], row["share"])
    )
    return {**earlier, **made, "decisions": ordered}


def _write(made: Row, path: Path | None) -> None:
    """After every row: a long run that is interrupted leaves what it has measured."""
    if path is not None:
        path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def measure(shape: Shape, count: int, share: int, seconds: float, peer: Peer | None) -> Row:
    """One row: figures in nanoseconds, None for what does not decide this.

    Raises:
        RuntimeError: the released scheduler takes other victims.
    """
    case = case_of(shape, count, share / 100)
    reading = HERO_READING if shape.heroes else READING
    asked = (case.preemptor, TARGET, NOW, reading, case.assignment(share / 100))
    row: Row = {"shape": shape.name, "workloads": count, "share": share, "queues": shape.queues}
    slow = count > SLOW
    reference = partial(decide_by_reference, case.cluster, *asked)
    row["reference"] = None
    if count <= (LONGEST_BESIDE_HEROES if shape.heroes else count):
        row["reference"] = once(reference) if slow else median(reference, seconds)
    try:
        arrays = Arrays(case.cluster)
        row["build"] = median(lambda: Arrays(case.cluster), seconds)
        answer = decide_by_core(arrays, *asked)
    except Uncovered:
        decided = decide_by_engine(Engine.REFERENCE, case.cluster, *asked)
        return row | {"victims": len(decided.targets), **dict.fromkeys(HEADS[5:8])}
    row["victims"] = len(answer.found.rows)
    row["bytes"] = arrays.nbytes / max(1, len(arrays))
    cold = [median(lambda: decide_by_core(arrays, *asked), seconds)]
    row["cold"] = cold[0]
    row["objects"] = median(lambda: list(answer.claims()), seconds)
    row["kueue"] = None
    cold.append(median(lambda: decide_by_core(arrays, *asked), seconds))
    if peer is not None and not shape.heroes:
        told = peer.time(case, share / 100, seconds)
        if told.victims != frozenset((claim.key, claim.reason.label) for claim in answer.claims()):
            raise RuntimeError(f"Kueue takes others: {shape.name}, {count} workloads, {share} %")
        row["kueue"] = min(told.median, told.busy)
        row["kueueOnTheClock"] = told.median
    # Before and after the others: what else the machine does changes within seconds.
    cold.append(median(lambda: decide_by_core(arrays, *asked), seconds))
    row["cold"] = statistics.median(cold)
    return row


def _cells(row: Row) -> Iterator[str]:
    yield from (str(row["shape"]), str(row["workloads"]), f"{row['share']} %", str(row["victims"]))
    for name in HEADS[4:8]:
        yield "-" if row.get(name) is None else f"{row[name] / MICROSECOND:.1f}"
    yield f"{row['kueue'] / row['cold']:.0f}" if row.get("kueue") and row.get("cold") else "-"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    whole: Callable[[str], int] = int
    parser.add_argument("--shape", choices=tuple(SHAPES), nargs="+", default=tuple(SHAPES))
    parser.add_argument("--workloads", type=whole, nargs="+", default=SIZES)
    parser.add_argument("--share", type=whole, nargs="+", default=(1, 10, 50), help="victims, in percent")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long to measure each figure")
    parser.add_argument("--peer", type=Path, help="the program built of go/kueue")
    parser.add_argument("--growth", action="store_true", help="measure growth and memory as well")
    parser.add_argument("--note", help="what a reader of the figures should know")
    parser.add_argument(
        "--write",
        type=Path,
        help="JSON file for the figures; rows that it has of the same machine and release stay",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

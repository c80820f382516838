"""The command line."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tenure_lab.programs import PATIENCE_S, ProgramFailure, command_of
from tenure_lab.verdicts import AnswerPair, Kind, Sides, sides_of
from tests.peers.cells.draws import DrawnCell, drawn_cells

DESCRIPTION = """Cells of which tenure analyze matrix says that they can be, by Kueue's own decisions.

Each cell of a random configuration comes with an example, a state in which a workload of one ClusterQueue and
priority preempts one of another. Kueue decides each: it has to preempt the same workloads, the cell's victim
among them, for the same reasons. Ends with 0 if it always does, with 1 if not, with 2 if the peer fails as a
program."""
BATCH = 50


def main(given: Sequence[str] | None = None) -> int:
    """Ask about cells; the exit code."""
    parser = argparse.ArgumentParser(
        "python -m tests.peers.cells",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--peer", required=True, help="command line of the peer")
    parser.add_argument("--n", type=int, default=2000, help="how many cells")
    parser.add_argument("--seed", type=int, default=1, help="number of the first configuration")
    parser.add_argument(
        "--repeat", type=int, default=3, help="how often Kueue decides each: it leaves ties to chance"
    )
    parser.add_argument(
        "--heroes",
        action="store_true",
        help="in each configuration some ClusterQueues are heroes, which no release knows: cells are asked "
        "about of whose example no hero's workload is part",
    )
    options = parser.parse_args(given)
    try:
        sides = sides_of(command_of(options.peer), PATIENCE_S, repeat=options.repeat)
        try:
            return _run(sides, drawn_cells(options.n, options.seed, heroes=options.heroes), options.seed)
        finally:
            sides.program.close()
    except ProgramFailure as failure:
        print(f"cells: {failure}", file=sys.stderr)
        return 2


def _run(sides: Sides, cells: Iterator[DrawnCell], seed: int) -> int:
    seen, differing, configurations = Counter[str](), 0, set[int]()
    while batch := list(islice(cells, BATCH)):
        configurations.update(drawn.configuration for drawn in batch)
        pairs = sides.all_of([drawn.request for drawn in batch])
        for drawn, pair in zip(batch, pairs, strict=True):
            seen.update([drawn.cell.reason.label, drawn.why, said_of(drawn, pair)])
            if not is_confirmed(drawn, pair):
                differing += 1
                print(f"configuration {drawn.configuration}: {drawn.cell}: {pair.verdict}", file=sys.stderr)
                print(f"  theirs: {json.dumps(pair.theirs)}", file=sys.stderr)
    told = ", ".join(f"{number} {what}" for what, number in sorted(seen.items()))
    print(
        f"cells: {differing} differences; {len(configurations)} configurations from {seed}; {told}; "
        f"peer {sides.name}"
    )
    return 1 if differing else 0


def said_of(drawn: DrawnCell, pair: AnswerPair) -> str:
    """In which of the ways that count a cell is confirmed, or that it is not."""
    if not is_confirmed(drawn, pair):
        return "not confirmed"
    alike = pair.verdict.kind == Kind.AGREE
    return "confirmed" if alike else f"confirmed, {pair.verdict}"


def is_confirmed(drawn: DrawnCell, pair: AnswerPair) -> bool:
    """Whether Kueue's decision, or one of them where it leaves ties to chance, is ours and has the victim."""
    if pair.verdict.kind not in (Kind.AGREE, Kind.UNSTABLE):
        return False
    output = pair.theirs["output"]
    return any(_has_victim(drawn, said) for said in output.get("variants") or [output])


def _has_victim(drawn: DrawnCell, said: dict[str, Any]) -> bool:
    wanted = drawn.victim, drawn.cell.victim, drawn.cell.reason.label
    found = ((one["workload"], one["clusterQueue"], one["reason"]) for one in said.get("preempted") or ())
    return said["decision"] == "Preempt" and wanted in found


if __name__ == "__main__":
    sys.exit(main())

"""The command line."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tenure_lab.programs import Program, ProgramFailure, command_of
from tests.peers.cycles.compare import compared
from tests.peers.cycles.draws import DrawnCycle, all_loops, drawn_cycles, played_cycles

DESCRIPTION = """One scheduling cycle of random clusters, by `tenure next` and by Kueue's own scheduler.

Heads in order, what is decided about each, who is admitted, who preempts whom and why, who is skipped, and
who is found by the next cycle. Ends with 0 if both always do the same, with 1 if they do not, with 2 if the
peer fails as a program."""
BATCH = 100
CHANCES = 300
"""How often Kueue runs a cluster again that it leaves to chance, before that counts as a difference."""


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line's arguments."""
    parser = argparse.ArgumentParser(
        "python -m tests.peers.cycles",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--peer", required=True, help="command line of the peer")
    parser.add_argument("--n", type=int, default=500, help="how many clusters")
    parser.add_argument("--seed", type=int, default=1, help="what they are drawn from")
    parser.add_argument(
        "--plays", action="store_true", help="clusters that random plays have come to, at a random instant"
    )
    parser.add_argument(
        "--loops", action="store_true", help="the cycles of the loops that kueue#14543 leaves, step by step"
    )
    parser.add_argument("--only", type=int, help="one index of the seed")
    parser.add_argument(
        "--repeat", type=int, default=10, help="how often Kueue runs each: it leaves ties to chance"
    )
    parser.add_argument("--show", type=int, default=5, help="how many differences to show")
    parser.add_argument("--record", type=Path, help="write requests and answers to a JSON file")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run a campaign; the exit code."""
    options = arguments(given)
    try:
        with Program(command_of(options.peer)) as peer:
            return _run(options, peer)
    except ProgramFailure as failure:
        print(f"cycles: {failure}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace, peer: Program) -> int:
    count, start = (options.n, 0) if options.only is None else (options.only + 1, options.only)
    draws = played_cycles if options.plays else drawn_cycles
    clusters = all_loops() if options.loops else draws(count, options.seed, start)
    seen, failures, recorded = Counter[str](), 0, []
    while batch := list(islice(clusters, BATCH)):
        answers = peer.ask([_asked(drawn, options.repeat) for drawn in batch])
        for drawn, answer in zip(batch, answers, strict=True):
            found, ours, scanning = compared(drawn, answer)
            if found and not answer.get("output", {}).get("stable", True):
                # An order that is left to chance may not have come yet.
                answer = peer.ask([_asked(drawn, CHANCES)])[0]
                found, ours, scanning = compared(drawn, answer)
            heads = [fate for turns in ours.values() for fate in (*turns.handled, *turns.impossible)]
            seen.update(f"heads: {fate.result}" for fate in heads)
            seen["clusters"] += 1
            seen["clusters with several heads"] += len(heads) > 1
            seen["clusters that Kueue leaves to chance"] += not answer.get("output", {}).get("stable", True)
            seen["heads of theirs that go on with their next flavor"] += scanning
            recorded.append({"index": drawn.index, "answer": answer})
            failures += bool(found)
            if found and failures <= options.show:
                print(f"seed {options.seed} index {drawn.index}:", *found, sep="\n  ", file=sys.stderr)
    if options.record is not None:
        options.record.write_text(json.dumps({"seed": options.seed, "cycles": recorded}) + "\n")
    told = ", ".join(f"{number} {what}" for what, number in sorted(seen.items()))
    what = "loops of kueue#14543" if options.loops else f"seed {options.seed}"
    print(f"cycles: {failures} differences; {told}; {what}, peer {peer.named()[1] or 'unknown'}")
    return 1 if failures else 0


def _asked(drawn: DrawnCycle, repeat: int) -> dict[str, Any]:
    return {"id": drawn.index, "call": "cycle", "input": drawn.request, "repeat": repeat}


if __name__ == "__main__":
    sys.exit(main())

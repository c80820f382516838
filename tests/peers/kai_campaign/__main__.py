"""The command line."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tenure.readings import KaiVersion
from tenure_lab.programs import Program, ProgramFailure, command_of
from tests.peers.kai_campaign.compare import (
    Ask,
    Compared,
    asker,
    compare,
    drawn_bytes,
    peer_parser,
    smallest,
)
from tests.peers.kai_campaign.histogram import Histogram

DESCRIPTION = """Ask Tenure and KAI-Scheduler's MinRuntime plugin about random cases, and compare.

Ends with 0 if both always answer alike, with 1 if they do not, with 2 if the peer fails as a program."""
BATCH = 500


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line's arguments."""
    parser = peer_parser("python -m tests.peers.kai_campaign", DESCRIPTION)
    parser.add_argument("--n", type=int, default=1000, help="how many cases")
    parser.add_argument("--seed", type=int, default=1, help="what they are drawn from")
    parser.add_argument("--only", type=int, help="one index of the seed")
    parser.add_argument("--keep", type=Path, help="JSON lines file to append differences to, made small")
    parser.add_argument("--shrink", type=int, default=5, help="how many differences to make small and show")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run a campaign; the exit code."""
    options = arguments(given)
    try:
        with Program(command_of(options.peer)) as peer:
            return _run(options, asker(peer), peer.named()[1])
    except ProgramFailure as failure:
        print(f"campaign: {failure}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace, ask: Ask, version: str) -> int:
    indices = [options.only] if options.only is not None else range(options.n)
    asked_as = KaiVersion[options.version.upper()]
    histogram, failures, started = Histogram(), list[tuple[int, Compared]](), time.monotonic()
    for start in range(0, len(indices), BATCH):
        batch = indices[start : start + BATCH]
        for index, compared in zip(
            batch, compare([drawn_bytes(options.seed, i) for i in batch], ask, asked_as), strict=True
        ):
            histogram.add(compared)
            if compared.differences():
                failures.append((index, compared))
    for line in histogram.lines():
        print(line)
    seconds = max(time.monotonic() - started, 0.001)
    print(
        f"  {histogram.cases / seconds:.0f} cases a second, seed {options.seed}, peer {version or 'unknown'}"
    )
    for index, found in failures[: options.shrink]:
        _show(options, index, smallest(found, ask, asked_as))
    for index, found in failures[options.shrink :]:
        print(f"seed {options.seed} index {index}: {found.differences()[0]}", file=sys.stderr)
    return 1 if failures else 0


def _show(options: argparse.Namespace, index: int, small: Compared) -> None:
    print(
        f"\nseed {options.seed} index {index}; again: --seed {options.seed} --only {index}", file=sys.stderr
    )
    for line in small.differences():
        print(f"  {line}", file=sys.stderr)
    print(f"  {json.dumps(small.case)}", file=sys.stderr)
    if options.keep is not None:
        kept = {
            "seed": options.seed,
            "index": index,
            "input": small.case,
            "ours": small.ours,
            "theirs": small.theirs,
        }
        with options.keep.open("a", encoding="utf-8") as file:
            file.write(json.dumps(kept) + "\n")


if __name__ == "__main__":
    sys.exit(main())

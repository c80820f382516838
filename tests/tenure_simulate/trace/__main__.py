"""Random plays by the trace engine and by `play`: `python -m tests.tenure_simulate.trace --plays 2000`.

One cohort, each kind of trees, and each kind of priorities that move, in turn.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import Final

from tenure.errors import InputError
from tenure.readings import Reading
from tenure_play import Scenario
from tenure_simulate.core.uncovered import Uncovered
from tests.tenure_simulate.trace.drawn import drawn
from tests.tenure_simulate.trace.drawn_growing import GROWING, drawn_growing
from tests.tenure_simulate.trace.drawn_heroes import HERO_KINDS, drawn_with_heroes
from tests.tenure_simulate.trace.drawn_trees import KINDS, drawn_in_trees
from tests.tenure_simulate.trace.equality import Compared, difference

FLAT: Final = "flat"
"""One cohort of one flavor and resource."""

EVERY: Final = 30
"""Seconds between two lines that say how far it is."""


def _drawn(kind: str, seed: int, most: int) -> tuple[Scenario, Reading]:
    if kind == FLAT:
        return drawn(seed, most)
    if kind in HERO_KINDS:
        return drawn_with_heroes(kind, seed, most)
    return (drawn_growing if kind in GROWING else drawn_in_trees)(kind, seed, most)


def main() -> int:
    """Compare until a play differs; what was compared is printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plays", type=int, default=240, help="how many (default: 240)")
    parser.add_argument("--seed", type=int, default=1, help="of the first; the next ones follow (default: 1)")
    parser.add_argument("--jobs", type=int, default=120, help="of a play at most (default: 120)")
    parser.add_argument(
        "--kinds",
        default=",".join((FLAT, *KINDS, *GROWING, *HERO_KINDS)),
        help="in turn (default: %(default)s)",
    )
    given = parser.parse_args()
    compared, began = Compared(), time.process_time()
    played: Counter[str] = Counter()
    unplayed: Counter[str] = Counter()
    kinds = given.kinds.split(",")
    said = time.monotonic()
    for number in range(given.plays):
        if time.monotonic() - said > EVERY:
            print(f"{number} of {given.plays} plays, 0 differ", file=sys.stderr)
            said = time.monotonic()
        kind, seed = kinds[number % len(kinds)], given.seed + number // len(kinds)
        scenario, reading = _drawn(kind, seed, given.jobs)
        try:
            found = difference(scenario, reading, compared)
        except InputError as error:
            # A play of too many cycles has ended; nothing was compared then.
            unplayed["play cannot hold"] += 1
            print(f"{scenario.title} is left out: {error}", file=sys.stderr)
            continue
        except Uncovered as left:
            unplayed[left.what] += 1
            continue
        if found:
            print(found)
            return 1
        played[kind] += 1
    print(
        f"{compared.plays} plays, {compared.heads} heads, {compared.preemptions} preemptions, 0 differ; "
        f"{compared.stepped} of {compared.plays_stepped} plays with a priority that moved; "
        f"{compared.beside_heroes} of the preemptions by standard ClusterQueues beside heroes; "
        f"of kinds {dict(played)}; left out {dict(unplayed)}; "
        f"results {dict(compared.results)}, reasons {dict(compared.reasons)}; "
        f"{time.process_time() - began:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

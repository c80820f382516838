"""Random plays by the trace engine and by `play`: `python -m tests.traces --plays 2000 --seed 1`."""

from __future__ import annotations

import argparse
import sys
import time

from tenure.errors import InputError
from tests.traces.drawn import drawn
from tests.traces.equality import Compared, difference


def main() -> int:
    """Compare until a play differs; what was compared is printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plays", type=int, default=240, help="how many (default: 240)")
    parser.add_argument("--seed", type=int, default=1, help="of the first; the next ones follow (default: 1)")
    parser.add_argument("--jobs", type=int, default=120, help="of a play at most (default: 120)")
    given = parser.parse_args()
    compared, unplayed, began = Compared(), 0, time.process_time()
    for seed in range(given.seed, given.seed + given.plays):
        scenario, reading = drawn(seed, given.jobs)
        try:
            found = difference(scenario, reading, compared)
        except InputError as error:
            # `play` ends where it would look at too much; nothing was compared then.
            unplayed += 1
            print(f"{scenario.title} is left out: {error}", file=sys.stderr)
            continue
        if found:
            print(found)
            return 1
    print(
        f"{compared.plays} plays, {compared.heads} heads, {compared.preemptions} preemptions, 0 differ; "
        f"{unplayed} that play cannot hold; "
        f"results {dict(compared.results)}, reasons {dict(compared.reasons)}; "
        f"{time.process_time() - began:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

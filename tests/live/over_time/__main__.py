"""The command line."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.live.over_time.draws import CLASSES
from tests.live.over_time.ledger import Ledger
from tests.live.over_time.pulse import Pulse
from tests.live.over_time.story import Story, Tally
from tests.live.plane import Plane, control_plane

AT_ONCE = 40
"""So many clusters are live at the same time."""
FAIR = {"fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}}


def over_time(plane: Plane, numbers: list[int], seed: int, tally: Tally, keep: Path | None = None) -> None:
    """Play clusters, those with even numbers without fair sharing, those with odd numbers with it."""
    for fair in (False, True):
        those = [number for number in numbers if number % 2 == fair]
        if those:
            plane.configure(FAIR if fair else {})
            _play(plane, those, seed, tally, keep, fair=fair)
            for one in CLASSES:
                plane.server.delete(plane.server.path_of(one))


def _play(
    plane: Plane,
    numbers: list[int],
    seed: int,
    tally: Tally,
    keep: Path | None,
    *,
    fair: bool,
    prefix: str = "t",
) -> None:
    plane.apply(CLASSES)
    ledger = Ledger(plane.server)
    pulse = Pulse(plane.server, ledger, f"{prefix}pulse{int(fair)}")
    config_map = plane.get("/api/v1/namespaces/kueue-system/configmaps/kueue-manager-config")
    stories = (
        Story(
            f"{prefix}{seed}x{number}",
            f"{seed} {number}",
            fair,
            plane.server,
            ledger,
            pulse,
            tally,
            config_map,
            keep,
        )
        for number in numbers
    )
    live: dict[str, tuple[Iterator[Callable[[], bool]], Callable[[], bool]]] = {}
    try:
        while True:
            while len(live) < AT_ONCE and (story := next(stories, None)):
                live[story.name] = story.play(), lambda: True
            if not live:
                return
            for name, (playing, ready) in list(live.items()):
                if ready():
                    waits = next(playing, None)
                    if waits is None:
                        del live[name]
                    else:
                        live[name] = playing, waits
            if broken := ledger.broken or pulse.broken:
                raise broken
            time.sleep(0.02)
    finally:
        pulse.stop()
        ledger.stop()


def report(tally: Tally) -> Iterator[str]:
    """Counts and differences, in lines."""
    for one in tally.differences:
        yield f"{one.cluster}: {one.step}: {one.race or 'UNEXPLAINED'}"
        yield from (f"    {line}" for line in one.found)
    yield from (f"noticed: {fault}: {step}" for fault, step in sorted(tally.noticed.items()))
    yield from (f"{number:6} {what}" for what, number in sorted(tally.counts.items()))


def main() -> int:
    """Play clusters; 0 where every difference is explained, else 1."""
    parser = argparse.ArgumentParser("python -m tests.live.over_time", description=__doc__)
    parser.add_argument("--n", type=int, default=200, help="how many clusters")
    parser.add_argument("--seed", type=int, default=1, help="what they are drawn from")
    parser.add_argument("--only", type=int, help="one number of the seed")
    parser.add_argument("--keep", type=Path, help="a folder for the dumps of differences")
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    numbers = list(range(options.n)) if options.only is None else [options.only]
    began, tally = time.monotonic(), Tally()
    try:
        with control_plane() as plane:
            over_time(plane, numbers, options.seed, tally, options.keep)
    finally:
        print("\n".join(report(tally)))
        print(f"seed {options.seed}, {time.monotonic() - began:.0f} s")
    return int(bool(tally.unexplained))


if __name__ == "__main__":
    sys.exit(main())

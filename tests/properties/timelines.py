"""Small timelines by chance, within what the proofs over time assume, and the bounds that they prove.

One ClusterQueue without a cohort, equal sizes and priorities, no ageing, a minAdmitDuration of a minute or
more, a clock that does not jump. Everything else is drawn: places, submissions, work, evictions, restarts.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from tenure.errors import InputError
from tenure.readings import Reading, parse_reading
from tenure_play import parse_scenario, play
from tests.properties.bounds import Given, delay_of, faults
from tests.tenure_play.plays import queue

READINGS: dict[str, dict[str, str]] = {
    "guaranteed": {},
    "as-written": {"preset": "as-written"},
    "released": {"preset": "released"},
    "guaranteed, requeue_order: creation": {"requeue_order": "creation"},
    "guaranteed, wake: events": {"wake": "events"},
}
CYCLES = 600
"""Of one play; whoever needs more swaps for ever."""
MILLISECOND = 10**6


def drawn(seed: int) -> tuple[dict[str, Any], Given]:
    """A scenario, the same for the same seed, and what the bounds need to know of it."""
    dice = Random(seed)
    places, size = dice.randint(1, 3), dice.randint(1, 2)
    duration = _duration(dice)
    preemption = {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "withinClusterQueueConfig": {"minAdmitDuration": _text(duration)},
    }
    rest = dice.randint(0, size - 1)
    strategy = dice.choice(("BestEffortFIFO", "StrictFIFO"))
    cluster_queue = queue("q", places * size + rest, preemption=preemption, queueingStrategy=strategy)
    evictions = [dice.choice((0, 1, 1500, 30_000, dice.randint(0, 40_000))) for _ in range(2)]
    cycle, retry = dice.choice((1, 10, 100)), dice.choice((0, 1000, 1000))
    until = duration * dice.randint(3, 9)
    downs = [dice.choice((0, dice.randint(0, 90_000))) for _ in range(dice.choice((0, 0, 1, 2)))]
    events = [
        *_submissions(dice, size, until, duration, evictions),
        *({"at": _at(dice, until), "restart": {"down": f"{down}ms"}} for down in downs),
        *({"at": _at(dice, until), "tick": True} for _ in range(dice.choice((0, 0, 1, 3)))),
    ]
    raw = {
        "until": _text(until),
        "maxCycles": CYCLES,
        "timing": {"cycle": f"{cycle}ms", "retry": f"{retry}ms"},
        "objects": [{"kind": "ResourceFlavor", "metadata": {"name": "default"}}, cluster_queue],
        "events": events,
    }
    slow = max(evictions) + sum(downs) + retry + 4 * cycle * (len(events) + 1)
    return raw, Given(duration, slow * MILLISECOND)


def _duration(dice: Random) -> int:
    """Of a minute to five; one in five is not in whole seconds."""
    if dice.random() < 0.2:
        return dice.randint(60_000, 300_000) * MILLISECOND
    return dice.choice((60, 61, 90, 120, dice.randint(60, 300))) * 1000 * MILLISECOND


def _submissions(
    dice: Random, size: int, until: int, duration: int, evictions: list[int]
) -> Iterator[dict[str, Any]]:
    """Some together, some within a second, some whenever it may be; names say nothing of their order."""
    count = dice.randint(2, 7)
    names = dice.sample([f"w{number}" for number in range(count)], count)
    at = dice.randrange(0, 3000)
    for name in names:
        at += dice.choice((0, 1, 300, 999, 5000, dice.randrange(duration // MILLISECOND)))
        work = dice.choice((None, None, dice.randint(1, 3 * duration // MILLISECOND)))
        submit: dict[str, Any] = {
            "name": name,
            "priority": 5,
            "requests": {"cpu": size},
            "eviction": f"{dice.choice(evictions)}ms",
            "progress": dice.choice(("kept", "lost")),
            **({} if work is None else {"work": f"{work}ms"}),
        }
        if at * MILLISECOND < until:
            yield {"at": f"{at}ms", "submit": submit}


def _at(dice: Random, until: int) -> str:
    return f"{dice.randrange(until)}ns"


def _text(duration: int) -> str:
    return f"{duration // MILLISECOND}ms"


def broken(seed: int, reading: Reading) -> tuple[list[str], int]:
    """The bounds that a timeline breaks under a reading, and the longest delay in it, ns."""
    raw, given = drawn(seed)
    try:
        record = play(parse_scenario(raw), reading)
    except InputError:
        return ["swapping for ever"], 0
    return list(faults(record, given)), delay_of(record, given)


def reading_of(name: str) -> Reading:
    """One of READINGS."""
    return parse_reading({"preset": "guaranteed", **READINGS[name]})


def campaign(seeds: Iterable[int], name: str) -> tuple[Counter[str], int]:
    """How many timelines break which bound under a reading; those that must not are printed."""
    found: Counter[str] = Counter()
    longest, reading = 0, reading_of(name)
    for seed in seeds:
        problems, delay = broken(seed, reading)
        longest = max(longest, delay)
        found.update({problem.split(":")[0] for problem in problems})
        if name == "guaranteed" and any(not problem.startswith("(") for problem in problems):
            print(f"seed {seed}: {'; '.join(problems)}", file=sys.stderr)
    return found, longest


def main() -> int:
    """Play many: `python -m tests.properties.timelines --n 10000 --seed 1`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reading", choices=sorted(READINGS), action="append")
    asked = parser.parse_args()
    wrong = 0
    for name in asked.reading or READINGS:
        found, longest = campaign(range(asked.seed, asked.seed + asked.n), name)
        print(f"{name}: {asked.n} timelines, the longest delay {longest / 10**9}s")
        for problem, count in sorted(found.items()):
            print(f"  {count} {problem}")
        wrong += name == "guaranteed" and any(not problem.startswith("(") for problem in found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

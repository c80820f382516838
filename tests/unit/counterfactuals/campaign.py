"""Random situations and their counterfactuals: `python -m tests.unit.counterfactuals.campaign 2000 1`."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from tenure.conformance.requests import read_decide_request
from tenure.explanation.counterfactuals import Flip, Situation, answer_of, apply, search_flips
from tenure.explanation.counterfactuals.situation import Measured
from tenure_lab.generators.strategies import examples

ALL = 1_000
"""More flips than one search finds."""


@dataclass
class Tally:
    """What a campaign saw."""

    situations: int = 0
    with_flips: int = 0
    tried: int = 0
    incomplete: int = 0
    flips: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    slowest_s: float = 0.0


def situation_of(scenario: dict[str, object]) -> Situation:
    """The situation of a drawn scenario."""
    read = read_decide_request(scenario)
    return Situation(read.cluster, read.preemptor, read.queue, read.now, read.reading)


def target_of(situation: Situation, number: int) -> str | None:
    """What to ask about: the pending workload, a victim, any running one; by turns."""
    decision = situation.decided()
    if number % 3 == 0 or not decision.running:
        return None
    if number % 3 == 1 and decision.targets:
        return decision.targets[number % len(decision.targets)].workload.key
    return decision.running[number % len(decision.running)].key


def problems(situation: Situation, target: str | None, flip: Flip) -> list[str]:
    """What is wrong with a flip: the changed input is decided again, and the input one unit nearer too."""
    found = []
    answer = answer_of(situation.decided(), target)
    altered = apply(flip, situation)
    if answer != flip.before or answer_of(altered.decided(), target) != flip.after or answer == flip.after:
        found.append(f"the answer does not change as said: {flip.sentence}")
    if flip.knob.read(altered) != flip.new or flip.knob.write(altered, flip.old) != flip.knob.write(
        situation, flip.old
    ):
        found.append(f"more than the field is changed: {flip.sentence}")
    if flip.boundary is not None:
        at_boundary = flip.knob.write(situation, flip.boundary)
        if answer_of(at_boundary.decided(), target) != answer:
            found.append(f"the boundary itself changes the answer: {flip.sentence}")
    if isinstance(flip.knob, Measured) and flip.new is not None:
        start = flip.knob.range(situation.decided()).start
        nearer = flip.new + (1 if start > flip.new else -1)
        if nearer != start and answer_of(flip.knob.write(situation, nearer).decided(), target) != answer:
            found.append(f"one unit less changes the answer too: {flip.sentence}")
    return found


def run(count: int, seed: int) -> Tally:
    """Search and check the flips of so many random situations."""
    tally = Tally()
    for number, scenario in enumerate(examples(count, seed)):
        situation = situation_of(scenario)
        target = target_of(situation, number)
        began = time.monotonic()
        search = search_flips(situation, target, limit=ALL)
        tally.slowest_s = max(tally.slowest_s, time.monotonic() - began)
        tally.situations += 1
        tally.with_flips += bool(search.flips)
        tally.tried += search.tried
        tally.incomplete += not search.complete
        for flip in search.flips:
            tally.flips[f"{type(flip.knob).__name__}: {flip.before} to {flip.after}"] += 1
            tally.broken += (f"{number}: {problem}" for problem in problems(situation, target, flip))
    return tally


def main() -> int:
    """Print the figures; exit code 1 when a flip does not hold."""
    count, seed = (int(name) for name in sys.argv[1:3])
    began = time.monotonic()
    tally = run(count, seed)
    print(f"{tally.situations} situations, {tally.with_flips} with a flip, {tally.tried} decisions")
    print(f"{tally.incomplete} searches stopped by the budget; the slowest took {tally.slowest_s:.1f} s")
    took = time.monotonic() - began
    print(f"{sum(tally.flips.values())} flips, {len(tally.broken)} do not hold, {took:.0f} s")
    for name, number in sorted(tally.flips.items()):
        print(f"  {number:6} {name}")
    for broken in tally.broken:
        print(broken)
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main())

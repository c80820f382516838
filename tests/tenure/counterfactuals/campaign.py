"""Random situations and their counterfactuals: `python -m tests.tenure.counterfactuals.campaign 2000 1`."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from tenure.conformance.requests import read_decide_request
from tenure.explanation.counterfactuals import (
    Counterfactual,
    Situation,
    answer_of,
    apply,
    search_counterfactuals,
)
from tenure.explanation.counterfactuals.situation import Measured
from tenure_lab.generators.strategies import examples

ALL = 1_000
"""More counterfactuals than one search finds."""


@dataclass
class Tally:
    """What a campaign saw."""

    situations: int = 0
    with_flips: int = 0
    tried: int = 0
    incomplete: int = 0
    counterfactuals: Counter[str] = field(default_factory=Counter)
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


def problems(situation: Situation, target: str | None, change: Counterfactual) -> list[str]:
    """What is wrong with a change: the changed input is decided again, and the input one unit nearer too."""
    found = []
    answer = answer_of(situation.decided(), target)
    altered = apply(change, situation)
    if (
        answer != change.before
        or answer_of(altered.decided(), target) != change.after
        or answer == change.after
    ):
        found.append(f"the answer does not change as said: {change.sentence}")
    if change.knob.read(altered) != change.new or change.knob.write(altered, change.old) != change.knob.write(
        situation, change.old
    ):
        found.append(f"more than the field is changed: {change.sentence}")
    if change.boundary is not None:
        at_boundary = change.knob.write(situation, change.boundary)
        if answer_of(at_boundary.decided(), target) != answer:
            found.append(f"the boundary itself changes the answer: {change.sentence}")
    if isinstance(change.knob, Measured) and change.new is not None:
        start = change.knob.range(situation.decided()).start
        nearer = change.new + (1 if start > change.new else -1)
        if nearer != start and answer_of(change.knob.write(situation, nearer).decided(), target) != answer:
            found.append(f"one unit less changes the answer too: {change.sentence}")
    return found


def run(count: int, seed: int) -> Tally:
    """Search and check the counterfactuals of so many random situations."""
    tally = Tally()
    for number, scenario in enumerate(examples(count, seed)):
        situation = situation_of(scenario)
        target = target_of(situation, number)
        began = time.monotonic()
        search = search_counterfactuals(situation, target, limit=ALL)
        tally.slowest_s = max(tally.slowest_s, time.monotonic() - began)
        tally.situations += 1
        tally.with_flips += bool(search.counterfactuals)
        tally.tried += search.tried
        tally.incomplete += not search.complete
        for change in search.counterfactuals:
            tally.counterfactuals[f"{type(change.knob).__name__}: {change.before} to {change.after}"] += 1
            tally.broken += (f"{number}: {problem}" for problem in problems(situation, target, change))
    return tally


def main() -> int:
    """Print the figures; exit code 1 when a change does not hold."""
    count, seed = (int(name) for name in sys.argv[1:3])
    began = time.monotonic()
    tally = run(count, seed)
    print(f"{tally.situations} situations, {tally.with_flips} with a change, {tally.tried} decisions")
    print(f"{tally.incomplete} searches stopped by the budget; the slowest took {tally.slowest_s:.1f} s")
    took = time.monotonic() - began
    print(
        f"{sum(tally.counterfactuals.values())} counterfactuals, {len(tally.broken)} do not hold, "
        f"{took:.0f} s"
    )
    for name, number in sorted(tally.counterfactuals.items()):
        print(f"  {number:6} {name}")
    for broken in tally.broken:
        print(broken)
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main())

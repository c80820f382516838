"""What a program was asked, and how far it answers as the reference does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tenure.lab.conform.compare import Compared
from tenure.lab.conform.histogram import Histogram
from tenure.lab.conform.verdicts import FAILURES

DRAWN: Final = "seed "
"""How the case of a random scenario begins."""


@dataclass(frozen=True, slots=True)
class Count:
    """How often something came of it."""

    what: str
    """What came of it, such as `agree` or `signed divergence DV-050`."""
    count: int
    """How often."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A request that the program answers otherwise, and no signed divergence predicts."""

    case: str
    """The vector's identifier, or the seed and the index of the random scenario."""
    about: str
    """Why the vector exists, or the options that draw the scenario again."""
    verdict: str
    """What came of it."""
    lines: tuple[str, ...]
    """Both answers and the scenario, for a person to read; a random one is made small."""
    request: str
    """The request as JSON, to ask again."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What came of the random scenarios, and what they exercised."""

    seed: int
    """What they were drawn from."""
    scenarios: int
    """How many."""
    verdicts: tuple[Count, ...]
    """What came of them."""
    decisions: tuple[Count, ...]
    """The program's."""
    victims: tuple[Count, ...]
    """Its Preempt decisions by number of victims."""
    reasons: tuple[Count, ...]
    """Its scenarios with a victim for this reason."""
    traits: tuple[Count, ...]
    """What else there is about them."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """How far a program answers as the reference does."""

    program: str
    """Its command line."""
    name: str
    """What it calls itself, with its version; empty when it does not say."""
    mode: str
    """How much of a decision has to be alike."""
    reading: str
    """The preset that decided; empty for each vector's own and the default for random scenarios."""
    conforms: bool
    """Whether every answer is the reference's, or what a signed divergence predicts, and one agrees."""
    vectors: tuple[Count, ...]
    """What came of the vectors."""
    drawn: Drawn | None
    """What came of the random scenarios; None where none were asked."""
    disagreements: tuple[Disagreement, ...]
    """The first ones."""


def counts(counted: Counter[str]) -> tuple[Count, ...]:
    """Counts, the largest first.

    >>> [each.what for each in counts(Counter({"agree": 3, "unexplained": 9}))]
    ['unexplained', 'agree']
    """
    ordered = sorted(counted.items(), key=lambda each: (-each[1], each[0]))
    return tuple(Count(what, count) for what, count in ordered)


def is_failure(compared: Compared) -> bool:
    """Whether what came of it is neither agreement nor signed."""
    return compared.verdict.kind in FAILURES


def disagreement(case: str, about: str, compared: Compared, lines: Iterator[str]) -> Disagreement:
    """A failure as it is told, in these lines."""
    request = {"id": case, "call": compared.call, "input": compared.scenario}
    text = json.dumps(request, separators=(",", ":"), ensure_ascii=False)
    return Disagreement(case, about, str(compared.verdict), tuple(lines), text)


def conform_lines(conformance: Conformance) -> Iterator[str]:
    """What the command prints for a person."""
    for each in conformance.disagreements:
        yield f"FAIL {each.case}: {each.about}"
        yield from (f"     {line}" for line in each.lines)
    if conformance.vectors:
        yield f"{sum(each.count for each in conformance.vectors)} vectors"
        yield from _table("verdict", conformance.vectors)
    if conformance.drawn is not None:
        yield from _drawn_lines(conformance.drawn)
    if not conformance.conforms and not _failed(conformance):
        yield "nothing differs, and nothing agrees: the program models none of what was asked"
    yield closing_line(conformance)


def _failed(conformance: Conformance) -> bool:
    drawn = conformance.drawn.verdicts if conformance.drawn is not None else ()
    # A verdict's text begins with its kind.
    return any(each.what.startswith(FAILURES) for each in (*conformance.vectors, *drawn))


def closing_line(conformance: Conformance) -> str:
    """What it comes to."""
    who = conformance.name or conformance.program
    verdict = "conforms" if conformance.conforms else "does not conform"
    under = f", reading {conformance.reading}" if conformance.reading else ""
    return f"conform: {who} {verdict} (mode {conformance.mode}{under})"


def drawn_of(histogram: Histogram, seed: int) -> Drawn:
    """What a histogram has counted, of scenarios drawn from a seed."""
    return Drawn(
        seed=seed,
        scenarios=histogram.scenarios,
        verdicts=counts(histogram.verdicts),
        decisions=counts(histogram.decisions),
        victims=tuple(
            Count("3 or more" if n == 3 else str(n), c) for n, c in sorted(histogram.victims.items())
        ),
        reasons=counts(histogram.reasons),
        traits=counts(histogram.traits),
    )


def _drawn_lines(drawn: Drawn) -> Iterator[str]:
    yield f"{drawn.scenarios} random scenarios, seed {drawn.seed}"
    preempting = sum(each.count for each in drawn.victims)
    yield from _table("verdict", drawn.verdicts)
    yield from _table("decision", drawn.decisions, drawn.scenarios)
    yield from _table("victims per Preempt", drawn.victims, preempting)
    yield from _table("reason, of the scenarios", drawn.reasons, drawn.scenarios)
    yield from _table("trait", drawn.traits, drawn.scenarios)


def _table(title: str, counted: tuple[Count, ...], total: int = 0) -> Iterator[str]:
    whole = total or max(1, sum(each.count for each in counted))
    if counted:
        yield f"  {title}"
    for each in counted:
        yield f"    {100 * each.count / whole:6.2f} %  {each.count:7}  {each.what}"

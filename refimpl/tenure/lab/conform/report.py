"""What a program was asked, and how far it answers as the reference does."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tenure.lab.conform.compare import Compared
from tenure.lab.conform.histogram import Histogram
from tenure.lab.conform.verdicts import FAILURES
from tenure.telling.answers.written import schema_of, write_schema, written

TITLE: Final = "tenure conform -o json"
DRAWN: Final = "seed "
"""How the case of a random scenario begins."""


@dataclass(frozen=True, slots=True)
class Count:
    """How often something came of it.

    Args:
        what: what came of it, such as `agree` or `signed divergence DV-050`.
        count: how often.
    """

    what: str
    count: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A request that the program answers otherwise, and no signed divergence predicts.

    Args:
        case: the vector's identifier, or the seed and the index of the random scenario.
        about: why the vector exists, or the options that draw the scenario again.
        verdict: what came of it.
        lines: both answers and the scenario, for a person to read; a random one is made small.
        request: the request as JSON, to ask again.
    """

    case: str
    about: str
    verdict: str
    lines: tuple[str, ...]
    request: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """What came of the random scenarios, and what they exercised.

    Args:
        seed: what they were drawn from.
        scenarios: how many.
        verdicts: what came of them.
        decisions: the program's.
        victims: its Preempt decisions by number of victims.
        reasons: its scenarios with a victim for this reason.
        traits: what else there is about them.
    """

    seed: int
    scenarios: int
    verdicts: tuple[Count, ...]
    decisions: tuple[Count, ...]
    victims: tuple[Count, ...]
    reasons: tuple[Count, ...]
    traits: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Conformance:
    """How far a program answers as the reference does.

    Args:
        program: its command line.
        name: what it calls itself, with its version; empty when it does not say.
        mode: how much of a decision has to be alike.
        reading: the preset that decided; empty for each vector's own and the default for random scenarios.
        conforms: whether every answer is the reference's, or what a signed divergence predicts, and one
            agrees.
        vectors: what came of the vectors.
        drawn: what came of the random scenarios; None where none were asked.
        disagreements: the first ones.
    """

    program: str
    name: str
    mode: str
    reading: str
    conforms: bool
    vectors: tuple[Count, ...]
    drawn: Drawn | None
    disagreements: tuple[Disagreement, ...]


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


def conform_schema() -> dict[str, Any]:
    """The JSON Schema of what `tenure conform -o json` prints.

    >>> conform_schema()["title"]
    'tenure conform -o json'
    """
    return schema_of(Conformance, TITLE)


def conform_answer(conformance: Conformance) -> dict[str, Any]:
    """What `tenure conform -o json` prints."""
    answer: dict[str, Any] = written(conformance)
    return answer


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


if __name__ == "__main__":
    write_schema(Path(sys.argv[1]), "conform", conform_schema())

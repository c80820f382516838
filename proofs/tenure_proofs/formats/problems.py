"""What is not as expected in a report, each with the place in the sources that it is about."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tenure.reports import FileLine
from tenure.rules.registry import all_rules, get_rule
from tenure_proofs.bounded.outcome import Judged
from tenure_proofs.bounded.written import problem_of
from tenure_proofs.mutants.hunt import UNNAMED, mutated
from tenure_proofs.obligations import claim_text
from tenure_proofs.report import NO_VERDICT, Report, statement_of
from tenure_proofs.runner import Result
from tenure_proofs.theorems.outcome import End


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not as expected.

    Args:
        id: of the obligation, rule or mutant.
        kind: `obligation`, `lifting`, `mutant`, `theorem`, `postcondition` or `unnamed`.
        title: in a few words.
        text: what was found and expected.
        places: the sources that it is about, the most telling first.
        undecided: whether there is only no verdict.
    """

    id: str
    kind: str
    title: str
    text: str
    places: tuple[FileLine, ...]
    undecided: bool = False


def faults(report: Report) -> Iterator[Fault]:
    """Everything that is not as expected, in the order of the report."""
    by_name = {entry.function.__name__: entry.function for entry in all_rules()}
    by_name |= {function.__name__: function for function in UNNAMED.values()}
    for lifted in report.lifted:
        if lifted.problem:
            places = (place_of(by_name[lifted.function]),)
            title = f"{lifted.function} is read differently"
            yield Fault(lifted.function, "lifting", title, lifted.problem, places, lifted.undecided)
    yield from (_of_result(result) for result in report.results if not result.as_expected)
    for mutant in report.mutants:
        if mutant.outcome == "survived":
            places = (_place_of_rule(mutant.rule),)
            text = f"{mutant.before} -> {mutant.after}: no obligation tells them apart"
            yield Fault(mutant.id, "mutant", f"a wrong {mutant.rule} is not noticed", text, places)
    yield from (_of_end(end) for end in report.theorems if not end.as_expected)
    yield from (_of_judged(judged) for judged in report.judged if not judged.as_expected)
    for rule in report.unnamed:
        text = f"no obligation names it: {statement_of(rule)}"
        yield Fault(rule, "unnamed", f"{rule} has no obligation", text, (_place_of_rule(rule),))


def _of_result(result: Result) -> Fault:
    obligation = result.obligation
    known = {entry.id for entry in all_rules()}
    rules = tuple(_place_of_rule(rule) for rule in obligation.rules if rule in known)
    undecided = result.verdict in NO_VERDICT or result.verdict == result.expected
    return Fault(
        obligation.id,
        "obligation",
        claim_text(obligation),
        f"under {result.reading} expected {result.expected}, is {result.verdict}"
        f"{': ' + result.detail if result.detail else ''}",
        (*rules, place_of(obligation.statement)),
        undecided and all(beside.as_expected or beside.verdict in NO_VERDICT for beside in result.beside),
    )


def _of_end(end: End) -> Fault:
    theorem = end.theorem
    places = tuple(place_of(function) for function in (*theorem.about, theorem.statement))
    return Fault(theorem.id, "theorem", theorem.words, end.detail, places, end.verdict in NO_VERDICT)


def _of_judged(judged: Judged) -> Fault:
    postcondition = judged.postcondition
    places = (place_of(postcondition.claim),)
    text, undecided = " ".join(problem_of(judged)), judged.verdict in NO_VERDICT
    return Fault(postcondition.id, "postcondition", postcondition.words, text, places, undecided)


def _place_of_rule(rule: str) -> FileLine:
    found = mutated()
    return place_of(found[rule] if rule in found else get_rule(rule).function)


def place_of(function: Callable[..., Any]) -> FileLine:
    """Where a function is: below the current folder if it is there, else below the package's folder.

    >>> from tenure.rules.quota import fits_quota
    >>> place_of(fits_quota).file.endswith("tenure/rules/quota.py")
    True
    """
    file = Path(inspect.getsourcefile(inspect.unwrap(function)) or "").resolve()
    package = function.__module__.partition(".")[0]
    above = file.parents[len(function.__module__.split(".")) - 1]
    below = Path.cwd() if file.is_relative_to(Path.cwd()) else above
    assert (above / package).is_dir()
    return FileLine(file.relative_to(below).as_posix(), inspect.getsourcelines(function)[1])

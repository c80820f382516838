"""Bad input as a report: it has no answer, and is told all the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from tenure.errors import InputError, Problem
from tenure.reports.report import Case, Place, Report, RuleText, Suite, Trouble

_LINE: Final = re.compile(r"\bline (\d+)")
STANDARD_INPUT: Final = "stdin"

Locate: TypeAlias = Callable[[str, str, str], int]
"""From a file, an object and a field to a line; 0 where that is not known."""


def nowhere(file: str, name: str, field: str) -> int:
    """No line at all."""
    del file, name, field
    return 0


def report_of_problems(tool: str, error: InputError, locate: Locate = nowhere) -> Report:
    """The report of a command that could not answer.

    Args:
        tool: the command.
        error: why.
        locate: finds lines of the files.

    >>> error = InputError([Problem("spec", "1", "a map", "Cohort/a", "a.yaml")])
    >>> report_of_problems("tenure decide", error).troubles[0].text
    'found 1, expected a map'
    """
    cases = tuple(
        Case("input", _title(each), error=f"found {each.found}, expected {each.expected}")
        for each in error.problems
    )
    return Report(
        tool,
        (Suite("input", cases),),
        tuple(trouble_of(each, locate) for each in error.problems),
        rules_of(error.problems),
        closing=f"{len(cases)} problem{'' if len(cases) == 1 else 's'} in the input",
        finished=False,
    )


_WORDS: Final = {
    "bad-input": "The input cannot be read or understood.",
    "not-modelled": "The input needs what is not modelled.",
    "unknown-call": "There is no such call.",
    "bad-json": "The input is no JSON.",
    "internal": "A fault of Tenure.",
}


def rules_of(problems: Iterable[Problem]) -> tuple[RuleText, ...]:
    """The kinds of trouble that some problems are.

    >>> rules_of([Problem("spec", "1", "a map")])[0].id
    'bad-input'
    """
    return tuple(RuleText(code, _WORDS[code]) for code in dict.fromkeys(str(each.code) for each in problems))


def trouble_of(problem: Problem, locate: Locate = nowhere) -> Trouble:
    """A problem as a trouble, at its file and line."""
    text = f"found {problem.found}, expected {problem.expected}"
    return Trouble(str(problem.code), _title(problem), text, _places(problem, locate))


def place_in(file: str, line: int) -> tuple[Place, ...]:
    """The place in a file; none where the input came from no file."""
    return (Place(file, line),) if file and file != STANDARD_INPUT else ()


def _title(problem: Problem) -> str:
    return ": ".join(part for part in (problem.object, problem.field) if part) or problem.file or "input"


def _places(problem: Problem, locate: Locate) -> tuple[Place, ...]:
    said = _LINE.search(problem.found)
    line = int(said[1]) if said else locate(problem.file, problem.object, problem.field)
    return place_in(problem.file, line)

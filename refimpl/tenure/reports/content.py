"""The content of the reports of all commands, in any form; bad input included."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, TypeAlias

from tenure.errors import InputError, Problem


class Severity(StrEnum):
    """How bad something is, as SARIF and GitHub both call it."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line of a file.

    Args:
        file: as the user named it, or below the current folder.
        line: from 1; 0 where only the file is known.
    """

    file: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that is not as it should be.

    Args:
        rule: what kind of thing, one of the report's rules.
        title: which one, in a few words.
        text: what was found and expected.
        places: where, the most telling first; empty where no file is concerned.
        level: how bad it is.
        is_sentence: whether `text` is a sentence that needs no title before it.
    """

    rule: str
    title: str
    text: str
    places: tuple[FileLine, ...] = ()
    level: Severity = Severity.ERROR
    is_sentence: bool = False

    @property
    def line(self) -> str:
        """What is wrong, in a line.

        >>> Trouble("x", "Cohort/a: spec", "found 1, expected a map").line
        'Cohort/a: spec: found 1, expected a map'
        """
        return self.text if self.is_sentence or not self.title else f"{self.title}: {self.text}"


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was looked at.

    Args:
        group: what it belongs to.
        name: what it is.
        failure: what is wrong, in a line; empty where nothing is.
        error: why there is no verdict; empty where there is one.
        details: the lines behind a failure or an error.
        output: further output.
        seconds: how long it took; None where that was not measured.
    """

    group: str
    name: str
    failure: str = ""
    error: str = ""
    details: str = ""
    output: str = ""
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases that belong together.

    Args:
        name: what they are.
        cases: all cases, or those that are listed.
        tests, failures: how many there are if not all are listed; None counts the cases.
    """

    name: str
    cases: tuple[Case, ...]
    tests: int | None = None
    failures: int | None = None


@dataclass(frozen=True, slots=True)
class RuleText:
    """A kind of trouble, for a list of rules.

    Args:
        id: its identifier.
        short: in a sentence.
        full: at length; empty for no more than `short`.
    """

    id: str
    short: str
    full: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What one run of a command found.

    Args:
        tool: the command, such as `tenure validate`.
        suites: everything that was looked at.
        troubles: everything that is not as it should be.
        rules: the kinds of trouble that there may be.
        closing: what it comes to, in a line.
        overview: lines of a picture of it all, for a summary.
        finished: whether nothing was left undecided.
        properties: what else there is to say for programs.
        seconds: how long it took; None where that was not measured.

    >>> Report("tenure validate", closing="0 errors").troubles
    ()
    """

    tool: str
    suites: tuple[Suite, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    rules: tuple[RuleText, ...] = ()
    closing: str = ""
    overview: tuple[str, ...] = ()
    finished: bool = True
    properties: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None


NO_FILES: Final = ("stdin", "cluster", "rendered")
"""Names of inputs without a file in problems: standard input, a cluster, and what a renderer printed."""

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
        Case("input", _title(problem), error=f"found {problem.found}, expected {problem.expected}")
        for problem in error.problems
    )
    return Report(
        tool,
        (Suite("input", cases),),
        tuple(trouble_of(problem, locate) for problem in error.problems),
        rules_of(error.problems),
        closing=f"{len(cases)} problem{'' if len(cases) == 1 else 's'} in the input",
        finished=False,
    )


_WORDS: Final = {
    "bad-input": "The input cannot be read or understood.",
    "not-modelled": "The input needs a feature that Tenure does not model.",
    "unknown-call": "The call does not exist.",
    "bad-json": "The input is not JSON.",
    "internal": "Tenure itself failed.",
}


def rules_of(problems: Iterable[Problem]) -> tuple[RuleText, ...]:
    """The kinds of trouble that some problems are.

    >>> rules_of([Problem("spec", "1", "a map")])[0].id
    'bad-input'
    """
    return tuple(
        RuleText(code, _WORDS[code]) for code in dict.fromkeys(str(problem.code) for problem in problems)
    )


def trouble_of(problem: Problem, locate: Locate = nowhere) -> Trouble:
    """A problem as a trouble, at its file and line."""
    text = f"found {problem.found}, expected {problem.expected}"
    line = problem.line or locate(problem.file, problem.object, problem.field)
    return Trouble(str(problem.code), _title(problem), text, place_in(problem.file, line))


def place_in(file: str, line: int) -> tuple[FileLine, ...]:
    """The place in a file; none where the input came from no file."""
    return (FileLine(file, line),) if file and file not in NO_FILES else ()


def _title(problem: Problem) -> str:
    return ": ".join(part for part in (problem.object, problem.field) if part) or problem.file or "input"

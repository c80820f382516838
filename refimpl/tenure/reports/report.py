"""What every command says in a report, whatever the form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """How bad something is, as SARIF and GitHub both call it."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Place:
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
    """

    rule: str
    title: str
    text: str
    places: tuple[Place, ...] = ()
    level: Level = Level.ERROR


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was looked at.

    Args:
        group: what it belongs to.
        name: what it is.
        failure: what is wrong, in a line; empty where nothing is.
        error: why there is no verdict; empty where there is one.
        details: the lines behind a failure or an error.
        said: what there is to say all the same.
        seconds: how long it took; None where that was not measured.
    """

    group: str
    name: str
    failure: str = ""
    error: str = ""
    details: str = ""
    said: str = ""
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases that belong together.

    Args:
        name: what they are.
        cases: all of them, or those that are told.
        tests, failures: how many there are, where not every one is told; None counts the cases.
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
    finished: bool = True
    properties: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None

"""A line of the oracle's answers. JSON has the same fields with camelCase names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tenure.as_json import KueueRelease
from tenure.conformance.answer_types import AccessibleOutput, Code, DecideOutput, InputProblem
from tenure.conformance.min_runtime_types import MinRuntimeOutput
from tenure.validation.answer_types import ValidateOutput


@dataclass(frozen=True, slots=True)
class PriorityOutput:
    """What a WorkloadPriorityClass comes to."""

    priority: int
    """At the clock of the request."""


@dataclass(frozen=True, slots=True)
class VersionOutput:
    """Who answers."""

    tenure: str
    """The release of Tenure."""
    protocol: str
    """The version of requests and answers, as in `protocol` of a request."""
    kueue: KueueRelease
    """The Kueue that decides as Tenure does, with all that the proposals add."""
    kai: str
    """The KAI-Scheduler that `minruntime` answers as: its revision as Go writes it."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why there is no answer: the line could not be read, or a fault of Tenure."""

    code: Code
    """What kind of error this is."""
    message: str
    """In words."""
    field: str
    """Path of the field, relative to input; empty where none is meant."""


@dataclass(frozen=True, slots=True)
class Refused(Unreadable):
    """Why there is no answer: something is wrong with the request."""

    problems: tuple[InputProblem, ...]
    """Every problem; the code and the field above are the first one's."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer."""

    id: Any
    """The request's; null where it has none."""
    output: (
        DecideOutput | AccessibleOutput | ValidateOutput | PriorityOutput | MinRuntimeOutput | VersionOutput
    )
    """What the call answers."""


@dataclass(frozen=True, slots=True)
class Failed:
    """An error."""

    id: Any
    """The request's; null where it has none, or could not be read."""
    error: Unreadable | Refused
    """What is wrong."""


Answer = Answered | Failed
"""One line of standard output."""

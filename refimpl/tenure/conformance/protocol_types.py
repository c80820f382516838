"""A line of the oracle's answers. JSON has the same fields with camelCase names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tenure.as_json import KueueRelease
from tenure.conformance.answer_types import AccessibleOutput, Code, DecideOutput, InputProblem
from tenure.validation.answer_types import ValidateOutput

MethodName = Literal["lca", "queue"]
"""Whose minimum runtime counts in a reclaim, as the plugin's argument names it."""


@dataclass(frozen=True, slots=True)
class ConfigOutput:
    """The plugin's arguments as it takes them."""

    default_preempt_min_runtime_ns: int
    """Where no queue sets one."""
    default_reclaim_min_runtime_ns: int
    """Where no queue sets one."""
    reclaim_resolve_method: MethodName
    """Whose value counts in a reclaim."""
    rejected: tuple[str, ...]
    """The arguments that are replaced."""


@dataclass(frozen=True, slots=True)
class QueueFieldOutput:
    """Both fields of a queue decode."""

    accepted: Literal[True]
    """Always true."""
    preempt_min_runtime_ns: int | None
    """Null where it is not set."""
    reclaim_min_runtime_ns: int | None
    """Null where it is not set."""


@dataclass(frozen=True, slots=True)
class QueueFieldRefused:
    """A field of a queue does not decode."""

    accepted: Literal[False]
    """Always false."""


@dataclass(frozen=True, slots=True)
class ResolveOutput:
    """The minimum runtime that counts."""

    error: bool
    """Whether a queue that is needed is missing."""
    min_runtime_ns: int
    """How long it protects."""


@dataclass(frozen=True, slots=True)
class PathOutput:
    """Where a queue is."""

    path: tuple[str, ...]
    """The queue and those above it, the top first."""


@dataclass(frozen=True, slots=True)
class FilterOutput:
    """Whether a job may be considered as a victim."""

    elastic: bool
    """Whether it may lose pods."""
    filter: bool
    """Whether it may."""
    min_runtime_ns: int
    """How long its minimum runtime is."""
    protected: bool
    """Whether its minimum runtime has not passed."""


@dataclass(frozen=True, slots=True)
class ValidatorOutput:
    """Whether a scenario is accepted."""

    validator: bool
    """Whether it may."""


@dataclass(frozen=True, slots=True)
class DelayOutput:
    """Whether a pending job waits with evictions, alone or within a session."""

    delayed: bool
    """Whether it evicts no workload yet."""
    until: str | None
    """The end of its preemption delay, RFC 3339; null without one."""


@dataclass(frozen=True, slots=True)
class FilterStep:
    """Whether a job may be considered as a victim, within a session."""

    elastic: bool
    """Whether it may lose pods; the filter lets such a job pass without asking how long it ran."""
    filter: bool
    """Whether it may."""


@dataclass(frozen=True, slots=True)
class ProtectedStep:
    """Whether a job is protected, within a session."""

    protected: bool
    """Whether it is."""


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """A step that changes something."""


Step = FilterStep | ProtectedStep | DelayOutput | ValidatorOutput | ResolveOutput | PathOutput | ChangeStep
"""What a step of a session answers."""


@dataclass(frozen=True, slots=True)
class SequenceOutput:
    """What one session answers."""

    steps: tuple[Step, ...]
    """One result for each step."""


MinRuntimeOutput = (
    ConfigOutput
    | QueueFieldOutput
    | QueueFieldRefused
    | ResolveOutput
    | PathOutput
    | FilterOutput
    | ValidatorOutput
    | DelayOutput
    | SequenceOutput
)


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

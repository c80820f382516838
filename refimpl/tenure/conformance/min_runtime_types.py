"""What the call `minruntime` answers. JSON has the same fields with camelCase names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


Step = FilterStep | ProtectedStep | ValidatorOutput | ResolveOutput | PathOutput | ChangeStep
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
    | SequenceOutput
)

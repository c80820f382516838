"""The shape of the oracle's answers, of which the published schema is made; `rendering` makes the answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import WithJsonSchema

from tenure.as_json import Shape
from tenure.conformance.request_shapes import CHOICE, PRESET
from tenure.errors import ErrorCode
from tenure.model import Outcome, Reason
from tenure.oracle.effects import PREEMPTED_METRIC
from tenure.validation.faults import ErrorType, Source, WarningType

ReasonWord = Annotated[str, WithJsonSchema({"enum": [reason.label for reason in Reason]})]
"""A reason as the API writes it."""

Decided = Annotated[str, WithJsonSchema({"enum": [str(outcome) for outcome in Outcome]})]
"""The outcome of a decision."""

ReadingWritten = Annotated[
    str | dict[str, str],
    WithJsonSchema(
        {
            "anyOf": [
                PRESET,
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": list(CHOICE),
                    "properties": CHOICE,
                },
            ]
        }
    ),
]
"""A preset's name, or every choice."""


class Preempted(Shape):
    """A running workload that is preempted."""

    workload: str
    """Who, as namespace/name."""
    cluster_queue: str
    """Whose quota it holds."""
    reason: ReasonWord
    """Of the Preempted condition."""
    rules: list[str]
    """The rules that allow it, from the outermost in."""


class Condition(Shape):
    """A condition that becomes True."""

    type: Literal["Evicted", "Preempted"]
    """Which."""
    status: Literal["True"]
    """Always True."""
    reason: str
    """Why: Preempted, or the reason of the preemption."""
    message: str
    """Kueue's own words."""


class Metric(Shape):
    """An increment of a counter."""

    name: Annotated[str, WithJsonSchema({"const": PREEMPTED_METRIC})]
    """Of the counter."""
    labels: dict[str, str]
    """Its labels, as far as the decision determines them."""
    increment: Literal[1]
    """By how much."""


class ProposedEvent(Shape):
    """An event that a proposal asks for."""

    type: str
    """Warning."""
    reason: str
    """Preempted."""
    message: str
    """Who has preempted, and from which ClusterQueue."""


class ProposedEffect(Shape):
    """What KEP-8826 asks for of a hero's victim, beside what Kueue shows."""

    event: ProposedEvent
    """About the victim."""
    metrics: list[Metric]
    """The counters that count it."""


class Effect(Shape):
    """What the cluster would show of a victim that is not evicted already."""

    workload: str
    """Who."""
    conditions: list[Condition]
    """The conditions that it gets."""
    metrics: list[Metric]
    """The counters that count it."""
    proposed: ProposedEffect | None = None
    """What KEP-8826 asks for beside; only of whom a hero has taken."""


class Finding(Shape):
    """What a rule found."""

    rule: str
    """Its identifier."""
    holds: bool
    """Whether it holds."""
    text: str
    """With the values compared."""


class AssignedPods(Shape):
    """A pod set and its flavors."""

    name: str
    """Of the pod set."""
    count: int
    """How many pods."""
    flavors: dict[str, str]
    """The flavors, by resource."""


class NeededResource(Shape):
    """A resource of a flavor."""

    flavor: str
    """The flavor."""
    resource: str
    """The resource."""


class UsedResource(NeededResource):
    """What the workload would add."""

    amount: int
    """In base units, milli-CPU for cpu."""


class TraceAssignment(Shape):
    """The flavors that were decided with."""

    pod_sets: list[AssignedPods]
    """The pod sets."""
    usage: list[UsedResource]
    """What the workload would add."""
    frs_need_preemption: list[NeededResource]
    """What is short."""


class TracedWorkload(Shape):
    """A running workload of the queue's tree."""

    workload: str
    """Who."""
    taken: bool
    """Whether it is preempted."""
    verdict: str
    """The answer in one line."""
    findings: list[Finding]
    """What each rule found, from the outermost in."""


class Trace(Shape):
    """How the decision came about."""

    assignment: TraceAssignment
    """The flavors that were decided with."""
    summary: list[str]
    """The outcome, and what was short, in words."""
    request: list[Finding]
    """What the quota rules found about the request."""
    workloads: list[TracedWorkload]
    """Every running workload."""


class DecideOutput(Shape):
    """A decision."""

    decision: Decided
    """Whether it fits, preempts, waits for want of candidates, or can never fit."""
    preempted: list[Preempted]
    """Who leaves, in the order of removal."""
    reading: ReadingWritten
    """A preset's name, or every choice."""
    engine: Literal["reference", "fast"]
    """The engine that decided."""
    left_to_reference: str | None = None
    """Why the optimized core, which was asked for, left the decision to the reference."""
    effects: list[Effect]
    """What the cluster would show, for each victim that is not evicted already."""


class ExplainedOutput(DecideOutput):
    """A decision that was asked for with explain."""

    trace: Trace
    """How it came about."""


class _Entry(Shape):
    object: str
    """Kind, name space where there is one, name; empty where the object has none."""
    field: str
    """Path of the field, in the API version that the user wrote; empty for the whole object."""
    message: str
    """What was found, what would be right, what to do."""
    source: Source
    """Who says so."""


class RefusedEntry(_Entry):
    """What an API server would refuse."""

    type: ErrorType
    """Why, in the words of Kubernetes."""


class WarnedEntry(_Entry):
    """What is legal and dangerous."""

    type: WarningType
    """Why it is hardly what was meant."""


class ValidateOutput(Shape):
    """What is wrong with objects."""

    errors: list[RefusedEntry]
    """In the order of the objects."""
    warnings: list[WarnedEntry]
    """In the order of the objects."""


class AccessibleRow(Shape):
    """What is accessible to a ClusterQueue, in base units, milli-CPU for cpu; null for no limit."""

    cluster_queue: str
    """Its name."""
    flavor: str
    """The flavor."""
    resource: str
    """The resource."""
    nominal: int | None
    """Its nominal quota."""
    bill: int
    """What heroes bill it."""
    accessible: int | None
    """Nominal less bill; of a hero the most that it may use."""
    borrowing_limit: int | None
    """Widened by what its quota has fallen."""


class AccessibleOutput(Shape):
    """What is accessible to every ClusterQueue."""

    rows: list[AccessibleRow]
    """By name, flavor and resource; cohorts have none."""


class AccessibleAnswer(AccessibleOutput):
    """What is accessible to every ClusterQueue, and when and how that was asked."""

    now: str
    """The clock."""
    reading: ReadingWritten
    """The reading: a preset's name, or every choice."""
    warnings: list[str]
    """About the input."""


class PriorityOutput(Shape):
    """What a WorkloadPriorityClass comes to."""

    priority: int
    """At the clock that was asked about."""


class ConfigOutput(Shape):
    """The plugin's arguments as it takes them."""

    default_preempt_min_runtime_ns: int
    """Where no queue sets one."""
    default_reclaim_min_runtime_ns: int
    """Where no queue sets one."""
    reclaim_resolve_method: Literal["lca", "queue"]
    """Whose value counts in a reclaim."""
    rejected: list[str]
    """The arguments that are replaced."""


class QueueFieldOutput(Shape):
    """Whether two fields of a queue decode."""

    accepted: bool
    """Whether both do."""
    preempt_min_runtime_ns: int | None = None
    """Null where it is not set."""
    reclaim_min_runtime_ns: int | None = None
    """Null where it is not set."""


class ResolveOutput(Shape):
    """The minimum runtime that counts."""

    min_runtime_ns: int
    """How long it protects."""
    error: bool
    """Whether a queue that is needed is missing."""


class PathOutput(Shape):
    """Where a queue stands."""

    path: list[str]
    """The queue and those above it, the top first."""


class FilterOutput(Shape):
    """Whether a job may be considered as a victim."""

    filter: bool
    """Whether it may."""
    elastic: bool
    """Whether it may lose pods."""
    protected: bool
    """Whether its minimum runtime has not passed."""
    min_runtime_ns: int
    """How long that is."""


class ValidatorOutput(Shape):
    """Whether a scenario may stand."""

    validator: bool
    """Whether it may."""


class FilterStep(Shape):
    """Whether a job may be considered as a victim, within a session."""

    filter: bool
    """Whether it may."""


class ProtectedStep(Shape):
    """Whether a job is protected, within a session."""

    protected: bool
    """Whether it is."""


class ChangeStep(Shape):
    """A step that changes something."""


class SequenceOutput(Shape):
    """What one session answers."""

    steps: list[FilterStep | ProtectedStep | ValidatorOutput | ResolveOutput | ChangeStep]
    """One result for each step."""


MinRuntimeOutput = (
    ConfigOutput
    | QueueFieldOutput
    | ResolveOutput
    | PathOutput
    | FilterOutput
    | ValidatorOutput
    | SequenceOutput
)


class InputProblem(Shape):
    """One thing that is wrong with a request."""

    object: str
    """Kind, name space where there is one, name; empty where no object is meant."""
    field: str
    """Path of the field, relative to input."""
    found: str
    """The value as it was written."""
    expected: str
    """What would have been right."""
    code: ErrorCode
    """What kind of error this is."""


class Unreadable(Shape):
    """Why there is no answer: the line could not be read, or a fault of Tenure."""

    code: ErrorCode
    """What kind of error this is."""
    message: str
    """In words."""
    field: str
    """Path of the field, relative to input; empty where none is meant."""


class Refused(Unreadable):
    """Why there is no answer: something is wrong with the request."""

    problems: list[InputProblem]
    """Every problem; the code and the field above are the first one's."""


class Answered(Shape):
    """An answer."""

    id: Any
    """The request's; null where it has none."""
    output: (
        DecideOutput | ExplainedOutput | AccessibleOutput | ValidateOutput | PriorityOutput | MinRuntimeOutput
    )
    """What the call answers."""


class Failed(Shape):
    """An error."""

    id: Any
    """The request's; null where it has none, or could not be read."""
    error: Unreadable | Refused
    """What is wrong."""


Answer = Answered | Failed
"""One line of standard output."""

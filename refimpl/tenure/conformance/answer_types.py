"""What the oracle and the commands about decisions write: JSON objects, and what each field means.

The published schemas are made of these, and those who render are checked against them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict  # Python 3.11 has one that pydantic does not read

from tenure.as_json import KueueRelease
from tenure.conformance.request_types import CHOICE, PRESET
from tenure.errors import ErrorCode
from tenure.model import Outcome, Reason
from tenure.oracle.effects import PREEMPTED_METRIC
from tenure.validation.faults import ErrorType, Source, WarningType


def _one_of(*words: str) -> WithJsonSchema:
    return WithJsonSchema({"enum": list(words)})


WorkloadKey = Annotated[str, Field(pattern="^[^/]*/[^/]+$")]
"""namespace/name."""

RuleId = Annotated[str, Field(pattern=r"^[A-Z]+-\d{3}$")]
"""Identifier of a rule: a page of the specification."""

Clock = Annotated[
    str,
    Field(pattern=r"^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z|-?\d+ns since the epoch)$"),
]
"""RFC 3339, UTC, with nanoseconds where there are any; ns since the epoch outside the years 1 to 9999."""

ReasonWord = Annotated[str, _one_of(*(reason.label for reason in Reason))]
"""A reason as the API writes it."""

Decided = Annotated[str, _one_of(*map(str, Outcome))]
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


Warnings = Annotated[
    list[str], WithJsonSchema({"type": "array", "items": {"type": "string"}, "uniqueItems": True})
]
"""What was assumed or ignored in the input, each once."""


Premises = list[str]
"""What is assumed of how Kueue is configured, in words."""


Counted = Annotated[int, Field(ge=0)]
"""A number of workloads."""

ReadingText = Annotated[str, Field(min_length=1)]
"""A preset's name, and what differs from it."""

Topology = Literal["not modelled"]
"""What is known about a topology that takes part."""

Summary = Annotated[list[str], Field(min_length=1)]
"""The outcome of a decision, then its numbers, in sentences."""


class Preempted(TypedDict):
    """A running workload that is preempted."""

    workload: WorkloadKey
    """Its namespace and name."""
    clusterQueue: str
    """The ClusterQueue whose quota it holds."""
    reason: ReasonWord
    """Of the Preempted condition."""
    rules: Annotated[list[RuleId], Field(min_length=1)]
    """The rules that allow it, outermost first."""


class ConditionShape(TypedDict):
    """A condition that becomes True."""

    type: Annotated[str, _one_of("Evicted", "Preempted")]
    """Which."""
    status: Literal["True"]
    """Always True."""
    reason: str
    """Why: Preempted, or the reason of the preemption."""
    message: str
    """Kueue's own words."""


class Metric(TypedDict):
    """An increment of a counter."""

    name: Annotated[str, WithJsonSchema({"const": PREEMPTED_METRIC})]
    """Of the counter."""
    labels: dict[str, str]
    """Its labels, as far as the decision determines them."""
    increment: Literal[1]
    """By how much."""


class ProposedEvent(TypedDict):
    """An event that a proposal asks for."""

    type: Annotated[str, _one_of("Warning")]
    """Of the event."""
    reason: Annotated[str, _one_of("Preempted")]
    """Of the event."""
    message: str
    """The preemptor, and its ClusterQueue."""


class ProposedEffect(TypedDict):
    """What KEP-8826 asks for of a hero's victim, beside what Kueue shows."""

    event: ProposedEvent
    """About the victim."""
    metrics: list[Metric]
    """The counters that count it."""


class EffectShape(TypedDict):
    """What the cluster would show of a victim that is not evicted already."""

    workload: WorkloadKey
    """Its namespace and name."""
    conditions: list[ConditionShape]
    """The conditions that it gets."""
    metrics: list[Metric]
    """The counters that count it."""
    proposed: NotRequired[ProposedEffect]
    """What KEP-8826 asks for beside; only of a workload that a hero preempts."""


class RemarkShape(TypedDict):
    """What a rule found."""

    rule: RuleId
    """Its identifier."""
    holds: bool
    """Whether it holds."""
    text: str
    """With the values compared."""


class WrittenPods(TypedDict):
    """A pod set and its flavors."""

    name: str
    """Of the pod set."""
    count: int
    """How many pods."""
    flavors: dict[str, str]
    """The flavors, by resource."""


class NeededResource(TypedDict):
    """A resource of a flavor."""

    flavor: str
    """The flavor."""
    resource: str
    """The resource."""


class UsedResource(NeededResource):
    """What the workload would add."""

    amount: int
    """In base units, milli-CPU for cpu."""


class TraceAssignment(TypedDict):
    """The flavors that were decided with."""

    podSets: list[WrittenPods]
    """The pod sets."""
    usage: list[UsedResource]
    """What the workload would add."""
    frsNeedPreemption: list[NeededResource]
    """What is short."""


class TracedWorkload(TypedDict):
    """A running workload of the queue's tree."""

    workload: WorkloadKey
    """Its namespace and name."""
    preempted: bool
    """Whether it is preempted."""
    verdict: str
    """The answer in one line."""
    remarks: list[RemarkShape]
    """What each rule found, outermost first."""


class Trace(TypedDict):
    """How the decision came about."""

    assignment: TraceAssignment
    """The flavors that were decided with."""
    summary: list[str]
    """The outcome, and what was short, in words."""
    request: list[RemarkShape]
    """What the quota rules found about the request."""
    workloads: list[TracedWorkload]
    """Every running workload."""


class DecideOutput(TypedDict):
    """A decision."""

    decision: Decided
    """Fit: it fits beside all that run. Preempt: it fits once the preempted workloads are gone. NoCandidates:
    what may be preempted does not free enough quota. NoFit: it would not fit in an empty cohort."""
    topology: NotRequired[Topology]
    """Where Kueue also needs a place in a topology: the decision is by quota alone. Never with NoFit."""
    preempted: list[Preempted]
    """The workloads that are preempted, in the order of removal."""
    reading: ReadingWritten
    """A preset's name, or every choice."""
    kueue: KueueRelease
    """The release of Kueue that is asked about, `0.19`; `0.19+proposals` with all that the proposals add."""
    engine: Annotated[str, _one_of("reference", "fast")]
    """The engine that decided."""
    leftToReference: NotRequired[str]
    """Why the optimized core, which was asked for, left the decision to the reference."""
    effects: list[EffectShape]
    """What the cluster would show, for each victim that is not evicted already."""
    trace: NotRequired[Trace]
    """How it came about, where explain was asked for."""
    warnings: NotRequired[Warnings]
    """What the request says and cannot mean, and what Kueue does about it; only where there is any."""


class DecideAnswer(DecideOutput):
    """One decision, with its question and warnings."""

    workload: WorkloadKey
    """The pending workload."""
    clusterQueue: str
    """The ClusterQueue decided in."""
    now: Clock
    """The clock."""
    readingText: ReadingText
    """The reading in words."""
    summary: Summary
    """The outcome, and what was short or where it fits, in words."""
    assignment: NotRequired[list[WrittenPods]]
    """The pods and flavors that it would be admitted with; only of Fit and Preempt."""
    behind: NotRequired[WorkloadKey]
    """The head of its StrictFIFO ClusterQueue, which Kueue tries first; only where that is another one."""
    premises: Premises
    """What is assumed of how Kueue is configured, because no object shows it, in words."""
    warnings: Warnings  # type: ignore[misc]  # always there
    """What was assumed or ignored in the input, each once."""


class InputProblem(TypedDict):
    """One thing that is wrong with a request."""

    object: str
    """Kind, name space where there is one, name; empty where no object is meant."""
    field: str
    """Path of the field, relative to input."""
    found: str
    """The value as it was written."""
    expected: str
    """What would have been right."""
    code: Annotated[str, _one_of(*map(str, ErrorCode))]
    """What kind of error this is."""


class PendingDecided(TypedDict):
    """A pending workload that was decided about."""

    workload: WorkloadKey
    """Its namespace and name."""
    clusterQueue: str
    """The ClusterQueue decided in."""
    decision: Decided
    """As in the answer about one workload."""
    topology: NotRequired[Topology]
    """As in the answer about one workload."""
    summary: Summary
    """The outcome, and what was short or where it fits, in words; the optimized core keeps less to tell."""
    assignment: NotRequired[list[WrittenPods]]
    """The pods and flavors that it would be admitted with; only of Fit and Preempt."""
    behind: NotRequired[WorkloadKey]
    """The head of its StrictFIFO ClusterQueue, which Kueue tries first; only where that is another one."""
    preempted: list[Preempted]
    """The workloads that are preempted, in the order of removal."""
    effects: list[EffectShape]
    """What the cluster would show, for each victim that is not evicted already."""
    leftToReference: NotRequired[str]
    """Why the optimized core, which was asked for, left the decision to the reference."""
    trace: NotRequired[Trace]
    """How it came about, where explain was asked for."""


class PendingUndecided(TypedDict):
    """A pending workload that could not be decided about."""

    workload: WorkloadKey
    """Its namespace and name."""
    clusterQueue: str | None
    """Where it waits; null where that is not known."""
    decision: None
    """Null: there is no decision."""
    problems: Annotated[list[InputProblem], Field(min_length=1)]
    """Why."""


class PendingCounts(TypedDict):
    """How many pending workloads there are of each kind."""

    fit: Counted
    """They fit."""
    preempt: Counted
    """They preempt."""
    noCandidates: Counted
    """They wait: preempting all candidates would not free enough."""
    noFit: Counted
    """They wait: no flavor serves them."""
    undecided: Counted
    """They cannot be decided about; where no other is, the exit code is 2."""


class PendingAnswer(TypedDict):
    """Decisions about all pending workloads, each evaluated independently."""

    now: Clock
    """The clock."""
    reading: ReadingWritten
    """A preset's name, or every choice."""
    readingText: ReadingText
    """The reading in words."""
    counts: PendingCounts
    """How many there are of each kind."""
    engine: Annotated[str, _one_of("reference", "fast", "auto")]
    """The engine that decided; auto where each decided some."""
    kueue: KueueRelease
    """The release of Kueue that is asked about, `0.19`; `0.19+proposals` with all that the proposals add."""
    pending: list[PendingDecided | PendingUndecided]
    """By ClusterQueue, effective priority (the highest first), the time they queue from, and name. Those that
    cannot be decided come after the others of their ClusterQueue, those of no known ClusterQueue last."""
    premises: Premises
    """What is assumed of how Kueue is configured, because no object shows it, in words."""
    warnings: Warnings
    """What was assumed or ignored in the input, each once."""


class _Entry(TypedDict):
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
    """What is legal but dangerous."""

    type: WarningType
    """Why it is hardly what was meant."""


class ValidateOutput(TypedDict):
    """What is wrong with objects."""

    errors: list[RefusedEntry]
    """In the order of the objects."""
    warnings: list[WarnedEntry]
    """In the order of the objects."""


class RefusedIn(RefusedEntry):
    """What an API server would refuse, and where it was read."""

    file: str
    """The file as the user named it, stdin for standard input."""


class WarnedIn(WarnedEntry):
    """What is legal but dangerous, and where it was read."""

    file: str
    """The file as the user named it, stdin for standard input."""


class ProposedIn(TypedDict):
    """A field that no release of Kueue has."""

    file: str
    """The file as the user named it, stdin for standard input."""
    object: str
    """Kind and name."""
    field: str
    """Path of the field."""
    proposal: str
    """The proposal that adds it."""


class ManifestsAnswer(TypedDict):
    """What the schema, Kueue's webhooks and the proposals refuse, and what they accept that is dangerous or
    without effect."""

    valid: bool
    """Whether there is no error."""
    checked: Annotated[int, Field(ge=0)]
    """How many objects were checked."""
    ignored: Annotated[int, Field(ge=0)]
    """How many objects were of other kinds."""
    sets: list[str]
    """The folders that are not applied together and have objects of one name; empty where all is one set."""
    kueue: KueueRelease
    """The release of Kueue that is asked about, `0.19`; `0.19+proposals` with all that the proposals add."""
    proposed: list[ProposedIn]
    """The fields that no release of Kueue has, in the order of the objects; errors with --kueue."""
    errors: list[RefusedIn]
    """In the order of the objects."""
    warnings: list[WarnedIn]
    """In the order of the objects."""


class AccessibleRow(TypedDict):
    """What is accessible to a ClusterQueue, in base units, milli-CPU for cpu; null for no limit."""

    clusterQueue: str
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
    borrowingLimit: int | None
    """Widened by what its quota has fallen."""


class AccessibleOutput(TypedDict):
    """What is accessible to every ClusterQueue."""

    rows: list[AccessibleRow]
    """By name, flavor and resource; cohorts have none."""
    warnings: NotRequired[Warnings]
    """As in the output of decide."""


class AccessibleAccount(TypedDict):
    """What a node of a tree has of a resource, in base units, milli-CPU for cpu; null for no limit."""

    flavor: str
    """The flavor."""
    resource: str
    """The resource."""
    nominal: int | None
    """The nominal quota of the node and of those below it."""
    bill: int
    """What heroes bill it."""
    accessible: int | None
    """What is accessible here."""


class AccessibleNode(TypedDict):
    """A node of a tree."""

    kind: Annotated[str, _one_of("ClusterQueue", "Cohort", "hero")]
    """What it is; a hero is a ClusterQueue."""
    name: str
    """Its name."""
    depth: int
    """How many nodes are above it."""
    accounts: list[AccessibleAccount]
    """By flavor and resource."""


class AccessibleAnswer(AccessibleOutput):
    """What is accessible to every ClusterQueue, and when and how that was asked."""

    trees: list[list[AccessibleNode]]
    """Every tree, its nodes from the root down, each before those below it."""
    readingText: ReadingText
    """The reading in words."""

    now: Clock
    """The clock."""
    reading: ReadingWritten
    """The reading: a preset's name, or every choice."""
    kueue: KueueRelease
    """The release of Kueue that is asked about, `0.19`; `0.19+proposals` with all that the proposals add."""
    warnings: Warnings  # type: ignore[misc]  # always there
    """About the input."""


class PriorityOutput(TypedDict):
    """What a WorkloadPriorityClass comes to."""

    priority: int
    """At the clock that was asked about."""


class VersionOutput(TypedDict):
    """Who answers."""

    tenure: str
    """The release of Tenure."""
    protocol: str
    """The version of requests and answers, as `protocol` of a request says it."""
    kueue: KueueRelease
    """The Kueue that decides as Tenure does, with all that the proposals add."""
    kai: str
    """The KAI-Scheduler that `minruntime` answers as: its revision as Go writes it."""


class ConfigOutput(TypedDict):
    """The plugin's arguments as it takes them."""

    defaultPreemptMinRuntimeNs: int
    """Where no queue sets one."""
    defaultReclaimMinRuntimeNs: int
    """Where no queue sets one."""
    reclaimResolveMethod: Literal["lca", "queue"]
    """Whose value counts in a reclaim."""
    rejected: list[str]
    """The arguments that are replaced."""


class QueueFieldOutput(TypedDict):
    """Whether two fields of a queue decode."""

    accepted: bool
    """Whether both do."""
    preemptMinRuntimeNs: NotRequired[int | None]
    """Null where it is not set."""
    reclaimMinRuntimeNs: NotRequired[int | None]
    """Null where it is not set."""


class ResolveOutput(TypedDict):
    """The minimum runtime that counts."""

    minRuntimeNs: int
    """How long it protects."""
    error: bool
    """Whether a queue that is needed is missing."""


class PathOutput(TypedDict):
    """Where a queue is."""

    path: list[str]
    """The queue and those above it, the top first."""


class FilterOutput(TypedDict):
    """Whether a job may be considered as a victim."""

    filter: bool
    """Whether it may."""
    elastic: bool
    """Whether it may lose pods."""
    protected: bool
    """Whether its minimum runtime has not passed."""
    minRuntimeNs: int
    """How long that is."""


class ValidatorOutput(TypedDict):
    """Whether a scenario is accepted."""

    validator: bool
    """Whether it may."""


class FilterStep(TypedDict):
    """Whether a job may be considered as a victim, within a session."""

    filter: bool
    """Whether it may."""
    elastic: bool
    """Whether it may lose pods; the filter lets such a job pass without asking how long it ran."""


class ProtectedStep(TypedDict):
    """Whether a job is protected, within a session."""

    protected: bool
    """Whether it is."""


class ChangeStep(TypedDict):
    """A step that changes something."""


class SequenceOutput(TypedDict):
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


class Unreadable(TypedDict):
    """Why there is no answer: the line could not be read, or a fault of Tenure."""

    code: Annotated[str, _one_of(*map(str, ErrorCode))]
    """What kind of error this is."""
    message: str
    """In words."""
    field: str
    """Path of the field, relative to input; empty where none is meant."""


class Refused(Unreadable):
    """Why there is no answer: something is wrong with the request."""

    problems: list[InputProblem]
    """Every problem; the code and the field above are the first one's."""


class Answered(TypedDict):
    """An answer."""

    id: Any
    """The request's; null where it has none."""
    output: (
        DecideOutput | AccessibleOutput | ValidateOutput | PriorityOutput | MinRuntimeOutput | VersionOutput
    )
    """What the call answers."""


class Failed(TypedDict):
    """An error."""

    id: Any
    """The request's; null where it has none, or could not be read."""
    error: Unreadable | Refused
    """What is wrong."""


Answer = Answered | Failed
"""One line of standard output."""

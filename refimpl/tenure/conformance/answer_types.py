"""What the oracle and the commands about decisions write. JSON has the same fields with camelCase names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from tenure.as_json import IfAny, KueueRelease
from tenure.choices import Outcome
from tenure.errors import ErrorCode
from tenure.explanation.identifiers import WorkloadKey
from tenure.explanation.remarks import Remark
from tenure.explanation.shapes import AssignedPods, PreemptedWorkload
from tenure.joint import JointEffect
from tenure.oracle.effects import PREEMPTED_METRIC
from tenure.readings import CHOICES, preset_names


def _one_of(*words: str) -> WithJsonSchema:
    return WithJsonSchema({"enum": list(words)})


Clock = Annotated[
    str,
    Field(pattern=r"^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z|-?\d+ns since the epoch)$"),
]
"""RFC 3339, UTC, with nanoseconds where there are any; ns since the epoch outside the years 1 to 9999."""

Code = Annotated[str, _one_of(*map(str, ErrorCode))]
"""What kind of error something is."""

Decided = Annotated[str, _one_of(*map(str, Outcome))]
"""The outcome of a decision."""

PRESET = {"enum": list(preset_names())}
CHOICE = {key: {"enum": [member.name.lower() for member in choices]} for key, choices in CHOICES.items()}

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
    tuple[str, ...], WithJsonSchema({"type": "array", "items": {"type": "string"}, "uniqueItems": True})
]
"""What was assumed or ignored in the input, each once."""


Premises = tuple[str, ...]
"""What is assumed of how Kueue is configured, in words."""


Counted = Annotated[int, Field(ge=0)]
"""A number of workloads."""

ReadingText = Annotated[str, Field(min_length=1)]
"""A preset's name, and what differs from it."""

Topology = Literal["not modelled"]
"""What is known about a topology that takes part."""

Summary = Annotated[tuple[str, ...], Field(min_length=1)]
"""The outcome of a decision, then its numbers, in sentences."""


@dataclass(frozen=True, slots=True)
class ConditionShape:
    """A condition that becomes True."""

    type: Annotated[str, _one_of("Evicted", "Preempted")]
    """Which."""
    status: Literal["True"]
    """Always True."""
    reason: str
    """Why: Preempted, or the reason of the preemption."""
    message: str
    """Kueue's own words."""


@dataclass(frozen=True, slots=True)
class Metric:
    """An increment of a counter."""

    name: Annotated[str, WithJsonSchema({"const": PREEMPTED_METRIC})]
    """Of the counter."""
    labels: dict[str, str]
    """Its labels, as far as the decision determines them."""
    increment: Literal[1]
    """By how much."""


@dataclass(frozen=True, slots=True)
class ProposedEvent:
    """An event that a proposal requires."""

    type: Annotated[str, _one_of("Warning")]
    """Of the event."""
    reason: Annotated[str, _one_of("Preempted")]
    """Of the event."""
    message: str
    """The preemptor, and its ClusterQueue."""


@dataclass(frozen=True, slots=True)
class ProposedEffect:
    """What KEP-8826 requires for a hero's victim, in addition to what Kueue shows."""

    event: ProposedEvent
    """About the victim."""
    metrics: tuple[Metric, ...]
    """The counters that count it."""


@dataclass(frozen=True, slots=True)
class EffectShape:
    """What the cluster would show of a victim that is not evicted already."""

    workload: WorkloadKey
    """Its namespace and name."""
    conditions: tuple[ConditionShape, ...]
    """The conditions that it gets."""
    metrics: tuple[Metric, ...]
    """The counters that count it."""
    proposed: IfAny[ProposedEffect] = None
    """What KEP-8826 requires in addition; only for a workload that a hero preempts."""


@dataclass(frozen=True, slots=True)
class NeededResource:
    """A resource of a flavor."""

    flavor: str
    """The flavor."""
    resource: str
    """The resource."""


@dataclass(frozen=True, slots=True)
class UsedResource(NeededResource):
    """What the workload would add."""

    amount: int
    """In base units, milli-CPU for cpu."""


@dataclass(frozen=True, slots=True)
class TraceAssignment:
    """The flavors that were decided with."""

    pod_sets: tuple[AssignedPods, ...]
    """The pod sets."""
    usage: tuple[UsedResource, ...]
    """What the workload would add."""
    frs_need_preemption: tuple[NeededResource, ...]
    """What is short."""


@dataclass(frozen=True, slots=True)
class TracedWorkload:
    """A running workload of the queue's tree."""

    workload: WorkloadKey
    """Its namespace and name."""
    preempted: bool
    """Whether it is preempted."""
    verdict: str
    """The answer in one line."""
    remarks: tuple[Remark, ...]
    """What each rule found, outermost first."""


@dataclass(frozen=True, slots=True)
class Trace:
    """How the decision came about."""

    assignment: TraceAssignment
    """The flavors that were decided with."""
    summary: tuple[str, ...]
    """The outcome, and what was short, in words."""
    request: tuple[Remark, ...]
    """What the quota rules found about the request."""
    workloads: tuple[TracedWorkload, ...]
    """Every running workload."""


@dataclass(frozen=True, kw_only=True)
class DecisionFields:
    """A decision."""

    decision: Decided
    """Fit: it fits beside all that run. Preempt: it fits once the preempted workloads are gone. NoCandidates:
    what may be preempted does not free enough quota. NoFit: it would not fit in an empty cohort."""
    preempted: tuple[PreemptedWorkload, ...]
    """The workloads that are preempted, in the order of removal."""
    reading: ReadingWritten
    """A preset's name, or every choice."""
    kueue: KueueRelease
    """The release of Kueue of the answer, `0.19`; `0.19+proposals` with all that the proposals add."""
    engine: Annotated[str, _one_of("reference", "fast")]
    """The engine that decided."""
    effects: tuple[EffectShape, ...]
    """What the cluster would show, for each victim that is not evicted already."""
    topology: IfAny[Topology] = None
    """Where Kueue also needs a place in a topology: the decision is by quota alone. Never with NoFit."""
    left_to_reference: IfAny[str] = None
    """Why the requested optimized core left the decision to the reference."""
    trace: IfAny[Trace] = None
    """How it came about, if requested."""


@dataclass(frozen=True, kw_only=True)
class DecideOutput(DecisionFields):
    """A decision."""

    warnings: IfAny[Warnings] = None
    """Contradictions in the request, and what Kueue does about them; absent without any."""


@dataclass(frozen=True, kw_only=True)
class DecideQuestion:
    """What is decided about."""

    workload: WorkloadKey
    """The pending workload."""
    cluster_queue: str
    """The ClusterQueue decided in."""
    now: Clock
    """The clock."""


@dataclass(frozen=True, slots=True)
class InputProblem:
    """One thing that is wrong with a request."""

    object: str
    """Kind, name space where there is one, name; empty where no object is meant."""
    field: str
    """Path of the field, relative to input."""
    found: str
    """The value as it was written."""
    expected: str
    """What would have been right."""
    code: Code
    """What kind of error this is."""


@dataclass(frozen=True, kw_only=True)
class PendingDecided:
    """A pending workload that was decided about."""

    workload: WorkloadKey
    """Its namespace and name."""
    cluster_queue: str
    """The ClusterQueue decided in."""
    decision: Decided
    """As in the answer about one workload."""
    summary: Summary
    """The outcome, and what was short or where it fits, in words; the optimized core keeps fewer details."""
    preempted: tuple[PreemptedWorkload, ...]
    """The workloads that are preempted, in the order of removal."""
    effects: tuple[EffectShape, ...]
    """What the cluster would show, for each victim that is not evicted already."""
    assignment: IfAny[tuple[AssignedPods, ...]] = None
    """The pods and flavors that it would be admitted with; only of Fit and Preempt."""
    topology: IfAny[Topology] = None
    """As in the answer about one workload."""
    left_to_reference: IfAny[str] = None
    """Why the requested optimized core left the decision to the reference."""
    trace: IfAny[Trace] = None
    """How it came about, if requested."""
    behind: IfAny[WorkloadKey] = None
    """The head of its StrictFIFO ClusterQueue, which Kueue tries first; only where that is another one."""


@dataclass(frozen=True, slots=True)
class PendingUndecided:
    """A pending workload that could not be decided about."""

    workload: WorkloadKey
    """Its namespace and name."""
    cluster_queue: str | None
    """Where it waits; null where that is not known."""
    decision: None
    """Null: there is no decision."""
    problems: Annotated[tuple[InputProblem, ...], Field(min_length=1)]
    """Why."""


@dataclass(frozen=True, slots=True)
class PendingCounts:
    """How many pending workloads there are of each kind."""

    fit: Counted
    """They fit."""
    preempt: Counted
    """They preempt."""
    no_candidates: Counted
    """They wait: preempting all candidates would not free enough."""
    no_fit: Counted
    """They wait: no flavor serves them."""
    undecided: Counted
    """They cannot be decided about; where no other is, the exit code is 2."""


@dataclass(frozen=True, slots=True)
class PendingAnswer:
    """Decisions about all pending workloads, each evaluated independently."""

    now: Clock
    """The clock."""
    reading: ReadingWritten
    """A preset's name, or every choice."""
    reading_text: ReadingText
    """The reading in words."""
    counts: PendingCounts
    """How many there are of each kind."""
    engine: Annotated[str, _one_of("reference", "fast", "auto")]
    """The engine that decided; auto where each decided some."""
    kueue: KueueRelease
    """The release of Kueue of the answer, `0.19`; `0.19+proposals` with all that the proposals add."""
    pending: tuple[PendingDecided | PendingUndecided, ...]
    """By ClusterQueue, effective priority (the highest first), the time they queue from, and name. Those that
    cannot be decided come after the others of their ClusterQueue, those of no known ClusterQueue last."""
    premises: Premises
    """What is assumed of how Kueue is configured, because no object shows it, in words."""
    warnings: Warnings
    """What was assumed or ignored in the input, each once."""
    joint: IfAny[JointEffect] = None
    """What the coming scheduling cycles do to all of them together."""


@dataclass(frozen=True, slots=True)
class AccessibleRow:
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


@dataclass(frozen=True, slots=True)
class AccessibleOutput:
    """What is accessible to every ClusterQueue."""

    rows: tuple[AccessibleRow, ...]
    """By name, flavor and resource; cohorts have none."""
    warnings: IfAny[Warnings] = None
    """As in the output of decide."""


@dataclass(frozen=True, slots=True)
class AccessibleAccount:
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


@dataclass(frozen=True, slots=True)
class AccessibleNode:
    """A node of a tree."""

    kind: Annotated[str, _one_of("ClusterQueue", "Cohort", "hero")]
    """What it is; a hero is a ClusterQueue."""
    name: str
    """Its name."""
    depth: int
    """How many nodes are above it."""
    accounts: tuple[AccessibleAccount, ...]
    """By flavor and resource."""


@dataclass(frozen=True, slots=True)
class AccessibleAnswer:
    """What is accessible to every ClusterQueue, with the clock and the reading."""

    now: Clock
    """The clock."""
    reading: ReadingWritten
    """The reading: a preset's name, or every choice."""
    reading_text: ReadingText
    """The reading in words."""
    kueue: KueueRelease
    """The release of Kueue of the answer, `0.19`; `0.19+proposals` with all that the proposals add."""
    rows: tuple[AccessibleRow, ...]
    """By name, flavor and resource; cohorts have none."""
    trees: tuple[tuple[AccessibleNode, ...], ...]
    """Every tree, its nodes from the root down, each before those below it."""
    warnings: Warnings
    """About the input."""

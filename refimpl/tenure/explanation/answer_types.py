"""The shapes of the answers. JSON has the same fields with camelCase names.

Amounts are texts as Kubernetes writes quantities, `unlimited` where there is no end; times are RFC 3339;
workloads are `namespace/name`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tenure.explanation.attempts import AttemptTrial, CountTrial, FlavorTrial
from tenure.explanation.explain import WorkloadExplanation
from tenure.explanation.remarks import Remark
from tenure.explanation.risk.answer_types import ExposureShape
from tenure.explanation.shapes import PreemptedWorkload
from tenure.versions import kueue_version


@dataclass(frozen=True, slots=True)
class NodeShape:
    """A node on the path from the ClusterQueue to the root."""

    kind: str
    """ClusterQueue or Cohort."""
    name: str
    """Of the object."""
    usage: str
    """What is in use at the node."""
    nominal: str
    """Its own nominal quota."""
    quota: str
    """Its nominal quota, and what its children lend it."""
    local_quota: str
    """The part that a lending limit keeps from its cohort."""
    borrowing_limit: str | None
    """The most that it may borrow; null for no limit."""
    available: str
    """What is available here without preemption; negative where the node is in debt."""
    binds: str
    """What of this node bounds the request: `quota`, `borrowingLimit`, or empty."""
    billed: str
    """Of a hero what others pay for, which `usage` does not count; of any other node what it and those below
    it are billed for heroes, which `quota` does not count."""
    text: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class WithheldShape:
    """Idle quota of a node beside the path that a lending limit keeps there."""

    node: str
    """Its name."""
    amount: str
    """How much."""


@dataclass(frozen=True, slots=True)
class ShortageShape:
    """A flavor-resource that lacks quota, and where in the tree."""

    flavor: str
    """The flavor."""
    resource: str
    """The resource."""
    asked: str
    """How much is requested."""
    available: str
    """How much is available without preemption."""
    short: str
    """The difference."""
    path: tuple[NodeShape, ...]
    """The nodes from the ClusterQueue to the root."""
    withheld: tuple[WithheldShape, ...]
    """Idle quota that lending limits keep elsewhere."""


@dataclass(frozen=True, slots=True)
class JointFate:
    """What becomes of a pending workload in the coming scheduling cycles, beside all others."""

    admitted_at: str | None
    """When it is admitted; null where it is not, before time alone changes anything."""
    first: tuple[str, ...]
    """Who goes first: the workloads of its tree that are admitted before it. Where it is not admitted, those
    that are admitted with the change only."""
    text: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class CounterfactualShape:
    """A change of one field of one object that changes the answer."""

    object: str
    """The object, as `ClusterQueue/team-a`; `clock` for the time."""
    field: str
    """Path of the field in its manifest."""
    old: str
    """Its value; `not set` where it has none."""
    new: str
    """The value that changes the answer; it was verified by deciding."""
    bound: str | None
    """The change as a boundary, `below 4` where new is 3999m; null where new is the plainer value."""
    before: str
    """The answer without the change: fits, preempts, waits, preempted or kept."""
    after: str
    """The answer with the change."""
    decision: str
    """The outcome with the change."""
    preempted: tuple[str, ...]
    """The workloads that are preempted with the change, in order."""
    usable: bool
    """Whether it does no harm to the pending workload, and is more than the edge of the old value."""
    own: bool
    """Whether the field is of the workload in question or of its ClusterQueue; the clock is."""
    harmless: bool
    """Whether no other ClusterQueue's fields change, and none of its workloads is preempted but the one asked
    about."""
    tie: str | None
    """The signed divergence by which Kueue decides by chance with the change; null where it does not."""
    proposal: str | None
    """The proposal that adds the field, where no release of Kueue has it; else null."""
    size: float
    """How large the change is, from 0 to 1."""
    exact: bool
    """Whether every smaller change of this field is excluded; otherwise it is the nearest found."""
    text: str
    """The same in a sentence."""
    jointly: JointFate | None = None
    """What becomes of the workload with the change, beside the others that wait in its tree; null where none
    waits, and where that is not known."""


@dataclass(frozen=True, slots=True)
class CounterfactualsShape:
    """The nearest changes that would alter the answer, and how far was searched."""

    tried: int
    """How many altered situations were decided."""
    fields: int
    """How many fields were searched."""
    complete: bool
    """Whether all fields were searched."""
    worse: bool
    """Whether changes that make things worse were searched for too."""
    nearest: tuple[CounterfactualShape, ...]
    """The changes: usable ones first, of these the harmless ones, then `own` ones, then the smaller ones."""
    not_tried: tuple[str, ...] = ()
    """Fields that may decide and were not searched, in words."""


@dataclass(frozen=True, slots=True)
class DecisionShape:
    """A decision, and how it came about."""

    workload: str
    """The pending workload."""
    cluster_queue: str
    """The ClusterQueue that it waits in."""
    decision: str
    """Fit, Preempt, NoCandidates or NoFit."""
    topology: str | None
    """`not modelled` where Kueue also needs a place in a topology, so that the answer is by quota alone; null
    where no topology takes part."""
    summary: tuple[str, ...]
    """The outcome, and what was short or where it fits, in words."""
    preempted: tuple[PreemptedWorkload, ...]
    """The workloads that are preempted, in the order of removal."""
    request: tuple[Remark, ...]
    """What the quota rules found about the request."""
    shortages: tuple[ShortageShape, ...]
    """What lacks quota, and where in the tree."""
    flavors: tuple[FlavorTrial, ...]
    """The flavors that were tried, in order."""
    counts: tuple[CountTrial, ...]
    """The numbers of pods that were tried, in order."""
    attempts: tuple[AttemptTrial, ...]
    """The attempts to find targets, in order."""
    filled_back: tuple[str, ...]
    """The workloads that were removed and given their quota back."""
    proposals: tuple[str, ...] = ()
    """The proposals of which the cluster uses a field, such as KEP-8522."""


@dataclass(frozen=True, slots=True)
class ExplainedDecision:
    """How a decision came about."""

    decision: DecisionShape
    """What is short and where, and what was tried."""
    workloads: tuple[WorkloadExplanation, ...]
    """Every workload that holds quota in the tree; the preempted ones first, in order."""
    counterfactuals: CounterfactualsShape
    """Changes after which the decision would differ."""


@dataclass(frozen=True, slots=True)
class CaseShape:
    """How a running workload fares with one pending workload."""

    preemptor: str
    """The pending workload."""
    cluster_queue: str
    """The ClusterQueue that it waits in."""
    decision: str
    """Fit, Preempt, NoCandidates or NoFit."""
    topology: str | None
    """`not modelled` where Kueue also needs a place in a topology, so that the answer is by quota alone; null
    where no topology takes part."""
    preempted: bool
    """Whether the running workload is preempted."""
    verdict: str
    """The answer in one line."""
    summary: tuple[str, ...]
    """The outcome, and what was short or where it fits, in words."""
    flavors: tuple[FlavorTrial, ...]
    """The flavors tried for the pending workload, in order; empty for an answer about several."""
    counts: tuple[CountTrial, ...]
    """The numbers of its pods that were tried, in order; empty for an answer about several."""
    attempts: tuple[AttemptTrial, ...]
    """The attempts to find targets, in order; empty for an answer about several."""
    remarks: tuple[Remark, ...]
    """What each rule found about it, outermost first."""
    counterfactuals: CounterfactualsShape | None
    """Changes after which the answer would differ; null where that was not asked."""


@dataclass(frozen=True, slots=True)
class UndecidedShape:
    """A pending workload that could not be decided."""

    workload: str
    """`namespace/name`."""
    problem: str
    """Why not."""


@dataclass(frozen=True, slots=True)
class ComingTry:
    """What keeps a workload that could go alone from going in the coming scheduling cycle, or from the quota
    that its victims give back."""

    cycle: int | None
    """The cycle in which it is tried first; null where it is not tried, or where that is not known."""
    result: str | None
    """What comes of it there, such as `skipped`; null without such a cycle."""
    later: str
    """What comes of it later, as `tenure next` has it; empty where that is not known."""
    summary: str
    """The answer in one line."""
    remedies: tuple[str, ...] = ()
    """Changes of one field by which it would go in that cycle or get the quota, in words; each was tried."""


@dataclass(frozen=True, slots=True)
class ComingPreemption:
    """A preemption in a coming scheduling cycle, which no pending workload makes alone."""

    preemptor: str
    """The pending workload."""
    cycle: int
    """The number of the cycle, from 1."""
    at: str
    """When."""
    after: tuple[str, ...]
    """The workloads of the tree that are admitted before it."""
    text: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Why a running workload is, or would be, preempted."""

    victim: str
    """The running workload."""
    cluster_queue: str
    """The ClusterQueue whose quota it holds."""
    now: str
    """The cycle's clock."""
    reading: str | dict[str, str]
    """A preset's name, or every choice."""
    reading_text: str
    """The same in words: a preset's name, and what differs from it."""
    engine: str
    """The engine that decided; `auto` where some decisions are of either."""
    summary: str
    """The answer in one line."""
    cases: tuple[CaseShape, ...]
    """One for each pending workload in question; those that would preempt it first."""
    undecided: tuple[UndecidedShape, ...]
    """Pending workloads that could not be decided."""
    earlier: str | None = None
    """When, for whom and why it was preempted before its present admission; null where none is recorded."""
    exposure: ExposureShape | None = None
    """Who could preempt it with a new workload of any size, and until when it is safe; null where one pending
    workload was named."""
    coming: ComingPreemption | None = None
    """The first coming cycle in which it is preempted, where no pending workload preempts it alone; null
    where one does, or none is known."""
    premises: tuple[str, ...] = ()
    """What is assumed of how Kueue is configured, because no object shows it, in words."""
    warnings: tuple[str, ...] = ()
    """What was assumed or ignored in the input."""
    kueue: str = kueue_version(None)
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    proposals: tuple[str, ...] = ()
    """The proposals of which the cluster uses a field, such as KEP-8522."""


@dataclass(frozen=True, slots=True)
class ObstacleShape:
    """A field that stands in the way of a pending workload."""

    object: str
    """The object, as `ClusterQueue/team-a`."""
    field: str
    """Path of the field in its manifest."""
    value: str
    """Its value; `not set` where it has none."""
    own: bool
    """Whether the field is of the pending workload or of its ClusterQueue."""
    file: str | None
    """The file that has the object; null where none is known."""
    line: int | None
    """The line of the field, or of its object where the field is not set; null where no file is known."""
    text: str
    """The field, its value, its line and what it does."""


@dataclass(frozen=True, slots=True)
class WhyNotAnswer:
    """Why a pending workload is not admitted, or why it does not preempt a running one."""

    victim: str | None
    """The running workload in question; null where none was."""
    now: str
    """The cycle's clock."""
    reading: str | dict[str, str]
    """A preset's name, or every choice."""
    reading_text: str
    """The same in words: a preset's name, and what differs from it."""
    summary: str
    """The answer in one line."""
    ahead: tuple[str, ...]
    """The workloads that are ahead of it in its ClusterQueue, the head first."""
    decision: DecisionShape
    """The decision, and how it came about."""
    workload: WorkloadExplanation | None
    """What the rules found about the running workload; null where there was none, or where it is in
    another tree."""
    counterfactuals: CounterfactualsShape
    """Changes after which the answer would differ."""
    workloads: tuple[WorkloadExplanation, ...] = ()
    """The same about every workload that holds quota in the tree; the preempted ones first, in order. Empty
    without --verbose."""
    earlier: str | None = None
    """When, for whom and why the pending workload was preempted; null where that is not recorded."""
    coming: ComingTry | None = None
    """Why it does not go in the coming cycle, or does not get the quota that its victims give back; null
    where it does, or could not go alone."""
    premises: tuple[str, ...] = ()
    """What is assumed of how Kueue is configured, because no object shows it, in words."""
    warnings: tuple[str, ...] = ()
    """What was assumed or ignored in the input."""
    kueue: str = kueue_version(None)
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    obstacles: tuple[ObstacleShape, ...] = ()
    """The fields that stand in the way, those of the pending workload and its ClusterQueue first; about a
    running workload the policy that keeps it. Empty where no field does."""

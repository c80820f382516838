"""The domain: what a preemption decision is about. Frozen objects, integers only.

Amounts are integers in base units (bytes, devices, pods), for `cpu` in milli-CPU. Times are
nanoseconds since the Unix epoch, durations nanoseconds. Nothing here reads a manifest; nothing here
decides.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple, NoReturn, Self, TypeAlias

SECOND = 1_000_000_000
"""One second in nanoseconds."""

MINUTE = 60 * SECOND
"""One minute in nanoseconds."""

Instant: TypeAlias = int
"""Nanoseconds since the Unix epoch."""

Duration: TypeAlias = int
"""Nanoseconds."""

Amount: TypeAlias = int
"""Base units, or milli-CPU for `cpu`."""

UNLIMITED: Amount = 2**63 - 1
"""A quota too large for the 64 bits that Kueue counts in; whatever is subtracted, it stays unlimited."""

NANO = 1_000_000_000
"""Fair-sharing weights are counted in billionths, the finest unit of a Kubernetes quantity."""


class FlavorResource(NamedTuple):
    """A resource on a flavor: the unit in which Kueue counts quota.

    >>> FlavorResource("a100", "nvidia.com/gpu").resource
    'nvidia.com/gpu'
    """

    flavor: str
    resource: str


Amounts: TypeAlias = Mapping[FlavorResource, Amount]
"""An amount per flavor-resource; what is absent is zero."""


class ApiEnum(IntEnum):
    """Integers to decide with, each with the word that the API writes.

    >>> Reason.IN_CLUSTER_QUEUE_TIME_BASED.label
    'InClusterQueueTimeBased'
    """

    label: str
    """As the API writes it."""

    def __new__(cls, value: int, label: str) -> Self:
        member = int.__new__(cls, value)
        member._value_, member.label = value, label
        return member

    @classmethod
    def labelled(cls) -> dict[str, Self]:
        """The members, by their words.

        >>> BorrowWithinCohort.labelled()["LowerPriority"].name
        'LOWER_PRIORITY'
        """
        return {member.label: member for member in cls}


class WithinClusterQueue(ApiEnum):
    """`spec.preemption.withinClusterQueue` of a ClusterQueue (Kueue v1beta2)."""

    NEVER = 0, "Never"
    LOWER_PRIORITY = 1, "LowerPriority"
    LOWER_OR_NEWER_EQUAL_PRIORITY = 2, "LowerOrNewerEqualPriority"


class ReclaimWithinCohort(ApiEnum):
    """`spec.preemption.reclaimWithinCohort` of a ClusterQueue (Kueue v1beta2).

    UNSET, which is no word of the API, is what an object says on which the API server has filled in no
    default; see KQ-330 and KQ-530.
    """

    NEVER = 0, "Never"
    LOWER_PRIORITY = 1, "LowerPriority"
    ANY = 2, "Any"
    UNSET = 3, "Unset"


class BorrowWithinCohort(ApiEnum):
    """`spec.preemption.borrowWithinCohort.policy` of a ClusterQueue (Kueue v1beta2)."""

    NEVER = 0, "Never"
    LOWER_PRIORITY = 1, "LowerPriority"


class Fungibility(ApiEnum):
    """`whenCanBorrow` and `whenCanPreempt` of `spec.flavorFungibility` (Kueue v1beta2)."""

    MAY_STOP_SEARCH = 0, "MayStopSearch"
    TRY_NEXT_FLAVOR = 1, "TryNextFlavor"


class FlavorPreference(ApiEnum):
    """`spec.flavorFungibility.preference` of a ClusterQueue (Kueue v1beta2)."""

    BORROWING_OVER_PREEMPTION = 0, "BorrowingOverPreemption"
    PREEMPTION_OVER_BORROWING = 1, "PreemptionOverBorrowing"


class FairStrategy(ApiEnum):
    """One of `fairSharing.preemptionStrategies` of Kueue's Configuration."""

    LESS_THAN_OR_EQUAL_TO_FINAL_SHARE = 0, "LessThanOrEqualToFinalShare"
    LESS_THAN_INITIAL_SHARE = 1, "LessThanInitialShare"


class NodeOperator(ApiEnum):
    """Operator of a required node affinity expression (Kubernetes core/v1)."""

    IN = 0, "In"
    NOT_IN = 1, "NotIn"
    EXISTS = 2, "Exists"
    DOES_NOT_EXIST = 3, "DoesNotExist"
    GREATER = 4, "Gt"
    LESS = 5, "Lt"


class QueueingStrategy(ApiEnum):
    """`spec.queueingStrategy` of a ClusterQueue (Kueue v1beta2)."""

    BEST_EFFORT_FIFO = 0, "BestEffortFIFO"
    STRICT_FIFO = 1, "StrictFIFO"


class PreemptionRules(ApiEnum):
    """`spec.preemption.rules` of a ClusterQueue (KEP-8826)."""

    DEFAULT = 0, "DefaultPreemptionRules"
    UBER_CLUSTER_QUEUE = 1, "UberClusterQueueRules"


class RequeuingTimestamp(ApiEnum):
    """`waitForPodsReady.requeuingStrategy.timestamp` of Kueue's Configuration."""

    EVICTION = 0, "Eviction"
    CREATION = 1, "Creation"


class Trigger(ApiEnum):
    """`activationPolicy.trigger` of a rule of a PreemptionConfig (Kueue v0.20), in the order of tiers."""

    ALWAYS = 0, "Always"
    INSUFFICIENT_QUOTA = 1, "InsufficientQuota"
    INSUFFICIENT_TOPOLOGY = 2, "QuotaFeasibleAndInsufficientTopology"


class CandidateScope(ApiEnum):
    """`candidateSelectors[].scope` of a rule of a PreemptionConfig (Kueue v0.20)."""

    LOCAL_QUEUE = 0, "WithinLocalQueue"
    CLUSTER_QUEUE = 1, "WithinClusterQueue"
    PARENT_COHORT = 2, "WithinParentCohort"
    COHORT_TREE = 3, "WithinCohortTree"
    ANYWHERE = 4, "AnyClusterQueue"


class Comparison(ApiEnum):
    """How a PreemptionConfig compares a candidate's value with the preemptor's (Kueue v0.20)."""

    LESS = 0, "LessThan"
    AT_MOST = 1, "LessThanOrEqual"
    GREATER = 2, "GreaterThan"
    AT_LEAST = 3, "GreaterThanOrEqual"


class PriorityMode(ApiEnum):
    """`candidateSelectors[].priority.mode` of a rule of a PreemptionConfig (Kueue v0.20)."""

    BASE = 0, "Base"
    BOOSTED = 1, "Boosted"


@dataclass(frozen=True, slots=True)
class NodeRequirement:
    """One expression of a required node affinity, or of a label selector.

    Args:
        key: the label.
        operator: see `NodeOperator`.
        values: the values compared with; one whole number, as text, for Gt and Lt.
    """

    key: str
    operator: NodeOperator
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Toleration:
    """A toleration of a pod or of a ResourceFlavor (Kubernetes core/v1).

    Args:
        key: the taint's key; None for every key.
        exists: operator Exists; otherwise Equal, and `value` is compared.
        value: the taint's value.
        effect: the taint's effect; None for every effect.
    """

    key: str | None = None
    exists: bool = False
    value: str = ""
    effect: str | None = None


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint of a ResourceFlavor's nodes, of effect NoSchedule or NoExecute."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"


@dataclass(frozen=True, slots=True)
class TopologyRequest:
    """`spec.podSets[].topologyRequest`: the request for a topology; None for a field that is not set.

    Args:
        required, preferred: a level of the topology, as the label of its nodes.
        unconstrained: whether any place in the topology does; False is a topology request too.
        slice_level, slice_size: `podSetSliceRequiredTopology` and `podSetSliceSize`.
        layers: the levels of `podsetSliceRequiredTopologyConstraints`, from the outermost.
        group: `podSetGroupName`.
    """

    required: str | None = None
    preferred: str | None = None
    unconstrained: bool | None = None
    slice_level: str | None = None
    slice_size: int | None = None
    layers: tuple[str, ...] = ()
    group: str | None = None


@dataclass(frozen=True, slots=True)
class PodSet:
    """A homogeneous set of pods of a pending workload.

    Args:
        name: name of the pod set.
        count: requested number of pods.
        requests: amount per resource name for the whole set (`count` pods).
        min_count: the smallest number of pods it may be admitted with; None when all are needed.
        full_count: `count` of the spec, where some of its pods are reclaimable; None where none are.
        node_selector: labels that the pods' nodes must have.
        node_affinity: required node affinity; a node must satisfy all expressions of one of the terms.
            Empty when nothing is required.
        tolerations: the taints that its pods tolerate.
        settled: flavor by resource, where `status.admission` of the pending workload names one already.
        topology: its topology request; None without one.
    """

    name: str
    count: int
    requests: Mapping[str, Amount]
    min_count: int | None = None
    full_count: int | None = None
    node_selector: Mapping[str, str] = field(default_factory=dict)
    node_affinity: tuple[tuple[NodeRequirement, ...], ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    settled: Mapping[str, str] = field(default_factory=dict)
    topology: TopologyRequest | None = None


class PolicyFault(IntEnum):
    """What is wrong with a `dynamicPriorityPolicy` (DYN-040)."""

    NONE = 0
    NO_DELAY = 1
    NEGATIVE_STEP = 2
    NO_MAX = 3
    MAX_BELOW_BASE = 4


@dataclass(frozen=True, slots=True)
class DynamicPriorityPolicy:
    """KEP-754's `dynamicPriorityPolicy` of a WorkloadPriorityClass.

    Args:
        step: what is added to the priority each time.
        max: the highest priority; None where it is not written.
        delay_for_step: ns between two steps.
    """

    step: int
    max: int | None
    delay_for_step: Duration


@dataclass(frozen=True, slots=True)
class WorkloadPriorityClass:
    """A Kueue WorkloadPriorityClass.

    Args:
        name: its name.
        base: the released `value`, or the proposal's `spec.priority`.
        policy: how the priority grows; None where it stays.
        policy_path: path of the policy, since it may be in two places.
    """

    name: str
    base: int
    policy: DynamicPriorityPolicy | None = None
    policy_path: str = "spec.dynamicPriorityPolicy"


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """A label selector of a PreemptionConfig; one that is not set is an empty one, which selects everything.

    Args:
        requirements: all of them must hold.
        fault: why Kueue cannot build it; empty where it can.
    """

    requirements: tuple[NodeRequirement, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ClassNames:
    """`matchNames` and `notMatchNames`, compared with the name that `spec.priorityClassRef` has.

    Args:
        match: one of these, unless there is none.
        exclude: none of these.
    """

    match: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NumericLabel:
    """One of `candidateSelectors[].numericLabels`: a label of Workloads that is read as a 32-bit integer.

    Args:
        key: of the label.
        comparison: of the candidate's number with the preemptor's; None for none.
        minimum, maximum: bounds of the candidate's number, both inclusive; None for none.
        fallback: the number of a workload without a label that is one; None for none.
    """

    key: str
    comparison: Comparison | None = None
    minimum: int | None = None
    maximum: int | None = None
    fallback: int | None = None


@dataclass(frozen=True, slots=True)
class CandidateSelector:
    """One of `candidateSelectors` of a rule: all that it has must hold of a candidate.

    Args:
        scope: where candidates run.
        queues: on the labels of the candidate's ClusterQueue.
        workloads: on the labels of the candidate.
        numbers: numeric labels.
        mode, comparison: which priorities are compared, and how; None, both, where none are.
        classes: names of the candidate's priority class.
        min_execution: `minExecutionDuration`, ns; None where it is not set, as in every release.
    """

    scope: CandidateScope
    queues: LabelSelector = LabelSelector()
    workloads: LabelSelector = LabelSelector()
    numbers: tuple[NumericLabel, ...] = ()
    mode: PriorityMode | None = None
    comparison: Comparison | None = None
    classes: ClassNames = ClassNames()
    min_execution: Duration | None = None

    @property
    def fault(self) -> str:
        """Why Kueue cannot build it; empty where it can."""
        return self.queues.fault or self.workloads.fault


@dataclass(frozen=True, slots=True)
class PreemptionRule:
    """A rule of a PreemptionConfig.

    Args:
        name: its name.
        trigger: its tier.
        preemptors: on the labels of the preemptor.
        preemptor_classes: names of the preemptor's priority class.
        candidates: a workload that one of them selects is a candidate.
    """

    name: str
    trigger: Trigger
    preemptors: LabelSelector = LabelSelector()
    preemptor_classes: ClassNames = ClassNames()
    candidates: tuple[CandidateSelector, ...] = ()


@dataclass(frozen=True, slots=True)
class PreemptionConfig:
    """A Kueue PreemptionConfig (v1alpha1 of v0.20, KEP-13396).

    Args:
        name: its name.
        rules: in the order of the object.
        unread: what of it cannot be read; empty where all can.
        labels: of the object, which PreemptionLimits select by.
    """

    name: str
    rules: tuple[PreemptionRule, ...] = ()
    unread: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


class LimitScope(ApiEnum):
    """`spec.scope` of a PreemptionLimit: which preemptions it counts together."""

    GLOBAL = 0, "Global"
    PREEMPTING_CLUSTER_QUEUE = 1, "PreemptingClusterQueue"
    PREEMPTED_CLUSTER_QUEUE = 2, "PreemptedClusterQueue"
    PREEMPTED_WORKLOAD = 3, "PreemptedWorkload"


@dataclass(frozen=True, slots=True)
class PreemptionLimit:
    """A PreemptionLimit of KEP-13396's FUTURE_WORK, a proposal: so many preemptions by rules in a window.

    Args:
        name: its name.
        scope: which preemptions are counted together.
        limit: so many may count at most; 0 blocks all.
        window: how long each counts, ns.
        configs: on the labels of the PreemptionConfig that selects the victim.
        queues: on the labels of the preemptor's ClusterQueue in scope PreemptingClusterQueue, else of the
            victim's.
        rules: the names of rules that count; all where it is empty.
    """

    name: str
    scope: LimitScope
    limit: int
    window: Duration
    configs: LabelSelector = LabelSelector()
    queues: LabelSelector = LabelSelector()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RulePreemption:
    """A preemption by rules of a PreemptionConfig, as PreemptionLimits count it.

    Args:
        at: when the victim was evicted, ns.
        preempting: the preemptor's ClusterQueue.
        preempted: the victim's ClusterQueue.
        victim: the victim, `namespace/name`.
        config: the PreemptionConfig.
        rules: the rules that select the victim.
    """

    at: Instant
    preempting: str
    preempted: str
    victim: str
    config: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selectable:
    """What the rules of a PreemptionConfig read of a workload; kept only where a ClusterQueue names one.

    Args:
        labels: of its Workload.
        priority_class: the name that `spec.priorityClassRef` has; empty without one.
        priority: `spec.priority`, whatever is added in decisions; None for the workload's own.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    priority_class: str = ""
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class SelectorFacts:
    """What a candidate selector finds of a workload, with the rule that it is of (PCF-070).

    Args:
        preemptor: the rule accepts the preemptor.
        uses_needed: the workload uses a flavor-resource that lacks quota.
        in_scope: it runs within the scope.
        cluster_queue: the labels of its ClusterQueue are selected.
        labels, numbers, priority, priority_class: so are its labels, its numeric labels, its priority and the
            name of its priority class.
    """

    preemptor: bool
    uses_needed: bool
    in_scope: bool
    cluster_queue: bool
    labels: bool
    numbers: bool
    priority: bool
    priority_class: bool


@dataclass(frozen=True, slots=True)
class SelectedBy:
    """Which selectors of a PreemptionConfig select a workload: the evidence for preempting it.

    Args:
        config: name of the PreemptionConfig.
        trigger: the tier.
        selectors: rules by name, each with the places of its selectors.
        facts: what the first of them finds.
    """

    config: str
    trigger: Trigger
    selectors: tuple[tuple[str, tuple[int, ...]], ...]
    facts: SelectorFacts

    @property
    def words(self) -> str:
        """The rules and their selectors as Kueue's message writes them.

        >>> facts = SelectorFacts(*[True] * 8)
        >>> SelectedBy("c", Trigger.ALWAYS, (("a", (0, 2)), ("b", (1,))), facts).words
        'a/0,2; b/1'
        """
        return "; ".join(f"{rule}/{','.join(map(str, places))}" for rule, places in self.selectors)


@dataclass(frozen=True, slots=True)
class Workload:
    """A Kueue Workload, as far as it decides who may preempt whom.

    Args:
        namespace, name, uid: identity; `uid` breaks the last tie.
        priority: `spec.priority`, higher is more important; inside a decision the effective one (KQ-080).
        created_at: `metadata.creationTimestamp`, ns.
        quota_reserved_at: last transition of condition QuotaReserved=True, ns; None when it has no stamp.
        evicted: whether condition Evicted is True.
        pods_ready_evicted_at: last transition of Evicted=True with reason PodsReadyTimeout, ns, else None.
        admission_check_evicted_at: the same for reason AdmissionCheck.
        time_based_preempted_at: last transition of Preempted=True with reason InClusterQueueTimeBased, ns.
        preempted_while_borrowing_at: the same for reason InCohortReclaimWhileBorrowing.
        priority_boost: annotation `kueue.x-k8s.io/priority-boost`; 0 when it is absent or not an int32.
        priority_class: the WorkloadPriorityClass that `spec.priorityClassRef` names; empty without one.
        job_created_at: creation of its Job, ns; None where the Job is not given.
        job_uid: label `kueue.x-k8s.io/job-uid`; empty when it is absent.
        queue_name: `spec.queueName`, the LocalQueue it waits in.
        requeue_at: `status.requeueState.requeueAt`, ns; Kueue does not queue it before. None where it may.
        cluster_queue: the ClusterQueue whose quota it holds; None while it is pending.
        usage: what it holds, per flavor-resource; empty while it is pending.
        pod_sets: its pod sets, with their requests.
        selectable: what PreemptionConfigs read of it; None where no ClusterQueue names one.
        admission_delay: from its quota reservation to its condition Admitted=True, ns; None where it is not
            admitted. Only KEP-9876 needs it.

    >>> Workload(namespace="ml", name="train", uid="u1", priority=100, created_at=0).key
    'ml/train'
    """

    namespace: str
    name: str
    uid: str
    priority: int
    created_at: Instant
    quota_reserved_at: Instant | None = None
    evicted: bool = False
    pods_ready_evicted_at: Instant | None = None
    admission_check_evicted_at: Instant | None = None
    time_based_preempted_at: Instant | None = None
    preempted_while_borrowing_at: Instant | None = None
    priority_boost: int = 0
    priority_class: str = ""
    job_created_at: Instant | None = None
    job_uid: str = ""
    queue_name: str = ""
    requeue_at: Instant | None = None
    cluster_queue: str | None = None
    usage: Amounts = field(default_factory=dict)
    pod_sets: tuple[PodSet, ...] = ()
    selectable: Selectable | None = None
    admission_delay: Duration | None = None

    @property
    def key(self) -> str:
        """`namespace/name`, as the oracle's protocol writes a workload."""
        return f"{self.namespace}/{self.name}"

    @property
    def ages_since(self) -> Instant:
        """The creation that its age counts from, ns: the Job's where it is given, else its own.

        Source: KEP-754, Proposal ("the time since the Job was created").

        >>> Workload("ml", "train", "u1", priority=0, created_at=5, job_created_at=2).ages_since
        2
        """
        return self.created_at if self.job_created_at is None else self.job_created_at

    def with_priority(self, priority: int) -> Workload:
        """The same workload with another priority.

        >>> Workload("ml", "train", "u1", priority=100, created_at=0).with_priority(7).priority
        7
        """
        return dataclasses.replace(self, priority=priority)


@dataclass(frozen=True, slots=True)
class ResourceFlavor:
    """A kind of node that quota is counted on.

    Args:
        name: its name.
        labels: `spec.nodeLabels`; what a pod requires of these labels may exclude the flavor.
        taints: `spec.nodeTaints` of effect NoSchedule or NoExecute; only pods that tolerate them may use it.
        tolerations: `spec.tolerations`, which every pod on the flavor gets.
        topology: `spec.topologyName`; empty where the flavor has none.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    topology: str = ""


@dataclass(frozen=True, slots=True)
class FlavorQuotas:
    """One flavor of a resource group, with the quotas of each resource.

    Args:
        flavor: its name.
        nominal: nominal quota per resource.
        borrowing_limits: the most that may be borrowed beyond it; a resource that is absent has no limit.
        lending_limits: the most of it that others may borrow; a resource that is absent has no limit.
    """

    flavor: str
    nominal: Mapping[str, Amount]
    borrowing_limits: Mapping[str, Amount] = field(default_factory=dict)
    lending_limits: Mapping[str, Amount] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResourceGroup:
    """Resources that are assigned the same flavor together, and the flavors in order of preference."""

    covered_resources: tuple[str, ...]
    flavors: tuple[FlavorQuotas, ...]


def nominal_of(groups: Iterable[ResourceGroup]) -> dict[FlavorResource, Amount]:
    """The nominal quota of every flavor-resource that some resource groups cover.

    >>> nominal_of([ResourceGroup(("cpu",), (FlavorQuotas("x86", {"cpu": 4000}),))])
    {FlavorResource(flavor='x86', resource='cpu'): 4000}
    """
    return {
        FlavorResource(quotas.flavor, resource): amount
        for group in groups
        for quotas in group.flavors
        for resource, amount in quotas.nominal.items()
    }


@dataclass(frozen=True, slots=True)
class NodeQuota:
    """The quota of one flavor-resource at a node of a cohort tree, a ClusterQueue or a Cohort.

    Args:
        nominal: its own nominal quota.
        subtree: that, and what its children lend it.
        local: the part of `subtree` that is invisible outside, because of a lending limit (KQ-120).
        borrowing_limit: the most that it may borrow beyond `subtree`; None for no limit.
    """

    nominal: Amount = 0
    subtree: Amount = 0
    local: Amount = 0
    borrowing_limit: Amount | None = None


@dataclass(frozen=True, slots=True)
class FlavorFungibility:
    """`spec.flavorFungibility` of a ClusterQueue, with Kueue's defaults.

    Args:
        when_can_borrow, when_can_preempt: whether the search for a flavor ends there.
        preference: None where none is set: Kueue's webhook accepts one only beside two times TryNextFlavor.
    """

    when_can_borrow: Fungibility = Fungibility.MAY_STOP_SEARCH
    when_can_preempt: Fungibility = Fungibility.TRY_NEXT_FLAVOR
    preference: FlavorPreference | None = None

    @property
    def preferred(self) -> FlavorPreference:
        """The preference in force: BorrowingOverPreemption where none is set."""
        return FlavorPreference.BORROWING_OVER_PREEMPTION if self.preference is None else self.preference


class Reach(StrEnum):
    """What something that is not modelled may decide."""

    PREEMPTIONS = "preemptions"
    """Whom workloads of its ClusterQueue preempt."""
    TREE = "tree"
    """Every decision in its tree."""


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """A field of an object that affects decisions and is not modelled.

    Args:
        object: such as `ClusterQueue/a`.
        field: path of the field.
        found: its value, as shown.
        text: what is not modelled, in words.
        reach: what it may decide.
        gate: the feature gate without which it decides nothing; empty for none.
        expected: what would be modelled there.
    """

    object: str
    field: str
    found: str
    text: str
    reach: Reach
    gate: str = ""
    expected: str = "nothing here"


@dataclass(frozen=True, slots=True)
class ClusterQueue:
    """A Kueue ClusterQueue.

    Args:
        name: its name.
        resource_groups: quotas.
        within_cluster_queue: which of its own workloads a workload of this queue may preempt.
        min_admit_duration: KEP-8522's `withinClusterQueueConfig.minAdmitDuration` as configured, ns.
        cohort: name of the parent cohort; None when it is alone.
        reclaim_within_cohort: which workloads of other queues of the cohort it may preempt.
        borrow_within_cohort: whether it may do so while it borrows.
        max_priority_threshold: the highest priority that it may preempt while it borrows; None for no limit.
        fungibility: how it chooses among flavors.
        weight: fair-sharing weight in billionths.
        inactive: why its workloads are neither admitted nor candidates; empty when it is active.
        queueing: whether a head that cannot be admitted lets the others pass; no single decision needs it.
        rules: KEP-8826's `spec.preemption.rules`; they make a queue that has a cohort a hero (UCQ-050).
        preemption_config: the PreemptionConfig that its annotation names; None without one.
        labels: its labels; kept only where a ClusterQueue names a PreemptionConfig.
        unmodelled: its fields that affect decisions and are not modelled.
        stop_policy: `spec.stopPolicy`, `Hold` or `HoldAndDrain`; empty where it is not stopped.
    """

    name: str
    resource_groups: tuple[ResourceGroup, ...] = ()
    within_cluster_queue: WithinClusterQueue = WithinClusterQueue.NEVER
    min_admit_duration: Duration | None = None
    cohort: str | None = None
    reclaim_within_cohort: ReclaimWithinCohort = ReclaimWithinCohort.NEVER
    borrow_within_cohort: BorrowWithinCohort = BorrowWithinCohort.NEVER
    max_priority_threshold: int | None = None
    fungibility: FlavorFungibility = field(default_factory=FlavorFungibility)
    weight: int = NANO
    inactive: str = ""
    queueing: QueueingStrategy = QueueingStrategy.BEST_EFFORT_FIFO
    rules: PreemptionRules = PreemptionRules.DEFAULT
    preemption_config: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    unmodelled: tuple[Unmodelled, ...] = ()
    stop_policy: str = ""

    def nominal(self) -> dict[FlavorResource, Amount]:
        """The nominal quota of every flavor-resource that the queue covers."""
        return nominal_of(self.resource_groups)


@dataclass(frozen=True, slots=True)
class Cohort:
    """A Kueue Cohort. One that is only named as a parent exists too, with nothing of its own.

    Args:
        name: its name.
        parent: name of the cohort above it; None at the root.
        resource_groups: quotas of its own.
        weight: fair-sharing weight in billionths.
        unmodelled: its fields that affect decisions and are not modelled.
    """

    name: str
    parent: str | None = None
    resource_groups: tuple[ResourceGroup, ...] = ()
    weight: int = NANO
    unmodelled: tuple[Unmodelled, ...] = ()


@dataclass(frozen=True, slots=True)
class ReclaimBackoff:
    """`reclaimBackoff` of the Configuration (KEP-14468, a proposal), where it is on.

    Args:
        base, most, reset: `backoffBaseSeconds`, `backoffMaxSeconds` and `backoffResetSeconds`, ns.
    """

    base: Duration = 60 * SECOND
    most: Duration = 3600 * SECOND
    reset: Duration = 600 * SECOND


@dataclass(frozen=True, slots=True)
class Settings:
    """What the scheduler itself is configured with, as far as it decides.

    Args:
        time_based_preemption: feature gate TimeBasedSamePriorityPreemption (KEP-8522, on by default).
        requeuing_timestamp: see `RequeuingTimestamp`; the product's default is Eviction.
        fair_sharing: the preemption strategies in their order, none named for both; None for classical
            preemption.
        priority_boost: feature gate PriorityBoost, off by default.
        priority_sorting_within_cohort: feature gate PrioritySortingWithinCohort, on by default.
        fair_sharing_preempt_within_nominal: feature gate FairSharingPreemptWithinNominal, on by default.
        flavor_fungibility: feature gate FlavorFungibility, on by default.
        partial_admission: feature gate PartialAdmission, on by default.
        topology_aware_scheduling: feature gate TopologyAwareScheduling, on by default.
        fair_sharing_protection, reclaim_protection: `preemptionProtection.fairSharing.minAdmitDuration` and
            `preemptionProtection.reclaimWithinCohort.minAdmitDuration`, ns; None where they are not set or
            feature gate PreemptionProtection (KEP-9876, off by default) is off.
        reclaim_backoff: `reclaimBackoff` (KEP-14468); None where it is off, as it is by default.
        release: the release of Kueue that answers are for, such as `0.19`; None for Kueue with all that the
            proposals add. What a release does not have was left out when the objects were read.
    """

    time_based_preemption: bool = True
    requeuing_timestamp: RequeuingTimestamp = RequeuingTimestamp.EVICTION
    fair_sharing: tuple[FairStrategy, ...] | None = None
    priority_boost: bool = False
    priority_sorting_within_cohort: bool = True
    fair_sharing_preempt_within_nominal: bool = True
    flavor_fungibility: bool = True
    partial_admission: bool = True
    topology_aware_scheduling: bool = True
    fair_sharing_protection: Duration | None = None
    reclaim_protection: Duration | None = None
    reclaim_backoff: ReclaimBackoff | None = None
    release: str | None = None

    @property
    def protects_from_others(self) -> bool:
        """Whether any duration of `preemptionProtection` is in force.

        >>> Settings().protects_from_others
        False
        """
        return self.fair_sharing_protection is not None or self.reclaim_protection is not None


@dataclass(frozen=True, slots=True)
class Cluster:
    """A snapshot of a cluster's queues and workloads.

    Args:
        cluster_queues: by name.
        admitted: the workloads that hold quota.
        pending: the workloads that wait for it.
        flavors: the ResourceFlavors that exist, by name.
        local_queues: ClusterQueue name by (namespace, LocalQueue name).
        settings: the scheduler's configuration.
        cohorts: by name; one that is only named as a parent may be left out.
        growing: the WorkloadPriorityClasses that have a policy (KEP-754), by name.
        held: `spec.stopPolicy` of the LocalQueues that are held, by (namespace, name): their pending
            workloads are not queued, and those that hold quota are candidates as any other.
        topologies: the levels of each Topology, from the outermost, by name; empty where none was given.
        preemption_configs: the PreemptionConfigs, by name; None where it is not known which there are.
        class_names: the names of WorkloadPriorityClasses by value; only of a configuration without workloads
            in which a ClusterQueue names a PreemptionConfig.
        cooldowns: until when a ClusterQueue, by name, may not borrow a flavor-resource, ns (KEP-14468); the
            scheduler keeps them in memory, so no manifest has them, and only a play does.
        preemption_limits: the PreemptionLimits.
        preempted: the preemptions that they count; in memory and in plays alone, as cooldowns.
    """

    cluster_queues: Mapping[str, ClusterQueue]
    admitted: tuple[Workload, ...] = ()
    pending: tuple[Workload, ...] = ()
    flavors: Mapping[str, ResourceFlavor] = field(default_factory=dict)
    local_queues: Mapping[tuple[str, str], str] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    cohorts: Mapping[str, Cohort] = field(default_factory=dict)
    growing: Mapping[str, WorkloadPriorityClass] = field(default_factory=dict)
    topologies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    held: Mapping[tuple[str, str], str] = field(default_factory=dict)
    preemption_configs: Mapping[str, PreemptionConfig] | None = None
    class_names: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    cooldowns: Mapping[str, Mapping[FlavorResource, Instant]] = field(default_factory=dict)
    preemption_limits: tuple[PreemptionLimit, ...] = ()
    preempted: tuple[RulePreemption, ...] = ()

    def __repr__(self) -> str:
        """Its size in a line.

        >>> Cluster({"a": ClusterQueue("a")})
        <Cluster: ClusterQueues a; 0 workloads with quota, 0 pending>
        """
        queues = list(self.cluster_queues)
        more = f" and {len(queues) - 4} more" if len(queues) > 4 else ""
        names = f"{', '.join(queues[:4])}{more}" if queues else "none"
        return (
            f"<Cluster: ClusterQueues {names}; {len(self.admitted)} workloads with quota, "
            f"{len(self.pending)} pending>"
        )

    def config_of(self, queue: ClusterQueue) -> PreemptionConfig | None:
        """The PreemptionConfig that a ClusterQueue names, one without rules where it is missing; else None.

        Source: Kueue of September 2026: a missing PreemptionConfig is logged, and counts as none.

        >>> Cluster({}).config_of(ClusterQueue("q", preemption_config="gone")).rules
        ()
        """
        name = queue.preemption_config
        if name is None:
            return None
        return (self.preemption_configs or {}).get(name) or PreemptionConfig(name)

    @property
    def execution_minimums(self) -> frozenset[Duration]:
        """Every minExecutionDuration of the PreemptionConfigs that ClusterQueues name, ns.

        >>> Cluster({}).execution_minimums
        frozenset()
        """
        named = {queue.preemption_config for queue in self.cluster_queues.values()} - {None}
        return frozenset(
            selector.min_execution
            for name, config in (self.preemption_configs or {}).items()
            if name in named
            for rule in config.rules
            for selector in rule.candidates
            if selector.min_execution is not None
        )

    @property
    def limits_in_force(self) -> tuple[PreemptionLimit, ...]:
        """The PreemptionLimits, where a ClusterQueue names a PreemptionConfig: others have nothing to count.

        >>> Cluster({}).limits_in_force
        ()
        """
        named = any(queue.preemption_config is not None for queue in self.cluster_queues.values())
        return self.preemption_limits if named else ()

    def hold_of(self, workload: Workload) -> str:
        """Why Kueue does not queue a workload whose LocalQueue is held; empty for any other.

        Args:
            workload: one of the cluster.

        Source: Kueue v0.19.2, LocalQueues whose stopPolicy is not None are not among the queues.

        >>> train = Workload("ml", "train", "u", priority=0, created_at=0, queue_name="night")
        >>> Cluster({}, held={("ml", "night"): "Hold"}).hold_of(train)
        'LocalQueue ml/night is held: spec.stopPolicy is Hold'
        """
        policy = self.held.get((workload.namespace, workload.queue_name))
        if policy is None:
            return ""
        name = "/".join(filter(None, (workload.namespace, workload.queue_name)))
        return f"LocalQueue {name} is held: spec.stopPolicy is {policy}"


def with_unmodelled(
    cluster: Cluster, change: Callable[[tuple[Unmodelled, ...]], tuple[Unmodelled, ...]]
) -> Cluster:
    """The cluster with something else in the place of what its objects say and is not modelled.

    Args:
        cluster: the cluster.
        change: of one object.

    >>> with_unmodelled(Cluster({}), lambda _: ()).cluster_queues
    {}
    """
    holders: list[ClusterQueue | Cohort] = [*cluster.cluster_queues.values(), *cluster.cohorts.values()]
    if not any(holder.unmodelled for holder in holders):
        return cluster
    return dataclasses.replace(
        cluster,
        cluster_queues={
            name: dataclasses.replace(queue, unmodelled=change(queue.unmodelled))
            for name, queue in cluster.cluster_queues.items()
        },
        cohorts={
            name: dataclasses.replace(cohort, unmodelled=change(cohort.unmodelled))
            for name, cohort in cluster.cohorts.items()
        },
    )


@dataclass(frozen=True, slots=True)
class PodSetFlavors:
    """What one pod set would be admitted with.

    Args:
        name: of the pod set.
        count: number of pods; fewer than requested if it is partially admitted.
        flavors: flavor by resource.
    """

    name: str
    count: int
    flavors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Assignment:
    """The flavors a pending workload would get.

    Args:
        usage: what it would add, per flavor-resource.
        needs_preemption: the flavor-resources that lack quota.
        fits: whether every flavor-resource could be had at all (mode Fit or Preempt, never NoFit).
        pod_sets: the pod sets one by one; empty where the assignment was given without them.
        borrowing: how far up the tree quota would be borrowed from, 0 for not at all. No decision asks for
            it; it orders the heads of a scheduling cycle.
    """

    usage: Amounts
    needs_preemption: frozenset[FlavorResource]
    fits: bool = True
    pod_sets: tuple[PodSetFlavors, ...] = ()
    borrowing: int = field(default=0, compare=False)


class Basis(IntEnum):
    """Why a workload may be preempted."""

    NONE = 0
    LOWER_PRIORITY = 1
    NEWER_EQUAL = 2
    TIME_EXPIRED = 3
    HIERARCHICAL = 4
    WITHOUT_BORROWING = 5
    WHILE_BORROWING = 6
    WITHIN_NOMINAL = 7
    FINAL_SHARE = 8
    INITIAL_SHARE = 9
    HERO = 10


class Reason(ApiEnum):
    """The reason of the Preempted condition, and the `reason` label of Kueue's metric."""

    IN_CLUSTER_QUEUE = 0, "InClusterQueue"
    IN_CLUSTER_QUEUE_TIME_BASED = 1, "InClusterQueueTimeBased"
    IN_COHORT_RECLAMATION = 2, "InCohortReclamation"
    IN_COHORT_RECLAIM_WHILE_BORROWING = 3, "InCohortReclaimWhileBorrowing"
    IN_COHORT_FAIR_SHARING = 4, "InCohortFairSharing"
    UBER_CQ_PREEMPTION = 5, "UberCQPreemption"
    CONFIGURABLE_PREEMPTION = 6, "ConfigurablePreemption"


@dataclass(frozen=True, slots=True)
class Kin:
    """How a target's ClusterQueue is related to the preemptor's, as far as heroes are concerned (UCQ-060).

    Args:
        hero: the target's queue is a hero (UCQ-050).
        in_scope: it is in the subtree that is the preemptor's queue's, where that is a hero (UCQ-040).
        above: both are heroes, and the preemptor's is above the target's (UCQ-010).
        peer: both are heroes of one parent cohort, and not the same queue.
    """

    hero: bool = False
    in_scope: bool = False
    above: bool = False
    peer: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """A workload at the head of its ClusterQueue, as far as the turn in a scheduling cycle goes (UCQ-030).

    Args:
        hero: its queue is a hero.
        cohorts_above: how many cohorts the queue has above it.
        priority: effective priority.
        queued_at: its queue-order timestamp, ns since the epoch.
    """

    hero: bool
    cohorts_above: int
    priority: int
    queued_at: Instant


@dataclass(frozen=True, slots=True)
class CycleHead:
    """A head of a scheduling cycle without fair sharing, as far as its turn goes (CYC-020).

    Args:
        goes_first: it is a preemptor that waits for its targets, and gate PrioritizePreemptorWorkloads is on.
        level: how many cohorts up it would borrow; 0 for within its own nominal quota.
        priority: effective priority.
        queued_at: its queue-order timestamp, ns since the epoch.
    """

    goes_first: bool
    level: int
    priority: int
    queued_at: Instant


@dataclass(frozen=True, slots=True)
class Contestant:
    """A head in the tournament of fair sharing (CYC-030).

    Args:
        goes_first, priority, queued_at: see `CycleHead`.
        borrows: the node that it is below would borrow for its request.
    """

    goes_first: bool
    borrows: bool
    priority: int
    queued_at: Instant


@dataclass(frozen=True, slots=True)
class Evidence:
    """What allows a workload to be preempted: the basis that a rule found, and the facts it found it on.

    Args:
        basis: see `Basis`.
        over_quota: the target's queue, and every cohort between it and the common one, uses more than its
            quota of a needed flavor-resource; otherwise no workload of another ClusterQueue is preempted.
        advantage: the preemptor has a hierarchical advantage over the target (KQ-350).
        borrowing: the attempt lets the preemptor's queue borrow (KQ-360).
        within_nominal: fair sharing: the preemptor's queue stays within its nominal quota (KQ-410).
        share: fair sharing: how the preemptor's share compares with the target's, -1, 0 or 1; with the
            target's share after its removal for FINAL_SHARE, before it for INITIAL_SHARE.
    """

    basis: Basis
    over_quota: bool = False
    advantage: bool = False
    borrowing: bool = False
    within_nominal: bool = False
    share: int = 0


@dataclass(frozen=True, slots=True, init=False)
class Target:
    """A workload that is to be preempted. Only `tenure.oracle.door.take_target` makes one.

    The class itself makes none, has no descendants, and no target becomes another: whoever calls it,
    derives from it, copies or unpickles gets a TypeError.

    Args:
        workload: who loses its quota.
        reason: see `Reason`.
        evidence: what allowed it.
    """

    workload: Workload
    reason: Reason
    evidence: Evidence

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError(_ONE_DOOR)

    def __init_subclass__(cls, **_: object) -> None:
        raise TypeError(_ONE_DOOR)

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError(_ONE_DOOR)

    def __setstate__(self, _: object) -> NoReturn:
        raise TypeError(_ONE_DOOR)


_ONE_DOOR: Final = "a target is made by tenure.oracle.door.take_target, which requires the evidence"


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A candidate's position: keys compared field by field, in this order, sort as KQ-220 requires.

    Args:
        running: 0 when the candidate is already evicted, else 1.
        group: see KQ-220.
        priority: effective priority.
        unexpired: 0 when the candidate is an equal that has exceeded its time, else 1.
        recency: ns; the reservation for an expired equal, its negative for every other candidate.
        uid: breaks the last tie.
    """

    running: int
    group: int
    priority: int
    unexpired: int
    recency: int
    uid: str


class FlavorMode(IntEnum):
    """How a flavor could be assigned to a resource; a higher one is better."""

    NO_FIT = 0
    NO_CANDIDATES = 1
    PREEMPT = 2
    RECLAIM = 3
    FIT = 4


class TurnResult(IntEnum):
    """What becomes of the head of a ClusterQueue on its turn in a scheduling cycle (CYC-060)."""

    ADMITTED = 0
    PREEMPTING = 1
    WAITS_FOR_TARGETS = 2
    """Its targets leave already, by a preemption of this cycle; it fits when they are gone."""
    SKIPPED = 3
    """An entry handled before it in the cycle took its targets or its quota; it is tried again at once."""
    PARKED = 4
    TRIED_AGAIN = 5
    """Not admitted; it stays in the heap of its StrictFIFO queue."""


class Action(IntEnum):
    """What a pending job of KAI-Scheduler wants to do to a running one."""

    PREEMPT = 0
    RECLAIM = 1


class ResolveMethod(IntEnum):
    """The argument `reclaimResolveMethod` of KAI-Scheduler's MinRuntime plugin."""

    LCA = 0
    QUEUE = 1


class Attempts(IntEnum):
    """In which attempts classical selection looks for targets, in order (KQ-360)."""

    BORROWING = 0
    WITHOUT_THEN_BORROWING = 1
    BORROWING_THEN_WITHOUT = 2


class NotModelled(StrEnum):
    """A condition of Kueue that Tenure does not model, by its word in JSON."""

    TOPOLOGY = "topology"

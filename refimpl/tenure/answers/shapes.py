"""The shapes of the answers. JSON has the same fields with camelCase names; see `tenure.answers.written`.

Amounts are texts as Kubernetes writes quantities, `unlimited` where there is no end; times are RFC 3339;
workloads are `namespace/name`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tenure.findings import Finding


@dataclass(frozen=True, slots=True)
class PreemptedShape:
    """A running workload that is preempted.

    Args:
        workload: who.
        cluster_queue: whose quota it holds.
        reason: of the Preempted condition.
        rules: the rules that allow it, from the outermost in.
    """

    workload: str
    cluster_queue: str
    reason: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AmountShape:
    """An amount of a flavor-resource.

    Args:
        flavor: the flavor.
        resource: the resource.
        amount: how much.
    """

    flavor: str
    resource: str
    amount: str


@dataclass(frozen=True, slots=True)
class NodeShape:
    """A node on the path from the ClusterQueue to the root.

    Args:
        kind: ClusterQueue or Cohort.
        name: of the object.
        usage: what is in use at the node.
        nominal: its own nominal quota.
        quota: that, and what its children lend it.
        local_quota: the part that a lending limit keeps from its cohort.
        borrowing_limit: the most that it may borrow; null for no limit.
        available: what is available here without preemption; negative where the node is in debt.
        binds: what of this node bounds the request: `quota`, `borrowingLimit`, or empty.
        text: the same in words.
    """

    kind: str
    name: str
    usage: str
    nominal: str
    quota: str
    local_quota: str
    borrowing_limit: str | None
    available: str
    binds: str
    text: str


@dataclass(frozen=True, slots=True)
class WithheldShape:
    """Idle quota of a node beside the path that a lending limit keeps there.

    Args:
        node: its name.
        amount: how much.
    """

    node: str
    amount: str


@dataclass(frozen=True, slots=True)
class ShortageShape:
    """A flavor-resource that lacks quota, and where in the tree.

    Args:
        flavor: the flavor.
        resource: the resource.
        asked: how much the request asks for.
        available: how much is available without preemption.
        short: the difference.
        path: the nodes from the ClusterQueue to the root.
        withheld: idle quota that lending limits keep elsewhere.
    """

    flavor: str
    resource: str
    asked: str
    available: str
    short: str
    path: tuple[NodeShape, ...]
    withheld: tuple[WithheldShape, ...]


@dataclass(frozen=True, slots=True)
class FlavorShape:
    """A flavor of a resource group, as it was tried for a pod set.

    Args:
        pod_set: name of the pod set.
        resources: the resources that would get this flavor together.
        flavor: its name.
        mode: the worst flavor mode of these resources; Excluded where the pods may not use it, NotTried where
            the search had ended.
        borrowing_level: how far up the tree quota would be borrowed from; 0 for not at all.
        chosen: whether the pod set gets it.
        reason: in words.
    """

    pod_set: str
    resources: tuple[str, ...]
    flavor: str
    mode: str
    borrowing_level: int
    chosen: bool
    reason: str


@dataclass(frozen=True, slots=True)
class PodsShape:
    """A number of pods of a pod set.

    Args:
        pod_set: its name.
        count: how many.
    """

    pod_set: str
    count: int


@dataclass(frozen=True, slots=True)
class CountShape:
    """Numbers of pods that were tried: all of them first, then what partial admission tries.

    Args:
        pods: how many of each pod set.
        served: whether they fit, alone or with targets.
        text: what came of it.
    """

    pods: tuple[PodsShape, ...]
    served: bool
    text: str


@dataclass(frozen=True, slots=True)
class PassedOverShape:
    """A candidate that could not be taken when its turn came.

    Args:
        workload: who.
        why: in words, with the values compared.
    """

    workload: str
    why: str


@dataclass(frozen=True, slots=True)
class AttemptShape:
    """An attempt to find targets.

    Args:
        name: `with borrowing`, `without borrowing`, or the strategy of fair sharing.
        candidates: how many might be taken at its start.
        removed: who was removed, in order.
        passed_over: who could not be taken when its turn came.
        fits: whether the request fits after the removals.
        short: what is still short.
        text: what it came to.
    """

    name: str
    candidates: int
    removed: tuple[str, ...]
    passed_over: tuple[PassedOverShape, ...]
    fits: bool
    short: tuple[AmountShape, ...]
    text: str


@dataclass(frozen=True, slots=True)
class FlipShape:
    """A change of one field of one object that changes the answer.

    Args:
        object: the object, as `ClusterQueue/team-a`; `clock` for the time.
        field: path of the field in its manifest.
        old: its value; `not set` where it has none.
        new: the value that changes the answer.
        before: the answer without the change: fits, preempts, waits, taken or kept.
        after: the answer with the change.
        decision: the outcome with the change.
        preempted: who is preempted with the change, in order.
        size: how large the change is, from 0 to 1.
        exact: whether every smaller change of this field is excluded; otherwise it is the nearest found.
        text: the same in a sentence.
    """

    object: str
    field: str
    old: str
    new: str
    before: str
    after: str
    decision: str
    preempted: tuple[str, ...]
    size: float
    exact: bool
    text: str


@dataclass(frozen=True, slots=True)
class FlipsShape:
    """The nearest flips, and how far was searched.

    Args:
        tried: how many altered situations were decided.
        fields: how many fields were searched.
        complete: whether all fields were searched.
        nearest: the smallest changes, the smallest first.
    """

    tried: int
    fields: int
    complete: bool
    nearest: tuple[FlipShape, ...]


@dataclass(frozen=True, slots=True)
class WorkloadShape:
    """A running workload: whether it is taken, and what the rules found.

    Args:
        workload: who.
        cluster_queue: whose quota it holds.
        taken: whether it is preempted.
        verdict: the answer in one line.
        findings: what each rule found, from the outermost in.
    """

    workload: str
    cluster_queue: str
    taken: bool
    verdict: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class DecisionShape:
    """A decision, and how it came about.

    Args:
        workload: the pending workload.
        cluster_queue: where it waits.
        decision: Fit, Preempt, NoCandidates or NoFit.
        summary: the outcome, and what was short, in words.
        preempted: who is preempted, in the order of removal.
        request: what the quota rules found about the request.
        shortages: what lacks quota, and where in the tree.
        flavors: the flavors that were tried, in order.
        counts: the numbers of pods that were tried, in order.
        attempts: the attempts to find targets, in order.
        filled_back: who was removed and given its quota back.
    """

    workload: str
    cluster_queue: str
    decision: str
    summary: tuple[str, ...]
    preempted: tuple[PreemptedShape, ...]
    request: tuple[Finding, ...]
    shortages: tuple[ShortageShape, ...]
    flavors: tuple[FlavorShape, ...]
    counts: tuple[CountShape, ...]
    attempts: tuple[AttemptShape, ...]
    filled_back: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplainAnswer:
    """A whole decision explained.

    Args:
        now: the cycle's clock.
        reading: a preset's name, or every choice.
        decision: the decision, and how it came about.
        workloads: every workload that holds quota in the tree; those that are taken first, in order.
        flips: what would have to differ for the pending workload to fare otherwise.
    """

    now: str
    reading: str | dict[str, str]
    decision: DecisionShape
    workloads: tuple[WorkloadShape, ...]
    flips: FlipsShape


@dataclass(frozen=True, slots=True)
class CaseShape:
    """How a running workload fares with one pending workload.

    Args:
        preemptor: the pending workload.
        cluster_queue: where that waits.
        decision: Fit, Preempt, NoCandidates or NoFit.
        taken: whether the running workload is preempted.
        verdict: the answer in one line.
        findings: what each rule found about it, from the outermost in.
        flips: what would have to differ for it to fare otherwise; null where that was not asked.
    """

    preemptor: str
    cluster_queue: str
    decision: str
    taken: bool
    verdict: str
    findings: tuple[Finding, ...]
    flips: FlipsShape | None


@dataclass(frozen=True, slots=True)
class UndecidedShape:
    """A pending workload that could not be asked about.

    Args:
        workload: who.
        problem: why not.
    """

    workload: str
    problem: str


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Why a running workload is, or would be, preempted.

    Args:
        victim: the running workload.
        cluster_queue: whose quota it holds.
        now: the cycle's clock.
        reading: a preset's name, or every choice.
        summary: the answer in one line.
        cases: one for each pending workload that was asked about; those that would take it first.
        undecided: pending workloads that could not be asked about.
    """

    victim: str
    cluster_queue: str
    now: str
    reading: str | dict[str, str]
    summary: str
    cases: tuple[CaseShape, ...]
    undecided: tuple[UndecidedShape, ...]


@dataclass(frozen=True, slots=True)
class WhyNotAnswer:
    """Why a pending workload is not admitted, or why it does not take a running one.

    Args:
        victim: the running workload that was asked about; null where none was.
        now: the cycle's clock.
        reading: a preset's name, or every choice.
        summary: the answer in one line.
        decision: the decision, and how it came about.
        workload: what the rules found about the running workload; null where none was asked about, or where
            it stands in another tree.
        flips: what would have to differ for the answer to differ.
    """

    victim: str | None
    now: str
    reading: str | dict[str, str]
    summary: str
    decision: DecisionShape
    workload: WorkloadShape | None
    flips: FlipsShape

"""The shapes of the answers. JSON has the same fields with camelCase names; see `written` beside this.

Amounts are texts as Kubernetes writes quantities, `unlimited` where there is no end; times are RFC 3339;
workloads are `namespace/name`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tenure.telling.findings import Finding
from tenure.telling.findings.attempts import AttemptFinding
from tenure.telling.findings.counts import CountTrial
from tenure.telling.findings.flavors import FlavorTrial


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
        billed: of a hero what others pay for, which `usage` does not count; of any other node what it and
            those below it are billed for heroes, which `quota` does not count.
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
    billed: str
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
class FlipShape:
    """A change of one field of one object that changes the answer.

    Args:
        object: the object, as `ClusterQueue/team-a`; `clock` for the time.
        field: path of the field in its manifest.
        old: its value; `not set` where it has none.
        new: the value that changes the answer; it was verified by deciding.
        bound: the change as a boundary, `below 4` where new is 3999m; null where new is the plainer value.
        before: the answer without the change: fits, preempts, waits, taken or kept.
        after: the answer with the change.
        decision: the outcome with the change.
        preempted: who is preempted with the change, in order.
        usable: whether it does no harm to who asks, and is more than the edge of the old value.
        tie: the signed divergence by which Kueue decides by chance with the change; null where it does not.
        size: how large the change is, from 0 to 1.
        exact: whether every smaller change of this field is excluded; otherwise it is the nearest found.
        text: the same in a sentence.
    """

    object: str
    field: str
    old: str
    new: str
    bound: str | None
    before: str
    after: str
    decision: str
    preempted: tuple[str, ...]
    usable: bool
    tie: str | None
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
        nearest: the smallest changes, the usable ones first, of these the smaller first.
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
        summary: the outcome, and what was short or where it fits, in words.
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
    flavors: tuple[FlavorTrial, ...]
    counts: tuple[CountTrial, ...]
    attempts: tuple[AttemptFinding, ...]
    filled_back: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplainAnswer:
    """A whole decision explained.

    Args:
        now: the cycle's clock.
        reading: a preset's name, or every choice.
        reading_text: the same in words: a preset's name, and what differs from it.
        decision: the decision, and how it came about.
        workloads: every workload that holds quota in the tree; those that are taken first, in order.
        flips: what would have to differ for the pending workload to fare otherwise.
    """

    now: str
    reading: str | dict[str, str]
    reading_text: str
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
        summary: the outcome, and what was short or where it fits, in words.
        flavors: the flavors tried for the pending workload, in order; empty where several are asked about.
        counts: the numbers of its pods that were tried, in order; empty where several are asked about.
        attempts: the attempts to find targets, in order; empty where several are asked about.
        findings: what each rule found about it, from the outermost in.
        flips: what would have to differ for it to fare otherwise; null where that was not asked.
    """

    preemptor: str
    cluster_queue: str
    decision: str
    taken: bool
    verdict: str
    summary: tuple[str, ...]
    flavors: tuple[FlavorTrial, ...]
    counts: tuple[CountTrial, ...]
    attempts: tuple[AttemptFinding, ...]
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
        reading_text: the same in words: a preset's name, and what differs from it.
        summary: the answer in one line.
        cases: one for each pending workload that was asked about; those that would take it first.
        undecided: pending workloads that could not be asked about.
    """

    victim: str
    cluster_queue: str
    now: str
    reading: str | dict[str, str]
    reading_text: str
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
        reading_text: the same in words: a preset's name, and what differs from it.
        summary: the answer in one line.
        decision: the decision, and how it came about.
        workload: what the rules found about the running workload; null where none was asked about, or where
            it stands in another tree.
        flips: what would have to differ for the answer to differ.
    """

    victim: str | None
    now: str
    reading: str | dict[str, str]
    reading_text: str
    summary: str
    decision: DecisionShape
    workload: WorkloadShape | None
    flips: FlipsShape

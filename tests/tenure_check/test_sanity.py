"""What `tenure analyze sanity` says: each check on a small configuration, and against random states."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tenure.conformance.requests import DecideRequest
from tenure.model import (
    Cluster,
    ClusterQueue,
    ReclaimWithinCohort,
    ResourceFlavor,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import decide
from tenure.oracle.snapshot import take_snapshot
from tenure.oracle.tree import available_at
from tenure.readings import preset
from tenure_check.analysis.sanity import findings_of_objects, findings_of_tree
from tenure_check.analysis.sanity_findings import SanityCheck, SanityFinding
from tenure_lab.generators.dice import SeededDice
from tenure_lab.generators.options import Options
from tenure_lab.generators.scenarios import draw_request
from tests import clusters
from tests.sampling import sample

READING = preset("guaranteed")
ANY, LOWER = ReclaimWithinCohort.ANY, WithinClusterQueue.LOWER_PRIORITY
SEED = 22


def queue(name: str, nominal: int, limit: int | None = None, **policy: Any) -> ClusterQueue:
    """A ClusterQueue of cohort `all` with a quota of GPUs."""
    made = clusters.queue(name, "all", {"a100": {"gpu": (nominal, limit, None)}})
    return replace(made, **policy)


def found(*queues: ClusterQueue, settings: Settings | None = None) -> list[tuple[str, str, str]]:
    """Check, object and field of every finding."""
    named = {cluster_queue.name: cluster_queue for cluster_queue in queues}
    cluster = Cluster(named, flavors={"a100": ResourceFlavor("a100")}, settings=settings or Settings())
    return [
        (finding.check.value, finding.object, finding.field) for finding in findings_of_tree(cluster, READING)
    ]


def of_quota(kind: str, name: str, amount: int) -> tuple[str, Any]:
    """An object of cohort `ml` with GPUs."""
    flavor = {"name": "a100", "resources": [{"name": "gpu", "nominalQuota": amount}]}
    spec = {"resourceGroups": [{"coveredResources": ["gpu"], "flavors": [flavor]}]}
    member = {"cohortName": "ml"} if kind == "ClusterQueue" else {}
    return f"{kind}/{name}", {"kind": kind, "metadata": {"name": name}, "spec": {**spec, **member}}


@pytest.mark.parametrize(("own", "is_found"), [(4, True), (3, False), (0, False)])
def test_a_cohorts_quota_that_is_the_sum_of_its_queues_is_found(own: int, is_found: bool) -> None:
    members = [of_quota("ClusterQueue", name, 2) for name in "ab"]
    notices = list(findings_of_objects([*members, of_quota("Cohort", "ml", own)]))
    named = [(notice.check.value, notice.object, notice.field) for notice in notices]
    assert named == [("CohortQuotaOnTop", "Cohort/ml", "spec.resourceGroups")] * is_found
    assert all("8 gpu on a100 in all" in notice.message for notice in notices)


LIMIT = "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit"


@pytest.mark.parametrize(("limit", "is_named"), [(3, False), (4, True), (5, True), (0, False)])
def test_a_limit_is_never_reached_from_all_that_the_others_own_on(limit: int, is_named: bool) -> None:
    named = found(queue("a", 2, limit), queue("b", 4))
    assert named == ([("LimitNeverReached", "ClusterQueue/a", LIMIT)] if is_named else [])


def test_without_quota_and_without_borrow_within_cohort_no_policy_has_an_effect() -> None:
    policy: dict[str, Any] = {"within_cluster_queue": LOWER, "reclaim_within_cohort": ANY}
    guest, owner = queue("guest", 0, **policy), queue("owner", 4)
    fields = ["withinClusterQueue", "reclaimWithinCohort"]
    assert found(guest, owner) == [
        ("NeverPreempts", "ClusterQueue/guest", f"spec.preemption.{field}") for field in fields
    ]
    assert "NeverPreempts" not in str(found(guest, owner, settings=Settings(fair_sharing=())))
    assert "NeverPreempts" not in str(found(queue("guest", 1, **policy), owner))


def test_nothing_is_reclaimed_where_no_other_queue_can_borrow() -> None:
    lender = queue("lender", 4, reclaim_within_cohort=ANY)
    named = ("NothingToReclaim", "ClusterQueue/lender", "spec.preemption.reclaimWithinCohort")
    assert found(lender, queue("b", 2, 0)) == [named]
    assert found(lender, queue("b", 2, 1)) == []


def test_weight_0_without_quota_never_takes_from_queues_with_a_weight() -> None:
    fair = Settings(fair_sharing=())
    guest = queue("guest", 0, reclaim_within_cohort=ANY, weight=0)
    named = ("ZeroWeightNeverTakes", "ClusterQueue/guest", "spec.preemption.reclaimWithinCohort")
    some, other = queue("b", 0), queue("lender", 4)
    assert named in found(guest, some, other, settings=fair)
    assert named not in found(guest, replace(some, weight=0), other, settings=fair)
    assert named not in found(replace(guest, weight=1), some, other, settings=fair)


def test_bytes_without_a_unit_are_named_beside_a_quota_with_one() -> None:
    def memory(name: str, quota: str) -> tuple[str, Any]:
        group = {"flavors": [{"resources": [{"name": "memory", "nominalQuota": quota}]}]}
        return name, {"kind": "ClusterQueue", "spec": {"resourceGroups": [group]}}

    (finding,) = findings_of_objects([memory("ClusterQueue/a", "64"), memory("ClusterQueue/b", "64Gi")])
    assert (finding.check, finding.object) == (SanityCheck.UNITS_DIFFER, "ClusterQueue/a")
    assert list(findings_of_objects([memory("ClusterQueue/a", "64"), memory("ClusterQueue/b", "32")])) == []
    large = memory("ClusterQueue/a", str(2**30))
    assert list(findings_of_objects([large, memory("ClusterQueue/b", "64Gi")])) == []


def test_a_class_is_unused_only_where_there_are_workloads() -> None:
    unused = ("WorkloadPriorityClass/low", {"kind": "WorkloadPriorityClass", "metadata": {"name": "low"}})
    assert list(findings_of_objects([unused])) == []
    (finding,) = findings_of_objects([unused, ("", {"kind": "Workload", "spec": {}})])
    assert finding.check == SanityCheck.UNUSED_CLASS


def altered(request: DecideRequest, dice: SeededDice) -> DecideRequest:
    """The same with policies and quotas that the checks speak of more often than chance would have it."""
    queues = dict(request.cluster.cluster_queues)
    for name, drawn in queues.items():
        if dice.chance(40):
            groups = tuple(
                replace(
                    group,
                    flavors=tuple(
                        replace(flavor, nominal=dict.fromkeys(flavor.nominal, 0)) for flavor in group.flavors
                    ),
                )
                for group in drawn.resource_groups
            )
            queues[name] = replace(drawn, resource_groups=groups)
        if dice.chance(30):
            queues[name] = replace(queues[name], weight=0)
    settings = request.cluster.settings
    if dice.chance(50):
        settings = replace(settings, fair_sharing=None if settings.fair_sharing is not None else ())
    return replace(request, cluster=replace(request.cluster, cluster_queues=queues, settings=settings))


def is_consistent(cluster: Cluster, now: int) -> bool:
    """Whether nothing is in use anywhere beyond what there is."""
    for name in cluster.cluster_queues:
        snapshot = take_snapshot(cluster, name, now, READING)
        for node in snapshot.tree.nodes:
            for asked in {**node.quotas, **snapshot.usage[node.place]}:
                if available_at(snapshot.tree, snapshot.usage, node.place, asked) < 0:
                    return False
    return True


def thinned(cluster: Cluster, now: int) -> Cluster:
    """The cluster with as many of its running workloads as fit."""
    kept: tuple[Workload, ...] = ()
    for workload in cluster.admitted:
        if is_consistent(replace(cluster, admitted=(*kept, workload)), now):
            kept = (*kept, workload)
    return replace(cluster, admitted=kept)


def without_limit(cluster: Cluster, finding: SanityFinding) -> Cluster:
    """The cluster without the borrowing limit that a finding names."""
    kind, _, name = finding.object.partition("/")
    numbers = [int(part.partition("]")[0]) for part in finding.field.split("[")[1:]]
    i, j, k = numbers
    holder: Any = (cluster.cohorts if kind == "Cohort" else cluster.cluster_queues)[name]
    groups = list(holder.resource_groups)
    flavors = list(groups[i].flavors)
    resource = list(flavors[j].nominal)[k]
    limits = {key: limit for key, limit in flavors[j].borrowing_limits.items() if key != resource}
    assert len(limits) < len(flavors[j].borrowing_limits)
    flavors[j] = replace(flavors[j], borrowing_limits=limits)
    groups[i] = replace(groups[i], flavors=tuple(flavors))
    changed = replace(holder, resource_groups=tuple(groups))
    if kind == "Cohort":
        return replace(cluster, cohorts={**cluster.cohorts, name: changed})
    return replace(cluster, cluster_queues={**cluster.cluster_queues, name: changed})


def decided(cluster: Cluster, request: DecideRequest, name: str) -> tuple[Any, ...]:
    """Outcome, targets with their queues, and what would be used."""
    decision = decide(cluster, request.preemptor, name, request.now, READING)
    targets = [(target.workload.key, target.workload.cluster_queue) for target in decision.targets]
    return decision.outcome, targets, decision.assignment.usage


def is_contradicted(finding: SanityFinding, request: DecideRequest) -> bool:
    """Whether a decision for the waiting workload, in any queue, is another one than a finding allows."""
    cluster = request.cluster
    if finding.check == SanityCheck.LIMIT_NEVER_REACHED:
        other = without_limit(cluster, finding)
        names = list(cluster.cluster_queues)
        return any(decided(cluster, request, name) != decided(other, request, name) for name in names)
    name = finding.object.partition("/")[2]
    targets = decided(cluster, request, name)[1]
    if finding.check == SanityCheck.NEVER_PREEMPTS:
        return bool(targets)
    return any(holder != name for _, holder in targets)


@cache
def tried() -> tuple[Counter[str], Counter[str], list[str]]:
    """How often each check spoke, how often its policy would have preempted without it, what contradicts."""
    held: Counter[str] = Counter()
    busy: Counter[str] = Counter()
    wrong: list[str] = []
    for index in range(sample(200, 12_000)):
        dice = SeededDice(f"{SEED}/{index}")
        request = altered(draw_request(dice, Options(max_queues=3, max_depth=2, max_workloads=6)), dice)
        findings = list(findings_of_tree(request.cluster, READING))
        if findings:
            request = replace(request, cluster=thinned(request.cluster, request.now))
        for finding in findings:
            held[finding.check.value] += 1
            busy[finding.check.value] += bool(request.cluster.admitted)
            if is_contradicted(finding, request):
                wrong.append(f"{SEED}/{index}: {finding.check} {finding.object} {finding.field}")
    return held, busy, wrong


def test_no_random_state_contradicts_a_finding() -> None:
    held, busy, wrong = tried()
    assert wrong == []
    from_quotas = {"LimitNeverReached", "NeverPreempts", "NothingToReclaim", "ZeroWeightNeverTakes"}
    assert set(held) == from_quotas, held
    assert set(busy) == from_quotas, busy

"""Single functions of the real scheduler, replayed: the recorded lines that are no whole decision."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from tenure.conformance.requests import read_decide_request
from tenure.manifests import read_workload
from tenure.model import (
    Basis,
    Cluster,
    Evidence,
    FlavorResource,
    ReclaimWithinCohort,
    RequeuingTimestamp,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.effects import preemption_message
from tenure.oracle.fair import Round, by_queue, left_with, next_queue, tournament_of
from tenure.oracle.question import ELSEWHERE, OWN, Candidate, Question, in_order
from tenure.oracle.shares import Shares
from tenure.oracle.snapshot import Snapshot, take_snapshot, with_effective_priority
from tenure.oracle.tree import Tree, Usage, available_at, build_tree, potential_at, total_usage
from tenure.readings import preset
from tenure.rules.eligibility import basis_within_queue
from tenure.rules.reclaim import may_reclaim
from tenure.rules.share import weighted_share
from tenure.rules.terms import PreemptionTerms, terms_of
from tests.tenure.conformance.recorded import lines, needs_recorded

pytestmark = needs_recorded

NOW = "2026-08-22T12:00:00Z"
CPU = FlavorResource("default", "cpu")


def cluster_of(line: Mapping[str, Any]) -> Cluster:
    """The cluster of a recorded line."""
    request = {
        "now": line.get("now", NOW),
        "featureGates": line["featureGates"],
        "fairSharing": {"preemptionStrategies": []},
        "requeuingTimestamp": "",
        "clusterQueues": line["clusterQueues"],
        "cohorts": line.get("cohorts", []),
        "resourceFlavors": line.get("resourceFlavors", _named_flavors(line)),
        "admitted": line.get("admitted") or [],
        "incoming": {"metadata": {"name": "incoming"}, "spec": {"podSets": []}},
        "targetCQ": line["clusterQueues"][0]["metadata"]["name"],
        "assignment": None,
    }
    return read_decide_request(request).cluster


def _named_flavors(line: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = {
        flavor["name"]
        for queue in line["clusterQueues"]
        for group in queue.get("spec", {}).get("resourceGroups", [])
        for flavor in group["flavors"]
    }
    return [{"metadata": {"name": name}} for name in sorted(names)]


def amounts(entries: list[dict[str, Any]] | None) -> dict[FlavorResource, int]:
    """Recorded amounts by flavor-resource."""
    return {FlavorResource(entry["flavor"], entry["resource"]): entry["amount"] for entry in entries or []}


def workload_of(raw: Mapping[str, Any], queue: str = "", *, boosts: bool = True) -> Workload:
    """A recorded workload, with its effective priority."""
    named = {**raw, "metadata": {"name": "unnamed", **raw["metadata"]}}
    spec = {**named["spec"], "podSets": []}
    read = read_workload({**named, "spec": spec, "status": _without_admission(raw)}, holds_quota=True)
    held = Workload(
        read.namespace,
        read.name,
        read.uid,
        read.priority,
        read.created_at,
        quota_reserved_at=read.quota_reserved_at,
        evicted=read.evicted,
        priority_boost=read.priority_boost,
        job_uid=read.job_uid,
        cluster_queue=queue,
        usage={CPU: 0},
    )
    return with_effective_priority(
        held, Cluster({}, settings=Settings(priority_boost=boosts)), 0, preset("released")
    )


def _without_admission(raw: Mapping[str, Any]) -> dict[str, Any]:
    status = dict(raw.get("status") or {})
    return {**status, "admission": {"clusterQueue": "any"}}


@pytest.mark.parametrize("line", lines("available.jsonl"), ids=lambda line: line["name"])
def test_available(line: dict[str, Any]) -> None:
    cluster = cluster_of(line)
    for name, queue in cluster.cluster_queues.items():
        tree = build_tree(cluster, queue)
        usage = recorded_usage(tree, line["usage"])
        place = tree.places[name]
        for asked, amount in amounts(line["got"]["available"][name]).items():
            assert max(0, available_at(tree, usage, place, asked)) == amount
        for asked, amount in amounts(line["got"]["potentiallyAvailable"][name]).items():
            assert potential_at(tree, place, asked) == amount
        for node in tree.nodes:
            kind = "Cohort" if node.queue is None else "ClusterQueue"
            got = line["gotNodes"][f"{kind}/{node.name}"]
            assert {
                flavor_resource: quota.subtree for flavor_resource, quota in node.quotas.items()
            } == amounts(got["subtreeQuota"])
            assert nonzero(usage[node.place]) == nonzero(amounts(got["usage"]))


def recorded_usage(tree: Tree, usage: Mapping[str, Any]) -> Usage:
    """What the queues of a tree use, as recorded."""
    held = {tree.places[name]: amounts(used) for name, used in usage.items() if name in tree.places}
    return total_usage(tree, held)


def nonzero(usage: Mapping[FlavorResource, int]) -> dict[FlavorResource, int]:
    """The amounts that are not zero."""
    return {asked: amount for asked, amount in usage.items() if amount}


@pytest.mark.parametrize("line", lines("cohort_lendable.jsonl"), ids=lambda line: line["name"])
def test_cohort_lendable(line: dict[str, Any]) -> None:
    cluster = cluster_of(line)
    tree = build_tree(cluster, next(iter(cluster.cluster_queues.values())))
    lendable: Counter[str] = Counter()
    for asked in tree.nodes[0].quotas:
        lendable[asked.resource] += potential_at(tree, 0, asked)
    assert dict(lendable) == line["got"]


@pytest.mark.parametrize("line", lines("dominant_resource_share.jsonl"), ids=lambda line: line["name"])
def test_dominant_resource_share(line: dict[str, Any]) -> None:
    cluster = cluster_of(line)
    seen = 0
    for queue in cluster.cluster_queues.values():
        snapshot = take_snapshot(cluster, queue.name, 0, preset("released"))
        more = amounts(line["additionalUsage"])
        for node in snapshot.tree.nodes:
            charged = [dict(used) for used in snapshot.usage]
            for asked, amount in more.items():
                charged[node.place][asked] = charged[node.place].get(asked, 0) + amount
            share = Shares(snapshot.tree).of(tuple(charged), node.place)
            (got,) = (item for item in line["got"] if item["name"] == node.name)
            seen += 1
            assert share.borrowing == got["borrowing"]
            precise = weighted_share(share)
            assert precise == float(got["preciseWeightedShare"].replace("+Inf", "inf"))
            rounded = 2**63 - 1 if math.isinf(precise) else math.ceil(precise)
            assert rounded == got["roundedWeightedShare"]
    assert seen >= len(line["got"])


@pytest.mark.parametrize("line", lines("is_borrowing_on.jsonl"), ids=lambda line: line["name"])
def test_is_borrowing_on(line: dict[str, Any]) -> None:
    cluster = cluster_of(line)
    tree = build_tree(cluster, cluster.cluster_queues[line["node"]])
    place = tree.places[line["node"]]
    usage = recorded_usage(tree, {line["node"]: line["usage"]})
    assert Shares(tree).of(usage, place).borrowing == line["got"]["borrowing"]
    requested = frozenset(asked for asked, amount in amounts(line["requested"]).items() if amount > 0)
    asking = question(
        Snapshot(cluster, cluster.cluster_queues[line["node"]], tree, place, {}, usage), requested
    )
    assert asking.exceeds_quota(usage, place) == line["got"]["borrowingOnRequested"]


def question(snapshot: Snapshot, needed: frozenset[FlavorResource]) -> Question:
    """A search that only places and quotas matter for."""
    preemptor = Workload("", "preemptor", "", priority=0, created_at=0)
    terms = terms_of(snapshot.queue, snapshot.cluster.settings, preset("released"))
    return Question(snapshot, preemptor, needed, {}, terms, now=0)


@pytest.mark.parametrize("line", lines("target_cluster_queue_ordering.jsonl"), ids=lambda line: line["name"])
def test_target_cluster_queue_ordering(line: dict[str, Any]) -> None:
    cluster = cluster_of(line)
    snapshot = take_snapshot(cluster, line["preemptorCQ"], 0, preset("released"))
    tree = snapshot.tree
    asking = question(snapshot, frozenset({CPU}))
    candidates = [
        Candidate(workload, Evidence(Basis.NONE), place, OWN if place == snapshot.place else ELSEWHERE)
        for place, workloads in snapshot.running.items()
        if tree.nodes[place].name in line["candidateCQs"]
        for workload in workloads
    ]
    state = Round(snapshot.usage, snapshot.usage, by_queue(in_order(asking, candidates)))
    tournament = tournament_of(asking, snapshot.usage)
    visited = []
    for index in itertools.count():
        place = next_queue(tournament, state)
        if place is None:
            break
        visited.append(tree.nodes[place].name)
        dropped = line["actions"][index : index + 1] == ["drop"]
        state = left_with(state, place, () if dropped else state.waiting[place][1:])
    assert visited == line["got"]


@pytest.mark.parametrize(
    "line",
    # With usage of LocalQueues configured, candidates have one more key: admission fair sharing.
    [
        line
        for line in lines("candidates_ordering.jsonl")
        if line["name"] != "workloads with higher LQ usage first"
    ],
    ids=lambda line: line["name"],
)
def test_candidates_ordering(line: dict[str, Any]) -> None:
    boosts = line["featureGates"]["PriorityBoost"]
    workloads = [
        workload_of(item["workload"], item["clusterQueue"], boosts=boosts) for item in line["candidates"]
    ]
    cluster = cluster_of({**line, "clusterQueues": [{"metadata": {"name": line["preemptorCQ"]}}]})
    asking = question(take_snapshot(cluster, line["preemptorCQ"], 0, preset("released")), frozenset())
    asking = Question(asking.snapshot, asking.preemptor, frozenset(), {}, asking.terms, now_of(line))
    ordered = in_order(
        asking,
        [
            Candidate(
                workload,
                Evidence(Basis.NONE),
                0,
                OWN if workload.cluster_queue == line["preemptorCQ"] else ELSEWHERE,
            )
            for workload in workloads
        ],
    )
    assert [candidate.workload.name for candidate in ordered] == line["got"]


def now_of(line: Mapping[str, Any]) -> int:
    """The clock of a line."""
    return read_workload({"metadata": {"name": "now", "creationTimestamp": line["now"]}}).created_at


@pytest.mark.parametrize("line", lines("priority_info.jsonl"), ids=lambda line: line["name"])
def test_priority_info(line: dict[str, Any]) -> None:
    boosts = line["featureGates"]["PriorityBoost"]
    plain = workload_of(line["workload"], boosts=False)
    effective = workload_of(line["workload"], boosts=boosts)
    assert plain.priority == line["got"]["base"]
    assert effective.priority == line["got"]["effective"]
    assert effective.priority - plain.priority == line["got"]["boost"]


@pytest.mark.parametrize("line", lines("preemption_message.jsonl"), ids=lambda line: line["name"])
def test_preemption_message(line: dict[str, Any]) -> None:
    preemptor = workload_of(line["preemptor"])
    causes = {"": "", "InClusterQueue": "prioritization in the ClusterQueue"}
    said = preemption_message(
        preemptor.uid,
        preemptor.job_uid,
        causes[line["reason"]],
        line["preemptorPath"],
        line["preempteePath"],
    )
    assert said == line["got"]


@pytest.mark.parametrize("line", lines("satisfies_preemption_policy.jsonl"), ids=lambda line: line["name"])
def test_satisfies_preemption_policy(line: dict[str, Any]) -> None:
    boosts = line["featureGates"]["PriorityBoost"]
    preemptor, target = (workload_of(line[who], "q", boosts=boosts) for who in ("preemptor", "candidate"))
    assert satisfies(line, preemptor, target) == line["got"]


def satisfies(line: Mapping[str, Any], preemptor: Workload, target: Workload) -> bool:
    """Whether a policy allows a target: one of the two places where Kueue asks takes each word."""
    within, reclaim = WithinClusterQueue.labelled(), ReclaimWithinCohort.labelled()
    terms = PreemptionTerms(
        **{
            **{name: getattr(_TERMS, name) for name in PreemptionTerms.__dataclass_fields__},
            "within_cluster_queue": within.get(line["policy"], WithinClusterQueue.NEVER),
            "reclaim_within_cohort": reclaim.get(line["policy"], ReclaimWithinCohort.NEVER),
        }
    )
    own = basis_within_queue(preemptor, target, terms, now=0) != Basis.NONE
    other = may_reclaim(preemptor, target, terms)
    return own if line["policy"] in within and line["policy"] not in reclaim else other


_CLUSTER = cluster_of(
    {"clusterQueues": [{"metadata": {"name": "q"}}], "featureGates": {}, "resourceFlavors": []}
)
_TERMS = terms_of(
    _CLUSTER.cluster_queues["q"],
    Settings(requeuing_timestamp=RequeuingTimestamp.CREATION),
    preset("released"),
)

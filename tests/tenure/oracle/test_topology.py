"""Flavors with topologies, requests for them, and pod sets that get their flavors together."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from tenure.choices import Engine
from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.engines import decide
from tenure.model import (
    Cluster,
    ClusterQueue,
    FlavorQuotas,
    NotModelled,
    PodSet,
    ResourceFlavor,
    ResourceGroup,
    Settings,
    TopologyRequest,
    Workload,
)
from tenure.oracle.decide import Decision
from tenure.readings import preset
from tenure_lab.generators.writing import write_request
from tests.sampling import sample

LEVELS = ("zone", "rack", "host")
REQUESTS = (
    None,
    TopologyRequest(required="rack"),
    TopologyRequest(preferred="row"),
    TopologyRequest(unconstrained=True),
    TopologyRequest(unconstrained=False),
    TopologyRequest(slice_level="host", slice_size=2),
    TopologyRequest(slice_size=2),
    TopologyRequest(required="zone", layers=("rack", "row")),
    TopologyRequest(required="zone", group="g"),
    TopologyRequest(group="g"),
)


def decided(cluster: Cluster, *pod_sets: PodSet, engine: Engine = Engine.REFERENCE) -> Decision:
    waiting = Workload("ml", "new", "u", priority=0, created_at=0, pod_sets=pod_sets)
    return decide(engine, cluster, waiting, "q", 1, preset("guaranteed"))


def request_of(cluster: Cluster, pod_sets: Sequence[PodSet]) -> DecideRequest:
    waiting = Workload("ml", "new", "u", priority=0, created_at=0, pod_sets=tuple(pod_sets))
    return DecideRequest(cluster, waiting, "q", 1, preset("guaranteed"), None, explained=False)


def cluster_of(*groups: ResourceGroup, topologies: dict[str, str], known: bool = False) -> Cluster:
    names = [quotas.flavor for group in groups for quotas in group.flavors]
    flavors = {name: ResourceFlavor(name, topology=topologies.get(name, "")) for name in names}
    levels = dict.fromkeys(topologies.values(), LEVELS) if known else {}
    return Cluster({"q": ClusterQueue("q", groups)}, flavors=flavors, topologies=levels)


def group(resource: str, **nominal: int) -> ResourceGroup:
    return ResourceGroup(
        (resource,), tuple(FlavorQuotas(name, {resource: most}) for name, most in nominal.items())
    )


def test_pod_sets_of_one_group_get_one_flavor_together() -> None:
    cluster = cluster_of(group("gpu", small=3, large=8), topologies={"small": "racks", "large": "racks"})
    lead = PodSet("lead", 1, {"gpu": 1}, topology=TopologyRequest(required="rack", group="g"))
    work = PodSet("work", 4, {"gpu": 4}, topology=TopologyRequest(required="rack", group="g"))
    together = decided(cluster, lead, work)
    assert [pods.flavors for pods in together.assignment.pod_sets] == [{"gpu": "large"}, {"gpu": "large"}]
    assert dict(together.assignment.usage) == {("large", "gpu"): 5}
    alone = TopologyRequest(required="rack")
    apart = decided(
        cluster, PodSet("lead", 1, {"gpu": 1}, topology=alone), PodSet("work", 4, {"gpu": 4}, topology=alone)
    )
    assert [pods.flavors for pods in apart.assignment.pod_sets] == [{"gpu": "small"}, {"gpu": "large"}]


def test_a_leader_that_asks_for_nothing_is_placed_with_its_group() -> None:
    cluster = cluster_of(group("gpu", placed=8), topologies={"placed": "racks"})
    grouped = TopologyRequest(required="rack", group="g")
    work = PodSet("work", 4, {"gpu": 4}, topology=grouped)
    placed = decided(cluster, PodSet("lead", 1, {}, topology=grouped), work)
    assert (placed.outcome.value, placed.not_modelled) == ("Fit", (NotModelled.TOPOLOGY,))
    alone = PodSet("lead", 1, {}, topology=TopologyRequest(required="rack"))
    assert decided(cluster, alone, work).outcome.value == "NoFit"


@pytest.mark.parametrize(("known", "outcome"), [(False, "Fit"), (True, "NoFit")])
def test_a_topology_that_was_not_given_has_every_level(known: bool, outcome: str) -> None:
    cluster = cluster_of(group("gpu", placed=8), topologies={"placed": "racks"}, known=known)
    pods = PodSet("main", 1, {"gpu": 1}, topology=TopologyRequest(required="row"))
    assert decided(cluster, pods).outcome.value == outcome


def test_what_no_flavor_serves_is_final_and_the_rest_by_quota_alone() -> None:
    cluster = cluster_of(group("gpu", placed=2), topologies={"placed": "racks"})
    for amount, left_out in ((2, (NotModelled.TOPOLOGY,)), (3, ())):
        assert decided(cluster, PodSet("main", 1, {"gpu": amount})).not_modelled == left_out


def test_both_engines_serve_topologies_alike() -> None:
    pytest.importorskip("numpy")
    dice = random.Random(7)
    outcomes = set()
    for _ in range(sample(60, 2_000)):
        names = ["a", "b", "c"][: dice.randint(1, 3)]
        resources = ["gpu", "cpu"][: dice.randint(1, 2)]
        groups = [
            group(resource, **{f"{resource}-{name}": dice.randint(0, 4) for name in names})
            for resource in resources
        ]
        flavors = [quotas.flavor for one in groups for quotas in one.flavors]
        placed = {name: dice.choice(("racks", "rows")) for name in flavors if dice.random() < 0.6}
        cluster = cluster_of(*groups, topologies=placed, known=dice.random() < 0.5)
        if dice.random() < 0.1:
            settings = Settings(topology_aware_scheduling=False)
            cluster = Cluster(cluster.cluster_queues, flavors=cluster.flavors, settings=settings)
        pod_sets = [
            PodSet(
                f"set{number}",
                count := dice.randint(0, 2),
                {name: count for name in resources if dice.random() < 0.8},
                topology=dice.choice(REQUESTS),
            )
            for number in range(dice.randint(1, 3))
        ]
        one, other = (
            decided(cluster, *pod_sets, engine=engine) for engine in (Engine.REFERENCE, Engine.FAST)
        )
        outcomes.add((other.engine, one.outcome))
        assert (one.outcome, one.not_modelled) == (other.outcome, other.not_modelled), (cluster, pod_sets)
        assert one.assignment == other.assignment, (cluster, pod_sets)
        if not all(pods.count for pods in pod_sets):
            continue
        again = read_decide_request(write_request(request_of(cluster, pod_sets)))
        assert again.preemptor.pod_sets == tuple(pod_sets)
        assert again.cluster.flavors == cluster.flavors
    assert len(outcomes) >= 3

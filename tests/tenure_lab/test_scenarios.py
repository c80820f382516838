"""Every drawn input is a request that the API server and Kueue's webhooks would let through."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import find

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.manifests.quantities import amount_of, parse_quantity
from tenure_lab.generators.dice import SeededDice
from tenure_lab.generators.options import ALL_FEATURES, KUEUE_FEATURES, Feature, Options
from tenure_lab.generators.predicates import has_boundary, has_tie, traits_of
from tenure_lab.generators.quotas import charged
from tenure_lab.generators.scenarios import draw_for_core, draw_request, drawn_example, examples
from tenure_lab.generators.strategies import clusters, decide_inputs
from tenure_lab.generators.writing import write_request
from tests.command_line import run_program
from tests.tenure_lab.fields import allowed, paths

Object = dict[str, Any]

SEED = 20261120
GATES = {
    "FairSharingPreemptWithinNominal": True,
    "FlavorFungibility": True,
    "PartialAdmission": True,
    "PriorityBoost": False,
    "PrioritySortingWithinCohort": True,
    "ReclaimablePods": True,
    "TopologyAwareScheduling": True,
}
"""The feature gates that scenarios vary, with their defaults in Kueue v0.19."""
COUNT = 300
STRATEGIES: tuple[list[str], ...] = (
    [],
    ["LessThanOrEqualToFinalShare"],
    ["LessThanInitialShare"],
    ["LessThanOrEqualToFinalShare", "LessThanInitialShare"],
)


@pytest.fixture(scope="module", name="drawn")
def _drawn() -> list[Object]:
    print(f"examples({COUNT}, seed={SEED})")
    return list(examples(COUNT, SEED))


@pytest.fixture(scope="module", name="read")
def _read(drawn: list[Object]) -> list[DecideRequest]:
    return [read_decide_request(scenario) for scenario in drawn]


def is_fair(scenario: Object) -> bool:
    return scenario["fairSharing"] is not None


def quotas_of(spec: Object) -> Iterator[tuple[tuple[str, str], Object]]:
    """Every quota of a ClusterQueue's or Cohort's spec, with its flavor and resource."""
    for group in spec.get("resourceGroups", ()):
        for flavor in group["flavors"]:
            for quota in flavor["resources"]:
                yield (flavor["name"], quota["name"]), quota


def amount(text: str, resource: str) -> int:
    return amount_of(resource, parse_quantity(text))


def specs(drawn: list[Object], kind: str) -> Iterator[tuple[Object, Object]]:
    """Every object's spec, with the scenario it is of."""
    for scenario in drawn:
        for item in scenario[kind]:
            yield scenario, item["spec"]


def test_every_field_is_one_of_the_api(drawn: list[Object]) -> None:
    assert {path for scenario in drawn for path in paths(scenario)} <= allowed()


def test_policies_are_legal_together(drawn: list[Object]) -> None:
    for _, spec in specs(drawn, "clusterQueues"):
        preemption, search = spec["preemption"], spec["flavorFungibility"]
        if preemption["reclaimWithinCohort"] == "Never":
            assert preemption["borrowWithinCohort"]["policy"] == "Never"
        if "preference" in search:
            assert {search["whenCanBorrow"], search["whenCanPreempt"]} == {"TryNextFlavor"}


def test_limits_need_a_parent_and_lending_stays_within_nominal(drawn: list[Object]) -> None:
    for kind, parent in (("clusterQueues", "cohortName"), ("cohorts", "parentName")):
        for _, spec in specs(drawn, kind):
            for place, quota in quotas_of(spec):
                if parent not in spec:
                    assert not {"borrowingLimit", "lendingLimit"} & quota.keys()
                if kind == "clusterQueues" and "lendingLimit" in quota:
                    lent, nominal = quota["lendingLimit"], quota["nominalQuota"]
                    assert amount(lent, place[1]) <= amount(nominal, place[1])


def test_flavors_list_what_the_group_covers_and_stand_once(drawn: list[Object]) -> None:
    for _, spec in (*specs(drawn, "clusterQueues"), *specs(drawn, "cohorts")):
        groups = spec.get("resourceGroups", [])
        for group in groups:
            for flavor in group["flavors"]:
                assert [item["name"] for item in flavor["resources"]] == group["coveredResources"]
        names = [flavor["name"] for group in groups for flavor in group["flavors"]]
        covered = [resource for group in groups for resource in group["coveredResources"]]
        assert len(names) == len(set(names))
        assert len(covered) == len(set(covered))


def test_cohorts_form_trees_of_at_most_four_levels(read: list[DecideRequest]) -> None:
    for request in read:
        nodes = charged(request)
        assert max(node.depth for node in nodes.queues.values()) <= 4
        assert max((node.depth for node in nodes.cohorts.values()), default=0) <= 3


def test_uids_and_names_are_unique(drawn: list[Object]) -> None:
    for scenario in drawn:
        workloads = [*scenario["admitted"], scenario["incoming"]]
        for key in ("uid", "name"):
            values = [workload["metadata"][key] for workload in workloads]
            assert len(values) == len(set(values))


def test_what_is_assigned_belongs_to_a_pod_set_and_a_flavor_of_the_queue(drawn: list[Object]) -> None:
    for scenario in drawn:
        queues = {item["metadata"]["name"]: item["spec"] for item in scenario["clusterQueues"]}
        for workload in scenario["admitted"]:
            admission = workload["status"]["admission"]
            places = {place for place, _ in quotas_of(queues[admission["clusterQueue"]])}
            counts = {item["name"]: item["count"] for item in workload["spec"]["podSets"]}
            for assigned in admission["podSetAssignments"]:
                assert assigned["count"] == counts[assigned["name"]]
                assert assigned["flavors"].keys() == assigned["resourceUsage"].keys()
                assert {(flavor, resource) for resource, flavor in assigned["flavors"].items()} <= places


def test_the_target_is_active(drawn: list[Object]) -> None:
    for scenario in drawn:
        flavors = {item["metadata"]["name"] for item in scenario["resourceFlavors"]}
        (target,) = (
            item for item in scenario["clusterQueues"] if item["metadata"]["name"] == scenario["targetCQ"]
        )
        assert {place[0] for place, _ in quotas_of(target["spec"])} <= flavors


def test_gates_and_strategies_are_kueues(drawn: list[Object]) -> None:
    for scenario in drawn:
        assert scenario["featureGates"].keys() == GATES.keys()
        if is_fair(scenario):
            assert scenario["fairSharing"]["preemptionStrategies"] in STRATEGIES


def test_partial_admission_leaves_at_least_one_pod_and_fewer_than_all(drawn: list[Object]) -> None:
    least = [
        (item["minCount"], item["count"])
        for scenario in drawn
        for item in scenario["incoming"]["spec"]["podSets"]
        if "minCount" in item
    ]
    assert least
    assert all(1 <= minimum < count for minimum, count in least)


def test_ties_and_boundaries_are_common(read: list[DecideRequest]) -> None:
    for measure in (has_tie, has_boundary):
        assert sum(map(measure, read)) >= COUNT / 5


def test_every_trait_is_drawn() -> None:
    print(f"examples({COUNT}, seed={SEED}, features=ALL_FEATURES)")
    drawn = examples(COUNT, SEED, features=ALL_FEATURES)
    seen = {trait for scenario in drawn for trait in traits_of(read_decide_request(scenario))}
    assert seen == {
        *("classical", "fair sharing", "tie", "boundary", "tie or boundary"),
        *(f"{levels} levels of cohorts above the target" for levels in range(5)),
        *("several flavors in a group of the target", "with heroes", "with minAdmitDuration"),
        "with classes whose priority grows",
    }


@pytest.mark.parametrize(
    "features", [ALL_FEATURES, Options().features, frozenset()], ids=["all", "Kueue's", "none"]
)
def test_whatever_form_is_written_it_reads_as_what_was_drawn(features: frozenset[Feature]) -> None:
    options = Options(features=features)
    for index in range(150):
        dice = SeededDice(f"{SEED}/{index}")
        request = draw_request(dice, options)
        assert read_decide_request(write_request(request, dice, features)) == request, (SEED, index)


def test_what_is_drawn_for_the_core_reads_the_same_from_its_manifests() -> None:
    for index in range(150):
        drawn = draw_for_core(SEED, index)
        assert read_decide_request(write_request(drawn)) == drawn, (SEED, index)


def test_a_scenario_depends_on_its_seed_and_its_index_alone() -> None:
    assert [draw_for_core(SEED, index) for index in (5, 3)] == [
        draw_for_core(SEED, index) for index in (3, 5)
    ][::-1]
    assert draw_for_core(SEED, 3) != draw_for_core(SEED + 1, 3)
    assert draw_for_core(SEED, 3) != draw_for_core(SEED, 4)


def test_options_bound_the_scenarios() -> None:
    print(f"examples(100, seed={SEED}, ...)")
    small = examples(100, SEED, max_workloads=3, max_queues=2, max_depth=1, fair_sharing=True)
    for scenario in small:
        assert len(scenario["admitted"]) <= 3
        assert len(scenario["clusterQueues"]) <= 2
        assert {item["metadata"]["name"] for item in scenario["cohorts"]} <= {"c0", "c1", "c2", "c3"}
        assert all("parentName" not in item["spec"] for item in scenario["cohorts"])
        assert is_fair(scenario)


def test_without_features_nothing_special_is_drawn() -> None:
    print(f"examples(100, seed={SEED}, features=frozenset())")
    for scenario in examples(100, SEED, features=frozenset()):
        assert scenario["featureGates"] == GATES
        text = json.dumps(scenario)
        for special in (
            "minCount",
            "Evicted",
            "reclaimablePods",
            "nodeTaints",
            "Limit",
            "annotations",
            "gone",
        ):
            assert f'"{special}' not in text


@pytest.mark.parametrize(
    ("feature", "field"),
    [
        (Feature.LIMITS, "borrowingLimit"),
        (Feature.TAINTS, "nodeTaints"),
        (Feature.TAINTS, "nodeAffinity"),
        (Feature.WEIGHTS, "weight"),
        (Feature.EVICTIONS, "AdmissionCheck"),
        (Feature.PARTIAL, "minCount"),
        (Feature.POD_SETS, "extra"),
        (Feature.RECLAIMABLE, "reclaimablePods"),
        (Feature.INACTIVE, "gone"),
    ],
)
def test_a_feature_brings_its_field(drawn: list[Object], feature: Feature, field: str) -> None:
    assert any(f'"{field}"' in json.dumps(scenario) for scenario in drawn), feature


def test_uids_are_shared_only_on_request() -> None:
    print(f"examples(50, seed={SEED}, unique_uids=False)")
    uids = [
        [workload["metadata"]["uid"] for workload in scenario["admitted"]]
        for scenario in examples(50, SEED, unique_uids=False)
    ]
    assert any(len(uid) > len(set(uid)) for uid in uids)


def test_a_seed_draws_the_same_in_another_process_without_hypothesis() -> None:
    program = (
        "import hashlib, json, sys; from tenure_lab.generators.scenarios import examples; "
        "assert 'hypothesis' not in sys.modules; "
        f"print(hashlib.sha256(json.dumps(list(examples(100, {SEED}))).encode()).hexdigest())"
    )
    said = run_program(sys.executable, "-c", program, check=True)
    here = hashlib.sha256(json.dumps(list(examples(100, SEED))).encode()).hexdigest()
    assert said.stdout.strip() == here


def test_other_seeds_and_indices_draw_others() -> None:
    first = drawn_example(SEED, 0, Options())[1]
    assert first not in (drawn_example(SEED, 1, Options())[1], drawn_example(SEED + 1, 0, Options())[1])


def test_one_is_drawn_alone_as_among_others() -> None:
    assert [drawn_example(SEED, 7, Options())[1]] == list(examples(8, SEED))[7:]


def test_what_is_found_is_small() -> None:
    small = find(decide_inputs(), lambda scenario: is_fair(scenario) and len(scenario["admitted"]) >= 2)
    assert len(small["admitted"]) == 2
    assert len(small["clusterQueues"]) == 1
    assert small["cohorts"] == []
    assert len(small["incoming"]["spec"]["podSets"]) == 1


@pytest.mark.parametrize(
    "options", [{"max_workloads": 0}, {"max_workloads": 91}, {"max_queues": 13}, {"max_depth": -1}]
)
def test_an_option_outside_its_range_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        Options(**options)  # type: ignore[arg-type]


def test_clusters_are_the_same_scenarios_as_model_objects() -> None:
    small = find(clusters(max_depth=0, max_queues=1, features=frozenset()), lambda _: True)
    assert small.queue == "q0"
    assert [workload.cluster_queue for workload in small.cluster.admitted] == ["q0"]


def test_large_amounts_change_few_scenarios_and_no_others() -> None:
    count = 200
    print(f"examples({count}, seed={SEED}, features=KUEUE_FEATURES | {{Feature.LARGE}})")
    usual, mixed = Options(), Options(features=KUEUE_FEATURES | {Feature.LARGE})
    changed = 0
    for index in range(count):
        (before, _), (after, written) = (drawn_example(SEED, index, options) for options in (usual, mixed))
        if after == before:
            continue
        changed += 1
        assert read_decide_request(written) == after, (SEED, index)
        assert max(amounts_of(after)) > 2**56, (SEED, index)
        assert [workload.key for workload in after.cluster.admitted] == [
            workload.key for workload in before.cluster.admitted
        ]
    assert 0 < changed < count / 10


def amounts_of(request: DecideRequest) -> list[int]:
    """Every nominal quota of a ClusterQueue or Cohort, and what is asked for."""
    cluster = request.cluster
    groups = [group for queue in cluster.cluster_queues.values() for group in queue.resource_groups]
    groups += [group for cohort in cluster.cohorts.values() for group in cohort.resource_groups]
    asked = [amount for pods in request.preemptor.pod_sets for amount in pods.requests.values()]
    return asked + [
        amount for group in groups for flavor in group.flavors for amount in flavor.nominal.values()
    ]

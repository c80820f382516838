"""Which flavors a pending workload gets, and which choices are refused."""

from __future__ import annotations

import pytest

from tenure.errors import ErrorCode, InputError, Problem
from tenure.model import (
    Assignment,
    Cluster,
    ClusterQueue,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    ResourceFlavor,
    ResourceGroup,
    Workload,
)
from tenure.oracle.assignment import assignment_of, derive_assignment

CPU = FlavorResource("default", "cpu")
PODS = FlavorResource("default", "pods")


def group(**nominal: int) -> ResourceGroup:
    """A group of one flavor."""
    return ResourceGroup(tuple(nominal), (FlavorQuotas("default", nominal),))


def asking(*pod_sets: PodSet) -> Workload:
    """A pending workload."""
    return Workload("ml", "w", "u", priority=0, created_at=0, pod_sets=pod_sets)


def derived(
    workload: Workload,
    *groups: ResourceGroup,
    flavors: tuple[ResourceFlavor, ...] = (),
    usage: dict[FlavorResource, int] | None = None,
) -> Assignment:
    """Its assignment."""
    queue = ClusterQueue("q", groups)
    cluster = Cluster({"q": queue}, flavors={flavor.name: flavor for flavor in flavors})
    return derive_assignment(workload, queue, cluster, usage or {})


def problem_of(workload: Workload, *groups: ResourceGroup, flavor: ResourceFlavor) -> Problem:
    """Why an assignment is refused."""
    with pytest.raises(InputError) as caught:
        derived(workload, *groups, flavors=(flavor,))
    (problem,) = caught.value.problems
    assert problem.code == ErrorCode.NOT_MODELLED
    return problem


def test_pod_sets_are_summed() -> None:
    workload = asking(PodSet("a", 2, {"cpu": 2000}), PodSet("b", 1, {"cpu": 500}))
    assert derived(workload, group(cpu=4000)) == Assignment({CPU: 2500}, frozenset())


def test_each_group_gives_its_own_flavor() -> None:
    gpus = ResourceGroup(("nvidia.com/gpu",), (FlavorQuotas("a100", {"nvidia.com/gpu": 8}),))
    workload = asking(PodSet("a", 1, {"cpu": 1, "nvidia.com/gpu": 1}))
    assert derived(workload, group(cpu=1), gpus).usage == {
        CPU: 1,
        FlavorResource("a100", "nvidia.com/gpu"): 1,
    }


def test_where_pods_are_covered_their_number_is_charged() -> None:
    workload = asking(PodSet("a", 3, {"cpu": 1}), PodSet("b", 2, {}))
    assert derived(workload, group(cpu=9, pods=4)) == Assignment(
        {CPU: 1, PODS: 5}, frozenset({PODS}), fits=False
    )


def test_where_pods_are_not_covered_their_number_is_free() -> None:
    assert derived(asking(PodSet("a", 3, {"cpu": 1})), group(cpu=9)).usage == {CPU: 1}


def test_an_uncovered_resource_never_fits() -> None:
    assignment = derived(asking(PodSet("a", 1, {"cpu": 1, "memory": 1})), group(cpu=9))
    assert (assignment.fits, assignment.usage) == (False, {})


def test_zero_of_an_uncovered_resource_is_no_request() -> None:
    assignment = derived(asking(PodSet("a", 1, {"cpu": 1, "memory": 0})), group(cpu=9))
    assert assignment == Assignment({CPU: 1}, frozenset())


def test_only_what_lacks_quota_needs_preemption() -> None:
    workload = asking(PodSet("a", 1, {"cpu": 2, "pods": 1}))
    assert derived(workload, group(cpu=4), usage={CPU: 2}).needs_preemption == frozenset()
    assert derived(workload, group(cpu=4, pods=9), usage={CPU: 3}).needs_preemption == frozenset({CPU})


@pytest.mark.parametrize(("asked", "fits"), [(4, True), (5, False)])
def test_a_request_fits_up_to_the_nominal_quota(asked: int, fits: bool) -> None:
    assignment = assignment_of({CPU: asked}, ClusterQueue("q", (group(cpu=4),)), {CPU: 4})
    assert (assignment.fits, assignment.needs_preemption) == (fits, frozenset({CPU}))


def test_a_tainted_flavor_is_refused() -> None:
    problem = problem_of(
        asking(PodSet("a", 1, {"cpu": 1})), group(cpu=4), flavor=ResourceFlavor("default", tainted=True)
    )
    assert (problem.object, problem.field) == ("ResourceFlavor/default", "spec.nodeTaints")


@pytest.mark.parametrize("constraint", ["nodeSelector", "affinity"])
def test_a_node_constraint_beside_a_labelled_flavor_is_refused_where_it_stands(constraint: str) -> None:
    pod_sets = PodSet("a", 1, {"cpu": 1}), PodSet("b", 1, {"cpu": 1}, node_constraint=constraint)
    problem = problem_of(asking(*pod_sets), group(cpu=4), flavor=ResourceFlavor("default", labelled=True))
    assert (problem.object, problem.field) == ("Workload/ml/w", f"spec.podSets[1].template.spec.{constraint}")


def test_a_node_constraint_beside_a_flavor_without_labels_excludes_nothing() -> None:
    workload = asking(PodSet("a", 1, {"cpu": 1}, node_constraint="nodeSelector"))
    assert derived(workload, group(cpu=4), flavors=(ResourceFlavor("default"),)).fits


def test_a_flavor_that_nothing_requested_needs_is_never_refused() -> None:
    gpus = ResourceGroup(("nvidia.com/gpu",), (FlavorQuotas("a100", {"nvidia.com/gpu": 8}),))
    tainted = ResourceFlavor("a100", tainted=True)
    assert derived(asking(PodSet("a", 1, {"cpu": 1})), group(cpu=4), gpus, flavors=(tainted,)).fits


def test_several_flavors_that_nothing_requested_needs_are_never_refused() -> None:
    quotas = tuple(FlavorQuotas(flavor, {"nvidia.com/gpu": 4}) for flavor in ("a100", "h100"))
    several = ResourceGroup(("nvidia.com/gpu",), quotas)
    assert derived(asking(PodSet("a", 1, {"cpu": 1})), group(cpu=4), several).usage == {CPU: 1}

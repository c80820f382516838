"""Which flavors a pending workload gets."""

from __future__ import annotations

import pytest

from tenure.choices import Outcome
from tenure.model import (
    Assignment,
    Cluster,
    ClusterQueue,
    FlavorFungibility,
    FlavorPreference,
    FlavorQuotas,
    FlavorResource,
    Fungibility,
    NodeOperator,
    NodeRequirement,
    PodSet,
    PodSetFlavors,
    ResourceFlavor,
    ResourceGroup,
    Settings,
    Taint,
    Toleration,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.assignment import Assigner
from tenure.oracle.decide import Decision, decide
from tenure.oracle.snapshot import take_snapshot
from tenure.readings import preset
from tenure.rules.terms import terms_of

CPU = FlavorResource("default", "cpu")
PODS = FlavorResource("default", "pods")
READING = preset("released")


def group(**nominal: int) -> ResourceGroup:
    """A group of one flavor."""
    return ResourceGroup(tuple(nominal), (FlavorQuotas("default", nominal),))


def choice(*flavors: str, quota: int = 4, resource: str = "cpu") -> ResourceGroup:
    """A group of several flavors with the same quota each."""
    return ResourceGroup((resource,), tuple(FlavorQuotas(flavor, {resource: quota}) for flavor in flavors))


def asking(*pod_sets: PodSet, priority: int = 0) -> Workload:
    """A pending workload."""
    return Workload("ml", "w", "u", priority=priority, created_at=0, pod_sets=pod_sets)


def using(name: str, at: FlavorResource, amount: int, priority: int = 0) -> Workload:
    """A workload that holds quota."""
    return Workload("ml", name, f"uid-{name}", priority, created_at=0, cluster_queue="q", usage={at: amount})


def derived(
    workload: Workload,
    *groups: ResourceGroup,
    flavors: tuple[ResourceFlavor, ...] = (),
    admitted: tuple[Workload, ...] = (),
    settings: Settings | None = None,
    fungibility: FlavorFungibility | None = None,
) -> Assignment:
    """Its assignment."""
    queue = ClusterQueue(
        "q",
        groups,
        WithinClusterQueue.LOWER_PRIORITY,
        fungibility=fungibility or FlavorFungibility(),
    )
    cluster = Cluster(
        {"q": queue},
        admitted,
        flavors={flavor.name: flavor for flavor in flavors},
        settings=settings or Settings(),
    )
    terms = terms_of(queue, cluster.settings, READING)
    return Assigner(take_snapshot(cluster, "q", 0, READING), workload, terms, now=0).assign().assignment


def flavor_of(assignment: Assignment) -> str | None:
    """The flavor of cpu in the first pod set; None when nothing fits."""
    return assignment.pod_sets[0].flavors["cpu"] if assignment.fits else None


def test_pod_sets_are_summed() -> None:
    workload = asking(PodSet("a", 2, {"cpu": 2000}), PodSet("b", 1, {"cpu": 500}))
    pod_sets = (PodSetFlavors("a", 2, {"cpu": "default"}), PodSetFlavors("b", 1, {"cpu": "default"}))
    assert derived(workload, group(cpu=4000)) == Assignment({CPU: 2500}, frozenset(), pod_sets=pod_sets)


def test_each_group_gives_its_own_flavor() -> None:
    gpus = choice("a100", quota=8, resource="nvidia.com/gpu")
    workload = asking(PodSet("a", 1, {"cpu": 1, "nvidia.com/gpu": 1}))
    assert derived(workload, group(cpu=1), gpus).usage == {
        CPU: 1,
        FlavorResource("a100", "nvidia.com/gpu"): 1,
    }


def test_where_pods_are_covered_their_number_is_charged() -> None:
    workload = asking(PodSet("a", 3, {"cpu": 1}), PodSet("b", 2, {}))
    assert derived(workload, group(cpu=9, pods=5)).usage == {CPU: 1, PODS: 5}
    assert not derived(workload, group(cpu=9, pods=4)).fits


def test_where_pods_are_not_covered_their_number_is_free() -> None:
    assert derived(asking(PodSet("a", 3, {"cpu": 1})), group(cpu=9)).usage == {CPU: 1}


def test_the_search_makes_no_room_for_pods() -> None:
    # Kueue's assigner counts pods, its search for targets does not: one victim, though three pods are short.
    queue = ClusterQueue("q", (group(pods=4),), WithinClusterQueue.LOWER_PRIORITY)
    cluster = Cluster({"q": queue}, tuple(using(name, PODS, 1) for name in "abcd"))
    decision = decide(cluster, asking(PodSet("a", 3, {}), priority=1), "q", 0, READING)
    assert (decision.outcome, len(decision.targets)) == (Outcome.PREEMPT, 1)


def test_an_uncovered_resource_never_fits() -> None:
    assignment = derived(asking(PodSet("a", 1, {"cpu": 1, "memory": 1})), group(cpu=9))
    assert (assignment.fits, assignment.usage) == (False, {})


def test_zero_of_an_uncovered_resource_is_no_request() -> None:
    assignment = derived(asking(PodSet("a", 1, {"cpu": 1, "memory": 0})), group(cpu=9))
    assert (assignment.fits, assignment.usage) == (True, {CPU: 1})


def test_only_what_lacks_quota_needs_preemption() -> None:
    workload = asking(PodSet("a", 1, {"cpu": 2, "pods": 1}))
    running = (using("r", CPU, 3),)
    assert derived(workload, group(cpu=5), admitted=running).needs_preemption == frozenset()
    assert derived(workload, group(cpu=4, pods=9), admitted=running).needs_preemption == frozenset({CPU})


@pytest.mark.parametrize(("asked", "fits"), [(4, True), (5, False)])
def test_a_request_fits_up_to_the_nominal_quota(asked: int, fits: bool) -> None:
    assignment = derived(asking(PodSet("a", 1, {"cpu": asked})), group(cpu=4), admitted=(using("r", CPU, 4),))
    assert (assignment.fits, assignment.needs_preemption) == (fits, frozenset({CPU} if fits else ()))


def test_what_earlier_pod_sets_take_is_gone_for_later_ones() -> None:
    # Greedy in the order of the pod sets: the small one takes the first flavor, the large one fits none.
    first, second = FlavorQuotas("f", {"cpu": 4}), FlavorQuotas("g", {"cpu": 2})
    both = ResourceGroup(("cpu",), (first, second))
    small, large = PodSet("small", 1, {"cpu": 2}), PodSet("large", 1, {"cpu": 4})
    assert not derived(asking(small, large), both).fits
    assert derived(asking(large, small), both).fits


def test_the_first_flavor_that_fits_is_chosen() -> None:
    first = FlavorResource("a", "cpu")
    pod_set = asking(PodSet("main", 1, {"cpu": 2}))
    assert flavor_of(derived(pod_set, choice("a", "b"))) == "a"
    assert flavor_of(derived(pod_set, choice("a", "b"), admitted=(using("r", first, 3),))) == "b"


@pytest.mark.parametrize(
    ("when_can_preempt", "flavor"), [(Fungibility.MAY_STOP_SEARCH, "a"), (Fungibility.TRY_NEXT_FLAVOR, "b")]
)
def test_a_flavor_with_targets_may_stop_the_search(when_can_preempt: Fungibility, flavor: str) -> None:
    running = (using("r", FlavorResource("a", "cpu"), 4),)
    assignment = derived(
        asking(PodSet("main", 1, {"cpu": 2}), priority=1),
        choice("a", "b"),
        admitted=running,
        fungibility=FlavorFungibility(when_can_preempt=when_can_preempt),
    )
    assert flavor_of(assignment) == flavor


def test_a_flavor_without_candidates_is_only_the_last_resort() -> None:
    first, second = (FlavorResource(flavor, "cpu") for flavor in "ab")
    running = (using("r", first, 4, priority=9), using("s", second, 4))
    stop = FlavorFungibility(when_can_preempt=Fungibility.MAY_STOP_SEARCH)
    workload = asking(PodSet("main", 1, {"cpu": 2}), priority=1)
    assert flavor_of(derived(workload, choice("a", "b"), admitted=running, fungibility=stop)) == "b"
    only = derived(workload, choice("a"), admitted=running[:1])
    assert (only.fits, only.needs_preemption) == (True, frozenset({first}))


def test_without_the_gate_the_best_mode_wins_whatever_the_fungibility() -> None:
    running = (using("r", FlavorResource("a", "cpu"), 4),)
    stop = FlavorFungibility(
        when_can_preempt=Fungibility.MAY_STOP_SEARCH,
        preference=FlavorPreference.PREEMPTION_OVER_BORROWING,
    )
    assignment = derived(
        asking(PodSet("main", 1, {"cpu": 2}), priority=1),
        choice("a", "b"),
        admitted=running,
        settings=Settings(flavor_fungibility=False),
        fungibility=stop,
    )
    assert flavor_of(assignment) == "b"


def test_a_tainted_flavor_is_passed_over_unless_the_pods_tolerate_it() -> None:
    taint = Taint("gpu", "yes")
    tainted, plain = ResourceFlavor("a", taints=(taint,)), ResourceFlavor("b")
    tolerating = ResourceFlavor("a", taints=(taint,), tolerations=(Toleration("gpu", exists=True),))
    pod_set, tolerant = (
        PodSet("main", 1, {"cpu": 1}, tolerations=tolerations)
        for tolerations in ((), (Toleration("gpu", value="yes"),))
    )
    both = choice("a", "b")
    assert flavor_of(derived(asking(pod_set), both, flavors=(tainted, plain))) == "b"
    assert flavor_of(derived(asking(tolerant), both, flavors=(tainted, plain))) == "a"
    assert flavor_of(derived(asking(pod_set), both, flavors=(tolerating, plain))) == "a"
    assert flavor_of(derived(asking(pod_set), choice("a"), flavors=(tainted,))) is None


@pytest.mark.parametrize(
    ("selector", "flavor"), [({"gpu": "b"}, "b"), ({"zone": "x"}, "a"), ({"gpu": "c"}, None)]
)
def test_a_selector_excludes_flavors_whose_label_differs(selector: dict[str, str], flavor: str) -> None:
    flavors = tuple(ResourceFlavor(name, {"gpu": name}) for name in "ab")
    workload = asking(PodSet("main", 1, {"cpu": 1}, node_selector=selector))
    assert flavor_of(derived(workload, choice("a", "b"), flavors=flavors)) == flavor


@pytest.mark.parametrize(
    ("operator", "values", "flavor"),
    [
        (NodeOperator.IN, ("4", "8"), "b"),
        (NodeOperator.NOT_IN, ("2",), "b"),
        (NodeOperator.EXISTS, (), "a"),
        (NodeOperator.DOES_NOT_EXIST, (), None),
        (NodeOperator.GREATER, ("2",), "b"),
        (NodeOperator.LESS, ("2",), None),
        (NodeOperator.LESS, ("4",), "a"),
        (NodeOperator.LESS, ("many",), None),
    ],
)
def test_required_affinity_excludes_flavors(
    operator: NodeOperator, values: tuple[str, ...], flavor: str | None
) -> None:
    flavors = (ResourceFlavor("a", {"gpus": "2"}), ResourceFlavor("b", {"gpus": "4"}))
    term = (NodeRequirement("gpus", operator, values), NodeRequirement("zone", NodeOperator.EXISTS))
    workload = asking(PodSet("main", 1, {"cpu": 1}, node_affinity=(term,)))
    assert flavor_of(derived(workload, choice("a", "b"), flavors=flavors)) == flavor


def test_one_matching_term_of_an_affinity_is_enough_and_an_emptied_one_matches() -> None:
    flavor = ResourceFlavor("a", {"gpus": "2"})
    wrong = (NodeRequirement("gpus", NodeOperator.IN, ("9",)),)
    foreign = (NodeRequirement("zone", NodeOperator.IN, ("x",)),)
    for terms, fits in (((wrong,), False), ((wrong, foreign), True)):
        workload = asking(PodSet("main", 1, {"cpu": 1}, node_affinity=terms))
        assert derived(workload, choice("a"), flavors=(flavor,)).fits == fits


def partial(least: int | None, running: int, settings: Settings | None = None) -> Decision:
    """A workload of four pods that one quota of four is short for."""
    queue = ClusterQueue("q", (group(cpu=4),), WithinClusterQueue.LOWER_PRIORITY)
    admitted = (using("r", CPU, running, priority=9),)
    cluster = Cluster({"q": queue}, admitted, settings=settings or Settings())
    workload = asking(PodSet("main", 4, {"cpu": 4}, min_count=least))
    return decide(cluster, workload, "q", 0, READING)


def test_partial_admission_takes_the_most_pods_that_fit() -> None:
    decision = partial(1, 1)
    assert decision.outcome == Outcome.FIT
    assert decision.assignment.pod_sets == (PodSetFlavors("main", 3, {"cpu": "default"}),)
    assert decision.assignment.usage == {CPU: 3}


def test_partial_admission_stops_at_min_count_and_at_its_gate() -> None:
    assert partial(3, 2).outcome == Outcome.NO_CANDIDATES
    assert partial(2, 2).outcome == Outcome.FIT
    assert partial(None, 2).outcome == Outcome.NO_CANDIDATES
    assert partial(2, 2, Settings(partial_admission=False)).outcome == Outcome.NO_CANDIDATES


def test_a_pod_set_that_has_its_flavor_keeps_it() -> None:
    settled = PodSet("main", 1, {"cpu": 3}, settled={"cpu": "default"})
    assignment = derived(asking(settled), group(cpu=4), admitted=(using("r", CPU, 4),))
    assert (assignment.usage, assignment.needs_preemption) == ({CPU: 3}, frozenset())

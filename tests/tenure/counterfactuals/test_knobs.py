"""The order of flavors and the weight are searched, and a tie that Kueue breaks by chance is told."""

from __future__ import annotations

import dataclasses

from tenure.explanation.counterfactuals import (
    Counterfactual,
    FlipAnswer,
    Situation,
    apply,
    search_counterfactuals,
)
from tenure.explanation.counterfactuals.counterfactual import tie_of
from tenure.explanation.counterfactuals.queue_fields import FlavorOrder
from tenure.model import (
    NANO,
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorFungibility,
    FlavorQuotas,
    FlavorResource,
    Fungibility,
    PodSet,
    ReclaimWithinCohort,
    ResourceGroup,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.readings import preset
from tests.tenure.clusters import GPU, NOW, queue, running, waiting

READING = preset("guaranteed")
FAIR = Settings(fair_sharing=tuple(FairStrategy))


def flip_of(situation: Situation, object_: str, field: str) -> Counterfactual:
    """The change of one field."""
    counterfactuals = search_counterfactuals(situation, limit=99).counterfactuals
    (change,) = (change for change in counterfactuals if (change.object, change.field) == (object_, field))
    return change


def with_flavors(quotas: dict[str, int], *pod_sets: int) -> Situation:
    """A queue with some flavors, and a workload whose pod sets ask for GPUs one after the other."""
    flavors = tuple(FlavorQuotas(name, {GPU.resource: amount}) for name, amount in quotas.items())
    own = ClusterQueue("q", (ResourceGroup((GPU.resource,), flavors),))
    pods = tuple(PodSet(f"p{index}", 1, {GPU.resource: gpus}) for index, gpus in enumerate(pod_sets))
    preemptor = waiting(pod_sets=pods)
    return Situation(Cluster({"q": own}, (), (preemptor,)), preemptor, "q", NOW, READING)


def test_another_order_of_flavors_is_found() -> None:
    asked = with_flavors({"large": 16, "small": 8}, 8, 16)
    change = flip_of(asked, "ClusterQueue/q", "spec.resourceGroups[0].flavors")
    assert (change.old_text, change.new_text, change.after) == (
        "large, small",
        "small, large",
        FlipAnswer.FITS,
    )
    assert (
        "flavors small, large instead of large, small (their order in resourceGroups[0], ClusterQueue q)"
        in change.sentence
    )
    assert apply(change, asked).decided().assignment.fits


def test_of_many_flavors_each_is_tried_at_the_front() -> None:
    names = {"a": 9, "b": 4, "c": 4, "d": 4, "e": 4}
    asked = with_flavors(names, 4, 9)
    knob = FlavorOrder("q", 0, tuple(names))
    orders = [knob.show(value) for value in knob.values(asked.decided())]
    assert orders[1:3] == ["b, a, c, d, e", "c, a, b, d, e"]
    assert flip_of(asked, "ClusterQueue/q", "spec.resourceGroups[0].flavors").after == FlipAnswer.FITS


def test_one_flavor_has_no_order() -> None:
    asked = with_flavors({"only": 1}, 2)
    assert not [
        change
        for change in search_counterfactuals(asked, limit=99).counterfactuals
        if change.field.endswith("flavors")
    ]


def test_flavor_fungibility_is_searched() -> None:
    asked = with_flavors({"first": 2, "second": 2}, 2)
    own = dataclasses.replace(
        asked.cluster.cluster_queues["q"],
        within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY,
        fungibility=FlavorFungibility(when_can_preempt=Fungibility.MAY_STOP_SEARCH),
    )
    held = running("w", usage={FlavorResource("first", GPU.resource): 2}, priority=1)
    asked = asked.with_cluster(cluster_queues={"q": own}, admitted=(held,))
    change = flip_of(asked, "ClusterQueue/q", "spec.flavorFungibility.whenCanPreempt")
    assert (change.new_text, change.after) == ("TryNextFlavor", FlipAnswer.FITS)


def sharing(reclaim: ReclaimWithinCohort) -> Situation:
    """Two queues that borrow all of a third's quota, one of them asking for one GPU more."""
    own = dataclasses.replace(queue(nominal={GPU: 0}, cohort="c"), reclaim_within_cohort=reclaim)
    other = dataclasses.replace(queue(nominal={GPU: 0}, cohort="c"), name="other")
    lender = dataclasses.replace(queue(nominal={GPU: 4}, cohort="c"), name="lender")
    admitted = (running("mine", 2, 200), *(running(f"o{n}", 1, cluster_queue="other") for n in range(2)))
    preemptor = waiting(1)
    cluster = Cluster(
        {cluster_queue.name: cluster_queue for cluster_queue in (own, other, lender)},
        admitted,
        (preemptor,),
        settings=FAIR,
    )
    return Situation(cluster, preemptor, "q", NOW, READING)


def test_a_larger_weight_is_found_under_fair_sharing() -> None:
    asked = sharing(ReclaimWithinCohort.ANY)
    change = flip_of(asked, "ClusterQueue/q", "spec.fairSharing.weight")
    assert (change.old, change.after, change.exact) == (NANO, FlipAnswer.PREEMPTS, False)
    assert change.old_text == "1"
    assert apply(change, asked).cluster.cluster_queues["q"].weight == change.new


def test_without_fair_sharing_no_weight_is_searched() -> None:
    asked = sharing(ReclaimWithinCohort.ANY).with_cluster(settings=Settings())
    assert not [
        change
        for change in search_counterfactuals(asked, limit=99).counterfactuals
        if "fairSharing" in change.field
    ]


def siblings(reclaim: ReclaimWithinCohort) -> Situation:
    """A cohort that has lent its quota to two siblings of equal share."""
    own = dataclasses.replace(queue(nominal={GPU: 4}, cohort="mine"), reclaim_within_cohort=reclaim)
    borrowers = (queue(nominal={GPU: 0}, cohort=name) for name in ("left", "right"))
    queues = [
        own,
        *(
            dataclasses.replace(cluster_queue, name=f"in-{cluster_queue.cohort}")
            for cluster_queue in borrowers
        ),
    ]
    cohorts = {name: Cohort(name, "root") for name in ("mine", "left", "right")}
    admitted = tuple(running(name, 2, cluster_queue=f"in-{name}") for name in ("left", "right"))
    preemptor = waiting(2)
    by_name = {cluster_queue.name: cluster_queue for cluster_queue in queues}
    cluster = Cluster(by_name, admitted, (preemptor,), settings=FAIR, cohorts=cohorts)
    return Situation(cluster, preemptor, "q", NOW, READING)


def test_a_flip_that_hangs_on_equal_shares_of_siblings_says_so() -> None:
    assert tie_of(siblings(ReclaimWithinCohort.ANY)) == "DV-020"
    asked = siblings(ReclaimWithinCohort.NEVER)
    assert tie_of(asked) is None
    change = flip_of(asked, "ClusterQueue/q", "spec.preemption.reclaimWithinCohort")
    assert change.tie == "DV-020"
    assert change.sentence.endswith("; in Kueue by chance: sibling cohorts have equal shares (DV-020)")


def test_siblings_of_unequal_share_are_no_tie() -> None:
    asked = siblings(ReclaimWithinCohort.ANY)
    heavier = {**asked.cluster.cohorts, "left": Cohort("left", "root", weight=5 * NANO)}
    assert tie_of(asked.with_cluster(cohorts=heavier)) is None


def twins(policy: WithinClusterQueue, *uids: str) -> Situation:
    """Two workloads that are alike but for name and uid, of which one has to leave."""
    held = tuple(
        dataclasses.replace(running(name, 2, 1), uid=uid) for name, uid in zip("ab", uids, strict=True)
    )
    preemptor: Workload = waiting(2)
    return Situation(Cluster({"q": queue(policy)}, held, (preemptor,)), preemptor, "q", NOW, READING)


def test_a_flip_that_hangs_on_equal_uids_says_so() -> None:
    change = flip_of(
        twins(WithinClusterQueue.NEVER, "u", "u"), "ClusterQueue/q", "spec.preemption.withinClusterQueue"
    )
    assert change.tie == "DV-030"
    assert "workloads have equal uids" in change.sentence


def test_uids_that_differ_are_no_tie() -> None:
    assert tie_of(twins(WithinClusterQueue.LOWER_PRIORITY, "u", "v")) is None


def test_many_equal_uids_are_answered_as_fast_as_two() -> None:
    held = tuple(dataclasses.replace(running(f"w{number:02}", 1, 1), uid="") for number in range(30))
    preemptor = waiting(2)
    own = queue(WithinClusterQueue.LOWER_PRIORITY, nominal={GPU: 30})
    asked = Situation(Cluster({"q": own}, held, (preemptor,)), preemptor, "q", NOW, READING)
    assert tie_of(asked) == "DV-030"

"""A change that lies one unit beyond a plain value is said by that value, and usable changes come first."""

from __future__ import annotations

from dataclasses import replace

from tenure.explanation.counterfactuals import Counterfactual, FlipAnswer, Situation, search_counterfactuals
from tenure.explanation.counterfactuals.situation import is_shorter
from tenure.model import Cluster, Cohort, FlavorResource, PodSet, WithinClusterQueue, Workload
from tenure.readings import preset
from tests.tenure.clusters import CPU, GPU, NOW, queue, running, waiting

MEMORY = FlavorResource("spot", "memory")
GIB = 2**30


def found(
    preemptor: Workload, *admitted: Workload, place: FlavorResource, nominal: int
) -> list[Counterfactual]:
    """All counterfactuals in a cluster of one queue with quota for one resource, and GPUs."""
    own = queue(WithinClusterQueue.NEVER, nominal={GPU: 4, place: nominal})
    cluster = Cluster({"q": own}, admitted, (preemptor,))
    asked = Situation(cluster, preemptor, "q", NOW, preset("guaranteed"))
    return list(search_counterfactuals(asked, limit=99).counterfactuals)


def quota_flip(place: FlavorResource, asked: int, nominal: int) -> Counterfactual:
    """The change of the nominal quota of a resource of which a workload asks for some."""
    preemptor = waiting(pod_sets=(PodSet("main", 1, {place.resource: asked}),))
    counterfactuals = found(preemptor, place=place, nominal=nominal)
    (change,) = (change for change in counterfactuals if change.field.endswith("nominalQuota"))
    return change


def test_a_thousandth_of_a_cpu_less_is_said_as_below() -> None:
    change = quota_flip(CPU, asked=4000, nominal=4000)
    assert (change.new, change.new_text, change.bound) == (3999, "3999m", "below 4")
    assert "nominalQuota below 4 (cpu on spot, ClusterQueue q): would have to wait" in change.sentence


def test_below_another_value_names_the_old_one_too() -> None:
    change = quota_flip(CPU, asked=4000, nominal=8000)
    assert "nominalQuota below 4 instead of 8 (" in change.sentence


def test_a_cohort_lends_the_quota_of_those_below_it_too() -> None:
    place = {GPU: 3}
    lender = replace(queue(nominal=place), name="lender", cohort="lenders")
    above = Cohort("lenders", "all", lender.resource_groups)
    queues = {"q": queue(nominal={GPU: 2}, cohort="all"), "lender": lender}
    preemptor = waiting(8)
    cluster = Cluster(queues, (), (preemptor,), cohorts={"lenders": above})
    asked = Situation(cluster, preemptor, "q", NOW, preset("guaranteed"))
    every = search_counterfactuals(asked, limit=99).counterfactuals
    (change,) = (
        one for one in every if one.object == "Cohort/lenders" and one.field.endswith("lendingLimit")
    )
    assert "lendingLimit 5, now not set (" in change.sentence
    assert change.after == FlipAnswer.WAITS


def test_a_tenth_of_a_cpu_is_a_plain_value_too() -> None:
    assert quota_flip(CPU, asked=100, nominal=100).bound == "below 100m"


def test_a_byte_less_is_said_as_below() -> None:
    change = quota_flip(MEMORY, asked=4 * GIB, nominal=4 * GIB)
    assert (change.new_text, change.bound) == ("4294967295", "below 4Gi")


def test_a_gpu_less_is_said_as_it_is() -> None:
    change = quota_flip(FlavorResource("spot", "example.com/gpu"), asked=4, nominal=4)
    assert (change.new_text, change.bound) == ("3", None)
    assert " 3 instead of 4 (" in change.sentence


def test_what_is_needed_is_said_by_its_own_value() -> None:
    change = quota_flip(CPU, asked=4000, nominal=2000)
    assert (change.new_text, change.bound, change.after) == ("4", None, FlipAnswer.FITS)


def test_a_carry_does_not_make_a_number_plain() -> None:
    assert not is_shorter("99", than="100")
    assert not is_shorter("999", than="1000")


def test_usable_changes_come_first() -> None:
    preemptor = waiting(pod_sets=(PodSet("main", 1, {CPU.resource: 2000}),))
    holder = running("w", usage={CPU: 2000}, priority=50)
    own = queue(WithinClusterQueue.LOWER_PRIORITY, nominal={CPU: 2000})
    asked = Situation(Cluster({"q": own}, (holder,), (preemptor,)), preemptor, "q", NOW, preset("guaranteed"))
    counterfactuals = search_counterfactuals(asked, limit=99).counterfactuals
    usable = [change.is_usable for change in counterfactuals]
    assert usable == sorted(usable, reverse=True)
    assert counterfactuals[0].after == FlipAnswer.FITS
    assert all(change.is_usable == (change.after == FlipAnswer.FITS) for change in counterfactuals)

"""A change that lies one unit beyond a plain value is said by that value, and usable changes come first."""

from __future__ import annotations

from tenure.explanation.counterfactuals import Flip, FlipAnswer, Situation, search_flips
from tenure.explanation.counterfactuals.situation import is_shorter
from tenure.model import Cluster, FlavorResource, PodSet, WithinClusterQueue, Workload
from tenure.readings import preset
from tests.unit.clusters import CPU, GPU, NOW, queue, running, waiting

MEMORY = FlavorResource("spot", "memory")
GIB = 2**30


def found(preemptor: Workload, *admitted: Workload, place: FlavorResource, nominal: int) -> list[Flip]:
    """All flips in a cluster of one queue with quota for one resource, and GPUs."""
    own = queue(WithinClusterQueue.NEVER, nominal={GPU: 4, place: nominal})
    cluster = Cluster({"q": own}, admitted, (preemptor,))
    asked = Situation(cluster, preemptor, "q", NOW, preset("guaranteed"))
    return list(search_flips(asked, limit=99).flips)


def quota_flip(place: FlavorResource, asked: int, nominal: int) -> Flip:
    """The flip of the nominal quota of a resource of which a workload asks for some."""
    preemptor = waiting(pod_sets=(PodSet("main", 1, {place.resource: asked}),))
    flips = found(preemptor, place=place, nominal=nominal)
    (flip,) = (flip for flip in flips if flip.field.endswith("nominalQuota"))
    return flip


def test_a_thousandth_of_a_cpu_less_is_said_as_below() -> None:
    flip = quota_flip(CPU, asked=4000, nominal=4000)
    assert (flip.new, flip.new_text, flip.bound) == (3999, "3999m", "below 4")
    assert "nominalQuota below 4 (cpu on spot, ClusterQueue q): would have to wait" in flip.sentence


def test_below_another_value_names_the_old_one_too() -> None:
    flip = quota_flip(CPU, asked=4000, nominal=8000)
    assert "nominalQuota below 4 instead of 8 (" in flip.sentence


def test_a_tenth_of_a_cpu_is_a_plain_value_too() -> None:
    assert quota_flip(CPU, asked=100, nominal=100).bound == "below 100m"


def test_a_byte_less_is_said_as_below() -> None:
    flip = quota_flip(MEMORY, asked=4 * GIB, nominal=4 * GIB)
    assert (flip.new_text, flip.bound) == ("4294967295", "below 4Gi")


def test_a_gpu_less_is_said_as_it_is() -> None:
    flip = quota_flip(FlavorResource("spot", "example.com/gpu"), asked=4, nominal=4)
    assert (flip.new_text, flip.bound) == ("3", None)
    assert " 3 instead of 4 (" in flip.sentence


def test_what_is_needed_is_said_by_its_own_value() -> None:
    flip = quota_flip(CPU, asked=4000, nominal=2000)
    assert (flip.new_text, flip.bound, flip.after) == ("4", None, FlipAnswer.FITS)


def test_a_carry_does_not_make_a_number_plain() -> None:
    assert not is_shorter("99", than="100")
    assert not is_shorter("999", than="1000")


def test_usable_changes_come_first() -> None:
    preemptor = waiting(pod_sets=(PodSet("main", 1, {CPU.resource: 2000}),))
    holder = running("w", usage={CPU: 2000}, priority=50)
    own = queue(WithinClusterQueue.LOWER_PRIORITY, nominal={CPU: 2000})
    asked = Situation(Cluster({"q": own}, (holder,), (preemptor,)), preemptor, "q", NOW, preset("guaranteed"))
    flips = search_flips(asked, limit=99).flips
    usable = [flip.is_usable for flip in flips]
    assert usable == sorted(usable, reverse=True)
    assert flips[0].after == FlipAnswer.FITS
    assert all(flip.is_usable == (flip.after == FlipAnswer.FITS) for flip in flips)

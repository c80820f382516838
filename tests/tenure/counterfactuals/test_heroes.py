"""What would change an answer beside heroes: each change is made, and decided again."""

from __future__ import annotations

from tenure.explanation.counterfactuals import FlipAnswer, Situation, answer_of, apply, search_counterfactuals
from tenure.model import (
    Cluster,
    ClusterQueue,
    FlavorResource,
    PodSet,
    PreemptionRules,
    ReclaimWithinCohort,
    Workload,
)
from tenure.readings import Reading, parse_reading, preset
from tests.clusters import queue

GPU = FlavorResource("h100", "gpu")
RULES = "spec.preemption.rules"
DEFAULT, UBER = "DefaultPreemptionRules", "UberClusterQueueRules"


def a_queue(name: str, gpus: int, *, hero: bool = False, lends: int | None = None) -> ClusterQueue:
    return queue(
        name,
        "lab",
        {"h100": {"gpu": (gpus, None, lends)}},
        reclaim_within_cohort=ReclaimWithinCohort.ANY,
        rules=PreemptionRules.UBER_CLUSTER_QUEUE if hero else PreemptionRules.DEFAULT,
    )


def runs(name: str, queue: str, gpus: int) -> Workload:
    return Workload("ns", name, name, 0, 0, quota_reserved_at=1, cluster_queue=queue, usage={GPU: gpus})


def situation(
    to: str, gpus: int, *running: Workload, hero: bool = True, lends: int | None = None, reading: Reading
) -> Situation:
    queues = (a_queue("a", 10), a_queue("b", 10, lends=lends), a_queue("h", 0, hero=hero))
    pending = Workload("ns", "new", "new", 0, 2, pod_sets=(PodSet("main", 1, {"gpu": gpus}),))
    cluster = Cluster({queue.name: queue for queue in queues}, running, (pending,))
    return Situation(cluster, pending, to, 9, reading)


def told(asked: Situation, target: str | None = None) -> dict[tuple[str, str], tuple[str, str, FlipAnswer]]:
    """Every change, each replayed: object and field, the old and the new value, and the answer."""
    made = {}
    for change in search_counterfactuals(asked, target, limit=99).counterfactuals:
        assert answer_of(apply(change, asked).decided(), target) == change.after
        made[change.object, change.field] = (change.old_text, change.new_text, change.after)
    return made


def test_a_hero_that_preempts_would_wait_under_the_default_rules() -> None:
    counterfactuals = told(
        situation("h", 8, runs("a", "a", 10), runs("b", "b", 10), reading=preset("guaranteed"))
    )
    assert counterfactuals["ClusterQueue/h", RULES][:2] == (UBER, DEFAULT)


def test_a_victim_of_a_hero_would_be_spared_under_the_default_rules() -> None:
    asked = situation("h", 8, runs("a", "a", 10), runs("b", "b", 10), reading=preset("guaranteed"))
    (target,) = asked.decided().targets
    old, new, after = told(asked, target.workload.key)["ClusterQueue/h", RULES]
    assert (old, new, after) == (UBER, DEFAULT, FlipAnswer.KEPT)


def test_a_billed_queue_would_reclaim_its_own_without_the_hero() -> None:
    counterfactuals = told(situation("a", 8, runs("h", "h", 15), reading=preset("guaranteed")))
    assert counterfactuals["ClusterQueue/h", RULES] == (UBER, DEFAULT, FlipAnswer.PREEMPTS)
    assert ("ClusterQueue/a", RULES) not in counterfactuals  # of a peer it takes lower priority alone


def test_beside_a_hero_a_queue_may_become_one() -> None:
    counterfactuals = told(situation("a", 15, runs("b", "b", 10), reading=preset("guaranteed")))
    assert counterfactuals["ClusterQueue/a", RULES] == (DEFAULT, UBER, FlipAnswer.PREEMPTS)


def test_without_a_hero_no_queue_is_told_to_become_one() -> None:
    asked = situation(
        "h", 8, runs("a", "a", 10), runs("b", "b", 10), hero=False, reading=preset("guaranteed")
    )
    assert not [field for _, field in told(asked) if field == RULES]


def test_where_limits_are_honoured_a_lending_limit_is_told() -> None:
    honour = parse_reading({"hero_lending": "honour"})
    counterfactuals = told(situation("h", 18, lends=4, reading=honour))
    field = "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit"
    assert counterfactuals["ClusterQueue/b", field][:2] == ("4", "8")
    ignore = told(situation("h", 18, lends=4, reading=preset("guaranteed")))
    assert ("ClusterQueue/b", field) not in ignore

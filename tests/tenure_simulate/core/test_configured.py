"""PreemptionConfigs in the optimized core: random ones against the reference, and the store's labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tenure.choices import Engine
from tenure.conformance.requests import DecideRequest
from tenure.engines import decide as decide_by
from tenure.model import (
    Assignment,
    CandidateScope,
    CandidateSelector,
    Cluster,
    Comparison,
    FlavorResource,
    NodeOperator,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    Trigger,
    Workload,
)
from tenure.oracle.decide import decide as decide_by_reference
from tenure.readings import preset
from tenure.rules.preemption_config import is_tier_tried
from tenure_lab.campaign_blocks import LEFT, THROUGH_MANIFESTS, core_block
from tenure_lab.campaigns import AGREE, CampaignPlan, Tally
from tenure_lab.engines_compared import REFUSED, answer_of_core, answer_of_reference
from tenure_lab.generators.configured import NAME
from tenure_lab.generators.scenarios import draw_for_core
from tenure_simulate.core import Arrays, Uncovered, decide, load
from tests.clusters import queue
from tests.sampling import sample

SEED = 13396
MANY = sample(100, 1_000)
GPU, PODS = FlavorResource("f", "gpu"), FlavorResource("f", "pods")
ANYONE = PreemptionRule("r", Trigger.ALWAYS, candidates=(CandidateSelector(CandidateScope.COHORT_TREE),))


def drawn(count: int) -> Iterator[DecideRequest]:
    """Random scenarios of which every one has a PreemptionConfig."""
    return (draw_for_core(SEED, index, heroes=0, configs=100) for index in range(count))


def test_random_configs_are_decided_alike() -> None:
    print(f"tenure campaign --scenarios {MANY} --seed {SEED} --heroes 0 --configs 100")
    plan, whole = CampaignPlan(MANY, SEED, heroes=0, configs=100), Tally()
    for number in plan.blocks():
        whole.merge(core_block(plan, number))
    assert whole.failed == 0, whole.differences
    assert set(whole.verdicts) <= {AGREE, REFUSED, f"{LEFT}: a repair of fair sharing"}
    assert whole.traits[THROUGH_MANIFESTS] == MANY // 50
    assert whole.reasons["ConfigurablePreemption"] > MANY // 20


def test_every_part_of_a_config_is_drawn() -> None:
    seen: Counter[object] = Counter()
    for request in drawn(150):
        queue, cluster = request.cluster.cluster_queues[request.queue], request.cluster
        seen["missing"] += queue.preemption_config != NAME
        seen["fair"] += cluster.settings.fair_sharing is not None
        seen["boost"] += cluster.settings.priority_boost
        for rule in (cluster.preemption_configs or {})[NAME].rules:
            seen[rule.trigger] += 1
            seen["fault"] += bool(rule.preemptors.fault)
            for selector in rule.candidates:
                seen.update((selector.scope, selector.mode, selector.comparison))
                seen["names"] += bool(selector.classes.match and selector.classes.exclude)
                found = (*selector.queues.requirements, *selector.workloads.requirements)
                seen.update(requirement.operator for requirement in found)
                for number in selector.numbers:
                    seen["bounds"] += number.minimum is not None and number.maximum is not None
                    seen["fallback"] += number.fallback is not None
    parts = [*Trigger, *CandidateScope, *PriorityMode, *Comparison, *list(NodeOperator)[:4]]
    parts += ["missing", "fair", "boost", "fault", "names", "bounds", "fallback"]
    assert [part for part in parts if not seen[part]] == []


def test_what_was_saved_decides_the_same(tmp_path: Path) -> None:
    for number, request in enumerate(drawn(5)):
        arrays, path = Arrays(request.cluster), tmp_path / f"{number}.npz"
        arrays.save(path)
        asked = request.preemptor, request.queue, request.now, request.reading
        answers = [answer_of_core(decide(store, *asked)) for store in (arrays, load(path))]
        assert answers[0] == answers[1]


def running(name: str) -> Workload:
    """A workload that holds all the quota of the only ClusterQueue."""
    return Workload("ml", name, name, 0, 0, 0, cluster_queue="a", usage={GPU: 1})


def a_cluster(*admitted: Workload) -> Cluster:
    """A ClusterQueue whose PreemptionConfig selects every workload."""
    only = replace(queue("a", None, (1, None, None)), preemption_config="c")
    return Cluster({"a": only}, admitted, preemption_configs={"c": PreemptionConfig("c", (ANYONE,))})


WAITING = Workload("ml", "in", "in", 0, 0)


def victims(arrays: Arrays) -> list[str]:
    """Whom a workload preempts that needs the whole quota."""
    assignment = Assignment({GPU: 1}, frozenset({GPU}))
    answer = decide(arrays, WAITING, "a", 0, preset("released"), assignment)
    return [claim.key for claim in answer.claims()]


@pytest.mark.parametrize("trigger", list(Trigger))
@pytest.mark.parametrize("fits", [True, False])
def test_a_number_of_pods_is_sought_in_the_tiers_that_quota_leaves(trigger: Trigger, fits: bool) -> None:
    """A search makes room for no number of pods: where only that lacks quota, the request fits before."""
    rule = replace(ANYONE, trigger=trigger)
    cluster = a_cluster(replace(running("one"), usage={GPU: 1 - fits, PODS: 1}))
    cluster = replace(cluster, preemption_configs={"c": PreemptionConfig("c", (rule,))})
    assignment = Assignment({GPU: 1, PODS: 1}, frozenset({PODS} if fits else {PODS, GPU}))
    about = WAITING, "a", 0, preset("released"), assignment
    found = answer_of_core(decide(Arrays(cluster), *about))
    assert found == answer_of_reference(decide_by_reference(cluster, *about))
    assert bool(found[1]) is is_tier_tried(trigger, fits, stopped=False)
    decided = decide_by(Engine.FAST, cluster, *about)
    assert not decided.left
    assert len(decided.configured or ()) == len(found[1])


def test_whoever_has_left_is_selected_no_longer() -> None:
    arrays = Arrays(a_cluster(running("one")))
    arrays.remove("ml/one")
    arrays.add(running("two"))
    assert victims(arrays) == ["ml/two"]
    arrays.compact()
    assert victims(arrays) == ["ml/two"]


def test_a_store_without_labels_is_left_to_the_reference() -> None:
    whole = a_cluster(running("one"))
    arrays = Arrays(replace(whole, cluster_queues={"a": queue("a", None, (1, None, None))}))
    arrays.rearrange(whole)
    with pytest.raises(Uncovered, match="labels that are not kept"):
        victims(arrays)

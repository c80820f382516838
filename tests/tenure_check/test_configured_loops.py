"""Loops where ClusterQueues name PreemptionConfigs: what excludes them, and what the search finds."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tenure.manifests import SourcedObject
from tenure.manifests.kueue_api import PREEMPTION_CONFIG
from tenure.model import LabelSelector, NodeOperator, NodeRequirement, Trigger
from tenure.preemption_measures import PreemptionStep
from tenure.readings import InvalidSelector
from tenure.resources import bundled
from tenure.selected_values import SelectedSides
from tenure_check.analysis.closed_systems import CohortTree, trees_of
from tenure_check.analysis.loop_answer import LoopsAnswer
from tenure_check.analysis.loops import LoopHunt, LoopRequest
from tenure_check.analysis.mutual_preemption import mutual_workloads
from tenure_check.analysis.no_loop import missing_conditions, proved_of_loops
from tests.tenure_check.test_loops import READING
from tools import libyaml

SCENARIOS = bundled("spec", "vectors", "scenarios")
BETA = "kueue.x-k8s.io/v1beta2"
MEASURED, WHOLE = ("PO-ANY-335",), ("PO-ANY-335", "PO-ANY-345", "PO-ANY-350")


def tree_of(name: str, *others: dict[str, Any], **spec: Any) -> CohortTree:
    """The first tree of a scenario's objects; with fields of its first ClusterQueue."""
    objects = libyaml.load((SCENARIOS / f"pcf-{name}.yaml").read_text(encoding="utf-8"))["objects"]
    queue = next(found for found in objects if found["kind"] == "ClusterQueue")
    queue["spec"].update(spec)
    named = [{"apiVersion": "kueue.x-k8s.io/v1beta2", **found} for found in (*objects, *others)]
    return trees_of([SourcedObject("queues.yaml", found) for found in named], READING)[0][0]


def searched(tree: CohortTree, **request: Any) -> LoopsAnswer:
    return LoopHunt([tree], LoopRequest(up_to=2, **request), READING, {}).run()


@pytest.mark.parametrize(
    ("name", "spec", "theorems", "words"),
    [
        ("one-measure-of-two-numbers", {}, WHOLE, "priority, then label nodes falls at every preemption"),
        ("one-measure-of-two-numbers", {"queueingStrategy": "StrictFIFO"}, MEASURED, "priority, then"),
        ("asymmetric-and-still-a-loop", {}, MEASURED, "label nodes falls at every preemption among"),
        ("hero-after-its-victim", {}, MEASURED, "priority falls at every preemption among workloads of hero"),
    ],
)
def test_a_measure_is_named_and_excludes_loops_where_a_preemptor_has_the_next_turn(
    name: str, spec: dict[str, Any], theorems: tuple[str, ...], words: str
) -> None:
    tree = tree_of(name, **spec)
    proved = proved_of_loops(tree, READING)
    assert proved is not None
    assert (proved.theorems, proved.excluded) == (theorems, theorems == WHOLE)
    assert words in proved.text
    assert bool(missing_conditions(tree, READING)) == (theorems != WHOLE)
    if theorems == WHOLE:
        assert searched(tree).complete


EXAMPLES = {
    "story-3-6-base-and-boosted": (
        "one of a (boosted priority 1, priority 0) preempts one of a (boosted priority 0, priority 1), which "
        "preempts the first"
    ),
    "two-measures": (
        "one of a (priority 1, label nodes 0) preempts one of a (priority 0, label nodes 1), which preempts "
        "the first"
    ),
    "hero-is-reclaimed": (
        "one of team (priority 0) preempts one of hero (priority 1), which preempts the first"
    ),
}


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("story-3-6-base-and-boosted", ["boosted priority LessThan", "priority LessThan"]),
        ("two-measures", ["priority LessThan", "label nodes LessThan"]),
        ("hero-is-reclaimed", ["any victim, whatever its numbers"]),
    ],
)
def test_rules_without_a_measure_are_named_and_their_smallest_loop_is_found(
    name: str, fields: list[str]
) -> None:
    tree = tree_of(name)
    assert proved_of_loops(tree, READING) is None
    missing = next(found for found in missing_conditions(tree, READING) if found.of_rules)
    assert [field.value for field in missing.fields] == fields
    assert missing.example == EXAMPLES[name]
    answer = searched(tree)
    (found,) = (search.loop for done in answer.trees for search in done.searches)
    assert found is not None
    assert len(found.workloads) == 2
    assert any(needed.field.endswith("candidateSelectors") for needed in found.needed)
    assert any(each.labels or each.priority_boost for each in found.workloads) == (
        name != "hero-is-reclaimed"
    )


@pytest.mark.parametrize(
    "name", ["asymmetric-and-still-a-loop", "hero-after-its-victim", "one-measure-of-two-numbers"]
)
def test_a_measure_alone_excludes_no_loop_where_the_victim_has_its_turn_first(name: str) -> None:
    spec = {"queueingStrategy": "StrictFIFO"} if name.startswith("one") else {}
    answer = searched(tree_of(name, **spec))
    assert answer.found
    (loop,) = (search.loop for done in answer.trees for search in done.searches)
    assert loop is not None
    assert len(loop.stuck) == 1


def test_whatever_is_searched_nothing_loops_where_a_measure_excludes_it() -> None:
    tree = tree_of("one-measure-of-two-numbers")
    hunt = LoopHunt([tree], LoopRequest(up_to=2), READING, {})
    resource = hunt._resource(tree, "cpu")
    assert resource.loop is None
    assert resource.complete_up_to == 2
    assert resource.systems > 10
    assert "nodes=1" in resource.variants


def test_a_config_without_rules_is_none() -> None:
    tree = tree_of("two-measures", preemption={"withinClusterQueue": "LowerPriority"})
    cluster = tree.cluster
    assert cluster.preemption_configs is not None
    empty = {name: dataclasses.replace(found, rules=()) for name, found in cluster.preemption_configs.items()}
    scenario = dataclasses.replace(
        tree.scenario, cluster=dataclasses.replace(cluster, preemption_configs=empty)
    )
    proved = proved_of_loops(dataclasses.replace(tree, scenario=scenario), READING)
    assert proved is not None
    assert proved.theorems == ("PO-ANY-340", "PO-ANY-350")


def test_a_config_counts_in_its_tree_whatever_is_not_known_of_another_tree() -> None:
    lost = libyaml.load(
        """
        kind: ClusterQueue
        metadata: {name: z, annotations: {kueue.x-k8s.io/preemption-config-name: two}}
        spec:
          resourceGroups:
          - coveredResources: [cpu]
            flavors: [{name: other, resources: [{name: cpu, nominalQuota: 1}]}]
        """
    )
    flavor = {"kind": "ResourceFlavor", "metadata": {"name": "other"}, "spec": {"topologyName": "racks"}}
    config = libyaml.load("{kind: PreemptionConfig, metadata: {name: two}, spec: {rules: []}}")
    config["apiVersion"] = "kueue.x-k8s.io/v1alpha1"
    tree = tree_of("two-measures", lost, flavor, config)
    assert not tree.not_known
    assert proved_of_loops(tree, READING) is None


def test_rules_that_an_invalid_selector_stops_preempt_no_workload() -> None:
    """Unless a reading passes it over; a rule before it in the order of tiers goes on."""
    wrong = LabelSelector(fault="wrong")
    tree = tree_of("two-measures")
    (config,) = (tree.cluster.preemption_configs or {}).values()

    def with_rules(*triggers: Trigger) -> CohortTree:
        rules = [
            dataclasses.replace(rule, trigger=trigger)
            for rule, trigger in zip(config.rules, triggers, strict=True)
        ]
        rules[0] = dataclasses.replace(rules[0], preemptors=wrong)
        configs = {config.name: dataclasses.replace(config, rules=tuple(rules))}
        cluster = dataclasses.replace(tree.cluster, preemption_configs=configs)
        return dataclasses.replace(tree, scenario=dataclasses.replace(tree.scenario, cluster=cluster))

    stopped = proved_of_loops(with_rules(Trigger.ALWAYS, Trigger.INSUFFICIENT_QUOTA), READING)
    assert stopped is not None
    assert stopped.excluded
    assert stopped.text == "no loop: no ClusterQueue preempts a workload"
    before = proved_of_loops(with_rules(Trigger.INSUFFICIENT_QUOTA, Trigger.ALWAYS), READING)
    assert before is not None
    assert "nodes falls at every preemption" in before.text
    passed = dataclasses.replace(READING, invalid_selector=InvalidSelector.PASSED_OVER)
    over = proved_of_loops(with_rules(Trigger.ALWAYS, Trigger.INSUFFICIENT_QUOTA), passed)
    assert over is not None
    assert "nodes falls at every preemption" in over.text


@pytest.mark.parametrize("limit", [0, None])
def test_queues_that_cannot_borrow_need_a_measure_each(limit: int | None) -> None:
    quota = {"name": "cpu", "nominalQuota": 1, **({} if limit is None else {"borrowingLimit": limit})}
    groups = [{"coveredResources": ["cpu"], "flavors": [{"name": "f", "resources": [quota]}]}]
    found = [
        {"kind": "ResourceFlavor", "apiVersion": BETA, "metadata": {"name": "f"}},
        *(
            {
                "kind": "ClusterQueue",
                "apiVersion": BETA,
                "metadata": {"name": name, "annotations": {PREEMPTION_CONFIG: f"by-{key}"}},
                "spec": {"cohortName": "c", "resourceGroups": groups},
            }
            for name, key in (("a", "nodes"), ("b", "age"))
        ),
        *(
            {
                "kind": "PreemptionConfig",
                "apiVersion": "kueue.x-k8s.io/v1alpha1",
                "metadata": {"name": f"by-{key}"},
                "spec": {
                    "rules": [
                        {
                            "name": "smaller",
                            "activationPolicy": {"trigger": "Always"},
                            "candidateSelectors": [
                                {
                                    "scope": "WithinCohortTree",
                                    "numericLabels": [{"key": key, "comparison": "LessThan"}],
                                }
                            ],
                        }
                    ]
                },
            }
            for key in ("nodes", "age")
        ),
    ]
    (tree,), _ = trees_of([SourcedObject("", each) for each in found], READING)
    proved = proved_of_loops(tree, READING)
    if limit is None:
        assert proved is None
        assert any(missing.example for missing in missing_conditions(tree, READING))
        return
    assert proved is not None
    assert proved.excluded
    assert proved.theorems == ("PO-AN-050", *WHOLE)
    assert "label nodes falls at every preemption among workloads of a; label age" in proved.text


def tiered(mine: str, theirs: str) -> PreemptionStep:
    one, other = (NodeRequirement("tier", NodeOperator.IN, (tier,)) for tier in (mine, theirs))
    return PreemptionStep("", mine, sides=SelectedSides((one,), (other,)))


def test_the_fewest_workloads_that_preempt_each_other_in_turn_are_found() -> None:
    steps = [tiered("gold", "silver"), tiered("silver", "bronze"), tiered("bronze", "gold")]
    turn = mutual_workloads(steps, ["a"], lambda *_: True)
    assert [found.words for found in turn] == [
        f"one of a (label tier {tier})" for tier in ("gold", "silver", "bronze")
    ]
    assert not mutual_workloads(steps[:2], ["a"], lambda *_: True)
    one_way = mutual_workloads([tiered("gold", "gold")], ["a", "b"], lambda _, mine, theirs: mine < theirs)
    assert not one_way

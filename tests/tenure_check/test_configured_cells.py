"""Cells of ClusterQueues that name a PreemptionConfig: proved for all labels, shown by states with labels."""

from __future__ import annotations

import operator
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import z3

from tenure.conformance.requests import DecideRequest
from tenure.model import (
    CandidateScope,
    CandidateSelector,
    ClassNames,
    Cluster,
    ClusterQueue,
    Comparison,
    DynamicPriorityPolicy,
    FlavorQuotas,
    LabelSelector,
    NodeOperator,
    NodeRequirement,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    Reason,
    ResourceFlavor,
    ResourceGroup,
    Selectable,
    Trigger,
    WithinClusterQueue,
    Workload,
    WorkloadPriorityClass,
)
from tenure.readings import preset
from tenure_check.analysis import campaign
from tenure_check.analysis.answer_cache import with_solvers
from tenure_check.analysis.configured_sanity import findings_of_configs
from tenure_check.analysis.matrix import BY_CLASS, CellVerdict, Effort, Matrix, trees_of
from tenure_check.analysis.matrix_answer import answer_of
from tenure_check.analysis.nominal_quota import unreached_state
from tenure_check.analysis.priority_ranges import Ranges, matrix_of_ranges
from tenure_check.analysis.prover import SolverProver
from tenure_check.analysis.random_configs import with_configs
from tenure_check.analysis.scopes import MatrixRequest
from tenure_check.analysis.selection_proof import SelectionProof
from tenure_check.analysis.selections import Selections, labels_read
from tenure_check.analysis.solved_cells import why_not_reached
from tenure_check.analysis.states import CellQuery, PriorityLevel, States, decided, hits_of, is_replayed
from tests.command_line import tenure
from tests.sampling import sample
from tools import libyaml

READING = preset("released")
RECORDED = Path(__file__).parents[1] / "recorded" / "preemption-config.yaml"
LEVELS = (PriorityLevel("low", 0), PriorityLevel("high", 1))
EFFORT = Effort.of_states(10, counts_victims=False)
ANY = CandidateSelector(CandidateScope.COHORT_TREE)
TEAM = NodeRequirement("team", NodeOperator.IN, ("a", "3"))


def a_cluster(*selectors: CandidateSelector, **rule: Any) -> Cluster:
    """Two ClusterQueues of one cohort; the first names a PreemptionConfig, whatever policies it has."""
    quotas = (ResourceGroup(("cpu",), (FlavorQuotas("f", {"cpu": 2}),)),)
    queues = {name: ClusterQueue(name, quotas, cohort="all", labels={"tier": name}) for name in "ab"}
    queues["a"] = replace(queues["a"], preemption_config="c", **rule.pop("queue", {}))
    made = PreemptionRule("r", **{"trigger": Trigger.ALWAYS, "candidates": selectors, **rule})
    configs = {"c": PreemptionConfig("c", (made,))}
    return Cluster(queues, flavors={"f": ResourceFlavor("f")}, preemption_configs=configs)


def verdicts(cluster: Cluster, cells: Any = None) -> Matrix:
    with with_solvers(1) as (analyzed, _):
        return analyzed(cluster, LEVELS, READING, EFFORT, MatrixRequest(cells))[0]


def requires(*requirements: NodeRequirement) -> LabelSelector:
    return LabelSelector(requirements)


IMPOSSIBLE: Mapping[str, Cluster] = {
    "scope": a_cluster(replace(ANY, scope=CandidateScope.CLUSTER_QUEUE)),
    "labels of ClusterQueues": a_cluster(
        replace(ANY, queues=requires(NodeRequirement("tier", NodeOperator.NOT_IN, ("b",))))
    ),
    "labels that exclude each other": a_cluster(
        replace(ANY, workloads=requires(TEAM, NodeRequirement("team", NodeOperator.DOES_NOT_EXIST)))
    ),
    "a listed value below a bound": a_cluster(
        replace(ANY, workloads=requires(TEAM), numbers=(NumericLabel("team", minimum=4),))
    ),
    "a comparison with a listed value": a_cluster(
        replace(ANY, numbers=(NumericLabel("team", Comparison.GREATER, maximum=3),)),
        preemptors=requires(NodeRequirement("team", NodeOperator.IN, ("3",))),
    ),
    "nothing above the largest number": a_cluster(
        replace(ANY, numbers=(NumericLabel("size", Comparison.LESS, minimum=2**31 - 1),))
    ),
    "no selector": a_cluster(),
    "an invalid selector": a_cluster(ANY, replace(ANY, workloads=LabelSelector(fault="wrong"))),
    "a topology that takes no part": a_cluster(ANY, trigger=Trigger.INSUFFICIENT_TOPOLOGY),
    "no rule": replace(a_cluster(), preemption_configs={}),
}


@pytest.mark.parametrize("cluster", [pytest.param(known, id=name) for name, known in IMPOSSIBLE.items()])
def test_what_no_rule_selects_is_never_preempted(cluster: Cluster) -> None:
    matrix = verdicts(cluster, {("a", 1, "b", 0)})
    assert matrix.verdict("a", 1, "b", 0) == CellVerdict.NEVER
    ((_, found),) = matrix.of("a", 1, "b", 0)
    assert "no rule of PreemptionConfig c selects such a workload" in found.why


def test_a_trigger_of_topologies_is_tried_where_pods_alone_are_short() -> None:
    """A search counts no pods: what is short of them alone fits by quota, as far as the trigger asks."""
    cluster = a_cluster(ANY, trigger=Trigger.INSUFFICIENT_TOPOLOGY)
    groups = (ResourceGroup(("cpu", "pods"), (FlavorQuotas("f", {"cpu": 2, "pods": 1}),)),)
    queues = {name: replace(queue, resource_groups=groups) for name, queue in cluster.cluster_queues.items()}
    counting = replace(cluster, cluster_queues=queues)
    matrix = verdicts(counting, {("a", 1, "a", 1)})
    ((reason, found),) = matrix.of("a", 1, "a", 1)
    assert (reason, found.verdict) == (Reason.CONFIGURABLE_PREEMPTION, CellVerdict.CAN)
    (tree,) = trees_of(counting)
    prover = SolverProver(counting, tree, READING, None)
    cell = CellQuery("a", 1, "a", 1, Reason.CONFIGURABLE_PREEMPTION)
    assert (prover.selected(cell), prover.solved(cell)) == ("sat", "sat")
    assert not [found for found in findings_of_configs(counting, ()) if found.rules == ("PCF-080",)]


@pytest.mark.parametrize("comparison", list(Comparison))
def test_priorities_are_compared(comparison: Comparison) -> None:
    matrix = verdicts(a_cluster(replace(ANY, mode=PriorityMode.BASE, comparison=comparison)))
    found = {(high, low): matrix.verdict("a", high, "b", low).value for high in (0, 1) for low in (0, 1)}
    names = {"LessThan": "lt", "LessThanOrEqual": "le", "GreaterThan": "gt", "GreaterThanOrEqual": "ge"}
    holds = getattr(operator, names[comparison.label])
    assert found == {(high, low): "can" if holds(low, high) else "never" for high, low in found}


def test_an_example_has_the_labels_that_it_needs_and_no_others() -> None:
    number = NumericLabel("size", Comparison.LESS, minimum=2)
    cluster = a_cluster(replace(ANY, workloads=requires(TEAM), numbers=(number,)))
    matrix = verdicts(cluster, {("a", 0, "b", 1)})
    ((reason, found),) = matrix.of("a", 0, "b", 1)
    assert reason == Reason.CONFIGURABLE_PREEMPTION
    assert found.example is not None
    assert is_replayed(CellQuery("a", 0, "b", 1, reason), found.example)
    answer = answer_of(matrix, cluster, "released", 0, {}, {("a", "b")})
    (example,) = (known.example for cell in answer.cells for known in cell.reasons if known.example)
    (victim,) = (known for known in example.running if known.preempted)
    assert victim.labels is not None
    assert {*victim.labels} == {"team", "size"}
    assert example.labels is not None
    assert int(victim.labels["size"]) < int(example.labels["size"])


def test_a_class_has_its_name_and_a_number_any() -> None:
    selector = replace(ANY, classes=ClassNames(exclude=("hero",)))
    named = replace(a_cluster(selector), class_names={1: ("hero",)})
    matrix = verdicts(named, {("a", 0, "b", 1), ("a", 0, "b", 0)})
    assert [matrix.verdict("a", 0, "b", low).value for low in (0, 1)] == ["can", "never"]
    assert BY_CLASS in matrix.premises
    assert verdicts(a_cluster(selector), {("a", 0, "b", 1)}).verdict("a", 0, "b", 1).value == "can"


def test_what_a_quota_excludes_is_never_though_a_rule_selects_it() -> None:
    """The second ClusterQueue neither borrows nor lends: its workloads free nothing for the first."""
    cluster = a_cluster(ANY)
    alone = (ResourceGroup(("cpu",), (FlavorQuotas("f", {"cpu": 2}, {"cpu": 0}, {"cpu": 0}),)),)
    queues = {**cluster.cluster_queues, "b": replace(cluster.cluster_queues["b"], resource_groups=alone)}
    matrix = verdicts(replace(cluster, cluster_queues=queues), {("a", 1, "b", 0)})
    ((_, found),) = matrix.of("a", 1, "b", 0)
    assert (found.verdict, found.why) == (CellVerdict.NEVER, "proved for every state by Z3 and cvc5")


def test_a_policy_still_names_its_own() -> None:
    within = {"within_cluster_queue": WithinClusterQueue.LOWER_PRIORITY}
    matrix = verdicts(a_cluster(queue=within), {("a", 1, "a", 0), ("a", 0, "a", 1)})
    assert matrix.verdict("a", 1, "a", 0) == CellVerdict.CAN
    assert matrix.verdict("a", 0, "a", 1) == CellVerdict.NEVER


# -- nominal quota ---------------------------------------------------------------------------------------


def test_a_rule_that_selects_everyone_gives_a_queue_its_nominal_quota() -> None:
    assert why_not_reached(a_cluster(ANY), "a", READING) == ""


@pytest.mark.parametrize(
    "selector",
    [
        replace(ANY, scope=CandidateScope.CLUSTER_QUEUE),
        replace(ANY, workloads=requires(TEAM)),
        replace(ANY, mode=PriorityMode.BASE, comparison=Comparison.AT_LEAST),
        replace(ANY, classes=ClassNames(exclude=("hero",))),
        replace(ANY, queues=requires(NodeRequirement("tier", NodeOperator.IN, ("a",)))),
    ],
)
def test_one_that_does_not_need_not(selector: CandidateSelector) -> None:
    cluster = a_cluster(selector)
    why = why_not_reached(cluster, "a", READING)
    assert "what PreemptionConfig c adds to it is not proved" in why
    assert unreached_state(cluster, LEVELS, READING, "a") is not None


# -- random configurations ------------------------------------------------------------------------------


def test_labels_are_found_exactly_where_the_rules_may_select() -> None:
    """Found label by label, and looked for by Z3 in the lifted rules."""
    count = Counter[str]()
    for seed in range(sample(25, 200)):
        dice = random.Random(seed)
        cluster = with_configs(dice, campaign.draw_configuration(dice, 3)[0])
        names = [name for name, queue in cluster.cluster_queues.items() if queue.preemption_config]
        proof, selections = SelectionProof(cluster, READING, {}), Selections(cluster)
        reason = Reason.CONFIGURABLE_PREEMPTION
        cell = CellQuery(
            names[0],
            dice.randint(0, 3),
            dice.choice(sorted(cluster.cluster_queues)),
            dice.randint(0, 3),
            reason,
        )
        solver = z3.Solver()
        solver.add(*proof.facts(cell))
        found = str(solver.check())
        assert found == ("sat" if selections.pairs(cell) else "unsat"), (seed, cell)
        count[found] += 1
    assert min(count.values()) > 10


def test_decisions_are_accepted_by_encodings() -> None:
    count = Counter[str]()
    assert list(campaign.refusals(range(sample(3, 20)), 15, 3, count, configs=True)) == []
    assert count["decisions accepted"] > 2


# -- beside boosts ----------------------------------------------------------------------------------------


def boosted(cluster: Cluster) -> Matrix:
    known = replace(cluster, settings=replace(cluster.settings, priority_boost=True))
    ranges = Ranges(known, LEVELS, READING)
    with with_solvers(1) as (analyzed, _):
        inner = analyzed(ranges.plain, ranges.regions, READING, EFFORT, MatrixRequest())[0]
    return matrix_of_ranges(ranges, inner)


BASE = replace(ANY, mode=PriorityMode.BASE, comparison=Comparison.LESS)
BOOSTED = replace(BASE, mode=PriorityMode.BOOSTED)


@pytest.mark.parametrize(
    ("selector", "cells"),
    [
        (ANY, {(0, 0), (0, 1), (1, 0), (1, 1)}),
        (BOOSTED, {(0, 0), (0, 1), (1, 0), (1, 1)}),
        (BASE, {(1, 0)}),
        (replace(BASE, comparison=Comparison.GREATER), {(0, 1)}),
        (replace(BOOSTED, classes=ClassNames(match=("low",))), {(0, 0), (1, 0)}),
        (replace(BASE, workloads=requires(TEAM)), {(1, 0)}),
        (replace(ANY, workloads=LabelSelector(fault="wrong")), set()),
    ],
)
def test_beside_boosts_base_priorities_and_names_decide_and_boosted_ones_may_be_any(
    selector: CandidateSelector, cells: set[tuple[int, int]]
) -> None:
    known = replace(a_cluster(selector), class_names={0: ("low",), 1: ("high",)})
    matrix = boosted(known)
    found: dict[CellVerdict, set[tuple[int, int]]] = {verdict: set() for verdict in CellVerdict}
    for cell, settled in matrix.settled.items():
        if (cell.preemptor, cell.victim) == ("a", "b"):
            assert cell.reason == Reason.CONFIGURABLE_PREEMPTION
            found[settled.verdict].add((cell.high, cell.low))
            assert settled.example is None or decided(settled.example.request).targets
    assert found[CellVerdict.UNKNOWN] == set()
    assert found[CellVerdict.CAN] == cells


def test_beside_growing_priorities_a_config_is_not_known() -> None:
    hourly = WorkloadPriorityClass("low", 0, DynamicPriorityPolicy(1, 9, 3600))
    ranges = Ranges(replace(a_cluster(BASE), growing={"low": hourly}), LEVELS, READING)
    assert ranges.plain.preemption_configs is not None
    assert ranges.plain.preemption_configs["c"].unread


def test_a_state_with_boosts_is_decided_as_one_in_which_labels_stand_for_base_priorities() -> None:
    """So that what never happens in these never happens in any with boosts."""
    count = Counter[str]()
    for seed in range(sample(40, 400)):
        dice = random.Random(seed)
        drawn = with_configs(dice, campaign.draw_configuration(dice, 3)[0])
        cluster = replace(drawn, settings=replace(drawn.settings, priority_boost=True))
        ranges, labels = Ranges(cluster, LEVELS, READING), Selections(cluster)
        for tree in trees_of(cluster):
            states = States(cluster, tree, READING, LEVELS)
            for queue in sorted(tree.places):
                for _ in range(5):
                    request = with_boosts(dice, labels.labelled(dice, states.drawn(dice, queue)))
                    found, plain = (decided(each) for each in (request, by_one_priority(ranges, request)))
                    pairs = [[(t.workload.key, t.reason) for t in each.targets] for each in (found, plain)]
                    assert pairs[0] == pairs[1], seed
                    own = {known.key: known.priority for known in request.cluster.admitted}
                    for hit, example in hits_of(request, found):
                        selected = hit.reason == Reason.CONFIGURABLE_PREEMPTION
                        assert not selected or ranges.may_select(replace(hit, low=own[example.victim]))
                        count[hit.reason.label] += 1
    assert count[Reason.CONFIGURABLE_PREEMPTION.label] > 10


def by_one_priority(ranges: Ranges, request: DecideRequest) -> DecideRequest:
    """The state of `ranges.plain` in which each workload has its boosted priority as its own."""
    cluster = ranges.plain
    (key,) = {*labels_read(Selections(cluster).configs)} - {*Selections(ranges.cluster).values} or {"none"}

    def plain_one(workload: Workload) -> Workload:
        read = workload.selectable or Selectable()
        labels = {**read.labels, key: str(10 + workload.priority)}
        value = workload.priority + workload.priority_boost
        return replace(
            workload, priority=value, priority_boost=0, selectable=replace(read, labels=labels, priority=None)
        )

    running = tuple(map(plain_one, request.cluster.admitted))
    return replace(
        request, cluster=replace(cluster, admitted=running), preemptor=plain_one(request.preemptor)
    )


def with_boosts(dice: random.Random, request: DecideRequest) -> DecideRequest:
    """A state whose workloads have boosts; what rules read of them has their Base priority."""

    def boosted_one(workload: Workload) -> Workload:
        read = replace(workload.selectable or Selectable(), priority=workload.priority)
        return replace(workload, priority_boost=dice.randint(-2, 2), selectable=read)

    running = tuple(map(boosted_one, request.cluster.admitted))
    cluster = replace(request.cluster, admitted=running)
    return replace(request, cluster=cluster, preemptor=boosted_one(request.preemptor))


# -- comparisons of configurations ------------------------------------------------------------------------


def a_file(folder: Path, name: str, selector: Any, config: str | None = "hero-config") -> Path:
    objects = [raw for raw in libyaml.load_all(RECORDED.read_text()) if raw["kind"] != "Workload"]
    for raw in objects:
        if raw["kind"] == "PreemptionConfig":
            raw["spec"]["rules"][0]["candidateSelectors"] = [selector]
        if raw["metadata"]["name"] == "hero":
            named = {} if config is None else {"kueue.x-k8s.io/preemption-config-name": config}
            raw["metadata"]["annotations"] = {"other": name, **named}
    file = folder / f"{name}.yaml"
    file.write_text(libyaml.dump_all(objects))
    return file


WITHIN = {"scope": "WithinParentCohort"}
LOWER = {**WITHIN, "priority": {"mode": "Base", "comparison": "LessThan"}}
SMALL = {**WITHIN, "numericLabels": [{"key": "nodes", "comparison": "LessThan"}]}


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ((LOWER,), (WITHIN,), "PreemptionConfig/hero-config spec.rules[0].candidateSelectors[0].priority"),
        ((WITHIN, None), (SMALL,), "metadata.annotations.kueue.x-k8s.io/preemption-config-name"),
    ],
)
def test_a_new_preemption_is_named_with_the_field_that_allows_it(
    before: tuple[Any, ...], after: tuple[Any, ...], field: str, tmp_path: Path
) -> None:
    files = str(a_file(tmp_path, "before", *before)), str(a_file(tmp_path, "after", *after))
    done = tenure("analyze", "diff", "--no-cache", "--fail-on", "new-preemption", *files)
    text = done.stdout.decode()
    assert done.returncode == 1, done.stderr.decode()
    assert "hero may preempt b, for ConfigurablePreemption (before: never)" in text
    assert field in text
    assert "other" not in text
    assert ("labels nodes=" in text) is (after == (SMALL,))
    back = tenure("analyze", "diff", "--no-cache", "--fail-on", "new-preemption", *files[::-1])
    assert back.returncode == 0

"""Measures of PreemptionConfigs, and the rules that have none."""

from __future__ import annotations

import dataclasses
import random
from itertools import combinations, permutations

import pytest

from tenure.model import (
    CandidateScope,
    CandidateSelector,
    ClassNames,
    ClusterQueue,
    Comparison,
    LabelSelector,
    NodeOperator,
    NodeRequirement,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    ReclaimWithinCohort,
    Selectable,
    Trigger,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.configured import accepts, is_label_number_selected, known_of
from tenure.oracle.labels import is_label_set_selected
from tenure.preemption_measures import (
    MeasureComponent,
    MeasureKind,
    PreemptionStep,
    measure_of,
    steps_across_queues,
    steps_of_config,
    steps_within_queue,
)

LESS, AT_MOST, GREATER, AT_LEAST = Comparison
BASE, BOOSTED = PriorityMode.BASE, PriorityMode.BOOSTED


def config(*selectors: CandidateSelector) -> PreemptionConfig:
    rules = (
        PreemptionRule(f"r{place}", Trigger.ALWAYS, candidates=(selector,))
        for place, selector in enumerate(selectors)
    )
    return PreemptionConfig("c", tuple(rules))


def selector(
    mode: PriorityMode | None = None, comparison: Comparison | None = None, *numbers: NumericLabel
) -> CandidateSelector:
    return CandidateSelector(
        CandidateScope.ANYWHERE,
        numbers=numbers,
        mode=mode,
        comparison=comparison if mode is not None else None,
    )


def nodes(comparison: Comparison | None, fallback: int | None = None) -> NumericLabel:
    return NumericLabel("nodes", comparison, fallback=fallback)


def found(*selectors: CandidateSelector, boosts: bool = True) -> str | list[str]:
    """The measure in words, or the rules that have none."""
    measure = measure_of(steps_of_config(config(*selectors), boosts=boosts))
    return [step.field.split(".")[1] for step in measure.unmeasured] or measure.words


def test_base_and_boosted_priority_have_no_common_measure_where_priorities_are_boosted() -> None:
    story = selector(BOOSTED, LESS), selector(BASE, LESS)
    assert found(*story) == ["rules[0]", "rules[1]"]
    assert found(*story, boosts=False) == "priority"


def test_the_pair_of_the_task_page_has_a_measure_of_two_components() -> None:
    assert found(selector(BASE, LESS), selector(BASE, AT_MOST, nodes(LESS))) == "priority, then label nodes"
    assert found(selector(BASE, LESS), selector(None, None, nodes(LESS))) == ["rules[0]", "rules[1]"]


@pytest.mark.parametrize("comparison", [None, AT_MOST, AT_LEAST])
def test_a_rule_in_which_nothing_must_fall_has_no_measure(comparison: Comparison | None) -> None:
    lower = selector(BASE, LESS)
    assert found(lower, selector(BASE if comparison is not None else None, comparison)) == ["rules[1]"]


def test_a_label_counts_only_with_the_fallback_that_it_is_compared_with() -> None:
    large, small, present = (selector(None, None, nodes(LESS, fallback)) for fallback in (9, 0, None))
    assert found(large) == "label nodes (9 without it)"
    assert found(large, small) == ["rules[0]", "rules[1]"]
    assert found(large, present) == "label nodes (9 without it)"
    assert found(present) == "label nodes"
    assert found(present, selector(None, None, nodes(AT_MOST, 9), NumericLabel("age", LESS))) == (
        "label nodes (9 without it), then label age"
    )


def test_bounds_alone_are_no_measure() -> None:
    assert found(selector(None, None, NumericLabel("gpus", maximum=8))) == ["rules[0]"]


def test_an_invalid_selector_selects_nobody() -> None:
    wrong = CandidateSelector(CandidateScope.ANYWHERE, workloads=LabelSelector(fault="operator none"))
    assert found(wrong, selector(BASE, LESS)) == "priority"
    rule = PreemptionRule("r", Trigger.ALWAYS, LabelSelector(fault="operator none"), candidates=(selector(),))
    assert not [*steps_of_config(PreemptionConfig("c", (rule,)), boosts=True)]


def test_policies_fall_by_boosted_priority_and_an_equal_by_time() -> None:
    newer = WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
    queue = ClusterQueue(
        "a", within_cluster_queue=newer, reclaim_within_cohort=ReclaimWithinCohort.LOWER_PRIORITY
    )
    steps = [*steps_within_queue(queue, boosts=True), *steps_across_queues(queue, boosts=True)]
    assert measure_of(steps).words == "boosted priority, then time in the queue"
    base = [*steps_of_config(config(selector(BASE, LESS)), boosts=True)]
    assert [step.object for step in measure_of([*base, *steps]).unmeasured] == [
        "PreemptionConfig/c",
        "ClusterQueue/a",
    ]
    timed = ClusterQueue("a", within_cluster_queue=newer, min_admit_duration=1)
    assert len(measure_of(steps_within_queue(timed, boosts=False)).unmeasured) == 1


def test_three_rules_may_have_none_while_every_two_of_them_have_one() -> None:
    names = ("a", "b", "c")
    steps = [
        selector(None, None, NumericLabel(names[place], LESS), NumericLabel(names[(place + 1) % 3], AT_MOST))
        for place in range(3)
    ]
    assert found(*steps) == ["rules[0]", "rules[1]", "rules[2]"]
    assert all(isinstance(found(*two), str) for two in combinations(steps, 2))


def test_whichever_component_comes_first_a_measure_is_found_if_any_order_is_one() -> None:
    draw = random.Random(7)
    components = [MeasureComponent(MeasureKind.LABEL, key) for key in "abc"]
    orders = [order for size in (1, 2, 3) for order in permutations(components, size)]
    outcomes = set()
    for _ in range(400):
        steps = [
            PreemptionStep("", str(place), tuple((name, move) for name, move in moves if move != GREATER))
            for place in range(draw.randint(1, 4))
            for moves in [zip(components, draw.choices((LESS, AT_MOST, AT_MOST, GREATER), k=3), strict=True)]
        ]
        exists = any(all(falls(step, order) for step in steps) for order in orders)
        assert exists == (not measure_of(steps).unmeasured)
        outcomes.add(exists)
    assert outcomes == {True, False}


def falls(step: PreemptionStep, order: tuple[MeasureComponent, ...]) -> bool:
    """Whether an order of components falls strictly in a step."""
    moves = [step.compared(component) for component in order]
    return LESS in moves and None not in moves[: moves.index(LESS)]


HERO = NodeRequirement("tier", NodeOperator.IN, ("hero",))
NOT_HERO = NodeRequirement("tier", NodeOperator.NOT_IN, ("hero",))


def rule(
    mine: NodeRequirement | ClassNames | NumericLabel, theirs: NodeRequirement | ClassNames | NumericLabel
) -> PreemptionRule:
    """A rule that compares nothing and requires one thing of preemptors, and one of victims."""
    taken = CandidateSelector(
        CandidateScope.ANYWHERE,
        workloads=LabelSelector((theirs,) if isinstance(theirs, NodeRequirement) else ()),
        classes=theirs if isinstance(theirs, ClassNames) else ClassNames(),
        numbers=(theirs,) if isinstance(theirs, NumericLabel) else (),
    )
    return PreemptionRule(
        "r",
        Trigger.ALWAYS,
        LabelSelector((mine,) if isinstance(mine, NodeRequirement) else ()),
        mine if isinstance(mine, ClassNames) else ClassNames(),
        (taken,),
    )


def measured(*rules: PreemptionRule) -> str | list[str]:
    measure = measure_of(steps_of_config(PreemptionConfig("c", rules), boosts=True))
    return [step.words for step in measure.unmeasured] or measure.words


def required(key: str, operator: NodeOperator, *values: str) -> NodeRequirement:
    return NodeRequirement(key, operator, values)


EXISTS, MISSING = NodeOperator.EXISTS, NodeOperator.DOES_NOT_EXIST
GOLD, NOT_GOLD = ClassNames(match=("gold",)), ClassNames(exclude=("gold",))


@pytest.mark.parametrize(
    ("mine", "theirs", "words"),
    [
        (HERO, NOT_HERO, "whether label tier is hero"),
        (HERO, required("tier", MISSING), "whether label tier is hero"),
        (required("tier", EXISTS), required("tier", MISSING), "whether label tier is set"),
        (required("tier", MISSING), HERO, "whether label tier is missing"),
        (required("tier", NodeOperator.NOT_IN, "batch"), required("tier", NodeOperator.IN, "batch"), "batch"),
        (GOLD, NOT_GOLD, "whether priority class is gold"),
        (GOLD, ClassNames(match=("plain",)), "whether priority class is gold"),
        (NOT_GOLD, GOLD, "whether priority class is not gold"),
        (required("nodes", NodeOperator.IN, "8", "9"), NumericLabel("nodes", maximum=7), "is 8 or 9"),
        (required("nodes", MISSING), NumericLabel("nodes"), "whether label nodes is missing"),
        (required("nodes", MISSING), NumericLabel("nodes", minimum=5, fallback=4), "is missing"),
    ],
)
def test_a_rule_that_preempts_one_way_has_a_measure(
    mine: NodeRequirement | ClassNames, theirs: NodeRequirement | ClassNames | NumericLabel, words: str
) -> None:
    found = measured(rule(mine, theirs))
    assert isinstance(found, str)
    assert words in found


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (HERO, HERO),
        (HERO, required("tier", EXISTS)),
        (HERO, required("team", MISSING)),
        (GOLD, ClassNames(match=("gold", "plain"))),
        (required("nodes", NodeOperator.IN, "07", "9"), NumericLabel("nodes", maximum=7)),
        (required("nodes", MISSING), NumericLabel("nodes", minimum=5, fallback=5)),
        (required("nodes", NodeOperator.NOT_IN, "8"), NumericLabel("nodes", minimum=8, maximum=8)),
    ],
)
def test_a_rule_whose_preemptor_may_be_a_victim_has_none(
    mine: NodeRequirement | ClassNames, theirs: NodeRequirement | ClassNames | NumericLabel
) -> None:
    found = measured(rule(mine, theirs))
    assert isinstance(found, list)
    assert found[0].startswith("any victim, whatever its numbers; preemptor: ")


def test_two_rules_that_preempt_each_the_other_way_have_none() -> None:
    assert measured(rule(HERO, NOT_HERO), rule(NOT_HERO, HERO)) == [
        "any victim, whatever its numbers; preemptor: label tier is hero; victim: label tier is not hero",
        "any victim, whatever its numbers; preemptor: label tier is not hero; victim: label tier is hero",
    ]


def test_a_hero_beside_a_rule_by_priority_among_all_has_none_and_among_others_has_one() -> None:
    lower = selector(BASE, LESS)
    among_all = PreemptionRule("lower", Trigger.ALWAYS, candidates=(lower,))
    assert len(measured(rule(HERO, NOT_HERO), among_all)) == 2
    among = (required("tier", NodeOperator.NOT_IN, "hero"),)
    others = dataclasses.replace(
        among_all,
        preemptors=LabelSelector(among),
        candidates=(dataclasses.replace(lower, workloads=LabelSelector(among)),),
    )
    assert measured(rule(HERO, NOT_HERO), others) == "whether label tier is hero, then priority"


def test_a_rule_that_can_select_nobody_counts_for_nothing() -> None:
    never = dataclasses.replace(rule(HERO, NOT_HERO), preemptors=LabelSelector((HERO, NOT_HERO)))
    assert measured(never) == ""
    assert measured(never, rule(NOT_HERO, HERO)) == "whether label tier is not hero"


def test_greater_than_falls_backwards() -> None:
    more = selector(None, None, nodes(GREATER, 1))
    assert found(more) == "label nodes (1 without it) from low to high"
    assert found(more, selector(None, None, nodes(LESS, 1))) == ["rules[0]", "rules[1]"]
    assert found(selector(BASE, AT_LEAST, nodes(LESS)), selector(BASE, GREATER)) == (
        "priority from low to high, then label nodes"
    )
    (step,) = steps_of_config(config(more), boosts=True)
    assert step.words == "label nodes (1 without it) GreaterThan"


def test_with_a_measure_no_labels_preempt_each_other_in_turn() -> None:
    draw, outcomes = random.Random(11), set()
    workloads = [*map(tiered, (None, "hero", "batch", "0", "3", "03", "7", "x", "99999999999"))]
    for _ in range(300):
        rules = [rule(drawn(draw), drawn(draw, bounds=True)) for _ in range(draw.randint(1, 3))]
        measure = measure_of(steps_of_config(PreemptionConfig("c", tuple(rules)), boosts=True))
        left = workloads
        while ends := [one for one in left if not any(preempts(rules, one, other) for other in left)]:
            left = [one for one in left if one not in ends]
        assert measure.unmeasured or not left
        outcomes.add((bool(measure.unmeasured), bool(left)))
    assert outcomes == {(False, False), (True, True), (True, False)}


def preempts(rules: list[PreemptionRule], one: Workload, other: Workload) -> bool:
    return any(
        accepts(each, one)
        and all(is_label_number_selected(label, other, one) for label in taken.numbers)
        and is_label_set_selected(taken.workloads, known_of(other).labels)
        for each in rules
        for taken in each.candidates
    )


def drawn(draw: random.Random, *, bounds: bool = False) -> NodeRequirement | NumericLabel:
    if bounds and draw.random() < 0.5:
        low, high, fallback = draw.choices((None, 0, 2, 3, 7), k=3)
        return NumericLabel("tier", minimum=low, maximum=high, fallback=fallback)
    values = draw.sample(("hero", "batch", "3", "7"), k=draw.randint(1, 2))
    operator = draw.choice((NodeOperator.IN, NodeOperator.IN, NodeOperator.NOT_IN, EXISTS, MISSING))
    return required("tier", operator, *(values if operator in (NodeOperator.IN, NodeOperator.NOT_IN) else ()))


def tiered(value: str | None) -> Workload:
    labels = {} if value is None else {"tier": value}
    return Workload("", "", value or "", 0, created_at=0, selectable=Selectable(labels))

"""Measures of PreemptionConfigs, and the rules that have none."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import pytest

from tenure.model import (
    CandidateScope,
    CandidateSelector,
    ClusterQueue,
    Comparison,
    LabelSelector,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    ReclaimWithinCohort,
    Trigger,
    WithinClusterQueue,
)
from tenure.preemption_measures import (
    MeasureComponent,
    MeasureKind,
    PreemptionStep,
    measure_of,
    steps_across_queues,
    steps_of_config,
    steps_within_queue,
)

LESS, AT_MOST, GREATER = Comparison.LESS, Comparison.AT_MOST, Comparison.GREATER
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


@pytest.mark.parametrize("comparison", [None, AT_MOST, GREATER])
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

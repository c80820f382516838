"""Answers in sentences: what was tried, which reading, and what is left out where many are asked about."""

from __future__ import annotations

import dataclasses

import pytest

from tenure.choices import Outcome
from tenure.explanation.answers import why_answer, why_not_answer
from tenure.explanation.summary import reading_text, summarize
from tenure.explanation.text import why_not_outline, why_outline
from tenure.explanation.verdicts import decision_lines
from tenure.model import MINUTE, Cluster, FlavorResource, PodSet, Workload
from tenure.oracle.decide import Decision, decide
from tenure.readings import Reading, RequeueOrder, parse_reading, preset
from tests import clusters
from tests.tenure.clusters import NOW, decided, queue, running, waiting

FLAVORS = "Flavors, in the order tried"
RULES = "What each rule found"
HELD = running("held", 4, 200)


def why(decision: Decision, *others: Decision) -> list[str]:
    """What `why` says about the workload that holds all GPUs."""
    answer = why_answer(HELD, [decision, *others], NOW, preset("guaranteed"), counterfactuals=0)
    return list(why_outline(answer, verbose=True).text_lines())


def why_not(decision: Decision, victim: Workload | None = HELD) -> list[str]:
    """What `why-not` says about it."""
    return list(why_not_outline(why_not_answer(decision, victim, counterfactuals=0)).text_lines())


@pytest.mark.parametrize(
    ("decision", "tried"),
    [
        (
            decided(waiting(5), HELD),
            "  a100 for nvidia.com/gpu: NoFit; nvidia.com/gpu: 5 asked, 0 available: more than the 4 that it"
            " could ever have (KQ-070)",
        ),
        (
            decided(waiting(1), HELD),
            "  a100 for nvidia.com/gpu: NoCandidates; nvidia.com/gpu: 1 asked, 0 available, and preemption"
            " cannot free enough; chosen: the best that was found (KQ-550)",
        ),
    ],
    ids=["NoFit", "NoCandidates"],
)
def test_the_flavors_that_were_tried_are_told_of_a_victim_too(decision: Decision, tried: str) -> None:
    for lines in (why_not(decision), why(decision)):
        assert tried in lines[lines.index(FLAVORS) :]


def test_why_tells_the_attempts_before_what_each_rule_found() -> None:
    lines = why(decided(waiting(1, 300), HELD))
    assert lines.index(FLAVORS) < lines.index("Attempts to preempt") < lines.index(RULES)
    assert "  1 nvidia.com/gpu short on a100: 1 asked, 4 of 4 in use" in lines


def test_a_fit_tells_what_is_asked_and_what_is_available() -> None:
    fit = decided(waiting(1), running("small", 3))
    number = "  nvidia.com/gpu on a100: 1 asked, 1 available; the queue uses 3 of its 4"
    assert number in why_not(fit, running("small", 3))
    assert number in why_not(fit, None)
    assert number in list(decision_lines(fit))


def test_of_several_pending_workloads_only_the_verdicts_are_told() -> None:
    other = dataclasses.replace(waiting(1, 400), name="other")
    cluster = Cluster({"q": queue()}, (HELD,), (other,))
    second = decide(cluster, other, "q", NOW, preset("guaranteed"))
    answer = why_answer(HELD, [decided(waiting(1, 300), HELD), second], NOW, preset("guaranteed"))
    assert [(case.preempted, case.flavors, case.attempts, case.counterfactuals) for case in answer.cases] == [
        (True, (), (), None)
    ] * 2
    assert FLAVORS not in list(why_outline(answer).text_lines())


@pytest.mark.parametrize(
    ("reading", "text"),
    [
        (preset("released"), "released"),
        (parse_reading({"requeue_order": "creation"}), "guaranteed with requeue_order: creation"),
        (
            parse_reading({"preset": "released", "newer_than": "reserved_after_created"}),
            "released with newer_than: reserved_after_created",
        ),
        (parse_reading({"preset": "released", "same_priority_gate": "either"}), "released"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_reading_is_told_by_its_preset_and_what_differs(reading: Reading, text: str) -> None:
    assert reading_text(reading) == text


def test_a_reading_made_of_no_preset_is_told_by_the_nearest() -> None:
    made = dataclasses.replace(preset("guaranteed"), requeue_order=RequeueOrder.CREATION, name="custom")
    assert reading_text(made) == "guaranteed with requeue_order: creation"


def test_a_reading_is_left_out_where_no_field_of_a_proposal_is_used() -> None:
    plain = why_not(decided(waiting(1), HELD))
    assert not any("reading" in line or "TBP" in line for line in plain)
    timed = why_not(decided(waiting(1), HELD, in_queue=queue(duration=60 * MINUTE)))
    assert any("reading guaranteed" in line for line in timed)


def test_json_keeps_every_choice_of_an_overridden_reading() -> None:
    reading = parse_reading({"requeue_order": "creation"})
    preemptor = waiting(1)
    timed = Cluster({"q": queue(duration=60 * MINUTE)}, (HELD,), (preemptor,))
    decision = decide(timed, preemptor, "q", NOW, reading)
    answer = why_not_answer(decision, counterfactuals=0)
    assert answer.reading == reading.choices()
    assert f"reading {answer.reading_text}" in "\n".join(decision_lines(decision))
    assert answer.reading_text == "guaranteed with requeue_order: creation"


@pytest.mark.parametrize(
    ("strategies", "policies"),
    [
        (None, "borrowWithinCohort.policy is Never"),
        ((), "borrowWithinCohort.policy and reclaimWithinCohort are Never"),
    ],
)
def test_a_request_that_may_not_preempt_while_it_borrows_names_the_policies(
    strategies: tuple[()] | None, policies: str
) -> None:
    runs = Workload(
        "ns",
        "runs",
        "u1",
        priority=0,
        created_at=0,
        cluster_queue="b",
        quota_reserved_at=0,
        usage={FlavorResource("f", "gpu"): 4},
    )
    queues = [clusters.queue(name, "c", (nominal, None, None)) for name, nominal in (("a", 0), ("b", 4))]
    known = dataclasses.replace(clusters.cluster(*queues, fair_sharing=strategies), admitted=(runs,))
    waits = Workload("ns", "waits", "u2", priority=9, created_at=0, pod_sets=(PodSet("main", 1, {"gpu": 1}),))
    decision = decide(known, waits, "a", MINUTE, preset("guaranteed"))
    assert decision.outcome == Outcome.NO_FIT
    because = f"and may not preempt for that: it would borrow, and spec.preemption.{policies}"
    assert summarize(decision)[0].endswith(because)


def test_why_of_several_lists_who_preempts_and_counts_the_others() -> None:
    other = dataclasses.replace(waiting(1, 50), name="other")
    second = decide(Cluster({"q": queue()}, (HELD,), (other,)), other, "q", NOW, preset("guaranteed"))
    answer = why_answer(HELD, [decided(waiting(1, 300), HELD), second], NOW, preset("guaranteed"))
    assert list(why_outline(answer).text_lines())[-2:] == [
        "  ml/preemptor in ClusterQueue q (KQ-010: priority 200 is below 300)",
        "  1 other does not: 1 NoCandidates; each with --all",
    ]
    assert any("KQ-040" in line for line in why_outline(answer, verbose=True).text_lines())
    assert "Not preempted for" in list(why_outline(answer, every=True).text_lines())


def test_why_not_of_a_running_workload_gives_the_finding_that_decides_as_markdown_too() -> None:
    outline = why_not_outline(why_not_answer(decided(waiting(1), HELD), HELD, counterfactuals=0))
    assert list(outline.text_lines())[-2:] == [
        "The rule that decides; --verbose shows all",
        "  KQ-010  priority 200 is not below 100",
    ]
    markdown = list(outline.markdown_lines())
    assert markdown[0] == "## Why ml/preemptor does not preempt ml/held"
    assert markdown[-1] == "- KQ-010  priority 200 is not below 100"

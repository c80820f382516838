"""Explanations say what the rules say, of every workload, whatever the outcome."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from tenure.explain import GROUND_RULES, Explanation, explain
from tenure.findings import Finding
from tenure.model import (
    MINUTE,
    ClusterQueue,
    Ground,
    Instant,
    Outcome,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import Decision
from tenure.readings import Reading
from tenure.rules.eligibility import ground_within_queue
from tenure.rules.ordering import candidate_precedes
from tenure.rules.priority import has_lower_priority
from tenure.rules.queue_order import queue_order_timestamp
from tenure.rules.quota import can_ever_fit, fits_quota
from tenure.rules.time_based import (
    duration_in_force,
    ground_among_equals,
    is_newer_equal,
    is_time_expired,
    precedes_among_equals,
    requeue_timestamp,
)
from tests.unit.clusters import CPU, GPU, NOW, READINGS, Case, cases, decided, queue, running, waiting

MANY = settings(deadline=None, print_blob=True, max_examples=150)
HOUR = 60 * MINUTE

# What each rule says of a target, called anew.
SAYS: dict[str, Callable[[Decision, Workload], bool]] = {
    "KQ-010": lambda d, w: has_lower_priority(d.preemptor, w),
    "KQ-030": lambda _, w: w.quota_reserved_at is not None,
    "KQ-040": lambda d, w: ground_within_queue(d.preemptor, w, d.terms, d.now) != Ground.NONE,
    "TBP-010": lambda d, _: duration_in_force(d.terms) is not None,
    "TBP-020": lambda d, w: is_time_expired(w, d.now, duration_in_force(d.terms)),
    "TBP-040": lambda d, w: is_newer_equal(d.preemptor, w, d.terms, d.now),
    "TBP-050": lambda d, w: ground_among_equals(d.preemptor, w, d.terms, d.now) != Ground.NONE,
    "TBP-070": lambda d, w: ground_within_queue(d.preemptor, w, d.terms, d.now) == Ground.TIME_EXPIRED,
}


def findings_of(decision: Decision, name: str) -> dict[str, Finding]:
    """The last finding of each rule about one workload."""
    (row,) = (each for each in explain(decision).workloads if each.workload.name == name)
    return {finding.rule: finding for finding in row.findings}


def text_of(decision: Decision, name: str, rule: str) -> str:
    """What one rule found about one workload."""
    return findings_of(decision, name)[rule].text


def verdict_of(decision: Decision, name: str) -> str:
    """The answer about one workload."""
    (row,) = (each for each in explain(decision).workloads if each.workload.name == name)
    return row.verdict


@MANY
@given(cases(), READINGS)
def test_every_workload_of_the_queue_is_explained_once(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    rows = explain(decision).workloads
    assert sorted(row.workload.key for row in rows) == sorted(each.key for each in decision.running)
    leaving = [target.workload.key for target in decision.targets]
    assert (
        [row.workload.key for row in rows if row.taken]
        == leaving
        == [r.workload.key for r in rows][: len(leaving)]
    )


@MANY
@given(cases(), READINGS)
def test_whoever_is_taken_is_said_to_be_by_the_rules_that_allow_it(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    rows = {row.workload.key: row for row in explain(decision).workloads}
    for target in decision.targets:
        row, rules = rows[target.workload.key], GROUND_RULES[target.evidence.ground]
        assert row.verdict == f"preempted: {target.reason.label}, by {', '.join(rules)}"
        held = {finding.rule for finding in row.findings if finding.holds}
        assert set(rules) <= held, "each rule that is named says yes in the findings below"
    kept = [row for row in rows.values() if not row.taken]
    assert all(row.verdict.startswith("kept: ") for row in kept)


@MANY
@given(cases(), READINGS)
def test_every_finding_about_a_workload_is_what_its_rule_says(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    for row in explain(decision).workloads:
        for finding in row.findings:
            if finding.rule in SAYS:
                assert finding.holds == SAYS[finding.rule](decision, row.workload), finding
            elif finding.rule in ("KQ-050", "TBP-060"):
                assert finding.holds == _precedes(decision, row.workload, finding), finding
            else:
                assert finding.holds == _moved(decision, row.workload, finding), finding


def _precedes(decision: Decision, target: Workload, finding: Finding) -> bool:
    words = finding.text.removeprefix("taken ").split()
    key = words[1].removesuffix(":")
    (neighbour,) = (each for each in decision.running if each.key == key)
    assert words[0] == ("before" if finding.holds else "after")
    if finding.rule == "KQ-050":
        return candidate_precedes(target, neighbour, decision.preemptor, decision.terms, decision.now)
    return precedes_among_equals(target, neighbour, decision.now, duration_in_force(decision.terms))


def _moved(decision: Decision, target: Workload, finding: Finding) -> bool:
    who = target if finding.text.startswith("it ") else decision.preemptor
    terms = decision.terms
    stands: Instant = queue_order_timestamp(
        who, terms.requeuing_timestamp, terms.priority_sorting_within_cohort
    )
    if finding.rule == "KQ-020":
        return stands != who.created_at
    assert finding.rule == "TBP-030"
    return requeue_timestamp(who, decision.terms) != stands


@MANY
@given(cases(), READINGS)
def test_every_finding_about_the_request_is_what_its_rule_says(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    nominal = decision.queue.nominal()
    expected = []
    for place, amount in sorted(decision.assignment.usage.items()):
        expected.append(("KQ-070", can_ever_fit(amount, nominal[place])))
        expected.append(("KQ-060", fits_quota(decision.usage.get(place, 0), amount, nominal[place])))
    assert [(finding.rule, finding.holds) for finding in explain(decision).request] == expected


@MANY
@given(cases(), READINGS)
def test_the_summary_begins_with_the_outcome_and_says_what_is_short(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    summary = explain(decision).summary
    assert "ml/preemptor" in summary[0]
    assert summary[0].startswith(f"{decision.outcome}: ")
    assert (len(summary) > 1) == (decision.outcome != Outcome.FIT)


def test_priority_is_compared_in_words() -> None:
    decision = decided(waiting(4), running("equal", 2), running("lower", 2, 99))
    assert text_of(decision, "equal", "KQ-010") == "priority 100 is not below 100"
    assert text_of(decision, "lower", "KQ-010") == "priority 99 is below 100"


def test_the_end_of_the_protection_is_told() -> None:
    target = running("w", 4, quota_reserved_at=NOW - HOUR)
    decision = decided(waiting(1), target, in_queue=queue(duration=4 * HOUR))
    assert text_of(decision, "w", "TBP-020") == (
        "has run 1h, not more than 4h: protected until 1970-01-01T04:40:00Z"
    )
    assert text_of(decision, "w", "TBP-050") == (
        "same_priority_gate is expired_only: an equal may be taken only after its time"
    )
    assert verdict_of(decision, "w") == "kept: it may not be taken"


@pytest.mark.parametrize(("reading", "allowed"), [("guaranteed", False), ("released", True)])
def test_a_newer_equal_inside_its_time_is_told_newer_and_allowed_by_the_gate_only(
    reading: str, allowed: bool
) -> None:
    newer = running("w", 4, created_at=1)
    decision = decided(waiting(1), newer, in_queue=queue(duration=4 * HOUR), reading=reading)
    found = findings_of(decision, "w")
    assert (found["TBP-020"].holds, found["TBP-040"].holds) == (False, True)
    assert found["TBP-050"].holds == found["KQ-040"].holds == allowed


def test_exactly_at_the_threshold_the_protection_ends_now_and_holds() -> None:
    target = running("w", 4, quota_reserved_at=NOW - 4 * HOUR)
    decision = decided(waiting(1), target, in_queue=queue(duration=4 * HOUR))
    assert text_of(decision, "w", "TBP-020") == (
        "has run 4h, not more than 4h: protected until 1970-01-01T01:40:00Z"
    )


def test_an_expired_one_is_told_by_how_long_it_ran() -> None:
    target = running("w", 4, quota_reserved_at=NOW - 4 * HOUR - 1)
    decision = decided(waiting(1), target, in_queue=queue(duration=4 * HOUR))
    assert text_of(decision, "w", "TBP-020") == "has run 4h0.000000001s, strictly more than 4h"
    assert verdict_of(decision, "w") == "preempted: InClusterQueueTimeBased, by KQ-040, TBP-050, TBP-020"


@pytest.mark.parametrize(
    ("in_queue", "gate", "words"),
    [
        (queue(), True, "minAdmitDuration is not set"),
        (queue(duration=HOUR), True, "minAdmitDuration 1h is in force"),
        (queue(duration=HOUR), False, "minAdmitDuration 1h is off with gate TimeBasedSamePriorityPreemption"),
        (
            queue(duration=MINUTE - 1),
            True,
            "minAdmitDuration 59.999999999s is below one minute, and has no effect",
        ),
        (
            queue(WithinClusterQueue.LOWER_PRIORITY, HOUR),
            True,
            "minAdmitDuration 1h has no effect under policy LowerPriority",
        ),
    ],
    ids=["unset", "in force", "gate off", "too short", "policy"],
)
def test_why_a_duration_is_in_force_or_not_is_told(in_queue: ClusterQueue, gate: bool, words: str) -> None:
    decision = decided(waiting(1), running("w", 4), in_queue=in_queue, settings=Settings(gate))
    assert text_of(decision, "w", "TBP-010") == words


def test_a_missing_stamp_is_told() -> None:
    decision = decided(waiting(1), running("w", 4, quota_reserved_at=None))
    assert text_of(decision, "w", "KQ-030") == "no reservation stamp: reserved now"


def test_where_a_victim_queues_from_is_told() -> None:
    victim = waiting(1, time_based_preempted_at=NOW - MINUTE)
    decision = decided(victim, running("w", 4), in_queue=queue(duration=HOUR))
    assert text_of(decision, "w", "TBP-030") == (
        "preemptor queues from 1970-01-01T01:39:00.001Z, after its preemption"
    )


def test_whoever_uses_nothing_that_is_short_is_told_so() -> None:
    decision = decided(waiting(1, 200), running("gpu", 4), running("cpu", usage={CPU: 1}))
    assert verdict_of(decision, "cpu") == "kept: it uses nothing that is short"


def test_whoever_is_given_its_quota_back_is_told_so() -> None:
    decision = decided(waiting(3), running("low", 1, 10), running("big", 3, 50))
    assert verdict_of(decision, "low") == "kept: removed at first, then given its quota back by fill-back"


def test_those_who_are_not_enough_are_told_so() -> None:
    decision = decided(waiting(4), running("low", 2, 50), running("high", 2, 200))
    assert verdict_of(decision, "low") == (
        "kept: it may be taken, but all who may be taken together are not enough"
    )


@pytest.mark.parametrize(("place", "ordinal"), [(2, "2nd"), (3, "3rd"), (4, "4th"), (5, "5th")])
def test_a_place_in_the_order_is_written_as_english_writes_it(place: int, ordinal: str) -> None:
    order = [running(f"w{number}", 1, number) for number in range(1, 6)]
    decision = decided(waiting(1), *order, in_queue=queue(nominal={GPU: 5, CPU: 6}))
    assert verdict_of(decision, f"w{place}") == (
        f"kept: it may be taken, but the first 1 in order sufficed ({ordinal})"
    )


@pytest.mark.parametrize(
    ("explanation", "summary"),
    [
        (
            explain(decided(waiting(2, 200), running("a", 3))),
            (
                "Preempt: 1 of 1 running workload in ClusterQueue q makes room for ml/preemptor",
                "1 nvidia.com/gpu short on a100: 2 asked, 3 of 4 in use",
            ),
        ),
        (
            explain(decided(waiting(2, 1), running("a", 3))),
            (
                "NoCandidates: of 1 running workload in ClusterQueue q 0 may be taken for ml/preemptor, "
                "which is not enough",
                "1 nvidia.com/gpu short on a100: 2 asked, 3 of 4 in use",
            ),
        ),
        (
            explain(decided(waiting(1, 1), running("a", 3))),
            ("Fit: ml/preemptor fits in ClusterQueue q beside 1 running workload",),
        ),
        (
            explain(decided(waiting(5))),
            (
                "NoFit: ml/preemptor could not run in ClusterQueue q even if it were empty",
                "5 nvidia.com/gpu asked, on a100 it could have 4 at most",
            ),
        ),
    ],
    ids=["Preempt", "NoCandidates", "Fit", "NoFit"],
)
def test_the_summary_of_each_outcome(explanation: Explanation, summary: tuple[str, ...]) -> None:
    assert explanation.summary == summary

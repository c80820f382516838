"""Explanations say what the rules say, of every workload, whatever the outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from tenure.choices import Outcome
from tenure.conformance.requests import read_decide_request
from tenure.explanation.attempts import attempts, count_trials, flavor_trials, spared
from tenure.explanation.explain import Explanation, explain, explain_workload
from tenure.explanation.other_queues import comparisons
from tenure.explanation.proposals import proposals_in, shown_rules
from tenure.explanation.remarks import BASIS_RULES, Remark
from tenure.explanation.shortages import account_text, shortages
from tenure.explanation.summary import summarize
from tenure.model import (
    MINUTE,
    Assignment,
    Basis,
    BorrowWithinCohort,
    Cluster,
    ClusterQueue,
    FairStrategy,
    FlavorQuotas,
    Instant,
    PodSet,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Settings,
    Taint,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import Decision, decide
from tenure.readings import Reading, preset
from tenure.rules.eligibility import basis_within_queue
from tenure.rules.ordering import candidate_precedes
from tenure.rules.priority import has_lower_priority
from tenure.rules.queue_order import queue_order_timestamp
from tenure.rules.quota import can_ever_fit, fits_quota
from tenure.rules.share import compare_shares
from tenure.rules.time_based import (
    basis_among_equals,
    duration_in_force,
    is_newer_equal,
    is_time_expired,
    precedes_among_equals,
    requeue_timestamp,
)
from tenure_lab.generators.strategies import decide_inputs
from tests import clusters
from tests.published import published_vectors
from tests.tenure.clusters import CPU, GPU, NOW, READINGS, Case, cases, decided, queue, running, waiting

MANY = settings(deadline=None, print_blob=True, max_examples=150)
HOUR = 60 * MINUTE

# What each rule says of a target, called again.
SAYS: dict[str, Callable[[Decision, Workload], bool]] = {
    "KQ-010": lambda d, w: has_lower_priority(d.preemptor, w),
    "KQ-030": lambda _, w: w.quota_reserved_at is not None,
    "KQ-040": lambda d, w: basis_within_queue(d.preemptor, w, d.terms, d.now) != Basis.NONE,
    "TBP-010": lambda d, _: duration_in_force(d.terms) is not None,
    "TBP-020": lambda d, w: is_time_expired(w, d.now, duration_in_force(d.terms)),
    "TBP-040": lambda d, w: is_newer_equal(d.preemptor, w, d.terms, d.now),
    "TBP-050": lambda d, w: basis_among_equals(d.preemptor, w, d.terms, d.now) != Basis.NONE,
    "TBP-070": lambda d, w: basis_within_queue(d.preemptor, w, d.terms, d.now) == Basis.TIME_EXPIRED,
}


def findings_of(decision: Decision, name: str) -> dict[str, Remark]:
    """The last remark of each rule about one workload."""
    (row,) = (workload for workload in explain(decision).workloads if workload.workload.endswith(f"/{name}"))
    return {remark.rule: remark for remark in row.remarks}


def text_of(decision: Decision, name: str, rule: str) -> str:
    """What one rule found about one workload."""
    return findings_of(decision, name)[rule].text


def verdict_of(decision: Decision, name: str) -> str:
    """The answer about one workload."""
    (row,) = (workload for workload in explain(decision).workloads if workload.workload.endswith(f"/{name}"))
    return row.verdict


@MANY
@given(cases(), READINGS)
def test_every_workload_of_the_queue_is_explained_once(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    rows = explain(decision).workloads
    assert sorted(row.workload for row in rows) == sorted(workload.key for workload in decision.running)
    leaving = [target.workload.key for target in decision.targets]
    assert (
        [row.workload for row in rows if row.preempted]
        == leaving
        == [r.workload for r in rows][: len(leaving)]
    )


@MANY
@given(cases(), READINGS)
def test_a_victim_is_explained_by_the_rules_that_allow_it(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    rows = {row.workload: row for row in explain(decision).workloads}
    for target in decision.targets:
        row, rules = rows[target.workload.key], BASIS_RULES[target.evidence.basis]
        assert (
            row.verdict
            == f"preempted: {target.reason.label}, by {shown_rules(rules, proposals_in(case.cluster))}"
        )
        held = {remark.rule for remark in row.remarks if remark.holds}
        assert set(rules) <= held, "each rule that is named says yes in the findings below"
    kept = [row for row in rows.values() if not row.preempted]
    assert all(row.verdict.startswith("kept: ") for row in kept)


@MANY
@given(cases(), READINGS)
def test_every_remark_about_a_workload_is_what_its_rule_says(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    running = {workload.key: workload for workload in decision.running}
    for row in explain(decision).workloads:
        workload = running[row.workload]
        for remark in row.remarks:
            if remark.rule in SAYS:
                assert remark.holds == SAYS[remark.rule](decision, workload), remark
            elif remark.rule in ("KQ-050", "TBP-060"):
                assert remark.holds == _precedes(decision, workload, remark), remark
            else:
                assert remark.holds == _moved(decision, workload, remark), remark


def _precedes(decision: Decision, target: Workload, remark: Remark) -> bool:
    words = remark.text.removeprefix("preempted ").split()
    key = words[1].removesuffix(":")
    (neighbour,) = (workload for workload in decision.running if workload.key == key)
    assert words[0] == ("before" if remark.holds else "after")
    if remark.rule == "KQ-050":
        return candidate_precedes(target, neighbour, decision.preemptor, decision.terms, decision.now)
    return precedes_among_equals(target, neighbour, decision.now, duration_in_force(decision.terms))


def _moved(decision: Decision, target: Workload, remark: Remark) -> bool:
    who = target if remark.text.startswith("it ") else decision.preemptor
    terms = decision.terms
    stands: Instant = queue_order_timestamp(
        who, terms.requeuing_timestamp, terms.priority_sorting_within_cohort
    )
    if remark.rule == "KQ-020":
        return stands != who.created_at
    assert remark.rule == "TBP-030"
    return requeue_timestamp(who, decision.terms) != stands


@MANY
@given(cases(), READINGS)
def test_every_remark_about_the_request_is_what_its_rule_says(case: Case, reading: Reading) -> None:
    decision = case.decided(reading)
    nominal = decision.queue.nominal()
    expected = []
    for place, amount in sorted(decision.assignment.usage.items()):
        expected.append(("KQ-070", can_ever_fit(amount, nominal[place])))
        expected.append(("KQ-060", fits_quota(decision.usage.get(place, 0), amount, nominal[place])))
    assert [(remark.rule, remark.holds) for remark in explain(decision).request] == expected


@MANY
@given(cases(), READINGS)
def test_the_summary_begins_with_the_outcome_and_says_what_is_short_or_where_it_fits(
    case: Case, reading: Reading
) -> None:
    decision = case.decided(reading)
    summary = explain(decision).summary
    assert "ml/preemptor" in summary[0]
    assert summary[0].startswith(f"{decision.outcome}: ")
    asks = any(amount for pods in case.preemptor.pod_sets for amount in pods.requests.values())
    assert (len(summary) > 1) == (decision.outcome != Outcome.FIT or asks)


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
        "same_priority_gate is expired_only: an equal may be preempted only after its time"
    )
    assert verdict_of(decision, "w") == "kept: it may not be preempted"


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
        "kept: it may be preempted, but preempting all candidates together would not free enough quota"
    )


@pytest.mark.parametrize(("place", "ordinal"), [(2, "2nd"), (3, "3rd"), (4, "4th"), (5, "5th")])
def test_a_place_in_the_order_is_written_as_english_writes_it(place: int, ordinal: str) -> None:
    order = [running(f"w{number}", 1, number) for number in range(1, 6)]
    decision = decided(waiting(1), *order, in_queue=queue(nominal={GPU: 5, CPU: 6}))
    assert verdict_of(decision, f"w{place}") == (
        f"kept: it may be preempted, but the first 1 in order sufficed ({ordinal})"
    )


@pytest.mark.parametrize(
    ("explanation", "summary"),
    [
        (
            explain(decided(waiting(2, 200), running("a", 3))),
            (
                "Preempt: 1 of 1 running workload in ClusterQueue q is preempted for ml/preemptor",
                "1 nvidia.com/gpu short on a100: 2 asked, 3 of 4 in use",
            ),
        ),
        (
            explain(decided(waiting(2, 1), running("a", 3))),
            (
                "NoCandidates: of 1 running workload in ClusterQueue q none may be preempted for "
                "ml/preemptor; it is in no cohort (spec.cohortName), so it can borrow nothing",
                "1 nvidia.com/gpu short on a100: 2 asked, 3 of 4 in use",
            ),
        ),
        (
            explain(decided(waiting(1, 1), running("a", 3))),
            (
                "Fit: ml/preemptor fits in ClusterQueue q beside 1 running workload",
                "nvidia.com/gpu on a100: 1 asked, 1 available; the queue uses 3 of its 4",
            ),
        ),
        (
            explain(decided(waiting(5))),
            (
                "NoFit: ml/preemptor could not run in ClusterQueue q even if it were empty; "
                "it is in no cohort (spec.cohortName), so it can borrow nothing",
                "5 nvidia.com/gpu asked, on a100 it could have 4 at most",
            ),
        ),
    ],
    ids=["Preempt", "NoCandidates", "Fit", "NoFit"],
)
def test_the_summary_of_each_outcome(explanation: Explanation, summary: tuple[str, ...]) -> None:
    assert explanation.summary == summary


# What is short and where, what was tried: replayed, and compared with what was decided.


def replayed(scenario: dict[str, Any]) -> Decision:
    """The decision of a drawn scenario."""
    read = read_decide_request(scenario)
    return decide(read.cluster, read.preemptor, read.queue, read.now, read.reading)


@MANY
@given(decide_inputs())
def test_the_attempts_are_those_that_were_made(scenario: dict[str, Any]) -> None:
    decision = replayed(scenario)
    made = attempts(decision)
    if decision.selection is None:
        assert made == ()
        return
    assert [attempt_trial.fits for attempt_trial in made[:-1]] == [False] * (len(made) - 1)
    assert made[-1].fits == (decision.outcome == Outcome.PREEMPT)
    if decision.outcome == Outcome.PREEMPT:
        counted = made if decision.terms.fair_sharing else made[-1:]
        removed = [name for attempt_trial in counted for name in attempt_trial.removed]
        assert removed == [candidate.workload.key for candidate in decision.selection.removed]
        assert set(spared(decision)) | {target.workload.key for target in decision.targets} == set(removed)
    for attempt_trial in made:
        assert not attempt_trial.fits or not attempt_trial.short
        assert not set(attempt_trial.removed) & {passed.workload for passed in attempt_trial.passed_over}


@MANY
@given(decide_inputs())
def test_every_flavor_is_told_once_and_the_chosen_one_is_the_assignment(scenario: dict[str, Any]) -> None:
    decision = replayed(scenario)
    trials = flavor_trials(decision)
    seen = [(trial.pod_set, trial.resources, trial.flavor) for trial in trials]
    assert len(seen) == len(set(seen))
    assert all(trial.reason for trial in trials)
    for pods in decision.assignment.pod_sets:
        chosen = {
            resource: trial.flavor
            for trial in trials
            if trial.chosen and trial.pod_set == pods.name
            for resource in trial.resources
        }
        assert chosen == dict(pods.flavors)


def test_where_flavors_are_given_nothing_is_told_as_tried_for_them() -> None:
    (vector,) = [
        vector
        for vector in published_vectors()
        if vector.id == "UCQ-310/with-a-given-assignment-its-flavor-is-made-room-on"
    ]
    asked = read_decide_request(vector.request()["input"])
    assert asked.assignment is not None
    made = decide(asked.cluster, asked.preemptor, asked.queue, asked.now, asked.reading, asked.assignment)
    assert made.outcome == Outcome.PREEMPT
    assert (flavor_trials(made), count_trials(made)) == ((), ())


@MANY
@given(decide_inputs())
def test_the_last_number_of_pods_that_is_served_is_the_one_decided_on(scenario: dict[str, Any]) -> None:
    decision = replayed(scenario)
    served = [trial for trial in count_trials(decision) if trial.served]
    assert bool(served) == (decision.outcome in (Outcome.FIT, Outcome.PREEMPT))
    if served:
        decided_on = {pods.name: pods.count for pods in decision.assignment.pod_sets}
        assert decided_on in [{pods.pod_set: pods.count for pods in trial.pods} for trial in served]


@MANY
@given(decide_inputs())
def test_one_node_binds_and_what_is_available_above_it_is_not_less(scenario: dict[str, Any]) -> None:
    decision = replayed(scenario)
    assert {shortage.at for shortage in shortages(decision)} == decision.assignment.needs_preemption
    for shortage in shortages(decision):
        assert [bool(node.binds) for node in shortage.path].count(True) == 1
        assert shortage.path[0].name == decision.queue.name
        assert shortage.available == max(0, shortage.path[0].available)
        place = shortage.path.index(shortage.binding)
        assert (place < len(shortage.path) - 1) == (shortage.binding.binds == "borrowingLimit")


@MANY
@given(decide_inputs(fair_sharing=True))
def test_the_shares_that_are_told_are_those_that_were_compared(scenario: dict[str, Any]) -> None:
    decision = replayed(scenario)
    if decision.selection is None:
        return
    known = comparisons(decision)
    for group in (decision.selection.removed, decision.selection.attempts[-1].rejected):
        for candidate in group:
            if candidate.evidence.basis in (Basis.FINAL_SHARE, Basis.INITIAL_SHARE):
                told = known[candidate.workload.key].shares
                assert told is not None
                assert told.compared == candidate.evidence.share
                assert told.compared == compare_shares(told.preemptor, told.target)


FAIR = Settings(fair_sharing=(FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,))
TOO_FEW = (
    "kept: it may be preempted, but preempting all candidates that the shares allow would not free enough "
    "quota"
)


def test_under_fair_sharing_a_candidate_that_had_its_turn_is_kept_for_too_little_quota() -> None:
    preemptor = waiting(2)
    held = (running("low", 1, priority=0), running("high", 1, priority=900))
    lends = replace(queue(nominal={GPU: 0}, cohort="c"), name="lends")
    queues = {"q": queue(nominal={GPU: 2}, cohort="c"), "lends": lends}
    decision = decide(
        Cluster(queues, held, (preemptor,), settings=FAIR), preemptor, "q", NOW, preset("released")
    )
    assert decision.selection is not None
    assert [gone.workload.name for gone in decision.selection.attempts[-1].removed] == ["low"]
    assert explain_workload(decision, held[0]).verdict == TOO_FEW


def test_whom_the_first_strategy_rejects_no_strategy_has_left_out() -> None:
    preemptor = waiting(2)
    held = [replace(running(name, 2), cluster_queue="holds") for name in ("a", "b")]
    holds = replace(queue(nominal={GPU: 2}, cohort="c"), name="holds")
    lends = replace(queue(nominal={GPU: 2}, cohort="c"), name="lends")
    asks = replace(queue(nominal={GPU: 0}, cohort="c"), reclaim_within_cohort=ReclaimWithinCohort.ANY)
    cluster = Cluster(
        {"q": asks, "holds": holds, "lends": lends},
        tuple(held),
        (preemptor,),
        settings=Settings(fair_sharing=tuple(FairStrategy)),
    )
    decision = decide(cluster, preemptor, "q", NOW, preset("released"))
    assert decision.selection is not None
    first, second = decision.selection.attempts
    assert (len(first.rejected), len(second.rejected)) == (2, 1)
    assert {explain_workload(decision, workload).verdict for workload in held} == {
        "kept: its queue's share does not allow it"
    }


def test_candidates_that_are_passed_over_in_their_turn_are_not_said_to_free_too_little() -> None:
    """The owner has 4, uses 5, and is within its quota once one has left: the others are protected."""
    preemptor = waiting(6)
    owner = replace(queue(nominal={GPU: 4}, cohort="c"), name="owner")
    asks = replace(
        queue(nominal={GPU: 4}, cohort="c"),
        reclaim_within_cohort=ReclaimWithinCohort.ANY,
        borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
    )
    held = [replace(running(f"w{number}", priority=0), cluster_queue="owner") for number in range(5)]
    cluster = Cluster({"q": asks, "owner": owner}, tuple(held), (preemptor,))
    decision = decide(cluster, preemptor, "q", NOW, preset("released"))
    assert (
        "5 may be considered for ml/preemptor, but in their turn only 1 may be preempted, which does not "
        "free enough quota"
    ) in summarize(decision)[0]
    verdicts = [explain_workload(decision, workload).verdict for workload in held]
    assert (
        verdicts.count("kept: passed over, because it could no longer be preempted when its turn came") == 4
    )
    (only,) = (verdict for verdict in verdicts if "passed over" not in verdict)
    assert "preempting all candidates that may be preempted in their turn would not free enough quota" in only


def test_who_could_run_with_fewer_pods_would_fit_if_nothing_ran() -> None:
    pods = PodSet("main", 3, {GPU.resource: 3}, min_count=2)
    preemptor = replace(waiting(), pod_sets=(pods,))
    lends = replace(queue(nominal={GPU: 1}, cohort="c"), name="lends")
    queues = {"q": queue(nominal={GPU: 1}, cohort="c"), "lends": lends}
    decision = decide(
        Cluster(queues, (replace(running("w"), cluster_queue="lends"),), (preemptor,)),
        preemptor,
        "q",
        NOW,
        preset("released"),
    )
    assert summarize(decision)[0].startswith(
        "NoFit: ml/preemptor would fit in ClusterQueue q and its cohort c if nothing ran, with 2 of 3 pods "
        "of main, and may not preempt for that: it would borrow, and spec.preemption."
    )


def test_a_borrowing_limit_is_told_to_bind_where_it_does() -> None:
    own = clusters.queue("q", "c", {GPU.flavor: {GPU.resource: (2, 1, None)}})
    lender = replace(queue(cohort="c"), name="lender")
    preemptor = waiting(2)
    cluster = Cluster({"q": own, "lender": lender}, (running("w", 2),), (preemptor,))
    decision = decide(cluster, preemptor, "q", NOW, preset("guaranteed"))
    assert decision.outcome == Outcome.NO_CANDIDATES
    (shortage,) = shortages(decision)
    assert account_text(shortage.path[0], GPU) == (
        "ClusterQueue q uses 2 of 2, borrows at most 1; 1 available: its borrowingLimit binds"
    )
    assert (shortage.asked, shortage.available, shortage.short) == (2, 1, 1)


def test_idle_quota_that_a_lending_limit_keeps_is_told() -> None:
    keeps = clusters.queue("keeps", "c", {GPU.flavor: {GPU.resource: (4, None, 1)}})
    cluster = Cluster(
        {"q": queue(nominal={GPU: 2}, cohort="c"), "keeps": keeps},
        (running("w", 3),),
    )
    decision = decide(
        cluster, waiting(2), "q", NOW, preset("guaranteed"), Assignment({GPU: 2}, frozenset({GPU}))
    )
    (shortage,) = shortages(decision)
    assert shortage.withheld == (("keeps", 3),)
    assert shortage.binding.name == "c"


def test_a_taint_a_selector_and_the_end_of_the_search_are_told() -> None:
    names = ("tainted", "labelled", "first", "second")
    group = ResourceGroup((GPU.resource,), tuple(FlavorQuotas(name, {GPU.resource: 4}) for name in names))
    described = {
        "tainted": ResourceFlavor("tainted", taints=(Taint("spot", "true"),)),
        "labelled": ResourceFlavor("labelled", {"zone": "b"}),
        "first": ResourceFlavor("first"),
        "second": ResourceFlavor("second"),
    }
    preemptor = waiting(pod_sets=(PodSet("main", 1, {GPU.resource: 1}, node_selector={"zone": "a"}),))
    cluster = Cluster({"q": ClusterQueue("q", (group,))}, (), (preemptor,), flavors=described)
    trials = flavor_trials(decide(cluster, preemptor, "q", NOW, preset("guaranteed")))
    assert [(trial.flavor, trial.mode, trial.chosen) for trial in trials] == [
        ("tainted", "Excluded", False),
        ("labelled", "Excluded", False),
        ("first", "Fit", True),
        ("second", "NotTried", False),
    ]
    assert trials[0].reason == "taint spot=true:NoSchedule is not tolerated (KQ-580)"
    assert trials[1].reason == "nodeSelector asks for zone=a, the flavor has b"


def test_what_several_flavors_lack_is_told_for_each_of_them() -> None:
    flavors = tuple(FlavorQuotas(name, {GPU.resource: most}) for name, most in (("one", 16), ("many", 8)))
    group = ResourceGroup((GPU.resource,), flavors)
    pods = (PodSet("master", 1, {GPU.resource: 8}), PodSet("worker", 2, {GPU.resource: 16}))
    preemptor = waiting(pod_sets=pods)
    cluster = Cluster({"q": ClusterQueue("q", (group,))}, (), (preemptor,))
    decision = decide(cluster, preemptor, "q", NOW, preset("guaranteed"))
    assert explain(decision).summary[1:] == (
        "worker: 24 nvidia.com/gpu asked, 8 of them by pod sets before it, on one it could have 16 at most",
        "worker: 16 nvidia.com/gpu asked, on many it could have 8 at most",
    )


def test_the_numbers_of_a_fit_are_told_for_each_flavor_and_resource() -> None:
    roomy = queue(nominal={GPU: 4, CPU: 2000})
    summary = explain(
        decided(waiting(2, cpu=1500), running("w", usage={GPU: 1, CPU: 3}), in_queue=roomy)
    ).summary
    assert summary[1:] == (
        "nvidia.com/gpu on a100: 2 asked, 3 available; the queue uses 1 of its 4",
        "cpu on spot: 1500m asked, 1997m available; the queue uses 3m of its 2",
    )

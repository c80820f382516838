"""Who could preempt a running workload with a workload of any size, and until when it is safe."""

from __future__ import annotations

import json
import operator
from dataclasses import replace
from itertools import product

import pytest

from tenure.explanation.risk import least_priority, ranges
from tenure.explanation.risk.answer import exposure_answer
from tenure.explanation.risk.answer_types import SeenShape, SpanShape
from tenure.explanation.risk.ranges import Comparisons, Noting, Range, rest_of
from tenure.explanation.text import exposure_parts
from tenure.model import (
    MINUTE,
    UNLIMITED,
    BorrowWithinCohort,
    Cluster,
    ClusterQueue,
    DynamicPriorityPolicy,
    FairStrategy,
    FlavorResource,
    PreemptionRules,
    ReclaimWithinCohort,
    Settings,
    WithinClusterQueue,
    Workload,
    WorkloadPriorityClass,
)
from tenure.oracle.decide import decide
from tenure.outline import Outline
from tenure.readings import preset
from tests import clusters
from tests.command_line import tenure
from tests.tenure.clusters import ANY_EQUAL, GPU, NOW, queue, running, waiting
from tests.tenure.exposure.brute_force import run

LOWEST = -(2**31)
AN_HOUR = 60 * MINUTE
CPU = FlavorResource("a100", "cpu")


def seen_of(cluster: Cluster, victim: Workload, by: str = "q", reading: str = "guaranteed") -> SeenShape:
    """What a ClusterQueue's new workloads could do to a running one."""
    answer = exposure_answer(cluster, victim, NOW, preset(reading))
    return next(seen for seen in answer.cluster_queues if by in seen.cluster_queues)


def spans_of(cluster: Cluster, victim: Workload, by: str = "q") -> tuple[SpanShape, ...]:
    """The same from the clock on."""
    return seen_of(cluster, victim, by).spans


def sharing(name: str, gpus: int, cpu: int = 8, **fields: object) -> ClusterQueue:
    """A ClusterQueue of cohort c with GPUs and CPUs on one flavor."""
    quotas = {"a100": {GPU.resource: (gpus, None, None), "cpu": (cpu, None, None)}}
    return clusters.queue(name, "c", quotas, **fields)


def held_by(name: str, cluster_queue: str, **fields: object) -> Workload:
    """A running workload of one of them."""
    return replace(running(name), cluster_queue=cluster_queue, **fields)  # type: ignore[arg-type]


def test_an_equal_is_refused_up_to_the_nanosecond_after_min_admit_duration() -> None:
    """Strictly more than the duration must have passed (TBP-020)."""
    victim = running("held", 4, quota_reserved_at=NOW - 10 * MINUTE)
    first, later = spans_of(Cluster({"q": queue(ANY_EQUAL, AN_HOUR)}, (victim,)), victim)
    assert (first.priority, first.reason, first.unknown_from) == (101, "InClusterQueue", None)
    assert (later.priority, later.reason) == (100, "InClusterQueueTimeBased")
    assert first.until == later.since == "1970-01-01T02:30:00.000000001Z"


def test_the_answer_begins_with_until_when_it_is_protected_from_equals() -> None:
    victim = running("held", 4, quota_reserved_at=NOW - 10 * MINUTE)
    cluster = Cluster({"q": queue(ANY_EQUAL, AN_HOUR)}, (victim,))
    lines = list(
        Outline(
            "", [*exposure_parts(exposure_answer(cluster, victim, NOW, preset("guaranteed")))]
        ).text_lines()
    )
    assert lines[0] == (
        "A new workload of the right size could preempt ml/held (priority 100) now with priority 101 or more "
        "in q; it is protected from new equals until 1970-01-01T02:30:00.000000001Z"
    )
    assert lines[3].startswith(
        "  q: priority 101 or more: InClusterQueue, by KQ-040, KQ-010; one that requests "
    )


def test_an_equal_that_waits_for_longer_is_told_apart_from_a_new_one() -> None:
    victim = running("held", 4, created_at=NOW - MINUTE)
    seen = seen_of(Cluster({"q": queue(ANY_EQUAL)}, (victim,)), victim)
    assert seen.spans[0].priority == 101
    assert seen.older is not None
    assert seen.older.waits_since_before == "1970-01-01T01:39:00Z"
    for earlier, outcome in ((1, "Preempt"), (0, "NoCandidates")):
        asks = waiting(4, created_at=NOW - MINUTE - earlier)
        cluster = Cluster({"q": queue(ANY_EQUAL)}, (victim,))
        assert decide(cluster, asks, "q", NOW, preset("guaranteed")).outcome == outcome


@pytest.mark.parametrize(
    ("policy", "refusal"),
    [
        (WithinClusterQueue.NEVER, "its withinClusterQueue is Never"),
        (WithinClusterQueue.LOWER_PRIORITY, ""),
    ],
)
def test_a_policy_that_preempts_nothing_is_named(policy: WithinClusterQueue, refusal: str) -> None:
    victim = running("held", 4)
    (span,) = spans_of(Cluster({"q": queue(policy)}, (victim,)), victim)
    assert span.refusal == refusal
    assert span.priority == (None if refusal else 101)


def test_its_priority_that_grows_moves_the_least_priority_with_it() -> None:
    victim = running("held", 4, priority_class="aging", created_at=NOW)
    aging = WorkloadPriorityClass("aging", 100, DynamicPriorityPolicy(50, 200, AN_HOUR))
    cluster = Cluster({"q": queue(WithinClusterQueue.LOWER_PRIORITY)}, (victim,), growing={"aging": aging})
    assert [(span.since[11:], span.priority) for span in spans_of(cluster, victim)] == [
        ("01:40:00Z", 101),
        ("02:40:00Z", 151),
        ("03:40:00Z", 201),
    ]


def test_any_priority_reclaims_what_was_borrowed_and_none_what_was_not() -> None:
    reclaims = sharing("owner", 4, reclaim_within_cohort=ReclaimWithinCohort.ANY)
    borrowed = held_by("borrowed", "borrower", priority=200, usage={GPU: 4})
    queues = {"owner": reclaims, "borrower": sharing("borrower", 0)}
    (span,) = spans_of(Cluster(queues, (borrowed,)), borrowed, "owner")
    assert (span.priority, span.reason, span.unknown_from) == (LOWEST, "InCohortReclamation", None)
    queues["borrower"] = sharing("borrower", 4)
    (span,) = spans_of(Cluster(queues, (borrowed, held_by("own", "owner"))), borrowed, "owner")
    assert span.refusal == "ClusterQueue borrower uses no more than its quota"


@pytest.mark.parametrize(("threshold", "least"), [(200, 201), (199, None), (None, 201)])
def test_who_borrows_may_preempt_up_to_max_priority_threshold(
    threshold: int | None, least: int | None
) -> None:
    borrows = sharing(
        "other",
        0,
        reclaim_within_cohort=ReclaimWithinCohort.ANY,
        borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
        max_priority_threshold=threshold,
    )
    lends = sharing("lender", 4)
    borrowed = held_by("borrowed", "borrower", priority=200, usage={GPU: 4})
    queues = {"other": borrows, "borrower": sharing("borrower", 0), "lender": lends}
    (span,) = spans_of(Cluster(queues, (borrowed,)), borrowed, "other")
    assert (span.priority, span.unknown_from) == (least, None)


def test_a_second_resource_that_only_makes_its_queue_exceed_is_asked_for() -> None:
    """Its queue uses more than its quota of cpu only, and the victim holds a GPU only."""
    victim = held_by("held", "borrower", usage={GPU: 2})
    beside = held_by("beside", "borrower", uid="zz", usage={CPU: 12}, priority=300)
    reclaims = sharing("owner", 4, 8, reclaim_within_cohort=ReclaimWithinCohort.LOWER_PRIORITY)
    full = held_by("full", "owner", usage={GPU: 2, CPU: 2})
    queues = {"owner": reclaims, "borrower": sharing("borrower", 2, 6)}
    lent = held_by("lent", "owner", usage={GPU: 2})
    (span,) = spans_of(Cluster(queues, (victim, beside, full, lent)), victim, "owner")
    assert span.unknown_from is None
    assert span.made_up is None or len(span.made_up.request) == 2


def test_the_witness_requests_what_is_short_and_no_more() -> None:
    """The victim holds CPUs too, of which many are free."""
    borrows = sharing(
        "asks",
        0,
        1824,
        reclaim_within_cohort=ReclaimWithinCohort.ANY,
        borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
    )
    victim = held_by("held", "borrower", usage={GPU: 4, CPU: 16})
    queues = {"asks": borrows, "borrower": sharing("borrower", 2), "lender": sharing("lender", 2)}
    (span,) = spans_of(Cluster(queues, (victim,)), victim, "asks")
    assert span.priority == 101
    assert span.made_up is not None
    assert [(asked.resource, asked.amount) for asked in span.made_up.request] == [(GPU.resource, "1")]


def test_priorities_that_no_policy_compares_leave_no_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batch goes first and is enough; priorities of other ClusterQueues are never compared."""
    monkeypatch.setattr(ranges, "PART", 1500)
    queues = {
        "production": clusters.queue(
            "production", "c", {"a100": {GPU.resource: (32, None, 8), "cpu": (512, None, None)}}
        ),
        "research": sharing("research", 16, 512),
        "batch": sharing("batch", 8, 512),
        "dev": sharing(
            "dev",
            8,
            512,
            within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY,
            reclaim_within_cohort=ReclaimWithinCohort.ANY,
        ),
    }
    held = [
        held_by(
            f"{name}-{number}", name, uid=f"{name}-{number}", priority=priority, usage={GPU: gpus, CPU: 9}
        )
        for name, count, gpus, priority in (
            ("production", 5, 4, 500),
            ("research", 5, 4, 100),
            ("batch", 7, 2, -10),
            ("dev", 3, 2, 50),
        )
        for number in range(count)
    ]
    victim = next(workload for workload in held if workload.name == "research-0")
    (span,) = spans_of(Cluster(queues, tuple(held)), victim, "dev")
    assert (span.priority, span.unknown_from, bool(span.refusal)) == (None, None, True)


def test_a_workload_behind_others_that_free_enough_is_out_of_reach() -> None:
    """A request within the nominal quota fits once a lower one has been preempted."""
    low = running("low", 4, 1, cluster_queue="q")
    high = running("high", 1, 50)
    quotas = {"a100": {GPU.resource: (4, None, None)}}
    asks = clusters.queue("q", "c", quotas, within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY)
    lends = replace(asks, name="lender")
    (span,) = spans_of(Cluster({"q": asks, "lender": lends}, (low, high)), high)
    assert span.priority is None
    assert span.refusal == "others of q go first, and free all that it may preempt for"


def test_one_that_is_evicted_already_and_may_not_be_preempted_shields_none() -> None:
    """It stands first (KQ-050), but no candidate of so low a preemptor; what it uses still counts."""
    policy = ReclaimWithinCohort.LOWER_PRIORITY
    queues = {"owner": sharing("owner", 2, reclaim_within_cohort=policy), "borrower": sharing("borrower", 2)}
    high = held_by("high", "borrower", uid="h", priority=300, usage={GPU: 3}, evicted=True)
    victim = held_by("held", "borrower", usage={GPU: 1})
    (span,) = spans_of(Cluster(queues, (high, victim)), victim, "owner")
    assert (span.priority, span.unknown_from) == (101, None)


def test_a_hero_preempts_by_any_priority_and_is_preempted_by_no_standard_queue() -> None:
    hero = sharing("hero", 0, rules=PreemptionRules.UBER_CLUSTER_QUEUE)
    standard = sharing("standard", 4, reclaim_within_cohort=ReclaimWithinCohort.ANY)
    low, high = held_by("low", "standard", usage={GPU: 4}), held_by("high", "hero", usage={GPU: 4})
    queues = {"hero": hero, "standard": standard}
    (span,) = spans_of(Cluster(queues, (low,)), low, "hero")
    assert (span.priority, span.reason) == (LOWEST, "UberCQPreemption")
    (span,) = spans_of(Cluster(queues, (high,)), high, "standard")
    assert span.refusal == "hero is a hero, and no standard queue preempts its workloads"


def test_fair_sharing_allows_what_the_shares_allow() -> None:
    policy = ReclaimWithinCohort.ANY
    queues = {name: sharing(name, 2, reclaim_within_cohort=policy) for name in ("one", "two", "three")}
    victim = held_by("held", "one", usage={GPU: 1})
    rest = held_by("rest", "one", uid="r", usage={GPU: 5}, quota_reserved_at=NOW - 90 * MINUTE)
    fair = Settings(fair_sharing=(FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,))
    (span,) = spans_of(Cluster(queues, (victim, rest), settings=fair), victim, "two")
    assert (span.priority, span.reason, span.unknown_from) == (LOWEST, "InCohortReclamation", None)


def test_queues_of_which_the_same_is_said_are_told_together_and_lines_are_bounded() -> None:
    queues = {f"q{number:03}": sharing(f"q{number:03}", number) for number in range(40)}
    victim = held_by("held", "q000", usage={GPU: 1})
    lines = list(
        Outline(
            "",
            [*exposure_parts(exposure_answer(Cluster(queues, (victim,)), victim, NOW, preset("released")))],
        ).text_lines()
    )
    assert len(lines) < 12
    assert any("and 36 more" in line for line in lines)


def test_no_workload_could_only_where_every_size_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    victim = held_by("held", "q", usage={GPU: 1})
    preempting = queue(WithinClusterQueue.LOWER_PRIORITY)
    cluster = Cluster({"q": preempting}, (victim,))
    monkeypatch.setattr(least_priority, "MOST_PRIORITIES", 0)
    answer = exposure_answer(cluster, victim, NOW, preset("guaranteed"))
    assert answer.summary == (
        "Who could preempt ml/held (priority 100) is not known in full; of q not every size was tried"
    )


def test_what_cannot_be_said_is_said() -> None:
    victim = held_by("held", "q", usage={GPU: UNLIMITED})
    cluster = Cluster({"q": clusters.queue("q", "c", {"a100": {GPU.resource: (4, None, 1)}})}, (victim,))
    answer = exposure_answer(cluster, victim, NOW, preset("guaranteed"))
    assert answer.summary.startswith("Who could preempt ml/held is not known: ClusterQueue/q: usage of ")
    assert len(list(exposure_parts(answer))) == 1


@pytest.mark.parametrize("bound", [-3, 0, 7, 12, 40])
@pytest.mark.parametrize("constant", [0, 9])
def test_an_amount_notes_exactly_the_range_of_every_comparison(bound: int, constant: int) -> None:
    for sign in (1, -1):
        for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
            noted = Comparisons({GPU: (0, 30)})
            amount = Noting.of(8, GPU, noted)
            found = compare(constant + amount if sign > 0 else constant - amount, bound)
            low, high = noted.box[GPU]
            answers = [compare(constant + sign * other, bound) for other in range(31)]
            assert found == answers[8]
            assert all(answers[other] == found for other in range(low, high + 1))
            if compare not in (operator.eq, operator.ne):
                assert low == 0 or answers[low - 1] != found
                assert high == 30 or answers[high + 1] != found


@pytest.mark.parametrize("known", [((2, 3), (1, 4)), ((0, 5), (4, 4)), ((1, 1), (0, 0)), ((0, 5), (0, 4))])
def test_what_is_left_of_a_box_is_all_the_rest_and_nothing_twice(known: tuple[Range, Range]) -> None:
    box, inside = {GPU: (0, 5), CPU: (0, 4)}, dict(zip((GPU, CPU), known, strict=True))
    boxes = [inside, *rest_of(box, inside)]
    for gpus, cpu in product(range(6), range(5)):
        holding = [
            part
            for part in boxes
            if part[GPU][0] <= gpus <= part[GPU][1] and part[CPU][0] <= cpu <= part[CPU][1]
        ]
        assert len(holding) == 1, (gpus, cpu)


def test_what_is_done_with_an_amount_and_not_noted_concludes_nothing() -> None:
    noted = Comparisons({GPU: (0, 30)})
    assert Noting.of(8, GPU, noted) * 2 == 16
    assert noted.lost


def test_random_workloads_of_random_sizes_agree_with_what_is_said() -> None:
    """A sample of `make exposure`."""
    tally = run(6, seed=8522, sizes=20)
    assert tally.wrong == []
    assert tally.counts["named, exact"] > 5
    assert tally.counts["none, exact"] > 5


def test_the_command_says_it_first_and_json_says_it_too() -> None:
    asked = ("why", "team-a/job-ablation-lr-d9981", "--example", "two-teams", "--now", "2026-03-02T14:00:00Z")
    text = tenure(*asked).stdout.decode()
    first, second, *_ = text.splitlines()
    assert first.startswith(
        "None of 4 pending workloads preempts team-a/job-ablation-lr-d9981, each taken alone; in"
    )
    assert second.startswith("A new workload of the right size could preempt team-a/job-ablation-lr-d9981 ")
    exposure = json.loads(tenure(*asked, "-o", "json").stdout)["exposure"]
    assert exposure["summary"] == second
    assert exposure["changes"] == ["2026-03-02T15:02:53.000000001Z"]
    assert [span["priority"] for span in exposure["clusterQueues"][0]["spans"]] == [101, 100]


def test_where_one_pending_workload_is_named_only_that_is_answered() -> None:
    asked = ("why", "team-a/job-ablation-lr-d9981", "--example", "two-teams", "--now", "2026-03-02T14:00:00Z")
    answered = tenure(*asked, "-w", "team-b/job-eval-suite-d739e", "--counterfactuals", "0", "-o", "json")
    assert json.loads(answered.stdout)["exposure"] is None

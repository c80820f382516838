"""Repairs of kueue#14543: its counter-example, what each repair promises of random searches, and the table.

What is fair is stated here once more, in fractions and from the text of the analysis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from benchmarks.repairs import Truth, counted, repaired, searches_of
from tenure.conformance.requests import DecideRequest
from tenure.explanation.explain import explain_workload
from tenure.model import (
    NANO,
    Basis,
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import decide
from tenure.oracle.fair import candidates_of, played, tournament_of
from tenure.oracle.leaving import as_it_is, fitting, leaving_of, selection_after
from tenure.oracle.question import Candidate, Question
from tenure.readings import FairSharingRepair, parse_reading

CPU = FlavorResource("default", "cpu")
SEED = 14543
FINAL = Basis.FINAL_SHARE
NONE, POST_CHECK, LOCKING, THEN_LOCKING, PRUNING, LEVEL, GUARDED, AGAIN, VERIFIED = FairSharingRepair


@cache
def searches() -> Sequence[tuple[DecideRequest, Question]]:
    """Random searches, drawn once: by the worker that runs these tests, not by each that collects them."""
    return [found for index in range(1000) for found in searches_of(SEED, index)]


def quota(cpus: int) -> tuple[ResourceGroup, ...]:
    return (ResourceGroup(("cpu",), (FlavorQuotas("default", {"cpu": cpus}),)),)


def counter_example() -> Cluster:
    """The cluster of the analysis: a cohort of 100 CPUs, p-small of 30 in qp, t-hero of 70 in qt."""
    queues = {
        name: ClusterQueue(
            name,
            quota(0),
            WithinClusterQueue.LOWER_PRIORITY,
            cohort="all",
            reclaim_within_cohort=ReclaimWithinCohort.ANY,
        )
        for name in ("qp", "qt")
    }
    running = [
        Workload("ns", name, name, 0, 0, quota_reserved_at=1, cluster_queue=queue, usage={CPU: cpus})
        for name, queue, cpus in (("p-small", "qp", 30), ("t-hero", "qt", 70))
    ]
    return Cluster(
        queues,
        tuple(running),
        flavors={"default": ResourceFlavor("default")},
        cohorts={"all": Cohort("all", None, quota(100))},
        settings=Settings(fair_sharing=tuple(FairStrategy)),
    )


def share_of(question: Question, place: int, gone: Sequence[Candidate]) -> Fraction:
    """The share of a node with the request and without some; no limit keeps anything from lending."""
    tree = question.snapshot.tree
    root = tree.nodes[tree.nodes[question.snapshot.place].path[-1]]
    used = dict.fromkeys(root.quotas, 0)
    keys = {candidate.workload.key for candidate in gone}
    held = [(question.snapshot.place, question.request)]
    for where, workloads in question.snapshot.running.items():
        held += [(where, workload.usage) for workload in workloads if workload.key not in keys]
    for where, usage in held:
        for at, amount in usage.items() if place in tree.nodes[where].path else ():
            used[at] += amount
    beyond = {at: max(0, used[at] - quota.subtree) for at, quota in tree.nodes[place].quotas.items()}
    ratios = (Fraction(beyond[at], root.quotas[at].subtree) for at in beyond if beyond[at])
    return max(ratios, default=Fraction(0)) * NANO / tree.nodes[place].weight


def sides(question: Question, candidate: Candidate) -> tuple[int, int]:
    """The nodes below the lowest common cohort, of the preemptor and of a candidate."""
    nodes, own = question.snapshot.tree.nodes, question.snapshot.place
    mine, theirs = nodes[own].path, nodes[candidate.place].path
    return next(n for n in mine if nodes[n].parent in theirs), next(
        n for n in theirs if nodes[n].parent in mine
    )


def is_fair(question: Question, kept: Sequence[Candidate], candidate: Candidate) -> bool:
    """Whether a victim is fair in the end: by any configured strategy, or as no shares are compared."""
    snapshot = question.snapshot
    own, settings = snapshot.place, snapshot.cluster.settings
    node = snapshot.tree.nodes[own]
    within = all(
        sum(held.usage.get(at, 0) for held in snapshot.running.get(own, ())) + question.request.get(at, 0)
        <= node.quotas[at].nominal
        for at in question.needed
    )
    if candidate.place == own or within:
        return True
    mine, theirs = sides(question, candidate)
    others = [found for found in kept if found.workload.key != candidate.workload.key]
    preemptor = share_of(question, mine, kept)
    by = {
        FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE: preemptor <= share_of(question, theirs, kept),
        FairStrategy.LESS_THAN_INITIAL_SHARE: preemptor < share_of(question, theirs, others),
    }
    return any(by[strategy] for strategy in settings.fair_sharing or by)


def today_without(question: Question, gone: set[str]) -> tuple[Candidate, ...]:
    """What is found as released where some are no candidates, because they use nothing that is short."""
    candidates = tuple(each for each in candidates_of(question) if each.workload.key not in gone)
    played_out = played(tournament_of(question, question.charged()), candidates)
    leaving = leaving_of(question)
    end = played_out.end
    found = selection_after(
        question, candidates, played_out.attempts, end, fitting(leaving, True), leaving.beside, as_it_is
    )
    return found.kept


def _keys(found: Sequence[Candidate]) -> tuple[str, ...]:
    return tuple(candidate.workload.key for candidate in found)


@pytest.mark.parametrize(
    ("repair", "victims"),
    [
        (NONE, ["t-hero"]),
        (POST_CHECK, []),
        (LOCKING, []),
        (THEN_LOCKING, []),
        (PRUNING, []),
        (LEVEL, []),
        (GUARDED, ["p-small", "t-hero"]),
        (AGAIN, ["t-hero"]),
        (VERIFIED, []),
    ],
)
def test_the_counter_example_of_the_analysis(repair: FairSharingRepair, victims: list[str]) -> None:
    reading = parse_reading({"preset": "released", "fair_sharing_repair": repair.name.lower()})
    hero = Workload("ns", "p-hero", "p-hero", 10, 2, pod_sets=(PodSet("main", 1, {"cpu": 60}),))
    decision = decide(counter_example(), hero, "qp", 10, reading)
    assert [target.workload.name for target in decision.targets] == victims


def test_who_comes_within_nominal_quota_by_own_victims_alone_is_checked_as_well() -> None:
    # Without small, qp is within its nominal quota of 4, and w is taken without a comparison. Then small has
    # its quota back: in the end qp borrows 3 of 12, more than qt with weight 4 borrowed.
    cluster = counter_example()
    queues = {
        "qp": replace(cluster.cluster_queues["qp"], resource_groups=quota(4)),
        "qt": replace(cluster.cluster_queues["qt"], weight=4 * NANO),
    }
    running = tuple(
        Workload("ns", name, name, 0, 0, quota_reserved_at=1, cluster_queue=queue, usage={CPU: cpus})
        for name, queue, cpus in (("small", "qp", 3), ("w", "qt", 9))
    )
    cohorts = {"all": Cohort("all", None, quota(8))}
    cluster = replace(cluster, cluster_queues=queues, admitted=running, cohorts=cohorts)
    new = Workload("ns", "new", "new", 10, 2, pod_sets=(PodSet("main", 1, {"cpu": 4}),))
    for repair in (POST_CHECK, THEN_LOCKING, PRUNING, LEVEL):
        reading = parse_reading({"preset": "released", "fair_sharing_repair": repair.name.lower()})
        assert decide(cluster, new, "qp", 10, reading).targets == ()


def test_a_second_run_takes_whom_the_share_without_own_victims_allows() -> None:
    # Of 150 CPUs qt uses three times 40. At first 90 are more than the 80 that it would have left; without
    # p-small the 60 of p-hero are not.
    cluster = counter_example()
    running = tuple(
        Workload("ns", name, name, 0, 0, quota_reserved_at=1, cluster_queue=queue, usage={CPU: cpus})
        for name, queue, cpus in (("p-small", "qp", 30), ("t1", "qt", 40), ("t2", "qt", 40), ("t3", "qt", 40))
    )
    strategies = (FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,)
    cluster = replace(
        cluster,
        admitted=running,
        cohorts={"all": Cohort("all", None, quota(150))},
        settings=Settings(fair_sharing=strategies),
    )
    hero = Workload("ns", "p-hero", "p-hero", 10, 2, pod_sets=(PodSet("main", 1, {"cpu": 60}),))
    expected = {NONE: [], POST_CHECK: [], AGAIN: ["p-small", "t1"], VERIFIED: ["p-small", "t1"]}
    for repair, victims in expected.items():
        reading = parse_reading({"preset": "released", "fair_sharing_repair": repair.name.lower()})
        decision = decide(cluster, hero, "qp", 10, reading)
        assert [target.workload.name for target in decision.targets] == victims


@pytest.mark.parametrize(("nominal", "exempt"), [("exempt", True), ("checked", False)])
def test_a_second_run_within_nominal_quota_is_exempt_from_the_check_if_it_ends_there(
    nominal: str, exempt: bool
) -> None:
    # Without small, qp is within its 4 CPUs, so w is taken whatever the shares. Small stays removed. In the
    # end the side of qp borrows 6 of 12; that of qt borrowed 3.
    cluster = counter_example()
    qp, qt = cluster.cluster_queues["qp"], cluster.cluster_queues["qt"]
    lower = ReclaimWithinCohort.LOWER_PRIORITY
    queues = {
        "qp": replace(qp, resource_groups=quota(4), cohort="left", reclaim_within_cohort=lower),
        "qx": replace(qt, name="qx", cohort="left"),
        "qt": replace(qt, cohort="right"),
    }
    running = tuple(
        Workload("ns", name, name, priority, 0, quota_reserved_at=1, cluster_queue=queue, usage={CPU: cpus})
        for name, queue, cpus, priority in (("small", "qp", 3, 0), ("x", "qx", 6, 20), ("w", "qt", 3, 0))
    )
    sides = {name: Cohort(name, "all", quota(0)) for name in ("left", "right")}
    cohorts = {"all": Cohort("all", None, quota(8)), **sides}
    cluster = replace(cluster, cluster_queues=queues, admitted=running, cohorts=cohorts)
    new = Workload("ns", "new", "new", 10, 2, pod_sets=(PodSet("main", 1, {"cpu": 4}),))
    expected = {NONE: [], AGAIN: ["small", "w"], VERIFIED: ["small", "w"] if exempt else []}
    for repair, victims in expected.items():
        chosen = {"fair_sharing_repair": repair.name.lower(), "repair_within_nominal": nominal}
        decision = decide(cluster, new, "qp", 10, parse_reading({"preset": "released", **chosen}))
        assert [target.workload.name for target in decision.targets] == victims


def test_a_second_run_changes_nothing_where_the_first_took_no_own_workload() -> None:
    changed = 0
    for _, question in searches():
        today, again = repaired(question, NONE), repaired(question, AGAIN)
        if _keys(today.kept) != _keys(again.kept):
            first = today.attempts[0]
            own = question.snapshot.place
            assert not first.fits
            assert any(turn.removed and turn.candidate.place == own for turn in first.turns)
            changed += 1
    assert changed


def test_without_fair_sharing_no_repair_changes_anything() -> None:
    for _, question in searches()[::5]:
        terms = {name: getattr(question.terms, name) for name in question.terms.__dataclass_fields__}
        del terms["fair_sharing"]
        plain = type(question.terms)(**terms, fair_sharing=False)
        classical = type(question)(
            question.snapshot, question.preemptor, question.needed, question.request, plain, question.now
        )
        found = {_keys(repaired(classical, repair).kept) for repair in FairSharingRepair}
        assert len(found) == 1


def test_a_post_check_finds_what_is_found_today_or_nobody() -> None:
    refused = 0
    for _, question in searches():
        today, checked = repaired(question, NONE), repaired(question, POST_CHECK)
        unfair = [found for found in today.kept if not is_fair(question, today.kept, found)]
        assert _keys(checked.kept) == (() if unfair else _keys(today.kept))
        assert (checked.unfair and checked.unfair.workload.key) == (
            unfair[0].workload.key if unfair else None
        )
        refused += bool(unfair)
    assert refused


@pytest.mark.parametrize("repair", [POST_CHECK, THEN_LOCKING, PRUNING, LEVEL])
def test_whoever_is_preempted_is_fair_in_the_end_and_needed(repair: FairSharingRepair) -> None:
    for request, question in searches():
        kept = repaired(question, repair).kept
        truth = Truth(request, question)
        assert not kept or (truth.fits(kept) and not truth.has_spare(kept))
        assert all(is_fair(question, kept, found) for found in kept)


@pytest.mark.parametrize("repair", [THEN_LOCKING, PRUNING, LEVEL])
def test_a_repair_that_goes_on_keeps_what_the_post_check_allows(repair: FairSharingRepair) -> None:
    for _, question in searches():
        checked = _keys(repaired(question, POST_CHECK).kept)
        assert not checked or _keys(repaired(question, repair).kept) == checked


def test_pruning_finds_what_today_s_search_finds_without_the_pruned() -> None:
    again = 0
    for _, question in searches():
        pruned, gone = repaired(question, PRUNING), set[str]()
        for _ in range(8):
            today = today_without(question, gone)
            unfair = next((each for each in today if not is_fair(question, today, each)), None)
            if unfair is None:
                break
            gone.add(unfair.workload.key)
        assert _keys(pruned.kept) == (() if unfair else _keys(today))
        again += bool(gone and today)
    assert again


def test_with_a_locked_share_whoever_is_taken_was_fair_to_the_preemptor_as_it_began() -> None:
    compared = 0
    for _, question in searches():
        gone: list[Candidate] = []
        for attempt in repaired(question, LOCKING).attempts:
            for turn in attempt.turns:
                if turn.shares is not None and turn.removed:
                    mine, theirs = sides(question, turn.candidate)
                    later = [*gone, turn.candidate] if turn.candidate.evidence.basis == FINAL else gone
                    locked, target = share_of(question, mine, ()), share_of(question, theirs, later)
                    # Of equal shares one may be lower: Kueue divides floating-point numbers.
                    assert locked <= target
                    compared += 1
                gone += [turn.candidate] if turn.removed else []
    assert compared


def test_a_guarded_fill_back_gives_back_no_more_than_today() -> None:
    kept_more = 0
    for request, question in searches():
        today, guarded = repaired(question, NONE), repaired(question, GUARDED)
        assert set(_keys(today.kept)) <= set(_keys(guarded.kept)) <= set(_keys(today.removed))
        assert not guarded.kept or Truth(request, question).fits(guarded.kept)
        kept_more += len(guarded.kept) > len(today.kept)
    assert kept_more


def test_the_table_counts_every_search_once() -> None:
    counts = counted(SEED, list(FairSharingRepair), range(60))
    solvable = counts[""]["solvable"]
    for repair in FairSharingRepair:
        of_it = counts[repair.name]
        assert of_it["solved"] + of_it["missed"] + of_it["other"] == solvable
    assert counts["POST_CHECK"]["unfair"] == counts["LEVEL_LOCKED"]["unfair"] == 0


def test_of_victims_that_a_repair_refuses_the_repair_is_the_reason() -> None:
    cluster = counter_example()
    preemptor = Workload("ns", "p-hero", "p-hero", 100, 5, pod_sets=(PodSet("main", 1, {"cpu": 60}),))
    reading = parse_reading({"preset": "released", "fair_sharing_repair": "post_check"})
    decision = decide(cluster, preemptor, "qp", 10, reading)
    assert {explain_workload(decision, held).verdict for held in cluster.admitted} == {
        "kept: it may be preempted, but post_check refuses the victims that were found"
    }

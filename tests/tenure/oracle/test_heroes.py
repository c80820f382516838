"""Heroes in whole decisions: the search, the effective tree, the words, and what a cluster shows."""

from __future__ import annotations

import pytest

from tenure.choices import Outcome
from tenure.conformance.protocol import answer
from tenure.explanation.attempts import attempts
from tenure.explanation.explain import explain
from tenure.explanation.shortages import account_text, shortages
from tenure.explanation.summary import summarize
from tenure.model import (
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorQuotas,
    FlavorResource,
    Kin,
    PodSet,
    PreemptionRules,
    Reason,
    ReclaimWithinCohort,
    ResourceGroup,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import Decision, decide
from tenure.oracle.effects import effects_of
from tenure.oracle.heroes.accessible import accessible_trees
from tenure.oracle.heroes.effective import as_effective, bills_in
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.reach import free_at, if_nothing_ran
from tenure.oracle.snapshot import take_snapshot
from tenure.readings import Reading, parse_reading, preset, preset_names
from tests.clusters import queue
from tests.tenure_play.plays import played, result, scenario, submit
from tests.tenure_play.plays import queue as raw_queue

GPU, CPU = FlavorResource("h100", "gpu"), FlavorResource("h100", "cpu")
GUARANTEED = preset("guaranteed")
HONOUR = parse_reading({"hero_lending": "honour"})


def a_queue(
    name: str,
    gpus: int,
    cohort: str = "lab",
    *,
    hero: bool = False,
    cpus: int | None = None,
    lends: int | None = None,
    borrows: int | None = None,
) -> ClusterQueue:
    """A ClusterQueue that may reclaim from any other; a hero preempts lower priority of its own."""
    quotas = {"gpu": (gpus, borrows, lends)} | ({} if cpus is None else {"cpu": (cpus, None, None)})
    return queue(
        name,
        cohort,
        {"h100": quotas},
        within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY,
        reclaim_within_cohort=ReclaimWithinCohort.ANY,
        rules=PreemptionRules.UBER_CLUSTER_QUEUE if hero else PreemptionRules.DEFAULT,
    )


def runs(name: str, queue: str, gpus: int, priority: int = 0, cpus: int = 0) -> Workload:
    """A workload that holds quota."""
    usage = {GPU: gpus, CPU: cpus} if cpus else {GPU: gpus}
    return Workload("ns", name, name, priority, 0, quota_reserved_at=1, cluster_queue=queue, usage=usage)


def decided(
    queues: list[ClusterQueue],
    running: list[Workload],
    to: str,
    gpus: int,
    *,
    priority: int = 5,
    cohorts: tuple[Cohort, ...] = (),
    reading: Reading = GUARANTEED,
    settings: Settings | None = None,
    pods: PodSet | None = None,
) -> Decision:
    """The decision for one workload."""
    cluster = Cluster(
        {queue.name: queue for queue in queues},
        tuple(running),
        cohorts={cohort.name: cohort for cohort in cohorts},
        settings=settings or Settings(),
    )
    waiting = Workload("ns", "new", "new", priority, 0, pod_sets=(pods or PodSet("main", 1, {"gpu": gpus}),))
    return decide(cluster, waiting, to, 9, reading)


def taken(decision: Decision) -> list[str]:
    """Who leaves, in order."""
    return [target.workload.name for target in decision.targets]


TEAMS = [a_queue("alpha", 10), a_queue("bravo", 10), a_queue("hero", 0, hero=True)]


def test_bills_of_heroes_above_stay_while_a_hero_below_makes_room() -> None:
    # Were upper's bill made again without low, team would pay more of it, and low's leaving would gain less.
    queues = [
        a_queue("team", 8, "team-c"),
        a_queue("lower", 0, "team-c", hero=True),
        a_queue("other", 8, "company"),
        a_queue("upper", 0, "company", hero=True),
    ]
    cohorts = (Cohort("company"), Cohort("team-c", "company"))
    running = [runs("up", "upper", 8), runs("low", "lower", 4, priority=1)]
    decision = decided(queues, running, "lower", 4, cohorts=cohorts)
    assert (decision.outcome, taken(decision)) == (Outcome.PREEMPT, ["low"])
    assert decision.selection is not None
    after, before = as_effective(decision.selection.usage), as_effective(decision.snapshot.usage)
    root = before.plan.tree.places["upper"], GPU
    assert after.bills[0, GPU] == before.bills[0, GPU]
    assert root[0] in before.plan.branch_of


def test_a_hero_that_finds_too_little_is_told_its_removals_in_the_order_they_were_tried() -> None:
    # Without a1, alpha is within its quota, so that bravo's workload of lower priority comes before a2.
    queues = [*TEAMS, a_queue("peer", 0, hero=True)]
    running = [
        runs("a1", "alpha", 6),
        runs("a2", "alpha", 5, 3),
        runs("b", "bravo", 1, 1),
        runs("p", "peer", 2, 9),
    ]
    decision = decided(queues, running, "hero", 19)
    assert decision.selection is not None
    assert [candidate.workload.name for candidate in decision.candidates] == ["a1", "a2", "b"]
    (attempt,) = attempts(decision)
    assert (attempt.fits, attempt.removed) == (False, ("ns/a1", "ns/b", "ns/a2"))


def test_every_flavor_resource_of_the_request_has_to_fit() -> None:
    queues = [a_queue("alpha", 8, cpus=4), a_queue("hero", 0, hero=True, cpus=0)]
    running = [runs("a", "alpha", 2, cpus=4)]
    pods = PodSet("main", 1, {"gpu": 4, "cpu": 2})
    decision = decided(queues, running, "hero", 4, pods=pods)
    assert taken(decision) == ["a"]
    too_much = PodSet("main", 1, {"gpu": 1, "cpu": 5})
    assert decided(queues, running, "hero", 1, pods=too_much).outcome == Outcome.NO_FIT


def test_a_hero_is_admitted_with_fewer_pods_where_all_find_no_place() -> None:
    pods = PodSet("main", 6, {"gpu": 24}, min_count=2)
    decision = decided(TEAMS, [], "hero", 24, pods=pods)
    assert decision.outcome == Outcome.FIT
    assert decision.assignment.pod_sets[0].count == 5


def test_a_standard_search_unlocks_again_after_each_removal() -> None:
    # What bravo keeps is lent as far as the hero uses it; alpha reclaims from bravo on that tree.
    queues = [a_queue("alpha", 6), a_queue("bravo", 6, lends=0), a_queue("hero", 0, hero=True)]
    running = [runs("h", "hero", 5), runs("b1", "bravo", 3), runs("b2", "bravo", 3)]
    for fair in (None, tuple(FairStrategy)):
        decision = decided(queues, running, "alpha", 3, settings=Settings(fair_sharing=fair))
        assert decision.snapshot.heroes is not None
        assert decision.snapshot.heroes.unlocks
        assert taken(decision) == ["b1"]
        assert explain(decision).workloads


@pytest.mark.parametrize("fair", [None, tuple(FairStrategy)])
def test_a_hero_s_workload_is_kept_from_a_standard_queue(fair: tuple[FairStrategy, ...] | None) -> None:
    running = [runs("h", "hero", 16), runs("b", "bravo", 4)]
    decision = decided(TEAMS, running, "alpha", 2, settings=Settings(fair_sharing=fair))
    assert taken(decision) == ["b"]
    said = {workload.workload.partition("/")[2]: workload.verdict for workload in explain(decision).workloads}
    assert said["h"] == "kept: it may not be preempted: it runs in a hero, and the preemptor in none"


def test_what_binds_a_hero_is_the_root_of_its_subtree_or_its_limit() -> None:
    queues = [a_queue("alpha", 10, "lab"), a_queue("other", 90, "company")]
    cohorts = (Cohort("company"), Cohort("lab", "company"))
    running = [runs("a", "alpha", 10)]
    hero = a_queue("hero", 0, "lab", hero=True)
    (short,) = shortages(decided([*queues, hero], running, "hero", 3, cohorts=cohorts))
    assert [account.name for account in short.path] == ["hero", "lab"]
    assert (short.binding.name, short.binding.binds, short.available) == ("lab", "quota", 0)
    # 3 of its 4 are in use: 1 is accessible yet, and 2 are there.
    clamped = a_queue("hero", 0, "lab", hero=True, borrows=4)
    running = [runs("a", "alpha", 5), runs("h", "hero", 3)]
    (short,) = shortages(decided([*queues, clamped], running, "hero", 2, cohorts=cohorts))
    assert (short.binding.name, short.binding.binds, short.available) == ("hero", "borrowingLimit", 1)


def test_who_is_billed_is_told_for_whom() -> None:
    decision = decided(TEAMS, [runs("h", "hero", 8)], "alpha", 3)
    texts = [remark.text for remark in explain(decision).request]
    assert "gpu on h100: billed 4 of 10 for hero" in texts


def test_the_verdicts_about_heroes_say_where_they_stand() -> None:
    queues = [
        a_queue("upper", 0, "company", hero=True),
        a_queue("team", 8, "team-c"),
        a_queue("lower", 0, "team-c", hero=True),
        a_queue("rival", 0, "team-c", hero=True),
        a_queue("other", 4, "company"),
    ]
    cohorts = (Cohort("company"), Cohort("team-c", "company"))
    running = [runs("up", "upper", 6), runs("r", "rival", 3, priority=5), runs("o", "other", 3)]
    decision = decided(queues, running, "lower", 8, cohorts=cohorts)
    said = {workload.workload.partition("/")[2]: workload.verdict for workload in explain(decision).workloads}
    assert said == {
        "up": "kept: it may not be preempted: hero, above you",
        "r": "kept: it may not be preempted: hero, a peer of no lower priority",
        "o": "kept: it may not be preempted: outside the hero's subtree",
    }


def test_the_cluster_shows_what_the_proposal_asks_for_beside_kueue_s_own() -> None:
    decision = decided(TEAMS, [runs("a", "alpha", 10), runs("b", "bravo", 10)], "hero", 20)
    effect, _ = effects_of(decision)
    assert effect.conditions == (("Evicted", "Preempted"), ("Preempted", "UberCQPreemption"))
    assert effect.labels == (("preempting_cluster_queue", "hero"), ("reason", "UberCQPreemption"))
    assert effect.proposed is not None
    message = "Preempted by Hero Workload new in Queue hero"
    assert effect.proposed.event == ("Warning", "Preempted", message)
    assert effect.proposed.labels == (("reason", "UberCQPreemption"), ("queue", "hero"))
    assert {target.reason for target in decision.targets} == {Reason.UBER_CQ_PREEMPTION}


def test_in_its_own_queue_nothing_is_proposed() -> None:
    decision = decided([a_queue("hero", 8, hero=True)], [runs("h", "hero", 8)], "hero", 8)
    (effect,) = effects_of(decision)
    assert effect.proposed is None
    assert effect.conditions[1] == ("Preempted", "InClusterQueue")


@pytest.mark.parametrize("name", preset_names())
def test_without_a_hero_nothing_is_planned(name: str) -> None:
    queues = {cluster_queue.name: cluster_queue for cluster_queue in TEAMS[:2]}
    snapshot = take_snapshot(Cluster(queues, (runs("a", "alpha", 3),)), "alpha", 0, preset(name))
    assert snapshot.heroes is None
    assert type(snapshot.usage) is tuple


@pytest.mark.parametrize("queues", [TEAMS[:2], TEAMS], ids=["without heroes", "with one"])
def test_where_nothing_ran_all_quota_of_the_tree_is_free(queues: list[ClusterQueue]) -> None:
    cluster = Cluster({queue.name: queue for queue in queues}, (runs("a", "alpha", 3),))
    empty = if_nothing_ran(take_snapshot(cluster, "alpha", 0, GUARANTEED))
    assert free_at(empty, empty.usage, GPU) == 20


def test_where_limits_are_honoured_they_fall_and_end_at_zero() -> None:
    reading = parse_reading({"preset": "as-written", "hero_lending": "honour"})
    queues = {
        cluster_queue.name: cluster_queue
        for cluster_queue in (a_queue("alpha", 10, lends=2), a_queue("hero", 0, hero=True))
    }
    usage = as_effective(take_snapshot(Cluster(queues, (runs("h", "hero", 7),)), "alpha", 0, reading).usage)
    column = usage.columns[GPU]
    place = usage.plan.tree.places["alpha"]
    assert (column.bill[place], column.lending[place]) == (7, 0)


def test_the_limit_of_the_cohort_that_is_billed_stays_where_limits_are_honoured() -> None:
    # The hero is within the cohort, which has lent it nothing beyond itself.
    limited = ResourceGroup(("gpu",), (FlavorQuotas("h100", {"gpu": 0}, {}, {"gpu": 6}),))
    cohorts = {cohort.name: cohort for cohort in (Cohort("company"), Cohort("lab", "company", (limited,)))}
    queues = [a_queue("alpha", 10, lends=5), a_queue("hero", 0, hero=True), a_queue("other", 0, "company")]
    cluster = Cluster({queue.name: queue for queue in queues}, (runs("h", "hero", 3),), cohorts=cohorts)
    usage = as_effective(take_snapshot(cluster, "alpha", 0, HONOUR).usage)
    column, places = usage.columns[GPU], usage.plan.tree.places
    lab = usage.plan.branch_of[places["hero"]].root
    assert (column.lending[places["alpha"]], column.lending[lab]) == (2, 6)


def test_a_single_unit_that_a_hero_uses_is_billed() -> None:
    decision = decided(
        [a_queue("alpha", 2), a_queue("hero", 0, hero=True)], [runs("h", "hero", 1)], "alpha", 2
    )
    assert decision.outcome == Outcome.NO_FIT
    bills = [dict(shares) for shares in as_effective(decision.snapshot.usage).bills.values()]
    assert [{place: share for place, share in shares.items() if share} for shares in bills] == [{1: 1}]


def test_what_is_accessible_may_be_below_zero_by_the_letter_and_not_as_guaranteed() -> None:
    queues = [
        a_queue("c", 10, "company"),
        a_queue("h", 0, "company", hero=True),
        a_queue("a", 5, "team"),
        a_queue("b", 5, "team"),
        a_queue("k", 0, "team", hero=True),
    ]
    cohorts = {cohort.name: cohort for cohort in (Cohort("company"), Cohort("team", "company"))}
    running = (runs("up", "h", 10), runs("low", "k", 10))
    cluster = Cluster({queue.name: queue for queue in queues}, running, cohorts=cohorts)

    def accessible(name: str) -> dict[str, int]:
        (tree,) = accessible_trees(cluster, 0, preset(name))
        return {node.name: node.accounts[0].accessible for node in tree if node.is_queue}

    assert accessible("as-written") == {"a": -2, "b": -2, "c": 5, "h": 20, "k": 10}
    assert accessible("guaranteed") == {"a": 0, "b": 0, "c": 0, "h": 20, "k": 10}


def test_kinship_goes_by_parent_cohorts_and_scope_by_the_reading() -> None:
    queues = [a_queue("red", 4, "west", hero=True), a_queue("blue", 4, "east", hero=True)]
    cohorts = {name: Cohort(name, "root") for name in ("west", "east")}
    cluster = Cluster({queue.name: queue for queue in queues}, cohorts=cohorts)
    for scope, inside in (("branch", False), ("tree", True)):
        snapshot = take_snapshot(cluster, "red", 0, parse_reading({"hero_scope": scope}))
        places = snapshot.tree.places
        assert kin_between(snapshot.heroes, places["red"], places["blue"]) == Kin(hero=True, in_scope=inside)


def test_heads_of_heroes_have_their_turn_first_in_a_cycle() -> None:
    # By name and by priority alpha would be first, and would be evicted in the next cycle.
    rules = {"preemption": {"rules": "UberClusterQueueRules"}}
    queues = [raw_queue("alpha", 4, "lab"), raw_queue("zulu", 0, "lab", **rules)]
    events = [submit("0s", "a", "alpha", 4, priority=9), submit("0s", "z", "zulu", 4)]
    record = played(scenario(queues, events), "guaranteed")
    assert result(record, 0) == {"z": "admitted", "a": "skipped"}


def test_an_oracle_that_shares_snapshots_tells_readings_apart() -> None:
    quota = {"name": "gpu", "nominalQuota": 10}
    groups = [{"coveredResources": ["gpu"], "flavors": [{"name": "h100", "resources": [quota]}]}]

    def described(name: str, **preemption: str) -> dict[str, object]:
        spec = {"cohortName": "lab", "preemption": preemption, "resourceGroups": groups}
        return {"metadata": {"name": name}, "spec": spec}

    request = {
        "now": "2026-01-01T00:00:00Z",
        "clusterQueues": [described("a"), described("h", rules="UberClusterQueueRules")],
        "admitted": [
            {
                "metadata": {"namespace": "n", "name": "w"},
                "spec": {"podSets": [{"name": "main", "count": 1}]},
                "status": {
                    "admission": {
                        "clusterQueue": "h",
                        "podSetAssignments": [
                            {
                                "name": "main",
                                "count": 1,
                                "flavors": {"gpu": "h100"},
                                "resourceUsage": {"gpu": 8},
                            }
                        ],
                    }
                },
            }
        ],
        "incoming": {
            "metadata": {"namespace": "n", "name": "i"},
            "spec": {
                "podSets": [
                    {
                        "name": "main",
                        "count": 1,
                        "template": {
                            "spec": {"containers": [{"name": "c", "resources": {"requests": {"gpu": 13}}}]}
                        },
                    }
                ]
            },
        },
        "targetCQ": "a",
    }
    readings = ("guaranteed", "as-written", {"hero_billing": "whole"}, "guaranteed")
    billed = []
    for reading in readings:
        asked = {**request, "reading": reading, "explain": True}
        said = answer({"id": 1, "call": "decide", "input": asked})["output"]
        billed.append("UCQ-160" in [item["rule"] for item in said["trace"]["request"]])
    assert billed == [False, True, True, False]


def test_a_shortage_counts_what_heroes_use_and_what_is_billed_for_them() -> None:
    running = [runs("h", "hero", 8), runs("a", "alpha", 6)]
    hero, alpha = decided(TEAMS, running, "hero", 8), decided(TEAMS, running, "alpha", 5)
    assert [account_text(node_account, GPU) for node_account in shortages(hero)[0].path] == [
        "ClusterQueue hero uses 0 of 0, with 8 more paid for by others; 6 available",
        "Cohort lab uses 6 of 12, with 8 more billed for heroes; 6 available: its quota binds",
    ]
    assert "the hero uses 8 of the 20 accessible to it" in summarize(hero)[1]
    assert "the queue uses 6 of the 6 left of its 10" in summarize(alpha)[1]


def test_who_is_refused_only_while_heroes_run_is_told_so() -> None:
    refused = decided(TEAMS, [runs("h", "hero", 15)], "alpha", 9)
    where = "in ClusterQueue alpha and its cohort lab"
    assert summarize(refused) == (
        f"NoFit: ns/new is refused {where} while hero hero runs, and only for that",
        "9 gpu asked, on h100 it could have 5 at most, and 20 while no hero runs",
        "gpu on h100: billed 7 of 10 for hero",
    )
    too_much = summarize(decided(TEAMS, [runs("h", "hero", 15)], "alpha", 21))[0]
    assert too_much.endswith(f"could not run {where} even if the whole cohort were empty")


def test_a_tree_without_heroes_has_no_bills_and_no_effective_usage() -> None:
    usage = take_snapshot(Cluster({"alpha": a_queue("alpha", 2)}), "alpha", 0, GUARANTEED).usage
    assert bills_in(usage) == {}
    with pytest.raises(TypeError, match="without heroes"):
        as_effective(usage)

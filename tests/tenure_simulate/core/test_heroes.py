"""Heroes in the core: shares, the tree that bills leave, and what is left to the reference."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice, product

import numpy as np
import pytest

from tenure.choices import Outcome
from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.errors import InputError
from tenure.model import (
    MINUTE,
    SECOND,
    Assignment,
    Cluster,
    ClusterQueue,
    Cohort,
    DynamicPriorityPolicy,
    FlavorResource,
    PreemptionRules,
    WithinClusterQueue,
    Workload,
    WorkloadPriorityClass,
)
from tenure.oracle.heroes.effective import EffectiveUsage, as_effective
from tenure.oracle.heroes.search import HeroSearch
from tenure.oracle.question import Candidate, Question
from tenure.oracle.snapshot import Snapshot, take_snapshot
from tenure.oracle.tree import quota_at
from tenure.readings import (
    AccessibleRounding,
    HeroBilling,
    HeroClamp,
    HeroLending,
    HeroPrecedence,
    HeroScope,
    Reading,
    parse_reading,
    preset,
)
from tenure.rules.hero_billing import share_of_bill
from tenure.rules.terms import terms_of
from tenure_lab.generators.strategies import ALL_FEATURES, examples
from tenure_simulate.core import Arrays, CoreAnswer, Uncovered, decide
from tenure_simulate.core.heroes.billing import SAFE, times_over
from tenure_simulate.core.heroes.effective import leave, start
from tenure_simulate.core.heroes.plan import has_heroes
from tenure_simulate.core.heroes.tables import BILL, BRANCH, LENDING, LOCAL, NOMINAL, SUBTREE, USAGE, Books
from tenure_simulate.core.heroes.view import LARGE, View, view_of
from tenure_simulate.core.tables import Ask, Rows
from tests.clusters import queue
from tests.differential.compare import REFUSED, compare
from tests.sampling import sample
from tests.tenure_simulate.core.rich import enriched

CPU = FlavorResource("default", "cpu")
RULES = PreemptionRules.UBER_CLUSTER_QUEUE
CHOICES = {
    "hero_scope": tuple(HeroScope),
    "hero_precedence": tuple(HeroPrecedence),
    "hero_billing": tuple(HeroBilling),
    "accessible_rounding": (AccessibleRounding.FLOOR, AccessibleRounding.CUMULATIVE),
    "hero_lending": tuple(HeroLending),
    "hero_clamp": tuple(HeroClamp),
}


def hero_readings() -> list[Reading]:
    """A reading for every choice about heroes together with every other."""
    chosen = product(*([member.name.lower() for member in members] for members in CHOICES.values()))
    return [parse_reading(dict(zip(CHOICES, row, strict=True))) for row in chosen]


def requests(count: int, seed: int) -> Iterator[DecideRequest]:
    """Drawn requests about clusters in which heroes run."""
    print(f"seed {seed}")
    dice = random.Random(seed)
    drawn = examples(10 * count, seed, features=ALL_FEATURES)
    some = (read_decide_request(enriched(entry, dice)) for entry in drawn)
    return islice((decide_request for decide_request in some if has_heroes(decide_request.cluster)), count)


def a_queue(name: str, nominal: int, *, hero: bool = False, lends: int | None = None) -> ClusterQueue:
    """A ClusterQueue of cohort `all`."""
    rules = RULES if hero else ClusterQueue("").rules
    return queue(name, "all", {"default": {"cpu": (nominal, None, lends)}}, rules=rules)


def running(name: str, queue: str, cpu: int, **more: object) -> Workload:
    """A workload that holds quota."""
    held = {"priority": 0, "created_at": 0, "quota_reserved_at": SECOND, **more}
    return Workload("ns", name, f"u-{name}", cluster_queue=queue, usage={CPU: cpu}, **held)  # type: ignore[arg-type]


def answer_of(arrays: Arrays, cpu: int, now: int = 0, reading: str = "guaranteed") -> CoreAnswer:
    """What the core answers to a workload of hero `h`."""
    asks = Workload("ns", "asks", "u-asks", priority=0, created_at=0)
    return decide(arrays, asks, "h", now, preset(reading), Assignment({CPU: cpu}, frozenset({CPU})))


def a_view(arrays: Arrays, reading: Reading) -> View:
    """What the core makes of a store with heroes."""
    return view_of(arrays.layout, arrays.cluster, arrays.usage, rows_of(arrays, reading), reading)


def rows_of(arrays: Arrays, reading: Reading) -> Rows:
    """The store's workloads."""
    return arrays.rows(0, reading.priority_steps, arrays.cluster.settings.requeuing_timestamp, False)[0]


def test_a_share_is_exact_whatever_its_size() -> None:
    dice = random.Random(8826)
    for _ in range(500):
        total = dice.randrange(1, 2 ** dice.randrange(1, 59))
        weight, bill = dice.randrange(total + 1), dice.randrange(2 ** dice.randrange(1, 59))
        expected = share_of_bill(bill, weight, 0, total, AccessibleRounding.FLOOR)
        assert times_over(bill, weight, total) == expected
    assert times_over(SAFE - 1, SAFE, SAFE) == SAFE - 1


def test_the_effective_tree_is_the_references_under_every_choice() -> None:
    billed = unlocked = 0
    for request, reading in zip(requests(sample(64, 256), seed=8826), cycle(hero_readings()), strict=False):
        try:
            snapshot = take_snapshot(request.cluster, request.queue, request.now, reading)
        except InputError:
            continue
        if snapshot.heroes is None:
            continue
        arrays = Arrays(request.cluster)
        view = a_view(arrays, reading)
        billed += int(view.base.now[BILL].any())
        unlocked += int((view.base.now[LENDING] > view.base.given[LENDING]).any())
        assert_same_tree(arrays, view, snapshot)
    assert billed > sample(20, 80)
    assert unlocked > sample(2, 10)


def assert_same_tree(arrays: Arrays, view: View, snapshot: Snapshot) -> None:
    """Quotas, usage and bills of every node are what the reference counts."""
    tree, usage = snapshot.tree, as_effective(snapshot.usage)
    top = int(arrays.layout.forest.root[arrays.layout.queues[snapshot.queue.name]])
    for at, column in arrays.layout.columns.items():
        billed = usage.columns.get(at)
        for node in tree.nodes:
            place, quota = top + node.place, quota_at(tree, node.place, at)
            forest = view.forest
            mine = [int(item[place, column]) for item in (forest.nominal, forest.subtree, forest.local)]
            assert mine == [quota.nominal, quota.subtree, quota.local]
            limit = int(forest.limit[place, column])
            assert limit == (2**63 - 1 if quota.borrowing_limit is None else quota.borrowing_limit)
            assert int(view.usage[place, column]) == usage[node.place].get(at, 0)
            assert int(view.base.now[BILL, place, column]) == (
                0 if billed is None else billed.bill[node.place]
            )
            assert bool(forest.covered[place, column]) == (at in node.quotas)


def test_the_tree_is_the_references_after_each_removal_of_a_heros_search() -> None:
    removed = frozen = 0
    for request, reading in zip(requests(sample(64, 192), seed=8828), cycle(hero_readings()), strict=False):
        try:
            snapshot = take_snapshot(request.cluster, request.queue, request.now, reading)
        except InputError:
            continue
        terms = terms_of(snapshot.queue, request.cluster.settings, reading)
        if not terms.hero:
            continue
        arrays = Arrays(request.cluster)
        needed = frozenset(arrays.layout.columns)
        search = HeroSearch(Question(snapshot, request.preemptor, needed, {}, terms, request.now))
        frozen += bool(search.start.frozen)
        removed += assert_same_removals(arrays, search, snapshot, reading)
    assert removed > sample(60, 200)
    assert frozen > 0


def test_a_heros_own_removals_do_not_change_the_bill_of_one_above() -> None:
    inner = {name: replace(a_queue(name, 4, hero=name == "h"), cohort="c") for name in ("h", "y")}
    inner["h"] = replace(inner["h"], within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY)
    queues = {**inner, "x": a_queue("x", 8), "top": a_queue("top", 0, hero=True)}
    held = (running("above", "top", 4), running("own", "h", 4))
    cluster = Cluster(queues, held, cohorts={"c": Cohort("c", parent="all")})
    reading, asks = preset("guaranteed"), Workload("ns", "asks", "u-asks", priority=9, created_at=0)
    snapshot = take_snapshot(cluster, "h", 0, reading)
    terms = terms_of(snapshot.queue, cluster.settings, reading)
    search = HeroSearch(Question(snapshot, asks, frozenset({CPU}), {}, terms, 0))
    assert search.start.frozen
    assert assert_same_removals(Arrays(cluster), search, snapshot, reading) == 1


def row_of(arrays: Arrays, candidate: Candidate) -> int:
    """The row of a candidate."""
    row = arrays.columns.row_of(candidate.workload.key)
    assert row is not None
    return row


def assert_same_removals(arrays: Arrays, search: HeroSearch, snapshot: Snapshot, reading: Reading) -> int:
    """Candidates leave, and one comes back, with the same quotas and usage at every step; how many left."""
    view, rows, usage = a_view(arrays, reading), rows_of(arrays, reading), search.start
    own, every = arrays.layout.queues[snapshot.queue.name], np.ones(len(arrays.layout.columns), np.bool_)
    nothing = np.empty(0, np.int32)
    ask = Ask(own, arrays.layout.path(own), nothing, nothing.astype(np.int64), nothing, ~every, every, 0)
    root = int(view.base.roots[view.base.tree[BRANCH, own]])
    start(view.moving, view.base.now, ask, root)
    leaving = search.candidates[:6]
    for candidate in leaving:
        usage = search.without(usage, candidate)
        leave(view.moving, rows, root, row_of(arrays, candidate), ask, False)
        assert_same_amounts(arrays, view.moving, usage, int(ask.path[-1]))
    for candidate in leaving[:1]:
        usage = search.beside(usage, candidate)
        leave(view.moving, rows, root, row_of(arrays, candidate), ask, True)
        assert_same_amounts(arrays, view.moving, usage, int(ask.path[-1]))
    return len(leaving)


def assert_same_amounts(arrays: Arrays, books: Books, usage: EffectiveUsage, top: int) -> None:
    """Quotas and usage of every node are what the reference counts."""
    for at, column in arrays.layout.columns.items():
        for node in usage.tree.nodes:
            place, quota = top + node.place, quota_at(usage.tree, node.place, at)
            mine = [int(books.now[which, place, column]) for which in (NOMINAL, SUBTREE, LOCAL, USAGE)]
            used = usage[node.place].get(at, 0)
            assert mine == [quota.nominal, quota.subtree, quota.local, used]


def test_both_decide_alike_under_every_choice() -> None:
    taken = 0
    for request, reading in zip(requests(sample(64, 256), seed=8827), cycle(hero_readings()), strict=False):
        compared = compare(request, reading, given=taken % 2 == 0)
        assert compared.left in ("", REFUSED)
        assert compared.reference == compared.core, reading.choices()
        taken += compared.reference is not None and compared.reference[0] == "Preempt"
    assert taken > sample(10, 60)


def test_who_comes_and_goes_counts_at_once() -> None:
    queues = {"a": a_queue("a", 4), "b": a_queue("b", 4), "h": a_queue("h", 0, hero=True)}
    arrays = Arrays(Cluster(queues, (running("one", "a", 6),)))
    assert answer_of(arrays, 3).outcome == Outcome.PREEMPT
    arrays.add(running("big", "h", 6))
    assert answer_of(arrays, 3).outcome == Outcome.NO_CANDIDATES
    arrays.remove("ns/big")
    assert answer_of(arrays, 3).outcome == Outcome.PREEMPT


def test_priorities_of_another_instant_are_those_of_that_instant() -> None:
    ageing = WorkloadPriorityClass("ages", 0, DynamicPriorityPolicy(1, 9, MINUTE))
    queues = {"a": a_queue("a", 4), "h": a_queue("h", 0, hero=True)}
    held = (
        running("grows", "a", 2, priority_class="ages"),
        running("stays", "a", 2, priority=3, quota_reserved_at=2 * SECOND),
    )
    arrays = Arrays(Cluster(queues, held, growing={"ages": ageing}))
    taken = [[claim.key for claim in answer_of(arrays, 2, now * MINUTE).claims()] for now in (1, 8)]
    assert taken == [["ns/grows"], ["ns/stays"]]


def test_amounts_that_bills_cannot_count_are_left_to_the_reference() -> None:
    queues = {"a": a_queue("a", SAFE), "h": a_queue("h", 0, hero=True)}
    with pytest.raises(Uncovered, match=LARGE):
        answer_of(Arrays(Cluster(queues)), 2)


def test_shares_in_parts_of_a_unit_are_left_to_the_reference() -> None:
    arrays = Arrays(Cluster({"h": a_queue("h", 0, hero=True)}))
    exact = replace(preset("released"), accessible_rounding=AccessibleRounding.EXACT)
    with pytest.raises(Uncovered, match="exact shares"):
        decide(arrays, Workload("ns", "asks", "u-asks", priority=0, created_at=0), "h", 0, exact)


def test_a_queue_that_is_back_within_its_quota_moves_behind_the_borrowers() -> None:
    queues = {"a": a_queue("a", 2), "b": a_queue("b", 4), "h": a_queue("h", 0, hero=True)}
    held = [running(f"a{number}", "a", 1, priority=number) for number in range(4)]
    held += [running(f"b{number}", "b", 1, priority=number) for number in range(2)]
    answer = answer_of(Arrays(Cluster(queues, tuple(held))), 4)
    victims = [(claim.key, claim.reason.label) for claim in answer.claims()]
    assert [key for key, _ in victims] == ["ns/a0", "ns/a1", "ns/b0", "ns/b1"]
    assert {reason for _, reason in victims} == {"UberCQPreemption"}

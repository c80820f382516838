"""Random histories of clusters with heroes: what must hold after every step, whatever happened before.

    python -m tests.properties.hero_histories --n 2000 --seed 7 --jobs 2

prints its progress, what the histories exercised, and the seed that plays a failing one again.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tenure.choices import Outcome
from tenure.model import (
    Amount,
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    PreemptionRules,
    Reason,
    ReclaimWithinCohort,
    ResourceGroup,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import Decision, decide, searched_request
from tenure.oracle.heroes.effective import EffectiveUsage, as_effective
from tenure.oracle.heroes.fit import accessible_at
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.heroes.search import HeroSearch
from tenure.oracle.question import Candidate, Question
from tenure.oracle.snapshot import Snapshot, take_snapshot
from tenure.oracle.tree import quota_at
from tenure.pools import pool
from tenure.readings import (
    AccessibleRounding,
    HeroBilling,
    HeroLending,
    HeroPrecedence,
    HeroScope,
    Reading,
    parse_reading,
)

STEPS: Final = 25
READINGS: Final = (
    "guaranteed",
    "guaranteed",
    "guaranteed",
    {"preset": "guaranteed", "hero_lending": "honour"},
    {"preset": "guaranteed", "hero_scope": "tree"},
    {"preset": "guaranteed", "accessible_rounding": "floor"},
    {"preset": "guaranteed", "hero_precedence": "either"},
    "as-written",
    {"preset": "as-written", "accessible_rounding": "cumulative"},
    {"preset": "as-written", "hero_lending": "honour"},
    {"preset": "as-written", "hero_scope": "tree"},
)


@dataclass(slots=True)
class History:
    """A cluster as it changes.

    Args:
        seed: draws the same history again.
        random: where its chances come from.
        reading: the reading that all of it is decided under.
        queues, cohorts: by name.
        running: who holds quota.
        settings: classical preemption, or fair sharing.
        counts: what the history exercised.
        step: how many steps were taken.
        cut: whether a quota was cut while workloads ran, so that more may be in use than there is.
        known: the snapshot of the cluster as it is now; None where the cluster has changed since.
    """

    seed: int
    random: random.Random
    reading: Reading
    queues: dict[str, ClusterQueue]
    cohorts: dict[str, Cohort]
    settings: Settings
    running: list[Workload] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    step: int = 0
    cut: bool = False
    known: Snapshot | None = None

    def cluster(self) -> Cluster:
        """The cluster as it is now."""
        return Cluster(self.queues, tuple(self.running), settings=self.settings, cohorts=self.cohorts)

    def snapshot(self, name: str) -> Snapshot:
        """The tree as it is now, around a queue; it is one tree, and no priority grows in it."""
        if self.known is None:
            self.known = take_snapshot(self.cluster(), name, self.step, self.reading)
        place = self.known.tree.places[name]
        return dataclasses.replace(self.known, queue=self.queues[name], place=place)

    def now_runs(self, running: Iterable[Workload]) -> None:
        """Something else holds quota from now on."""
        self.running = list(running)
        self.known = None

    def now_has(self, queue: ClusterQueue) -> None:
        """A queue is another one from now on."""
        self.queues = {**self.queues, queue.name: queue}
        self.known = None

    def check(self, holds: bool, claim: str) -> None:
        """Fail with all that is needed to see it again.

        Raises:
            AssertionError: the claim does not hold.
        """
        self.counts[f"checked: {claim}"] += 1
        if not holds:
            raise AssertionError(
                f"seed {self.seed}, step {self.step}, reading {self.reading.name}: not so: {claim}"
            )


def draw_history(seed: int) -> History:
    """A cluster with up to three levels of cohorts, two flavors and some heroes, in which nothing runs."""
    chance = random.Random(seed)
    flavors = ("f0", "f1") if chance.random() < 0.4 else ("f0",)
    cohorts = {"root": Cohort("root", resource_groups=_groups(chance, flavors, (0, 0, 3), limited=False))}
    levels = {"root": 1}
    for index in range(chance.randint(0, 3)):
        name, parent = f"c{index}", chance.choice([level for level in levels if levels[level] < 3])
        levels[name] = levels[parent] + 1
        cohorts[name] = Cohort(name, parent, _groups(chance, flavors, (0, 0, 2, 5)))
    queues = {}
    share = chance.choice([0.2, 0.4, 0.6])
    for index in range(chance.randint(2, 6)):
        name, hero = f"q{index}", index == 0 or chance.random() < share
        queues[name] = ClusterQueue(
            name,
            _groups(chance, flavors, (0, 0, 4) if hero else (0, 2, 5, 8)),
            within_cluster_queue=chance.choice(list(WithinClusterQueue)),
            cohort=chance.choice(list(cohorts)),
            reclaim_within_cohort=chance.choice(
                [ReclaimWithinCohort.ANY, ReclaimWithinCohort.LOWER_PRIORITY]
            ),
            rules=PreemptionRules.UBER_CLUSTER_QUEUE if hero else PreemptionRules.DEFAULT,
        )
    fair = tuple(FairStrategy) if chance.random() < 0.4 else None
    reading = parse_reading(chance.choice(READINGS))
    return History(seed, chance, reading, queues, cohorts, Settings(fair_sharing=fair))


def play(seed: int) -> Counter[str]:
    """Play one history and check every step.

    Returns:
        what it exercised.

    Raises:
        AssertionError: something that must hold does not; it names the seed.
    """
    history = draw_history(seed)
    history.counts += _kinds(history)
    for step in range(1, STEPS + 1):
        history.step = step
        before = history.known
        _take_a_step(history)
        if before is None or history.known is not before:  # a step that changed nothing was checked
            check_state(history)
    return history.counts


def _kinds(history: History) -> Counter[str]:
    """Of which kinds a history is, each counted once."""
    heroes = [queue for queue in history.queues.values() if queue.rules != PreemptionRules.DEFAULT]
    snapshot = history.snapshot(min(history.queues))
    plan = snapshot.heroes
    assert plan is not None
    kinds = {
        "histories: all": True,
        "histories: classical": history.settings.fair_sharing is None,
        "histories: fair sharing": history.settings.fair_sharing is not None,
        "histories: several heroes": len(heroes) > 1,
        "histories: peer heroes": any(len(branch.heroes) > 1 for branch in plan.branches),
        "histories: nested heroes": any(
            branch.root in snapshot.tree.nodes[other.root].path[1:]
            for branch in plan.branches
            for other in plan.branches
        ),
        "histories: three levels of cohorts": max(len(node.path) for node in snapshot.tree.nodes) > 3,
        "histories: two flavors": len(heroes[0].resource_groups[0].flavors) > 1,
        f"histories: reading {history.reading.name}": True,
    }
    return Counter(kind for kind, holds in kinds.items() if holds)


def check_state(history: History) -> None:
    """What must hold of every state, however it came about."""
    snapshot = history.snapshot(min(history.queues))
    plan = snapshot.heroes
    if plan is None:
        return
    usage = as_effective(snapshot.usage)
    busy = any(
        any(plan_used.values()) for place, plan_used in usage.held.amounts.items() if place in plan.branch_of
    )
    if not busy:
        same = all(
            mine.quotas == theirs.quotas
            for mine, theirs in zip(snapshot.tree.nodes, plan.tree.nodes, strict=True)
        )
        history.check(same, "with no hero running the effective tree is the tree")
        return
    for asked, column in usage.columns.items():
        nominal = [quota_at(plan.tree, node.place, asked).nominal for node in plan.tree.nodes]
        used = [usage.held.used(node.place, asked) for node in plan.tree.nodes]
        if history.reading.hero_billing == HeroBilling.EXCESS:
            _check_excess(history, column.bill, column.credit, nominal)
            moved = sum(nominal) - sum(column.nominal)
            history.check(moved == sum(column.bill), "what is billed leaves the tree as quota")
            history.check(
                sum(used) - sum(column.used) == sum(column.credit), "what is credited leaves it as usage"
            )
        else:
            history.check(sum(nominal) == sum(column.nominal), "billed quota is at the heroes, none is lost")
            history.check(list(column.used) == used, "as written no usage leaves the tree")
        limits = [limit for limit in column.lending if limit is not None]
        history.check(all(limit >= 0 for limit in limits), "no lending limit is below zero")


def _check_excess(
    history: History, bills: list[Amount], credited: list[Amount], nominal: list[Amount]
) -> None:
    history.check(sum(bills) == sum(credited), "bills and credits are equal")
    within = all(0 <= bill <= own for bill, own in zip(bills, nominal, strict=True))
    history.check(within, "a bill is between zero and the nominal quota")


def _take_a_step(history: History) -> None:
    chance = history.random
    drawn = chance.random()
    if history.running and drawn < 0.12:
        history.counts["finished"] += 1
        gone = chance.choice(history.running)
        history.now_runs(workload for workload in history.running if workload is not gone)
    elif history.running and drawn < 0.17:
        history.counts["evicted, not gone yet"] += 1
        evicted = history.running[chance.randrange(len(history.running))]
        history.now_runs(
            dataclasses.replace(workload, evicted=True) if workload is evicted else workload
            for workload in history.running
        )
    elif drawn < 0.22:
        _edit_a_quota(history)
    else:
        _submit(history)


def _edit_a_quota(history: History) -> None:
    name = history.random.choice(sorted(history.queues))
    queue = history.queues[name]
    flavors = tuple(flavor.flavor for flavor in queue.resource_groups[0].flavors)
    before = queue.nominal()
    changed = dataclasses.replace(
        queue, resource_groups=_groups(history.random, flavors, (0, 2, 4, 8), quotas=queue)
    )
    history.now_has(changed)
    history.counts["quota edited"] += 1
    falls = any(amount < before[asked] for asked, amount in changed.nominal().items())
    if falls and history.running:
        history.cut = True


def _submit(history: History) -> None:
    chance = history.random
    name = chance.choice(sorted(history.queues))
    is_hero = history.queues[name].rules == PreemptionRules.UBER_CLUSTER_QUEUE
    size = chance.choice((1, 2, 3, 5, 8, 13) if is_hero else (1, 2, 3, 5))
    workload = Workload(
        "ns",
        f"w{history.step:03}",
        f"w{history.step:03}",
        priority=chance.randint(0, 3),
        created_at=history.step,
        pod_sets=(PodSet("main", 1, {"gpu": size}),),
    )
    snapshot = history.snapshot(name)
    decision = decide(snapshot.cluster, workload, name, history.step, history.reading, snapshot=snapshot)
    kind = "hero" if decision.terms.hero else "standard"
    history.counts[f"{kind} {decision.outcome}"] += 1
    if decision.terms.hero:
        _check_hero(history, decision)
    else:
        _check_standard(history, decision, workload, name)
    if decision.outcome in (Outcome.FIT, Outcome.PREEMPT):
        _admit(history, decision, workload, name)


def _check_standard(history: History, decision: Decision, workload: Workload, name: str) -> None:
    heroes = {queue.name for queue in history.queues.values() if queue.rules != PreemptionRules.DEFAULT}
    taken = {target.workload.cluster_queue for target in decision.targets}
    history.check(not taken & heroes, "no hero's workload is treated as a standard queue's")
    if decision.targets:
        left = decision.snapshot.without(target.workload for target in decision.targets)
        then = decide(left.cluster, workload, name, history.step, history.reading, snapshot=left)
        history.check(then.outcome == Outcome.FIT, "what a standard queue takes suffices")
        _check_standard_victims(history, decision)
    if not any(workload.cluster_queue in heroes for workload in history.running):
        plain = {
            key: dataclasses.replace(queue, rules=PreemptionRules.DEFAULT)
            for key, queue in history.queues.items()
        }
        cluster = dataclasses.replace(history.cluster(), cluster_queues=plain)
        base = decide(cluster, workload, name, history.step, history.reading)
        same = (base.outcome, base.targets) == (decision.outcome, decision.targets)
        history.check(same, "with no hero running standard queues are decided as Kueue does")


def _check_hero(history: History, decision: Decision) -> None:
    snapshot = decision.snapshot
    plan, tree = snapshot.heroes, snapshot.tree
    assert plan is not None
    inside = set(plan.branch_of[snapshot.place].nodes)
    for target in decision.targets:
        place = tree.places[target.workload.cluster_queue or ""]
        kin = kin_between(plan, snapshot.place, place)
        history.check(place in inside, "no workload outside the hero's subtree is preempted")
        own = place == snapshot.place
        reason = target.reason == Reason.UBER_CQ_PREEMPTION
        history.check(own != reason, "the reason is a hero's, except in its own ClusterQueue")
        if kin.hero and not own:
            history.counts["a hero takes from a hero"] += 1
            lower = target.workload.priority < decision.preemptor.priority
            rank_first = history.reading.hero_precedence == HeroPrecedence.RANK_FIRST
            allowed = kin.above or (lower and (kin.peer or not rank_first))
            history.check(allowed, "of a hero only one above or of higher priority takes")
    if decision.targets:
        _check_victims(history, decision)


def _check_standard_victims(history: History, decision: Decision) -> None:
    assert decision.selection is not None
    question, kept = _question(decision), decision.selection.kept
    borrows = decision.selection.may_borrow

    def fits_without(leaving: Iterable[Candidate]) -> bool:
        usage = decision.snapshot.usage
        for candidate in leaving:
            usage = question.without(usage, candidate)
        return question.fits(usage, may_borrow=borrows)

    history.check(fits_without(kept), "a standard queue's victims suffice for the search")
    spare = any(fits_without(candidate for candidate in kept if candidate is not spared) for spared in kept)
    history.check(not spare, "no victim of a standard queue could be spared")


def _check_victims(history: History, decision: Decision) -> None:
    assert decision.selection is not None
    search = HeroSearch(_question(decision))
    kept = decision.selection.kept
    after = search.start
    for candidate in kept:
        after = search.without(after, candidate)
    history.check(search.fits(after), "the victims suffice")
    history.check(not _spare(search, after, kept), "no victim could be spared")


def _question(decision: Decision) -> Question:
    """The search of a decision, once more."""
    return Question(
        decision.snapshot,
        decision.preemptor,
        decision.assignment.needs_preemption,
        searched_request(decision.assignment),
        decision.terms,
        decision.now,
    )


def _spare(search: HeroSearch, after: EffectiveUsage, kept: tuple[Candidate, ...]) -> bool:
    return any(search.fits(search.beside(after, candidate)) for candidate in kept)


def _admit(history: History, decision: Decision, workload: Workload, name: str) -> None:
    before, gone = _lent_to_outside(decision), {target.workload.key for target in decision.targets}
    admitted = dataclasses.replace(
        workload,
        cluster_queue=name,
        usage=dict(decision.assignment.usage),
        quota_reserved_at=history.step,
    )
    history.now_runs((*(workload for workload in history.running if workload.key not in gone), admitted))
    # Shares that are rounded down promise once more what is rounded away, and the letter's quota moves.
    exact = history.reading.accessible_rounding != AccessibleRounding.FLOOR
    if exact and not history.cut and history.reading.hero_billing == HeroBilling.EXCESS:
        total, in_use = _nominal(history), _in_use(history)
        overcommitted = any(amount > total[asked] for asked, amount in in_use.items())
        history.check(not overcommitted, "no more is in use than there is")
    if decision.terms.hero:
        _check_admitted_hero(history, decision, before)


def _check_admitted_hero(history: History, decision: Decision, before: dict[FlavorResource, Amount]) -> None:
    snapshot = history.snapshot(decision.queue.name)
    plan, usage = snapshot.heroes, as_effective(snapshot.usage)
    assert plan is not None
    for asked in decision.assignment.usage:
        most = accessible_at(plan, snapshot.place, asked)
        history.check(usage.held.used(snapshot.place, asked) <= most, "no hero is above its Accessible")
    strict = (
        history.reading.hero_billing == HeroBilling.EXCESS
        and history.reading.hero_scope == HeroScope.BRANCH
        and history.reading.accessible_rounding != AccessibleRounding.FLOOR
        and history.reading.hero_lending == HeroLending.IGNORE
        and not history.cut
    )
    if strict:
        after = _borrowed_by_branch(snapshot)
        grown = any(after[asked] > max(0, before.get(asked, 0)) for asked in decision.assignment.usage)
        history.check(not grown, "a hero's subtree borrows no more from outside than before")


def _lent_to_outside(decision: Decision) -> dict[FlavorResource, Amount]:
    return _borrowed_by_branch(decision.snapshot) if decision.terms.hero else {}


def _borrowed_by_branch(snapshot: Snapshot) -> dict[FlavorResource, Amount]:
    """What the root of the hero's subtree uses beyond its quota."""
    assert snapshot.heroes is not None
    root = snapshot.heroes.branch_of[snapshot.place].root
    return {
        asked: snapshot.usage[root].get(asked, 0) - quota.subtree
        for asked, quota in snapshot.tree.nodes[root].quotas.items()
    }


def _nominal(history: History) -> Counter[FlavorResource]:
    total: Counter[FlavorResource] = Counter()
    objects: list[ClusterQueue | Cohort] = [*history.queues.values(), *history.cohorts.values()]
    for object_ in objects:
        for group in object_.resource_groups:
            for quotas in group.flavors:
                for resource, amount in quotas.nominal.items():
                    total[FlavorResource(quotas.flavor, resource)] += amount
    return total


def _in_use(history: History) -> Counter[FlavorResource]:
    total: Counter[FlavorResource] = Counter()
    for workload in history.running:
        total.update(workload.usage)
    return total


def _groups(
    chance: random.Random,
    flavors: tuple[str, ...],
    nominal: tuple[Amount, ...],
    *,
    limited: bool = True,
    quotas: ClusterQueue | None = None,
) -> tuple[ResourceGroup, ...]:
    """One resource group; with `quotas`, that of a ClusterQueue with other nominal quotas."""
    if quotas is not None:
        group = quotas.resource_groups[0]
        changed = (
            dataclasses.replace(flavor, nominal={"gpu": chance.choice(nominal)}) for flavor in group.flavors
        )
        return (ResourceGroup(("gpu",), tuple(changed)),)

    def limit() -> dict[str, Amount]:
        return {"gpu": chance.choice((0, 1, 2, 4, 8))} if limited and chance.random() < 0.35 else {}

    made = (FlavorQuotas(flavor, {"gpu": chance.choice(nominal)}, limit(), limit()) for flavor in flavors)
    return (ResourceGroup(("gpu",), tuple(made)),)


def played(seed: int) -> tuple[int, Counter[str], str]:
    """Play one history for `main`: its seed, what it exercised, and what failed."""
    try:
        return seed, play(seed), ""
    except AssertionError as failed:
        return seed, Counter(), str(failed)


def main() -> int:
    """Play many histories; the exit code is 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.properties.hero_histories", description=__doc__)
    parser.add_argument("--n", type=int, default=1000, help="how many histories")
    parser.add_argument("--seed", type=int, default=0, help="of the first one; each next one has the next")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    with pool(asked.jobs) as processes:
        seeds = range(asked.seed, asked.seed + asked.n)
        for done, (seed, exercised, failed) in enumerate(processes.run(played, seeds, together=50), 1):
            if failed:
                print(f"failed: {failed}", file=sys.stderr)
                print(f"again: python -m tests.properties.hero_histories --n 1 --seed {seed}")
                return 1
            counts += exercised
            if done % 100 == 0:
                print(f"{done} of {asked.n} histories hold", flush=True)
    for what, count in sorted(counts.items()):
        print(f"{count:>9}  {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

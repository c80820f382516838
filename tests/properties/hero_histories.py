"""Random histories of clusters with heroes: what must hold after every step, whatever happened before.

    python -m tests.properties.hero_histories --n 2000 --seed 7

prints its progress, what the histories exercised, and the seed that plays a failing one again.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from tenure.model import (
    Amount,
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorQuotas,
    FlavorResource,
    Outcome,
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
from tenure.oracle.heroes.effective import EffectiveUsage
from tenure.oracle.heroes.fit import accessible_at
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.heroes.search import HeroSearch
from tenure.oracle.question import Candidate, Question
from tenure.oracle.snapshot import Snapshot, take_snapshot
from tenure.oracle.tree import quota_at
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
        cut: whether a quota was cut while somebody ran, so that more may be in use than there is.
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

    def cluster(self) -> Cluster:
        """The cluster as it is now."""
        return Cluster(self.queues, tuple(self.running), settings=self.settings, cohorts=self.cohorts)

    def snapshot(self) -> Snapshot:
        """The tree as it is now; it is one tree."""
        return take_snapshot(self.cluster(), min(self.queues), self.step, self.reading)

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
    """A cluster with up to three levels of cohorts, two flavors and some heroes, in which nobody runs."""
    chance = random.Random(seed)
    flavors = ("f0", "f1") if chance.random() < 0.4 else ("f0",)
    cohorts = {"root": Cohort("root", resource_groups=_groups(chance, flavors, (0, 0, 3), limited=False))}
    levels = {"root": 1}
    for index in range(chance.randint(0, 3)):
        name, parent = f"c{index}", chance.choice([each for each in levels if levels[each] < 3])
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
    history.counts["fair sharing" if history.settings.fair_sharing else "classical"] += 1
    for step in range(1, STEPS + 1):
        history.step = step
        _take_a_step(history)
        check_state(history)
    return history.counts


def check_state(history: History) -> None:
    """What must hold of every state, however it came about."""
    snapshot = history.snapshot()
    usage, plan = snapshot.usage, snapshot.heroes
    if plan is None or not isinstance(usage, EffectiveUsage):
        return
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
            history.check(
                sum(nominal) == sum(column.nominal), "billed quota stands at the heroes, none is lost"
            )
            history.check(list(column.used) == used, "to the letter no usage leaves the tree")
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
        history.running.remove(chance.choice(history.running))
    elif history.running and drawn < 0.17:
        history.counts["evicted, not gone yet"] += 1
        index = chance.randrange(len(history.running))
        history.running[index] = dataclasses.replace(history.running[index], evicted=True)
    elif drawn < 0.22:
        _edit_a_quota(history)
    else:
        _submit(history)


def _edit_a_quota(history: History) -> None:
    name = history.random.choice(sorted(history.queues))
    queue = history.queues[name]
    flavors = tuple(each.flavor for each in queue.resource_groups[0].flavors)
    before = queue.nominal()
    changed = dataclasses.replace(
        queue, resource_groups=_groups(history.random, flavors, (0, 2, 4, 8), quotas=queue)
    )
    history.queues = {**history.queues, name: changed}
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
    decision = decide(history.cluster(), workload, name, history.step, history.reading)
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
    history.check(not taken & heroes, "no hero's workload is taken for a standard queue")
    if not any(each.cluster_queue in heroes for each in history.running):
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
        history.check(place in inside, "nobody outside the hero's subtree is taken")
        own = place == snapshot.place
        reason = target.reason == Reason.UBER_CQ_PREEMPTION
        history.check(own != reason, "the reason is a hero's, except in its own queue")
        if kin.hero and not own:
            history.counts["a hero takes from a hero"] += 1
            lower = target.workload.priority < decision.preemptor.priority
            rank_first = history.reading.hero_precedence == HeroPrecedence.RANK_FIRST
            allowed = kin.above or (lower and (kin.peer or not rank_first))
            history.check(allowed, "of a hero only one above or of higher priority takes")
    if decision.targets:
        _check_victims(history, decision)


def _check_victims(history: History, decision: Decision) -> None:
    assert decision.selection is not None
    assignment = decision.assignment
    question = Question(
        decision.snapshot,
        decision.preemptor,
        assignment.needs_preemption,
        {asked: amount for asked, amount in assignment.usage.items() if amount},
        decision.terms,
        decision.now,
    )
    search = HeroSearch(question)
    kept = decision.selection.kept
    after = search.start
    for candidate in kept:
        after = search.without(after, candidate)
    history.check(search.fits(after), "the victims suffice")
    history.check(not _spare(search, after, kept), "no victim could be spared")


def _spare(search: HeroSearch, after: EffectiveUsage, kept: tuple[Candidate, ...]) -> bool:
    return any(search.fits(search.beside(after, each)) for each in kept)


def _admit(history: History, decision: Decision, workload: Workload, name: str) -> None:
    before, gone = _lent_to_outside(decision), {target.workload.key for target in decision.targets}
    history.running = [each for each in history.running if each.key not in gone]
    history.running.append(
        dataclasses.replace(
            workload,
            cluster_queue=name,
            usage=dict(decision.assignment.usage),
            quota_reserved_at=history.step,
        )
    )
    # Shares that are rounded down promise once more what is rounded away, and the letter's quota moves.
    exact = history.reading.accessible_rounding != AccessibleRounding.FLOOR
    if exact and not history.cut and history.reading.hero_billing == HeroBilling.EXCESS:
        total, in_use = _nominal(history), _in_use(history)
        overcommitted = any(amount > total[asked] for asked, amount in in_use.items())
        history.check(not overcommitted, "no more is in use than there is")
    if decision.terms.hero:
        _check_admitted_hero(history, decision, before)


def _check_admitted_hero(history: History, decision: Decision, before: dict[FlavorResource, Amount]) -> None:
    snapshot = take_snapshot(history.cluster(), decision.queue.name, history.step, history.reading)
    plan, usage = snapshot.heroes, snapshot.usage
    assert plan is not None
    assert isinstance(usage, EffectiveUsage)
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
    for each in objects:
        for group in each.resource_groups:
            for quotas in group.flavors:
                for resource, amount in quotas.nominal.items():
                    total[FlavorResource(quotas.flavor, resource)] += amount
    return total


def _in_use(history: History) -> Counter[FlavorResource]:
    total: Counter[FlavorResource] = Counter()
    for each in history.running:
        total.update(each.usage)
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
            dataclasses.replace(each, nominal={"gpu": chance.choice(nominal)}) for each in group.flavors
        )
        return (ResourceGroup(("gpu",), tuple(changed)),)

    def limit() -> dict[str, Amount]:
        return {"gpu": chance.choice((0, 1, 2, 4, 8))} if limited and chance.random() < 0.35 else {}

    made = (FlavorQuotas(flavor, {"gpu": chance.choice(nominal)}, limit(), limit()) for flavor in flavors)
    return (ResourceGroup(("gpu",), tuple(made)),)


def main() -> int:
    """Play many histories; the exit code is 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.properties.hero_histories", description=__doc__)
    parser.add_argument("--n", type=int, default=1000, help="how many histories")
    parser.add_argument("--seed", type=int, default=0, help="of the first one; each next one has the next")
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    for index in range(asked.n):
        try:
            counts += play(asked.seed + index)
        except AssertionError as failed:
            print(f"failed: {failed}", file=sys.stderr)
            print(f"again: python -m tests.properties.hero_histories --n 1 --seed {asked.seed + index}")
            return 1
        if (index + 1) % 100 == 0:
            print(f"{index + 1} of {asked.n} histories hold", flush=True)
    for what, count in sorted(counts.items()):
        print(f"{count:>9}  {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

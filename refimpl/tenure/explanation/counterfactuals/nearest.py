"""The nearest counterfactuals of a situation.

What is searched: the clock; of the pending workload its priority and the numbers of its pods; of its
ClusterQueue the policies, `flavorFungibility`, the order of flavors, `minAdmitDuration` and
`maxPriorityThreshold`, and of the PreemptionConfig that it names triggers, scopes and comparisons of
priorities; the quotas and limits of every queue and cohort of its tree, as far as it requests the resource,
and under fair sharing their weights; the priorities of running workloads, or of the one in question.

Where the user's wish is known (`goals` beside this file), other changes are ignored, those for the worse
among them, and nothing is searched where nothing can be better.

Usable changes come first: those that do not make the pending workload fare worse, and that are not just the
edge of the old value, as 3999m is of 4. Of these come first the ones that do not harm another team: that
change no field of another ClusterQueue or its workloads, and preempt none of them; then the ones of the
workload in question and its ClusterQueue; then the smaller ones.

How large a change is: a number counts by how far it moves, as a part of the larger of the two values;
another word for a policy, and a field that is set for the first time or removed, count 1; a wait counts by
its part of a day; nothing counts more than 1. Among changes of one size the one whose object is nearer to the
pending workload comes first: the clock, the workload, its ClusterQueue, the cohorts above that, everything
else. Of one field, and of the same field of several objects that are equally near, only the first change is
listed.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from tenure.choices import DEFAULT_LIMIT
from tenure.engines.memo import Searches
from tenure.errors import bad_input
from tenure.explanation.counterfactuals.config_fields import ConfigField, config_knobs
from tenure.explanation.counterfactuals.counterfactual import Counterfactual, apply, may_tie, tie_of
from tenure.explanation.counterfactuals.goals import Wish
from tenure.explanation.counterfactuals.queue_fields import Rules, order_knobs, queue_knobs, rule_knobs
from tenure.explanation.counterfactuals.quota_fields import quota_knobs, weight_knobs
from tenure.explanation.counterfactuals.situation import (
    ASKER,
    CLOCK,
    OTHERS,
    OWN_QUEUE,
    PATH,
    Knob,
    Listed,
    Measured,
    Range,
    Situation,
    Value,
    answer_of,
)
from tenure.explanation.counterfactuals.workload_fields import Clock, Priority, pod_set_knobs
from tenure.explanation.proposals import proposals_in
from tenure.model import Cluster, Instant, Workload
from tenure.oracle.decide import Decision
from tenure.readings import Reading

Flips: TypeAlias = Callable[[int], bool]
"""Whether a value changes the answer."""


def by_distance(values: Iterable[Value], old: Value) -> list[Value]:
    """Some values other than a field's own, the nearest first; not being set is the furthest.

    >>> by_distance([None, 9, 5, 4, 1], 4)
    [5, 1, 9, None]
    """
    fresh = {value for value in values if value != old}

    def distance(value: Value) -> tuple[bool, int, int]:
        if value is None or old is None:
            return (value is None, value or 0, 0)
        return (False, abs(value - old), value)

    return sorted(fresh, key=distance)


def first_flipping(nearest: Sequence[Value], flips: Callable[[Value], bool]) -> Iterator[Value]:
    """The first of some values that changes the answer, if one does; all before it are tried.

    >>> list(first_flipping([5, 1, 9, None], lambda value: value != 5))
    [1]
    """
    return itertools.islice(filter(flips, nearest), 1)


def some_flipping(nearest: Sequence[Value], flips: Callable[[Value], bool]) -> Iterator[Value]:
    """One of many values that changes the answer, found by doubling and halving; the one before it does not.

    >>> list(some_flipping(list(range(1000)), lambda value: value > 700))
    [701]
    """
    along = Range(start=0, low=0, high=len(nearest), granule=1)
    return (nearest[place - 1] for place in flips_along(along, lambda place: flips(nearest[place - 1])))


def flips_along(where: Range, flips: Flips) -> Iterator[int]:
    """The nearest value found in each direction that changes the answer; one step nearer does not.

    From the start the steps double; between the last step that changes nothing and the first one that does,
    they are halved.

    >>> list(flips_along(Range(start=10, low=0, high=99, granule=1), lambda value: value >= 37 or value < 4))
    [37, 3]
    >>> list(flips_along(Range(start=10, low=0, high=99, granule=10), lambda value: value >= 30))
    [30]
    """
    known = cache(flips)
    for sign, most in ((1, where.high - where.start), (-1, where.start - where.low)):

        def beyond(distance: int, sign: int = sign) -> bool:
            return known(where.start + sign * distance)

        found = _first_distance(most, where.granule, beyond)
        if found is not None:
            yield where.start + sign * found


def _first_distance(most: int, granule: int, beyond: Flips) -> int | None:
    """A distance beyond which the answer changes, and one unit before which it does not."""
    before = 0
    for step in _doubling(most, granule):
        if beyond(step):
            return _halved(before, step, granule, beyond)
        before = step
    return None


def _doubling(most: int, granule: int) -> Iterator[int]:
    if most >= 1 and granule > 1:
        yield 1
    step = granule
    while step < most:
        yield step
        step *= 2
    if most >= 1:
        yield most


def _halved(before: int, after: int, granule: int, beyond: Flips) -> int:
    """The boundary between a distance that changes nothing and one that changes the answer."""
    # Nearly all amounts are multiples of the granule, and so are most boundaries.
    while after - before > granule:
        middle = before + max((after - before) // granule // 2, 1) * granule
        if beyond(middle):
            after = middle
        else:
            before = middle
    if not beyond(after - 1):
        return after
    if beyond(before + 1):
        return before + 1
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (before, middle) if beyond(middle) else (middle, after)
    return after


MOST_DECISIONS = 5_000
"""How many decisions a search makes at most by default."""
FEWEST_DECISIONS = 50
"""How many it makes at least, however large the tree."""
MOST_WORK = 400_000
"""How many workloads these decisions look at together, at most: some seconds."""
SHARE = 8
"""One field gets the budget's part by this number, so that the clock alone cannot spend all of it."""
LEAST_SHARE = 64
"""How many decisions a field gets at least; more values of a field than it gets are not tried one by one."""


@dataclass(frozen=True, slots=True)
class CounterfactualsFound:
    """What a search for counterfactuals came to.

    Args:
        counterfactuals: the changes in the order of the module's description.
        tried: how many altered situations were decided.
        fields: how many fields were searched to the end.
        complete: whether all were, before the budget was spent.
    """

    counterfactuals: tuple[Counterfactual, ...]
    tried: int
    fields: int
    complete: bool


_Rank: TypeAlias = tuple[tuple[bool, bool, bool, float], int, str, str]


class _SpentError(Exception):
    """The budget, or the part of it that one field gets, is spent."""


def nearest_counterfactuals(
    cluster: Cluster,
    preemptor: Workload,
    queue: str,
    now: Instant,
    reading: Reading,
    target: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> tuple[Counterfactual, ...]:
    """The smallest changes of one field that change the answer.

    Args:
        cluster: the snapshot.
        preemptor: the pending workload, with the priority of its spec.
        queue: name of its ClusterQueue.
        now: the scheduling cycle's clock, ns since the epoch.
        reading: see `tenure.readings`.
        target: `namespace/name` of a running workload: the answer is whether it is preempted; None: whether
            the pending one fits, preempts or waits.
        limit: how many at most.

    Raises:
        InputError: no such ClusterQueue; cohorts that are their own ancestors; no such target in the tree.

    >>> from tenure.model import ClusterQueue, FlavorQuotas, FlavorResource, PodSet, ResourceGroup
    >>> from tenure.readings import preset
    >>> quotas = ResourceGroup(("gpu",), (FlavorQuotas("a100", {"gpu": 4}),))
    >>> pods = (PodSet("main", 1, {"gpu": 6}),)
    >>> asking = Workload("ml", "new", "u", priority=0, created_at=0, pod_sets=pods)
    >>> cluster = Cluster({"q": ClusterQueue("q", (quotas,))}, pending=(asking,))
    >>> for change in nearest_counterfactuals(cluster, asking, "q", 0, preset("guaranteed")):
    ...     print(change.object, change.field, change.old_text, change.new_text, change.after)
    ClusterQueue/q spec.resourceGroups[0].flavors[0].resources[0].nominalQuota 4 6 fits
    """
    return search_counterfactuals(
        Situation(cluster, preemptor, queue, now, reading), target, limit
    ).counterfactuals


def search_counterfactuals(
    situation: Situation,
    target: str | None = None,
    limit: int = DEFAULT_LIMIT,
    wish: Wish | None = None,
    budget: int | None = None,
) -> CounterfactualsFound:
    """The smallest changes of one field that change the answer, and how far was searched.

    Args:
        situation: where.
        target: `namespace/name` of a running workload, or None; see `nearest_counterfactuals`.
        limit: how many at most.
        wish: only changes that grant it are looked for; None for all that change the answer.
        budget: how many altered situations may be decided; None for `budget_for`. The fields of what is
            nearest come first.

    Raises:
        InputError: no such ClusterQueue; cohorts that are their own ancestors; no such target in the tree.
    """
    decision = situation.decided()
    if target is not None and all(workload.key != target for workload in decision.running):
        tree = f"the tree of ClusterQueue {decision.queue.name}"
        raise bad_input("target", target, f"a workload that holds quota in {tree}")
    if wish is not None and not wish.is_open(decision):
        return CounterfactualsFound((), 0, 0, complete=True)
    most = budget_for(decision) if budget is None else budget
    searcher = _Searcher(situation, decision, target, wish, most)
    found: dict[tuple[int, tuple[str, str]], tuple[_Rank, Counterfactual]] = {}
    fields, complete = 0, True
    cluster = situation.cluster
    proposed = () if cluster.settings.release is not None else proposals_in(cluster)
    configured = decision.queue.preemption_config is not None
    for near, knob in _knobs(situation, decision, target):
        if knob.proposal is not None and knob.proposal not in proposed:
            continue
        if configured and isinstance(knob, Rules):
            continue  # heroes beside PreemptionConfigs are not modelled
        try:
            best = min(searcher.flips_of(knob), key=_by_use, default=None)
        except _SpentError:
            complete = False
            if searcher.spent:
                break
            continue
        fields += 1
        if best is not None:
            ranked = ((_by_use(best), near, best.object, best.field), best)
            alike = (near, knob.kind)
            found[alike] = min(found.get(alike, ranked), ranked, key=lambda pair: pair[0])
    ordered = sorted(found.values(), key=lambda pair: pair[0])
    nearest = tuple(change for _, change in ordered[:limit])
    if may_tie(decision):
        nearest = tuple(
            dataclasses.replace(change, tie=tie_of(apply(change, situation))) for change in nearest
        )
    return CounterfactualsFound(nearest, searcher.tried, fields, complete)


def _by_use(change: Counterfactual) -> tuple[bool, bool, bool, float]:
    return (not change.is_usable, not change.harmless, not change.own, change.size)


def budget_for(decision: Decision) -> int:
    """How many altered situations are decided by default: fewer, the more workloads there are.

    Args:
        decision: the decision that is to be flipped.
    """
    return max(FEWEST_DECISIONS, min(MOST_DECISIONS, MOST_WORK // max(1, len(decision.running))))


class _Searcher:
    """Decides altered situations, and counts them."""

    def __init__(
        self,
        situation: Situation,
        decision: Decision,
        target: str | None,
        wish: Wish | None,
        budget: int,
    ) -> None:
        self._situation = situation
        self._decision = decision
        self._target = target
        self._wish = wish
        self._budget = budget
        self._share = max(LEAST_SHARE, budget // SHARE)
        self._of_this = 0
        self._answer = answer_of(decision, target)
        self._teams = {workload.key: workload.cluster_queue for workload in decision.running}
        mine = decision.preemptor.key if wish is None or wish.victim is None else wish.victim
        self._team = self._teams.get(mine, decision.queue.name)
        self._teams[decision.preemptor.key] = decision.queue.name
        self._own = {"clock", f"Workload/{mine}", f"ClusterQueue/{self._team}"}
        queues = situation.cluster.cluster_queues.values()
        config = decision.queue.preemption_config
        self._is_shared = sum(queue.preemption_config == config for queue in queues) > 1
        if self._team == decision.queue.name and not self._is_shared:
            self._own.add(f"PreemptionConfig/{config}")
        # Who is a target counts, and not who else was a candidate.
        self._searches = Searches(keep_all=False)
        self.tried = 0

    @property
    def spent(self) -> bool:
        """Whether the whole budget is spent."""
        return self.tried >= self._budget

    def flips_of(self, knob: Knob) -> Iterator[Counterfactual]:
        """The nearest change that counts of one field, in each direction that there is."""
        old, self._of_this = knob.read(self._situation), 0
        decided: dict[Value, Decision] = {}

        def flips(value: Value) -> bool:
            if value not in decided:
                decided[value] = self._decided(knob, value)
            if self._wish is None:
                return answer_of(decided[value], self._target) != self._answer
            return self._wish.is_granted(self._decision, decided[value])

        if isinstance(knob, Listed):
            nearest = by_distance(_listed(knob, self._decision), old)
            few = len(nearest) <= self._share
            exact = few and knob.exhaustive
            found = first_flipping(nearest, flips) if few else some_flipping(nearest, flips)
        else:
            assert isinstance(knob, Measured)
            where = knob.range(self._decision)
            careful = self._wish is not None and self._wish.without_harm
            exact, found = False, flips_along(knob.without_harm(where) if careful else where, flips)
        for value in found:
            yield self._flip(knob, old, value, decided[value], exact)

    def _decided(self, knob: Knob, value: Value) -> Decision:
        if self.spent or self._of_this >= self._share:
            raise _SpentError
        self.tried, self._of_this = self.tried + 1, self._of_this + 1
        altered = knob.write(self._situation, value)
        same_tree = _same_but_pending(altered.cluster, self._situation.cluster)
        # What two clusters, or two instants, list is not compared.
        is_alike = same_tree and altered.now == self._situation.now
        searches = self._searches if is_alike else Searches(keep_all=False)
        return altered.decided(self._decision.snapshot if same_tree else None, searches)

    def _is_harmless(self, knob: Knob, decision: Decision) -> bool:
        kind, _, name = knob.object.partition("/")
        whose = self._teams.get(name) if kind == "Workload" else name if kind == "ClusterQueue" else None
        if isinstance(knob, ConfigField):
            whose = "" if self._is_shared else decision.queue.name
        preempted = (target.workload for target in decision.targets if target.workload.key != self._target)
        return whose in (None, self._team) and all(one.cluster_queue == self._team for one in preempted)

    def _flip(self, knob: Knob, old: Value, new: Value, decision: Decision, exact: bool) -> Counterfactual:
        return Counterfactual(
            knob=knob,
            old=old,
            new=new,
            before=self._answer,
            after=answer_of(decision, self._target),
            outcome=decision.outcome,
            preempted=tuple(target.workload.key for target in decision.targets),
            size=knob.size(old, new),
            exact=exact,
            preemptor=decision.preemptor.key,
            target=self._target,
            own=knob.object in self._own,
            harmless=self._is_harmless(knob, decision),
        )


def _same_but_pending(one: Cluster, other: Cluster) -> bool:
    """Whether two clusters are the same but for who is pending, which no decision about another looks at."""
    names = (field.name for field in dataclasses.fields(Cluster) if field.name != "pending")
    return all(getattr(one, name) is getattr(other, name) for name in names)


def _listed(knob: Listed, decision: Decision) -> Iterable[Value]:
    """The values to try; of the clock only those to come."""
    if isinstance(knob, Clock):
        return (value for value in knob.values(decision) if value > decision.now)
    return knob.values(decision)


def _knobs(situation: Situation, decision: Decision, target: str | None) -> Iterator[tuple[int, Knob]]:
    """Every field that is searched, those of the nearest objects first."""
    snapshot = decision.snapshot
    path = snapshot.tree.nodes[snapshot.place].path
    yield CLOCK, Clock()
    yield ASKER, Priority(situation.preemptor.key, pending=True)
    yield from ((ASKER, knob) for knob in pod_set_knobs(situation))
    yield from ((OWN_QUEUE, knob) for knob in queue_knobs(situation))
    yield from ((OWN_QUEUE, knob) for knob in order_knobs(situation))
    yield from ((OWN_QUEUE, knob) for knob in config_knobs(situation))
    for place in path:
        near = OWN_QUEUE if place == snapshot.place else PATH
        yield from ((near, knob) for knob in _node_knobs(situation, decision, place))
    if target is not None:
        yield OTHERS, Priority(target, pending=False)
    for node in snapshot.tree.nodes:
        if node.place not in path:
            yield from ((OTHERS, knob) for knob in _node_knobs(situation, decision, node.place))
    for workload in decision.running if target is None else ():
        yield OTHERS, Priority(workload.key, pending=False)


def _node_knobs(situation: Situation, decision: Decision, place: int) -> Iterator[Knob]:
    yield from quota_knobs(situation, decision, place)
    yield from weight_knobs(situation, decision, place)
    yield from rule_knobs(decision, place)

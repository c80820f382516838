"""A change of one field that changes the answer, and whether Kueue decides by chance with it."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tenure.choices import Outcome
from tenure.explanation.counterfactuals.situation import WORTH, FlipAnswer, Knob, Listed, Situation, Value
from tenure.explanation.counterfactuals.workload_fields import Clock
from tenure.oracle.decide import Decision
from tenure.units import format_duration, format_instant, format_names

MOST_ORDERS = 6
"""Other orders that are tried of each kind of tie, each with a decision, for each change that is listed."""

TIES = {"DV-020": "sibling cohorts have equal shares", "DV-030": "workloads have equal uids"}
"""What ties, by its divergence."""

_Decided: TypeAlias = tuple[Outcome, frozenset[str]]


def may_tie(decision: Decision) -> bool:
    """Whether there is anything that could tie in a decision, or in one with a single other field.

    Args:
        decision: no field that a change changes makes siblings or equal uids.
    """
    return bool(_siblings(decision) or _twins(decision))


def tie_of(situation: Situation) -> str | None:
    """The divergence by which Kueue may decide otherwise in a situation; None where chance plays no part.

    Where many siblings or equal uids allow many orders, not all are tried, and a tie may go unnoticed.

    Args:
        situation: where.

    >>> from tenure.model import Cluster, ClusterQueue, Workload
    >>> from tenure.readings import preset
    >>> waiting = Workload("ns", "w", "u", priority=0, created_at=0)
    >>> tie_of(Situation(Cluster({"q": ClusterQueue("q")}), waiting, "q", 0, preset("guaranteed"))) is None
    True
    """
    decision = situation.decided()
    ours = _decided(decision)
    for divergence, others in (
        ("DV-020", _other_cohorts(situation, decision)),
        ("DV-030", _other_twins(situation, decision)),
    ):
        for other in itertools.islice(others, MOST_ORDERS):
            if _decided(other.decided()) != ours:
                return divergence
    return None


def _decided(decision: Decision) -> _Decided:
    return decision.outcome, frozenset(target.workload.key for target in decision.targets)


def _other_cohorts(situation: Situation, decision: Decision) -> Iterator[Situation]:
    """The situation with sibling cohorts named in other orders: their names decide nothing but ties."""
    for names in _renamings(_siblings(decision)):
        cluster = situation.cluster
        cohorts = {
            names.get(name, name): dataclasses.replace(
                cohort,
                name=names.get(name, name),
                parent=None if cohort.parent is None else names.get(cohort.parent, cohort.parent),
            )
            for name, cohort in cluster.cohorts.items()
        }
        queues = {
            name: queue
            if queue.cohort is None
            else dataclasses.replace(queue, cohort=names.get(queue.cohort, queue.cohort))
            for name, queue in cluster.cluster_queues.items()
        }
        yield situation.with_cluster(cohorts=cohorts, cluster_queues=queues)


def _other_twins(situation: Situation, decision: Decision) -> Iterator[Situation]:
    """The situation with uids that put workloads of equal uid into other orders."""
    for keys in _renamings(_twins(decision)):
        places = {key: place for place, key in enumerate(sorted(keys.values()))}
        admitted = tuple(
            dataclasses.replace(workload, uid=f"{workload.uid}.{places[keys[workload.key]]:06d}")
            if workload.key in keys
            else workload
            for workload in situation.cluster.admitted
        )
        yield situation.with_cluster(admitted=admitted)


def _siblings(decision: Decision) -> list[list[str]]:
    """The names of cohorts below the same one, where shares are compared."""
    if not decision.terms.fair_sharing:
        return []
    nodes = decision.snapshot.tree.nodes
    return [[nodes[place].name for place in node.cohorts] for node in nodes if len(node.cohorts) > 1]


def _twins(decision: Decision) -> list[list[str]]:
    """The names of running workloads that have the same uid."""
    by_uid: dict[str, list[str]] = {}
    for workload in decision.running:
        by_uid.setdefault(workload.uid, []).append(workload.key)
    return [keys for keys in by_uid.values() if len(keys) > 1]


def _renamings(groups: Sequence[Sequence[str]]) -> Iterator[Mapping[str, str]]:
    """Every way to exchange names inside groups; all reversed first, which breaks most ties otherwise."""
    if not groups:
        return
    # A product first lists all that it combines, and of a large group that is more than memory holds.
    few = (itertools.islice(itertools.permutations(group), MOST_ORDERS) for group in groups)
    orders = itertools.product(*few)
    for order in itertools.chain([[group[::-1] for group in groups]], orders):
        yield {
            old: new
            for group, names in zip(groups, order, strict=True)
            for old, new in zip(group, names, strict=True)
        }


MOST_NAMES = 3
"""How many of those who would be preempted a sentence names."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A change of one field of one object that changes the answer. It was verified by deciding again.

    Args:
        knob: the field.
        old, new: its value, and the one that changes the answer.
        before, after: the answer without and with the change.
        outcome: of the decision with the change.
        preempted: who is preempted with the change, `namespace/name`, in order.
        size: see `tenure.explanation.counterfactuals.nearest`; from 0 to 1.
        exact: whether every smaller change of this field was excluded. Otherwise it is the nearest found: one
            unit less does not change the answer, but a much smaller change might.
        preemptor, target: the workloads in question.
        own: whether the field is of the workload in question, or of its ClusterQueue; the clock is.
        harmless: whether no field of another ClusterQueue changes, and none of its workloads is preempted but
            `target`.
        tie: the divergence by which Kueue decides by chance with the change; None where it does not.
    """

    knob: Knob
    old: Value
    new: Value
    before: FlipAnswer
    after: FlipAnswer
    outcome: Outcome
    preempted: tuple[str, ...]
    size: float
    exact: bool
    preemptor: str
    target: str | None
    own: bool
    harmless: bool
    tie: str | None = None

    @property
    def object(self) -> str:
        """The object, as `ClusterQueue/team-a`."""
        return self.knob.object

    @property
    def field(self) -> str:
        """The field's path in the manifest."""
        return self.knob.field

    @property
    def old_text(self) -> str:
        """The old value as the manifest writes it."""
        return self.knob.show(self.old)

    @property
    def new_text(self) -> str:
        """The new value as the manifest writes it."""
        return self.knob.show(self.new)

    @property
    def boundary(self) -> Value:
        """The last value that changes nothing, where that is plainer: below 4, not 3999m; else None."""
        if self.new is None or (self.old is None and isinstance(self.knob, Listed)):
            return None
        # An unset limit is as good as a large one.
        nearer = self.new + (1 if self._falls else -1)
        return nearer if self.knob.is_plainer(nearer, self.new) else None

    @property
    def bound(self) -> str | None:
        """The change as a boundary, `below 4`; None where the new value is plainest."""
        if self.boundary is None:
            return None
        return f"{'below' if self._falls else 'above'} {self.knob.show(self.boundary)}"

    @property
    def is_usable(self) -> bool:
        """Whether a user might make it: it does not harm their own job, and is no edge of the old value."""
        edge = self.boundary is not None and self.boundary == self.old and not isinstance(self.knob, Clock)
        return not edge and WORTH[self.after] >= WORTH[self.before]

    @property
    def _falls(self) -> bool:
        return self.new is not None and (self.old is None or self.new < self.old)

    @property
    def sentence(self) -> str:
        """The change, the short name of its field first, and what would follow."""
        chance = f"; in Kueue by chance: {TIES[self.tie]} ({self.tie})" if self.tie else ""
        proposal = self.knob.proposal
        proposed = f"; no release of Kueue has this field ({proposal})" if proposal else ""
        return f"{self._condition()}: {self._consequence()}{chance}{proposed}"

    def _condition(self) -> str:
        if isinstance(self.knob, Clock):
            assert self.old is not None
            assert self.new is not None
            if self.boundary is None:
                return f"At {format_instant(self.new)} (wait {format_duration(self.new - self.old)})"
            wait = self.boundary - self.old
            least = f"more than {format_duration(wait)}" if wait else "1ns"
            return f"At any time after {format_instant(self.boundary)} (wait {least})"
        kind, _, name = self.knob.object.partition("/")
        where = ", ".join(filter(None, (self.knob.about, f"{kind} {name}")))
        instead = "" if self.boundary == self.old else f" instead of {self.old_text}"
        if self.old is None:
            instead = ", now not set"
        return f"{self.knob.short} {self.bound or self.new_text}{instead} ({where})"

    def _consequence(self) -> str:
        others = format_names(self.preempted, MOST_NAMES)
        match self.after:
            case FlipAnswer.PREEMPTED:
                return "would be preempted"
            case FlipAnswer.KEPT:
                return f"would be kept, and {self._instead(others)}"
            case FlipAnswer.PREEMPTS:
                return f"would preempt {others}"
            case FlipAnswer.FITS:
                return "would fit without preempting any workload"
            case FlipAnswer.WAITS:
                return f"would have to wait ({self.outcome})"

    def _instead(self, others: str) -> str:
        match self.outcome:
            case Outcome.FIT:
                return f"{self.preemptor} would fit without it"
            case Outcome.PREEMPT:
                return f"{self.preemptor} would preempt {others}"
            case Outcome.NO_CANDIDATES | Outcome.NO_FIT:
                return f"{self.preemptor} would have to wait ({self.outcome})"


def apply(change: Counterfactual, situation: Situation) -> Situation:
    """The situation with a change's change, and nothing else changed.

    Args:
        change: found for this situation, or for another one that has the same object and field.
        situation: where to change the field.
    """
    return change.knob.write(situation, change.new)

"""A cluster as it is, played on: one cycle after another until nothing changes, or a bound."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tenure.choices import Outcome
from tenure.explanation.cooldowns import cooldown_text
from tenure.explanation.quota_alone import topology_of
from tenure.explanation.shapes import PreemptedWorkload, assigned_pods
from tenure.explanation.summary import outcome_text, summarize
from tenure.model import Instant, TurnResult
from tenure.readings import Reading
from tenure.units import join_names
from tenure_play.actors import Phase
from tenure_play.cycle import Handled
from tenure_play.engine import Player
from tenure_play.forecast.answer_types import ComingCycle, ComingHead, LookEnd
from tenure_play.forecast.skipped_heads import gate_note, why_skipped
from tenure_play.record import Result
from tenure_play.recorder import KueueJournal
from tenure_play.scenario import Scenario

MOST_CYCLES = 100
"""So many cycles are listed by default."""
MOST_PAIRS = 200_000
"""Without a number of cycles none begins once so many pairs of a head and a workload that holds
quota have been decided about: two cycles of twenty heads beside some thousands."""
FEW = 3
"""So many names are listed of many."""


@dataclass(slots=True)
class Course:
    """A play of a cluster as it is, in the making and when it has ended.

    Args:
        scenario: the cluster; nothing happens in it from outside.
        reading: see `tenure.readings`.
        cycles: the bound on cycles; None for one by the size of the cluster.
        asked: by `namespace/name` the workload whose admission ends it; None for none.
        most: the bound on cycles of a small cluster, where none is given.
        most_pairs: the bound on pairs of a head and a workload that holds quota, where `cycles` is None.

    >>> from tenure.model import Cluster
    >>> from tenure.readings import preset
    >>> course = Course(Scenario("idle", "", 0, 9, Cluster({})), preset("guaranteed"), None, None)
    >>> course.run().value
    'quiet'
    """

    scenario: Scenario
    reading: Reading
    cycles: int | None
    asked: str | None
    most: int = MOST_CYCLES
    most_pairs: int = MOST_PAIRS
    coming: list[ComingCycle] = field(default_factory=list)
    last: dict[str, Handled] = field(default_factory=dict)
    """By workload: what became of it when it was a head the last time."""
    pairs: int = 0
    player: Player = field(init=False)

    def __post_init__(self) -> None:
        self.player = Player(self.scenario, self.reading)

    @property
    def journal(self) -> KueueJournal:
        """What has happened."""
        return self.player.journal

    def run(self) -> LookEnd:
        """Play on from the start.

        Returns:
            why it has ended.

        Raises:
            InputError: a class that the reading refuses, or more than a play may take.
        """
        self.player.begin()
        self.player.go_on_until(self.scenario.end, self._is_enough)
        return self._ended()

    def rest(self, since: Instant) -> LookEnd:
        """Play on, after `player.begin()`, until nothing happens by itself any more.

        Args:
            since: an instant that is passed in any case, ns since the epoch.

        Returns:
            why it has ended; `UNTIL` where time alone, or what follows the end of the play, would go on.

        Raises:
            InputError: as `run`.
        """
        self.player.go_on_until(self.scenario.end, lambda: self._is_enough() or self.rests_after(since))
        return self._ended()

    def rests_after(self, instant: Instant) -> bool:
        """Whether nothing happens by itself any more, nor by the passing of time until an instant."""
        later = self.later
        return self.player.is_at_rest and (later is None or later > instant)

    def _ended(self) -> LookEnd:
        if self.is_admitted:
            return LookEnd.ADMITTED
        if self.player.next_at() is None:
            return LookEnd.QUIET
        if self._repeats:
            return LookEnd.REPEATS
        return LookEnd.CYCLES if self._is_cut else LookEnd.UNTIL

    @property
    def is_admitted(self) -> bool:
        """Whether the workload in question holds quota."""
        actor = self.player.world.actors.get(self.asked or "")
        return actor is not None and actor.phase == Phase.RUNNING

    @property
    def later(self) -> Instant | None:
        """When something would happen next."""
        return self.player.next_at()

    def _is_enough(self) -> bool:
        self._take()
        return self.is_admitted or self._repeats or self._is_cut

    @property
    def _repeats(self) -> bool:
        return self.player.loops.is_found

    @property
    def _is_cut(self) -> bool:
        done = len(self.coming)
        if self.cycles is not None:
            return done >= self.cycles
        return done >= self.most or self.pairs >= self.most_pairs

    def _take(self) -> None:
        """The last cycle, if it is new."""
        if len(self.journal.cycles) == len(self.coming):
            return
        cycle = self.journal.cycles[-1]
        handled = self.player.handled
        self.last.update((head.entry.actor.key, head) for head in handled)
        heads = tuple(self._head(head, cycle.number) for head in handled)
        self.coming.append(ComingCycle(cycle.number, cycle.at, any(map(changes_anything, heads)), heads))
        if any(head.entry.outcome in (Outcome.PREEMPT, Outcome.NO_CANDIDATES) for head in handled):
            self.pairs += len(handled) * sum(1 for _ in self.player.world.holders())

    def _head(self, handled: Handled, number: int) -> ComingHead:
        entry = handled.entry
        preempts = tuple(
            PreemptedWorkload(
                preemption.victim, preemption.cluster_queue, preemption.reason, preemption.rules
            )
            for preemption in self.journal.preemptions
            if preemption.cycle == number and preemption.preemptor == entry.actor.key
        )
        fresh = {evicted.workload for evicted in preempts}
        targets = (target.workload.key for target in entry.decision.targets)
        preempting = handled.result == TurnResult.PREEMPTING
        admitted = handled.result == TurnResult.ADMITTED
        return ComingHead(
            workload=entry.actor.key,
            cluster_queue=entry.actor.queue,
            decision=str(entry.outcome),
            topology=topology_of(entry.decision.not_modelled),
            result=Result[handled.result.name],
            assignment=assigned_pods(entry.decision.assignment) if admitted else (),
            preempts=preempts,
            awaits=tuple(key for key in targets if key not in fresh) if preempting else (),
            why=why_not_admitted(handled),
            note=gate_note(handled),
        )


def heads_of(cycles: Iterable[ComingCycle]) -> Iterator[tuple[ComingCycle, ComingHead]]:
    """The heads of some cycles in order, each with its cycle."""
    return ((cycle, head) for cycle in cycles for head in cycle.heads)


def admissions(
    cycles: Iterable[ComingCycle], cluster_queues: Container[str]
) -> Iterator[tuple[ComingCycle, ComingHead]]:
    """The heads that are admitted in some cycles in order, each with its cycle.

    Args:
        cycles: the cycles.
        cluster_queues: the ClusterQueues in question.
    """
    for cycle, head in heads_of(cycles):
        if head.result == Result.ADMITTED and head.cluster_queue in cluster_queues:
            yield cycle, head


def why_not_admitted(handled: Handled) -> str:
    """Why a head is not admitted in its cycle, in words; empty where it is."""
    if handled.result in (TurnResult.ADMITTED, TurnResult.PREEMPTING):
        return ""
    if text := why_skipped(handled):
        return text
    decision = handled.entry.decision
    if text := cooldown_text(decision):
        return text
    outcome, *rest = summarize(decision)
    parts = rest if rest and decision.outcome != Outcome.FIT else [outcome_text(outcome, decision)]
    return "; ".join(parts)


def changes_anything(head: ComingHead) -> bool:
    """Whether a head is admitted or preempts a workload that was not preempted before."""
    return head.result == Result.ADMITTED or bool(head.preempts)


def some_names(names: Sequence[str], word: str = "and") -> str:
    """A few names, and how many more there are.

    >>> some_names(["a", "b"]), some_names(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    return join_names(names, FEW + 1, FEW, word)

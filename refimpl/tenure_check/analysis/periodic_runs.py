"""Loops in a closed system: nothing arrives, nothing ends by itself, and a state comes back.

A *start* is some workloads that run, in the order in which they were admitted one minute after another, and
some that join at one instant and of which none fits beside them. Every start is played by `tenure_play`
until nothing happens any more, or until `tenure_play.loops` sees a state again. How long each victim's
pods take is varied for the workloads that were preempted, since it matters for no other. So a loop
that is found is one of `tenure simulate`, and a search that finds none has proved nothing beyond its bounds.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, permutations
from typing import Any, Final

from tenure.choices import Engine, Outcome
from tenure.engines import Batch
from tenure.errors import InputError
from tenure.model import SECOND, Duration, Instant, Reason, Workload
from tenure.readings import Reading
from tenure.rules.terms import terms_of
from tenure.rules.time_based import duration_in_force
from tenure.units import format_duration
from tenure_check.analysis.closed_systems import CohortTree, WorkloadKind, submitted
from tenure_play.actors import admitted
from tenure_play.engine import Player
from tenure_play.event_loop import TaskKind
from tenure_play.record import Loop
from tenure_play.scenario import Scenario, Submission, Submit

MINUTE: Final = 60 * SECOND
EVICTIONS: Final = (5 * SECOND, 5 * SECOND + SECOND // 2)
"""How long pods take to end: half a second apart decides whether two victims are released in one cycle."""
_SETTLES: Final = 10 * MINUTE
_MOST_CYCLES: Final = 5000
_TIME_BASED: Final = Reason.IN_CLUSTER_QUEUE_TIME_BASED.label


@dataclass(frozen=True, slots=True)
class SearchBounds:
    """How far is searched.

    Args:
        up_to: workloads of a system.
        evictions: how long the pods of a victim take to end, each of these, ns.
        deadline: `time.monotonic()` when the search ends; None for never.
    """

    up_to: int = 3
    evictions: tuple[Duration, ...] = EVICTIONS
    deadline: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the time has run out."""
        return self.deadline is not None and time.monotonic() >= self.deadline


@dataclass(frozen=True, slots=True)
class ClosedStart:
    """Where a play of a closed system begins, and how long its victims take.

    Args:
        kinds: of its workloads, in the order of their age: those that run, then those that join.
        holding: those that run, as they hold their quota.
        evictions: by place in `kinds`, ns; the first of the bounds for all others.
    """

    kinds: tuple[WorkloadKind, ...]
    holding: tuple[Workload, ...]
    evictions: Mapping[int, Duration] = field(default_factory=dict)

    @property
    def running(self) -> int:
        """How many of them run."""
        return len(self.holding)


@dataclass(frozen=True, slots=True)
class FoundLoop:
    """A loop, as the play saw it."""

    start: ClosedStart
    loop: Loop


@dataclass(slots=True)
class SearchTally:
    """What a search has done.

    Args:
        systems: sets of workloads that were begun with, each once whatever its order.
        plays: of them, in every order and with every time of eviction that matters.
        open: plays that neither came to rest nor to a loop within the time that a play has.
        rotations: plays with a loop of which every turn waits for minAdmitDuration, which is what that
            duration is for.
        complete_up_to: every system of so many workloads has been played.
        stopped: whether its time ran out before its bound.
    """

    systems: set[tuple[int, ...]] = field(default_factory=set)
    plays: int = 0
    open: int = 0
    rotations: int = 0
    complete_up_to: int = 1
    stopped: bool = False


class LoopSearch:
    """A search in one tree of ClusterQueues.

    Args:
        tree: see there.
        kinds: of workloads, which make up the systems.
        bounds, reading: see there.
    """

    def __init__(
        self, tree: CohortTree, kinds: Sequence[WorkloadKind], bounds: SearchBounds, reading: Reading
    ) -> None:
        self.tally = SearchTally()
        self._tree, self._kinds, self._bounds, self._reading = tree, kinds, bounds, reading
        self._states: dict[tuple[int, ...], tuple[Workload, ...]] = {(): ()}
        self._outcomes: dict[tuple[int, ...], Outcome] = {}
        self._batches: dict[int, tuple[tuple[int, ...], Batch]] = {}
        settings = tree.cluster.settings
        terms = [terms_of(queue, settings, reading) for queue in tree.queues]
        durations = [duration for duration in map(duration_in_force, terms) if duration is not None]
        self._heeds_time = bool(durations) or bool(tree.cluster.growing)
        self._horizon = _SETTLES + 2 * (bounds.up_to + 1) * max(durations, default=0)

    def steps(self) -> Iterator[FoundLoop | None]:
        """The search, a play at a time: None for each without a loop; the first loop, of as few workloads as
        there is one, ends it.
        """
        for size in range(2, self._bounds.up_to + 1):
            for start in self._starts(size):
                for found in self._played_all(start):
                    yield found
                    if found is not None:
                        return
            if self._is_over():
                return
            self.tally.complete_up_to = size

    def _is_over(self) -> bool:
        self.tally.stopped = self.tally.stopped or self._bounds.is_over
        return self.tally.stopped

    def _starts(self, size: int) -> Iterator[ClosedStart]:
        for running in range(1, size):
            for holding in self._holding((), running):
                yield from self._joined(holding, size - running)

    def _holding(self, before: tuple[int, ...], more: int) -> Iterator[tuple[int, ...]]:
        """Every sequence of kinds of which each fits beside those before it."""
        if not more:
            yield before
            return
        for number in range(len(self._kinds)):
            if self._is_over():
                return
            after = (*before, number)
            if self._first_used_in_order(after) and self._outcome(after) == Outcome.FIT:
                yield from self._holding(after, more - 1)

    def _joined(self, holding: tuple[int, ...], joining: int) -> Iterator[ClosedStart]:
        """Every order of workloads that join, of which none fits and one at least preempts."""
        outcomes = {number: self._outcome((*holding, number)) for number in range(len(self._kinds))}
        waiting = [number for number, outcome in outcomes.items() if outcome != Outcome.FIT]
        for some in combinations_with_replacement(waiting, joining):
            if not self._heeds_time and all(outcomes[number] != Outcome.PREEMPT for number in some):
                continue
            for order in sorted(set(permutations(some))):
                every = (*holding, *order)
                if self._is_over():
                    return
                if self._first_used_in_order(every):
                    self.tally.systems.add(tuple(sorted(every)))
                    yield ClosedStart(tuple(self._kinds[number] for number in every), self._states[holding])

    def _first_used_in_order(self, numbers: Sequence[int]) -> bool:
        """Of ClusterQueues that are alike the first has a workload before the second: each system once."""
        used: dict[int, int] = {}
        for number in numbers:
            kind = self._kinds[number]
            if kind.number > used.get(kind.alike, 0):
                return False
            used[kind.alike] = max(used.get(kind.alike, 0), kind.number + 1)
        return True

    def _outcome(self, numbers: tuple[int, ...]) -> Outcome:
        """The decision for the last one where the others run; if it fits, how all run is kept."""
        known = self._outcomes.get(numbers)
        if known is not None:
            return known
        before, place, kind = numbers[:-1], len(numbers) - 1, self._kinds[numbers[-1]]
        clock = self._tree.scenario.start + place * MINUTE
        workload = dataclasses.replace(_workload(kind, place).workload, created_at=clock)
        decision = self._batch(before, clock).decide(workload, kind.queue)
        if decision.outcome == Outcome.FIT:
            after = admitted(workload, kind.queue, decision.assignment, clock)
            self._states[numbers] = (*self._states[before], after)
        self._outcomes[numbers] = decision.outcome
        return decision.outcome

    def _batch(self, running: tuple[int, ...], clock: Instant) -> Batch:
        """Who decides where these run; of each number of workloads the last one is kept."""
        known = self._batches.get(len(running))
        if known is not None and known[0] == running:
            return known[1]
        cluster = dataclasses.replace(self._tree.cluster, admitted=self._states[running])
        batch = Batch(Engine.REFERENCE, cluster, clock, self._reading)
        self._batches[len(running)] = running, batch
        return batch

    def _played_all(self, start: ClosedStart) -> Iterator[FoundLoop | None]:
        """A start with every combination of the times of its victims."""
        left = [start]
        while left:
            timed = left.pop()
            player = self._played(timed)
            found = player.loops.loop(player.journal.runs, player.journal.preemptions)
            self.tally.plays += 1
            rotates = found is not None and is_rotation(player, found)
            self.tally.rotations += rotates
            yield None if found is None or rotates else FoundLoop(timed, found)
            left.extend(self._other_times(timed, player))

    def _other_times(self, timed: ClosedStart, player: Player) -> Iterator[ClosedStart]:
        """The same with another time for one victim more; those before it keep theirs: each once."""
        fixed = dict(timed.evictions)
        first, *others = self._bounds.evictions
        for key in dict.fromkeys(preemption.victim for preemption in player.journal.preemptions):
            place = int(key.rpartition("/")[2].partition("-")[0].removeprefix("w")) - 1
            if place in fixed:
                continue
            yield from (dataclasses.replace(timed, evictions={**fixed, place: other}) for other in others)
            fixed[place] = first

    def _played(self, timed: ClosedStart) -> Player:
        """Until nothing happens any more, a state comes back, or the time of a play is over."""
        base = self._tree.scenario
        joins = base.start + timed.running * MINUTE
        times = {
            place: timed.evictions.get(place, self._bounds.evictions[0]) for place in range(len(timed.kinds))
        }
        present = tuple(
            dataclasses.replace(
                _workload(timed.kinds[place], place), workload=workload, eviction=times[place]
            )
            for place, workload in enumerate(timed.holding)
        )
        scenario = dataclasses.replace(
            base, start=joins, end=joins + self._horizon, present=present, max_cycles=_MOST_CYCLES
        )
        player = Player(scenario, self._reading)
        player.begin()
        for place in range(timed.running, len(timed.kinds)):
            found = _workload(timed.kinds[place], place)
            workload = dataclasses.replace(found.workload, created_at=joins)
            event = Submit(joins, dataclasses.replace(found, workload=workload, eviction=times[place]))
            player.agenda.plan(joins, TaskKind.EVENT, event=event)
        if not comes_to_an_end(player, scenario):
            self.tally.open += 1
        return player


def comes_to_an_end(player: Player, scenario: Scenario) -> bool:
    """Play until nothing happens any more or a state comes back.

    Args:
        player: that has begun.
        scenario: what it plays.

    Returns:
        False where neither happens before the scenario's end.
    """
    try:
        while not player.loops.found:
            at = player.next_at()
            if at is None:
                return True
            if at > scenario.end:
                return False
            player.go_on_until(at)
    except InputError:
        # More cycles than a play has.
        return player.loops.found
    return True


def first_loop_of(scenario: Scenario, reading: Reading) -> Loop | None:
    """The first loop of a scenario, played no further than to that; None where none comes before its end."""
    player = Player(scenario, reading)
    player.begin()
    for event in scenario.events:
        player.agenda.plan(event.at, TaskKind.EVENT, event=event)
    comes_to_an_end(player, scenario)
    found = player.loops.loop(player.journal.runs, player.journal.preemptions)
    return None if found is None or is_rotation(player, found) else found


def is_rotation(player: Player, loop: Loop) -> bool:
    """Whether a turn waits for minAdmitDuration: an equal preempts another once that has passed."""
    turn = (preemption for preemption in player.journal.preemptions if preemption.at > loop.start)
    return any(preemption.reason == _TIME_BASED for preemption in turn)


def scenario_of(tree: CohortTree, found: FoundLoop, bounds: SearchBounds, name: str) -> dict[str, Any]:
    """A loop as a scenario file has it, with the expectation that it loops."""
    first = bounds.evictions[0]
    entries: list[dict[str, Any]] = []
    for place, kind in enumerate(found.start.kinds):
        named = name_in_play(kind, place)
        entry = tree.entry(named, kind.queue, kind.resource, kind.amount, kind.priority, kind.variant)
        if (taken := found.start.evictions.get(place, first)) != first:
            entry["eviction"] = format_duration(taken)
        entries.append({"at": f"{min(place, found.start.running)}m", "submit": entry})
    lasts = found.start.running * MINUTE + max(_SETTLES, 3 * found.loop.period + found.loop.start % MINUTE)
    until = lasts + (found.loop.start - tree.scenario.start)
    return {
        "scenario": name,
        "title": f"{len(entries)} workloads of {tree.name} never come to rest.",
        "source": "tenure analyze loops",
        "until": format_duration(until + (-until) % MINUTE),
        "timing": {"eviction": format_duration(first)},
        "objects": [dict(manifest) for manifest in tree.objects],
        "defaults": {"progress": "lost"},
        "events": entries,
        "expect": [{"loop": {}}],
    }


def _workload(kind: WorkloadKind, place: int) -> Submission:
    return submitted(kind, name_in_play(kind, place))


def name_in_play(kind: WorkloadKind, place: int) -> str:
    """Names in the order of age, because equal times are ordered by uid."""
    return f"w{place + 1}-{kind.queue}"[:63].rstrip("-.")

"""What the coming cycles make of workloads that were decided about alone: for `why-not` and `why`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from tenure.api import Decision, Loaded
from tenure.choices import Outcome
from tenure.errors import InputError
from tenure.explanation.answer_types import ComingPreemption, ComingTry
from tenure.explanation.answers import Locate
from tenure.explanation.quota_alone import quota_alone
from tenure.joint import names
from tenure.model import Instant, ReclaimWithinCohort, TurnResult, Workload
from tenure.oracle.tree import build_tree
from tenure.readings import Reading
from tenure.units import counted, format_instant
from tenure.versions import KUEUE
from tenure_play.engine import Player
from tenure_play.forecast.answer import Horizon, look_ahead
from tenure_play.forecast.answer_types import AskedWorkload, ComingCycle, ComingHead, ComingTurn, NextAnswer
from tenure_play.forecast.run import Course, admissions, heads_of, some_names
from tenure_play.forecast.skipped_heads import RECOMPUTES
from tenure_play.forecast.text import course_items
from tenure_play.forecast.unknown_trees import without_unknown_trees
from tenure_play.from_cluster import scenario_from
from tenure_play.record import Result
from tenure_play.scenario import PREEMPTORS_FIRST, QueueGates, Scenario, Timing

_COULD_GO: Final = (Outcome.FIT, Outcome.PREEMPT)
_GOES: Final = (Result.ADMITTED, Result.PREEMPTING)
_GOES_IN_PLAY: Final = (TurnResult.ADMITTED, TurnResult.PREEMPTING)


@dataclass(frozen=True)
class Outlook:
    """A cluster whose coming cycles are looked at; those of the whole cluster once.

    Args:
        loaded: the cluster.
        manifests: by `namespace/name` those of workloads that hold quota.
        now: the clock, ns since the epoch.
        reading: see `tenure.readings`.
        gates: of the queues and cycles.
    """

    loaded: Loaded
    manifests: Mapping[str, Mapping[str, Any]]
    now: Instant
    reading: Reading
    gates: QueueGates

    def player(self) -> Player:
        """The play of the coming cycles, at its start.

        Raises:
            InputError: as `next`.
        """
        player = Player(self._scenario(without_unknown_trees(self.loaded, None), self.gates), self.reading)
        player.begin()
        return player

    def afterwards(self) -> tuple[Instant, Loaded]:
        """The last instant of what comes next, ns since the epoch, and the cluster then.

        Raises:
            InputError: as `next`.
        """
        player, last = self.player(), self.now
        for at, _ in course_items(self.next()):
            last = at or last
        player.go_on_until(last)
        return last, self.cluster_of(player)

    def cluster_of(self, player: Player) -> Loaded:
        """The cluster with the workloads of a play; those that take no part are as they were."""
        world, cluster = player.world, self.loaded.cluster
        played = [world.actors[key] for key in sorted(world.actors)]
        admitted, pending = (
            (
                *(workload for workload in given if workload.key not in world.actors),
                *(actor.workload for actor in played if actor.holds == holds),
            )
            for given, holds in ((cluster.admitted, True), (cluster.pending, False))
        )
        return replace(self.loaded, cluster=replace(cluster, admitted=admitted, pending=pending))

    def _scenario(self, loaded: Loaded, gates: QueueGates) -> Scenario:
        horizon = Horizon()
        timing = Timing(eviction=horizon.eviction)
        return scenario_from(loaded, self.manifests, self.now, self.now + horizon.until, timing, gates)

    def next(self, workload: str | None = None) -> NextAnswer:
        """What comes next for a workload, or for the whole cluster.

        Raises:
            InputError: as `look_ahead`, and as `without_unknown_trees`.
        """
        return self._whole if workload is None else self._next(workload)

    @cached_property
    def _whole(self) -> NextAnswer:
        return self._next(None)

    def _next(self, workload: str | None) -> NextAnswer:
        loaded = without_unknown_trees(self.loaded, workload)
        return look_ahead(loaded, self.manifests, self.now, self.reading, Horizon(gates=self.gates), workload)

    def summary(self, workload: str) -> str:
        """What comes next for a workload, in words."""
        try:
            return self.next(workload).summary
        except InputError as error:
            return "; ".join(map(str, error.problems))

    def of_decision(self, decision: Decision, locate: Locate) -> ComingTry | None:
        """Why a workload that could go alone does not go in the coming cycle, or why that is in vain.

        None for any other.

        Args:
            decision: about the workload alone.
            locate: finds the fields that would change it.
        """
        key = decision.preemptor.key
        if decision.outcome not in _COULD_GO or decision.held:
            return None
        does = "fit" if decision.outcome == Outcome.FIT else _preempts(len(decision.targets))
        alone = f"{does} alone{quota_alone(decision.not_modelled)}"
        try:
            answer = self.next(key)
        except InputError as error:
            problem = "; ".join(map(str, error.problems))
            return ComingTry(
                None,
                None,
                "",
                f"{key} would {alone}; what the coming cycles do is not known: {problem}",
            )
        asked = answer.asked
        assert asked is not None
        first = asked.turns[0] if asked.turns else None
        if first is not None and first.cycle == 1 and first.result in _GOES:
            return self._in_vain(decision, answer, first)
        why = _waits(asked, first)
        # The cause that the first line has already.
        stays = asked.waits is not None and why.endswith(f": {asked.waits.why}")
        return ComingTry(
            cycle=None if first is None else first.cycle,
            result=None if first is None else first.result.value,
            later="the same, as far as is known" if stays else answer.summary,
            summary=f"{key} would {alone}, and {_with_note(why, first)}",
            remedies=() if first is None else tuple(self._remedies(key, first, locate)),
        )

    def _in_vain(self, decision: Decision, answer: NextAnswer, turn: ComingTurn) -> ComingTry | None:
        """That a workload preempts in the coming cycle, and does not get the quota; None where it does."""
        key = decision.preemptor.key
        found = next((each for each in answer.in_vain if each.preemptor == key), None)
        if found is None:
            return None
        by = quota_alone(decision.not_modelled)
        gets = (
            f": {names(found.instead)} {'does' if len(found.instead) == 1 else 'do'}" if found.instead else ""
        )
        victims = f"{key} preempts {names(found.victims)}{by}"
        return ComingTry(
            cycle=turn.cycle,
            result=turn.result.value,
            later=answer.summary,
            summary=f"{victims}, and does not get the quota{gets}",
            remedies=tuple(self._first_as_preemptor(key)),
        )

    def _first_as_preemptor(self, key: str) -> Iterator[str]:
        """The gate by which waiting preemptors go first, where the workload is admitted with it."""
        if self.gates.preemptors_first:
            return
        outlook = replace(self, gates=replace(self.gates, preemptors_first=True))
        asked = outlook.next(key).asked
        if asked is not None and asked.waits is None:
            yield f"feature gate {PREEMPTORS_FIRST} on: {key} would be admitted"

    def _remedies(self, key: str, turn: ComingTurn, locate: Locate) -> Iterator[str]:
        """Changes of one field by which a skipped workload goes in the same cycle, each tried."""
        if turn.result != Result.SKIPPED:
            return
        course = self._played(self.loaded, self.gates, turn.cycle, key)
        handled = course.last[key]
        queues = {charge.entry.actor.queue for charge, _, _ in handled.hindering() if charge.reserved}
        for name in sorted(queues):
            cluster = self.loaded.cluster
            queue = cluster.cluster_queues[name]
            was = queue.reclaim_within_cohort.label
            changed = {
                **cluster.cluster_queues,
                name: replace(queue, reclaim_within_cohort=ReclaimWithinCohort.ANY),
            }
            loaded = replace(self.loaded, cluster=replace(cluster, cluster_queues=changed))
            file, line = locate(f"ClusterQueue/{name}", "spec.preemption.reclaimWithinCohort")
            place = f", {file}:{line}" if line else ""
            change = f"reclaimWithinCohort Any instead of {was} (ClusterQueue {name}{place})"
            yield from self._tried(change, loaded, self.gates, turn.cycle, key)
        if handled.overlaps and not handled.decided_again:
            gates = replace(self.gates, recompute=True)
            change = f"feature gate {RECOMPUTES} on (alpha in Kueue {KUEUE})"
            yield from self._tried(change, self.loaded, gates, turn.cycle, key)

    def _tried(self, change: str, loaded: Loaded, gates: QueueGates, cycles: int, key: str) -> Iterator[str]:
        handled = self._played(loaded, gates, cycles, key).last.get(key)
        if handled is not None and handled.result in _GOES_IN_PLAY:
            admitted = handled.result == TurnResult.ADMITTED
            does = "be admitted" if admitted else _preempts(len(handled.entry.decision.targets))
            yield f"{change}: {key} would {does} in this cycle"

    def _played(self, loaded: Loaded, gates: QueueGates, cycles: int, key: str) -> Course:
        course = Course(self._scenario(loaded, gates), self.reading, cycles, key)
        course.run()
        return course

    def of_victim(self, victim: Workload) -> ComingPreemption | None:
        """The first coming cycle in which a running workload is preempted; None where none is known.

        Args:
            victim: the workload.
        """
        try:
            answer = self.next()
        except InputError:
            return None
        for cycle, head in heads_of(answer.cycles):
            if any(evicted.workload == victim.key for evicted in head.preempts):
                return _preemption(head, cycle, answer.cycles, self._tree(victim))
        return None

    def _tree(self, victim: Workload) -> set[str]:
        """The ClusterQueues of the tree of a running workload."""
        cluster = self.loaded.cluster
        return {*build_tree(cluster, cluster.cluster_queues[victim.cluster_queue or ""]).places}


def _waits(asked: AskedWorkload, first: ComingTurn | None) -> str:
    """What keeps a workload from going in the coming cycle."""
    if first is not None and first.result not in _GOES and not (first.cycle > 1 and asked.ahead):
        return f"is {first.result.value} in cycle {first.cycle}: {first.why}"
    if asked.ahead:
        head, count = asked.ahead[0].workload, len(asked.ahead)
        kind = "StrictFIFO ClusterQueue" if asked.strict else "ClusterQueue"
        goes = "goes" if count == 1 else f"and {count - 1} more go"
        return f"waits for its turn: {head} {goes} first in {kind} {asked.cluster_queue}"
    if first is not None:
        return f"has its first turn in cycle {first.cycle}, at {format_instant(first.at)}"
    return f"has no turn: {asked.waits.why if asked.waits is not None else 'it is not tried'}"


def _with_note(why: str, first: ComingTurn | None) -> str:
    """What keeps a workload, and by which gate it was decided again if that is why."""
    decided_again = first is not None and first.note and first.why and first.why in why
    return f"{why}; {first.note}" if first is not None and decided_again else why


def _preempts(count: int) -> str:
    return f"preempt {counted(count, 'running workload')}"


def _preemption(
    head: ComingHead, cycle: ComingCycle, cycles: Sequence[ComingCycle], tree: set[str]
) -> ComingPreemption:
    """A preemption in a coming cycle, after the workloads of the tree that are admitted before it."""
    before = (*cycles[: cycles.index(cycle)], replace(cycle, heads=cycle.heads[: cycle.heads.index(head)]))
    after = tuple(dict.fromkeys(found.workload for _, found in admissions(before, tree)))
    are = "is" if len(after) == 1 else "are"
    once = f", after {some_names(after)} {are} admitted" if after else ""
    at = format_instant(cycle.at)
    text = f"in cycle {cycle.number}, at {at}, {head.workload} does{once}: tenure next"
    return ComingPreemption(head.workload, cycle.number, at, after, text)

"""The joint effect of the coming cycles on all pending workloads: `tenure next`, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tenure.api import Loaded, pending_names, undecided, waiting_for
from tenure.errors import InputError, Problem
from tenure.joint import (
    JointEffect,
    JointPreemption,
    JointStart,
    joint_summary,
)
from tenure.manifests import Place
from tenure.manifests.feature_gates import over_time_problems
from tenure.manifests.showing import in_short
from tenure.model import SECOND, Instant
from tenure.oracle.tree import build_tree
from tenure.readings import Reading
from tenure.units import END_OF_TIME, format_instant
from tenure_play.forecast.answer import Horizon, ended_text, not_decided, topologies
from tenure_play.forecast.answer_types import LookEnd
from tenure_play.forecast.run import MOST_PAIRS, Course, heads_of
from tenure_play.forecast.unknown_trees import unknown_queues, without_queues
from tenure_play.forecast.vain_preemptions import preemptions_in_vain
from tenure_play.from_cluster import Manifests, manifests_of, scenario_from
from tenure_play.record import Result
from tenure_play.scenario import QueueGates, Timing, gates_of, with_gates


@dataclass(slots=True)
class ComingCycles:
    """The coming cycles of a cluster, in the making and when they have ended.

    Args:
        pending: the workloads that are pending now, by name.
        not_decided: by name those of them whose fate is not known, and why in short.
        course: the cycles; None where they cannot be played.
        ended: why they end where they do.
    """

    pending: tuple[str, ...]
    not_decided: dict[str, str]
    course: Course | None = None
    ended: LookEnd = LookEnd.QUIET

    def go_on(self, since: Instant) -> None:
        """Play on until nothing happens by itself any more, an instant included in any case."""
        if self.course is not None:
            try:
                self.ended = self.course.rest(since)
            except InputError as error:
                self.fail(error)

    def fail(self, error: InputError) -> None:
        """It is not known what happens."""
        self.course, self.not_decided = None, dict.fromkeys(self.pending, in_short(error.problems))

    def is_done(self, instant: Instant) -> bool:
        """Whether nothing more happens until an instant, as far as is played."""
        if self.course is None or self.ended != LookEnd.UNTIL:
            return True
        return self.course.later is None or self.course.later > instant

    @property
    def until(self) -> Instant | None:
        """Until when it is known what happens, ns since the epoch; None for ever."""
        if self.course is None or self.ended not in (LookEnd.CYCLES, LookEnd.UNTIL):
            return None
        later = self.course.later
        return self.course.player.world.now if self.ended == LookEnd.CYCLES or later is None else later - 1

    @property
    def ended_text(self) -> str:
        """Why they end where they do, in words."""
        if self.course is None:
            return ""
        if self.ended == LookEnd.UNTIL and self.course.later is not None:
            # What runs out with a second has run out a nanosecond later.
            later = self.course.later - (self.course.later % SECOND == 1)
            return f"then nothing changes before {format_instant(later)}"
        return ended_text(self.course, self.ended, Horizon())


def joint_effect(
    loaded: Loaded, now: Instant, reading: Reading, cluster_queue: str | None = None
) -> JointEffect:
    """What the coming cycles do to all pending workloads together.

    Args:
        loaded: the cluster with its objects, under the settings of the command line.
        now: the clock, ns since the epoch.
        reading: see `tenure.readings`.
        cluster_queue: what becomes of the workloads of this ClusterQueue; None for all. All take part.

    >>> from tenure.api import load
    >>> from tenure.readings import preset
    >>> from tenure.resources import bundled
    >>> two_teams, at = load(bundled("examples", "two-teams")), 1772460000 * 10**9
    >>> len(joint_effect(two_teams, at, preset("guaranteed")).waiting)
    3
    """
    (found,) = joint_effects([loaded], now, reading, cluster_queue)
    return found


def joint_effects(
    sides: Sequence[Loaded], now: Instant, reading: Reading, cluster_queue: str | None = None
) -> list[JointEffect]:
    """The joint effects of several clusters until none of them changes by itself any more.

    Later on only time could change anything: the end of a protection, a step of a priority.

    Args:
        sides: the clusters, each with its objects.
        now, reading, cluster_queue: as of `joint_effect`.
    """
    unknown = unknown_together(sides)
    played = [coming_cycles(side, manifests_of(side.objects), now, reading, None, unknown) for side in sides]
    since = now
    while True:
        for each in played:
            each.go_on(since)
        since = max((each.course.player.world.now for each in played if each.course), default=since)
        if all(each.is_done(since) for each in played):
            break
    # A side of which less is known must not seem to do less.
    until = min((each.until for each in played if each.until is not None), default=None)
    effects = [_effect_of(each, until) for each in played]
    if cluster_queue is None:
        return effects
    return [_of_queue(each, side, cluster_queue) for each, side in zip(effects, sides, strict=True)]


def gates_over_time(loaded: Loaded) -> QueueGates:
    """The gates of queues and cycles: the release's defaults, those of the Configuration, those of the flag.

    Args:
        loaded: the cluster.

    Raises:
        InputError: a gate that decides over several cycles and is not modelled.

    >>> from tenure.model import Cluster
    >>> off = {"SchedulingEquivalenceHashing": False}
    >>> gates_over_time(Loaded(Cluster({}), flag_gates=off)).equivalence
    False
    """
    settings = loaded.cluster.settings
    fair = settings.fair_sharing is not None
    problems = over_time_problems(loaded.flag_gates, Place(), "--feature-gates", fair_sharing=fair)
    if problems:
        raise InputError(problems)
    return with_gates(gates_of(settings.release), {**loaded.gates, **loaded.flag_gates})


def coming_cycles(
    loaded: Loaded,
    manifests: Manifests,
    now: Instant,
    reading: Reading,
    gates: QueueGates | None,
    unknown: Mapping[str, Problem],
    asked: str | None = None,
    most_pairs: int = MOST_PAIRS,
) -> ComingCycles:
    """The coming cycles as `tenure next` plays them by default, at their start.

    Args:
        loaded, manifests: the cluster.
        now, reading: as of `joint_effect`.
        gates: of the queues and cycles; None for those of the cluster.
        unknown: the ClusterQueues whose course is not known, each with the reason.
        asked: the workload whose admission ends them, `namespace/name`; None for none.
        most_pairs: as `Course` has it.
    """
    loaded = without_queues(loaded.submitted_at(now), unknown)
    aside = map(not_decided, undecided(loaded, END_OF_TIME, every=True))
    played = ComingCycles(tuple(pending_names(loaded)), {row.workload: row.in_short for row in aside})
    horizon = Horizon()
    timing = Timing(eviction=horizon.eviction)
    try:
        if loaded.over_time:
            played.fail(InputError(loaded.over_time))
            return played
        chosen = gates_over_time(loaded) if gates is None else gates
        scenario = scenario_from(loaded, manifests, now, now + horizon.until, timing, chosen)
        played.course = Course(scenario, reading, horizon.cycles, asked, most_pairs=most_pairs)
        played.course.player.begin()
    except InputError as error:
        played.fail(error)
    return played


def _effect_of(played: ComingCycles, until: Instant | None) -> JointEffect:
    """The effect of some cycles; later ones than an instant are not counted."""
    starts: dict[str, JointStart] = {}
    preempted: dict[str, JointPreemption] = {}
    counted = {*played.pending} - played.not_decided.keys()
    course = played.course
    cycles = () if course is None else course.coming
    for cycle, head in heads_of(cycle for cycle in cycles if until is None or cycle.at <= until):
        if head.result == Result.ADMITTED and head.workload in counted:
            starts.setdefault(head.workload, JointStart(head.workload, head.cluster_queue, cycle.at))
        for each in head.preempts:
            victim = JointPreemption(each.workload, each.cluster_queue, head.workload, each.reason, cycle.at)
            preempted.setdefault(each.workload, victim)
    effect = JointEffect(
        summary="",
        starts=tuple(starts.values()),
        preempted=tuple(preempted.values()),
        in_vain=() if course is None else preemptions_in_vain(course, played.ended),
        waiting=tuple(sorted(counted - starts.keys())),
        not_decided=tuple(played.not_decided),
        not_known=tuple(dict.fromkeys(played.not_decided.values())),
        ended_text=played.ended_text,
        until=played.until,
        first_cycles=len(course.coming) if course and played.ended == LookEnd.CYCLES else None,
        topology=None if course is None else next(topologies(course), None),
    )
    return replace(effect, summary=joint_summary(effect))


def _of_queue(effect: JointEffect, loaded: Loaded, cluster_queue: str) -> JointEffect:
    """An effect on the workloads that wait for one ClusterQueue, with the preemptions for them or in it."""
    waiting = {workload.key for workload, queue in waiting_for(loaded) if queue == cluster_queue}
    found = replace(
        effect,
        cluster_queue=cluster_queue,
        starts=tuple(start for start in effect.starts if start.workload in waiting),
        preempted=tuple(
            each
            for each in effect.preempted
            if each.preemptor in waiting or each.cluster_queue == cluster_queue
        ),
        in_vain=tuple(each for each in effect.in_vain if each.preemptor in waiting),
        waiting=tuple(key for key in effect.waiting if key in waiting),
        not_decided=tuple(key for key in effect.not_decided if key in waiting),
    )
    return replace(found, summary=joint_summary(found))


def unknown_together(sides: Sequence[Loaded]) -> dict[str, Problem]:
    """The ClusterQueues whose course is not known in some cluster, and all that share a tree with one.

    Args:
        sides: the clusters.

    >>> from tenure.model import Cluster
    >>> unknown_together([Loaded(Cluster({}))])
    {}
    """
    found: dict[str, Problem] = {}
    for side in sides:
        found = {**unknown_queues(side), **found}
    size = -1
    while size < len(found):
        size = len(found)
        for cluster in (side.cluster for side in sides):
            for name, problem in [*found.items()]:
                queue = cluster.cluster_queues.get(name)
                tree = () if queue is None else build_tree(cluster, queue).places
                for other in tree:
                    found.setdefault(other, problem)
    return found

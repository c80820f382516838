"""What becomes of one pending workload with the change of a field, beside all others that are pending."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

from tenure.api import Decision, Loaded, in_line
from tenure.explanation.answer_types import JointFate
from tenure.explanation.counterfactuals import Counterfactual, Situation, apply
from tenure.joint import about_when, names
from tenure.model import Cluster
from tenure.units import format_instant
from tenure_play.forecast.answer_types import LookEnd
from tenure_play.forecast.coming import Outlook
from tenure_play.forecast.joint import coming_cycles
from tenure_play.forecast.run import Course, admissions
from tenure_play.forecast.unknown_trees import unknown_queues

MOST_PAIRS_OF_A_FATE = 2_000
"""The cycles with one change end once so many pairs of a head and a workload that holds quota were decided:
less than a tenth of a second. What becomes of the workload is not known then."""


@dataclass(frozen=True)
class JointFates:
    """The coming cycles of a cluster, for the changes that would help one pending workload.

    Args:
        outlook: the cluster.
        decision: about the workload alone.
    """

    outlook: Outlook
    decision: Decision

    def of_change(self, change: Counterfactual) -> JointFate | None:
        """What becomes of the workload with a change; None where no other waits, or where it is not known.

        Args:
            change: a change of the clock has no fate, because others go meanwhile.
        """
        situation = Situation.of(self.decision)
        after = apply(change, situation)
        if after.now != situation.now or not self._others:
            return None
        changed = {
            field.name: value
            for field in fields(Cluster)
            if (value := getattr(after.cluster, field.name)) is not getattr(situation.cluster, field.name)
        }
        loaded = replace(self.outlook.loaded, cluster=replace(self.outlook.loaded.cluster, **changed))
        course = self._played(loaded)
        if course is None or self._before is None:
            return None
        tree = {queue.name for queue in course.player.world.tree_of(self.decision.queue.name)}
        started = [(head.workload, cycle.at) for cycle, head in admissions(course.coming, tree)]
        if course.is_admitted:
            keys = [key for key, _ in started]
            place = keys.index(self.decision.preemptor.key)
            first, at = tuple(keys[:place]), started[place][1]
            after_them = f", after {names(first)}" if first else ""
            text = f"jointly it starts {about_when(at, self.outlook.now)}{after_them}"
            return JointFate(format_instant(at), first, text)
        before = {head.workload for _, head in admissions(self._before.coming, tree)}
        first = tuple(key for key, _ in started if key not in before)
        reasons = []
        if ahead := self._ahead(loaded):
            others = f"{ahead} others are" if ahead > 1 else "1 other is"
            reasons.append(f"{others} before it in ClusterQueue {self.decision.queue.name}")
        if first:
            reasons.append(f"{names(first)} {'goes' if len(first) == 1 else 'go'} first")
        because = f": {'; '.join(reasons)}" if reasons else ""
        return JointFate(None, first, f"jointly it still waits{because}")

    def _ahead(self, loaded: Loaded) -> int:
        """How many are ahead of the workload in its ClusterQueue."""
        line = [
            queued.key
            for queued in in_line(loaded, self.decision.queue.name, self.outlook.now, self.outlook.reading)
        ]
        key = self.decision.preemptor.key
        return line.index(key) if key in line else 0

    @cached_property
    def _before(self) -> Course | None:
        return self._played(self.outlook.loaded)

    @cached_property
    def _others(self) -> int:
        """How many other workloads wait in its tree."""
        if self._before is None:
            return 0
        world = self._before.player.world
        tree = {queue.name for queue in world.tree_of(self.decision.queue.name)}
        present = self._before.scenario.present
        waiting = [each for each in present if each.queue in tree and each.workload.cluster_queue is None]
        return len(waiting) - 1

    def _played(self, loaded: Loaded) -> Course | None:
        """The cycles up to the admission of the workload, or until time alone changes anything."""
        key = self.decision.preemptor.key
        asked = loaded, self.outlook.manifests, self.outlook.now, self.outlook.reading, self.outlook.gates
        cycles = coming_cycles(*asked, unknown_queues(loaded), key, MOST_PAIRS_OF_A_FATE)
        if cycles.course is None or key in cycles.not_decided:
            return None
        cycles.go_on(self.outlook.now)
        return None if cycles.ended == LookEnd.CYCLES else cycles.course

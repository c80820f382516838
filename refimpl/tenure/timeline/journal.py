"""The record in the making: what happens is written down as it happens."""

from __future__ import annotations

from tenure.model import Instant, Target
from tenure.telling.explain import GROUND_RULES
from tenure.timeline.actors import Actor
from tenure.timeline.ledger import Ledger, Player, told
from tenure.timeline.record import Cycle, Happening, HeadResult, Preemption, PriorityStep
from tenure.timeline.world import World


class Journal(Ledger):
    """Everything that a record of Kueue holds, for one play.

    Args:
        world: the play.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._world = world
        self.steps: list[PriorityStep] = []
        self.cycles: list[Cycle] = []
        self._priorities: dict[str, int] = {}

    def priority(self, actor: Actor) -> None:
        """Note the effective priority that an actor has from now on, where it is another one."""
        priority = self._world.priority(actor)
        known = self._priorities.get(actor.key)
        if known != priority:
            self._priorities[actor.key] = priority
            self.steps.append(PriorityStep(self._world.now, actor.key, priority))
            if known is not None:
                text = f"its priority is {priority}, and was {known}"
                self.tell(Happening.PRIORITY, text, actor, ("DYN-050",))

    def cycle(self, heads: tuple[HeadResult, ...]) -> None:
        """A scheduling cycle was run."""
        world = self._world
        self.cycles.append(Cycle(len(self.cycles) + 1, world.now, world.clock, heads))

    def protected_until(self, actor: Player) -> Instant | None:
        """The last instant at which minAdmitDuration protects a stay, by its persisted stamp."""
        duration = self._world.protection(actor.queue)
        stamp = self._world.actors[actor.key].workload.quota_reserved_at
        return None if duration is None or stamp is None else stamp + duration - self._world.offset

    def preempted(self, preemptor: Actor, actor: Actor, target: Target, *, equal: bool) -> None:
        """A workload is taken now.

        Args:
            preemptor, actor: the two.
            target: why.
            equal: whether both are of one ClusterQueue and one effective priority.
        """
        now = self._world.now
        ran = now - actor.reserved
        duration = self._world.protection(actor.queue) if equal else None
        rules = GROUND_RULES[target.evidence.ground]
        cut = 0 if duration is None else max(0, duration - ran)
        self.preemptions.append(
            Preemption(
                at=now,
                preemptor=preemptor.key,
                victim=actor.key,
                preemptor_queue=preemptor.queue,
                queue=actor.queue,
                reason=target.reason.label,
                rules=rules,
                ran=ran,
                cut_short=cut,
                cycle=len(self.cycles) + 1,
            )
        )
        text = f"taken for {preemptor.key} after {told(ran)}: {target.reason.label}"
        if cut:
            text += f", {told(cut)} short of its minAdmitDuration"
        self.tell(Happening.PREEMPTED, text, actor, rules)

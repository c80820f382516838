"""The record of a play of KAI-Scheduler in the making."""

from __future__ import annotations

from tenure.model import Duration, Instant
from tenure.timeline.actors import Phase
from tenure.timeline.kai.world import JobActor, KaiWorld
from tenure.timeline.ledger import Ledger, Player, told
from tenure.timeline.record import Happening, Preemption, VictimAnswer


class KaiJournal(Ledger):
    """Everything that a record of KAI-Scheduler holds, for one play.

    Args:
        world: the play.
    """

    def __init__(self, world: KaiWorld) -> None:
        super().__init__(world)
        self._world = world

    def protected_until(self, actor: Player) -> Instant | None:
        """The latest end of a protection that an answer named during the stay."""
        return self._world.actors[actor.key].promised

    def answered(self, actor: JobActor, answer: VictimAnswer) -> None:
        """Keep the end of a protection that an answer names, on the scenario's clock."""
        if answer.until is not None and actor.phase == Phase.RUNNING:
            until = answer.until - self._world.offset
            actor.promised = until if actor.promised is None else max(until, actor.promised)

    def told(self, pending: JobActor, actor: JobActor, answer: VictimAnswer, rules: tuple[str, ...]) -> None:
        """A line about an answer of which nothing follows."""
        what = Happening.MAY_GO if answer.may_go else Happening.KEPT
        self.tell(what, f"{answer.action} for {pending.key}: {answer.verdict}", actor, rules)

    def preempted(
        self,
        pending: JobActor,
        actor: JobActor,
        answer: VictimAnswer,
        rules: tuple[str, ...],
        counts: Duration,
    ) -> None:
        """Pods of a job are taken now.

        Args:
            pending, actor: the two jobs.
            answer, rules: what was answered, and by which rules.
            counts: the minimum runtime between their queues, ns.
        """
        world = self._world
        ran = world.now - actor.reserved
        whole = set(answer.pods) >= set(world.holding(actor.key))
        # By the scenario's clock and not by the stamp; beyond an elastic job's minimum nothing was promised.
        cut = max(0, counts - ran) if whole else 0
        self.preemptions.append(
            Preemption(
                at=world.now,
                preemptor=pending.key,
                victim=actor.key,
                preemptor_queue=pending.queue,
                queue=actor.queue,
                reason=answer.action,
                rules=rules,
                ran=ran,
                cut_short=cut,
                cycle=len(world.sessions),
            )
        )
        what = "taken" if whole else f"loses {', '.join(answer.pods)}"
        text = f"{what} after {told(ran)}, {answer.action} for {pending.key}: {answer.verdict}"
        if cut:
            text += f"; {told(cut)} short of its minimum runtime"
        self.tell(Happening.PREEMPTED, text, actor, rules)

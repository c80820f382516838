"""What a session answers about one victim, with the rules by which it does."""

from __future__ import annotations

from tenure.kai import Action, Protection, Session, Victim
from tenure.kai.answers import action_between, action_name
from tenure.kai.words import loss_verdict, verdict_of
from tenure.timeline.kai.scenario import Pods
from tenure.timeline.kai.world import staying
from tenure.timeline.record import VictimAnswer

Rules = tuple[str, ...]


def ask(
    session: Session, pending: str, victim: str, pods: Pods, action: Action | None
) -> tuple[VictimAnswer, Rules]:
    """Whether a job may take another one, or some of its pods: the filter, and for who passes the validator.

    Args:
        session: whom to ask.
        pending, victim: the two jobs.
        pods: which would go; None for all that hold a place.
        action: preempt or reclaim; None for what the scheduler does between the two queues.

    Returns:
        the answer, and the rules that it rests on.

    Raises:
        InputError: the parents of a queue go in a circle.
    """
    job = session.job(victim)
    chosen = action_between(session.job(pending), job) if action is None else action
    there = staying(job)
    asked = there if pods is None else tuple(name for name in pods if name in there)
    if not asked:
        verdict = "nothing to take: none of the pods holds a place"
        return _answer(chosen, victim, False, (), None, verdict), ()
    filtered = session.filter(chosen, pending, victim)
    if not filtered.elastic:
        assert filtered.protection is not None
        verdict = verdict_of(filtered.protection, session.now)
        rules = ("KMR-080", "KMR-120" if filtered.protection.kept else "KMR-060")
        return _answer(chosen, victim, filtered.passes, asked, filtered.protection, verdict), rules
    validated = session.validate(chosen, pending, (Victim(victim, asked),))
    loss = validated.losses[0]
    rules = ("KMR-080", "KMR-090", *(("KMR-100",) if loss.groups else ()))
    verdict = loss_verdict(loss, session.now)
    return _answer(chosen, victim, validated.stands, asked, loss.protection, verdict), rules


def _answer(
    action: Action, victim: str, may_go: bool, pods: Rules, protection: Protection | None, verdict: str
) -> VictimAnswer:
    return VictimAnswer(
        victim=victim,
        action=action_name(action),
        may_go=may_go,
        pods=pods,
        protected=None if protection is None else protection.protected,
        remembered=protection is not None and protection.kept,
        min_runtime=None if protection is None else protection.min_runtime,
        until=None if protection is None else protection.until,
        verdict=verdict,
    )

"""Answers with their reasons: the results of a session, and what each rule found on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tenure.errors import bad_input
from tenure.explanation.remarks import Remark
from tenure.model import Action
from tenure.units import format_duration, format_instant
from tenure.versions import kai_revision
from tenure_kai.answer_types import (
    FilterAnswer,
    FilteredShape,
    LossShape,
    ResolveAnswer,
    SubGroupLoss,
    ValidateAnswer,
)
from tenure_kai.arguments import method_name
from tenure_kai.case import ACTIONS
from tenure_kai.model import Job, Victim
from tenure_kai.session import Delay, Filtered, JobLoss, Protection, Session
from tenure_kai.text import (
    delay_remarks,
    delay_verdict,
    elastic_remarks,
    filter_remark,
    group_sentence,
    loss_verdict,
    origin,
    protection_remark,
    resolution_remarks,
    verdict_of,
)


def action_name(action: Action) -> str:
    """An action as manifests and commands name it.

    >>> action_name(Action.RECLAIM)
    'reclaim'
    """
    return next(name for name, known in ACTIONS.items() if known == action)


def action_between(pending: Job, victim: Job) -> Action:
    """What the scheduler does between two jobs: it preempts in the same queue, and reclaims elsewhere.

    >>> action_between(Job("a", "q"), Job("b", "r")).name
    'RECLAIM'
    """
    return Action.PREEMPT if pending.queue == victim.queue else Action.RECLAIM


def resolve_answer(session: Session, action: Action, pending: str | None, victim: str) -> ResolveAnswer:
    """Which minimum runtime counts between two queues, and why.

    Args:
        session: whom to ask.
        action: preempt or reclaim.
        pending: the pending job's queue; None for none.
        victim: the victim's queue.
    """
    found = session.resolve(action, pending, victim)
    value = format_duration(found.min_runtime)
    return ResolveAnswer(
        action=action_name(action),
        method=method_name(session.scene.arguments.method),
        pending_queue=pending,
        victim_queue=victim,
        min_runtime=value,
        min_runtime_ns=found.min_runtime,
        source=found.source,
        path=found.path,
        summary=f"{value} for a job in {victim}: {origin(found)}",
        remarks=tuple(resolution_remarks(found, session.scene)),
        warnings=session.scene.warnings,
        kai=kai_revision(session.version),
    )


def filter_answer(
    session: Session, pending: str, victims: Sequence[str] = (), action: Action | None = None
) -> FilterAnswer:
    """Who may be considered as a victim for a pending job, and why.

    Args:
        session: whom to ask.
        pending: the pending job.
        victims: jobs; where none is given, all others of which a pod holds a place.
        action: preempt or reclaim; None for what the scheduler would do between the two jobs.

    Raises:
        InputError: there is no such job, or there are no others.
    """
    waiting = session.job(pending)
    names = list(victims) or [
        job.name
        for job in session.scene.jobs.values()
        if job.name != pending and any(group.active for group in job.sub_groups)
    ]
    if not names:
        raise bad_input("--victim", "no other PodGroup that runs", "at least one that may be a victim")
    shapes = tuple(_filtered(session, waiting, session.job(name), action) for name in names)
    return FilterAnswer(
        pending=pending,
        now=format_instant(session.now),
        method=method_name(session.scene.arguments.method),
        delayed_until=_end_of(session.delay(pending)),
        summary=_filter_summary(pending, shapes),
        victims=shapes,
        warnings=(*session.scene.warnings, *placed_warnings(waiting)),
        kai=kai_revision(session.version),
    )


def placed_warnings(waiting: Job) -> tuple[str, ...]:
    """What to warn of where every pod of the job that is asked for holds a place already.

    >>> from tenure_kai.model import Pod, SubGroup
    >>> placed_warnings(Job("ml/a", "q", sub_groups=(SubGroup(pods=(Pod("p"),)),)))
    ('PodGroup ml/a: every pod of it runs already: answered as if it waited',)
    """
    pods = sum(len(group.pods) for group in waiting.sub_groups)
    if not pods or sum(group.active for group in waiting.sub_groups) < pods:
        return ()
    return (f"PodGroup {waiting.name}: every pod of it runs already: answered as if it waited",)


def _filtered(session: Session, waiting: Job, job: Job, wanted: Action | None) -> FilteredShape:
    action = action_between(waiting, job) if wanted is None else wanted
    found = session.filter(action, waiting.name, job.name)
    delay = session.delay(waiting.name)
    held = delay_verdict(waiting.name, delay, session.now)
    return FilteredShape(
        victim=job.name,
        queue=job.queue,
        action=action_name(action),
        passes=found.passes and not delay.delayed,
        elastic=found.elastic,
        protected=None if found.protection is None else found.protection.protected,
        until=_until(found.protection),
        min_runtime=_min_runtime(found.protection),
        verdict=held or _filter_verdict(found, session),
        remarks=(
            *delay_remarks(waiting.name, delay, session.now),
            *elastic_remarks(job),
            *_protection_remarks(found.protection, job, session),
            filter_remark(found),
        ),
    )


def _filter_verdict(found: Filtered, session: Session) -> str:
    if found.protection is None:
        return "may be considered: it is elastic, and a scenario must leave it its minimum"
    return verdict_of(found.protection, session.now)


def _filter_summary(pending: str, shapes: Sequence[FilteredShape]) -> str:
    if len(shapes) == 1:
        verb = "may be" if shapes[0].passes else "may not be"
        return f"{shapes[0].victim} {verb} considered as a victim for {pending}: {shapes[0].verdict}"
    passing = sum(filtered.passes for filtered in shapes)
    return f"{passing} of {len(shapes)} jobs may be considered as victims for {pending}"


def validate_answer(
    session: Session, pending: str, victims: Sequence[Victim], action: Action | None = None
) -> ValidateAnswer:
    """Whether a scenario is accepted, and why.

    Args:
        session: whom to ask.
        pending: the pending job.
        victims: who would lose which pods.
        action: preempt or reclaim; None for what the scheduler would do between the pending job and the first
            victim.

    Raises:
        InputError: there is no victim, no such job or no such pod.
    """
    waiting = session.job(pending)
    if not victims:
        raise bad_input("--victim", "nothing", "at least one victim")
    chosen = action_between(waiting, session.job(victims[0].job)) if action is None else action
    found = session.validate(chosen, pending, victims)
    shapes = tuple(_loss(loss, session.job(loss.job), session) for loss in found.losses)
    verb = "is accepted" if found.accepted else "is refused"
    refused = "" if found.accepted else f": {shapes[-1].victim} {shapes[-1].verdict}"
    delay = session.delay(pending)
    if delay.delayed:
        verb, refused = "is refused", f": {delay_verdict(pending, delay, session.now)}"
    return ValidateAnswer(
        pending=pending,
        now=format_instant(session.now),
        action=action_name(chosen),
        method=method_name(session.scene.arguments.method),
        delayed_until=_end_of(delay),
        accepted=found.accepted and not delay.delayed,
        summary=f"The scenario for {pending} {verb}{refused}",
        victims=shapes,
        warnings=(*session.scene.warnings, *placed_warnings(waiting)),
        kai=kai_revision(session.version),
    )


def _loss(loss: JobLoss, job: Job, session: Session) -> LossShape:
    groups = tuple(
        SubGroupLoss(
            group.name,
            group.min_available,
            group.active,
            group.lost,
            group.active - group.lost,
            group.keeps,
        )
        for group in loss.groups
    )
    must = loss.protection is not None and loss.protection.protected
    return LossShape(
        victim=job.name,
        accepted=loss.accepted,
        elastic=loss.elastic,
        protected=None if loss.protection is None else loss.protection.protected,
        until=_until(loss.protection),
        sub_groups=groups,
        verdict=loss_verdict(loss, session.now),
        remarks=(
            *elastic_remarks(job),
            *_protection_remarks(loss.protection, job, session),
            Remark("KMR-090", must, f"it {'must' if must else 'need not'} keep its minimum"),
            *(Remark("KMR-100", group.keeps, group_sentence(group)) for group in loss.groups),
        ),
    )


def _protection_remarks(protection: Protection | None, job: Job, session: Session) -> Iterator[Remark]:
    if protection is None:
        return
    if protection.resolution is not None:
        yield from resolution_remarks(protection.resolution, session.scene)
    yield protection_remark(protection, job, session.now)


def _until(protection: Protection | None) -> str | None:
    if protection is None or protection.until is None or not protection.protected:
        return None
    return format_instant(protection.until)


def _end_of(delay: Delay) -> str | None:
    """The end of a preemption delay that a pending job waits for."""
    return format_instant(delay.until) if delay.delayed and delay.until is not None else None


def _min_runtime(protection: Protection | None) -> str | None:
    if protection is None or protection.min_runtime is None:
        return None
    return format_duration(protection.min_runtime)

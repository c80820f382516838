"""A sequence of questions and changes in one session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tenure.errors import InputError, Problem
from tenure.kai import asking, entries
from tenure.kai.asking import Fields, Object
from tenure.kai.model import DEFAULT_SUB_GROUP, Job, Pod, Queue, SubGroup
from tenure.kai.session import Session
from tenure.manifests import did_you_mean


def answer_steps(session: Session, raw: Fields) -> list[Object]:
    """Run `steps` in order; a step that only changes something answers with nothing.

    Args:
        session: where they run.
        raw: a case; its field `steps` is a list of objects with `op`, and what that op needs. A step's `now`
            moves the clock first.

    Raises:
        InputError: a step that cannot be run, with its index.

    >>> from tenure.kai.model import Scene
    >>> answer_steps(Session(Scene(), now=0), {"steps": [{"op": "openSession"}]})
    [{}]
    """
    steps = entries.each_of(raw, "steps", lambda step, _at: step)
    return [_answer(session, step, f"steps[{index}]") for index, step in enumerate(steps)]


def _answer(session: Session, step: Fields, at: str) -> Object:
    try:
        if "now" in step:
            session.now = entries.clock(step)
        op = step.get("op")
        if not isinstance(op, str) or op not in _OPS:
            raise entries.refused("op", op, f"one of {', '.join(_OPS)}{did_you_mean(op, _OPS)}")
        return _OPS[op](session, step)
    except InputError as error:
        moved = [replace(each, field=f"{at}.{each.field}") for each in error.problems]
        raise InputError(moved) from None


def _reopen(session: Session, _step: Fields) -> Object:
    session.reopen()
    return {}


def _set_last_start(session: Session, step: Fields) -> Object:
    job = session.job(entries.text(step, "job"))
    session.change(jobs=(replace(job, started_at=entries.start(step)),))
    return {}


def _set_queue(session: Session, step: Fields) -> Object:
    name = entries.text(step, "name" if "name" in step else "queue")
    if name not in session.scene.queues:
        raise entries.refused("queue", name, f"a queue of the case{did_you_mean(name, session.scene.queues)}")
    preempt, reclaim = (entries.own_value(step, f"{each}MinRuntime") for each in entries.ACTIONS)
    session.change(queues=(Queue(name, session.scene.queues[name].parent, preempt, reclaim),))
    return {}


def _set_pod_status(session: Session, step: Fields) -> Object:
    job, name = session.job(entries.text(step, "job")), entries.text(step, "pod")
    if name not in {pod.name for _, pod in job.pods()}:
        raise entries.refused("pod", name, "a pod of the job")
    changed = Pod(name, entries.status(step))
    groups = tuple(
        replace(group, pods=tuple(changed if pod.name == name else pod for pod in group.pods))
        for group in job.sub_groups
    )
    session.change(jobs=(replace(job, sub_groups=groups),))
    return {}


def _add_pod(session: Session, step: Fields) -> Object:
    job = session.job(entries.text(step, "job"))
    wanted = entries.optional_text(step, "subGroup") or DEFAULT_SUB_GROUP
    added = _pod_of(step)
    if wanted not in {group.name for group in job.sub_groups}:
        raise InputError([Problem("subGroup", repr(wanted), "a sub-group of the job")])
    groups = tuple(_with_pod(group, added) if group.name == wanted else group for group in job.sub_groups)
    session.change(jobs=(Job(job.name, job.queue, job.started_at, groups),))
    return {}


def _pod_of(step: Fields) -> Pod:
    """The pod as an object, or its name beside its status."""
    found = step.get("pod")
    if isinstance(found, Mapping):
        return entries.pod(found, "pod.")
    return Pod(entries.text(step, "pod"), entries.status(step))


def _with_pod(group: SubGroup, pod: Pod) -> SubGroup:
    return replace(group, pods=(*(each for each in group.pods if each.name != pod.name), pod))


_OPS: Mapping[str, Callable[[Session, Fields], dict[str, Any]]] = {
    "filter": asking.filtered,
    "protected": asking.protected,
    "validate": asking.validated,
    "resolve": asking.resolved,
    "path": asking.path,
    "openSession": _reopen,
    "closeOpenSession": _reopen,
    "setLastStart": _set_last_start,
    "setQueue": _set_queue,
    "setPodStatus": _set_pod_status,
    "addPod": _add_pod,
}

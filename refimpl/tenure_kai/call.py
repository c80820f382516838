"""The call `minruntime` of the JSON-lines oracle: one case of the plugin, its steps, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tenure.conformance.protocol_types import (
    ChangeStep,
    ConfigOutput,
    DelayOutput,
    FilterOutput,
    FilterStep,
    MinRuntimeOutput,
    PathOutput,
    ProtectedStep,
    QueueFieldOutput,
    QueueFieldRefused,
    ResolveOutput,
    SequenceOutput,
    Step,
    ValidatorOutput,
)
from tenure.errors import InputError, Problem
from tenure.manifests import comma_separated, did_you_mean, printable, show
from tenure.model import Action, Instant
from tenure.readings import parse_reading
from tenure.units import format_instant
from tenure_kai import case
from tenure_kai.arguments import configure, method_name
from tenure_kai.model import DEFAULT_SUB_GROUP, Job, Pod, Queue, Scene, SubGroup
from tenure_kai.resolver import path_of
from tenure_kai.session import Session

Fields = Mapping[str, Any]


def pair(raw: Fields) -> tuple[Action, str, str]:
    """`action`, `preemptor` and `victim`."""
    return case.action(raw), case.text(raw, "preemptor"), case.text(raw, "victim")


def resolved(session: Session, raw: Fields) -> ResolveOutput:
    """`resolve`: the minimum runtime between two queues, and whether one of them is missing."""
    action = case.action(raw)
    pending, victim = (case.optional_text(raw, key) for key in ("preemptorQueue", "victimQueue"))
    found = session.resolve(action, pending, victim)
    return ResolveOutput(bool(found.missing), found.min_runtime)


def path(session: Session, raw: Fields) -> PathOutput:
    """`path`: a queue and those above it, the top first."""
    found = path_of(session.scene.queues, case.text(raw, "victimQueue"))
    return PathOutput(tuple(queue.name for queue in found))


def filtered(session: Session, raw: Fields) -> FilterStep:
    """`filter` as a step calls it, with whether the victim is elastic, which needs nothing more."""
    result = session.filter(*pair(raw))
    return FilterStep(result.elastic, result.passes)


def filtered_whole(session: Session, raw: Fields) -> FilterOutput:
    """`filter` with what it comes from, of a session without other calls."""
    action, pending, victim = pair(raw)
    result = session.filter(action, pending, victim)
    protection = session.protection(action, pending, victim)
    resolution = session.resolve(action, session.job(pending).queue, session.job(victim).queue)
    return FilterOutput(result.elastic, result.passes, resolution.min_runtime, protection.protected)


def delayed(session: Session, raw: Fields) -> DelayOutput:
    """`delay`: whether the pending job waits with evictions."""
    found = session.delay(case.text(raw, "preemptor"))
    return DelayOutput(found.delayed, None if found.until is None else format_instant(found.until))


def protected(session: Session, raw: Fields) -> ProtectedStep:
    """`protected`, called directly, even of an elastic job."""
    return ProtectedStep(session.protection(*pair(raw)).protected)


def validated(session: Session, raw: Fields) -> ValidatorOutput:
    """`validate`: whether a scenario is accepted."""
    result = session.validate(case.action(raw), case.text(raw, "preemptor"), case.victims(raw))
    return ValidatorOutput(result.accepted)


def answer_steps(session: Session, raw: Fields) -> list[Step]:
    """Run `steps` in order; a step that only changes something answers with nothing.

    Args:
        session: where they run.
        raw: a case; its field `steps` is a list of objects with `op`, and what that op needs. A step's `now`
            moves the clock first.

    Raises:
        InputError: a step that cannot be run, with its index.

    >>> from tenure_kai.model import Scene
    >>> answer_steps(Session(Scene(), now=0), {"steps": [{"op": "openSession"}]})
    [ChangeStep()]
    """
    steps = case.each_of(raw, "steps", lambda step, _at: step)
    return [_answer_step(session, step, f"steps[{index}]") for index, step in enumerate(steps)]


def _answer_step(session: Session, step: Fields, at: str) -> Step:
    try:
        if "now" in step:
            session.now = case.clock(step)
        op = step.get("op")
        if not isinstance(op, str) or op not in _STEPS:
            raise case.refused("op", op, f"one of {', '.join(_STEPS)}{did_you_mean(op, _STEPS)}")
        return _STEPS[op](session, step)
    except InputError as error:
        moved = [replace(problem, field=f"{at}.{problem.field}") for problem in error.problems]
        raise InputError(moved) from None


def _reopen(session: Session, _step: Fields) -> ChangeStep:
    session.reopen()
    return ChangeStep()


def _set_last_start(session: Session, step: Fields) -> ChangeStep:
    job = session.job(case.text(step, "job"))
    session.change(jobs=(replace(job, started_at=case.start(step)),))
    return ChangeStep()


def _set_last_eviction(session: Session, step: Fields) -> ChangeStep:
    job = session.job(case.text(step, "job"))
    session.change(jobs=(replace(job, evicted_at=case.stamp(step, "lastEviction")),))
    return ChangeStep()


def _set_queue(session: Session, step: Fields) -> ChangeStep:
    name = case.text(step, "name" if "name" in step else "queue")
    if name not in session.scene.queues:
        raise case.refused("queue", name, f"a queue of the case{did_you_mean(name, session.scene.queues)}")
    preempt, reclaim = (case.own_value(step, f"{action}MinRuntime") for action in case.ACTIONS)
    session.change(queues=(Queue(name, session.scene.queues[name].parent, preempt, reclaim),))
    return ChangeStep()


def _set_pod_status(session: Session, step: Fields) -> ChangeStep:
    name = case.text(step, "pod")
    job = _job_of_pod(session, name) if step.get("job") is None else session.job(case.text(step, "job"))
    if name not in {pod.name for _, pod in job.pods()}:
        raise case.refused("pod", name, "a pod of the job")
    changed = Pod(name, case.status(step))
    groups = tuple(
        replace(group, pods=tuple(changed if pod.name == name else pod for pod in group.pods))
        for group in job.sub_groups
    )
    session.change(jobs=(replace(job, sub_groups=groups),))
    return ChangeStep()


def _job_of_pod(session: Session, name: str) -> Job:
    """The one job that has a pod of this name, where a step names no job."""
    found = [job for job in session.scene.jobs.values() if name in {pod.name for _, pod in job.pods()}]
    if len(found) == 1:
        return found[0]
    if not found:
        raise case.refused("pod", name, "a pod of one of the jobs")
    expected = (
        f"one of the jobs that have pod {printable(name)}: {comma_separated([job.name for job in found])}"
    )
    raise InputError([Problem("job", "nothing", expected)])


def _add_pod(session: Session, step: Fields) -> ChangeStep:
    job = session.job(case.text(step, "job"))
    wanted = case.optional_text(step, "subGroup") or DEFAULT_SUB_GROUP
    added = _pod_of(step)
    if wanted not in {group.name for group in job.sub_groups}:
        raise InputError([Problem("subGroup", repr(wanted), "a sub-group of the job")])
    groups = tuple(_with_pod(group, added) if group.name == wanted else group for group in job.sub_groups)
    session.change(jobs=(replace(job, sub_groups=groups),))
    return ChangeStep()


def _pod_of(step: Fields) -> Pod:
    """The pod as an object, or its name beside its status."""
    found = step.get("pod")
    if isinstance(found, Mapping):
        return case.pod(found, "pod.")
    return Pod(case.text(step, "pod"), case.status(step))


def _with_pod(group: SubGroup, pod: Pod) -> SubGroup:
    return replace(group, pods=(*(other for other in group.pods if other.name != pod.name), pod))


_STEPS: Mapping[str, Callable[[Session, Fields], Step]] = {
    "filter": filtered,
    "protected": protected,
    "delay": delayed,
    "validate": validated,
    "resolve": resolved,
    "path": path,
    "openSession": _reopen,
    "closeOpenSession": _reopen,
    "setLastStart": _set_last_start,
    "setLastEviction": _set_last_eviction,
    "setQueue": _set_queue,
    "setPodStatus": _set_pod_status,
    "addPod": _add_pod,
}


_ABOUT = ("id", "suite", "name", "op", "basis", "source", "want", "explain")
_SCENE = ("reading", "queues", "pluginArgs", "now", "jobs")
_ASKED = ("action", "preemptor", "victim", "preemptorQueue", "victimQueue", "victims", "queueSpec", "steps")
FIELDS = (*_ABOUT, *_SCENE, *_ASKED)


def answer_min_runtime(raw: object) -> MinRuntimeOutput:
    """What the plugin makes of a case.

    Args:
        raw: `op` is the call: `config`, `queueField`, `resolve`, `path`, `filter`, `validate`, `delay` or
            `sequence`; the other fields are its input. `reading` chooses the KAI-Scheduler
            (`kai_version`); fields about where a case comes from take no part.

    Raises:
        InputError: what is wrong, with field paths relative to the case.

    Source: KAI-Scheduler, MinRuntime plugin.

    >>> answer_min_runtime({"op": "config", "pluginArgs": {}}).reclaim_resolve_method
    'lca'
    """
    if not isinstance(raw, Mapping):
        raise InputError([Problem("input", show(raw), "an object")])
    unknown = [
        Problem(
            printable(str(key)), "an unknown field", f"one of {', '.join(FIELDS)}{did_you_mean(key, FIELDS)}"
        )
        for key in list(raw)
        if key not in FIELDS
    ]
    if unknown:
        raise InputError(unknown[:100])
    op = raw.get("op")
    if not isinstance(op, str) or op not in _OPS:
        raise case.refused("op", op, f"one of {', '.join(_OPS)}{did_you_mean(op, _OPS)}")
    return _OPS[op](raw)


def plugin_arguments(raw: Fields) -> dict[str, str]:
    """`pluginArgs`: names to texts."""
    found = raw.get("pluginArgs")
    if not isinstance(found, Mapping | None):
        raise case.refused("pluginArgs", found, "an object of texts")
    for name, value in (found or {}).items():
        if not isinstance(value, str):
            raise case.refused(f"pluginArgs.{printable(str(name))}", value, "a text, as a ConfigMap has it")
    return dict(found or {})


def scene_of(raw: Fields) -> Scene:
    """Queues, jobs and arguments of a case."""
    queues = case.each_of(raw, "queues", case.queue)
    jobs = case.each_of(raw, "jobs", case.job)
    case.once("queues", [queue.name for queue in queues])
    case.once("jobs", [job.name for job in jobs])
    arguments = configure(plugin_arguments(raw)).arguments
    return Scene({queue.name: queue for queue in queues}, {job.name: job for job in jobs}, arguments)


def _config(raw: Fields) -> ConfigOutput:
    configured = configure(plugin_arguments(raw))
    arguments = configured.arguments
    method = method_name(arguments.method)
    return ConfigOutput(
        arguments.default_preempt, arguments.default_reclaim, method, tuple(configured.rejected)
    )


def _queue_field(raw: Fields) -> QueueFieldOutput | QueueFieldRefused:
    spec = raw.get("queueSpec")
    if not isinstance(spec, Mapping):
        raise case.refused("queueSpec", spec, "an object")
    try:
        values = [case.own_value(spec, f"{name}MinRuntime") for name in case.ACTIONS]
    except InputError:
        return QueueFieldRefused(False)
    return QueueFieldOutput(True, *values)


def _fresh(
    ask: Callable[[Session, Fields], MinRuntimeOutput],
) -> Callable[[Fields], MinRuntimeOutput]:
    """A call of a session without other calls."""

    def answered(raw: Fields) -> MinRuntimeOutput:
        now = case.clock(raw) if raw.get("now") is not None or ask in _TIMED else 0
        return ask(_session(raw, now), raw)

    return answered


def _sequence(raw: Fields) -> SequenceOutput:
    now = case.clock(raw) if "now" in raw else 0
    return SequenceOutput(tuple(answer_steps(_session(raw, now), raw)))


def _session(raw: Fields, now: Instant) -> Session:
    """A fresh one, as the KAI-Scheduler of the case's reading."""
    version = parse_reading(raw.get("reading")).kai_version
    return Session(scene_of(raw).as_seen_by(version), now, version)


_TIMED = (filtered_whole, validated, delayed)
_OPS: Mapping[str, Callable[[Fields], MinRuntimeOutput]] = {
    "config": _config,
    "queueField": _queue_field,
    "resolve": _fresh(resolved),
    "path": _fresh(path),
    "filter": _fresh(filtered_whole),
    "validate": _fresh(validated),
    "delay": _fresh(delayed),
    "sequence": _sequence,
}

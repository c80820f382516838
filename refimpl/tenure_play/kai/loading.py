"""Scenario files of KAI-Scheduler: YAML to what is played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tenure.manifests import Place, comma_separated, did_you_mean, show
from tenure.manifests.other_inputs import KAI_VERSIONS
from tenure.manifests.releases import AS_WRITTEN, AsIf, TargetKueue
from tenure.model import Instant
from tenure.readings import KaiVersion
from tenure_kai import Job, Pod, PodStatus, Scene, SubGroup
from tenure_kai.case import ACTIONS
from tenure_kai.intake.load import scene_of_sourced
from tenure_kai.model import DEFAULT_SUB_GROUP
from tenure_play.kai.scenario import (
    Asking,
    EditQueues,
    KaiEvent,
    KaiScenario,
    OpenSession,
    PlacePods,
    Pods,
)
from tenure_play.kai.scenario_file import AskShape, JobShape, KaiEventShape, KaiScenarioShape
from tenure_play.parsing import KUEUE_ONLY, Expectations, Times, Written, in_order, key_of
from tenure_play.scenario import ClockJump, Delete, Finish
from tenure_play.scenario_file import checked


def short_job(shape: JobShape, field: str, place: Place, instant: Callable[[str, str], Instant]) -> Job:
    """A job of the short form; its pods are called `train-0`, or by their sub-group `train-leader-0`.

    Args:
        shape: as written; a name without namespace is in `default`.
        field: its path in the scenario.
        place: the scenario, for problems.
        instant: reads a time of the scenario, given its text and its field.

    Raises:
        InputError: pods and sub-groups at once, or a start of a job that does not run.

    >>> shape = JobShape(name="train", queue="vision", pods=2, running=True)
    >>> [pod.name for _, pod in short_job(shape, "jobs[0]", Place(), lambda text, field: 0).pods()]
    ['train-0', 'train-1']
    """
    if shape.sub_groups is not None and (shape.pods is not None or shape.min_available is not None):
        given = "pods" if shape.pods is not None else "minAvailable"
        raise place.error(f"{field}.{given}", "this", "nothing beside subGroups")
    if shape.since is not None and shape.running is False:
        raise place.error(f"{field}.since", "this", "nothing of a job that does not run")
    name = shape.name if "/" in shape.name else f"default/{shape.name}"
    groups = {name: (group.pods, group.min_available) for name, group in (shape.sub_groups or {}).items()}
    groups = groups or {DEFAULT_SUB_GROUP: (shape.pods or 1, shape.min_available)}
    runs = bool(shape.running) or shape.since is not None
    started = None if shape.since is None else instant(shape.since, f"{field}.since")
    return Job(
        name,
        shape.queue,
        started,
        tuple(_group(name, group, *groups[group], runs) for group in groups),
        created=instant(shape.created or "0s", f"{field}.created"),
        preemption_delay=shape.preemption_delay,
    )


def _group(job: str, name: str, count: int, least: int | None, runs: bool) -> SubGroup:
    short = job.partition("/")[2]
    stem = short if name == DEFAULT_SUB_GROUP else f"{short}-{name}"
    status = PodStatus.RUNNING if runs else PodStatus.PENDING
    pods = tuple(Pod(f"{stem}-{number}", status) for number in range(count))
    return SubGroup(name, count if least is None else least, pods)


_KINDS = ("place", "ask", "preempt", "session", "finish", "delete", "clock", "edit")
EDITED = ("Queue",)
"""The kinds that an event may change."""


def parse_kai_scenario(
    raw: Mapping[str, Any], place: Place, name: str, as_if: AsIf = AS_WRITTEN
) -> KaiScenario:
    """A scenario of KAI-Scheduler from what a YAML document holds.

    Args:
        raw: the document, untrusted.
        place: the scenario, for problems.
        name: what it is called.
        as_if: how the objects at the start count otherwise than they were written.

    Raises:
        InputError: everything that is wrong in it.

    >>> parse_kai_scenario({"scheduler": "kai", "until": "1m"}, Place(), "idle").scene.jobs
    {}
    """
    return _Reader(checked(KaiScenarioShape, raw, place, name="kai-scenario"), place, name, as_if).scenario()


@dataclass(slots=True)
class _Objects(Written):
    def api_version(self, kind: object) -> str:
        """That of the kind in KAI-Scheduler."""
        return KAI_VERSIONS.get(str(kind), ("",))[0]

    def scene(self, arguments: Mapping[str, str]) -> Scene:
        """What the objects come to now."""
        return scene_of_sourced(self.raw, arguments)


class _Reader:
    def __init__(self, shape: KaiScenarioShape, place: Place, name: str, as_if: AsIf) -> None:
        self.shape = shape
        self.place = place
        self.name = name
        self.times = Times(shape.start, shape.until, place)
        self.objects = _Objects(place.file)
        self.objects.take(shape.objects or [], shape.files or [])
        self.objects.raw = list(as_if.change(self.objects.raw, TargetKueue()))
        self._check_kinds()
        self.arguments = shape.arguments or {}
        self.scene = self._with_jobs(self.objects.scene(self.arguments))
        self.keys = list(self.scene.jobs)

    def scenario(self) -> KaiScenario:
        expectations = Expectations(self.keys, self.place, self.times.within, KUEUE_ONLY)
        eviction = self.shape.timing.eviction if self.shape.timing else None
        return KaiScenario(
            name=self.name,
            title=self.shape.title or "",
            start=self.times.start,
            end=self.times.end,
            scene=self.scene,
            events=tuple(self._events()),
            eviction=max(0, eviction or 0),
            version=None if self.shape.kai_version is None else KaiVersion[self.shape.kai_version.upper()],
            expectations=tuple(expectations.read(self.shape.expect or [])),
            source=self.shape.source or "",
            warnings=self.scene.warnings,
            file=self.place.file,
        )

    def _check_kinds(self) -> None:
        for number, found_object in enumerate(self.objects.raw):
            kind = found_object.object.get("kind")
            if not isinstance(kind, str) or kind not in KAI_VERSIONS:
                expected = f"one of {', '.join(KAI_VERSIONS)}"
                raise self.place.error(f"objects[{number}].kind", show(kind), expected)

    def _with_jobs(self, scene: Scene) -> Scene:
        jobs = dict(scene.jobs)
        for number, shape in enumerate(self.shape.jobs or []):
            field = f"jobs[{number}]"
            job = short_job(shape, field, self.place, self.times.after_start)
            if job.name in jobs:
                raise self.place.error(f"{field}.name", f"{job.name} a second time", "each job once")
            if job.queue not in scene.queues:
                expected = f"a Queue among the objects{did_you_mean(job.queue, scene.queues)}"
                raise self.place.error(f"{field}.queue", show(job.queue), expected)
            jobs[job.name] = job
        return replace(scene, jobs=jobs)

    def _events(self) -> Iterator[KaiEvent]:
        for shape, at, path, kind in in_order(self.shape.events or [], _KINDS, self.times, self.place):
            yield from self._event(shape, at, f"{path}.{kind}")

    def _event(self, shape: KaiEventShape, at: Instant, path: str) -> Iterator[KaiEvent]:
        if shape.place is not None:
            yield PlacePods(at, self._jobs(shape.place, path))
        for asked, preempts in ((shape.ask, False), (shape.preempt, True)):
            if asked is not None:
                yield self._ask(asked, at, path, preempts)
        if shape.session is not None:
            if shape.session < 0:
                raise self.place.error(path, f"{shape.session}ns", "how long it lasts, 0s or more")
            yield OpenSession(at, shape.session)
        yield from (Finish(at, self._key(name, path)) for name in shape.finish or ())
        yield from (Delete(at, self._key(name, path)) for name in shape.delete or ())
        if shape.clock is not None:
            yield ClockJump(at, shape.clock)
        if shape.edit is not None:
            text = self.objects.patch(shape.edit, path, EDITED)
            yield EditQueues(at, text, self.objects.scene(self.arguments).queues)

    def _ask(self, shape: AskShape, at: Instant, path: str, preempts: bool) -> Asking:
        pending = self._key(shape.pending, f"{path}.for")
        victims = self._jobs(shape.victims, f"{path}.victims")
        if pending in victims:
            raise self.place.error(f"{path}.victims", pending, "jobs other than the one that asks")
        action = None if shape.action is None else ACTIONS[shape.action]
        return Asking(at, pending, victims, action, preempts)

    def _jobs(self, raw: object, path: str) -> dict[str, Pods]:
        """One job, several, or a map from jobs to their pods."""
        if isinstance(raw, str):
            raw = [raw]
        if isinstance(raw, list) and raw and all(isinstance(item, str) for item in raw):
            return dict.fromkeys(self._key(name, path) for name in raw)
        if not isinstance(raw, dict) or not raw:
            raise self.place.error(path, show(raw), "the names of jobs, or a map from jobs to their pods")
        return dict(self._pods(str(name), pods, f"{path}[{name}]") for name, pods in raw.items())

    def _pods(self, name: str, raw: object, path: str) -> tuple[str, Pods]:
        key = self._key(name, path)
        names = [raw] if isinstance(raw, str) else raw
        known = [pod.name for _, pod in self.scene.jobs[key].pods()]
        if not isinstance(names, list) or not names or any(name not in known for name in names):
            raise self.place.error(path, show(raw), f"pods of the job: {comma_separated(known)}")
        if len(set(names)) < len(names):
            raise self.place.error(path, show(raw), "each pod once")
        return key, tuple(names)

    def _key(self, name: str, path: str) -> str:
        key = key_of(name, self.keys)
        if key is None:
            expected = f"a job of the scenario{did_you_mean(name, self.keys)}"
            raise self.place.error(path, show(name), expected)
        return key

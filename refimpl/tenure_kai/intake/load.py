"""Files and objects of KAI-Scheduler to what a session looks at, with the plugin's configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tenure.errors import InputError
from tenure.manifests import Place, SourcedObject, did_you_mean, place_of, printable, show
from tenure.manifests.files import iterate_objects
from tenure.manifests.other_inputs import KAI_GROUPS, KAI_VERSIONS, ask_instead, what_it_is
from tenure.manifests.structure import dig, entries
from tenure.manifests.yaml_text import parse_yaml
from tenure.readings import KaiVersion
from tenure_kai.arguments import DEFAULT_PREEMPT, DEFAULT_RECLAIM, configure
from tenure_kai.intake.objects import (
    PREEMPTION_DELAY,
    Notes,
    PodEntry,
    read_pod,
    read_pod_group,
    read_queue,
    tree_of,
)
from tenure_kai.model import Job, Pod, Queue, Scene

PLUGIN = "minruntime"
KEY = "config.yaml"

Texts = dict[str, str]

_SHARD_FIELDS = (("preemptMinRuntime", DEFAULT_PREEMPT), ("reclaimMinRuntime", DEFAULT_RECLAIM))


def read_config_map(raw: object, place: Place, notes: Notes) -> Texts | None:
    """The plugin's arguments in the scheduler's ConfigMap; None for a ConfigMap of something else.

    Args:
        raw: the ConfigMap, untrusted.
        place: the object, for messages.
        notes: gets what is wrong, a configuration without the plugin included.

    Source: KAI-Scheduler, MinRuntime Plugin, Plugin Configuration.

    >>> text = "tiers: [{plugins: [{name: minruntime, arguments: {reclaimResolveMethod: queue}}]}]"
    >>> read_config_map({"data": {"config.yaml": text}}, Place(), Notes())
    {'reclaimResolveMethod': 'queue'}
    """
    text = dig(raw, "data", KEY)
    if not isinstance(text, str) or "tiers" not in text:
        return None
    inner = Place(place.object, place.file, f"data[{KEY}]")
    documents, wrong = parse_yaml(text, place.file)
    notes.problems += [inner.problem(problem.field, problem.found, problem.expected) for problem in wrong]
    found = [document.content for document in documents if document.content is not None]
    if wrong or not found:
        return None
    return _of_tiers(found[0], inner, notes)


def _of_tiers(configuration: object, place: Place, notes: Notes) -> Texts | None:
    for index, tier in entries(dig(configuration, "tiers")):
        for number, plugin in entries(tier.get("plugins")):
            if plugin.get("name") == PLUGIN:
                at = f"tiers[{index}].plugins[{number}].arguments"
                return _texts(plugin.get("arguments"), at, place, notes)
    _refuse_absence(place, "tiers", notes)
    return None


def read_shard(raw: object, place: Place, notes: Notes) -> Texts | None:
    """The plugin's arguments as the operator writes them for a SchedulingShard.

    Args:
        raw: the SchedulingShard, untrusted.
        place: the object, for messages.
        notes: gets what is wrong. Arguments under `plugins` replace those of `minRuntime`: a warning.

    Source: KAI-Scheduler, SchedulingShard.

    >>> read_shard({"spec": {"minRuntime": {"reclaimMinRuntime": "10m"}}}, Place(), Notes())
    {'defaultReclaimMinRuntime': '10m'}
    """
    given = _texts(dig(raw, "spec", "minRuntime"), "spec.minRuntime", place, notes)
    override = dig(raw, "spec", "plugins", PLUGIN)
    if dig(override, "enabled") is False:
        _refuse_absence(place, f"spec.plugins.{PLUGIN}.enabled", notes)
    made = {argument: given[field] for field, argument in _SHARD_FIELDS if field in given}
    if dig(override, "arguments") is None:
        return made
    if made:
        notes.warn(place, f"spec.plugins.{PLUGIN}.arguments replaces spec.minRuntime, which has no effect")
    return _texts(dig(override, "arguments"), f"spec.plugins.{PLUGIN}.arguments", place, notes)


def _texts(found: Any, path: str, place: Place, notes: Notes) -> Texts:
    if not isinstance(found, Mapping | None):
        notes.refuse(place, path, show(found), "a map of texts")
        return {}
    made: Texts = {}
    for name, value in (found or {}).items():
        if isinstance(name, str) and isinstance(value, str):
            made[name] = value
        elif value is not None:
            notes.refuse(place, f"{path}.{name}", show(value), "a text, in quotes")
    return made


def _refuse_absence(place: Place, path: str, notes: Notes) -> None:
    found = f"no plugin {PLUGIN} that runs"
    notes.refuse(
        place, path, found, "the plugin: without it no job is protected, and there is nothing to evaluate"
    )


_SHARED_KINDS = ("Pod", "ConfigMap")


@dataclass(slots=True)
class _Read:
    """Everything that was read so far."""

    notes: Notes
    queues: dict[str, tuple[Place, Queue]] = field(default_factory=dict)
    jobs: dict[str, tuple[Place, Job]] = field(default_factory=dict)
    pods: list[PodEntry] = field(default_factory=list)
    arguments: Texts | None = None

    def add_queue(self, raw: object, place: Place) -> None:
        queue = read_queue(raw, place, self.notes)
        if queue is not None and self._is_new(queue.name in self.queues, place):
            self.queues[queue.name] = (place, queue)

    def add_pod_group(self, raw: object, place: Place) -> None:
        job = read_pod_group(raw, place, self.notes)
        if job is not None and self._is_new(job.name in self.jobs, place):
            self.jobs[job.name] = (place, job)

    def add_pod(self, raw: object, place: Place) -> None:
        entry = read_pod(raw, place, self.notes)
        if entry is not None:
            self.pods.append(entry)

    def add_config_map(self, raw: object, place: Place) -> None:
        self._take(read_config_map(raw, place, self.notes), place)

    def add_shard(self, raw: object, place: Place) -> None:
        self._take(read_shard(raw, place, self.notes), place)

    def _take(self, found: Texts | None, place: Place) -> None:
        if found is None:
            return
        if self.arguments is not None:
            self.notes.refuse(
                place, "", "a second configuration of the plugin", "one: give those of one scheduler"
            )
        self.arguments = found

    def _is_new(self, known: bool, place: Place) -> bool:
        if known:
            self.notes.refuse(place, "metadata.name", "this object a second time", "each object once")
        return not known


_ADD: Mapping[str, Callable[[_Read, object, Place], None]] = {
    "Queue": _Read.add_queue,
    "PodGroup": _Read.add_pod_group,
    "Pod": _Read.add_pod,
    "ConfigMap": _Read.add_config_map,
    "SchedulingShard": _Read.add_shard,
}


def load_scene(
    paths: Sequence[str | Path],
    arguments: Mapping[str, str] | None = None,
    *,
    changed: Callable[[Iterable[SourcedObject]], Iterable[SourcedObject]] = iter,
    version: KaiVersion = KaiVersion.MARCH_2026,
) -> Scene:
    """What a session looks at, from files.

    Args:
        paths: files, folders, or `-` for standard input, with Queues, PodGroups, Pods, the scheduler's
            ConfigMap or a SchedulingShard; other kinds are passed over.
        arguments: arguments of the plugin, each in place of the configured one.
        changed: passes the objects on, as if fields of theirs were different.
        version: the reading, `kai_version`.

    Raises:
        InputError: everything that cannot be read, or is not covered.

    >>> load_scene(["absent.yaml"])
    Traceback (most recent call last):
    tenure.errors.InputError: absent.yaml: found no such file or folder, expected a file or folder to read
    """
    notes = Notes()
    objects = list(changed(iterate_objects(paths, notes.problems)))
    notes.warnings.extend(sourced.note for sourced in objects if sourced.note)
    scene = _scene(objects, notes, arguments or {})
    if not scene.queues and not scene.jobs:
        _refuse_other_input(objects)
    return scene.as_seen_by(version)


def _refuse_other_input(objects: Iterable[SourcedObject]) -> None:
    """Say which command is meant, where there is nothing of KAI-Scheduler."""
    for sourced in objects:
        what = what_it_is(sourced.object)
        if hint := ask_instead(what):
            kind = dig(sourced.object, "kind")
            place = place_of(sourced.object, kind if isinstance(kind, str) else "", file=sourced.file)
            raise place.error("", what, f"Queues and PodGroups of KAI-Scheduler{hint}")


def scene_of_objects(
    objects: Iterable[object],
    arguments: Mapping[str, str] | None = None,
    version: KaiVersion = KaiVersion.MARCH_2026,
) -> Scene:
    """The same from objects that have been parsed.

    Args:
        objects: as parsed from YAML or JSON, untrusted.
        arguments, version: as for `load_scene`.

    Raises:
        InputError: everything that is not covered.

    >>> queue = {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "a"}}
    >>> list(scene_of_objects([queue]).queues)
    ['a']
    """
    sourced = [SourcedObject("", object_ if isinstance(object_, dict) else {}) for object_ in objects]
    return scene_of_sourced(sourced, arguments).as_seen_by(version)


def scene_of_sourced(objects: Sequence[SourcedObject], arguments: Mapping[str, str] | None = None) -> Scene:
    """The same from objects that know where they were read, for messages; as no version sees it yet.

    >>> scene_of_sourced([]).jobs
    {}
    """
    return _scene(objects, Notes(), arguments or {})


def _scene(objects: Sequence[SourcedObject], notes: Notes, arguments: Mapping[str, str]) -> Scene:
    read = _Read(notes)
    for object_ in objects:
        kind = _kind(object_, notes)
        if kind is not None:
            _ADD[kind](read, object_.object, place_of(object_.object, kind, file=object_.file))
    queues = tree_of(read.queues, notes)
    jobs = _with_pods(read, queues)
    configured = configure({**(read.arguments or {}), **arguments})
    if notes.problems:
        raise InputError(notes.problems)
    return Scene(queues, jobs, configured.arguments, (*notes.warnings, *configured.warnings))


def _kind(found_object: SourcedObject, notes: Notes) -> str | None:
    """The kind, where it is one of ours; another kind of the same name is passed over."""
    kind, version = found_object.object.get("kind"), found_object.object.get("apiVersion")
    if not isinstance(kind, str) or kind not in _ADD:
        return None
    if version in KAI_VERSIONS[kind]:
        return kind
    group = str(version).partition("/")[0]
    if kind not in _SHARED_KINDS and (version is None or group in KAI_GROUPS):
        place = place_of(found_object.object, kind, file=found_object.file)
        found = "nothing" if version is None else show(version)
        notes.refuse(place, "apiVersion", found, " or ".join(KAI_VERSIONS[kind]))
    return None


def _with_pods(read: _Read, queues: Mapping[str, Queue]) -> dict[str, Job]:
    pods: dict[tuple[str, str], list[Pod]] = {}
    for entry in read.pods:
        if entry.job not in read.jobs:
            read.notes.warn(entry.place, f"its PodGroup {printable(entry.job)} was not given")
        elif entry.sub_group not in {group.name for group in read.jobs[entry.job][1].sub_groups}:
            text = f"its PodGroup has no sub-group {show(entry.sub_group)}: the scheduler leaves the pod out"
            read.notes.warn(entry.place, text)
        else:
            pods.setdefault((entry.job, entry.sub_group), []).append(entry.pod)
        if entry.has_delay and entry.job in read.jobs and read.jobs[entry.job][1].preemption_delay is None:
            text = f"annotation {PREEMPTION_DELAY}: only its PodGroup's spec.preemptionDelay counts"
            read.notes.warn(entry.place, text)
    jobs = {name: _filled(job, pods) for name, (_, job) in read.jobs.items()}
    _warn_of_jobs(read, queues)
    return jobs


def _filled(job: Job, pods: Mapping[tuple[str, str], list[Pod]]) -> Job:
    groups = (
        replace(sub_group, pods=tuple(pods.get((job.name, sub_group.name), ())))
        for sub_group in job.sub_groups
    )
    return replace(job, sub_groups=tuple(groups))


def _warn_of_jobs(read: _Read, queues: Mapping[str, Queue]) -> None:
    by_short: dict[str, str] = {}
    for name, (place, job) in read.jobs.items():
        if job.queue not in queues:
            hint = did_you_mean(job.queue, queues)
            read.notes.warn(
                place, f"spec.queue: there is no Queue {show(job.queue)}; the default counts{hint}"
            )
        short = name.partition("/")[2]
        if by_short.setdefault(short, name) != name:
            text = f"the scheduler knows PodGroups by name alone: this one and {by_short[short]} are one"
            read.notes.warn(place, text)

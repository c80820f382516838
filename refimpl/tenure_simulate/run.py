"""A trace under one setting: what is simulated, and its figures."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tenure.edits import edited, edits_of
from tenure.errors import InputError, Problem
from tenure.manifests import SourcedObject, read_priority_class
from tenure.manifests.quantities import amount_of
from tenure.manifests.structure import dig, entries, items
from tenure.model import (
    Amount,
    ClusterQueue,
    Cohort,
    Duration,
    Instant,
    WithinClusterQueue,
    WorkloadPriorityClass,
)
from tenure.oracle.unmodelled import ANNOTATION
from tenure.readings import Reading, preset
from tenure.units import format_duration
from tenure_play import Scenario, parse_scenario
from tenure_simulate.answer_types import SettingFigures, SimulateInputs
from tenure_simulate.choices import GroupedBy
from tenure_simulate.dumps import sha256_of
from tenure_simulate.figures import Counting, measured
from tenure_simulate.picture_data import drawn_figures
from tenure_simulate.sweep import DURATION, OFF, READING
from tenure_simulate.traces import JobTrace, Placing, placed

if TYPE_CHECKING:
    from tenure_simulate.trace import Simulated


@dataclass(frozen=True, slots=True)
class TraceCourse:
    """What is simulated under every setting.

    Args:
        objects: the ClusterQueues and what belongs to them.
        trace: the jobs that join.
        other_queue: the ClusterQueue of rows whose queue is no ClusterQueue; None refuses such rows.
        reading: unless a sweep names another one.
        eviction: how long the pods of a preempted job take to end, ns.
        after: how long the simulation goes on after the last submission, ns.
        keeps: whether progress survives a preemption.
        times: how many of the resource one of a size is.
        resource: the one that counts of the ClusterQueues' quota; empty where they have one only.
        by: what the jobs are grouped by; None for not at all.
        counting: what counts, and at which price.
        drawn: whether the figures include what pictures are drawn from.
    """

    objects: Sequence[SourcedObject]
    trace: JobTrace
    other_queue: str | None
    reading: str
    eviction: Duration
    after: Duration
    keeps: bool
    times: int = 1
    resource: str = ""
    by: GroupedBy | None = None
    counting: Counting = field(default_factory=Counting)
    drawn: bool = False

    @property
    def length(self) -> Duration:
        """From the first submission to the end of the simulation, ns."""
        return self.trace.rows[-1].submit - self.trace.rows[0].submit + self.after

    @property
    def inputs(self) -> SimulateInputs:
        """What decides the figures."""
        return SimulateInputs(
            trace_sha256=self.trace.sha256,
            queues=tuple(sorted({each.file for each in self.objects})),
            queues_sha256=sha256_of(self.objects),
            progress="kept" if self.keeps else "lost",
            checkpoint=self.counting.checkpoint,
            restart=self.counting.restart,
            eviction=self.eviction,
            warm_up=self.counting.warm_up,
            seed=self.counting.seed,
        )


def play_setting(
    course: TraceCourse, setting: Mapping[str, str], progress: Callable[[float], None] = lambda _: None
) -> SettingFigures:
    """Simulate a trace under one setting.

    Args:
        course: what is simulated.
        setting: see `tenure_simulate.sweep.settings_of`.
        progress: called now and then with the share of the simulation that is done.

    Raises:
        InputError: what is wrong with the objects or the trace, or not covered by the trace engine.
    """
    # Late: whether the engine is compiled is settled when it is imported.
    from tenure_simulate.core.uncovered import Uncovered
    from tenure_simulate.trace import simulate

    manifests = _manifests(course, setting)
    scenario = _scenario(course, manifests)
    resource = _resource(scenario)
    queues = scenario.cluster.cluster_queues
    _refuse_configs(queues.values())
    placing = Placing(
        queues=tuple(queues),
        rest=course.other_queue,
        resource=resource,
        times=course.times,
        keeps=course.keeps,
        cluster=scenario.cluster,
        classes=_classes(manifests),
    )
    reading: Reading = preset(setting.get(READING, course.reading))

    def on_progress(at: Instant) -> None:
        progress((at - scenario.start) / (scenario.end - scenario.start))

    try:
        found = simulate(
            scenario, reading, placed(course.trace, placing, scenario.start), progress=on_progress
        )
    except Uncovered as left:
        expected = "what --trace can simulate: no heroes beside fair sharing, no flavors with taints"
        raise InputError([Problem("queues", left.what, expected)]) from None
    quota = {name: _nominal(queue) for name, queue in sorted(queues.items())}
    unit = amount_of(resource, 1) * course.times
    labels = _labels(course, found, list(quota))
    shared = sum(map(_nominal, scenario.cluster.cohorts.values()))
    play = measured(found, dict(setting), quota, unit, scenario.end, course.counting, labels, shared)
    if not course.drawn:
        return play.figures
    return replace(play.figures, drawn=drawn_figures(play, found, quota, unit, scenario.end))


def _refuse_configs(queues: Iterable[ClusterQueue]) -> None:
    expected = "none: --trace does not follow PreemptionConfigs, a scenario file does"
    problems = [
        Problem(ANNOTATION, repr(queue.preemption_config), expected, f"ClusterQueue/{queue.name}")
        for queue in queues
        if queue.preemption_config is not None
    ]
    if problems:
        raise InputError(problems)


def _nominal(owner: ClusterQueue | Cohort) -> Amount:
    return sum(
        amount
        for group in owner.resource_groups
        for flavor in group.flavors
        for amount in flavor.nominal.values()
    )


def _labels(course: TraceCourse, found: Simulated, queues: Sequence[str]) -> list[str]:
    """The group of each job; empty where they are not grouped."""
    if course.by is None:
        return []
    if course.by == GroupedBy.QUEUE:
        return [queues[place] for place in found.jobs.rows.queue.tolist()]
    if course.by == GroupedBy.SIZE:
        return [row.size for row in course.trace.rows]
    grown = {kind.priority_class for kind in found.jobs.kinds}
    priorities = found.jobs.rows.priority.tolist()
    return [
        row.priority_class if row.priority_class in grown else str(priority)
        for row, priority in zip(course.trace.rows, priorities, strict=True)
    ]


def _classes(manifests: Sequence[Mapping[str, Any]]) -> dict[str, WorkloadPriorityClass]:
    """The WorkloadPriorityClasses by name, those whose priority stays too."""
    found = [read_priority_class(raw) for raw in manifests if raw.get("kind") == "WorkloadPriorityClass"]
    return {priority_class.name: priority_class for priority_class in found}


def _manifests(course: TraceCourse, setting: Mapping[str, str]) -> list[dict[str, Any]]:
    """The objects under a setting."""
    edits = [f"{key}={value}" for key, value in setting.items() if key not in (DURATION, READING)]
    objects = edited(course.objects, edits_of(edits)) if edits else course.objects
    return [
        _with_duration(_of_resource(sourced.object, course.resource), setting.get(DURATION))
        for sourced in objects
    ]


def _scenario(course: TraceCourse, manifests: Sequence[Mapping[str, Any]]) -> Scenario:
    """Objects as a scenario without events."""
    return parse_scenario(
        {
            "scenario": "trace",
            "until": format_duration(course.length),
            "objects": list(manifests),
            "timing": {"eviction": format_duration(course.eviction)},
        }
    )


def _with_duration(manifest: Mapping[str, Any], duration: str | None) -> dict[str, Any]:
    """A ClusterQueue with another minAdmitDuration, and the policy that it needs; others as they are."""
    found = copy.deepcopy(dict(manifest))
    if duration is None or found.get("kind") != "ClusterQueue":
        return found
    preemption = found.setdefault("spec", {}).setdefault("preemption", {})
    if duration == OFF:
        preemption.pop("withinClusterQueueConfig", None)
    else:
        preemption["withinClusterQueue"] = WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY.label
        preemption["withinClusterQueueConfig"] = {"minAdmitDuration": duration}
    return found


def _of_resource(manifest: Mapping[str, Any], resource: str) -> Mapping[str, Any]:
    """A ClusterQueue with the quota of one resource only; others, and what has another shape, as they are."""
    groups = items(dig(manifest, "spec", "resourceGroups"))
    if not resource or manifest.get("kind") != "ClusterQueue" or not groups:
        return manifest
    found = copy.deepcopy(dict(manifest))
    kept = [
        group
        for group in found["spec"]["resourceGroups"]
        if resource in items(dig(group, "coveredResources"))
    ]
    for group in kept:
        group["coveredResources"] = [resource]
        for flavor in entries(group.get("flavors")):
            named = [each for each in items(flavor[1].get("resources")) if dig(each, "name") == resource]
            flavor[1]["resources"] = named
    found["spec"]["resourceGroups"] = kept
    return found


def resource_of(objects: Sequence[SourcedObject], resource: str) -> str:
    """The one resource that some ClusterQueues have quota of.

    Args:
        objects: the ClusterQueues and what belongs to them.
        resource: the one that counts; empty for all.

    Raises:
        InputError: an object that is wrong, or several resources.
    """
    found = [dict(_of_resource(sourced.object, resource)) for sourced in objects]
    return _resource(parse_scenario({"scenario": "trace", "until": "1h", "objects": found}))


def _resource(scenario: Scenario) -> str:
    resources = {
        resource
        for queue in scenario.cluster.cluster_queues.values()
        for group in queue.resource_groups
        for flavor in group.flavors
        for resource in flavor.nominal
    }
    if len(resources) != 1:
        found = ", ".join(sorted(resources)) or "none"
        expected = "ClusterQueues with quota of one resource, or the one that counts by --resource"
        raise InputError([Problem("queues", found, expected)])
    return resources.pop()

"""What a scenario file of KAI-Scheduler holds: types, known keys."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, StrictBool, StrictInt, WithJsonSchema

from tenure.manifests.fields import Count, DurationText, Name, Text
from tenure.versions import form
from tenure_play.scenario_file import FilePart, Names, StoryShape, either

MOST_PODS = 10_000
"""Pods of a job or sub-group in the short form, each of which is made."""

Jobs: TypeAlias = Annotated[Any, either(Name | list[Name] | dict[Name, Names])]

PodCount: TypeAlias = Annotated[StrictInt, Field(ge=1, lt=MOST_PODS + 1)]


class KaiTimingShape(FilePart):
    """How long things take."""

    eviction: DurationText | None = None
    """From a preemption until the victim's pods are gone; 0s by default."""


class GroupShape(FilePart):
    """A sub-group of a job."""

    pods: PodCount
    """Number of pods."""
    min_available: Count | None = None
    """How many it needs; all by default."""


class JobShape(FilePart):
    """A job; its pods are called by it, name-0, or by their sub-group, name-group-0."""

    name: Name
    """Its name; the namespace is `default` by default."""
    queue: Name
    """Its Queue, one of the objects."""
    pods: PodCount | None = None
    """Number of pods; 1 by default."""
    min_available: Count | None = None
    """How many it needs; all by default."""
    sub_groups: dict[Name, GroupShape] | None = None
    """Its sub-groups by name, instead of pods and minAvailable."""
    running: StrictBool | None = None
    """Whether its pods run at the start; without since it has no start stamp."""
    since: Text | None = None
    """Its start stamp: RFC 3339, or a duration after the start; it runs then."""
    created: Text | None = None
    """When it was created: RFC 3339, or a duration after the start; at the start by default."""
    preemption_delay: DurationText | None = None
    """How long after its creation or its last eviction it evicts no other job; since v0.17.0."""


class AskShape(FilePart):
    """A job asks for others; each is a scenario of its own."""

    pending: Name = Field(alias="for")
    """The job that asks."""
    victims: Jobs
    """The jobs it asks for, or some of their pods by job; all pods that hold a place where none are named."""
    action: Literal["preempt", "reclaim"] | None = None
    """By default preempt in one queue and reclaim between two."""


class KaiEventShape(FilePart):
    """Something that happens; exactly one thing beside `at`."""

    at: Text
    """When: RFC 3339, or a duration after the start."""
    place: Jobs = None
    """The scheduler places pods that wait; a job of which no pod had a place gets a start stamp."""
    ask: AskShape | None = None
    """Whether others may be preempted; none is."""
    preempt: AskShape | None = None
    """The same, and those that may be preempted are."""
    session: DurationText | None = None
    """A session begins, and lasts so long; what is asked outside of any is asked in one of that instant."""
    finish: Names | None = None
    """Jobs that finish."""
    delete: Names | None = None
    """Jobs that are deleted."""
    clock: DurationText | None = None
    """By how much the scheduler's clock is moved."""
    edit: dict[str, Any] | None = None
    """A merge patch of a Queue, with kind and metadata.name; a new one is created."""


class KaiScenarioShape(StoryShape):
    """Queues and jobs, what happens to them, who asks the MinRuntime plugin for whom and when, and what is
    expected. A job is called namespace/name, or by its name where that is enough."""

    written_as: Annotated[str | None, WithJsonSchema({"const": form("kai-scenario")})] = Field(
        default=None, alias="schema"
    )
    """The version of the file's form; this one by default."""
    scheduler: Literal["kai"]
    """KAI-Scheduler."""
    kai_version: Literal["march_2026", "v0_17"] | None = None
    """The KAI-Scheduler; by default that of the reading."""
    arguments: dict[Name, Text] | None = None
    """Arguments of the plugin, above those of a ConfigMap or SchedulingShard among the objects."""
    timing: KaiTimingShape | None = None
    """How long things take."""
    jobs: list[JobShape] | None = None
    """Jobs in a short form, beside the PodGroups among the objects."""
    events: list[KaiEventShape] | None = None
    """What happens, in any order."""

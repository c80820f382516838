"""The shape of a scenario file of KAI-Scheduler: types, known keys."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, StrictBool, StrictInt

from tenure.manifests.fields import Count, DurationText, Known, Name, Text
from tenure.timeline.shapes import Names, StoryShape

MOST_PODS = 10_000
"""Pods of a job or sub-group in the short form, each of which is made."""

PodCount: TypeAlias = Annotated[StrictInt, Field(ge=1, lt=MOST_PODS + 1)]


class KaiTimingShape(Known):
    eviction: DurationText | None = None


class GroupShape(Known):
    pods: PodCount
    min_available: Count | None = None


class JobShape(Known):
    name: Name
    queue: Name
    pods: PodCount | None = None
    min_available: Count | None = None
    sub_groups: dict[Name, GroupShape] | None = None
    running: StrictBool | None = None
    since: Text | None = None


class AskShape(Known):
    pending: Name = Field(alias="for")
    victims: Any
    action: Literal["preempt", "reclaim"] | None = None


class KaiEventShape(Known):
    at: Text
    place: Any = None
    ask: AskShape | None = None
    take: AskShape | None = None
    session: DurationText | None = None
    finish: Names | None = None
    delete: Names | None = None
    clock: DurationText | None = None
    edit: dict[str, Any] | None = None


class KaiScenarioShape(StoryShape):
    scheduler: Literal["kai"]
    arguments: dict[Name, Text] | None = None
    timing: KaiTimingShape | None = None
    jobs: list[JobShape] | None = None
    events: list[KaiEventShape] | None = None

"""The shape of a scenario file: types, known keys. What they mean together is `tenure.timeline.loading`'s."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, PlainValidator, StrictBool, StrictInt

from tenure.errors import InputError, Problem
from tenure.manifests import Place
from tenure.manifests.checking import check
from tenure.manifests.fields import Count, DurationText, Int32, Known, Name, Positive, Text
from tenure.manifests.quantities import parse_quantity

_Shape = TypeVar("_Shape", bound=BaseModel)


def checked(model: type[_Shape], raw: object, place: Place, prefix: str = "") -> _Shape:
    """A part of a scenario as its shape has it.

    Raises:
        InputError: everything in which it deviates.
    """
    problems: list[Problem] = []
    found = check(model, raw, place, problems, prefix=prefix)
    if found is None:
        raise InputError(problems)
    return found


def _listed(value: object) -> object:
    """One name may stand without its list."""
    return [value] if isinstance(value, str) else value


def _bounded(value: object) -> object:
    """A number alone is both bounds."""
    return value if isinstance(value, dict) else {"atLeast": value, "atMost": value}


def _quantity(value: object) -> object:
    """A quantity as it was written: a manifest is made of it."""
    parse_quantity(value)
    return value


Amount: TypeAlias = Annotated[Any, PlainValidator(_quantity)]
Names: TypeAlias = Annotated[list[Name], BeforeValidator(_listed)]
Progress: TypeAlias = Literal["kept", "lost"]


class NumberBounds(Known):
    at_least: Count | None = None
    at_most: Count | None = None


class DurationBounds(Known):
    at_least: DurationText | None = None
    at_most: DurationText | None = None


Number: TypeAlias = Annotated[NumberBounds, BeforeValidator(_bounded)]
Time: TypeAlias = Annotated[DurationBounds, BeforeValidator(_bounded)]


class TimingShape(Known):
    eviction: DurationText | None = None
    cycle: DurationText | None = None
    retry: DurationText | None = None


class GatesShape(Known):
    scheduling_equivalence_hashing: StrictBool | None = Field(
        default=None, alias="SchedulingEquivalenceHashing"
    )
    recompute: StrictBool | None = Field(
        default=None, alias="RecomputeAssignmentUponPreemptionTargetsOverlap"
    )
    preemptors_first: StrictBool | None = Field(default=None, alias="PrioritizePreemptorWorkloads")


class WorkShape(Known):
    work: DurationText | None = None
    progress: Progress | None = None
    eviction: DurationText | None = None


class Defaults(Known):
    namespace: Name | None = None
    queue: Name | None = None
    priority: Int32 | None = None
    priority_class: Name | None = None
    count: Positive | None = None
    requests: dict[Name, Amount] | None = None
    work: DurationText | None = None
    progress: Progress | None = None
    eviction: DurationText | None = None


class SubmitShape(Defaults):
    name: Name | None = None
    manifest: dict[str, Any] | None = None


class GenerateShape(Defaults):
    """Users who submit again and again."""

    name: Name = "user"
    users: Positive
    seed: StrictInt = 0
    start: Text | None = Field(default=None, alias="from")
    until: Text | None = None
    every: DurationText
    jitter: DurationText | None = None
    work_between: list[DurationText] | None = None


class RestartShape(Known):
    down: DurationText | None = None


class EventShape(Known):
    at: Text
    submit: Any = None
    finish: Names | None = None
    delete: Names | None = None
    tick: Literal[True] | None = None
    restart: Any = None
    clock: DurationText | None = None
    edit: dict[str, Any] | None = None


class ShareShape(Known):
    ran: Time | None = None
    kept: Time | None = None
    runs: Number | None = None
    preempted: Number | None = None
    longest_wait: Time | None = None
    finished: StrictBool | None = None


class LoopShape(Known):
    period: Time | None = None
    stuck: Names | None = None
    futile: StrictBool | None = None


class ExpectShape(Known):
    reading: Names | None = None
    at: Text | None = None
    asker: Name | None = Field(default=None, alias="for")
    may_go: Names | None = None
    kept: Names | None = None
    min_runtime: dict[Name, DurationText] | None = None
    running: Names | None = None
    waiting: Names | None = None
    evicted: Names | None = None
    parked: Names | None = None
    priority: dict[Name, Int32] | None = None
    workloads: dict[Name, ShareShape] | None = None
    every_workload: ShareShape | None = None
    preemptions: Number | None = None
    cut_short: Time | None = None
    loop: Any = None


class StoryShape(Known):
    """What a scenario of any scheduler has."""

    scenario: Name | None = None
    title: Text | None = None
    source: Text | None = None
    start: Text | None = None
    until: Text
    files: Names | None = None
    objects: list[Any] | None = None
    expect: list[ExpectShape] | None = None


class ScenarioShape(StoryShape):
    scheduler: Literal["kueue"] | None = None
    max_cycles: Positive | None = None
    timing: TimingShape | None = None
    gates: GatesShape | None = None
    work: dict[Name, WorkShape] | None = None
    defaults: Defaults | None = None
    generate: list[GenerateShape] | None = None
    events: list[EventShape] | None = None

"""What a scenario file holds: types, known keys. What they mean together is `tenure_play.loading`'s."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    WithJsonSchema,
)

from tenure.errors import InputError, Problem
from tenure.manifests import Place
from tenure.manifests.checking import check
from tenure.manifests.fields import Count, DurationText, Int32, Known, Name, Positive, Text
from tenure.manifests.quantities import parse_quantity
from tenure.versions import form, need_form

_Shape = TypeVar("_Shape", bound=BaseModel)


def checked(model: type[_Shape], raw: object, place: Place, prefix: str = "", *, name: str = "") -> _Shape:
    """A part of a scenario as its shape has it.

    Args:
        model: the shape.
        raw: the part, untrusted.
        place: where it is.
        prefix: path of the part.
        name: of the form, of a whole document, which may have its version.

    Raises:
        InputError: everything in which it deviates.
    """
    if name and isinstance(raw, dict) and "schema" in raw:
        need_form(raw["schema"], name, object=place.object, file=place.file)
    problems: list[Problem] = []
    found = check(model, raw, place, problems, prefix=prefix)
    if found is None:
        raise InputError(problems)
    return found


class FilePart(Known):
    """A part of a file; what is below a field describes it in the published schema."""

    model_config = ConfigDict(use_attribute_docstrings=True)


def either(shape: Any) -> BeforeValidator:
    """What is read later, where it is known which of several shapes it has."""
    return BeforeValidator(lambda value: value, json_schema_input_type=shape)


def _listed(value: object) -> object:
    """One name may be given without a list."""
    return [value] if isinstance(value, str) else value


def _bounded(value: object) -> object:
    """A number alone is both bounds."""
    return value if isinstance(value, dict) else {"atLeast": value, "atMost": value}


def _quantity(value: object) -> object:
    """A quantity as it was written: a manifest is made of it."""
    parse_quantity(value)
    return value


Amount: TypeAlias = Annotated[Any, PlainValidator(_quantity, json_schema_input_type=str | int | float)]
Names: TypeAlias = Annotated[list[Name], BeforeValidator(_listed, json_schema_input_type=Name | list[Name])]
Progress: TypeAlias = Literal["kept", "lost"]


class NumberBounds(FilePart):
    """Bounds of a number."""

    at_least: Count | None = None
    """Null for no bound."""
    at_most: Count | None = None
    """Null for no bound."""


class DurationBounds(FilePart):
    """Bounds of a duration."""

    at_least: DurationText | None = None
    """Null for no bound."""
    at_most: DurationText | None = None
    """Null for no bound."""


Number: TypeAlias = Annotated[
    NumberBounds, BeforeValidator(_bounded, json_schema_input_type=Count | NumberBounds)
]
Time: TypeAlias = Annotated[
    DurationBounds, BeforeValidator(_bounded, json_schema_input_type=DurationText | DurationBounds)
]


class TimingShape(FilePart):
    """How long things take."""

    eviction: DurationText | None = None
    """From a preemption to the release of quota; 0s by default."""
    cycle: DurationText | None = None
    """The least time between two cycles; 10ms by default."""
    retry: DurationText | None = None
    """From an event until the parked workloads are tried again; 1s by default."""


class GatesShape(FilePart):
    """Kueue's feature gates about queues and cycles."""

    scheduling_equivalence_hashing: StrictBool | None = Field(
        default=None, alias="SchedulingEquivalenceHashing"
    )
    """Kueue's gate."""
    recompute: StrictBool | None = Field(
        default=None, alias="RecomputeAssignmentUponPreemptionTargetsOverlap"
    )
    """Kueue's gate."""
    preemptors_first: StrictBool | None = Field(default=None, alias="PrioritizePreemptorWorkloads")
    """Kueue's gate."""


class WorkShape(FilePart):
    """What one of the objects' workloads has to do."""

    work: DurationText | None = None
    """How long it must run to finish; without end by default."""
    progress: Progress | None = None
    """Whether its progress survives a preemption; kept by default."""
    eviction: DurationText | None = None
    """How long its pods take to end when it is evicted, instead of timing.eviction."""


class Defaults(FilePart):
    """Defaults of submitted workloads."""

    namespace: Name | None = None
    """Its namespace; `default` by default."""
    queue: Name | None = None
    """Its LocalQueue; optional where there is no LocalQueue and one ClusterQueue."""
    priority: Int32 | None = None
    """spec.priority; 0 where there is neither a priority nor a class."""
    priority_class: Name | None = None
    """Its WorkloadPriorityClass, one of the objects."""
    count: Positive | None = None
    """Number of pods; 1 by default."""
    requests: dict[Name, Amount] | None = None
    """What each pod requests, as Kubernetes writes quantities."""
    work: DurationText | None = None
    """How long it must run to finish; without end by default."""
    progress: Progress | None = None
    """Whether its progress survives a preemption; kept by default."""
    eviction: DurationText | None = None
    """How long its pods take to end when it is evicted, instead of timing.eviction."""


class SubmitShape(Defaults):
    """A workload that is submitted: in short, or as a manifest."""

    name: Name | None = None
    """Its name."""
    manifest: dict[str, Any] | None = None
    """A Workload as Kubernetes writes it, instead of the short form."""


class GenerateShape(Defaults):
    """Users who submit again and again; the same seed gives the same submissions."""

    name: Name = "user"
    """Begins their workloads' names."""
    users: Positive
    """How many."""
    seed: StrictInt = 0
    """Of chance."""
    start: Text | None = Field(default=None, alias="from")
    """When they begin."""
    until: Text | None = None
    """When they end."""
    every: DurationText
    """From one submission of a user to the next."""
    jitter: DurationText | None = None
    """Moves each submission by up to that much, either way."""
    work_between: list[DurationText] | None = None
    """The shortest and the longest work."""


class RestartShape(FilePart):
    """A restart of the controller that takes time."""

    down: DurationText | None = None
    """How long there is no controller."""


class EventShape(FilePart):
    """Something that happens; exactly one thing beside `at`."""

    at: Text
    """When: RFC 3339, or a duration after the start."""
    submit: Annotated[Any, either(SubmitShape | list[SubmitShape] | None)] = None
    """Workloads that are submitted."""
    finish: Names | None = None
    """Workloads that finish, whatever work is left."""
    delete: Names | None = None
    """Workloads that are deleted."""
    tick: Literal[True] | None = None
    """Something happens that concerns no workload: every cohort's workloads are tried again."""
    restart: Annotated[Any, either(Literal[True] | RestartShape | None)] = None
    """The controller restarts."""
    clock: DurationText | None = None
    """By how much the controller's clock is moved."""
    edit: dict[str, Any] | None = None
    """A merge patch of a ClusterQueue, Cohort, ResourceFlavor or WorkloadPriorityClass, with kind and
    metadata.name; a new one is created."""


class ShareShape(FilePart):
    """What is expected of a workload over the whole play."""

    ran: Time | None = None
    """How long it works in all."""
    kept: Time | None = None
    """How much of that is not lost."""
    runs: Number | None = None
    """How often it is admitted."""
    preempted: Number | None = None
    """How often it is preempted."""
    longest_wait: Time | None = None
    """Its longest wait."""
    finished: StrictBool | None = None
    """Whether it finishes."""


class LoopShape(FilePart):
    """A loop that is expected."""

    period: Time | None = None
    """Until the state comes back."""
    stuck: Names | None = None
    """Workloads that lose what they work in every turn."""
    futile: StrictBool | None = None
    """Whether no work is kept at all."""


class ExpectShape(FilePart):
    """What is expected, at an instant or of the whole play."""

    reading: Names | None = None
    """The presets that it holds for; all where none is named."""
    at: Text | None = None
    """The instant, when all of it has happened; null for the whole play."""
    asker: Name | None = Field(default=None, alias="for")
    """KAI-Scheduler: the job of the call at that instant; any by default."""
    may_be_preempted: Names | None = None
    """KAI-Scheduler: jobs that may be preempted, by the answers of that instant."""
    kept: Names | None = None
    """KAI-Scheduler: jobs that may not."""
    min_runtime: dict[Name, DurationText] | None = None
    """KAI-Scheduler: what counts for a job, by the answers of that instant."""
    running: Names | None = None
    """Workloads that run then."""
    waiting: Names | None = None
    """Workloads that wait then."""
    evicted: Names | None = None
    """Workloads that are evicted then and still hold quota."""
    parked: Names | None = None
    """Kueue: workloads that wait outside the heap then."""
    priority: dict[Name, Int32] | None = None
    """Kueue: effective priorities then."""
    workloads: dict[Name, ShareShape] | None = None
    """By name, over the whole play."""
    every_workload: ShareShape | None = None
    """Of each workload."""
    preemptions: Number | None = None
    """How many there are."""
    cut_short: Time | None = None
    """The longest time that a protected time was cut short."""
    loop: Annotated[Any, either(Literal["none", "any"] | LoopShape | None)] = None
    """Kueue: whether a state comes back, and what happens then."""


class StoryShape(FilePart):
    """What a scenario of any scheduler has."""

    scenario: Name | None = None
    """Its name; the file's by default."""
    title: Text | None = None
    """What it shows, in a sentence."""
    source: Text | None = None
    """Where the story comes from."""
    start: Text | None = None
    """RFC 3339; a Monday at nine by default."""
    until: Text
    """When the play ends: RFC 3339, or a duration after the start."""
    files: Names | None = None
    """Files and folders with Kubernetes objects, relative to the scenario's; - for standard input."""
    objects: list[Annotated[Any, either(dict[str, Any])]] | None = None
    """Kubernetes objects as kubectl prints them; the newest apiVersion by default."""
    expect: list[ExpectShape] | None = None
    """What is expected."""


class ScenarioShape(StoryShape):
    """Objects, what happens to them and when, and what is expected of it. A workload is called
    namespace/name, or by its name where that is enough."""

    written_as: Annotated[str | None, WithJsonSchema({"const": form("scenario")})] = Field(
        default=None, alias="schema"
    )
    """The version of the file's form; this one by default."""
    scheduler: Literal["kueue"] | None = None
    """Kueue; KAI-Scheduler's scenarios have a schema of their own, kai-scenario."""
    max_cycles: Positive | None = None
    """How many scheduling cycles there may be, at most 1000000; without it, as many as time allows."""
    timing: TimingShape | None = None
    """How long things take."""
    gates: GatesShape | None = None
    """Feature gates."""
    work: dict[Name, WorkShape] | None = None
    """What the workloads among the objects have to do, by name."""
    defaults: Defaults | None = None
    """Defaults of submitted workloads."""
    generate: list[GenerateShape] | None = None
    """Users who submit again and again."""
    events: list[EventShape] | None = None
    """What happens, in any order."""

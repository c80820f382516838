"""What a document with expectations on decisions holds, as `tenure schema expectations` prints it."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema

from tenure.manifests.fields import Name, Text
from tenure.versions import form
from tenure_check.expectations.assertion_file import Keeps, Nevers, NoLoopShape, Reaches
from tenure_play.scenario_file import FilePart, either

ABOUT_ALL_STATES: Final = ("never", "keeps", "noLoop", "reaches")
"""Keys of what is asserted of every state of the configuration."""


def _listed(value: object) -> object:
    """One name or one file may be given without a list."""
    return [value] if isinstance(value, str | dict) else value


_Manifest = Annotated[Any, either(Name | dict[str, Any])]

Names = Annotated[list[Name], BeforeValidator(_listed, json_schema_input_type=Name | list[Name])]


def _one_of(*fields: str) -> dict[str, JsonValue]:
    """At least one of some fields has to be there."""
    return {"anyOf": [{"required": [field]} for field in fields]}


class ExpectedShape(FilePart):
    """What is expected of the decision about one pending workload."""

    model_config = ConfigDict(json_schema_extra=_one_of("decision", "preempted", "kept"))

    workload: Name
    """The pending workload."""
    cluster_queue: Name | None = None
    """Its ClusterQueue; by default the one that its LocalQueue points to."""
    decision: Literal["Fit", "Preempt", "NoCandidates", "NoFit"] | None = None
    """What is decided."""
    preempted: Names | None = None
    """Exactly the workloads that are preempted, in any order; an empty list for none."""
    kept: Names | None = None
    """Workloads that are not preempted; others may be."""


class DecisionsShape(FilePart):
    """Manifests, a clock, a reading, and what is expected of them: a document of a *.tenure.yaml file. A
    document with until is a scenario, and has a schema of its own. A workload is called namespace/name, or by
    its name where that is enough."""

    model_config = ConfigDict(
        json_schema_extra=_one_of("validate", "expect", "neverPreempted", *ABOUT_ALL_STATES)
    )

    written_as: Annotated[str | None, WithJsonSchema({"const": form("expectations")})] = Field(
        default=None, alias="schema"
    )
    """The version of the document's form; this one by default."""
    test: Name | None = None
    """Its name; the file's by default."""
    title: Text | None = None
    """What it is about, in a sentence."""
    manifests: Annotated[
        list[_Manifest], BeforeValidator(_listed, json_schema_input_type=_Manifest | list[_Manifest])
    ]
    """The cluster: files and folders, from the folder of this file; - for standard input; objects; and
    commands that print manifests, as render: kubectl kustomize overlays/prod, which --render has to allow.
    Kueue's Configuration may be among them."""
    now: Text | None = None
    """The cycle's clock, RFC 3339; needed for every decision."""
    reading: Annotated[Any, either(str | dict[str, str] | None)] = None
    """A preset, or choices above one; guaranteed by default."""
    validation: Literal["valid", "clean"] | None = Field(default=None, alias="validate")
    """That the manifests are valid, or clean: valid without a warning."""
    expect: list[ExpectedShape] | None = None
    """What is expected of the decisions about pending workloads, each evaluated independently."""
    never_preempted: Names | None = None
    """Running workloads that no pending workload preempts."""
    never: Nevers | None = None
    """That some workloads never preempt some others, in any consistent state of the configuration."""
    keeps: Keeps | None = None
    """That running workloads keep their quota for a time, in any consistent state."""
    no_loop: NoLoopShape | None = None
    """That no few workloads preempt each other for ever."""
    reaches: Reaches | None = None
    """That pending workloads get their nominal quota, in any consistent state."""

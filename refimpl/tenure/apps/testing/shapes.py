"""The shape of a document with expectations on decisions, as `tenure schema expectations` prints it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from tenure.manifests.fields import Known, Name, Text


def _listed(value: object) -> object:
    """One name or one file may stand without its list."""
    return [value] if isinstance(value, str | dict) else value


Names = Annotated[list[Name], BeforeValidator(_listed)]


class ExpectedShape(Known):
    """What is expected of the decision about one pending workload."""

    workload: Name
    cluster_queue: Name | None = None
    decision: Literal["Fit", "Preempt", "NoCandidates", "NoFit"] | None = None
    preempted: Names | None = None
    kept: Names | None = None


class DecisionsShape(Known):
    """Manifests, a clock, a reading, and what is expected of them."""

    test: Name | None = None
    title: Text | None = None
    manifests: Annotated[list[Any], BeforeValidator(_listed)]
    now: Text | None = None
    reading: Any = None
    validation: Literal["valid", "clean"] | None = Field(default=None, alias="validate")
    expect: list[ExpectedShape] | None = None
    never_preempted: Names | None = None

"""Call `priority`: what a WorkloadPriorityClass comes to at an instant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from tenure.conformance.gathering import attempt, key_problems
from tenure.conformance.protocol_types import PriorityOutput
from tenure.errors import InputError
from tenure.manifests import parse_instant, read_priority_class
from tenure.manifests.showing import refused
from tenure.model import Cluster, Workload
from tenure.oracle.snapshot import with_effective_priority
from tenure.readings import parse_reading

_Read = TypeVar("_Read")

REQUIRED: Final = ("workloadPriorityClass", "created", "now")
FIELDS: Final = (*REQUIRED, "reading")


def answer_priority(raw: object) -> PriorityOutput:
    """The `output` of call `priority`.

    Args:
        raw: the `input`, untrusted: `workloadPriorityClass`, the times `created` (of the Job) and `now`, and
            a `reading`.

    Raises:
        InputError: everything that is wrong with it, or a class that the reading refuses.

    Source: KEP-754, Priority Calculation.

    >>> policy = {"step": 400, "max": 1000, "delayForStep": "1h"}
    >>> growing = {"metadata": {"name": "c"}, "spec": {"priority": 100, "dynamicPriorityPolicy": policy}}
    >>> noon, two = "2026-01-01T12:00:00Z", "2026-01-01T14:00:00Z"
    >>> answer_priority({"workloadPriorityClass": growing, "created": noon, "now": two})
    PriorityOutput(priority=900)
    """
    if not isinstance(raw, Mapping):
        raise refused("input", raw, "an object")
    problems = key_problems(raw, REQUIRED, FIELDS)

    def given(field: str, read: Callable[[Any], _Read]) -> _Read | None:
        return attempt(problems, lambda: read(raw[field])) if field in raw else None

    where = "workloadPriorityClass"
    found = given(where, lambda written: read_priority_class(written, where=where))
    created = given("created", lambda written: parse_instant(written, field="created"))
    now = given("now", lambda written: parse_instant(written, field="now"))
    reading = attempt(problems, lambda: parse_reading(raw.get("reading")))
    if problems:
        raise InputError(problems)
    assert found is not None
    assert created is not None
    assert now is not None
    assert reading is not None
    cluster = Cluster({}, growing={found.name: found})
    waiting = Workload("", "", "", found.base, created, priority_class=found.name, job_created_at=created)
    return PriorityOutput(with_effective_priority(waiting, cluster, now, reading).priority)

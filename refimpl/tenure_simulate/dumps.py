"""A dump as a trace: `kubectl get workloads -A -o json` of a cluster that keeps finished ones."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from tenure.errors import InputError, Problem
from tenure.manifests import Place, SourcedObject, WorkloadReader, build, place_of
from tenure.manifests.history import ConditionNote, notes_of
from tenure.manifests.limits import MAX_PROBLEMS
from tenure.manifests.structure import dig
from tenure.model import SECOND, Duration, Workload
from tenure_simulate.traces import JobTrace, TraceRow

SUFFIXES: Final = (".yaml", ".yml", ".json")
"""What ends so is a dump and no CSV file, as are folders and standard input."""
_QUEUE: Final = "status.admission.clusterQueue"
_SIZE: Final = "status.admission.podSetAssignments"
_PAST: Final = ("accumulatedPastExecutionTimeSeconds", "accumulatedPastExexcutionTimeSeconds")
"""Of `status`: how long a workload was admitted before it was evicted, as v1beta2 and v1beta1 write it."""


def read_dump(objects: Sequence[SourcedObject], resource: str, file: str) -> JobTrace:
    """The finished workloads of a dump as jobs: each works as long as it had quota.

    Args:
        objects: of the dump; others than Workloads are not looked at.
        resource: what the jobs request; a workload that requests none of it is left out.
        file: the dump, for errors.

    Raises:
        InputError: an object that cannot be read, a finished workload that does not say when it began
            or ended, or none that has finished.

    Source: Kueue v0.19.2: a finished workload keeps its admission and the condition QuotaReserved.

    >>> dump = SourcedObject("w.json", {"kind": "Workload", "apiVersion": "kueue.x-k8s.io/v1beta2",
    ...     "metadata": {"namespace": "ml", "name": "waits"}})
    >>> read_dump([dump], "cpu", "w.json")
    Traceback (most recent call last):
    tenure.errors.InputError: w.json: found 1 not finished, expected a Workload that has finished
    """
    workloads = [each for each in objects if dig(each.object, "kind") == "Workload"]
    loaded = build(workloads)
    rows: list[TraceRow] = []
    problems: list[Problem] = []
    out: Counter[str] = Counter()
    out["not finished"] = len(loaded.cluster.admitted) + len(loaded.cluster.pending) + len(loaded.set_aside)
    reader = WorkloadReader()
    files = {_names(each.object): each.file for each in workloads}
    for raw in loaded.out_of_play:
        place = place_of(raw, "Workload", file=files.get(_names(raw), file))
        found = _row(raw, resource, place, reader, problems)
        if isinstance(found, TraceRow):
            rows.append(found)
        else:
            out[found] += 1
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    out = +out
    if not rows:
        left = ", ".join(f"{count} {why}" for why, count in out.items()) or "no Workload"
        raise InputError([Problem("", left, "a Workload that has finished", file=file)])
    ordered = tuple(sorted(rows, key=lambda row: row.submit))
    return JobTrace(file, ordered, sha256_of(workloads), _QUEUE, _SIZE, left_out=out)


def sha256_of(objects: Sequence[SourcedObject]) -> str:
    """The hash of some objects, in whatever order, files and notation they are read.

    >>> one, other = SourcedObject("a", {"x": 1}), SourcedObject("b", {"y": 2})
    >>> sha256_of([one, other]) == sha256_of([other, one]), sha256_of([one])[:12]
    (True, '613fe5aa6534')
    """
    texts = sorted(json.dumps(each.object, sort_keys=True, default=str) for each in objects)
    return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def _names(raw: object) -> tuple[object, object]:
    return dig(raw, "metadata", "namespace"), dig(raw, "metadata", "name")


def _row(
    raw: Any, resource: str, place: Place, reader: WorkloadReader, problems: list[Problem]
) -> TraceRow | str:
    """A finished workload as a job, or why it is none; what is wrong with it is added to the problems."""
    notes = notes_of(raw)
    finished, reserved = notes.get("Finished"), notes.get("QuotaReserved")
    if finished is None or not finished.holds:
        return "not finished"
    if reserved is None or not reserved.holds:
        return "without quota when they finished"
    before = len(problems)
    workload = reader.read(raw, place, problems, holds_quota=True)
    worked = _worked(raw, finished, reserved, place, problems)
    if len(problems) > before or workload is None:
        return "with problems"
    amount = sum(held for key, held in workload.usage.items() if key.resource == resource)
    if amount <= 0:
        return f"without {resource}"
    return _job(workload, worked, f"{amount}m" if resource == "cpu" else str(amount))


def _worked(
    raw: Any, finished: ConditionNote, reserved: ConditionNote, place: Place, problems: list[Problem]
) -> Duration:
    """How long a workload had quota in all, ns; what is wrong with it is added to the problems."""
    for kind, note in (("Finished", finished), ("QuotaReserved", reserved)):
        if note.since is None:
            field = f"status.conditions[type={kind}].lastTransitionTime"
            problems.append(place.problem(field, "no time", "when it became True, as RFC 3339 has it"))
    past = _past(raw)
    if past is None:
        problems.append(place.problem(f"status.{_PAST[0]}", "no count of seconds", "a whole number"))
    last = (finished.since or 0) - (reserved.since or 0)
    if last < 0:
        field = "status.conditions[type=Finished].lastTransitionTime"
        problems.append(place.problem(field, f"{-last // SECOND}s before QuotaReserved", "a later time"))
    return last + (past or 0)


def _past(raw: object) -> Duration | None:
    """How long a workload had quota in earlier stays, ns; None where that is no number."""
    found = next((dig(raw, "status", name) for name in _PAST if dig(raw, "status", name) is not None), 0)
    return found * SECOND if isinstance(found, int) and found >= 0 else None


def _job(workload: Workload, worked: Duration, size: str) -> TraceRow:
    return TraceRow(
        job=workload.key,
        queue=workload.cluster_queue or "",
        submit=workload.created_at,
        duration=worked,
        size=size,
        priority=workload.priority,
        priority_class=workload.priority_class,
        boost=workload.priority_boost,
        place=f"Workload/{workload.key}",
    )


def is_dump(trace: str, *, is_folder: bool) -> bool:
    """Whether a trace is a dump, by its name.

    >>> is_dump("workloads.json", is_folder=False), is_dump("philly.csv.gz", is_folder=False)
    (True, False)
    """
    return is_folder or trace == "-" or trace.endswith(SUFFIXES)

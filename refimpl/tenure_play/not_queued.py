"""Why a workload waits for something else than quota, or does not wait at all, as its objects show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from tenure.api import assumed_queue, in_line
from tenure.explanation.answers import Locate
from tenure.manifests import Loaded, object_name
from tenure.manifests.configuration_in_status import BLOCKED
from tenure.manifests.history import notes_of
from tenure.manifests.naming import (
    LIVE,
    WorkloadState,
    finished_text,
    keys_called,
    pending_key,
    workload_key,
    workload_states,
)
from tenure.manifests.showing import did_you_mean, printable
from tenure.manifests.structure import dig, has_condition, items
from tenure.model import Instant, Workload
from tenure.outline import Facts, Name, Outline, Words
from tenure.readings import Reading
from tenure.units import format_instant, format_names
from tenure.versions import kueue_version

GATED: Final = "kueue.x-k8s.io/admission-gated-by"
_MOST: Final = 3
_DERIVED: Final = ("Stopped", "FlavorNotFound", "TopologyNotFound")
"""Reasons of an inactive ClusterQueue that its objects show, whatever its status says."""
_ORDINALS: Final = {1: "1st", 2: "2nd", 3: "3rd"}


class WaitKind(StrEnum):
    """What a workload waits for, or why it does not wait."""

    FINISHED = "finished"
    """It has finished."""
    INACTIVE = "inactive"
    """Its `spec.active` is false."""
    ADMITTED = "admitted"
    """It is admitted."""
    PODS_NOT_READY = "pods-not-ready"
    """It is admitted, and its pods are not all ready."""
    EVICTED = "evicted"
    """It is evicted and holds its quota until its pods have ended."""
    ADMISSION_CHECK = "admission-check"
    """It holds quota and waits for an admission check."""
    TOPOLOGY = "topology"
    """It holds quota and waits for a place in a topology."""
    CONTROLLER = "controller"
    """It holds quota, and Kueue has yet to set its condition Admitted."""
    NO_LOCAL_QUEUE = "no-local-queue"
    """There is no LocalQueue of the name that it gives."""
    NO_CLUSTER_QUEUE = "no-cluster-queue"
    """There is no ClusterQueue of the name that its LocalQueue gives."""
    INACTIVE_QUEUE = "inactive-cluster-queue"
    """Its ClusterQueue is not active."""
    BACK_OFF = "back-off"
    """It is queued again later."""
    GATED = "gated"
    """A gate keeps it out of the queue."""
    REPLACEMENT_PODS = "replacement-pods"
    """It waits for pods that replace others."""
    PODS_READY = "pods-ready"
    """Kueue admits no workload until the pods of all admitted ones are ready."""
    INADMISSIBLE = "inadmissible"
    """Kueue does not queue it, for the reason of its condition Requeued."""


@dataclass(frozen=True, slots=True)
class WaitCause:
    """Why a workload is not in its queue."""

    kind: WaitKind
    """What it waits for, or why it does not wait."""
    object: str
    """The object that shows it, as `Workload/ml/train`."""
    field: str
    """Path of the field that shows it; empty where the object is missing."""
    value: str
    """What the field has."""
    text: str
    """The cause in words."""
    file: str | None = None
    """The file of the object; null where that is not known."""
    line: int | None = None
    """The line of the field there, from 1; null where that is not known."""

    def words(self) -> Words:
        """The object, the field with its value, and its place."""
        if not self.field:
            return f"{self.object} is not given"
        place = f" ({self.file}:{self.line})" if self.line else ""
        return [Name(self.field), " of ", Name(self.object), f": {self.value}{place}"]


@dataclass(frozen=True, slots=True)
class NotQueuedAnswer:
    """Why a workload does not wait for quota."""

    workload: str
    """The workload."""
    cluster_queue: str | None
    """Its ClusterQueue; null where that is not known."""
    now: str
    """The clock."""
    summary: str
    """The answer in one line."""
    causes: tuple[WaitCause, ...]
    """What it waits for, or why it does not wait; the first one has to end first."""
    ahead: tuple[str, ...]
    """The workloads that will be ahead of it when its back-off ends, the head first."""
    coming: str | None
    """What comes next for it, in words; null where that is not looked at."""
    warnings: tuple[str, ...] = ()
    """What was assumed or ignored in the input."""
    kueue: str = kueue_version(None)
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""

    def outline(self) -> Outline:
        """The answer for people."""
        facts: list[Words] = [cause.words() for cause in self.causes]
        if self.coming is not None:
            facts.append(f"then, if nothing else happens: {self.coming}")
        return Outline(f"Why {self.workload} waits", [self.summary, Facts([*facts, f"clock {self.now}"])])


def key_of_any(loaded: Loaded, word: str) -> str:
    """The workload that a word means, a pending one rather than others.

    Args:
        loaded: the cluster.
        word: what it is called.

    Raises:
        InputError: none or several are called so.

    >>> from tenure.resources import bundled
    >>> from tenure.api import load
    >>> key_of_any(load(bundled("examples", "two-teams")), "rlhf-rollout")
    'team-b/job-rlhf-rollout-63a0e'
    """
    if not keys_called(loaded, word) or WorkloadState.PENDING in workload_states(loaded, word):
        return pending_key(loaded, word)
    return workload_key(loaded, word, (*LIVE, WorkloadState.OUT_OF_PLAY))


@dataclass(frozen=True, slots=True)
class NotQueued:
    """What keeps one workload out of its queue.

    Args:
        loaded: the cluster.
        key: the workload, `namespace/name`.
        raw: its manifest; empty where it is yet to be created.
        queues: the manifests of ClusterQueues, by name.
        now: the clock, ns since the epoch.
        cluster_queue: the ClusterQueue that was named instead of its own; None for its own.
    """

    loaded: Loaded
    key: str
    raw: Mapping[str, Any]
    queues: Mapping[str, Mapping[str, Any]]
    now: Instant
    cluster_queue: str | None = None

    @property
    def name(self) -> str:
        """As messages have it."""
        return object_name("Workload", *self.key.split("/", 1))

    def causes(self) -> Iterator[WaitCause]:
        """What keeps it out of its queue, the first one to end first; none where it is queued.

        Source: Kueue v0.19.2, `IsAdmissible`, and the controller of Workloads.
        """
        if has_condition(self.raw, "Finished"):
            yield self._cause(
                WaitKind.FINISHED, "status.conditions[Finished]", "True", finished_text(self.raw)
            )
        elif dig(self.raw, "spec", "active") is False:
            yield self._cause(WaitKind.INACTIVE, "spec.active", "false", self._deactivated())
        elif any(held.key == self.key for held in self.loaded.cluster.admitted):
            yield from self._of_quota()
        else:
            yield from self._of_queues()
            yield from self._of_queueing()

    def queue(self) -> str | None:
        """Its ClusterQueue; None where that is not known."""
        admitted = dig(self.raw, "status", "admission", "clusterQueue")
        if isinstance(admitted, str):
            return admitted
        cluster = self.loaded.cluster
        named = self.cluster_queue or assumed_queue(self.loaded)
        found = named or cluster.local_queues.get((self.key.partition("/")[0], self._queue_name()))
        return found if found in cluster.cluster_queues else None

    def pending(self) -> Workload | None:
        """It as the cluster has it; None where it does not wait, or is set aside."""
        return next((found for found in self.loaded.cluster.pending if found.key == self.key), None)

    def _cause(self, kind: WaitKind, field: str, value: object, text: str, name: str = "") -> WaitCause:
        return WaitCause(kind, name or self.name, field, printable(str(value)), text)

    def _queue_name(self) -> str:
        waiting = self.pending()
        found = waiting.queue_name if waiting is not None else dig(self.raw, "spec", "queueName")
        return found if isinstance(found, str) else ""

    def _deactivated(self) -> str:
        """That it is inactive, and why, as far as its condition Evicted records it."""
        note = notes_of(self.raw).get("Evicted")
        why = f": {printable(note.message)}" if note is not None and note.holds and note.message else ""
        return f"is inactive: spec.active is false{why}"

    def _of_quota(self) -> Iterator[WaitCause]:
        notes = notes_of(self.raw)
        evicted, reserved, admitted = (notes.get(kind) for kind in ("Evicted", "QuotaReserved", "Admitted"))
        queue = f"in ClusterQueue {self.queue()}"
        if evicted is not None and evicted.holds:
            since, reason = _since(evicted.since), printable(evicted.reason)
            text = f"is evicted{since} ({reason}), and holds its quota {queue} until its pods have ended"
            yield self._cause(WaitKind.EVICTED, "status.conditions[Evicted]", "True", text)
        elif admitted is not None and admitted.holds:
            at = _since(admitted.since)
            text = (
                f"is admitted{at}, and holds its quota {queue}; who could preempt it: tenure why {self.key}"
            )
            yield self._cause(WaitKind.ADMITTED, "status.conditions[Admitted]", "True", text)
            for condition in items(dig(self.raw, "status", "conditions")):
                if dig(condition, "type") == "PodsReady" and dig(condition, "status") == "False":
                    text = f"its pods are not all ready: {_message(condition)}"
                    kind = WaitKind.PODS_NOT_READY
                    yield self._cause(kind, "status.conditions[PodsReady]", "False", text)
        else:
            since = _since(reserved.since if reserved is not None else None)
            holds = f"holds its quota {queue}{since}, and is not admitted yet"
            waits = [*self._checks()]
            for cause in waits:
                yield replace(cause, text=f"{holds}: {cause.text}" if cause is waits[0] else cause.text)
            if not waits:
                text = f"{holds}: Kueue has yet to set its condition Admitted"
                yield self._cause(WaitKind.CONTROLLER, "status.conditions[Admitted]", "not True", text)

    def _checks(self) -> Iterator[WaitCause]:
        found = items(dig(self.raw, "status", "admissionChecks"))
        for index, check in enumerate(found):
            name, state = dig(check, "name"), dig(check, "state")
            if state == "Ready":
                continue
            said = _message(check)
            at = dig(check, "lastTransitionTime")
            since = f" since {printable(at)}" if isinstance(at, str) else ""
            text = f"admission check {printable(str(name))} is {printable(str(state))}{since}"
            path = f"status.admissionChecks[{index}].state"
            yield self._cause(WaitKind.ADMISSION_CHECK, path, state, f"{text}{f': {said}' if said else ''}")
        named = {dig(check, "name") for check in found}
        queue = self.queue() or ""
        asked = items(dig(self.queues.get(queue), "spec", "admissionChecksStrategy", "admissionChecks"))
        listed = [dig(check, "name") for check in asked if not items(dig(check, "onFlavors"))]
        for name in (*listed, *items(dig(self.queues.get(queue), "spec", "admissionChecks"))):
            if isinstance(name, str) and name not in named:
                path, text = (
                    "spec.admissionChecksStrategy",
                    f"admission check {printable(name)} has no state yet",
                )
                yield self._cause(WaitKind.ADMISSION_CHECK, path, name, text, f"ClusterQueue/{queue}")
        for index, pods in enumerate(items(dig(self.raw, "status", "admission", "podSetAssignments"))):
            if dig(pods, "delayedTopologyRequest") == "Pending":
                path = f"status.admission.podSetAssignments[{index}].delayedTopologyRequest"
                yield self._cause(
                    WaitKind.TOPOLOGY, path, "Pending", "its place in the topology is not chosen yet"
                )

    def _of_queues(self) -> Iterator[WaitCause]:
        """Whether its LocalQueue and its ClusterQueue are there, and active."""
        cluster, namespace = self.loaded.cluster, self.key.partition("/")[0]
        if self.cluster_queue is None and assumed_queue(self.loaded) is None:
            name = self._queue_name()
            target = cluster.local_queues.get((namespace, name))
            if target is None and (namespace, name) not in cluster.held:
                there = sorted(queue for space, queue in cluster.local_queues if space == namespace)
                known = f"its LocalQueues are {format_names(there, _MOST)}" if there else "it has none"
                named = name or "for it: it names none"
                text = f"there is no LocalQueue {named} in namespace {namespace}; {known}"
                text += did_you_mean(name, there)
                yield self._cause(WaitKind.NO_LOCAL_QUEUE, "spec.queueName", name or "not set", text)
            elif target is not None and target not in cluster.cluster_queues:
                text = f"there is no ClusterQueue {target}, to which LocalQueue {namespace}/{name} points"
                local = object_name("LocalQueue", namespace, name)
                yield self._cause(WaitKind.NO_CLUSTER_QUEUE, "spec.clusterQueue", target, text, local)
        queue = self.queue()
        if queue is not None and not cluster.cluster_queues[queue].inactive:
            for condition in items(dig(self.queues.get(queue), "status", "conditions")):
                is_active = dig(condition, "type") == "Active" and dig(condition, "status") == "False"
                if is_active and dig(condition, "reason") not in _DERIVED:
                    text = f"ClusterQueue {queue} is inactive: {_message(condition)}"
                    field, name = "status.conditions[Active]", f"ClusterQueue/{queue}"
                    yield self._cause(WaitKind.INACTIVE_QUEUE, field, "False", text, name)

    def _of_queueing(self) -> Iterator[WaitCause]:
        """What in the workload keeps it out of the queue."""
        waiting = self.pending()
        if waiting is not None and waiting.requeue_at is not None and waiting.requeue_at > self.now:
            until = format_instant(waiting.requeue_at)
            text = f"is in back-off until {until}{self._after()}"
            yield self._cause(WaitKind.BACK_OFF, "status.requeueState.requeueAt", until, text)
        gate = dig(self.raw, "metadata", "annotations", GATED)
        if isinstance(gate, str) and gate and self.loaded.gates.get("AdmissionGatedBy", True):
            text = f"is gated by {printable(gate)}: Kueue does not queue it while the annotation is there"
            yield self._cause(WaitKind.GATED, f"metadata.annotations[{GATED}]", gate, text)
        if has_condition(self.raw, "WaitingForReplacementPods"):
            path = "status.conditions[WaitingForReplacementPods]"
            yield self._cause(WaitKind.REPLACEMENT_PODS, path, "True", "waits for replacement pods")
        for condition in items(dig(self.raw, "status", "conditions")):
            kind, reason, said = dig(condition, "type"), dig(condition, "reason"), _message(condition)
            path = f"status.conditions[{printable(str(kind))}]"
            if dig(condition, "status") != "False":
                continue
            if kind == "Requeued" and reason == "Inadmissible":
                yield self._cause(WaitKind.INADMISSIBLE, path, "False", f"is not queued: {said}")
            if kind == "QuotaReserved" and said == BLOCKED:
                text = f"is {said}: waitForPodsReady.blockAdmission is on"
                yield self._cause(WaitKind.PODS_READY, path, "False", text)

    def _after(self) -> str:
        """What the back-off is after, as far as the conditions record it."""
        note = notes_of(self.raw).get("Evicted")
        count = dig(self.raw, "status", "requeueState", "count")
        if note is not None and note.reason == "PodsReadyTimeout":
            number = f"{_ORDINALS.get(count, f'{count}th')} " if isinstance(count, int) else ""
            return f" after its {number}PodsReady timeout"
        return (
            " after an admission check asked for a retry" if note and note.reason == "AdmissionCheck" else ""
        )

    def ahead(self, reading: Reading) -> Sequence[str]:
        """Who will be ahead of it when its back-off ends, if nothing else happens; the head first."""
        waiting, queue = self.pending(), self.queue()
        if waiting is None or queue is None or waiting.requeue_at is None:
            return ()
        line = [found.key for found in in_line(self.loaded, queue, waiting.requeue_at, reading)]
        return line[: line.index(self.key)] if self.key in line else ()


def not_queued_answer(
    found: NotQueued, reading: Reading, locate: Locate, coming: Callable[[], str | None]
) -> NotQueuedAnswer | None:
    """Why a workload does not wait for quota; None where it does.

    Args:
        found: the workload.
        reading: see `tenure.readings`.
        locate: finds fields in files.
        coming: what comes next for it, in words; it is looked at for a workload in back-off only.
    """
    causes = []
    for cause in found.causes():
        file, line = locate(cause.object, cause.field)
        causes.append(replace(cause, file=file or None, line=line or None))
    if not causes:
        return None
    only_later = all(cause.kind == WaitKind.BACK_OFF for cause in causes)
    ahead = tuple(found.ahead(reading)) if only_later else ()
    behind = f", then behind {format_names(ahead, _MOST)}" if ahead else ""
    verb = "" if causes[0].text.startswith(("is ", "holds ", "finished", "waits ")) else "is not queued: "
    return NotQueuedAnswer(
        workload=found.key,
        cluster_queue=found.queue(),
        now=format_instant(found.now),
        summary=f"{found.key} {verb}{'; '.join(cause.text for cause in causes)}{behind}",
        causes=tuple(causes),
        ahead=ahead,
        coming=coming() if only_later else None,
    )


def _since(at: Instant | None) -> str:
    return "" if at is None else f" since {format_instant(at)}"


def _message(part: object) -> str:
    found = dig(part, "message")
    return printable(found) if isinstance(found, str) else ""

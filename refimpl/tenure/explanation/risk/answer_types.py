"""The shape of the answer to *who could preempt me, and until when am I safe*; JSON has camelCase names.

Amounts are texts as Kubernetes writes quantities; times are RFC 3339; priorities are effective ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from tenure.explanation.shapes import FlavorAmount


@dataclass(frozen=True, slots=True)
class MadeUpShape:
    """A made-up workload that preempts the running one; the reference has decided about it."""

    request: tuple[FlavorAmount, ...]
    """What it requests, with one pod for each flavor."""
    preempted: int
    """How many workloads it preempts, the running one among them."""


@dataclass(frozen=True, slots=True)
class SpanShape:
    """What new workloads of a ClusterQueue could do to the running one from an instant on."""

    since: str
    """From when on; of the first span the clock."""
    until: str | None
    """Until when; null while nothing else changes."""
    priority: int | None
    """The least priority with which a workload of some size preempts it; -2147483648 for any. Null where none
    was found."""
    reason: str | None
    """Of the Preempted condition; null where none preempts it."""
    rules: tuple[str, ...]
    """The rules that allow it, outermost first."""
    refusal: str
    """Why no workload of any priority and size preempts it; empty where one may."""
    unknown_from: int | None
    """From which priority on, below `priority`, not every size could be tried; null where none of lower
    priority preempts it, of whatever size."""
    made_up: MadeUpShape | None
    """A workload that preempts it; null where none was found."""
    text: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class OlderShape:
    """An equal that waits for longer than a new one could."""

    waits_since_before: str
    """It preempts the running workload if it was created before."""
    reason: str
    """Of the Preempted condition."""
    rules: tuple[str, ...]
    """The rules that allow it, outermost first."""
    text: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class SeenShape:
    """The ClusterQueues with the same answer."""

    cluster_queues: tuple[str, ...]
    """Their names."""
    spans: tuple[SpanShape, ...]
    """From the clock on, in order."""
    older: OlderShape | None
    """What an equal could do now that counts as older, where a new one could not; null otherwise."""


@dataclass(frozen=True, slots=True)
class ExposureShape:
    """Who could preempt a running workload with a new workload of any size, and until when it is safe."""

    summary: str
    """The answer in one line."""
    priority: int | None
    """The running workload's effective priority; null where nothing is known."""
    changes: tuple[str, ...]
    """The next instants at which its protection changes: minAdmitDuration ends, or its priority grows."""
    cluster_queues: tuple[SeenShape, ...]
    """Of its own ClusterQueue, then of the others of its tree: those first that could preempt it."""
    more_changes: bool
    """Whether its protection changes after the last instant that is named too."""
    not_covered: str
    """Why nothing is known; empty where something is."""
    topology: str | None = None
    """`not modelled` where Kueue also needs a place in a topology for any workload of its tree, so that the
    answer is by quota alone; null where no topology takes part."""

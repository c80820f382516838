"""What a document asserts of every state of its configuration, whatever workloads come."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StrictInt

from tenure.manifests.fields import DurationText, Name, Text
from tenure_play.scenario_file import FilePart, Names


def _one_or_more(shape: Any) -> Any:
    """One assertion may be given without a list."""
    listed = BeforeValidator(
        lambda value: [value] if isinstance(value, dict) else value,
        json_schema_input_type=shape | list[shape],
    )
    return Annotated[list[shape], listed]


class ExceptionShape(FilePart):
    """Why an assertion need not hold for a while. The machine's clock decides, not the document's."""

    reason: Name
    """Why, for people."""
    until: Text
    """The last day on which it counts, as 2027-01-31, in UTC; or an instant, RFC 3339."""


class WorkloadsShape(FilePart):
    """Workloads of some ClusterQueues and priorities; of all where none is given."""

    cluster_queue: Names | None = None
    """Their ClusterQueues."""
    priority_class: Names | None = None
    """Their WorkloadPriorityClasses; without such classes low, high, or the regions that the matrix has."""


class _Excepted(FilePart):
    exception: ExceptionShape | None = Field(default=None, alias="except")
    """Why it need not hold for a while."""


class _OfStates(_Excepted):
    scope: Literal["consistent", "edited"] = "consistent"
    """Of which states: those that admission alone can produce, or also those after edits of quotas."""


class NeverShape(_OfStates):
    """No workload of some ever preempts one of some others, in any state of the scope."""

    preemptor: WorkloadsShape
    """The pending workloads."""
    victim: WorkloadsShape
    """The running workloads."""


class KeepsShape(_OfStates):
    """Workloads of a ClusterQueue that run keep their quota for a time."""

    cluster_queue: Name
    """Their ClusterQueue."""
    priority_class: Names | None = None
    """Their WorkloadPriorityClasses; all by default."""
    length: DurationText = Field(alias="for")
    """For how long since their quota was reserved, the last instant included."""
    against: Literal["equals", "lower", "higher", "all"] = "all"
    """Against pending workloads of which priority, in whichever ClusterQueue."""


class NoLoopShape(_Excepted):
    """No system of few workloads preempts each other for ever; searched, unless theorems exclude it."""

    up_to: Annotated[StrictInt, Field(ge=2, lt=10)] = 3
    """The most workloads of a system."""
    evictions: Annotated[list[DurationText], Field(min_length=1)] | None = None
    """How long the pods of a victim take to end; 5s and 5.5s by default."""
    within: DurationText | None = None
    """How long to search at most; as long as it takes by default."""


class ReachesShape(_Excepted):
    """A pending workload always gets quota, at once or by preemption."""

    cluster_queue: Name
    """Its ClusterQueue."""
    nominal: Literal[True]
    """It requests no more than is left of the ClusterQueue's nominal quota."""


Nevers = _one_or_more(NeverShape)
Keeps = _one_or_more(KeepsShape)
Reaches = _one_or_more(ReachesShape)

"""What `tenure analyze diff` answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from tenure.as_json import KueueVersion
from tenure.explanation.shapes import WorkloadWithReason
from tenure_check.analysis.fields import FieldChange
from tenure_check.analysis.matrix_answer import MatrixExample, MatrixRole

ChangeKind: TypeAlias = Literal["gained", "lost", "reasons", "unknown"]
"""What became of a cell."""


@dataclass(frozen=True, slots=True)
class DifferenceExample:
    """A state that the two configurations decide otherwise."""

    cluster_queue: str
    """The ClusterQueue of the pending workload."""
    priority_class: str
    """Its priority class, or the region of priorities where no class is given."""
    state: MatrixExample
    """What runs and what is requested; `preempted` and `victim` are of the side where it can."""
    before: str
    """The decision before."""
    after: str
    """The decision after."""
    preempted_before: tuple[WorkloadWithReason, ...]
    """What is preempted before."""
    preempted_after: tuple[WorkloadWithReason, ...]
    """What is preempted after."""


@dataclass(frozen=True, slots=True)
class CellChange:
    """A cell that the two configurations have otherwise."""

    change: ChangeKind
    """`gained`: it can after and is not known to before; `lost`: it could before, and is not known to after;
    `reasons`: it can on both sides, for other reasons; `unknown`: whether it can is not known on one side."""
    preemptor: MatrixRole
    """The pending workload, after the change; before it where only that has the ClusterQueue."""
    victim: MatrixRole
    """The running workload."""
    before: str
    """The verdict before: `never`, `can`, `?`; `absent` where a ClusterQueue is not there."""
    after: str
    """The verdict after."""
    reasons_gained: tuple[str, ...]
    """The reasons for which it can after, and not before."""
    reasons_lost: tuple[str, ...]
    """The reasons for which it can before, and not after."""
    fields: tuple[str, ...]
    """The changed fields of which each alone, if it were not changed, would undo it in the example, or leave
    the example no state of the scope; all that changed where no single one does; none without an example."""
    together: bool
    """Whether no single field does, but only several together."""
    example: DifferenceExample | None
    """A small state that shows it; null where none is known."""


class GuaranteeAspect(StrEnum):
    """What a guarantee is about."""

    TIME = "minAdmitDuration"
    QUOTA = "nominalQuota"


@dataclass(frozen=True, slots=True)
class GuaranteeChange:
    """What running workloads may count on, and could not before, or may not any more."""

    change: Literal["gained", "lost"]
    """What became of it."""
    about: Literal["minAdmitDuration", "nominalQuota"]
    """`minAdmitDuration`: how long the preemptor never preempts it; `nominalQuota`: whether it does so only
    where the victim's ClusterQueue uses more than its nominal quota of something."""
    preemptor: MatrixRole
    """The pending workload; it may preempt the victim for this reason on both sides."""
    victim: MatrixRole
    """The running workload."""
    reason: str
    """Of condition Preempted."""
    before: str
    """For certain: a length of time; or `only above` or `also within` nominal quota."""
    after: str
    """The same after."""
    fields: tuple[str, ...]
    """The changed fields of which each alone would undo it in the example, as for cells."""
    together: bool
    """Whether no single field does, but only several together."""
    example: DifferenceExample | None
    """A small state that shows it; null where none is known."""


@dataclass(frozen=True, slots=True)
class ChangeCounts:
    """How many cells of which change."""

    gained: int
    """Cells gained."""
    lost: int
    """Cells lost."""
    reasons: int
    """Cells that can for other reasons."""
    unknown: int
    """Cells of which a side is not known, and which may have changed."""
    same: int
    """All others."""
    guarantees_gained: int
    """Guarantees gained, of cells that can on both sides."""
    guarantees_lost: int
    """Guarantees lost."""


@dataclass(frozen=True, slots=True)
class MatrixDifference:
    """Which workloads may preempt which others after a change and not before it, and the other way round."""

    before: str
    """What the side before is."""
    after: str
    """What the side after is."""
    scope: str
    """`consistent`: every state that admission alone can produce."""
    premises: tuple[str, ...]
    """What every verdict assumes."""
    reading: str
    """The reading, by its name."""
    kueue: KueueVersion
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    seed: int
    """Of the random states."""
    solvers: dict[str, str]
    """Who proved, by version."""
    changed_fields: tuple[FieldChange, ...]
    """Every field that differs."""
    counts: ChangeCounts
    """The number of cells of each change."""
    cells: tuple[CellChange, ...]
    """Every cell that changed."""
    guarantees: tuple[GuaranteeChange, ...]
    """Every guarantee that changed, of cells that can on both sides for the same reason."""
    unsettled: int
    """How many cells of trees that differ are `?` on either side; the exit code is 5 where any is."""
    unsettled_guarantees: int
    """How many guarantees are not known on either side; the exit code is 5 where any is."""
    example: DifferenceExample | None
    """The smallest state found that is decided otherwise, also where no cell changed; null where none was."""
    looked: int
    """How many states were decided under both in search of one."""
    warnings: tuple[str, ...]
    """About the input, and what was assumed."""
    not_known: tuple[str, ...] = ()
    """What decides on either side and is not modelled, in words; the exit code is 5 where there is any."""

"""What `tenure analyze guarantees` answers."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.as_json import KueueVersion, Span
from tenure_check.analysis.matrix_types import MatrixExample, MatrixRole


@dataclass(frozen=True, slots=True)
class Attacker:
    """Workloads that may preempt the guarded ones, for one reason."""

    preemptor: MatrixRole
    """The pending workload."""
    reason: str
    """Of condition Preempted."""
    when: str
    """`at once`: as soon as the victim's quota is reserved; `after`: only after it has run for longer than
    minAdmitDuration; `later`: never at once, from when on is not known; `?`: neither is known."""
    longer_than: Span | None
    """Where `when` is `after`: the minAdmitDuration."""
    within_nominal: str
    """Whether it can while the victim's ClusterQueue uses no more than its nominal quota of anything: `can`,
    `never`, `?`."""
    why: str
    """What `when` rests on."""
    example: MatrixExample | None
    """A state in which it is preempted, as early as is known."""


@dataclass(frozen=True, slots=True)
class GuardedWorkloads:
    """What running workloads of one ClusterQueue and priority may count on."""

    workloads: MatrixRole
    """Whom this is about."""
    never_by: tuple[MatrixRole, ...]
    """What never preempts them."""
    unknown_by: tuple[MatrixRole, ...]
    """Of what it is not known whether it may preempt them."""
    attackers: tuple[Attacker, ...]
    """What may preempt them, by reason."""
    min_admit_duration: Span | None
    """The minAdmitDuration in force in their ClusterQueue."""
    sentences: tuple[str, ...]
    """The same in words."""
    as_written: tuple[str, ...]
    """What the reading `as-written` says otherwise, where any minAdmitDuration is in force."""


@dataclass(frozen=True, slots=True)
class GuaranteesAnswer:
    """What running workloads may count on, in every state of a scope."""

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
    unsettled: int
    """How many verdicts are `?`; the exit code is 5 where any is."""
    cells: tuple[GuardedWorkloads, ...]
    """By ClusterQueue and priority of the running workloads."""
    warnings: tuple[str, ...]
    """What the files say and cannot mean, and what was assumed."""

"""Which engine decides, and whether what the core needs is installed."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Protocol

from tenure.choices import Engine
from tenure.errors import bad_input
from tenure.registration import added

if TYPE_CHECKING:
    from tenure.model import Assignment, Cluster, Instant, Workload
    from tenure.oracle.decide import Decision
    from tenure.oracle.snapshot import Snapshot
    from tenure.readings import Reading


CORE: Final = "tenure.engines"
"""Entry points that add engines: the optimized core is above this package, which never imports it."""


class WrongClaimError(RuntimeError):
    """The core has claimed that a workload may be preempted, and the reference finds otherwise."""


class Core(Protocol):
    """The optimized core on one cluster."""

    def decide(
        self,
        arguments: tuple[Workload, str, Instant, Reading, Assignment | None],
        effective: Workload,
        snapshot: Snapshot,
        by_reference: Callable[[], Decision],
    ) -> Decision:
        """The core's decision, or the reference's where the core leaves it; see `tenure_simulate`."""


class Detail(Enum):
    """The parts of decisions that are needed."""

    TARGETS = auto()
    """The outcome and the targets; not the candidates of searches that find no target."""
    CANDIDATES = auto()
    """These candidates too."""
    FINDINGS = auto()
    """An explanation, which only the reference's decisions have."""

    @classmethod
    def of(cls, *, explained: bool) -> Detail:
        """The parts of decisions that are needed, explained or not."""
        return cls.FINDINGS if explained else cls.CANDIDATES


WORTH_LOADING: Final = 1_000_000
"""Once searches have looked at so many workloads, loading the core is worth the time it takes."""

WORTH_ARRAYS: Final = 250_000
"""From so many workloads that one batch looks at on, a loaded core is worth making arrays of its cluster."""

WORTH_COMPILING: Final = 5_000_000
"""The same where its machine code is not kept yet: what the reference does in the time to compile it."""

MUCH: Final = 5 * 10**6
"""From so many pairs of a pending and a running workload on, the core may be worth installing."""


def would_be_faster(pairs: int) -> bool:
    """Whether so much is decided that the core would be worth it, and its compiler is not installed.

    Args:
        pairs: how many pairs there are of a pending and a running workload.

    >>> would_be_faster(100)
    False
    """
    return pairs >= MUCH and not _may_be_compiled()


def is_compiled() -> bool:
    """Whether the core's kernels are compiled; interpreted they are slower than the reference."""
    core = _compilable()
    return core is not None and core.is_compiled()


def worth_of_core(cluster: Cluster) -> int:
    """Once searches in a cluster have looked at so many workloads, the core is worth its start."""
    core = _compilable()
    return WORTH_LOADING if core is not None and core.is_kept(cluster) else WORTH_COMPILING


def _compilable() -> Any:
    """The core where what compiles it is installed; else None."""
    return added(CORE, Engine.FAST) if _may_be_compiled() else None


def _may_be_compiled() -> bool:
    """Whether what compiles the core is installed; nothing is imported for it."""
    return all(find_spec(name) is not None for name in ("numpy", "numba"))


def parse_engine(name: object) -> Engine:
    """An engine as a user writes it.

    Raises:
        InputError: there is no such engine, or the core lacks what it needs.

    >>> parse_engine("reference")
    <Engine.REFERENCE: 'reference'>
    """
    if not isinstance(name, str) or name not in tuple(Engine):
        raise bad_input("engine", name, f"one of {', '.join(Engine)}")
    if name == Engine.FAST:
        require_core()
    return Engine(name)


def require_core() -> None:
    """Refuse the core where what it needs is not installed.

    Raises:
        InputError: NumPy is missing.
    """
    try:
        import numpy  # noqa: F401 - only whether it is there
    except ImportError:
        expected = "NumPy, which the optimized core needs: pip install 'tenure[fast]'"
        raise bad_input("engine", "no module numpy", expected) from None
    if added(CORE, Engine.FAST) is None:
        raise bad_input("engine", Engine.FAST, "an engine of this installation, which lacks tenure_simulate")


def core_of(cluster: Cluster) -> Core:
    """The optimized core on one cluster, once `require_core` or `is_compiled` has found it."""
    core: Core = added(CORE, Engine.FAST)(cluster)
    return core


@cache
def announce_compiling(*, by_shares: bool) -> None:
    """Log, once in a process, how long compiling the search takes, if its machine code is not kept.

    Args:
        by_shares: whether it is that of fair sharing.
    """
    seconds = added(CORE, Engine.FAST).compiling_s(by_shares=by_shares)
    if seconds:
        import logging

        logging.getLogger("tenure").info("compiling the core once, about %d s", seconds)

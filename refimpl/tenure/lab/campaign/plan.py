"""What a campaign does, and which version of the code does it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import tenure
from tenure.lab.conform.programs import PATIENCE_S
from tenure.lab.conform.verdicts import Mode
from tenure.lab.options import KUEUE_FEATURES, Feature, Options

BLOCK = 500
"""Scenarios of a block, which is what a kill loses at most: a second of work, or ten."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is compared with the reference, and on which scenarios.

    Args:
        scenarios: how many.
        seed: what they are drawn from.
        heroes: in how many of a hundred ClusterQueues may be heroes; of the core only, as `manifests`.
        manifests: every how many-th is written as manifests, and read again before it is decided.
        command: a program that speaks the protocol; empty for the optimized core.
        repeat, mode, reading, patience, partial: of a program only, as in `tenure.lab.conform.run.Plan`.
        features: what scenarios for a program may hold, in order.
        max_workloads, max_queues, max_depth: how large they may be.

    >>> Plan(1200, 1).blocks()
    range(0, 3)
    """

    scenarios: int
    seed: int
    heroes: int = 20
    manifests: int = 50
    command: tuple[str, ...] = ()
    repeat: int = 1
    mode: str = Mode.VICTIMS.value
    reading: str = ""
    patience: float = PATIENCE_S
    partial: bool = False
    features: tuple[str, ...] = tuple(sorted(KUEUE_FEATURES))
    max_workloads: int = Options().max_workloads
    max_queues: int = Options().max_queues
    max_depth: int = Options().max_depth

    @property
    def options(self) -> Options:
        """What scenarios for a program may hold.

        Raises:
            ValueError: a number outside its range.
        """
        return Options(
            max_workloads=self.max_workloads,
            max_queues=self.max_queues,
            max_depth=self.max_depth,
            features=frozenset(map(Feature, self.features)),
        )

    def blocks(self) -> range:
        """The numbers of its blocks."""
        return range(-(-self.scenarios // BLOCK))

    def indices(self, number: int) -> range:
        """The indices of a block's scenarios.

        >>> Plan(1200, 1).indices(2)
        range(1000, 1200)
        """
        return range(number * BLOCK, min((number + 1) * BLOCK, self.scenarios))

    def written(self) -> dict[str, Any]:
        """As JSON has it.

        >>> read_plan(Plan(10, 1).written()) == Plan(10, 1)
        True
        """
        return {
            each.name: list(value) if isinstance(value := getattr(self, each.name), tuple) else value
            for each in fields(self)
        }


def read_plan(written: Mapping[str, Any]) -> Plan:
    """A plan that was written.

    Raises:
        TypeError: it has other fields.
    """
    given: dict[str, Any] = {
        name: tuple(each) if isinstance(each, list) else each for name, each in written.items()
    }
    return Plan(**given)


@cache
def code() -> str:
    """What tells apart two versions of the code: blocks decided by one are no evidence about another.

    >>> len(code())
    16
    """
    folder = Path(tenure.__file__).parent
    digest = hashlib.sha256()
    for path in _sources(folder):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _sources(folder: Path) -> Iterator[Path]:
    """What draws and decides; the command line and what is told do neither."""
    yield from sorted(path for path in folder.rglob("*.py") if path.relative_to(folder).parts[0] != "apps")

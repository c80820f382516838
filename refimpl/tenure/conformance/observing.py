"""Arguments and results of every rule called during a run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tenure.explanation.remarks import Arguments, accepts
from tenure.rules.registry import all_rules


@dataclass(frozen=True, slots=True)
class Observation:
    """One question to a rule, and its answer.

    Args:
        rule: its identifier.
        arguments: by name.
        result: what it returned.
    """

    rule: str
    arguments: Arguments
    result: Any

    @property
    def accepts(self) -> bool:
        """Whether the answer accepts: True, or by the predicate of the rule in `ACCEPTS`."""
        return accepts(self.rule, self.arguments, self.result)


@contextmanager
def observed_rules() -> Iterator[list[Observation]]:
    """Collect every call of a rule inside the block, in the order of their returns.

    Rules are what they are: nothing wraps them, the interpreter reports their calls. It is slow, and only
    for looking.

    >>> from tenure.model import Workload
    >>> from tenure.rules.priority import has_lower_priority
    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> with observed_rules() as seen:
    ...     _ = has_lower_priority(high, low)
    >>> [(observed.rule, observed.accepts) for observed in seen]
    [('KQ-010', True)]
    """
    codes = {entry.function.__code__: entry.id for entry in all_rules()}
    arguments: dict[FrameType, Arguments] = {}
    seen: list[Observation] = []

    def watch(frame: FrameType, event: str, result: Any) -> None:
        rule = codes.get(frame.f_code)
        if rule is None:
            return
        if event == "call":
            arguments[frame] = dict(frame.f_locals)
        elif event == "return":
            seen.append(Observation(rule, arguments.pop(frame), result))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield seen
    finally:
        sys.setprofile(before)

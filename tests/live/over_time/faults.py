"""Mistakes put into our cycle by hand: the comparison with a running Kueue has to notice each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

import pytest

from tenure.model import CycleHead, Instant, OrderKey, TurnResult, Workload
from tenure.oracle import question
from tenure.rules import cycle as rules
from tenure.rules import ordering
from tenure.rules.terms import PreemptionTerms
from tenure_play import cycle

Fault: TypeAlias = Callable[[pytest.MonkeyPatch], None]


def heads_in_reverse_order(patched: pytest.MonkeyPatch) -> None:
    """Without fair sharing, the head whose turn is the last has the first."""

    def has_earlier_turn(mine: CycleHead, theirs: CycleHead, by_priority: bool) -> bool:
        return rules.has_earlier_turn(theirs, mine, by_priority)

    patched.setattr(cycle, "has_earlier_turn", has_earlier_turn)


def heads_beside_earlier_ones_unchecked(patched: pytest.MonkeyPatch) -> None:
    """A head gets quota and victims that an earlier head of the cycle has got."""

    def result_of_turn(
        nothing_found: bool, strict: bool, defers: bool, still_fits: bool, preempts: bool
    ) -> TurnResult:
        return rules.result_of_turn(nothing_found, strict, defers, True, preempts)

    patched.setattr(cycle, "result_of_turn", result_of_turn)


def high_priorities_preempted_first(patched: pytest.MonkeyPatch) -> None:
    """Among candidates, those of high priority come first."""

    def order_key(
        candidate: Workload, group: int, preemptor: Workload, terms: PreemptionTerms, now: Instant
    ) -> OrderKey:
        key = ordering.order_key(candidate, group, preemptor, terms, now)
        return replace(key, priority=-key.priority)

    patched.setattr(question, "order_key", order_key)


FAULTS: Mapping[str, Fault] = {
    one.__name__.replace("_", " "): one
    for one in (heads_in_reverse_order, heads_beside_earlier_ones_unchecked, high_priorities_preempted_first)
}

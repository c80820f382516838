"""What searches in one snapshot found, for the next workload that asks the same.

Workloads that wait together for one ClusterQueue have few different priorities, and many ask for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, TypeAlias, TypeVar

from tenure.model import WithinClusterQueue, Workload
from tenure.rules.terms import PreemptionTerms

_Found = TypeVar("_Found")

Key: TypeAlias = tuple[Hashable, ...]

_AT_LEAST: Final = 2**10
_PER_WORKLOAD: Final = 2**6


class Found:
    """What was found, by what was asked; the oldest is forgotten first.

    Args:
        running: how many workloads the snapshot has, to which the memory is in proportion.

    >>> found = Found(running=0)
    >>> found.of((1,), lambda: [7], len), found.of((1,), lambda: [8], len)
    ([7], [7])
    """

    __slots__ = ("_free", "_made")

    def __init__(self, running: int) -> None:
        self._free = _AT_LEAST + _PER_WORKLOAD * running
        self._made: dict[Key, tuple[Any, int]] = {}

    def of(self, key: Key, make: Callable[[], _Found], size: Callable[[_Found], int]) -> _Found:
        """What `make` returned for this key, now or before.

        Args:
            key: all that it depends on, besides the snapshot.
            make: finds it.
            size: how many workloads it lists.
        """
        known = self._made.get(key)
        if known is not None:
            found: _Found = known[0]
            return found
        made = make()
        weight = 1 + size(made)
        self._free -= weight
        self._made[key] = made, weight
        while self._free < 0:
            self._free += self._made.pop(next(iter(self._made)))[1]
        return made


def as_rules_see(preemptor: Workload, terms: PreemptionTerms) -> Key:
    """All of a pending workload that decides who may be taken for it and in which order: not who it is.

    Since when it waits is compared with its equals only (KQ-040), and only under one policy.

    Args:
        preemptor: the pending workload, with its effective priority.
        terms: what holds for it.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> terms = terms_of(ClusterQueue("q"), Settings(), preset("released"))
    >>> as_rules_see(Workload("ns", "w", "u", priority=7, created_at=0), terms)
    (7,)
    """
    if terms.within_cluster_queue != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
        return (preemptor.priority,)
    return (
        preemptor.priority,
        preemptor.created_at,
        preemptor.quota_reserved_at,
        preemptor.evicted,
        preemptor.pods_ready_evicted_at,
        preemptor.admission_check_evicted_at,
        preemptor.time_based_preempted_at,
        preemptor.preempted_while_borrowing_at,
    )

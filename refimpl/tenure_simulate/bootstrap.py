"""How far figures would differ with other weeks: bootstrap over the weeks in which jobs join."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tenure.model import Duration
from tenure_simulate.answer_types import Confidence, RatioRange, SpanRange

_Column = Any
WEEK: Final[Duration] = 7 * 24 * 3600 * 10**9
FEWEST: Final = 4
"""Fewer weeks have no ranges."""
DRAWS: Final = 500
_LOW, _HIGH = 25, 975
"""Of 1000: 95 of 100 draws lie between."""


class Weeks:
    """Jobs by the week in which they join, and weeks drawn with replacement.

    Args:
        joins: when each job joins, after the first one that counts, ns.
        seed: of the draws.
    """

    def __init__(self, joins: _Column, seed: int) -> None:
        self._week = joins // WEEK
        self.count = int(self._week.max(initial=-1)) + 1
        drawn = np.random.default_rng(seed).integers(0, max(self.count, 1), (DRAWS, max(self.count, 1)))
        self._times = np.array([np.bincount(each, minlength=self.count) for each in drawn])

    def percentile(self, waits: _Column, percent: int) -> SpanRange:
        """The range of a percentile of the jobs' waits."""
        order = np.argsort(waits, kind="stable")
        ordered, week = waits[order], self._week[order]
        found = []
        for times in self._times:
            until = np.cumsum(times[week])
            needed = -(-until[-1] * percent // 100)
            found.append(ordered[np.searchsorted(until, max(needed, 1))] if until[-1] else 0)
        low, high = _ends(np.array(found))
        return SpanRange(int(low), int(high))

    def ratio(self, above: _Column, below: _Column) -> RatioRange:
        """The range of the sum of one figure of the jobs over the sum of another one."""
        upper, lower = (self._times @ self._by_week(figure) for figure in (above, below))
        low, high = _ends(np.divide(upper, lower, out=np.zeros(DRAWS), where=lower > 0))
        return RatioRange(round(float(low), 4), round(float(high), 4))

    def _by_week(self, figure: _Column) -> _Column:
        return np.bincount(self._week, weights=figure, minlength=self.count)


def _ends(found: _Column) -> tuple[Any, Any]:
    """The figures between which 95 of 100 draws lie.

    >>> [int(end) for end in _ends(np.arange(1000))]
    [24, 974]
    """
    ordered = np.sort(found)
    return tuple(ordered[-(-len(ordered) * part // 1000) - 1] for part in (_LOW, _HIGH))


def confidence_of(
    weeks: Weeks,
    seed: int,
    waits: tuple[_Column, _Column],
    preemptions: _Column,
    hours: tuple[_Column, _Column],
) -> Confidence | None:
    """How far the figures of a setting would differ; None of fewer weeks than `FEWEST`.

    Args:
        weeks: the jobs' weeks.
        seed: of their draws.
        waits: the first and all waits of each job, ns.
        preemptions: how often each is preempted.
        hours: what is wasted of each job's time with quota, and all of it, amount times hours.
    """
    if weeks.count < FEWEST:
        return None
    return Confidence(
        weeks=weeks.count,
        draws=DRAWS,
        seed=seed,
        first_wait_p95=weeks.percentile(waits[0], 95),
        all_waits_p95=weeks.percentile(waits[1], 95),
        preemptions_per_job=weeks.ratio(preemptions, np.ones(len(preemptions))),
        wasted_share=weeks.ratio(*hours),
    )

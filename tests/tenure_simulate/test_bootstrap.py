"""Confidence by bootstrap over weeks: where it can be said by hand what comes out."""

from __future__ import annotations

import numpy as np

from tenure_simulate.bootstrap import FEWEST, WEEK, Weeks, confidence_of


def jobs(*waits_of_weeks: list[int]) -> tuple[np.ndarray, np.ndarray]:
    joins = [week * WEEK + place for week, waits in enumerate(waits_of_weeks) for place in range(len(waits))]
    return np.array(joins, np.int64), np.array([wait for waits in waits_of_weeks for wait in waits], np.int64)


def test_weeks_that_are_alike_leave_no_range() -> None:
    joins, waits = jobs(*[[10, 20, 30, 40]] * 5)
    found = confidence_of(Weeks(joins, 1), 1, (waits, 2 * waits), waits, (waits, 4 * waits))
    assert found is not None
    assert (found.weeks, found.seed) == (5, 1)
    assert (found.first_wait_p95.low, found.first_wait_p95.high) == (40, 40)
    assert (found.all_waits_p95.low, found.all_waits_p95.high) == (80, 80)
    assert (found.preemptions_per_job.low, found.preemptions_per_job.high) == (25, 25)
    assert (found.wasted_share.low, found.wasted_share.high) == (0.25, 0.25)


def test_one_bad_week_of_four_is_drawn_in_some_and_not_in_all() -> None:
    # No draw has it with a probability of (3/4)^4 = 0.32, and all of a draw is it with 0.004.
    joins, waits = jobs([1], [1], [1], [9])
    found = confidence_of(Weeks(joins, 7), 7, (waits, waits), waits, (waits, np.ones(4)))
    assert found is not None
    assert (found.first_wait_p95.low, found.first_wait_p95.high) == (1, 9)
    assert (found.preemptions_per_job.low, found.preemptions_per_job.high) == (1, 7)


def test_the_same_seed_draws_the_same_weeks() -> None:
    joins, waits = jobs([1, 5], [2], [3, 3, 3], [9], [4])
    one, again, other = (Weeks(joins, seed).ratio(waits, np.ones(len(waits))) for seed in (3, 3, 4))
    assert one == again
    assert one != other


def test_of_few_weeks_nothing_is_said() -> None:
    joins, waits = jobs(*[[1]] * (FEWEST - 1))
    assert confidence_of(Weeks(joins, 1), 1, (waits, waits), waits, (waits, waits)) is None

"""No cycle of who preempts whom where the rules of PreemptionConfigs have a measure."""

from __future__ import annotations

import pytest

from tenure.model import Comparison
from tenure.preemption_measures import MeasureComponent, PreemptionStep
from tests.properties.configured_plays import plays
from tests.properties.preemption_cycles import cycle_in, cycles
from tests.sampling import sample


def test_where_a_measure_falls_no_workload_is_preempted_by_one_that_it_preempted() -> None:
    tally = cycles(seed=1, numbers=range(sample(40, 400)))
    assert not tally.wrong
    assert sum(count for (found, _), count in tally.outcomes.items() if found) >= sample(8, 80)
    assert sum(count for (found, size), count in tally.outcomes.items() if size and not found) >= 15


def test_a_measure_that_only_does_not_rise_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def every_comparison_is_strict(step: PreemptionStep, component: MeasureComponent) -> Comparison | None:
        return Comparison.LESS if compared(step, component) is not None else None

    compared = PreemptionStep.compared
    monkeypatch.setattr(PreemptionStep, "compared", every_comparison_is_strict)
    assert cycles(seed=1, numbers=range(20, 21)).wrong == [20]
    assert plays(seed=1, numbers=range(20, 21))[True, True] == 1


def test_where_loops_are_excluded_no_play_loops() -> None:
    found = plays(seed=1, numbers=range(sample(24, 300)))
    assert not found[True, True]
    assert found[True, False] >= sample(4, 60)
    assert found[False, True] >= sample(4, 60)


def test_a_cycle_has_as_few_workloads_as_there_is_one() -> None:
    assert cycle_in({0: (1,), 1: (2,), 2: (0, 1)}) == (1, 2)
    assert cycle_in({0: (1,), 1: (2,), 2: (3,), 3: (0,)}) == (0, 1, 2, 3)
    assert not cycle_in({0: (1, 2), 1: (2,), 2: ()})

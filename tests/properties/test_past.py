"""Preemptions of random plays are asked about afterwards: no cause is wrong.

`python -m tests.properties.past --n 200 --seed 1` tells how often which is confirmed.
"""

from __future__ import annotations

from tenure_play.postmortem.answer_types import Certainty
from tests.properties.past import SEVERAL, counted
from tests.sampling import sample

SEED = 1


def test_no_cause_is_wrong_and_most_are_confirmed() -> None:
    found, problems = counted(range(SEED, SEED + sample(10, 200)))
    by_verdict = {
        verdict: sum(n for (said, _), n in found.items() if said == verdict) for verdict, _ in found
    }
    assert problems == []
    assert by_verdict[Certainty.CONFIRMED] > found.total() / 2
    assert {rule for verdict, rule in found if verdict == SEVERAL} & {"KQ-420", "KQ-430"}
    assert len({rule for verdict, rule in found if verdict == Certainty.CONFIRMED}) >= 3


def test_a_rule_that_hangs_on_workloads_that_are_gone_is_told_as_a_second_one() -> None:
    found, problems = counted([5061])
    assert problems == []
    assert found[SEVERAL, "KQ-360"] == 3

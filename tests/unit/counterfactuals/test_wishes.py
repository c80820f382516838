"""What is wished of a flip: changes for the worse are not told, and none is searched where nothing helps."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tenure.explanation.counterfactuals import (
    FaresBetter,
    FlipsFound,
    IsKept,
    IsPreempted,
    Situation,
    Wish,
    answer_of,
    apply,
    search_flips,
)
from tenure.model import Cluster, Outcome, Workload
from tenure.readings import preset
from tests.unit.clusters import NOW, queue, running, waiting

READING = preset("guaranteed")


def situation(asker: Workload, *admitted: Workload) -> Situation:
    """One queue of four GPUs."""
    return Situation(Cluster({"q": queue()}, admitted, (asker,)), asker, "q", NOW, READING)


FITS = situation(waiting(1), running("a", 2))
WAITS = situation(waiting(3), running("a", 4, 200))
PREEMPTS = situation(waiting(2, 300), running("a", 2), running("b", 2, 200))
NO_SEARCH = FlipsFound((), 0, 0, complete=True)


@pytest.mark.parametrize(
    ("asked", "target", "wish"),
    [
        (FITS, None, FaresBetter()),
        (FITS, "ml/a", IsKept("ml/a")),
        (FITS, "ml/a", IsPreempted("ml/a")),
        (WAITS, "ml/a", IsKept("ml/a")),
        (PREEMPTS, "ml/a", IsPreempted("ml/a")),
        (PREEMPTS, "ml/b", IsKept("ml/b")),
    ],
)
def test_nothing_is_searched_where_nothing_can_be_better(
    asked: Situation, target: str | None, wish: Wish
) -> None:
    assert search_flips(asked, target, wish=wish) == NO_SEARCH
    assert search_flips(asked, target).tried > 0


GETS_IN = (Outcome.FIT, Outcome.PREEMPT)


@pytest.mark.parametrize(
    ("asked", "target", "wish", "outcomes"),
    [
        (WAITS, None, FaresBetter(), GETS_IN),
        (PREEMPTS, None, FaresBetter(), (Outcome.FIT,)),
        (PREEMPTS, "ml/a", IsKept("ml/a"), (*Outcome,)),
        (PREEMPTS, "ml/b", IsPreempted("ml/b"), (Outcome.PREEMPT,)),
    ],
    ids=["waits", "preempts", "kept", "preempted"],
)
def test_only_changes_for_the_better_are_found(
    asked: Situation, target: str | None, wish: Wish, outcomes: Sequence[Outcome]
) -> None:
    found = search_flips(asked, target, limit=99, wish=wish).flips
    assert found
    for flip in found:
        decision = apply(flip, asked).decided()
        victims = [victim.workload.key for victim in decision.targets]
        assert decision.outcome in outcomes, flip.sentence
        assert target is None or (target in victims) == isinstance(wish, IsPreempted)
        assert answer_of(decision, target) == flip.after
        if flip.field.endswith(("nominalQuota", "borrowingLimit")):
            assert flip.old is not None
            assert flip.new is None or flip.new > flip.old


def test_the_worse_ones_are_there_where_none_is_wished() -> None:
    harmful = [flip for flip in search_flips(PREEMPTS, limit=99).flips if flip.after == "waits"]
    assert harmful
    better = search_flips(PREEMPTS, limit=99, wish=FaresBetter()).flips
    assert {flip.after for flip in better} == {"fits"}

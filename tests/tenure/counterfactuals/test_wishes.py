"""What is wished of a change: those for the worse are not listed, nor searched where nothing helps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tenure.choices import Outcome
from tenure.explanation.counterfactuals import (
    CounterfactualsFound,
    FaresBetter,
    IsKept,
    IsPreempted,
    Situation,
    Wish,
    answer_of,
    apply,
    search_counterfactuals,
)
from tenure.model import Cluster, Workload
from tenure.readings import preset
from tests.tenure.clusters import GPU, NOW, queue, replaced, running, waiting

READING = preset("guaranteed")


def situation(asker: Workload, *admitted: Workload) -> Situation:
    """One queue of four GPUs."""
    return Situation(Cluster({"q": queue()}, admitted, (asker,)), asker, "q", NOW, READING)


FITS = situation(waiting(1), running("a", 2))
WAITS = situation(waiting(3), running("a", 4, 200))
PREEMPTS = situation(waiting(2, 300), running("a", 2), running("b", 2, 200))
NO_SEARCH = CounterfactualsFound((), 0, 0, complete=True)


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
    assert search_counterfactuals(asked, target, wish=wish) == NO_SEARCH
    assert search_counterfactuals(asked, target).tried > 0


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
    found = search_counterfactuals(asked, target, limit=99, wish=wish).counterfactuals
    assert found
    for change in found:
        decision = apply(change, asked).decided()
        victims = [victim.workload.key for victim in decision.targets]
        assert decision.outcome in outcomes, change.sentence
        assert target is None or (target in victims) == isinstance(wish, IsPreempted)
        assert answer_of(decision, target) == change.after
        if change.field.endswith(("nominalQuota", "borrowingLimit")):
            assert change.old is not None
            assert change.new is None or change.new > change.old


def test_the_worse_ones_are_there_where_none_is_wished() -> None:
    harmful = [
        change
        for change in search_counterfactuals(PREEMPTS, limit=99).counterfactuals
        if change.after == "waits"
    ]
    assert harmful
    better = search_counterfactuals(PREEMPTS, limit=99, wish=FaresBetter()).counterfactuals
    assert {change.after for change in better} == {"fits"}


def test_changes_that_harm_no_other_team_come_first_then_own_fields() -> None:
    """A ClusterQueue without quota of its own could have another's, or preempt what runs there."""
    other = replace(queue(), name="other", cohort="c")
    own = queue(nominal={GPU: 0}, cohort="c")
    held = replaced(running("held", 4, priority=50), {"cluster_queue": "other"})
    asker = waiting(2)
    cluster = Cluster({"q": own, "other": other}, (held,), (asker,))
    asked = Situation(cluster, asker, "q", NOW, preset("guaranteed"))
    found = search_counterfactuals(asked, limit=99, wish=FaresBetter()).counterfactuals
    objects = [(found_one.object, found_one.harmless, found_one.own) for found_one in found]
    assert objects[0] == ("ClusterQueue/q", True, True)
    assert ("ClusterQueue/other", False, False) in objects
    assert objects == sorted(objects, key=lambda row: (not row[1], not row[2]))

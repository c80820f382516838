"""A theorem that takes something for granted needs it: without it, it is not proved."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest
import z3

from tenure_proofs.theorems.proving import prove
from tenure_proofs.theorems.registry import all_theorems
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.specified import Taken
from tests.tenure_proofs.changed import LITTLE

SIGNED = {
    (
        "PO-ANY-105",
        "each of some nodes with its share",
    ): "What stands for the function returns each node with its share; the law says so once more.",
    (
        "PO-ANY-235",
        "each target is what the door returns, where candidates are kept only where they are needed",
    ): "It shows what PO-ANY-200 requires, and says nothing of targets; PO-ANY-210 and others do.",
}
"""What a theorem takes for granted and does not need, and why it says so all the same."""


def weaker(part: Part, known: Sequence[Taken]) -> Part:
    """A part of a proof in which some facts are not known, on no way either."""
    anything = [(fact, z3.BoolVal(True)) for fact in known]
    kept = tuple(fact for fact in part.hypotheses if not any(fact.eq(one) for one in known))
    goals = tuple((label, z3.substitute(goal, *anything)) for label, goal in part.goals)
    return dataclasses.replace(part, hypotheses=kept, goals=goals)


@pytest.mark.parametrize("identifier", all_theorems())
def test_a_theorem_is_not_proved_without_what_it_takes_for_granted(identifier: str) -> None:
    parts = [*all_theorems()[identifier].parts()]
    every = [fact for part in parts for fact in part.hypotheses if isinstance(fact, Taken)]
    uses = {fact.words for fact in every}
    assert {words for claim, words in SIGNED if claim == identifier} <= uses
    for words in uses:
        known = [fact for fact in every if fact.words == words]
        weakened = [(part, weaker(part, known)) for part in parts]
        changed = [one for part, one in weakened if not _same(part, one)]
        needed = any(prove([one], None, LITTLE).failures for one in changed)
        assert needed != ((identifier, words) in SIGNED), words


def _same(part: Part, other: Part) -> bool:
    return len(part.hypotheses) == len(other.hypotheses) and all(
        goal.eq(changed) for (_, goal), (_, changed) in zip(part.goals, other.goals, strict=True)
    )

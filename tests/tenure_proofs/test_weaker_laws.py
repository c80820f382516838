"""A theorem that takes something for granted needs it: without it, it is not proved."""

from __future__ import annotations

import dataclasses

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


def weaker(part: Part, words: str) -> Part:
    """A part of a proof in which nothing is known by these words, on no way either."""
    known = [fact for fact in part.hypotheses if isinstance(fact, Taken) and fact.words == words]
    kept = (fact for fact in part.hypotheses if not any(fact is one for one in known))
    anything = [(fact, z3.BoolVal(True)) for fact in known]
    goals = tuple((label, z3.substitute(goal, *anything)) for label, goal in part.goals)
    return dataclasses.replace(part, hypotheses=tuple(kept), goals=goals)


@pytest.mark.parametrize("identifier", all_theorems())
def test_a_theorem_is_not_proved_without_what_it_takes_for_granted(identifier: str) -> None:
    parts = [*all_theorems()[identifier].parts()]
    uses = {fact.words for part in parts for fact in part.hypotheses if isinstance(fact, Taken)}
    assert {words for claim, words in SIGNED if claim == identifier} <= uses
    for words in uses:
        where = [part for part in parts if len(weaker(part, words).hypotheses) < len(part.hypotheses)]
        needed = any(prove([weaker(part, words)], None, LITTLE).failures for part in where)
        assert needed != ((identifier, words) in SIGNED), words

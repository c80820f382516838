"""What claims take for granted of cohorts is what trees are, neither more nor less."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import pytest
import z3

from tenure.readings import preset
from tenure_proofs.trusted.ancestors import cohorts
from tenure_proofs.trusted.claim import Claim

NODES = 3
PAIRS = [(upper, lower) for upper, lower in product(range(NODES), repeat=2) if upper != lower]
SIZE = 6
"""So many nodes are enough for every way in which three of them can be to each other."""


def walked(parents: tuple[int, ...], node: int) -> tuple[int, ...]:
    """A node of a tree and all above it; the root is 0."""
    return (node, *(walked(parents, parents[node - 1]) if node else ()))


@cache
def of_trees() -> set[tuple[bool, ...]]:
    """How three different nodes of a tree can contain each other."""
    found = set()
    for parents in product(*(range(index) for index in range(1, SIZE))):
        paths = [walked(parents, node) for node in range(SIZE)]
        for chosen in permutations(range(SIZE), NODES):
            found.add(tuple(chosen[upper] in paths[chosen[lower]] for upper, lower in PAIRS))
    return found


def possible(contained: tuple[bool, ...]) -> bool:
    """Whether the facts about three named cohorts allow that they contain each other so."""
    claim = Claim(preset("guaranteed"))
    tree = cohorts(claim)
    nodes = tree.named(*(f"node_{number}" for number in range(NODES)))
    solver = z3.Solver()
    solver.add(*claim.facts)
    solver.add(*((node == number).term for number, node in enumerate(nodes)))
    for (upper, lower), said in zip(PAIRS, contained, strict=True):
        solver.add(tree.contains(nodes[upper], nodes[lower]).term == said)
    return str(solver.check()) == "sat"


@pytest.mark.parametrize("contained", list(product((False, True), repeat=len(PAIRS))))
def test_three_cohorts_may_stand_as_in_some_tree_and_in_no_other_way(contained: tuple[bool, ...]) -> None:
    assert possible(contained) == (contained in of_trees())

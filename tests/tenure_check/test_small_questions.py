"""What a question about the victim's quota alone proves, the whole question proves too."""

from __future__ import annotations

import random
from itertools import product

import pytest

from tenure_check.analysis import campaign
from tenure_check.analysis.guarantees import NarrowCell, Narrowing
from tenure_check.analysis.matrix import CellVerdict, trees_of
from tenure_check.analysis.prover import SolverProver
from tenure_check.analysis.states import CellQuery
from tenure_check.choices import Scope


@pytest.mark.parametrize(("seed", "never"), [(5, 4), (6, 2), (8, 2)])
def test_whole_questions_prove_what_small_ones_prove(seed: int, never: int) -> None:
    known, reading = campaign.draw_configuration(random.Random(seed), 3, Scope.CONSISTENT)
    found = 0
    for tree in trees_of(known):
        small, whole = (SolverProver(known, tree, reading, None) for _ in range(2))
        names = sorted(name for name, place in tree.places.items() if tree.nodes[place].quotas)
        for preemptor, victim in product(names, repeat=2):
            for reason in sorted(small.reasons(preemptor, victim, 1, 0)):
                narrow = NarrowCell(CellQuery(preemptor, 1, victim, 0, reason), Narrowing.WITHIN, None)
                proved = small.never_narrowed(narrow)
                if proved is not None:
                    found += 1
                    assert proved.verdict == CellVerdict.NEVER
                    assert whole.solved_narrowed(narrow) == "unsat"
    assert found == never

"""An obligation that no wrong rule breaks says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby, zip_longest
from operator import attrgetter

import pytest

from tenure_proofs.asked import Shared
from tenure_proofs.mutants.hunt import all_mutants, concerns
from tenure_proofs.mutants.mutant import Mutant
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Obligation, Verdict
from tenure_proofs.runner import verdict_of


def kills(obligation: Obligation, mutant: Mutant) -> bool:
    shared = Shared()
    with mutant.applied():
        return any(
            verdict_of(obligation, reading, shared) not in (verdict, Verdict.UNKNOWN)
            for reading, verdict in obligation.expect.items()
        )


def of_each_rule_in_turn(obligation: Obligation) -> Iterator[Mutant]:
    """One mutant of each rule, then another of each: a rule whose first does not matter often has none."""
    mine = [mutant for mutant in all_mutants().values() if concerns(obligation, mutant)]
    by_rule = [list(group) for _, group in groupby(mine, attrgetter("rule"))]
    return (mutant for mutant in chain.from_iterable(zip_longest(*by_rule)) if mutant is not None)


@pytest.mark.parametrize("obligation", OBLIGATIONS.values(), ids=OBLIGATIONS.keys())
def test_every_obligation_kills_a_mutant(obligation: Obligation) -> None:
    assert any(kills(obligation, mutant) for mutant in of_each_rule_in_turn(obligation))

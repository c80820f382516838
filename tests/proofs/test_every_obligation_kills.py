"""An obligation that no wrong rule breaks says nothing."""

from __future__ import annotations

import pytest

from tenure_proofs.asked import Shared
from tenure_proofs.mutants.hunt import all_mutants, concerns
from tenure_proofs.mutants.mutant import Mutant
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Obligation
from tenure_proofs.runner import verdict_of


def kills(obligation: Obligation, mutant: Mutant) -> bool:
    with mutant.applied():
        return any(
            verdict_of(obligation, reading, Shared()) != verdict
            for reading, verdict in obligation.expect.items()
        )


@pytest.mark.parametrize("obligation", OBLIGATIONS.values(), ids=OBLIGATIONS.keys())
def test_every_obligation_kills_a_mutant(obligation: Obligation) -> None:
    mine = [mutant for mutant in all_mutants().values() if concerns(obligation, mutant)]
    assert any(kills(obligation, mutant) for mutant in mine)

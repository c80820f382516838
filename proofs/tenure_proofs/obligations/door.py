"""What the one door hands out."""

from __future__ import annotations

from tenure.oracle.door import take_target
from tenure_proofs.premises import any_question
from tenure_proofs.registry import obligation
from tenure_proofs.trusted.claim import Claim


@obligation("PO-KQ-265", rules=["KQ-300"])
def the_target_is_the_workload_that_the_door_was_asked_about_with_the_given_evidence(claim: Claim) -> None:
    """Kueue main of August 2026, preemption; KEP-8826, Deterministic Victim Selection."""
    _, target, _, asked = any_question(claim)
    made = claim.lift(take_target)(*asked)
    claim.assume(made.defined)
    claim.prove(made.hands_on("workload", target), made.hands_on("evidence", asked.evidence))

"""What a second decision says: about the same cluster, and about the one that the first has made."""

from __future__ import annotations

from dataclasses import replace

from tenure_proofs.bounded.case import Case, postcondition
from tenure_proofs.bounded.facts import has_proposal
from tenure_proofs.registry import PROVED, everywhere


@postcondition("WD-400", everywhere(PROVED))
def the_order_of_the_objects_does_not_matter(case: Case) -> bool | None:
    """KEP-8522, Integration tests 7; KEP-8826, Deterministic Victim Selection."""
    if not case.answer.victims or len(case.world.jobs) < 2:
        return None
    return case.decide(case.world, case.preset, True) == case.answer


@postcondition("WD-410", everywhere(PROVED))
def without_a_field_of_a_proposal_all_presets_decide_the_same(case: Case) -> bool | None:
    """All proposals: what does not use them behaves as before."""
    if has_proposal(case.world) or not case.answer.victims:
        return None
    return all(answer == case.answer for answer in case.answers.values())


@postcondition("WD-420", everywhere(PROVED))
def after_the_preemptions_the_request_fits(case: Case) -> bool | None:
    """Kueue main of August 2026: whom others have left for is admitted later, without a second wave."""
    if not case.answer.victims or not any(True for _ in case.facts.heroes()):
        return None
    rest = tuple(job for index, job in enumerate(case.world.jobs) if index not in case.gone)
    return case.decide(replace(case.world, jobs=rest), case.preset, False).outcome == "Fit"

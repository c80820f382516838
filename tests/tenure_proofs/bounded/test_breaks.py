"""Every postcondition notices a scheduler that gets it wrong; a false one, that it has become true."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tenure.readings import preset_names
from tenure_proofs.bounded.case import Case, Decide, Postcondition
from tenure_proofs.bounded.clusters import World
from tenure_proofs.bounded.deciding import decide_with_oracle
from tenure_proofs.bounded.manifests import story_of
from tenure_proofs.bounded.postconditions import POSTCONDITIONS
from tenure_proofs.bounded.trial import Trial
from tenure_proofs.mutants.hunt import all_mutants
from tenure_proofs.mutants.mutant import Mutant
from tenure_proofs.registry import Verdict
from tests.tenure_proofs.bounded.deciders import (
    Break,
    all_leave,
    an_equal_first,
    broken,
    by_the_input,
    by_what_stays,
    in_the_opposite_order,
    never_the_protected,
    one_too_few,
    says,
    small,
    under_one_preset_nobody,
    without_filling_back,
)

NO_VICTIM = says("NoCandidates", where="Preempt")
BREAKS: dict[str, tuple[Break, str]] = {
    "WD-010": (says("NoCandidates", where="Fit"), "one queue"),
    "WD-020": (says("NoCandidates", where="NoFit"), "two queues"),
    "WD-030": (one_too_few, "one queue"),
    "WD-040": (NO_VICTIM, "one queue"),
    "WD-050": (NO_VICTIM, "two queues"),
    "WD-055": (says("Preempt", where="NoCandidates"), "two queues"),
    "WD-060": (says("Fit", where="NoCandidates"), "one queue"),
    "WD-100": (all_leave, "one queue"),
    "WD-110": (one_too_few, "one queue"),
    "WD-120": (all_leave, "one queue"),
    "WD-130": (never_the_protected, "one queue"),
    "WD-140": (NO_VICTIM, "one queue"),
    "WD-150": (an_equal_first, "one queue"),
    "WD-155": (without_filling_back, "one queue"),
    "WD-160": (by_what_stays, "two queues"),
    "WD-170": (without_filling_back, "two queues"),
    "WD-180": (all_leave, "one queue"),
    "WD-190": (all_leave, "heroes"),
    "WD-200": (in_the_opposite_order, "one queue"),
    "WD-210": (in_the_opposite_order, "two queues"),
    "WD-220": (in_the_opposite_order, "heroes"),
    "WD-310": (says("Fit", where="NoFit"), "heroes"),
    "WD-320": (NO_VICTIM, "heroes"),
    "WD-400": (by_the_input, "one queue"),
    "WD-410": (under_one_preset_nobody, "one queue"),
    "WD-420": (one_too_few, "heroes"),
}
"""What a wrong scheduler does, and in which family it shows."""

MUTANTS = [
    ("TBP-020", "now - quota_reservation_time(target, now) >= min_admit_duration", "one queue", "WD-130"),
    ("KQ-010", "target.priority <= preemptor.priority", "one queue", "WD-100"),
    ("KQ-190", "request < max(0, free)", "one queue", "WD-120"),
    ("KQ-070", "request < potential", "one queue", "WD-020"),
    ("KQ-420", "share <= 0 + 1", "two queues", "WD-160"),
    ("UCQ-310", "Basis.NONE", "heroes", "WD-320"),
    ("UCQ-340", "kin.hero", "heroes", "WD-190"),
]
"""Wrong rules by what is in place of the right comparison, where it shows, and what notices."""


def first_broken(
    decide: Decide, claims: Iterable[Postcondition], clusters: Iterable[tuple[int, World]]
) -> tuple[Postcondition, Case] | None:
    """The first case that breaks a claim which is expected to hold."""
    trial, watched = Trial(decide, ()), tuple(claims)
    for _, world in clusters:
        for case in trial.cases(world):
            for postcondition in watched:
                if postcondition.expect[case.preset] == Verdict.PROVED and postcondition.claim(case) is False:
                    return postcondition, case
    return None


@pytest.mark.parametrize("identifier", sorted(POSTCONDITIONS))
def test_it_notices_a_scheduler_that_gets_it_wrong(identifier: str) -> None:
    instead, family = BREAKS[identifier]
    postcondition = POSTCONDITIONS[identifier]
    if Verdict.REFUTED not in postcondition.expect.values():
        found = first_broken(broken(instead), [postcondition], small(family))
        assert found is not None
        story = "\n".join(story_of(found[1].world, found[1].answer))
        assert "new asks for " in story
        assert f"the decision: {found[1].answer.outcome}" in story
        return
    tallies = Trial(broken(instead), [postcondition]).tried(family, small(family)).tallies
    for preset in preset_names():
        assert tallies[identifier][preset].broken == 0, "what was false no longer is, and that is noticed"


def mutant(rule: str, after: str) -> Mutant:
    """A mutant by its rule and what it puts in place; the first one where several do."""
    return next(known for known in all_mutants().values() if known.rule == rule and known.after == after)


@pytest.mark.parametrize(("rule", "after", "family", "identifier"), MUTANTS)
def test_it_notices_a_wrong_rule(rule: str, after: str, family: str, identifier: str) -> None:
    postcondition = POSTCONDITIONS[identifier]
    with mutant(rule, after).applied():
        found = first_broken(decide_with_oracle, [postcondition], small(family))
    assert found is not None

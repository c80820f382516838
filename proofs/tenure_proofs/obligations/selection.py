"""Removing and filling back: any number of candidates, by an invariant over the real step of each fold.

Usages and candidates are tokens that a step only hands on. What is known of them is what the cohort tree
gives: less usage leaves no less available and borrows no more (PO-KQ-210, PO-KQ-220), what leaves comes back
as it was (PO-KQ-135). Whether a request fits is KQ-190 itself, of one flavor-resource; of several together it
is as monotone, since all of them must fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tenure.oracle.selection import fill_back_step, removal_step
from tenure.rules.quota import fits_request
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, iff, implies, negation
from tenure_proofs.trusted.schemas import over_every_fold
from tenure_proofs.trusted.symbols import SymToken

ANY_FIT = {"KQ-190": "the step is handed whether the request fits, and this holds whatever it is told"}


@dataclass(frozen=True, slots=True)
class SearchWorld:
    """What a step is given, and what is known of it.

    Args:
        fits: whether the request fits beside a usage: KQ-190.
        add, remove: a usage with a candidate, and without one.
        free, borrows: what is available, and whether the queue would borrow, at a usage.
        request, may_borrow: of this attempt.
    """

    claim: Claim
    fits: Any
    add: Any
    remove: Any
    free: Any
    borrows: Any
    request: Any
    may_borrow: Any

    def is_asked(self, *usages: Any) -> None:
        """Of these usages KQ-190 says whether the request fits."""
        rule = self.claim.lift(fits_request)
        for usage in usages:
            fits = rule(self.request, self.free(usage), self.borrows(usage), self.may_borrow).value
            self.claim.assume(iff(self.fits(usage), fits))

    def is_less(self, less: Any, more: Any) -> None:
        """One usage is nowhere more than another, so no less is available and no more is borrowed."""
        self.claim.assume(
            self.free(more) <= self.free(less),
            implies(self.borrows(less), self.borrows(more)),
        )


def search_world(claim: Claim) -> SearchWorld:
    """A search of which nothing is known."""
    return SearchWorld(
        claim,
        fits=claim.function("fits", bool, 1),
        add=claim.function("add", SymToken, 2),
        remove=claim.function("remove", SymToken, 2),
        free=claim.function("free", int, 1),
        borrows=claim.function("borrows", bool, 1),
        request=claim.number("request"),
        may_borrow=claim.flag("may_borrow"),
    )


@obligation("PO-KQ-240", rules=["KQ-190"])
def fill_back_leaves_enough_targets_and_none_that_could_be_put_back(claim: Claim) -> None:
    """Kueue main of August 2026, fill-back: from the second last removed to the first.

    The workload that is watched is arbitrary, so it is every one. In the first state only the last removed is
    kept, and of that one PO-KQ-250 proves what the invariant asks.
    """
    world, step = search_world(claim), claim.lift(fill_back_step)
    watched, candidate = claim.token("watched"), claim.token("candidate")
    before = claim.state("before", step, watched)
    returned = world.add(before.usage, candidate)
    world.is_asked(world.add(before.usage, watched), world.add(returned, watched))
    world.is_less(world.add(before.usage, watched), world.add(returned, watched))
    after = step(before, candidate, world.fits, world.add)
    kept, usage = after.field("kept"), after.field("usage")
    over_every_fold(
        claim,
        before=(
            world.fits(before.usage),
            implies(before.kept.contains, negation(world.fits(world.add(before.usage, watched)))),
        ),
        after=(
            after.defined,
            world.fits(usage),
            implies(kept, negation(world.fits(world.add(usage, watched)))),
        ),
    )


@obligation("PO-KQ-250", rules=["KQ-190"], irrespective_of=ANY_FIT)
def the_last_removed_is_needed_where_the_request_did_not_fit_before(claim: Claim) -> None:
    """Kueue main of August 2026, search for targets: candidates leave in order until the request fits."""
    world, step = search_world(claim), claim.lift(removal_step)
    watched, candidate = claim.token("watched"), claim.token("candidate")
    stands = claim.function("stands", bool, 2)
    before = claim.state("before", step, watched)
    without = world.remove(before.usage, candidate)
    world.is_asked(before.usage, without)
    claim.assume(world.add(without, candidate) == before.usage)
    after = step(before, candidate, stands, world.fits, world.remove)
    removed, usage, fits = after.field("removed"), after.field("usage"), after.field("fits")
    ended = all_of(negation(before.fits), fits)
    over_every_fold(
        claim,
        before=(iff(before.fits, world.fits(before.usage)),),
        after=(after.defined, iff(fits, world.fits(usage))),
        ends=(
            implies(ended, negation(world.fits(world.add(usage, candidate)))),
            implies(all_of(ended, watched == candidate), removed),
            implies(
                any_of(before.fits, negation(stands(before.usage, candidate))),
                all_of(usage == before.usage, iff(removed, before.removed.contains)),
            ),
            implies(
                all_of(negation(before.fits), stands(before.usage, candidate)),
                all_of(usage == without, implies(watched == candidate, removed)),
            ),
        ),
    )


@obligation("PO-KQ-260", rules=["KQ-190"], expect=everywhere(REFUTED))
def the_last_removed_is_needed_even_where_the_request_fitted_already(claim: Claim) -> None:
    """Kueue main of August 2026, search for targets: one is removed before fit is asked for the first time.

    So where the request fits already, which a search for other flavor-resources may find, one target too many
    is kept: filling back does not ask about the last removed.
    """
    world, step = search_world(claim), claim.lift(removal_step)
    watched, candidate = claim.token("watched"), claim.token("candidate")
    stands = claim.function("stands", bool, 2)
    first = claim.state("first", step, watched)
    without = world.remove(first.usage, candidate)
    world.is_asked(first.usage, without)
    world.is_less(without, first.usage)
    claim.assume(
        negation(first.fits),
        negation(first.removed.contains),
        stands(first.usage, candidate),
        world.add(without, candidate) == first.usage,
    )
    after = step(first, candidate, stands, world.fits, world.remove)
    claim.prove(
        implies(after.field("fits"), negation(world.fits(world.add(after.field("usage"), candidate))))
    )

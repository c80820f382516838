"""KEP-14468, a proposal: how long a ClusterQueue waits before it borrows again what was reclaimed."""

from __future__ import annotations

from typing import Any

from tenure.model import Reason
from tenure.readings import BackoffDeadline
from tenure.rules.backoff import arms_backoff, cooldown_after, cooldown_end, is_deferred
from tenure_proofs.defining import Cases, defines
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, choose, implies, negation


def _reclaimed_again(claim: Claim) -> tuple[Any, Any, Any, Any]:
    """The cooldown of a reclaim, how long ago that was, and the next one's cooldown, with the fields.

    These are as the Configuration's validation lets them be.
    """
    fields = base, most, reset = claim.numbers("base", "most", "reset")
    claim.assume(base > 0, most >= base, reset > base)
    before, quiet = claim.numbers("before", "quiet")
    claim.assume(base <= before, before <= most, quiet >= 0)
    after = claim.lift(cooldown_after)(before, quiet, base, most, reset).value
    return before, quiet, after, fields


@defines("PO-RBO-010", arms_backoff)
def a_reclaim_arms_the_back_off_of_what_the_queue_of_its_victim_borrows(
    reason: Any, held: Any, usage: Any, nominal: Any
) -> Any:
    """KEP-14468, Arming the backoff."""
    reasons = (Reason.IN_COHORT_RECLAMATION, Reason.IN_COHORT_RECLAIM_WHILE_BORROWING)
    return all_of(any_of(*(reason == one for one in reasons)), held > 0, usage > nominal)


@defines("PO-RBO-030", cooldown_after)
def a_reclaim_doubles_the_cooldown_unless_the_reset_window_has_passed(
    before: Any, quiet: Any, base: Any, most: Any, reset: Any
) -> Cases:
    """KEP-14468, Kueue Configuration API; Backoff state tracker: quiet for longer than the reset window."""
    begins = any_of(negation(before.present), quiet > reset)
    doubled = choose(2 * before.value < most, 2 * before.value, most)
    return [(begins, base), (negation(begins), doubled)]


@defines("PO-RBO-040", cooldown_end)
def a_cooldown_ends_its_length_after_the_reclaim_or_when_the_one_before_it_does(
    before: Any, now: Any, length: Any, choice: Any
) -> Cases:
    """KEP-14468, Backoff state tracker, under either choice of backoff_deadline."""
    later = all_of(choice == BackoffDeadline.LATEST, before.present, before.value > now + length)
    return [(later, before.value), (negation(later), now + length)]


@obligation("PO-RBO-050", rules=["RBO-020", "RBO-030"], expect=everywhere(REFUTED))
def no_reclaim_ends_a_cooldown_earlier(claim: Claim) -> None:
    """KEP-14468, Story 1 ("a growing cooldown"): the reset window may pass while a cooldown runs."""
    before, quiet, after, _ = _reclaimed_again(claim)
    since = claim.number("since")
    end = claim.lift(cooldown_end)(since + before, since + quiet, after, claim.reading.backoff_deadline)
    claim.prove(end.value >= since + before)


@defines("PO-RBO-060", is_deferred)
def only_what_borrows_is_deferred_and_only_while_its_cooldown_runs(
    request: Any, usage: Any, nominal: Any, now: Any, end: Any
) -> Any:
    """KEP-14468, Deferring assignments: within nominal quota the check is skipped."""
    return all_of(request > 0, usage + request > nominal, now < end)


@obligation("PO-RBO-080", rules=["RBO-020", "RBO-030", "RBO-040"])
def quota_is_borrowed_again_no_earlier_than_the_base_and_no_later_than_the_maximum_after_a_reclaim(
    claim: Claim,
) -> None:
    """KEP-14468, Summary: the loop has at most one turn in each backoffBaseSeconds.

    Risks and Mitigations: how long a legitimate re-borrow waits at most, without the jitter.
    """
    before, quiet, after, (base, most, _) = _reclaimed_again(claim)
    since, now = claim.numbers("since", "now")
    choice = claim.member("choice", BackoffDeadline)
    last = since + quiet
    end = claim.lift(cooldown_end)(since + before, last, after, choice).value
    request, usage, nominal = claim.numbers("request", "usage", "nominal")
    deferred = claim.lift(is_deferred)(request, usage, nominal, now, end).value
    borrows = all_of(request > 0, usage + request > nominal, negation(deferred))
    claim.prove(implies(borrows, now - last >= base), implies(now >= last + most, negation(deferred)))


@obligation("PO-RBO-090", rules=["RBO-020"])
def no_cooldown_is_longer_than_twice_the_reset_window_while_each_reclaim_follows_one(claim: Claim) -> None:
    """KEP-14468, Kueue Configuration API: what a loop reaches of backoffMaxSeconds."""
    before, quiet, after, (_, _, reset) = _reclaimed_again(claim)
    claim.assume(quiet >= before, before <= 2 * reset)
    claim.prove(after <= 2 * reset)


@obligation("PO-RBO-100", rules=["RBO-020"], expect=everywhere(REFUTED))
def no_cooldown_is_shorter_than_the_one_before_while_each_reclaim_follows_one(claim: Claim) -> None:
    """KEP-14468, Summary ("exponentially growing"): a cooldown longer than the window resets it."""
    before, quiet, after, _ = _reclaimed_again(claim)
    claim.assume(quiet >= before)
    claim.prove(after >= before)


@obligation("PO-RBO-110", rules=["RBO-020"], expect=everywhere(REFUTED))
def a_cooldown_is_longer_than_its_base_only_if_quota_was_borrowed_again(claim: Claim) -> None:
    """KEP-14468, Risks and Mitigations ("held back for one base cooldown")."""
    before, quiet, after, (base, _, _) = _reclaimed_again(claim)
    claim.assume(quiet < before)
    claim.prove(after == base)

"""What the rules find about workloads of other ClusterQueues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tenure.explanation.heroes import immunity_remarks, taken_by_hero_remarks
from tenure.explanation.own_queue import ageing_remarks
from tenure.explanation.remarks import Remark, remark
from tenure.explanation.shortages import amount
from tenure.model import Basis, Duration, Evidence, Instant, ReclaimWithinCohort, Workload
from tenure.oracle.classical import levels_of
from tenure.oracle.decide import Decision, question_about, searched_request
from tenure.oracle.heroes.effective import charged_usage
from tenure.oracle.protection import protection_in
from tenure.oracle.question import WITH_ADVANTAGE, Candidate, Turn
from tenure.oracle.shares import SharesOf
from tenure.oracle.tree import Node, Tree, quota_at
from tenure.rules.eligibility import preemption_reason
from tenure.rules.priority import has_lower_priority
from tenure.rules.protection import admission_time, is_protected_from_others
from tenure.rules.quota import fits_quota, is_within_quota
from tenure.rules.reclaim import basis_across_queues, may_reclaim, may_take_while_borrowing
from tenure.rules.share import (
    Share,
    compare_shares,
    passes_final_share,
    passes_initial_share,
    stays_in_tournament,
    weighted_share,
)
from tenure.units import format_amount, format_duration, format_instant

_COMPARED = {-1: "lower than", 0: "equal to", 1: "higher than"}


@dataclass(frozen=True, slots=True)
class Searched:
    """What the search for targets knows of each workload, by name.

    Args:
        turns: see `comparisons`.
        found: the candidate that it is, with the most that is known of it, and whether it may be preempted.
    """

    turns: Mapping[str, Turn]
    found: Mapping[str, tuple[Candidate, bool]]

    @classmethod
    def of(cls, decision: Decision) -> Searched:
        """What the search of a decision knows; nothing where there was none."""
        return cls(comparisons(decision), _found(decision))


def elsewhere_remarks(decision: Decision, target: Workload, searched: Searched) -> Iterator[Remark]:
    """What the rules found about whether a workload of another queue may be preempted, outermost first.

    Args:
        decision: the decision.
        target: a workload of another queue.
        searched: what its search knows.
    """
    if decision.terms.hero:
        yield from taken_by_hero_remarks(decision, target)
        return
    found, taken = searched.found.get(target.key, (None, False))
    yield remark("KQ-300", taken, _turn_text(decision, found, taken))
    yield from immunity_remarks(decision, target)
    yield from _quota_remarks(decision, target)
    allowed = may_reclaim(decision.preemptor, target, decision.terms)
    yield remark("KQ-330", allowed, _policy_text(decision, target, allowed))
    lower = has_lower_priority(decision.preemptor, target)
    text = f"priority {target.priority} is {'' if lower else 'not '}below {decision.preemptor.priority}"
    yield remark("KQ-010", lower, text)
    yield from ageing_remarks(decision, target, "it")
    yield from ageing_remarks(decision, decision.preemptor, "preemptor")
    yield from _protection_remarks(decision, target)
    if found is not None:
        if decision.terms.fair_sharing:
            yield from _by_share(decision, found, taken, searched.turns.get(target.key))
            yield from _ties(decision, found) if taken else _left_out(decision, found)
        else:
            yield from _classically(decision, target, found)
    if taken and found is not None:
        reason = preemption_reason(found.evidence.basis)
        yield remark("KQ-310", reason, f"reason {reason.label}")


def _protection_remarks(decision: Decision, target: Workload) -> Iterator[Remark]:
    """Whether KEP-9876 protects it, where a duration is in force."""
    duration = protection_in(question_about(decision))
    if duration is None:
        return
    protected = is_protected_from_others(target, decision.now, duration)
    yield remark("PPR-030", protected, protection_text(target, decision.now, duration))


def protection_text(target: Workload, now: Instant, duration: Duration) -> str:
    """For how long a workload is protected from other ClusterQueues, or why it is not.

    Args:
        target: a workload that holds quota.
        now: ns since the epoch.
        duration: for which it is, ns.
    """
    if target.evicted:
        return "not protected: it is evicted already"
    if target.admission_delay is None:
        return "not protected: it is not admitted yet"
    since = admission_time(target, now)
    words = f"admitted for {format_duration(now - since)}"
    if is_protected_from_others(target, now, duration):
        until = format_instant(since + duration)
        return f"{words}, less than {format_duration(duration)}: protected until {until}"
    return f"{words}, not less than {format_duration(duration)}"


def _quota_remarks(decision: Decision, target: Workload) -> Iterator[Remark]:
    """Whether its queue, and every cohort up to the common one, exceeds its quota of something needed."""
    snapshot = decision.snapshot
    mine = snapshot.tree.nodes[snapshot.place].path
    for place in snapshot.tree.nodes[snapshot.tree.places[target.cluster_queue or ""]].path:
        if place in mine:
            return
        node = snapshot.tree.nodes[place]
        name = f"{'ClusterQueue' if node.queue else 'Cohort'} {node.name}"
        exceeds, words = False, []
        for asked in sorted(decision.assignment.needs_preemption):
            used, quota = snapshot.usage[place].get(asked, 0), quota_at(snapshot.tree, place, asked).subtree
            exceeds = exceeds or not is_within_quota(used, quota)
            amounts = f"{format_amount(asked.resource, used)} of {format_amount(asked.resource, quota)}"
            words.append(f"{amounts} {asked.resource} on {asked.flavor}")
        answer = "exceeds its quota" if exceeds else "is within its quota"
        yield remark("KQ-200", not exceeds, f"{name} {answer}: uses {', '.join(words)}")
        if decision.terms.fair_sharing:
            return  # fair sharing asks the queue alone


def _turn_text(decision: Decision, found: Candidate | None, taken: bool) -> str:
    if taken:
        return "may be preempted from its ClusterQueue"
    if decision.terms.fair_sharing and found is not None and not _had_its_turn(found):
        return "a candidate of another ClusterQueue, whose turn did not come"
    return "may not be preempted from its ClusterQueue"


def _had_its_turn(found: Candidate) -> bool:
    """Under fair sharing: whether shares were compared, so that the evidence has a basis."""
    return found.evidence.basis != Basis.NONE


def _policy_text(decision: Decision, target: Workload, allowed: bool) -> str:
    answer = "allows it" if allowed else "does not allow it"
    policy = decision.terms.reclaim_within_cohort
    if policy == ReclaimWithinCohort.LOWER_PRIORITY and not allowed:
        answer += f": {target.priority} is not below {decision.preemptor.priority}"
    return f"reclaimWithinCohort {policy.label} {answer}"


def _classically(decision: Decision, target: Workload, found: Candidate) -> Iterator[Remark]:
    preemptor, terms = decision.preemptor, decision.terms
    advantage = found.group == WITH_ADVANTAGE
    if found.common is not None:
        yield from narrower_remarks(decision, found.common)
    has = "has a" if advantage else "has no"
    yield remark("KQ-350", advantage, f"the preemptor {has} hierarchical advantage over it")
    facts = Evidence(Basis.NONE, over_quota=True, advantage=advantage)
    basis = basis_across_queues(preemptor, target, facts, terms)
    yield remark("KQ-320", basis, f"basis {basis.name}")
    if not advantage:
        may = may_take_while_borrowing(preemptor, target, terms)
        answer = "may" if may else "may not"
        limit = "" if terms.max_priority_threshold is None else f", threshold {terms.max_priority_threshold}"
        policy = terms.borrow_within_cohort.label
        words = (
            f"borrowWithinCohort {policy}{limit}: {answer} be preempted while the preemptor's queue borrows"
        )
        yield remark("KQ-340", may, words)
    if basis == Basis.WITHOUT_BORROWING:
        kept = decision.selection.kept if decision.selection else ()
        taken = any(candidate.workload.key == target.key for candidate in kept)
        answer = "preempted" if taken else "not preempted"
        yield remark(
            "KQ-360", taken, f"{answer} in an attempt without borrowing, the only one it may be preempted in"
        )


def _by_share(decision: Decision, found: Candidate, taken: bool, turn: Turn | None) -> Iterator[Remark]:
    evidence = found.evidence
    compared = f"the preemptor's share is {_COMPARED[evidence.share]} its queue's"
    numbers = "" if turn is None else f": {comparison_text(decision.snapshot.tree, turn)}"
    if evidence.within_nominal:
        yield remark("KQ-410", True, "the preemptor's queue stays within its nominal quota")
    elif evidence.basis == Basis.INITIAL_SHARE:
        yield remark(
            "KQ-430", passes_initial_share(evidence.share), f"{compared} before the removal{numbers}"
        )
    elif evidence.basis == Basis.FINAL_SHARE:
        yield remark("KQ-420", passes_final_share(evidence.share), f"{compared} after the removal{numbers}")
    words = f"basis {evidence.basis.name}"
    if not taken:
        words = (
            "no strategy allows it"
            if _had_its_turn(found)
            else "its turn did not come, so no share was compared"
        )
    yield remark("KQ-400", taken, words)


def _ties(decision: Decision, found: Candidate) -> Iterator[Remark]:
    """Where cohorts of equal share are beside each other on the way to the queue, at the start."""
    snapshot, tree = decision.snapshot, decision.snapshot.tree
    charged = charged_usage(tree, snapshot.usage, snapshot.place, searched_request(decision.assignment))
    shares = SharesOf(tree)
    for place in tree.nodes[found.place].path:
        node = tree.nodes[place]
        if node.queue is not None or node.parent is None:
            continue
        mine = shares.of(charged, place)
        equal = [
            tree.nodes[other].name
            for other in tree.nodes[node.parent].cohorts
            if other != place and mine.borrowing and compare_shares(shares.of(charged, other), mine) == 0
        ]
        if equal:
            beside = ", ".join(equal)
            text = f"Cohort {node.name} and {beside} have equal shares: the last by name is visited"
            yield remark(
                "KQ-500", node.name > max(equal), f"{text}, where Kueue is nondeterministic (DV-020)"
            )


def _left_out(decision: Decision, found: Candidate) -> Iterator[Remark]:
    """The nodes on the way down to the queue that the tournament leaves out, as it begins."""
    snapshot, tree = decision.snapshot, decision.snapshot.tree
    request = searched_request(decision.assignment)
    charged = charged_usage(tree, snapshot.usage, snapshot.place, request)
    shares = SharesOf(tree)
    for place in tree.nodes[found.place].path:
        if place in tree.nodes[snapshot.place].path:
            return
        if stays_in_tournament(shares.of(charged, place).borrowing, on_path=False):
            continue
        node = tree.nodes[place]
        name = f"{'ClusterQueue' if node.queue else 'Cohort'} {node.name}"
        amounts = ", ".join(
            f"{format_amount(asked.resource, charged[place].get(asked, 0))} of "
            f"{format_amount(asked.resource, quota.subtree)} {asked.resource} on {asked.flavor}"
            for asked, quota in sorted(node.quotas.items())
        )
        yield remark("KQ-480", False, f"{name} does not borrow, so it is left out: uses {amounts}")


def _found(decision: Decision) -> Mapping[str, tuple[Candidate, bool]]:
    selection = decision.selection
    if selection is None:
        return {}
    fairly = decision.terms.fair_sharing
    # The most is known of the first of these.
    groups = (
        (selection.kept, True),
        (selection.removed, True),
        (selection.attempts[-1].rejected if fairly else (), False),
        (selection.candidates, not fairly),
    )
    return {
        candidate.workload.key: (candidate, allowed)
        for group, allowed in reversed(groups)
        for candidate in reversed(group)
    }


def narrower_remarks(decision: Decision, common: int) -> Iterator[Remark]:
    """Whether what is left of the request fits each node of the path below a common cohort.

    Args:
        decision: one with a search for targets.
        common: place of the lowest cohort that contains the target and the preemptor.
    """
    snapshot = decision.snapshot
    tree, usage = snapshot.tree, snapshot.usage
    asked = question_about(decision)
    for level in levels_of(asked):
        if level.place == common:
            return
        node, words = tree.nodes[level.place], []
        for at, amount_here in sorted(level.rest.items()):
            used, quota = usage[level.place].get(at, 0), quota_at(tree, level.place, at)
            here = fits_quota(used, amount_here, quota.subtree)
            if at in decision.assignment.needs_preemption or not here:
                total = f"{amount(at, used)} and {amount(at, amount_here)} asked"
                words.append(f"{total} of {amount(at, quota.subtree)} {at.resource} on {at.flavor}")
        name = f"{'ClusterQueue' if node.queue else 'Cohort'} {node.name}"
        relation = "fits" if level.fits else "does not fit"
        yield remark("KQ-060", level.fits, f"the request {relation} the quota of {name}: {', '.join(words)}")


def comparisons(decision: Decision) -> Mapping[str, Turn]:
    """The turn at which shares were last compared for each workload, by name; empty without fair sharing."""
    attempts = decision.attempts
    return {
        turn.candidate.workload.key: turn
        for attempt in attempts
        for turn in attempt.turns
        if turn.shares is not None
    }


def comparison_text(tree: Tree, turn: Turn) -> str:
    """The shares that were compared at a candidate's turn, in words.

    Args:
        tree: around the preemptor's ClusterQueue.
        turn: one at which shares were compared.
    """
    shares = turn.shares
    assert shares is not None
    moment = "after" if turn.candidate.evidence.basis == Basis.FINAL_SHARE else "before"
    relation = {-1: "lower than", 0: "equal to", 1: "higher than"}[shares.compared]
    mine, theirs = kind_and_name(tree.nodes[shares.mine]), kind_and_name(tree.nodes[shares.theirs])
    return (
        f"the share of {mine} with the request is {share_text(shares.preemptor)}, {relation} the "
        f"{share_text(shares.target)} of {theirs} {moment} the removal"
    )


def kind_and_name(node: Node) -> str:
    """A node as messages call it, such as `Cohort lab`."""
    return f"{'ClusterQueue' if node.queue else 'Cohort'} {node.name}"


def share_text(share: Share) -> str:
    """A share as a number: thousandths of what the cohort can lend, divided by the weight.

    >>> share_text(Share(True, 500.0, 1.0)), share_text(Share(True, 1.0, 0.0))
    ('500', 'infinite (1 over weight 0)')
    >>> share_text(Share(True, 1e3, 3.0))
    '333.333 (1000 over weight 3)'
    """
    number = weighted_share(share)
    shown = "infinite" if number == float("inf") else _rounded(number)
    if share.weight == 1 or share.ratio == 0:
        return shown
    return f"{shown} ({_rounded(share.ratio)} over weight {_rounded(share.weight)})"


def _rounded(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")

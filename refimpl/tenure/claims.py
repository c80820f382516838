"""The words of claims. A function states a claim and names it, without capitals, commas or apostrophes."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

WRITTEN: Final = {
    # Kinds, fields and their values, as Kubernetes' API writes them.
    "a named config": "a named PreemptionConfig",
    "base ignores what boosted adds": "Base ignores what Boosted adds",
    "best effort queue": "BestEffortFIFO queue",
    "clusterqueues": "ClusterQueues",
    "counts as not never": "counts as not Never",
    "in reclaim preemption or no candidates": "in Reclaim, Preempt or NoCandidates",
    "its cluster queue": "its ClusterQueue",
    "its own cluster queue": "its own ClusterQueue",
    "less than or equal": "LessThanOrEqual",
    "lower or newer equal priority": "LowerOrNewerEqualPriority",
    "min admit duration": "minAdmitDuration",
    "min count": "minCount",
    "outcome is preempt": "outcome is Preempt",
    "policy is any": "policy is Any",
    "policy is never": "policy is Never",
    "reclaim any ignores priority and lower priority": (
        "reclaimWithinCohort Any ignores priority, and LowerPriority"
    ),
    "under reclaim within cohort never": "under reclaimWithinCohort Never",
    "under within cluster queue never": "under withinClusterQueue Never",
    "with reclaim any": "with reclaimWithinCohort Any",
    "without reclaim any": "unless reclaimWithinCohort is Any",
    # Names of projects and proposals.
    "kai": "KAI",
    "kep 8522": "KEP-8522",
    "kep 9876": "KEP-9876",
    "kueue": "Kueue",
    # Apostrophes and hyphens.
    "classs": "class's",
    "cores sums": "core's sums",
    "back off": "back-off",
    "hero s": "hero's",
    "heros": "hero's",
    "jobs creation": "job's creation",
    "sub group": "sub-group",
    "the preemptors queue": "the preemptor's queue",
    "time based": "time-based",
    "victims timestamp": "victim's timestamp",
    "whole second timestamp": "whole-second timestamp",
    "workload s": "workload's",
    # What reads better in another order.
    "condition one": "condition 1",
    "evicted first then": "evicted workloads come first, then",
    "under lca": "under method lca",
    "under queue": "under method queue",
    "what queues use that borrow nothing": "the usage of queues that borrow nothing",
}
"""Words of functions' names, and how they are written."""

PUNCTUATED: Final = (
    "above, less what",
    "after the preemptions, the request",
    "all, a peer lower priority, and the rest",
    "among workloads of one size, no",
    "as heroes do, and others",
    "before, none",
    "below the root, nothing",
    "between base and max, each",
    "between two standard queues, the door",
    "by preemptor, borrowing, share, priority and time",
    "by preemptor, level, priority and time",
    "by the highest share, and a candidate",
    "can borrow, none",
    "class's base counts, and only",
    "come first, the higher",
    "comes first, then priority, then time, then uid",
    "decided again, and with",
    "equal suffices, there",
    "exactly if, alone, it",
    "first, and the rest",
    "first, then others, and the",
    "for its delay, and else",
    "has kept, and searches",
    "has passed, though",
    "has passed, whichever",
    "have left, the same",
    "in a queue, none that is",
    "in another queue, the basis is an advantage, a policy",
    "in its own ClusterQueue, a hero",
    "in proportion, and is zero",
    "in order, each if it may at its turn, until",
    "in use alike, in whatever",
    "in use no more and is noted, and none",
    "in use, nothing less",
    "is Any, no",
    "is reclaimed, none",
    "its steps, but",
    "its turn, and takes one",
    "keeps answers, and none",
    "limits are honoured, a node",
    "looked for, a search",
    "may preempt, one of",
    "method lca, a setting",
    "method queue, a setting",
    "of a hero, whatever",
    "of a proposal, all",
    "of all that stay, one",
    "of any load, a job",
    "of one class, a younger",
    "of two classes, one",
    "of two heroes of one cohort, only",
    "of the rules, and no step",
    "one victim ends, no other",
    "one operator selects, its opposite",
    "period, a job",
    "preempt each other, and none itself",
    "reclaimWithinCohort Any, no",
    "reclaimWithinCohort Never, no",
    "reclamation, borrowing and shares",
    "something changed, a controller",
    "stays, and then",
    "strict order, and two",
    "then by group, whatever",
    "then lower priority, then expired, then",
    "to the bill, and so do",
    "under fair sharing, a",
    "under minAdmitDuration, no",
    "was billed, and none",
    "with 0s, no",
    "with a boost, the",
    "with a duration, a",
    "with a policy, the",
    "withinClusterQueue Never, no",
    "without a duration, a",
    "without a duration in force, a",
    "without candidates, no",
    "without limits, every",
    "without the field, every",
    "without the victims, the",
)
"""Parts of claims that have commas, as they are written."""


@cache
def claim_words(name: str) -> str:
    """The words of a claim: a sentence without its capital and its full stop, which depend on the place.

    Args:
        name: of the function that states the claim.

    >>> claim_words("no_decision_preempts_a_heros_workload")
    "no decision preempts a hero's workload"
    >>> claim_words("under_min_admit_duration_no_hero_preempts_a_workload_before_it_expires")
    'under minAdmitDuration, no hero preempts a workload before it expires'
    """
    words = name.replace("_", " ")
    for plain, written in WRITTEN.items():
        words = re.sub(rf"\b{plain}\b", written, words)
    for part in PUNCTUATED:
        words = re.sub(rf"\b{part.replace(',', '')}\b", part, words)
    return words

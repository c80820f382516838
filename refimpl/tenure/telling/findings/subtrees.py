"""Where in the tree a request fits: the ground of a hierarchical advantage."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.oracle.decide import Decision
from tenure.oracle.tree import quota_at
from tenure.rules.quota import fits_quota, remaining_request
from tenure.telling.findings.finding import Finding
from tenure.telling.findings.question import question_of
from tenure.telling.findings.shortages import amount


def narrower_findings(decision: Decision, common: int) -> Iterator[Finding]:
    """Whether what is left of the request fits each node of the path below a common cohort.

    Args:
        decision: one with a search for targets.
        common: place of the lowest cohort that contains the target and the preemptor.
    """
    snapshot = decision.snapshot
    tree, usage = snapshot.tree, snapshot.usage
    rest = dict(question_of(decision).request)
    for place in tree.nodes[snapshot.place].path:
        if place == common:
            return
        node = tree.nodes[place]
        fits, words = True, []
        for at in sorted(rest):
            used, quota = usage[place].get(at, 0), quota_at(tree, place, at)
            here = fits_quota(used, rest[at], quota.subtree)
            fits = fits and here
            if at in decision.assignment.needs_preemption or not here:
                total = f"{amount(at, used)} and {amount(at, rest[at])} asked"
                words.append(f"{total} of {amount(at, quota.subtree)} {at.resource} on {at.flavor}")
            rest[at] = remaining_request(rest[at], quota, used)
        name = f"{'ClusterQueue' if node.queue else 'Cohort'} {node.name}"
        relation = "fits" if fits else "does not fit"
        yield Finding("KQ-060", fits, f"the request {relation} the quota of {name}: {', '.join(words)}")

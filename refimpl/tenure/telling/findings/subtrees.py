"""Where in the tree a request fits: the ground of a hierarchical advantage."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.oracle.classical import levels_of
from tenure.oracle.decide import Decision, question_of
from tenure.oracle.tree import quota_at
from tenure.rules.quota import fits_quota
from tenure.telling.findings.finding import Finding
from tenure.telling.findings.shortages import amount


def narrower_findings(decision: Decision, common: int) -> Iterator[Finding]:
    """Whether what is left of the request fits each node of the path below a common cohort.

    Args:
        decision: one with a search for targets.
        common: place of the lowest cohort that contains the target and the preemptor.
    """
    snapshot = decision.snapshot
    tree, usage = snapshot.tree, snapshot.usage
    asked = question_of(snapshot, decision.preemptor, decision.assignment, decision.terms, decision.now)
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
        yield Finding("KQ-060", level.fits, f"the request {relation} the quota of {name}: {', '.join(words)}")

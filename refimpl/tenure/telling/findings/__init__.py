"""What every rule found about a decision, with the values compared.

One function for each place where rules speak: the request, a workload's eligibility, the order. A new rule
gets its finding here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tenure.model import Workload
from tenure.oracle.decide import Decision
from tenure.oracle.question import Turn
from tenure.telling.findings.comparisons import comparisons
from tenure.telling.findings.elsewhere import elsewhere_findings
from tenure.telling.findings.finding import Finding
from tenure.telling.findings.order import order_findings
from tenure.telling.findings.own_queue import own_queue_findings
from tenure.telling.findings.request import request_findings

__all__ = [
    "Finding",
    "comparisons",
    "eligibility_findings",
    "order_findings",
    "request_findings",
]


def eligibility_findings(
    decision: Decision, target: Workload, shares: Mapping[str, Turn] | None = None
) -> Iterator[Finding]:
    """What the rules found about whether a workload may be taken, from the outermost in.

    Args:
        decision: the decision.
        target: a workload that holds quota in its tree.
        shares: what `comparisons(decision)` returned, where several workloads are asked about.
    """
    if target.cluster_queue == decision.queue.name:
        return own_queue_findings(decision, target)
    return elsewhere_findings(decision, target, comparisons(decision) if shares is None else shares)

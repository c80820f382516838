"""What the quota rules found about a request."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tenure.oracle.decide import Decision
from tenure.oracle.tree import available_at, potential_at, quota_at
from tenure.rules.quota import can_ever_fit, fits_quota, fits_request
from tenure.telling.findings.finding import Finding
from tenure.telling.findings.heroes import bill_findings, hero_request_findings
from tenure.units import format_amount


def request_findings(decision: Decision) -> Iterator[Finding]:
    """What the quota rules found about every flavor-resource that is asked for."""
    if decision.terms.hero:
        yield from hero_request_findings(decision)
        return
    yield from bill_findings(decision)
    snapshot = decision.snapshot
    tree, place, usage = snapshot.tree, snapshot.place, snapshot.usage
    alone = snapshot.queue.cohort is None
    for asked, amount in sorted(decision.assignment.usage.items()):
        used, quota = usage[place].get(asked, 0), quota_at(tree, place, asked).nominal
        name, show = f"{asked.resource} on {asked.flavor}", partial(format_amount, asked.resource)
        potential = potential_at(tree, place, asked)
        ever = can_ever_fit(amount, potential)
        most = f"the quota of {show(quota)}" if alone else f"the {show(potential)} that it could ever have"
        yield Finding("KQ-070", ever, f"{name}: {show(amount)} asked, {_at_most(ever)} {most}")
        fits = fits_quota(used, amount, quota)
        total = show(used + amount)
        limit = show(quota) if alone else f"the nominal quota of {show(quota)}"
        yield Finding("KQ-060", fits, f"{name}: {total} with this request, {_at_most(fits)} {limit}")
        if not alone:
            free = available_at(tree, usage, place, asked)
            enough = fits_request(amount, free, not fits, may_borrow=True)
            beyond = f"{_at_most(enough)} the {show(max(0, free))} available"
            yield Finding("KQ-190", enough, f"{name}: {show(amount)} asked, {beyond}")


def _at_most(holds: bool) -> str:
    return "at most" if holds else "more than"

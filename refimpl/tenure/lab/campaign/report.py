"""What a campaign came to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tenure.lab.campaign.plan import Plan
from tenure.lab.campaign.tally import Tally
from tenure.lab.conform.report import Count, counts

CORE: Final = "the optimized core"


@dataclass(frozen=True, slots=True)
class Told:
    """A scenario that was decided otherwise."""

    index: int
    """Which of the seed's."""
    verdict: str
    """What came of it."""
    again: str
    """The command that draws and decides it again."""
    vector: str
    """The file that has it, made small, as a vector; empty where none was written."""
    request: str
    """It made small, as a request of the oracle."""


@dataclass(frozen=True, slots=True)
class CampaignReport:
    """What a campaign came to; the same seed and count give the same report, whoever did the work."""

    compared: str
    """What was compared with the reference: the optimized core, or a program's command line."""
    seed: int
    """What the scenarios were drawn from."""
    planned: int
    """How many scenarios it has."""
    scenarios: int
    """How many are done. A program gets fewer than planned where a draw comes up twice."""
    complete: bool
    """Whether all blocks are done."""
    failed: int
    """Scenarios that are neither agreement, nor left out, nor signed."""
    verdicts: tuple[Count, ...]
    """What came of them."""
    decisions: tuple[Count, ...]
    """The reference's decisions; a program's own."""
    victims: tuple[Count, ...]
    """Preempt decisions by number of victims."""
    reasons: tuple[Count, ...]
    """Scenarios with a victim for this reason."""
    traits: tuple[Count, ...]
    """What else there is about them."""
    differences: tuple[Told, ...]
    """The first that failed."""


def report_of(plan: Plan, tally: Tally, differences: tuple[Told, ...], *, complete: bool) -> CampaignReport:
    """The report of what a tally has counted."""
    return CampaignReport(
        compared=" ".join(plan.command) or CORE,
        seed=plan.seed,
        planned=plan.scenarios,
        scenarios=tally.scenarios,
        complete=complete,
        failed=tally.failed,
        verdicts=counts(tally.verdicts),
        decisions=counts(tally.decisions),
        victims=counts(tally.victims),
        reasons=counts(tally.reasons),
        traits=counts(tally.traits),
        differences=differences,
    )


def campaign_lines(report: CampaignReport) -> Iterator[str]:
    """What the command prints for a person."""
    for each in report.differences:
        yield f"FAIL index {each.index}: {each.verdict}"
        yield f"     again with {each.again}"
        if each.vector:
            yield f"     made small in {each.vector}"
    yield f"{report.scenarios} random scenarios, seed {report.seed}"
    yield from _table("verdict", report.verdicts, report.scenarios)
    yield from _table("decision", report.decisions, report.scenarios)
    yield from _table("victims per Preempt", report.victims, sum(each.count for each in report.victims))
    yield from _table("reason, of the scenarios", report.reasons, report.scenarios)
    yield from _table("trait", report.traits, report.scenarios)
    state = "" if report.complete else f"; stopped, {report.planned} were planned"
    yield f"campaign: {report.compared}, {report.failed} of {report.scenarios} scenarios differ{state}"


def _table(title: str, counted: tuple[Count, ...], total: int) -> Iterator[str]:
    if counted:
        yield f"  {title}"
    for each in counted:
        yield f"    {100 * each.count / max(total, 1):6.2f} %  {each.count:8}  {each.what}"

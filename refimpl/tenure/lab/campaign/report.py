"""What a campaign came to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tenure.lab.campaign.plan import Plan
from tenure.lab.campaign.tally import Tally
from tenure.lab.conform.report import Count, counts
from tenure.telling.answers.written import schema_of, write_schema, written

TITLE: Final = "tenure campaign -o json"
CORE: Final = "the optimized core"


@dataclass(frozen=True, slots=True)
class Told:
    """A scenario that was decided otherwise.

    Args:
        index: which of the seed's.
        verdict: what came of it.
        again: the command that draws and decides it again.
        vector: the file that has it, made small, as a vector; empty where none was written.
        request: it made small, as a request of the oracle.
    """

    index: int
    verdict: str
    again: str
    vector: str
    request: str


@dataclass(frozen=True, slots=True)
class CampaignReport:
    """What a campaign came to; the same seed and count give the same report, whoever did the work.

    Args:
        compared: what was compared with the reference: the optimized core, or a program's command line.
        seed: what the scenarios were drawn from.
        planned: how many scenarios it has.
        scenarios: how many are done. A program gets fewer than planned where a draw comes up twice.
        complete: whether all blocks are done.
        failed: scenarios that are neither agreement, nor left out, nor signed.
        verdicts: what came of them.
        decisions: the reference's decisions; a program's own.
        victims: Preempt decisions by number of victims.
        reasons: scenarios with a victim for this reason.
        traits: what else there is about them.
        differences: the first that failed.
    """

    compared: str
    seed: int
    planned: int
    scenarios: int
    complete: bool
    failed: int
    verdicts: tuple[Count, ...]
    decisions: tuple[Count, ...]
    victims: tuple[Count, ...]
    reasons: tuple[Count, ...]
    traits: tuple[Count, ...]
    differences: tuple[Told, ...]


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


def campaign_schema() -> dict[str, Any]:
    """The JSON Schema of what `tenure campaign -o json` prints.

    >>> campaign_schema()["title"]
    'tenure campaign -o json'
    """
    return schema_of(CampaignReport, TITLE)


def campaign_answer(report: CampaignReport) -> dict[str, Any]:
    """What `tenure campaign -o json` prints."""
    answer: dict[str, Any] = written(report)
    return answer


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


if __name__ == "__main__":
    write_schema(Path(sys.argv[1]), "campaign", campaign_schema())

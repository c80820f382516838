"""The report as continuous integration reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tenure.lab.campaign.report import CampaignReport
from tenure.reports import Case, Report, RuleText, Suite, Trouble

_RULE: Final = RuleText("difference", "A scenario that is decided otherwise than by the reference.")


def checks_of(report: CampaignReport) -> Report:
    """One suite: a case for the verdicts that are no failures, and one for each difference that is told.

    >>> from tenure.lab.campaign.plan import Plan
    >>> from tenure.lab.campaign.report import report_of
    >>> from tenure.lab.campaign.tally import Tally
    >>> checks_of(report_of(Plan(0, 1), Tally(), (), complete=True)).suites[0].failures
    0
    """
    suite = Suite(
        f"{report.compared}, seed {report.seed}",
        tuple(_cases(report)),
        tests=report.scenarios,
        failures=report.failed,
    )
    return Report(
        "tenure campaign",
        (suite,),
        tuple(Trouble(_RULE.id, f"index {each.index}", each.verdict) for each in report.differences),
        (_RULE,),
        closing=f"{report.scenarios} scenarios, {report.failed} differ",
        finished=report.complete,
    )


def _cases(report: CampaignReport) -> Iterator[Case]:
    group = "tenure campaign"
    said = "\n".join(f"{each.count} {each.what}" for each in report.verdicts)
    yield Case(group, f"{report.scenarios - report.failed} scenarios", said=said)
    if not report.complete:
        stopped = f"stopped, {report.planned} scenarios were planned"
        yield Case(group, "the whole campaign", error=stopped)
    for each in report.differences:
        details = "\n".join((each.again, each.vector, each.request))
        yield Case(group, f"index {each.index}", each.verdict, details=details)

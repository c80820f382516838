"""What a campaign came to: counts, and the first differences made small and kept as vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tenure.conformance.observing import observed_rules
from tenure.conformance.requests import read_decide_request
from tenure.conformance.vectors import expected_from, formatted
from tenure.disk import write_file
from tenure.errors import InputError
from tenure.reports import Case, Report, RuleText, Suite, Trouble
from tenure.versions import form
from tenure_lab.campaign_blocks import Worker, failure
from tenure_lab.campaigns import CampaignPlan, Count, Difference, Tally, counts, tally_lines
from tenure_lab.programs import our_answer
from tenure_lab.shrinking import shrink, smallest

Object = dict[str, Any]

FLAG = "Campaign"
FLAGS = {FLAG: "Found by a campaign, where the reference and another engine decided otherwise."}
UNNAMED = "KQ-060"
"""The rule that a vector is named after where none accepts anything."""
_RULE: Final = RuleText("difference", "A scenario that is decided otherwise than by the reference.")
CORE: Final = "the optimized core"


@dataclass(frozen=True, slots=True)
class ReportedDifference:
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
    """How many are done."""
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
    differences: tuple[ReportedDifference, ...]
    """The first that failed."""


def report_of(
    plan: CampaignPlan, tally: Tally, differences: tuple[ReportedDifference, ...], *, complete: bool
) -> CampaignReport:
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
    for difference in report.differences:
        yield f"FAIL index {difference.index}: {difference.verdict}"
        yield f"     again with {difference.again}"
        if difference.vector:
            yield f"     made small in {difference.vector}"
    yield from tally_lines(report)
    state = "" if report.complete else f"; stopped, {report.planned} were planned"
    yield f"campaign: {report.compared}, {report.failed} of {report.scenarios} scenarios differ{state}"


def campaign_report(
    plan: CampaignPlan, tally: Tally, most: int, folder: Path | None, *, complete: bool
) -> CampaignReport:
    """The report, with the first differences made small.

    Args:
        plan: of the campaign.
        tally: what it came to.
        most: how many differences are made small and reported.
        folder: where each becomes a vector file; None for nowhere.
        complete: whether all blocks are done.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    reported = []
    for difference in tally.differences[:most]:
        found = small(plan, difference)
        vector = "" if folder is None else str(write_vector(folder, plan, found))
        reported.append(
            ReportedDifference(
                found.index, found.verdict, again(plan, found.index), vector, request_line(found)
            )
        )
    return report_of(plan, tally, tuple(reported), complete=complete)


def small(plan: CampaignPlan, found: Difference) -> Difference:
    """The same difference in the smallest scenario that dropping finds.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    if plan.command:
        with Worker(plan) as worker:
            scenario = smallest(worker.sides.one(found.scenario), worker.sides).scenario
        return replace(found, scenario=scenario)
    wanted = failure(read_decide_request(found.scenario))

    def keeps(scenario: Object) -> bool:
        try:
            return failure(read_decide_request(scenario)) == wanted
        except (InputError, KeyError, IndexError, StopIteration):
            return False  # too small to be a scenario

    # Some faults show in what was drawn only, not in what is read of its manifests.
    return replace(found, scenario=shrink(found.scenario, keeps)) if wanted else found


def write_vector(folder: Path, plan: CampaignPlan, found: Difference) -> Path:
    """Write a file with one vector: what the reference answers, which the other engine does not.

    Args:
        folder: of such files; made where it is missing. `tenure vectors run --folder` takes it.
        plan: where the seed is.
        found: the difference, made small.
    """
    given = {key: value for key, value in found.scenario.items() if key != "reading"}
    request = {"id": None, "call": "decide", "input": {**found.scenario, "explain": True}}
    with observed_rules() as seen:
        ours = our_answer(request)
    rules = sorted({rule.rule for rule in seen if rule.accepts}) or [UNNAMED]
    case = f"seed-{plan.seed}-index-{found.index}".replace("--", "-minus-")
    area = f"difference-{_letters(plan.seed)}-{_letters(found.index)}"
    vector = {
        "id": f"{rules[0]}/{case}",
        "rules": rules,
        "verdict": "accept",
        "flags": [FLAG],
        "comment": f"{found.verdict}; {again(plan, found.index)}",
        "reading": found.scenario.get("reading") or plan.reading or "guaranteed",
        "call": "decide",
        "input": given,
        "expect": expected_from(ours),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{area}.json"
    write_file(
        path, formatted({"schema": form("vectors"), "area": area, "flags": FLAGS, "vectors": [vector]})
    )
    return path


def again(plan: CampaignPlan, index: int) -> str:
    """The command that draws and decides one scenario again.

    >>> again(CampaignPlan(1000, 7), 305)
    'tenure campaign --seed 7 --index 305'
    """
    command = "tenure conform --exec … --no-vectors" if plan.command else "tenure campaign"
    return f"{command} {plan.again(index)}"


def request_line(found: Difference) -> str:
    """The request, for the oracle of either side."""
    request = {"id": found.index, "call": "decide", "input": found.scenario}
    return json.dumps(request, separators=(",", ":"), ensure_ascii=False)


def _letters(number: int) -> str:
    """A number in the letters that names of vector files may have.

    >>> _letters(305), _letters(-1)
    ('daf', 'm-b')
    """
    text = "".join(chr(ord("a") + int(digit)) for digit in str(abs(number)))
    return f"m-{text}" if number < 0 else text


def campaign_checks(report: CampaignReport) -> Report:
    """One suite: a case for the verdicts that are no failures, and one for each difference that is listed.

    >>> campaign_checks(report_of(CampaignPlan(0, 1), Tally(), (), complete=True)).suites[0].failures
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
        tuple(
            Trouble(_RULE.id, f"index {difference.index}", difference.verdict)
            for difference in report.differences
        ),
        (_RULE,),
        closing=f"{report.scenarios} scenarios, {report.failed} differ",
        finished=report.complete,
    )


def _cases(report: CampaignReport) -> Iterator[Case]:
    group = "tenure campaign"
    verdicts = "\n".join(f"{count.count} {count.what}" for count in report.verdicts)
    yield Case(group, f"{report.scenarios - report.failed} scenarios", output=verdicts)
    if not report.complete:
        stopped = f"stopped, {report.planned} scenarios were planned"
        yield Case(group, "the whole campaign", error=stopped)
    for difference in report.differences:
        details = "\n".join((difference.again, difference.vector, difference.request))
        yield Case(group, f"index {difference.index}", difference.verdict, details=details)

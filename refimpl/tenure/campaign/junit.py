"""The report as JUnit XML, which continuous integration shows."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from tenure.campaign.report import CampaignReport, Told
from tenure.conform.junit import xml_text


def junit_text(report: CampaignReport) -> str:
    """One suite: a test for each verdict that is no failure, and one for each difference that is told.

    >>> from tenure.campaign.plan import Plan
    >>> from tenure.campaign.report import report_of
    >>> from tenure.campaign.tally import Tally
    >>> print(junit_text(report_of(Plan(0, 1), Tally(), (), complete=True)).splitlines()[0])
    <?xml version='1.0' encoding='utf-8'?>
    """
    root = ET.Element("testsuites", name="tenure campaign")
    suite = ET.SubElement(
        root,
        "testsuite",
        name=f"{report.compared}, seed {report.seed}",
        tests=str(report.scenarios),
        failures=str(report.failed),
        errors="0" if report.complete else "1",
    )
    passed = ET.SubElement(suite, "testcase", name=f"{report.scenarios - report.failed} scenarios")
    ET.SubElement(passed, "system-out").text = "\n".join(
        f"{each.count} {each.what}" for each in report.verdicts
    )
    if not report.complete:
        stopped = ET.SubElement(suite, "testcase", name="the whole campaign")
        ET.SubElement(stopped, "error", message=f"stopped, {report.planned} scenarios were planned")
    for each in report.differences:
        _add(suite, each)
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{text}"


def _add(suite: ET.Element, each: Told) -> None:
    case = ET.SubElement(suite, "testcase", name=f"index {each.index}")
    failure = ET.SubElement(case, "failure", message=xml_text(each.verdict))
    failure.text = xml_text("\n".join((each.again, each.vector, each.request)))

"""A report as JUnit XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree as ET

from tenure.reports.report import Case, Report, Suite

# What XML has no place for; names of objects and solvers may hold any of it.
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_lines(report: Report) -> Iterator[str]:
    """The report's lines.

    >>> from tenure.reports.report import Case, Suite
    >>> bad = Case("queues.yaml", "ClusterQueue/a", failure="found 1 < 2")
    >>> print(*junit_lines(Report("tenure validate", (Suite("queues.yaml", (bad,)),))), sep="\\n")
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tenure validate">
      <testsuite name="queues.yaml" tests="1" failures="1" errors="0">
        <testcase classname="queues.yaml" name="ClusterQueue/a">
          <failure message="found 1 &lt; 2" />
        </testcase>
      </testsuite>
    </testsuites>
    """
    suites = _element("testsuites", name=report.tool, time=_time(report.seconds))
    suites.extend(map(_suite, report.suites))
    ET.indent(suites)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield from ET.tostring(suites, encoding="unicode").splitlines()


def _suite(suite: Suite) -> ET.Element:
    failures = sum(bool(each.failure) for each in suite.cases)
    element = _element(
        "testsuite",
        name=suite.name,
        tests=str(len(suite.cases) if suite.tests is None else suite.tests),
        failures=str(failures if suite.failures is None else suite.failures),
        errors=str(sum(bool(each.error) for each in suite.cases)),
    )
    element.extend(map(_case, suite.cases))
    return element


def _case(case: Case) -> ET.Element:
    element = _element("testcase", classname=case.group, name=case.name, time=_time(case.seconds))
    for kind, message in (("failure", case.failure), ("error", case.error)):
        if message:
            wrong = _element(kind, message=message)
            wrong.text = _text(case.details) or None
            element.append(wrong)
    if case.said:
        ET.SubElement(element, "system-out").text = _text(case.said)
    return element


def _element(tag: str, **attributes: str) -> ET.Element:
    return ET.Element(tag, {name: _text(value) for name, value in attributes.items() if value})


def _time(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.3f}"


def _text(text: str) -> str:
    return _NOT_XML.sub("?", text)

"""Reports as JUnit, as SARIF, as GitHub and GitLab show them; which are requested, and where they go."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote
from xml.etree import ElementTree as ET

from tenure.disk import claim, write_file
from tenure.errors import InputError, Problem, bad_input
from tenure.keeping import digest
from tenure.pages import COMMAND_PAGES, IDENTIFIER, address_of, anchor, site_address
from tenure.release import __version__
from tenure.reports.content import Case, FileLine, Report, RuleText, Severity, Suite, Trouble

# What XML has no place for; names of objects and solvers may hold any of it.
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_lines(report: Report) -> Iterator[str]:
    """The report's lines.

    >>> from tenure.reports.content import Case, Suite
    >>> bad = Case("queues.yaml", "ClusterQueue/a", failure="found 1 < 2")
    >>> report = Report("tenure validate", (Suite("queues.yaml", (bad,)),))
    >>> print(*junit_lines(report), sep="\\n")  # doctest: +ELLIPSIS
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tenure validate">
      <testsuite name="queues.yaml" tests="1" failures="1" errors="0">
        <properties>
          <property name="tenure" value="..." />
        </properties>
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
    failures = sum(bool(case.failure) for case in suite.cases)
    element = _element(
        "testsuite",
        name=suite.name,
        tests=str(len(suite.cases) if suite.tests is None else suite.tests),
        failures=str(failures if suite.failures is None else suite.failures),
        errors=str(sum(bool(case.error) for case in suite.cases)),
    )
    properties = ET.SubElement(element, "properties")
    properties.append(_element("property", name="tenure", value=__version__))
    element.extend(map(_case, suite.cases))
    return element


def _case(case: Case) -> ET.Element:
    element = _element("testcase", classname=case.group, name=case.name, time=_time(case.seconds))
    for kind, message in (("failure", case.failure), ("error", case.error)):
        if message:
            wrong = _element(kind, message=message)
            wrong.text = _text(case.details) or None
            element.append(wrong)
    if case.output:
        ET.SubElement(element, "system-out").text = _text(case.output)
    return element


def _element(tag: str, **attributes: str) -> ET.Element:
    return ET.Element(tag, {name: _text(value) for name, value in attributes.items() if value})


def _time(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.3f}"


def _text(text: str) -> str:
    return _NOT_XML.sub("?", text)


FINGERPRINT = "tenure/v1"
"""The name of a result's fingerprint, with the version of how it is made."""
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def to_sarif(report: Report) -> dict[str, Any]:
    """The report as a SARIF log with one run.

    Source: OASIS SARIF 2.1.0, sections 3.13 (log), 3.14 (run), 3.27 (result), 3.49 (reportingDescriptor).

    >>> from tenure.reports.content import Trouble
    >>> bad = Trouble("x", "Cohort/a: spec", "wrong", (FileLine("of teams/a.yaml", 3),))
    >>> result, = to_sarif(Report("tenure validate", troubles=(bad,)))["runs"][0]["results"]
    >>> result["locations"][0]["physicalLocation"]
    {'artifactLocation': {'uri': 'of%20teams/a.yaml'}, 'region': {'startLine': 3}}
    """
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": report.tool,
                "version": __version__,
                "rules": [_rule(rule, report.tool) for rule in report.rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": list(_results(report.troubles)),
        "invocations": [{"executionSuccessful": report.finished}],
    }
    if report.properties:
        run["properties"] = dict(report.properties)
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: RuleText, tool: str) -> dict[str, Any]:
    """A kind of trouble, with the command that shows more, and the address of its page.

    Source: OASIS SARIF 2.1.0, sections 3.49.12 (helpUri) and 3.49.13 (help).
    """
    described: dict[str, Any] = {"id": rule.id, "shortDescription": {"text": rule.short}}
    if rule.full:
        described["fullDescription"] = {"text": rule.full}
    has_page = IDENTIFIER.fullmatch(rule.id) is not None
    described["help"] = {"text": f"tenure show {rule.id}" if has_page else f"{tool} --help"}
    command = tool.removeprefix("tenure ").partition(" ")[0]
    page = f"{COMMAND_PAGES}/{command}.md#{anchor(tool.replace(' ', '-'))}"
    address = address_of(rule.id) if has_page else site_address(page)
    if address is not None:
        described["helpUri"] = address
    return described


def _results(troubles: Sequence[Trouble]) -> Iterator[dict[str, Any]]:
    """Each trouble as a result.

    Source: OASIS SARIF 2.1.0, section 3.27.17 (partialFingerprints).
    """
    for trouble, fingerprint in _fingerprints(troubles):
        yield _result(trouble, {FINGERPRINT: fingerprint})


def _fingerprints(troubles: Sequence[Trouble]) -> Iterator[tuple[Trouble, str]]:
    """Each trouble with a fingerprint that lines moved above it and another wording do not change."""
    seen: Counter[str] = Counter()
    for trouble in troubles:
        key = digest(trouble.rule, trouble.title, [_uri(place.file) for place in trouble.places[:1]])
        yield trouble, f"{key[:32]}:{seen[key]}"
        seen[key] += 1


def _result(trouble: Trouble, fingerprints: dict[str, str]) -> dict[str, Any]:
    first, others = trouble.places[:1], trouble.places[1:]
    return {
        "partialFingerprints": fingerprints,
        "ruleId": trouble.rule,
        "level": str(trouble.level),
        "message": {"text": _message(trouble.line)},
        "locations": list(map(_location, first)),
        "relatedLocations": [
            {"id": number, **_location(file_line)} for number, file_line in enumerate(others)
        ],
    }


def _message(text: str) -> str:
    """A text in which braces are no placeholders.

    Source: OASIS SARIF 2.1.0, section 3.11.5.
    """
    return text.replace("{", "{{").replace("}", "}}")


def _location(place: FileLine) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file)}}
    if place.line:
        physical["region"] = {"startLine": place.line}
    return {"physicalLocation": physical}


def _uri(file: str) -> str:
    """A file as a URI; below the current folder relative to it, which is what code scanning looks up."""
    path = Path(file)
    if path.is_absolute():
        here = Path.cwd()
        if not path.is_relative_to(here):
            return path.as_uri()
        path = path.relative_to(here)
    return quote(path.as_posix())


def to_gitlab(report: Report) -> list[dict[str, Any]]:
    """The troubles that have a file, as a report of code quality, which a merge request shows.

    Source: GitLab, Code Quality, "Code Quality report format": description, check_name, fingerprint,
    severity, location.path, location.lines.begin.

    >>> from tenure.reports.content import Trouble
    >>> bad = Trouble("x", "Cohort/a: spec", "wrong", (FileLine("a.yaml", 3),))
    >>> entry, = to_gitlab(Report("tenure validate", troubles=(bad,)))
    >>> entry["description"], entry["severity"], entry["location"]
    ('Cohort/a: spec: wrong', 'major', {'path': 'a.yaml', 'lines': {'begin': 3}})
    """
    return [
        {
            "description": trouble.line,
            "check_name": trouble.rule,
            "fingerprint": fingerprint,
            "severity": "major" if trouble.level == Severity.ERROR else "minor",
            "location": {"path": unquote(_uri(place.file)), "lines": {"begin": place.line or 1}},
        }
        for trouble, fingerprint in _fingerprints(report.troubles)
        for place in trouble.places[:1]
    ]


def github_lines(report: Report) -> Iterator[str]:
    """The report's lines.

    Source: GitHub Actions, Workflow commands: `::error file=…,line=…,title=…::message`, and what is escaped.

    >>> from tenure.reports.content import FileLine, Trouble
    >>> bad = Trouble("x", "Cohort/a: spec", "100 %\\nwrong", (FileLine("a,b.yaml", 3),))
    >>> print(*github_lines(Report("tenure validate", troubles=(bad,), closing="1 error")), sep="\\n")
    ::error file=a%2Cb.yaml,line=3,title=Cohort/a%3A spec::100 %25%0Awrong
    ::notice title=tenure validate::1 error
    """
    yield from map(_annotation, report.troubles)
    if report.closing:
        yield f"::notice title={_property(report.tool)}::{_data(report.closing)}"


def _annotation(trouble: Trouble) -> str:
    fields = {"title": trouble.title}
    if trouble.places:
        place = trouble.places[0]
        line = {"line": str(place.line)} if place.line else {}
        fields = {"file": place.file, **line, **fields}
    properties = ",".join(f"{name}={_property(value)}" for name, value in fields.items())
    return f"::{trouble.level} {properties}::{_data(trouble.text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


MOST_TROUBLES: Final = 50
"""Problems that a job summary shows."""
_LONGEST: Final = 200
"""Lines of details of one of them."""


def summary_lines(report: Report) -> Iterator[str]:
    """The report as Markdown for the summary of a job; whatever names hold is shown as it is written.

    Source: GitHub Actions, `GITHUB_STEP_SUMMARY`; CommonMark 0.31, section 4.6 (HTML blocks).

    >>> from tenure.reports.content import Case, FileLine, Suite, Trouble
    >>> bad = Trouble("x", "a <b>", "expected never", (FileLine("queues.yaml", 3),))
    >>> shown = Report("tenure test", troubles=(bad,), closing="test: 1 expectation, 1 fail")
    >>> print(*summary_lines(shown), sep="\\n")
    ### tenure test
    <BLANKLINE>
    <pre>
    test: 1 expectation, 1 fail
    </pre>
    <BLANKLINE>
    <pre>
    error    queues.yaml:3  a &lt;b&gt;: expected never
    </pre>
    <BLANKLINE>
    """
    yield from (f"### {report.tool}", "")
    yield from _preformatted([report.closing])
    yield from _preformatted(report.overview)
    lines = [_trouble_line(trouble) for trouble in report.troubles[:MOST_TROUBLES]]
    more = len(report.troubles) - len(lines)
    yield from _preformatted([*lines, *([f"and {more} more"] if more > 0 else [])])
    failed = [case for suite in report.suites for case in suite.cases if case.details]
    for number, case in enumerate(failed[:MOST_TROUBLES], 1):
        yield from (f"<details><summary>Details {number} of {len(failed)}</summary>", "")
        yield from _preformatted([f"{case.group}: {case.name}", *case.details.splitlines()[:_LONGEST]])
        yield from ("</details>", "")


def _trouble_line(trouble: Trouble) -> str:
    place = trouble.places[0] if trouble.places else None
    where = "" if place is None else f"{place.file}:{place.line}" if place.line else place.file
    return f"{trouble.level:<8} {where}  {trouble.line}"


def _preformatted(lines: Sequence[str]) -> Iterator[str]:
    """Lines in which nothing is markup; none where there are none."""
    written = [escape(_text(" ".join(line.splitlines())), quote=False) for line in lines if line]
    if written:
        yield from ("<pre>", *written, "</pre>", "")


FORMS: Final = ("junit", "sarif", "github", "gitlab", "summary")
_OPTION: Final = "--report"
_STDOUT: Final = "-"


@dataclass(frozen=True, slots=True)
class ReportTarget:
    """A requested report.

    Args:
        form: one of `FORMS`.
        path: the file, or `-` for standard output.
    """

    form: str
    path: str


def parse_targets(written: Sequence[str]) -> tuple[ReportTarget, ...]:
    """The reports of the options `--report FORM=FILE`.

    Raises:
        InputError: no such form, no file, or one that cannot be; see `claim`.

    >>> parse_targets(["junit=out.xml", "github=-"])
    (ReportTarget(form='junit', path='out.xml'), ReportTarget(form='github', path='-'))
    """
    targets = []
    for name in written:
        form, separator, path = name.partition("=")
        if not separator or form not in FORMS or not path:
            raise bad_input(_OPTION, name, f"FORM=FILE with a form of {', '.join(FORMS)}")
        if path != _STDOUT:
            claim(_OPTION, path)
        targets.append(ReportTarget(form, path))
    return tuple(targets)


def report_text(report: Report, form: str) -> str:
    """A report in one of the forms, with a line break at its end."""
    if form in ("sarif", "gitlab"):
        written = to_sarif(report) if form == "sarif" else to_gitlab(report)
        return json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    lines_of = {"junit": junit_lines, "github": github_lines, "summary": summary_lines}[form]
    return "".join(f"{line}\n" for line in lines_of(report))


def write_reports(report: Report, targets: Sequence[ReportTarget], show: Callable[[str, str], None]) -> None:
    """Write a report to every requested place.

    Args:
        report: what there is to report.
        targets: forms and places.
        show: prints a text of a form on standard output.

    Raises:
        InputError: a file cannot be written.
    """
    for target in targets:
        text = report_text(report, target.form)
        if target.path == _STDOUT:
            show(text, target.form)
            continue
        try:
            write_file(target.path, text)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InputError(
                [Problem(_OPTION, reason.lower(), "a file to write", file=target.path)]
            ) from None

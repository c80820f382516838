"""A report as annotations of a workflow on GitHub: each at the file and line that it is about."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.reports.report import Report, Trouble


def github_lines(report: Report) -> Iterator[str]:
    """The report's lines.

    Source: GitHub Actions, Workflow commands: `::error file=…,line=…,title=…::message`, and what is escaped.

    >>> from tenure.reports.report import Place, Trouble
    >>> bad = Trouble("x", "Cohort/a: spec", "100 %\\nwrong", (Place("a,b.yaml", 3),))
    >>> print(*github_lines(Report("tenure validate", troubles=(bad,), closing="1 error")), sep="\\n")
    ::error file=a%2Cb.yaml,line=3,title=Cohort/a%3A spec::100 %25%0Awrong
    ::notice title=tenure validate::1 error
    """
    yield from map(_annotation, report.troubles)
    if report.closing:
        yield f"::notice title={_property(report.tool)}::{_data(report.closing)}"


def _annotation(trouble: Trouble) -> str:
    said = {"title": trouble.title}
    if trouble.places:
        place = trouble.places[0]
        line = {"line": str(place.line)} if place.line else {}
        said = {"file": place.file, **line, **said}
    properties = ",".join(f"{name}={_property(value)}" for name, value in said.items())
    return f"::{trouble.level} {properties}::{_data(trouble.text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

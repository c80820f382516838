"""A report as annotations of a workflow on GitHub: each at the file and line that it is about."""

from __future__ import annotations

from collections.abc import Iterator

from tenure_proofs.formats.problems import faults
from tenure_proofs.report import Report, closing_line


def github_lines(report: Report) -> Iterator[str]:
    """The report's lines.

    Source: GitHub Actions, Workflow commands: `::error file=…,line=…,title=…::message`, and what is escaped.
    """
    for each in faults(report):
        place = each.places[0]
        level = "warning" if each.undecided else "error"
        title = _property(f"{each.id}: {each.title}")
        yield f"::{level} file={_property(place.file)},line={place.line},title={title}::{_data(each.text)}"
    yield f"::notice title=tenure prove::{_data(closing_line(report))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

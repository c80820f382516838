"""A report as SARIF: what is not as it should be, at its file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from tenure.reports.report import Place, Report, RuleText, Trouble

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def to_sarif(report: Report) -> dict[str, Any]:
    """The report as a SARIF log with one run.

    Source: OASIS SARIF 2.1.0, sections 3.13 (log), 3.14 (run), 3.27 (result), 3.49 (reportingDescriptor).

    >>> from tenure.reports.report import Trouble
    >>> bad = Trouble("x", "Cohort/a: spec", "wrong", (Place("of teams/a.yaml", 3),))
    >>> result, = to_sarif(Report("tenure validate", troubles=(bad,)))["runs"][0]["results"]
    >>> result["locations"][0]["physicalLocation"]
    {'artifactLocation': {'uri': 'of%20teams/a.yaml'}, 'region': {'startLine': 3}}
    """
    run: dict[str, Any] = {
        "tool": {"driver": {"name": report.tool, "rules": list(map(_rule, report.rules))}},
        "columnKind": "unicodeCodePoints",
        "results": list(map(_result, report.troubles)),
        "invocations": [{"executionSuccessful": report.finished}],
    }
    if report.properties:
        run["properties"] = dict(report.properties)
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: RuleText) -> dict[str, Any]:
    described = {"id": rule.id, "shortDescription": {"text": rule.short}}
    return {**described, "fullDescription": {"text": rule.full}} if rule.full else described


def _result(trouble: Trouble) -> dict[str, Any]:
    first, others = trouble.places[:1], trouble.places[1:]
    return {
        "ruleId": trouble.rule,
        "level": str(trouble.level),
        "message": {"text": _message(f"{trouble.title}: {trouble.text}" if trouble.title else trouble.text)},
        "locations": list(map(_location, first)),
        "relatedLocations": [{"id": number, **_location(each)} for number, each in enumerate(others)],
    }


def _message(text: str) -> str:
    """A text in which braces are no placeholders.

    Source: OASIS SARIF 2.1.0, section 3.11.5.
    """
    return text.replace("{", "{{").replace("}", "}}")


def _location(place: Place) -> dict[str, Any]:
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

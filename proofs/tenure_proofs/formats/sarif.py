"""A report as SARIF: what is not as expected, at the file and line of the rule that it is about."""

from __future__ import annotations

from typing import Any

from tenure_proofs.formats.problems import Fault, Place, faults
from tenure_proofs.report import Report, obligations_of, source_text

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
OTHER_KINDS = {
    "lifting": "A function that the two lifters read differently, or otherwise than Python.",
    "mutant": "A wrong rule that no obligation tells from the right one.",
    "unnamed": "A rule that no obligation names.",
}


def to_sarif(report: Report) -> dict[str, Any]:
    """The report as a SARIF log with one run.

    Source: OASIS SARIF 2.1.0, sections 3.13 (log), 3.14 (run), 3.27 (result), 3.49 (reportingDescriptor).
    """
    found = list(faults(report))
    rules = [
        {
            "id": each.id,
            "shortDescription": {"text": each.words},
            "fullDescription": {"text": source_text(each) or each.words},
        }
        for each in obligations_of(report)
    ]
    rules += [{"id": kind, "shortDescription": {"text": text}} for kind, text in OTHER_KINDS.items()]
    driver = {"name": "tenure prove", "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each) for each in found],
        "invocations": [{"executionSuccessful": not any(each.undecided for each in found)}],
        "properties": {
            "readings": list(report.readings),
            "solvers": report.versions,
            "good": report.good,
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(fault: Fault) -> dict[str, Any]:
    first, *others = fault.places
    return {
        "ruleId": fault.id if fault.kind == "obligation" else fault.kind,
        "level": "warning" if fault.undecided else "error",
        "message": {"text": _message(f"{fault.id}: {fault.title}: {fault.text}")},
        "locations": [_location(first)],
        "relatedLocations": [{"id": number, **_location(each)} for number, each in enumerate(others)],
    }


def _message(text: str) -> str:
    """A text in which braces are no placeholders.

    Source: OASIS SARIF 2.1.0, section 3.11.5.
    """
    return text.replace("{", "{{").replace("}", "}}")


def _location(place: Place) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": place.file},
            "region": {"startLine": place.line},
        }
    }

"""A validation as continuous integration reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tenure.errors import Problem
from tenure.manifests import SourcedObject
from tenure.reports import Case, Report, RuleText, Severity, Suite, Trouble
from tenure.reports.content import Locate, nowhere, place_in, rules_of, trouble_of
from tenure.validation.check import kind_of
from tenure.validation.check import place_in as place_of_object
from tenure.validation.faults import Notice, ValidationReport, is_error

_NO_FILE = "objects"


def checks_of(
    report: ValidationReport,
    objects: Iterable[SourcedObject],
    unreadable: Sequence[Problem] = (),
    *,
    strict: bool = False,
    locate: Locate = nowhere,
) -> Report:
    """A suite for each file, a case for each object.

    Args:
        report: what was found.
        objects: what was looked at.
        unreadable: what could not be read at all.
        strict: whether warnings are failures too.
        locate: finds lines of the files.

    >>> cohort = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort", "metadata": {"name": "all"}}
    >>> suite, = checks_of(ValidationReport(checked=1), [SourcedObject("a.yaml", cohort)]).suites
    >>> suite.name, [case.name for case in suite.cases]
    ('a.yaml', ['Cohort/all'])
    """
    notices = [*report.errors, *report.warnings]
    # An object may be in a file twice, and one without a name cannot be identified.
    looked_at = [
        (found.file, place_of_object(found.object, found.file).object)
        for found in objects
        if kind_of(found.object) is not None
    ]
    known = dict.fromkeys((*looked_at, *((notice.file, notice.object) for notice in notices)))
    files = list(dict.fromkeys(file for file, _ in known))
    return Report(
        "tenure validate",
        tuple(
            Suite(
                file or _NO_FILE,
                tuple(_case(key, notices, strict=strict) for key in known if key[0] == file),
            )
            for file in files
        )
        + _unreadable(unreadable),
        (
            *(_trouble(notice, locate) for notice in notices),
            *(trouble_of(problem, locate) for problem in unreadable),
        ),
        (
            *(RuleText(name, _in_words(name)) for name in dict.fromkeys(notice.type for notice in notices)),
            *rules_of(unreadable),
        ),
        f"validate: {report.checked} checked, {len(report.errors)} errors, {len(report.warnings)} warnings",
        finished=not unreadable,
    )


def _case(key: tuple[str, str], notices: Sequence[Notice], *, strict: bool) -> Case:
    file, name = key
    found = [notice for notice in notices if (notice.file, notice.object) == key]
    failing = [notice for notice in found if strict or is_error(notice)]
    rest = [notice for notice in found if notice not in failing]
    return Case(
        file or _NO_FILE,
        name or "an object without kind and name",
        failure="; ".join(map(notice_text, failing[:1]))
        + (f"; and {len(failing) - 1} more" if failing[1:] else ""),
        details="\n".join(map(notice_text, failing)),
        output="\n".join(f"warning: {notice_text(notice)}" for notice in rest),
    )


def _unreadable(problems: Sequence[Problem]) -> tuple[Suite, ...]:
    cases = (
        Case("input", problem.file or "input", error=f"found {problem.found}, expected {problem.expected}")
        for problem in problems
    )
    return (Suite("input", tuple(cases)),) if problems else ()


def _trouble(notice: Notice, locate: Locate) -> Trouble:
    return Trouble(
        notice.type,
        ": ".join(part for part in (notice.object, notice.field) if part) or notice.file,
        f"{notice.message} ({notice.type}, {notice.source})",
        place_in(notice.file, locate(notice.file, notice.object, notice.field)),
        Severity.ERROR if is_error(notice) else Severity.WARNING,
    )


def notice_text(notice: Notice) -> str:
    """An error or a warning in a line, without its object.

    >>> notice_text(Notice("Cohort/a", "spec", "NoEffect", "nothing comes of it", "tenure"))
    'spec: nothing comes of it (NoEffect, tenure)'
    """
    place = f"{notice.field}: " if notice.field else ""
    return f"{place}{notice.message} ({notice.type}, {notice.source})"


def _in_words(name: str) -> str:
    """A type as words.

    >>> _in_words("DanglingReference")
    'Dangling reference'
    """
    return re.sub(r"(?<!^)([A-Z])", lambda found: f" {found[1].lower()}", name)

"""A validation as continuous integration reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tenure.errors import Problem
from tenure.manifests import SourcedObject
from tenure.reports import Case, RuleText, Severity, Suite, Trouble
from tenure.reports import Report as Checks
from tenure.reports.content import Locate, nowhere, place_in, rules_of, trouble_of
from tenure.validation.check import kind_of
from tenure.validation.check import place_in as place_of_object
from tenure.validation.faults import Notice, Report, is_error

_NO_FILE = "objects"


def checks_of(
    report: Report,
    objects: Iterable[SourcedObject],
    unreadable: Sequence[Problem] = (),
    *,
    strict: bool = False,
    locate: Locate = nowhere,
) -> Checks:
    """A suite for each file, a case for each object.

    Args:
        report: what was found.
        objects: what was looked at.
        unreadable: what could not be read at all.
        strict: whether warnings are failures too.
        locate: finds lines of the files.

    >>> cohort = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort", "metadata": {"name": "all"}}
    >>> suite, = checks_of(Report(checked=1), [SourcedObject("a.yaml", cohort)]).suites
    >>> suite.name, [each.name for each in suite.cases]
    ('a.yaml', ['Cohort/all'])
    """
    notices = [*report.errors, *report.warnings]
    # An object may stand in a file twice, and one without a name has none to be told by.
    known = dict.fromkeys((each.file, each.object) for each in (*_looked_at(objects), *notices))
    files = list(dict.fromkeys(file for file, _ in known))
    return Checks(
        "tenure validate",
        tuple(
            Suite(
                file or _NO_FILE,
                tuple(_case(key, notices, strict=strict) for key in known if key[0] == file),
            )
            for file in files
        )
        + _unreadable(unreadable),
        (*(_trouble(each, locate) for each in notices), *(trouble_of(each, locate) for each in unreadable)),
        (
            *(RuleText(name, _in_words(name)) for name in dict.fromkeys(each.type for each in notices)),
            *rules_of(unreadable),
        ),
        f"validate: {report.checked} checked, {len(report.errors)} errors, {len(report.warnings)} warnings",
        finished=not unreadable,
    )


def _looked_at(objects: Iterable[SourcedObject]) -> Iterator[Notice]:
    for each in objects:
        if kind_of(each.object) is not None:
            yield Notice(place_of_object(each.object, each.file).object, "", "", "", "", each.file)


def _case(key: tuple[str, str], notices: Sequence[Notice], *, strict: bool) -> Case:
    file, name = key
    found = [each for each in notices if (each.file, each.object) == key]
    failing = [each for each in found if strict or is_error(each)]
    rest = [each for each in found if each not in failing]
    return Case(
        file or _NO_FILE,
        name or "an object without kind and name",
        failure="; ".join(map(said, failing[:1])) + (f"; and {len(failing) - 1} more" if failing[1:] else ""),
        details="\n".join(map(said, failing)),
        said="\n".join(f"warning: {said(each)}" for each in rest),
    )


def _unreadable(problems: Sequence[Problem]) -> tuple[Suite, ...]:
    cases = (
        Case("input", each.file or "input", error=f"found {each.found}, expected {each.expected}")
        for each in problems
    )
    return (Suite("input", tuple(cases)),) if problems else ()


def _trouble(each: Notice, locate: Locate) -> Trouble:
    return Trouble(
        each.type,
        ": ".join(part for part in (each.object, each.field) if part) or each.file,
        f"{each.message} ({each.type}, {each.source})",
        place_in(each.file, locate(each.file, each.object, each.field)),
        Severity.ERROR if is_error(each) else Severity.WARNING,
    )


def said(each: Notice) -> str:
    """An error or a warning in a line, without its object.

    >>> said(Notice("Cohort/a", "spec", "NoEffect", "nothing comes of it", "tenure"))
    'spec: nothing comes of it (NoEffect, tenure)'
    """
    place = f"{each.field}: " if each.field else ""
    return f"{place}{each.message} ({each.type}, {each.source})"


def _in_words(name: str) -> str:
    """A type as words.

    >>> _in_words("DanglingReference")
    'Dangling reference'
    """
    return re.sub(r"(?<!^)([A-Z])", lambda found: f" {found[1].lower()}", name)

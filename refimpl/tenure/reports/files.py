"""Which reports are asked for, and where they go."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tenure.errors import InputError, Problem, bad_input
from tenure.reports.github import github_lines
from tenure.reports.junit import junit_lines
from tenure.reports.report import Report
from tenure.reports.sarif import to_sarif

FORMS: Final = ("junit", "sarif", "github")
_OPTION: Final = "--report"
_STDOUT: Final = "-"


@dataclass(frozen=True, slots=True)
class Target:
    """A report that is asked for.

    Args:
        form: one of `FORMS`.
        path: the file, or `-` for standard output.
    """

    form: str
    path: str


def parse_targets(written: Sequence[str]) -> tuple[Target, ...]:
    """Reports as `--report FORM=FILE` asks for them.

    Raises:
        InputError: no such form, no file, or a folder that is not there: said before any work is done.

    >>> parse_targets(["junit=out.xml", "github=-"])
    (Target(form='junit', path='out.xml'), Target(form='github', path='-'))
    """
    targets = []
    for each in written:
        form, separator, path = each.partition("=")
        if not separator or form not in FORMS or not path:
            raise bad_input(_OPTION, each, f"FORM=FILE with a form of {', '.join(FORMS)}")
        if path != _STDOUT and not Path(path).parent.is_dir():
            raise bad_input(_OPTION, each, f"a file in a folder that exists; {Path(path).parent} does not")
        targets.append(Target(form, path))
    return tuple(targets)


def report_text(report: Report, form: str) -> str:
    """A report in one of the forms, with a line break at its end."""
    if form == "sarif":
        return json.dumps(to_sarif(report), indent=2, ensure_ascii=False) + "\n"
    lines = junit_lines(report) if form == "junit" else github_lines(report)
    return "".join(f"{line}\n" for line in lines)


def write_reports(report: Report, targets: Sequence[Target]) -> None:
    """Write a report to every place that asks for it.

    Raises:
        InputError: a file cannot be written.
    """
    for each in targets:
        text = report_text(report, each.form)
        if each.path == _STDOUT:
            print(text, end="", flush=True)
            continue
        try:
            Path(each.path).write_text(text, encoding="utf-8", errors="replace")
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InputError([Problem(_OPTION, reason.lower(), "a file to write", file=each.path)]) from None

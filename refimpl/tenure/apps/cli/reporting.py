"""Reports beside a command's answer: `--report FORM=FILE`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.errors import InputError

if TYPE_CHECKING:
    from tenure.manifests.source_lines import SourceLines
    from tenure.reports import Report, Target

Reports = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        metavar="FORM=FILE",
        help="Write a report too: junit, sarif or github (annotations); - is standard output; repeatable.",
    ),
]
"""The option of every command that checks something."""


class Reporting:
    """The reports that a command line asks for. Nothing is imported or looked up where it asks for none.

    Args:
        asked: as `Reports` has them.
        tool: the command, `tenure validate`.

    Raises:
        InputError: no such form, or no folder for the file.
    """

    def __init__(self, asked: Sequence[str] | None, tool: str) -> None:
        self._tool = tool
        self._targets: tuple[Target, ...] = ()
        if asked:
            from tenure.reports import parse_targets

            self._targets = parse_targets(asked)

    def write(self, make: Callable[[SourceLines], Report]) -> None:
        """Write what there is to report.

        Args:
            make: makes the report; it may look up lines.
        """
        if self._targets:
            from tenure.manifests.source_lines import SourceLines
            from tenure.reports import write_reports

            write_reports(make(SourceLines()), self._targets)

    @contextmanager
    def of_bad_input(self) -> Iterator[None]:
        """What cannot be answered is reported as well, and raised as before."""
        try:
            yield
        except InputError as error:
            self.write_problems(error)
            raise

    def write_problems(self, error: InputError) -> None:
        """Report bad input by itself."""
        from tenure.reports import report_of_problems

        self.write(lambda lines: report_of_problems(self._tool, error, lines.of_field))

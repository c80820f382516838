"""Answers as text, JSON or YAML, and reports beside them: `--report FORM=FILE`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenure.cli.terminal import Color, print_lines, print_text
from tenure.errors import InputError
from tenure.pages import IDENTIFIER
from tenure.versions import KUEUE_FROM_TEXT, NOT_RUN, WITH_PROPOSALS, versioned

if TYPE_CHECKING:
    from tenure.answer import Answer
    from tenure.manifests.source_lines import SourceLines
    from tenure.outline import Outline
    from tenure.reports import Report, ReportTarget


class Output(StrEnum):
    """How an answer is printed."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"


class OutlineOutput(StrEnum):
    """How an answer that is an outline is printed."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"
    MARKDOWN = "markdown"


OutputOption = Annotated[Output, typer.Option("--output", "-o", help="How to print the answer.")]
"""The option of every command that answers."""
OutlineOutputOption = Annotated[
    OutlineOutput, typer.Option("--output", "-o", help="How to print the answer.")
]
"""The option of every command whose answer is an outline."""


Every = Annotated[bool, typer.Option("--all", help="All workloads, however many they are.")]
"""The option of every command that groups or counts them where they are many; JSON and YAML have them all."""


class ReportOutput(StrEnum):
    """How a command that only checks something prints what came of it."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"


@dataclass(frozen=True, slots=True)
class Printing:
    """The options of a command that answers."""

    output: OutputOption = Output.TEXT
    color: Color = None


@dataclass(frozen=True, slots=True)
class OutlinePrinting:
    """The options of a command whose answer is an outline."""

    output: OutlineOutputOption = OutlineOutput.TEXT
    color: Color = None


def with_pointer(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a text, and how to look up what it names by an identifier, if it names any.

    >>> list(with_pointer(["preempt ml/old by KQ-320", "preempt ml/older by KQ-040"]))[-1]
    'look up an identifier: tenure show KQ-320'
    """
    named: str | None = None
    for line in lines:
        if named is None and (found := IDENTIFIER.search(line)):
            named = found[0]
        yield line
    if named is not None:
        yield f"look up an identifier: tenure show {named}"


def about(kueue: str | None, lines: Iterable[str]) -> Iterator[str]:
    """The lines of an answer, and which release of Kueue it is about, if it is about one.

    >>> list(about("0.19", ["ml/train: Fit"]))[-1]
    'about Kueue 0.19, without what is only proposed'
    """
    yield from lines
    if kueue is not None and not kueue.endswith(WITH_PROPOSALS):
        source = f", {NOT_RUN}" if kueue == KUEUE_FROM_TEXT else ""
        yield f"about Kueue {kueue}{source}, without what is only proposed"


def print_answer(
    output: Output, name: str | None, rendered: Any, lines: Iterable[str], *, pointer: bool = True
) -> None:
    """Print an answer in the chosen form.

    Args:
        output: the form.
        name: of the schema that JSON and YAML follow, which they begin with; None for what is no answer of
            Tenure's, such as a Kubernetes List.
        rendered: what JSON and YAML hold.
        lines: the text; drawn only if it is printed.
        pointer: whether it ends with how to look up an identifier, if it names one.

    >>> print_answer(Output.JSON, "vectors", {"formatted": []}, ())  # doctest: +ELLIPSIS
    {
      "schema": "tenure-vectors/1",
      "tenure": "...",
      "formatted": []
    }
    """
    if output == Output.TEXT:
        print_lines(with_pointer(lines) if pointer else lines)
        return
    if name is not None:
        rendered = versioned(name, rendered)
    if output == Output.JSON:
        print_text(f"{_json_text(rendered)}\n", is_json=True)
    else:
        import yaml

        print_text(yaml.safe_dump(rendered, sort_keys=False, allow_unicode=True))


def print_outline(
    output: OutlineOutput, name: str, outline: Outline, rendered: Callable[[], Any], release: str | None
) -> None:
    """Print an answer that is an outline in the chosen form.

    Args:
        output: the form.
        name: of the schema that JSON and YAML follow.
        outline: the answer, for text and Markdown.
        rendered: makes what JSON and YAML hold; called only where it is printed.
        release: the target release of Kueue; None for none.
    """
    if output == OutlineOutput.MARKDOWN:
        print_lines(outline.markdown_lines())
    elif output == OutlineOutput.TEXT:
        print_answer(Output.TEXT, name, None, about(release, outline.text_lines()))
    else:
        print_answer(Output(output.value), name, rendered(), ())


def print_found(output: OutlineOutput, found: Answer[Any]) -> None:
    """Print an answer of the Python API, whose record names the release of Kueue, in the chosen form."""
    print_outline(output, found.name, found.outline, found.json, getattr(found.record, "kueue", None))


def _json_text(rendered: Any) -> str:
    from pydantic_core import to_json

    try:  # ten times as fast as Python's, which writes every line by itself where it indents
        return to_json(rendered, indent=2).decode()
    except ValueError:  # a name of a file that is no text: half of a pair of surrogates
        import json

        return json.dumps(rendered, indent=2, ensure_ascii=False)


ChecksOutput = Annotated[ReportOutput, typer.Option("--output", "-o", help="How to print what came of them.")]

Reports = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        metavar="FORM=FILE",
        help="Write a report too: junit, sarif, github (annotations), gitlab (code quality) or summary "
        "(Markdown, for the summary of a job); - is standard output; repeatable.",
    ),
]
"""The option of every command that checks something."""


@dataclass(frozen=True, slots=True)
class CheckPrinting:
    """The options of a command that answers, and that checks something."""

    output: OutputOption = Output.TEXT
    report: Reports = None
    color: Color = None


class Reporting:
    """The reports that a command line requests. Nothing is imported or looked up where it requests none.

    Args:
        reports: as `Reports` has them.
        tool: the command, `tenure validate`.

    Raises:
        InputError: no such form, or no folder for the file.
    """

    def __init__(self, reports: Sequence[str] | None, tool: str) -> None:
        self.tool = tool
        self._targets: tuple[ReportTarget, ...] = ()
        if reports:
            from tenure.reports import parse_targets

            self._targets = parse_targets(reports)

    @property
    def is_wanted(self) -> bool:
        """Whether there is a report to write."""
        return bool(self._targets)

    def write(self, make: Callable[[SourceLines], Report]) -> None:
        """Write what there is to report.

        Args:
            make: makes the report; it may look up lines.
        """
        if self._targets:
            from tenure.manifests.source_lines import SourceLines
            from tenure.reports import write_reports

            write_reports(make(SourceLines()), self._targets, print_report)

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

        self.write(lambda lines: report_of_problems(self.tool, error, lines.of_field))


def print_report(text: str, form: str) -> None:
    """Print a report in one of the forms."""
    print_text(text, is_json=form in ("sarif", "gitlab"))


def print_checked(
    output: StrEnum,
    name: str,
    report: Callable[[], Report],
    rendered: Callable[[], Any],
    lines: Iterable[str],
) -> None:
    """Print what came of checks in the chosen form.

    Args:
        output: the form, of answers or of reports.
        name: of the schema that JSON and YAML follow.
        report: makes the report; called only where it is printed.
        rendered: makes what JSON and YAML hold; the same.
        lines: the text.
    """
    from tenure.reports import FORMS, report_text

    if output in FORMS:
        print_report(report_text(report(), output), output)
        return
    answered = Output(output.value)
    print_answer(answered, name, None if answered == Output.TEXT else rendered(), lines)

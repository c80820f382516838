"""Answers of `tenure analyze` for people, as text or Markdown, or as JSON or YAML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from tenure.cli.output import OutlineOutput, Output, about, print_answer, with_pointer
from tenure.cli.terminal import Color, print_lines
from tenure.outline import Outline

ListPremises = Annotated[bool, typer.Option("--premises", help="List what every verdict assumes.")]
"""The option of every analysis."""


@dataclass(frozen=True, slots=True)
class AnalysisPrinting:
    """How an analysis is printed."""

    output: Annotated[OutlineOutput, typer.Option("--output", "-o", help="How to print the answer.")] = (
        OutlineOutput.TEXT
    )
    premises: ListPremises = False
    color: Color = None


def print_outline(
    output: OutlineOutput, name: str, rendered: Any, outline: Outline, release: str | None
) -> None:
    """Print an analysis.

    Args:
        output: the form.
        name: of the schema that JSON and YAML follow.
        rendered: the record, for JSON and YAML.
        outline: the answer, for text and Markdown.
        release: the target release of Kueue.
    """
    if output == OutlineOutput.MARKDOWN:
        print_lines(outline.markdown_lines())
    elif output == OutlineOutput.TEXT:
        print_lines(with_pointer(about(release, outline.text_lines())))
    else:
        print_answer(Output(output.value), name, rendered, ())

"""Answers as text, JSON or YAML."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any

import typer

from tenure.apps.cli.terminal import print_lines


class Output(StrEnum):
    """How an answer is printed."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"


OutputOption = Annotated[Output, typer.Option("--output", "-o", help="How to print the answer.")]
"""The option of every command that answers."""


def print_answer(output: Output, rendered: Any, lines: Iterable[str]) -> None:
    """Print an answer in the asked form.

    Args:
        output: the form.
        rendered: what JSON and YAML say.
        lines: what the text says; drawn only if it is asked for.

    >>> print_answer(Output.JSON, {"formatted": []}, ())
    {
      "formatted": []
    }
    """
    if output == Output.TEXT:
        print_lines(lines)
    elif output == Output.JSON:
        import json

        print(json.dumps(rendered, indent=2, ensure_ascii=False))
    else:
        import yaml

        print(yaml.safe_dump(rendered, sort_keys=False, allow_unicode=True), end="")

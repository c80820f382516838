"""How answers of `tenure analyze` are printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from tenure.cli.output import OutlineOutput, OutlineOutputOption
from tenure.cli.terminal import Color

ListPremises = Annotated[bool, typer.Option("--premises", help="List what every verdict assumes.")]
"""The option of every analysis."""


@dataclass(frozen=True, slots=True)
class AnalysisPrinting:
    """How an analysis is printed."""

    output: OutlineOutputOption = OutlineOutput.TEXT
    premises: ListPremises = False
    color: Color = None

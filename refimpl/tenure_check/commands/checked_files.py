"""How `tenure test` and `tenure analyze check` read the files of expectations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from tenure.cli.options import EditOptions, ExpectationPaths, KueueRelease, NoCache, Strict


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFiles:
    """Files of expectations, how they and what they name are read, and how that counts."""

    paths: ExpectationPaths = None
    strict: Strict = False
    no_cache: NoCache = False
    render: Annotated[
        list[str] | None,
        typer.Option(
            "--render",
            metavar="COMMAND",
            help="A command that files may have run by render: under manifests, word for word, such as "
            "'helm template charts/queues'; no other one is run; repeatable.",
        ),
    ] = None
    edits: EditOptions
    kueue: KueueRelease = None

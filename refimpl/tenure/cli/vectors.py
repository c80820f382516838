"""`tenure vectors`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tenure.choices import Engine
from tenure.cli.commands import SETTINGS, Command, Group
from tenure.cli.options import EngineName
from tenure.cli.output import Output, OutputOption
from tenure.cli.terminal import Color

vectors_app = typer.Typer(
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=SETTINGS,
    help=(
        "Run, check, format and add the test cases of spec/vectors.\n\n"
        "All published cases against the reference, or those of one rule:\n\n\b\n"
        "tenure vectors run\n"
        "tenure vectors run TBP-020 --verbose"
    ),
    epilog="Exit codes: 0 all is well, 1 a vector differs or a file is not well-formed, 2 bad input.",
)

Folder = Annotated[
    Path | None, typer.Option(help="Folder of vector files.", show_default="the published ones")
]


@vectors_app.command("run", cls=Command, context_settings=SETTINGS)
def run(
    only: Annotated[
        str,
        typer.Argument(help="Only identifiers that begin with this, such as TBP-020.", show_default="all"),
    ] = "",
    folder: Folder = None,
    engine: EngineName = Engine.REFERENCE,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Name every case.")] = False,
    output: OutputOption = Output.TEXT,
    color: Color = None,
) -> None:
    """Run the vectors against an engine. Exit code 1 when one differs.

    A failing case prints its comment (why it exists) and what the answer has otherwise.

    All of them, those of a rule, and those of a folder of your own:

    \b
    tenure vectors run
    tenure vectors run TBP-020 --verbose
    tenure vectors run --engine fast
    tenure vectors run --folder my-vectors -o json | jq '.vectors[] | select(.passed | not)'

    Exit codes: 0 every vector passes, 1 one differs, 2 bad input.
    """
    from tenure.cli.vectors_run import run_run

    run_run(only=only, folder=folder, engine=engine, verbose=verbose, output=output, color=color)


@vectors_app.command("check", cls=Command, context_settings=SETTINGS)
def check(folder: Folder = None, output: OutputOption = Output.TEXT) -> None:
    """Check the files: schema, format, flags, verdicts, and that every rule is accepted and rejected once.

    The published files, and a folder of your own:

    \b
    tenure vectors check
    tenure vectors check --folder my-vectors

    Exit codes: 0 well-formed, 1 something is not, 2 bad input.
    """
    from tenure.cli.vectors_run import run_check

    run_check(folder=folder, output=output)


@vectors_app.command("format", cls=Command, context_settings=SETTINGS)
def format_(folder: Folder = None, output: OutputOption = Output.TEXT) -> None:
    """Rewrite the files in their one format.

    \b
    tenure vectors format
    tenure vectors format --folder my-vectors

    Exit codes: 0 done, 2 bad input.
    """
    from tenure.cli.vectors_run import run_format

    run_format(folder=folder, output=output)


@vectors_app.command("add", cls=Command, context_settings=SETTINGS)
def add(
    area: Annotated[str, typer.Argument(help="The area: name of a file in spec/vectors, without ending.")],
    source: Annotated[
        Path | None, typer.Argument(help="A JSON file with the vector.", show_default="standard input")
    ] = None,
    folder: Folder = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """Add a vector. Without "expect", the reference's answer becomes it: read it before you commit it.

    \b
    tenure vectors add time-based my-case.json
    tenure vectors add time-based < my-case.json

    Exit codes: 0 added, 2 bad input.
    """
    from tenure.cli.vectors_run import run_add

    run_add(area=area, source=source, folder=folder, output=output)

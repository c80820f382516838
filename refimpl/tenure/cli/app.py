"""The commands, and what happens when one fails."""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tenure import __version__
from tenure.cli.decide import decide_command
from tenure.cli.examples import example_command
from tenure.cli.oracle import oracle_command
from tenure.cli.vectors import vectors_app
from tenure.errors import InputError

EXIT_PROPERTY_FAILS = 1
EXIT_BAD_INPUT = 2
EXIT_INTERNAL = 3

COMMANDS_GROUP = "tenure.commands"
"""Entry points that add commands: the proofs are one, so that the reference never imports them."""


class _WithPlugins(TyperGroup):
    """The commands of this package, and those that other installed packages add."""

    # `Any`: Typer's context is click's own in some releases and a copy of it in others.
    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *(entry.name for entry in entry_points(group=COMMANDS_GROUP))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for entry in entry_points(group=COMMANDS_GROUP, name=cmd_name):
            plugin = typer.Typer(add_completion=False)
            plugin.command(cmd_name)(entry.load())
            return typer.main.get_command(plugin)
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=_WithPlugins,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help=(
        "Who may preempt whom, and when, in Kubernetes batch queues.\n\n"
        "Start with:\n\n\b\n"
        "tenure decide --example two-teams -w team-b/job-eval-suite-d739e "
        "--now 2026-03-02T14:00:00Z --explain"
    ),
    epilog="Exit codes: 0 answered, 1 a checked property fails, 2 bad input, 3 internal error.",
)
app.command("decide")(decide_command)
app.command("oracle")(oracle_command)
app.command("example")(example_command)
app.add_typer(vectors_app, name="vectors")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tenure {__version__}")
        raise typer.Exit


@app.callback()
def _global_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before any command."""


def main() -> None:
    """Run the command line; every failure is a message and an exit code, never a traceback."""
    try:
        app()
    except SystemExit as ended:
        sys.exit(_unless_the_reader_left(ended))
    except InputError as error:
        for problem in error.problems:
            print(f"error: {problem}", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)
    except Exception as error:
        print(f"internal error: {type(error).__name__}: {error}", file=sys.stderr)
        print("This is a fault of Tenure; TENURE_TRACEBACK=1 shows where.", file=sys.stderr)
        if os.environ.get("TENURE_TRACEBACK"):
            raise
        sys.exit(EXIT_INTERNAL)


def _unless_the_reader_left(ended: SystemExit) -> Any:
    """The exit code; 0 when all that went wrong is that nobody reads our output any more."""
    code = ended.code
    # Click turns a broken pipe into exit code 1, which here would say that a checked property fails.
    if isinstance(ended.__context__, BrokenPipeError):
        code = 0
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code

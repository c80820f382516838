"""The front door: the options before any command, and what happens when one fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, TextIO

import typer

from tenure import __version__
from tenure.cli.commands import SETTINGS, Front
from tenure.cli.exit_codes import ExitCode
from tenure.cli.terminal import Color, choose_colour, complain, discard, hint, print_lines, write_as_text
from tenure.disk import one_command
from tenure.errors import InputError, Problem

SOLVERS = ("z3-solver", "cvc5")


def version_lines() -> Iterator[str]:
    """Tenure, Python and the solvers, one a line.

    >>> next(version_lines()) == f"tenure {__version__}"
    True
    """
    import platform

    yield f"tenure {__version__}"
    yield f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    for solver in SOLVERS:
        yield f"{solver} {_installed(solver)}"


def _installed(distribution: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "is not installed: pip install 'tenure[proofs]'"


app = typer.Typer(
    cls=Front,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Rich's help breaks the lines of examples, and costs more time than all the rest; colours come later.
    rich_markup_mode=None,
    context_settings=SETTINGS,
    help=(
        "Which workloads may preempt which others in Kubernetes batch queues, when, and why.\n\n"
        "Start with a bundled example:\n\n\b\n"
        "tenure decide --example two-teams -w team-b/job-eval-suite-d739e --now 2026-03-02T14:00:00Z\n\n"
        "Then with your own cluster, every pending workload in it:\n\n\b\n"
        "kubectl tenure decide --all-pending"
    ),
    epilog=(
        "Exit codes: 0 answered, 1 a checked property fails, 2 bad input, or output that cannot be written, "
        "3 undecided or an internal error, 5 not everything was looked at, "
        "130 interrupted."
    ),
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print_lines(version_lines())
        raise typer.Exit


@app.callback()
def _global_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the versions: Tenure, Python, solvers.",
        ),
    ] = False,
    color: Color = None,
) -> None:
    """Options before any command."""
    del version  # Its callback has printed it, and ended the program.
    choose_colour(color)


def main() -> None:
    """Run the command line; every failure is a message and an exit code, never a traceback."""
    ended(lambda: app(prog_name="tenure"), "tenure")


def ended(run: Callable[[], object], name: str) -> None:
    """Run a command line to its exit code.

    Args:
        run: does it.
        name: what it is called, for the way to its help.
    """
    write_as_text(sys.stdout, sys.stderr)
    code = _code_of(run, name)
    try:
        for stream in (sys.stdout, sys.stderr):
            _finish(stream)
    except OSError as error:
        code = _told(error)
    sys.exit(code)


def _code_of(run: Callable[[], object], name: str) -> Any:
    """The exit code; what fails has been reported."""
    try:
        with one_command():
            run()
    except SystemExit as end:
        return _own_code(end)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except InputError as error:
        for problem in error.problems:
            complain("error", problem)
        hint(f"see {_typed(name, sys.argv[1:])} --help")
        return ExitCode.BAD_INPUT
    except OSError as error:
        return _told(error)
    except Exception as error:
        complain("internal error", f"{type(error).__name__}: {error}")
        hint("This is a fault of Tenure; TENURE_TRACEBACK=1 shows where.")
        if os.environ.get("TENURE_TRACEBACK"):
            raise
        return ExitCode.INTERNAL
    return 0


def _told(error: OSError) -> int:
    """The exit code where the system refuses something: a file, or more room for what is printed."""
    for stream in (sys.stdout, sys.stderr):
        _settle(stream)
    found = (error.strerror or type(error).__name__).lower()
    place = str(error.filename or "output")
    expected = "a file that can be used" if error.filename else "a place that takes what is written"
    complain("error", Problem("", found, expected, file=place))
    return ExitCode.BAD_INPUT


def _finish(stream: TextIO | None) -> None:
    """Write what a stream still holds, unless the reader has closed it.

    Raises:
        OSError: it cannot be written.
    """
    try:
        if stream is not None:
            stream.flush()
    except BrokenPipeError:
        discard(stream)


def _settle(stream: TextIO | None) -> None:
    try:
        _finish(stream)
    except OSError:
        discard(stream)


def _typed(name: str, arguments: Sequence[str]) -> str:
    """The command that was typed, as its help is called.

    >>> _typed("tenure", ["--no-color", "vectors", "add", "time-based"])
    'tenure vectors add'
    """
    words = [word for word in arguments if not word.startswith("-")]
    return " ".join([name, *words[: 2 if words[:1] in (["vectors"], ["kai"], ["analyze"]) else 1]])


def _own_code(ended: SystemExit) -> Any:
    """The exit code: Typer's own codes for an interrupt and for a broken pipe have another meaning here."""
    reasons = set(map(type, _causes(ended)))
    if KeyboardInterrupt in reasons:
        return ExitCode.INTERRUPTED
    # A reader who has seen enough is no failure; 1 would mean that a checked property fails.
    return 0 if BrokenPipeError in reasons else ended.code


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What an exception came from, step by step."""
    cause = error.__cause__ or error.__context__
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__

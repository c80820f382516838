"""`tenure vectors`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenure.cli.commands import SETTINGS, Command, Group
from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import EngineName
from tenure.cli.output import Output, OutputOption, print_answer
from tenure.cli.terminal import Color, choose_colour, progress
from tenure.conformance import vectors
from tenure.conformance.vectors import Run
from tenure.engines import Engine, require_core
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import decoded_json
from tenure.manifests.files import decoded, read_standard_input, read_text
from tenure.manifests.limits import MAX_VECTORS

if TYPE_CHECKING:
    from tenure.cli.answer_types import VectorRun, VectorsChecked, VectorsRun

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
    choose_colour(color)
    chosen = [vector for vector in vectors.load_vectors(folder) if vector.id.startswith(only)]
    if not chosen:
        raise bad_input("only", only, "the beginning of some vector's identifier")
    if engine == Engine.FAST:
        require_core()
    runs = [vectors.run_vector(vector, engine) for vector in progress(chosen, "running vectors", len(chosen))]
    failed = sum(1 for run in runs if run.differences)
    rendered: VectorsRun = {
        "passed": len(runs) - failed,
        "failed": failed,
        "vectors": [_rendered(run) for run in runs],
    }
    print_answer(output, "vectors", rendered, _run_lines(runs, failed, verbose))
    if failed:
        raise typer.Exit(ExitCode.FOUND)


def _run_lines(runs: list[Run], failed: int, verbose: bool) -> Iterator[str]:
    for run in runs:
        if run.differences:
            yield f"FAIL {run.vector.id}: {run.vector.data['comment']}"
            yield from (f"     {difference}" for difference in run.differences)
        elif verbose:
            yield f"ok   {run.vector.id}: {run.vector.data['comment']}"
    yield f"vectors: {len(runs) - failed} passed, {failed} failed"


def _rendered(run: Run) -> VectorRun:
    return {
        "id": run.vector.id,
        "comment": run.vector.data["comment"],
        "passed": not run.differences,
        "differences": list(run.differences),
    }


@vectors_app.command("check", cls=Command, context_settings=SETTINGS)
def check(folder: Folder = None, output: OutputOption = Output.TEXT) -> None:
    """Check the files: schema, format, flags, verdicts, and that every rule is accepted and rejected once.

    The published files, and a folder of your own:

    \b
    tenure vectors check
    tenure vectors check --folder my-vectors

    Exit codes: 0 well-formed, 1 something is not, 2 bad input.
    """
    problems = list(progress(vectors.check_vectors(folder), "checking vectors"))
    if problems:
        print_answer(output, "vectors", {"wellFormed": False, "problems": problems}, problems)
        raise typer.Exit(ExitCode.FOUND)
    count, files = len(vectors.load_vectors(folder)), len(vectors.vector_files(folder))
    checked: VectorsChecked = {"wellFormed": True, "problems": [], "vectors": count, "files": files}
    print_answer(output, "vectors", checked, [f"vectors: {count} in {files} files, well-formed"])


@vectors_app.command("format", cls=Command, context_settings=SETTINGS)
def format_(folder: Folder = None, output: OutputOption = Output.TEXT) -> None:
    """Rewrite the files in their one format.

    \b
    tenure vectors format
    tenure vectors format --folder my-vectors

    Exit codes: 0 done, 2 bad input.
    """
    names = [path.name for path in vectors.format_files(folder)]
    print_answer(output, "vectors", {"formatted": names}, (f"formatted {name}" for name in names))


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
    path = vectors.add_vector(area, _parsed(_text(source)), folder)
    print_answer(output, "vectors", {"addedTo": str(path)}, [f"added to {path}"])


def _text(source: Path | None) -> str:
    if source is not None:
        return read_text(source, MAX_VECTORS)
    problems: list[Problem] = []
    raw = read_standard_input(problems)
    text = None if raw is None else decoded(raw, "stdin", problems)
    if text is None:
        raise InputError(problems)
    return text


def _parsed(text: str) -> dict[str, Any]:
    try:
        vector = decoded_json(text)
    except (ValueError, RecursionError) as error:
        raise bad_input(
            "vector", str(error), "a JSON object as spec/vectors/schema.json describes it"
        ) from None
    if not isinstance(vector, dict):
        raise bad_input("vector", vector, "a JSON object as spec/vectors/schema.json describes it")
    return vector

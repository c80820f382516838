"""`tenure vectors`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tenure.conformance import vectors
from tenure.errors import bad_input

vectors_app = typer.Typer(
    no_args_is_help=True, help="Run, check, format and add the portable cases of spec/vectors."
)

Folder = Annotated[
    Path | None, typer.Option(help="Folder of vector files.", show_default="the published ones")
]


@vectors_app.command("run")
def run(
    only: Annotated[
        str, typer.Argument(help="Only identifiers that start so, as TBP-020.", show_default="all")
    ] = "",
    folder: Folder = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Name every case.")] = False,
) -> None:
    """Run the vectors against the reference. Exit code 1 when one differs.

    A failing case prints its comment (why it exists) and what the answer has otherwise.
    """
    chosen = [vector for vector in vectors.load_vectors(folder) if vector.id.startswith(only)]
    if not chosen:
        raise bad_input("only", only, "the beginning of some vector's identifier")
    runs = [vectors.run_vector(vector) for vector in chosen]
    for each in runs:
        if each.differences:
            typer.echo(f"FAIL {each.vector.id}: {each.vector.data['comment']}")
            for difference in each.differences:
                typer.echo(f"     {difference}")
        elif verbose:
            typer.echo(f"ok   {each.vector.id}: {each.vector.data['comment']}")
    failed = sum(1 for each in runs if each.differences)
    typer.echo(f"vectors: {len(runs) - failed} passed, {failed} failed")
    if failed:
        raise typer.Exit(1)


@vectors_app.command("check")
def check(folder: Folder = None) -> None:
    """Check the files: schema, format, flags, verdicts, and that every rule is accepted and rejected once."""
    problems = list(vectors.check_vectors(folder))
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(1)
    count, files = len(vectors.load_vectors(folder)), len(vectors.vector_files(folder))
    typer.echo(f"vectors: {count} in {files} files, well-formed")


@vectors_app.command("format")
def format_(folder: Folder = None) -> None:
    """Rewrite the files in their one format."""
    for path in vectors.format_files(folder):
        typer.echo(f"formatted {path.name}")


@vectors_app.command("add")
def add(
    area: Annotated[str, typer.Argument(help="The area: name of a file in spec/vectors, without ending.")],
    source: Annotated[
        Path | None, typer.Argument(help="A JSON file with the vector.", show_default="standard input")
    ] = None,
    folder: Folder = None,
) -> None:
    """Add a vector. Without "expect", the reference's answer becomes it: read it before you commit it.

    \b
    tenure vectors add time-based my-case.json
    """
    path = vectors.add_vector(area, _parsed(_text(source)), folder)
    typer.echo(f"added to {path}")


def _text(source: Path | None) -> str:
    try:
        return source.read_text(encoding="utf-8") if source is not None else sys.stdin.read()
    except (OSError, UnicodeDecodeError) as error:
        raise bad_input("vector", str(source or "-"), f"a readable JSON file ({error})") from None


def _parsed(text: str) -> dict[str, Any]:
    try:
        vector = json.loads(text)
    except ValueError as error:
        raise bad_input(
            "vector", str(error), "a JSON object as spec/vectors/schema.json describes it"
        ) from None
    if not isinstance(vector, dict):
        raise bad_input("vector", vector, "a JSON object as spec/vectors/schema.json describes it")
    return vector

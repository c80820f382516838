"""What `tenure vectors` does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tenure.choices import Engine
from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import EngineName
from tenure.cli.output import OutputOption, print_answer
from tenure.cli.terminal import Color, choose_colour, progress
from tenure.cli.vectors import Folder
from tenure.conformance import vectors
from tenure.conformance.vectors import Run
from tenure.engines import require_core
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import decoded_json
from tenure.manifests.files import decoded, read_standard_input, read_text
from tenure.manifests.limits import MAX_VECTORS

if TYPE_CHECKING:
    from tenure.cli.answer_types import VectorRun, VectorsChecked, VectorsRun


def run_run(
    *, only: str, folder: Folder, engine: EngineName, verbose: bool, output: OutputOption, color: Color
) -> None:
    """As `tenure.cli.vectors.run` documents it."""
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


def run_check(*, folder: Folder, output: OutputOption) -> None:
    """As `tenure.cli.vectors.check` documents it."""
    problems = list(progress(vectors.check_vectors(folder), "checking vectors"))
    if problems:
        print_answer(output, "vectors", {"wellFormed": False, "problems": problems}, problems)
        raise typer.Exit(ExitCode.FOUND)
    count, files = len(vectors.load_vectors(folder)), len(vectors.vector_files(folder))
    checked: VectorsChecked = {"wellFormed": True, "problems": [], "vectors": count, "files": files}
    print_answer(output, "vectors", checked, [f"vectors: {count} in {files} files, well-formed"])


def run_format(*, folder: Folder, output: OutputOption) -> None:
    """As `tenure.cli.vectors.format_` documents it."""
    names = [path.name for path in vectors.format_files(folder)]
    print_answer(output, "vectors", {"formatted": names}, (f"formatted {name}" for name in names))


def run_add(*, area: str, source: Path | None, folder: Folder, output: OutputOption) -> None:
    """As `tenure.cli.vectors.add` documents it."""
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

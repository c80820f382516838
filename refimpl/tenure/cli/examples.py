"""`tenure example`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from tenure.cli.decide import example_folder
from tenure.errors import bad_input
from tenure.resources import bundled


def example_command(
    name: Annotated[str | None, typer.Argument(help="An example.", show_default="list them")] = None,
    to: Annotated[Path | None, typer.Option(help="Copy its manifests into this new folder.")] = None,
) -> None:
    """List the bundled examples, or copy one's manifests to play with.

    \b
    tenure example
    tenure example two-teams --to cluster
    tenure decide cluster -w team-b/job-eval-suite-d739e --now 2026-03-02T14:00:00Z
    """
    if name is None:
        for folder in sorted(each for each in bundled("examples").iterdir() if each.is_dir()):
            typer.echo(f"{folder.name:16} {_title(folder)}")
        return
    folder = example_folder(name)
    if to is None:
        typer.echo((folder / "README.md").read_text(encoding="utf-8"), nl=False)
        return
    if to.exists():
        raise bad_input("--to", str(to), "a folder that does not exist yet")
    shutil.copytree(folder, to)
    typer.echo(f"{sum(1 for _ in to.iterdir())} files in {to}")


def _title(folder: Path) -> str:
    first = (folder / "README.md").read_text(encoding="utf-8").splitlines()[0]
    return first.removeprefix("# ")

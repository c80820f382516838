"""`tenure example` and `tenure schema`: what comes with Tenure, listed and printed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.cli.bundled import example_folder, example_names, schema, schema_names
from tenure.cli.completion import complete_example, complete_schema
from tenure.cli.output import Output, OutputOption, print_answer
from tenure.errors import bad_input
from tenure.resources import is_there

if TYPE_CHECKING:
    from tenure.cli.answer_types import ExampleDescribed, Titled


def schema_command(
    name: Annotated[
        str | None,
        typer.Argument(
            help="What the schema describes.", show_default="list them", autocompletion=complete_schema
        ),
    ] = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """Print the JSON Schema (Draft 2020-12) of a JSON input or output, or list the schemas.

    List the schemas:

    \b
    tenure schema

    For a program that reads decisions:

    \b
    tenure schema decide > decide.schema.json
    tenure decide cluster/ -w ml/train -o json > answer.json

    For a program that queries the oracle, or answers as it does:

    \b
    tenure schema oracle-request
    tenure schema oracle-answer

    Exit codes: 0 printed, 2 no such schema.
    """
    if name is None:
        listed: list[Titled] = [
            {"name": schema_name, "title": schema(schema_name)["title"]} for schema_name in schema_names()
        ]
        lines = (f"{titled['name']:16} {titled['title']}" for titled in listed)
        print_answer(output, "schemas", {"schemas": listed}, lines)
        return
    found = schema(name)
    print_answer(
        output, None, found, json.dumps(found, indent=2, ensure_ascii=False).splitlines(), pointer=False
    )


def example_command(
    name: Annotated[
        str | None,
        typer.Argument(help="An example.", show_default="list them", autocompletion=complete_example),
    ] = None,
    to: Annotated[Path | None, typer.Option(help="Copy its manifests into this new folder.")] = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """List the bundled examples, or copy the manifests of one.

    List the examples, and describe one:

    \b
    tenure example
    tenure example two-teams

    Copy one, change it, and decide:

    \b
    tenure example two-teams --to cluster
    tenure decide cluster -w team-b/job-eval-suite-d739e --now 2026-03-02T14:00:00Z

    Exit codes: 0 done, 2 no such example, or the folder exists.
    """
    if name is None:
        listed: list[Titled] = [
            {"name": example_name, "title": _title(example_folder(example_name))}
            for example_name in example_names()
        ]
        lines = (f"{titled['name']:16} {titled['title']}" for titled in listed)
        print_answer(output, "example", {"examples": listed}, lines)
        return
    folder = example_folder(name)
    if to is None:
        readme = _readme(folder)
        described: ExampleDescribed = {
            "name": name,
            "title": _title(folder),
            "files": _files(folder),
            "readme": readme,
        }
        print_answer(output, "example", described, readme.splitlines())
        return
    _copy(folder, to)
    print_answer(
        output, "example", {"copiedTo": str(to), "files": _files(to)}, [f"{len(_files(to))} files in {to}"]
    )


def _copy(folder: Path, to: Path) -> None:
    if is_there(to):
        raise bad_input("--to", str(to), "a folder that does not exist yet")
    try:
        shutil.copytree(folder, to)
    except OSError as error:
        raise bad_input("--to", str(to), f"a folder that can be written ({error.strerror})") from None


def _files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _readme(folder: Path) -> str:
    return (folder / "README.md").read_text(encoding="utf-8")


def _title(folder: Path) -> str:
    return _readme(folder).splitlines()[0].removeprefix("# ")

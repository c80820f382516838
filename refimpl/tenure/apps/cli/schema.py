"""`tenure schema`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from tenure.apps.cli.completion import complete_schema
from tenure.apps.cli.output import Output, OutputOption, print_answer
from tenure.errors import bad_input
from tenure.resources import bundled

_ENDING = ".schema.json"


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

    Which there are:

    \b
    tenure schema

    For a program that reads decisions:

    \b
    tenure schema decide > decide.schema.json
    tenure decide cluster/ -w ml/train -o json > answer.json

    For a program that asks the oracle, or answers as it does:

    \b
    tenure schema oracle-request
    tenure schema oracle-answer

    Exit codes: 0 printed, 2 no such schema.
    """
    if name is None:
        listed = [{"name": each, "title": schema(each)["title"]} for each in schema_names()]
        lines = (f"{each['name']:16} {each['title']}" for each in listed)
        print_answer(output, {"schemas": listed}, lines)
        return
    found = schema(name)
    print_answer(output, found, json.dumps(found, indent=2, ensure_ascii=False).splitlines())


def schema_names() -> list[str]:
    """The published schemas, by the command or the line that they describe.

    >>> "decide" in schema_names()
    True
    """
    folder = bundled("spec", "schemas")
    return sorted(path.name.removesuffix(_ENDING) for path in folder.glob(f"*{_ENDING}"))


def schema(name: str) -> dict[str, Any]:
    """A published schema.

    Raises:
        InputError: there is no such schema.

    >>> schema("decide")["$schema"]
    'https://json-schema.org/draft/2020-12/schema'
    """
    if name not in schema_names():
        raise bad_input("schema", name, f"one of {', '.join(schema_names())}")
    text = bundled("spec", "schemas", f"{name}{_ENDING}").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed

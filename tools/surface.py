"""What a user may rely on, name by name, and what became of it since the last release.

    python -m tools.surface          says what the last release had and is gone, and what is new
    python -m tools.surface write    writes tools/surface.txt, as a release does

Nothing is listed here by hand: Python names are those that the pages of the reference document, commands are
read from the command line, and everything else from the file in which it is stated.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import re
import sys
import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final

import typer
import yaml

import tenure
from tenure.apps.cli.app import app
from tenure.apps.lookup import IdentifierKind, identifiers
from tenure.apps.lookup.code import rule_functions
from tenure.conformance.protocol import CALLS
from tenure.conformance.vectors import load_vectors
from tenure.deprecation import FORMER
from tenure.errors import ErrorCode
from tenure.readings import preset_names, readings_file

ROOT: Final = Path(__file__).resolve().parents[1]
RELEASED: Final = ROOT / "tools" / "surface.txt"
PAGES: Final = ("docs/reference/api.md", "docs/reference/strategies.md")
"""What they document in Python is public, and so are the functions of rules, which have their own pages."""

_DOCUMENTED = re.compile(r"^::: (\S+)\n((?:    .*\n)*)", re.MULTILINE)
_REQUIRED: Final = " (required)"
_HEADER: Final = (
    "# What users of the last release may rely on, name by name; `python -m tools.surface write` writes it.",
    "# 0.1.0 is the first release. Until it is out, this is what it is going to have.",
)
_CODE = re.compile(r"^\| (\d+) \|", re.MULTILINE)


def surface() -> list[str]:
    """Every public name, a line each, sorted: its kind, and the name as a user writes it.

    >>> "command tenure decide" in surface()
    True
    """
    lines = present()
    return sorted({*lines, *_former(lines)})


def present() -> list[str]:
    """The same without what is deprecated."""
    found = (python_names, _commands, _protocol, _schemas, _readings, _packaging, _automation, _identifiers)
    return sorted({line for lines in found for line in lines()})


def _former(lines: Sequence[str]) -> Iterator[str]:
    """Names that still work and warn, with all that their parameters, options and members were.

    Raises:
        LookupError: a module does not answer to its former name, or what has come in its place is not public.
    """
    for former, (new, _) in FORMER.items():
        kind, _, old = former.partition(" ")
        if kind == "python":
            holder, _, name = old.rpartition(".")
            with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
                answered = getattr(importlib.import_module(holder), name, None)
            if answered is None:
                expected = f"{holder}.__getattr__ to end with `return renamed(__name__, name)`"
                raise LookupError(f"{former}: found nothing by that name, expected {expected}")
        if new not in lines:
            raise LookupError(f"{former}: found nothing public that is called {new}")
        name = new.partition(" ")[2]
        for line in lines:
            of, _, rest = line.partition(" ")
            below = of == kind or (kind == "command" and of in ("argument", "option"))
            if below and re.match(rf"{re.escape(name)}(?![\w-])", rest):
                yield f"{of} {old}{rest[len(name) :]}"


def python_names() -> Iterator[str]:
    """What the pages document, with the parameters of functions and what classes show of themselves.

    Raises:
        AttributeError: a page documents a name that is not there.
    """
    documented = {
        path: value
        for page in PAGES
        for directive, below in _DOCUMENTED.findall((ROOT / page).read_text(encoding="utf-8"))
        for path, value in _documented(directive, below)
    }
    for name, value in (documented | dict(_handed_on(documented))).items():
        yield from _lines(name, value)
    for function in rule_functions().values():
        yield from _lines(f"{function.__module__}.{function.__name__}", function)
    for name in tenure.__all__:
        yield from _lines(f"tenure.{name}", getattr(tenure, name))


def _handed_on(documented: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The shorter paths of what is documented: the packages of its modules hand it on by `__all__`."""
    known = {id(value) for value in documented.values()}
    modules = {path.rpartition(".")[0] for path in documented}
    packages = {module.rpartition(".")[0] for module in modules} - {"tenure"}
    for holder in sorted(modules | packages):
        handed_on = importlib.import_module(holder)
        for name in getattr(handed_on, "__all__", ()):
            if id(getattr(handed_on, name)) in known:
                yield f"{holder}.{name}", getattr(handed_on, name)


def _documented(path: str, below: str) -> Iterator[tuple[str, object]]:
    members = (yaml.safe_load(below) or {}).get("options", {}).get("members")
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError:
        holder, _, name = path.rpartition(".")
        yield path, getattr(importlib.import_module(holder), name)
        return
    named = members or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == path
    ]
    for name in named:
        yield f"{path}.{name}", getattr(module, name)


def _lines(name: str, value: object) -> Iterator[str]:
    yield f"python {name}"
    if inspect.isclass(value):
        for member in _members(value):
            yield f"python {name}.{member}"
    elif inspect.isfunction(value):
        for parameter in inspect.signature(value).parameters.values():
            required = _REQUIRED if parameter.default is parameter.empty else ""
            yield f"python {name}({parameter.name}){required}"


def _members(value: type) -> Iterator[str]:
    if issubclass(value, Enum):
        yield from value.__members__
        return
    for known in value.__mro__:
        if known.__module__.startswith("tenure"):
            yield from (name for name in (*known.__annotations__, *vars(known)) if not name.startswith("_"))


def _commands() -> Iterator[str]:
    command = typer.main.get_command(app)
    yield from _command(command, "tenure")
    page = (ROOT / "docs" / "reference" / "exit-codes.md").read_text(encoding="utf-8")
    for code in _CODE.findall(page):
        yield f"exit-code {code}"


def _command(command: Any, name: str) -> Iterator[str]:
    yield f"command {name}"
    context = command.context_class(command, info_name=name)
    for parameter in command.get_params(context):
        if parameter.param_type_name == "argument":
            yield f"argument {name} {parameter.name}"
        elif not parameter.hidden:
            yield from (f"option {name} {option}" for option in (*parameter.opts, *parameter.secondary_opts))
    if hasattr(command, "list_commands"):
        for item in command.list_commands(context):
            below = command.get_command(context, item)
            if not below.hidden:
                yield from _command(below, f"{name} {item}")


def _protocol() -> Iterator[str]:
    for call in CALLS:
        yield f"call {call}"
    for code in ErrorCode:
        yield f"error-code {code.value}"


def _schemas() -> Iterator[str]:
    """Every field that is read or written, by schema and, within it, by the object that has it."""
    for path in sorted((ROOT / "spec" / "schemas").glob("*.schema.json")):
        schema, name = json.loads(path.read_text(encoding="utf-8")), path.name.removesuffix(".schema.json")
        yield f"schema {name}"
        for holder, part in {"": schema, **schema.get("$defs", {})}.items():
            for field in part.get("properties", {}):
                yield f"field {name} {holder and holder + ' '}{field}"


def _readings() -> Iterator[str]:
    for preset in preset_names():
        yield f"preset {preset}"
    for key, entry in readings_file()["keys"].items():
        for choice in entry["choices"]:
            yield f"reading {key}={choice}"


def _packaging() -> Iterator[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in project["optional-dependencies"]:
        if extra not in ("dev", "docs", "release"):
            yield f"extra {extra}"
    for program in project["scripts"]:
        yield f"program {program}"
    for kind, entries in project["entry-points"].items():
        if kind == "pytest11":
            yield from (f"pytest-plugin {entry}" for entry in entries)
    for path in sorted((ROOT / "examples").iterdir()):
        if path.is_dir():
            yield f"example {path.name}"


def _automation() -> Iterator[str]:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    for kind in ("inputs", "outputs"):
        yield from (f"action-{kind.removesuffix('s')} {name}" for name in action[kind])
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")):
        yield f"hook {hook['id']}"


def _identifiers() -> Iterator[str]:
    """Identifiers are issued once; a vector's stands for what it gives, so it has a digest of that."""
    for listed in identifiers().identifiers:
        if listed.kind not in _LISTED_BY_THEMSELVES:
            yield f"{listed.kind} {listed.id}"
    for vector in load_vectors():
        given = json.dumps([vector.data[part] for part in ("reading", "call", "input")], sort_keys=True)
        yield f"vector {vector.data['id']} {hashlib.sha256(given.encode()).hexdigest()[:12]}"


_LISTED_BY_THEMSELVES: Final = (IdentifierKind.READING, IdentifierKind.PRESET, IdentifierKind.VECTOR)


def released() -> list[str]:
    """The lines of the kept file, without its comments."""
    lines = RELEASED.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def changes(before: Sequence[str], after: Sequence[str]) -> tuple[list[str], list[str]]:
    """What was there and is gone, and what is new; a parameter that need no longer be given is neither.

    >>> changes(["call decide", "python f(x) (required)"], ["call priority", "python f(x)"])
    (['call decide'], ['call priority'])
    """
    had, have = set(before), set(after)
    gone = [line for line in before if line not in have and line.removesuffix(_REQUIRED) not in have]
    new = [line for line in after if line not in had and line + _REQUIRED not in had]
    return gone, new


def main(arguments: Sequence[str]) -> int:
    """Say or write the surface.

    Returns:
        The exit code: 1 where something of the last release is gone.
    """
    try:
        now = surface()
    except LookupError as problem:
        print(f"tenure.deprecation.FORMER: {problem}")
        return 1
    if list(arguments) == ["write"]:
        RELEASED.write_text("\n".join([*_HEADER, *now, ""]), encoding="utf-8")
        return 0
    gone, new = changes(released(), now)
    for line in gone:
        print(f"gone: {line}")
    for line in new:
        print(f"new: {line}")
    print(f"surface: {len(now)} names, {len(gone)} gone, {len(new)} new since {RELEASED.name}")
    if gone:
        print(GONE)
    return 1 if gone else 0


GONE: Final = (
    "What a release had lives on beside what comes in its place, and warns, for one minor release: see\n"
    "docs/reference/stability.md. Where nothing of it was released yet: python -m tools.surface write"
)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Pages of the reference that restate a file or a program: readings, glossary, commands."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer

from docs.gen.markdown import Fills, Pages, code, heading, link, linked, table
from docs.gen.sources import ROOT
from docs.gen.woven import GLOSSARY, defined
from tenure.cli.app import app
from tenure.cli.commands import GROUPS
from tenure.conformance.divergences import all_divergences
from tenure.explanation.remarks import ACCEPTS
from tenure.pages import COMMAND_PAGES, COMMANDS_PAGE, DIVERGENCES_PAGE, anchor
from tenure.readings import default_preset, preset_names, readings_file
from tools import integrations, licences

READINGS = "reference/readings.md"
JOBS = "reference/jobs.md"
LICENCES = "reference/licences.md"
ASSUMPTIONS = "proofs/assumptions.md"
VECTORS_FORMAT = "reference/vectors.md"

_VERBATIM = "\b"
"""Typer's mark for a paragraph of a help text that keeps its lines."""


def restated() -> Pages:
    """Pages that are a file of the repository as it stands."""
    files = {GLOSSARY: "spec/glossary.md", ASSUMPTIONS: "proofs/tenure_proofs/trusted/ASSUMPTIONS.md"}
    texts = {page: (ROOT / file).read_text(encoding="utf-8") for page, file in files.items()}
    texts[GLOSSARY] = defined(texts[GLOSSARY])
    return {page: linked(text) for page, text in texts.items()}


def reference() -> Fills:
    """What the written pages take from readings, divergences and commands."""
    accepts = [[link(rule), accepting.words] for rule, accepting in ACCEPTS.items()]
    return {
        READINGS: {"readings": "\n\n".join(_readings())},
        VECTORS_FORMAT: {"accepts": table(["Rule", "A vector accepts when"], accepts)},
        DIVERGENCES_PAGE: {"divergences": "\n\n".join(_divergences())},
        JOBS: {"fields": integrations.table()},
        LICENCES: {"licences": licences.table()},
        COMMANDS_PAGE: {"commands": "\n\n".join(_command_list())},
    }


def _readings() -> Iterator[str]:
    data, names = readings_file(), preset_names()
    marks = {name: " (default)" if name == default_preset() else "" for name in names}
    presets = [[f"**{name}**{marks[name]}", data["presets"][name]["summary"]] for name in names]
    yield table(["Reading", "What it is"], presets)
    chosen = [
        [f"[`{key}`](#{key})", *(f"`{data['presets'][name][key]}`" for name in names)] for key in data["keys"]
    ]
    yield table(["Key", *names], chosen)
    for key, entry in data["keys"].items():
        yield heading(2, f"`{key}`", key)
        yield entry["question"]
        yield f"Source: {linked(entry['source'])}."
        choices = [[f"`{choice}`", words] for choice, words in entry["choices"].items()]
        yield table(["Choice", "Meaning"], choices)


def _divergences() -> Iterator[str]:
    signed = all_divergences()
    compared = {(divergence.scheduler, version) for divergence in signed for version in divergence.versions}
    named = sorted(release for release in compared if release[1] != "*")
    rows = [
        [
            f"[{divergence.id}](#{anchor(divergence.id)}){{ .id }}",
            divergence.title,
            *(
                "yes" if divergence.scheduler == scheduler and {"*", version} & {*divergence.versions} else ""
                for scheduler, version in named
            ),
        ]
        for divergence in signed
    ]
    yield table(["Divergence", "Title", *(f"{scheduler} {version}" for scheduler, version in named)], rows)
    for divergence in signed:
        yield heading(2, f"{divergence.id}: {divergence.title}", divergence.id)
        releases = (
            "every release compared" if divergence.versions == ("*",) else ", ".join(divergence.versions)
        )
        rows = [
            ["Scheduler", f"{divergence.scheduler}, {releases}"],
            ["When", divergence.when],
            ["Predicts", divergence.predicts],
            ["Why", divergence.reason],
        ]
        yield table(["", ""], rows)


def command_pages() -> Pages:
    """A page for each command, from its own help."""
    front = typer.main.get_command(app)
    return {
        f"{COMMAND_PAGES}/{name}.md": "\n\n".join(_command(command, f"tenure {name}", 1))
        for name, command in _commands(front, "tenure")
    }


# `Any`, here and below: Typer's commands are click's own in some releases and a copy of them in others.
def _commands(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    context = group.context_class(group, info_name=name)
    for item in group.list_commands(context):
        yield item, group.get_command(context, item)


def _command_list() -> Iterator[str]:
    groups = {name: group for group, names in GROUPS.items() for name in names}
    rows = [
        [
            groups.get(name, "Others"),
            f"[`{path}`](commands/{name}.md{fragment}){{ #{path.replace(' ', '-')} }}",
            summary,
        ]
        for name, command in _commands(typer.main.get_command(app), "tenure")
        for path, fragment, summary in _listed(command, f"tenure {name}")
    ]
    yield table(["", "Command", "What it does"], rows)


def _listed(command: Any, path: str, level: int = 1) -> Iterator[tuple[str, str, str]]:
    anchored = path.replace(" ", "-")
    yield path, "" if level == 1 else f"#{anchored}", " ".join((command.help or "").split("\n\n")[0].split())
    if hasattr(command, "list_commands"):
        for item, below in _commands(command, path):
            yield from _listed(below, f"{path} {item}", level + 1)


def _command(command: Any, name: str, level: int) -> Iterator[str]:
    context = command.context_class(command, info_name=name)
    yield f"{'#' * level} `{name}`"
    summary, _, rest = (command.help or "").partition("\n\n")
    yield from _help(summary)
    yield code("text", " ".join([name, *command.collect_usage_pieces(context)]))
    yield from _help(rest)
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    rows = [[f"`{record[0]}`", record[1]] for record in records if record and record[0] != "--help"]
    if rows:
        yield table(["Argument or option", "Meaning"], rows)
    if hasattr(command, "list_commands"):
        for item, below in _commands(command, name):
            yield from _command(below, f"{name} {item}", 2)


def _help(text: str) -> Iterator[str]:
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith(_VERBATIM):
            yield code("text", paragraph.removeprefix(_VERBATIM).strip("\n"))
        else:
            yield paragraph

"""Help that teaches, errors that say what comes next, and how long the first word takes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from tenure.cli.app import app
from tenure.cli.commands import COMMANDS
from tenure.kubectl.dump import READ_COMMAND
from tests.command_line import TENURE, run_program, tenure

GROUPED = {
    "vectors": ("run", "check", "format", "add"),
    "kai": ("filter", "validate", "resolve", "pairs"),
    "analyze": ("loops", "sanity", "matrix", "guarantees", "diff", "check"),
}
EVERY = [name for name in COMMANDS if name not in GROUPED] + [
    f"{group} {name}" for group, names in GROUPED.items() for name in names
]
SLOWEST_HELP = 5
"""In processor times of `import typer`, which the help cannot do without: no machine is too slow for that."""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_command_says_itself(name: str) -> None:
    group: Any = typer.main.get_command(app)
    command = group.get_command(group.context_class(group, info_name="tenure"), name)
    first = " ".join(command.help.split("\n\n")[0].split())
    assert first.startswith(COMMANDS[name][1])


@pytest.mark.parametrize("name", EVERY)
def test_the_help_shows_examples_as_they_are_typed_and_the_exit_codes(name: str) -> None:
    done = tenure(*name.split(), "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert sum(1 for line in lines if re.match(rf"  .*\btenure {name}\b", line)) >= 2
    assert max(len(line) for line in lines if line.strip() != READ_COMMAND) <= 110
    assert any(line.startswith("  Exit codes: 0 ") for line in lines)


def test_h_is_short_for_help() -> None:
    assert tenure("decide", "-h").stdout == tenure("decide", "--help").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("decid",), "No such command 'decid'. Did you mean 'decide'?"),
        (("whynot",), "Did you mean 'why-not'?"),
        (("prov",), "Did you mean 'prove'?"),
        (("zzz",), "One of decide, "),
        (("vectors", "rum"), "Did you mean 'run'?"),
        (("decide", "--exmple"), "--example"),
        (("decide", "-o", "xml"), "'json'"),
    ],
    ids=" ".join,
)
def test_a_slip_is_answered_with_the_nearest_word_and_the_help(
    arguments: tuple[str, ...], words: str
) -> None:
    done = tenure(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()
    assert "--help' for help." in done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        (("decide",), "see tenure decide --help"),
        (("--no-color", "decide", "gone.yaml"), "see tenure decide --help"),
        (("example", "three-teams"), "see tenure example --help"),
        (("vectors", "run", "ABC"), "see tenure vectors run --help"),
        (("schema", "nothing"), "see tenure schema --help"),
    ],
    ids=" ".join,
)
def test_an_error_ends_with_the_next_step(arguments: tuple[str, ...], last: str) -> None:
    done = tenure(*arguments)
    assert done.returncode == 2
    first, *_, end = done.stderr.decode().splitlines()
    assert first.startswith("error: ")
    assert end == last


def seconds(*command: str) -> float:
    """The least processor time of three runs."""
    found = []
    for _ in range(3):
        before = os.times()
        subprocess.run(command, capture_output=True, check=True)
        after = os.times()
        found.append(
            after.children_user - before.children_user + after.children_system - before.children_system
        )
    return min(found)


def test_the_help_comes_at_once_and_an_import_costs_next_to_nothing() -> None:
    typer_alone, ours = (seconds(sys.executable, "-c", f"import {name}") for name in ("typer", "tenure"))
    assert seconds(str(TENURE), "--help") < SLOWEST_HELP * typer_alone
    assert ours < typer_alone


def loaded_by(commands: list[list[str]], names: list[str]) -> list[str]:
    """Those of some modules that commands of one process have loaded when they end."""
    program = (
        "import sys, tenure.cli.app as a, contextlib, io, json\n"
        f"for arguments in {commands!r}:\n"
        "    sys.argv = ['tenure', *arguments]\n"
        "    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
        "        a.main()\n"
        f"print(json.dumps([name for name in {names!r} if name in sys.modules]))"
    )
    done = run_program(sys.executable, "-c", program, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


def test_the_help_imports_neither_a_manifest_nor_a_colour() -> None:
    assert loaded_by([["--help"]], ["yaml", "pydantic", "rich", "jsonschema", "tenure.oracle"]) == []


def test_the_help_of_a_command_imports_nothing_of_what_it_does() -> None:
    helps = [[*command.split(), "--help"] for command in (*EVERY, *GROUPED)]
    imports = ["yaml", "pydantic", "rich", "tenure.model", "tenure.manifests", "tenure.oracle"]
    assert loaded_by(helps, imports) == []


def test_a_decision_about_a_dump_imports_no_parser_it_does_not_need(tmp_path: Path) -> None:
    """Nor what answers why and counterfactuals, checks vectors, or writes a report that is not asked for."""
    dump = tmp_path / "dump.yaml"
    dump.write_text(
        "items:\n"
        "- apiVersion: kueue.x-k8s.io/v1beta2\n  kind: ClusterQueue\n  metadata:\n    name: q\n"
        "- apiVersion: kueue.x-k8s.io/v1beta2\n  kind: Workload\n  metadata:\n    name: w\n"
        "kind: List\n",
        encoding="utf-8",
    )
    ours = ("tenure.reports", "tenure.explanation.counterfactuals", "tenure.explanation.answer_types")
    heavy = ["yaml", "jsonschema", *ours]
    needed = "tenure.oracle.decide"
    assert loaded_by([["decide", str(dump), "--cluster-queue", "q"]], [needed, *heavy]) == [needed]

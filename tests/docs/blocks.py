"""The fenced blocks of a Markdown page, and how the ones that can be run are run.

Conventions, kept by README.md and by the written pages of docs/:

- `console`: lines that begin with `$ ` are commands, with `> ` their continuation; the lines below are what
  they print on both streams. A command ends with exit code 0. All commands of a page run in one folder, which
  is empty at first, so that a later one finds what an earlier one made.
- In expected output a line of only `...` stands for any number of lines, also none; `...` inside a line for
  any characters of that line. Times and counts are written so. White space at the end of lines is ignored.
- A command that is `tenure` with plain words is run in this process, which saves its start; the first of each
  command is not, and whatever else a shell understands is given to one.
- `python`: a doctest; all blocks of a page share their names.
- `sh` and `text` are shown, and not run.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tenure.cli import main
from tests.command_line import PATIENCE_S, called

ROOT = Path(__file__).resolve().parents[2]

_PLAIN = re.compile(r"tenure(?: [\w./:=,-]+)+")
_NAME = re.compile(r"tenure (?:(?:kai|vectors) )?[a-z-]+")
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Args:
        language: the word behind the fence.
        text: what is in it.
        line: where it begins, counted from 1.
    """

    language: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    """A command of a console block, and what it should print."""

    text: str
    expected: str
    line: int


def pages() -> list[Path]:
    """Every page that holds something to run."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in found if any(block.language in ("console", "python") for block in blocks(path))]


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a page."""
    text = path.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start()) + 1) for found in _FENCED.finditer(text)
    ]


def commands(path: Path) -> Iterator[Command]:
    """The commands of a page's console blocks."""
    for block in blocks(path):
        if block.language == "console":
            yield from _commands_of(block)


def _commands_of(block: Block) -> Iterator[Command]:
    typed: list[str] = []
    printed: list[str] = []
    line = block.line
    for number, text in enumerate(block.text.splitlines(), start=block.line + 1):
        if text.startswith("$ "):
            if typed:
                yield Command("\n".join(typed), "\n".join(printed), line)
            typed, printed, line = [text.removeprefix("$ ")], [], number
        elif text.startswith("> ") and not printed:
            typed.append(text.removeprefix("> "))
        else:
            printed.append(text)
    if typed:
        yield Command("\n".join(typed), "\n".join(printed), line)


def environment() -> dict[str, str]:
    """The environment of a reader who has installed Tenure, in the one that runs the tests."""
    scripts = Path(sys.executable).parent
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TENURE_", "PYTHON"))}
    return {**kept, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}


@cache
def processes() -> dict[str, str]:
    """Each command of `tenure` with the first text on any page that runs it: that is run as a process."""
    named: dict[str, str] = {}
    for page in pages():
        for command in commands(page):
            for name in _NAME.findall(command.text):
                named.setdefault(name, command.text)
    return named


def run(command: Command, folder: Path) -> str:
    """What a command prints."""
    plain = _PLAIN.fullmatch(command.text) is not None and command.text not in processes().values()
    code, printed = run_in_process(command, folder) if plain else run_in_shell(command, folder)
    assert code == 0, f"line {command.line}: {command.text}: exit code {code}\n{printed}"
    return printed


def run_in_process(command: Command, folder: Path) -> tuple[int, str]:
    """Run a plain command here: exit code and output."""
    done = called(main, tuple(command.text.split()[1:]), cwd=folder, environment=environment())
    # A process too has written its complaints before what it kept back for a pipe.
    return done.returncode, (done.stderr + done.stdout).decode()


def run_in_shell(command: Command, folder: Path) -> tuple[int, str]:
    """Run a command as a reader does: exit code and output."""
    done = subprocess.run(
        ["bash", "-c", command.text],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout


def matches(expected: str, printed: str) -> bool:
    """Whether an output is what a page shows of it."""
    pattern = "".join(
        r"(?:.*\n)*"
        if line.strip() == "..."
        else ".*".join(map(re.escape, line.rstrip().split("..."))) + r"\n"
        for line in expected.splitlines()
    )
    said = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    # A page need not show the empty lines around an output.
    return re.fullmatch(rf"\n*{pattern}\n*", said) is not None


def failed_examples(path: Path) -> str:
    """What differs in the Python blocks of a page; empty when nothing does."""
    text = "\n".join(block.text for block in blocks(path) if block.language == "python")
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__page__"}, path.name, str(path), 0)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    return "".join(report)

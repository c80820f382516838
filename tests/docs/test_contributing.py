"""What the pages of the repository name exists: paths, make targets, commands and their options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tenure import cli
from tests.command_line import called
from tests.docs.blocks import ROOT, blocks
from tools.lints.__main__ import LINTS

PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
TOP = sorted(path.name for path in ROOT.iterdir())
STEPS = 4
TWELVE = 12
MOST_NAMED = 40
"""A walk that names more files than this is a list, and no walk."""

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\]\((?!https:)([^)#]+)\)")
_PATH = re.compile(r"^[\w.-]+(?:/[\w.-]+)*/?$")
_MAKE = re.compile(r"\bmake (?:[A-Z]+=\S+ )?([a-z0-9-]+)")
_TENURE = re.compile(
    r"\b((?:kubectl )?tenure) ([a-z]+(?:-[a-z]+)*(?: (?:run|check|format|add)\b)?)([^`\n|]*)"
)
_PLACES = {"site/", "dist/", ".venv", ".venv/bin/pre-commit"}
"""Made by make, so that they may not be there yet."""


def prose(page: str) -> str:
    """A page without its fenced blocks."""
    return _FENCED.sub("", (ROOT / page).read_text(encoding="utf-8"))


def everything(page: str) -> str:
    """The whole page."""
    return (ROOT / page).read_text(encoding="utf-8")


def named_paths(page: str) -> set[str]:
    """Links, and what is in code and begins with the name of something in the root."""
    inline = {part.split()[0] for part in _INLINE.findall(prose(page))}
    paths = {part for part in inline if _PATH.match(part) and part.split("/")[0] in TOP} - _PLACES
    return paths | set(_LINK.findall(prose(page)))


def made_targets() -> set[str]:
    """The targets of the Makefile."""
    return set(re.findall(r"^\.PHONY: (\S+)$", everything("Makefile"), re.MULTILINE))


def named_commands() -> list[tuple[str, str, str]]:
    """Every command that a page names, `tenure` or `kubectl tenure` first, with its options there."""
    found: dict[tuple[str, str], set[str]] = {}
    for page in PAGES:
        text = prose(page) + "\n".join(
            block.text for block in blocks(ROOT / page) if block.language == "console"
        )
        for program, command, rest in _TENURE.findall(text):
            found.setdefault((program, command), set()).update(re.findall(r"(?<!\S)--?[a-z][a-z-]*", rest))
    return [(*names, " ".join(sorted(options))) for names, options in sorted(found.items())]


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page: str) -> None:
    paths = named_paths(page)
    assert len(paths) > 5
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_exists(page: str) -> None:
    inline = " ".join(part for part in _INLINE.findall(prose(page)) if part.startswith("make "))
    targets = set(_MAKE.findall(inline))
    assert targets
    assert targets - made_targets() == set()


def test_every_command_and_option_exists() -> None:
    named = named_commands()
    assert {"decide", "prove", "oracle", "vectors add"} <= {command for _, command, _ in named}
    for program, command, options in named:
        main = cli.main if program == "tenure" else cli.kubectl_main
        helped = called(main, (*command.split(), "--help"))
        assert helped.returncode == 0, f"{program} {command}: {helped.stderr.decode()}"
        for option in options.split():
            assert option in helped.stdout.decode(), f"{program} {command} has no {option}"


def test_the_rule_is_added_in_four_steps() -> None:
    section = everything("CONTRIBUTING.md").partition("## Add a rule\n")[2].partition("\n## ")[0]
    assert re.findall(r"^(\d)\. ", section, re.MULTILINE) == [str(step) for step in range(1, STEPS + 1)]


def test_every_code_of_a_lint_is_explained() -> None:
    codes = {code for lint in LINTS for code in re.findall(r"TNL\d{3}", lint.__doc__ or "")}
    assert len(codes) > 10
    explained: set[str] = set()
    for row in re.findall(r"^\| (TNL[^|]+)\|", prose("CONTRIBUTING.md"), re.MULTILINE):
        for part in row.split(","):
            first, _, last = part.strip().partition(" to ")
            numbers = range(int(first[3:]), int((last or first)[3:]) + 1)
            explained |= {f"TNL{number:03d}" for number in numbers}
    assert codes - explained == set()


def test_it_leads_with_twelve_files() -> None:
    _, section, *_ = everything("ARCHITECTURE.md").split("\n## ")
    files = re.findall(r"^\| `(\S+)` \| \S", section, re.MULTILINE)
    assert len(set(files)) == TWELVE
    assert all((ROOT / file).is_file() for file in files)


def test_the_two_walks_name_files_in_the_order_of_the_data() -> None:
    walks = everything("ARCHITECTURE.md").partition("## From YAML to a victim")[2]
    text = walks.partition("## What no code")[0]
    walk = [Path(path).name for path in _INLINE.findall(text) if path.endswith(".py")]
    assert len(walk) < MOST_NAMED
    for one, next_one in [
        ("files.py", "load.py"),
        ("load.py", "model.py"),
        ("model.py", "api.py"),
        ("snapshot.py", "assignment.py"),
        ("assignment.py", "search.py"),
        ("search.py", "classical.py"),
        ("classical.py", "selection.py"),
        ("selection.py", "door.py"),
        ("door.py", "explain.py"),
        ("tracer.py", "claim.py"),
        ("claim.py", "counterexamples.py"),
    ]:
        assert walk.index(one) < walk.index(next_one)

"""Whatever surrounds a command, it prints the same: folder, home, terminal, locale, hashes, order."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from tenure.manifests import read_objects
from tests.command_line import tenure_process
from tests.sampling import sample

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
NOW = ("--now", "2026-03-02T14:00:00Z")
HERO = ("--now", "2026-06-08T12:00:00Z")
TWO, HEROES = "two-teams", "hero"
SEED = 20

COMMANDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "decide": (TWO, ("decide", "INPUT", "--all-pending", *NOW)),
    "decide as JSON": (
        TWO,
        ("decide", "INPUT", "-w", "team-b/job-eval-suite-d739e", *NOW, "-o", "json", "--verbose"),
    ),
    "decide in full": (TWO, ("decide", "-v", "INPUT", "-w", "team-b/job-eval-suite-d739e", *NOW)),
    "why": (TWO, ("why", "team-a/job-pretrain-7b-e95a1", "INPUT", *NOW)),
    "why-not": (TWO, ("why-not", "team-a/job-long-context-8a5dc", "INPUT", *NOW)),
    "accessible": (HEROES, ("show", "-f", "INPUT", *HERO)),
    "heroes": (HEROES, ("decide", "INPUT", "--all-pending", *HERO, "-o", "yaml")),
    "fair sharing": (
        "shared-cohort",
        ("decide", "INPUT", str(EXAMPLES / "fair-sharing"), "--all-pending", *NOW),
    ),
    "shared cohort": ("shared-cohort", ("decide", "INPUT", "--all-pending", *NOW)),
    "validate": (TWO, ("validate", "INPUT")),
    "play": ("", ("simulate", "--scenario", "tbp-it-2-rotation", "--story", "all")),
    "test": ("", ("test", str(ROOT / "tests" / "cikit" / "sample"))),
    "error": (TWO, ("decide", "INPUT", "-w", "gone/gone", *NOW)),
    "schema": ("", ("schema", "decision")),
    "vectors": ("", ("vectors", "run", "TBP-020/")),
}
QUICK = ("decide", "validate", "error")
SURROUNDINGS: dict[str, dict[str, str | None]] = {
    "no home": {"HOME": None, "XDG_CACHE_HOME": None},
    "dumb": {"TERM": "dumb"},
    "no terminal": {"TERM": None},
    "narrow": {"COLUMNS": "20", "LINES": "5"},
    "C": {"LC_ALL": "C", "LANG": None},
    "C, and no UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "other time": {"TZ": "Pacific/Kiritimati"},
    **{f"hashes {seed}": {"PYTHONHASHSEED": str(seed)} for seed in range(21)},
}
FEW = ("no home", "dumb", "narrow", "C, and no UTF-8", "hashes 1")


def printed(words: tuple[str, ...], folder: Path, changed: dict[str, str | None]) -> tuple[int, bytes, bytes]:
    """Exit code, output and errors of a command; None unsets a variable."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "COLUMNS": "100", "NUMBA_DISABLE_JIT": "1", **changed}
    done = tenure_process(
        *words,
        cwd=folder,
        environment={name: value for name, value in environment.items() if value is not None},
    )
    return done.returncode, done.stdout, done.stderr


def with_input(name: str, given: str) -> tuple[str, ...]:
    """The words of a command, with its manifests in their place."""
    return tuple(given if word == "INPUT" else word for word in COMMANDS[name][1])


@pytest.mark.parametrize("name", sample(QUICK, tuple(COMMANDS)))
def test_surroundings_change_no_byte(name: str, tmp_path: Path) -> None:
    words = with_input(name, str(EXAMPLES / COMMANDS[name][0]))
    usual = printed(words, ROOT, {})
    assert usual[1] or usual[2]
    read_only = tmp_path / "read only"
    read_only.mkdir(mode=0o555)
    assert printed(words, read_only, {}) == usual
    assert not list(read_only.iterdir())
    for surroundings, changed in together(sample(FEW, tuple(SURROUNDINGS))):
        assert printed(words, ROOT, changed) == usual, surroundings


def together(names: Sequence[str]) -> list[tuple[list[str], dict[str, str | None]]]:
    """Surroundings in as few processes as can be: those of one process set no variable twice."""
    found: list[tuple[list[str], dict[str, str | None]]] = []
    for name in names:
        changed = SURROUNDINGS[name]
        for listed, other in found:
            if not other.keys() & changed.keys():
                listed.append(name)
                other.update(changed)
                break
        else:
            found.append(([name], {**changed}))
    return found


def without_places(answer: tuple[int, bytes, bytes]) -> tuple[int, bytes, bytes]:
    """An answer whose places name no file and line: these follow the objects, and must."""
    code, out, err = answer
    return code, re.sub(rb"in/[ab]\.json:\d+", b"PLACE", out), err


@pytest.mark.parametrize(
    "name", [name for name in sample(QUICK[:2], tuple(COMMANDS)) if "INPUT" in COMMANDS[name][1]]
)
def test_the_order_of_files_and_documents_changes_no_byte(name: str, tmp_path: Path) -> None:
    objects = [found.object for found in read_objects([EXAMPLES / COMMANDS[name][0]])]
    print(f"seed {SEED}")
    random = Random(SEED)
    said = set()
    for number in range(sample(2, 8)):
        folder = tmp_path / str(number) / "in"
        folder.mkdir(parents=True)
        random.shuffle(objects)
        half = random.randrange(1, len(objects))
        for file, part in (("a.json", objects[:half]), ("b.json", objects[half:])):
            listed = {"apiVersion": "v1", "kind": "List", "items": part}
            (folder / file).write_text(json.dumps(listed), encoding="utf-8")
        said.add(without_places(printed(with_input(name, "in"), folder.parent, {})))
    assert len(said) == 1

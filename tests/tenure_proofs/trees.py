"""Copies of the sources in which one place is another, and the command line on them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests import command_line
from tests.command_line import run_program

ROOT = Path(__file__).resolve().parents[2]
HANGS_S = 900
"""After so long a process counts as hung, also on a machine that does much else."""
MAIN = "from tenure.cli import main; main()"


def python(
    code: str, *arguments: str, root: Path = ROOT, limit_s: float = HANGS_S
) -> subprocess.CompletedProcess[str]:
    """Run a few lines of Python on the sources of a tree."""
    path = os.pathsep.join((str(root / "refimpl"), str(root / "proofs")))
    return run_program(
        sys.executable, "-c", code, *arguments, cwd=root, environment={**os.environ, "PYTHONPATH": path}
    )


def tenure(*arguments: str, root: Path = ROOT, limit_s: float = HANGS_S) -> subprocess.CompletedProcess[str]:
    """Run the command line on the sources of a tree; on those that this process has anyhow, in it."""
    if root != ROOT:
        return python(MAIN, *arguments, root=root, limit_s=limit_s)
    done = command_line.tenure(*arguments, cwd=ROOT)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def copied_tree(copy: Path) -> Path:
    """A copy of the sources."""
    for part in ("refimpl", "proofs", "spec", "examples"):
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def change(tree: Path, file: str, before: str, after: str) -> None:
    """Change the one place in a file that says something."""
    text = (tree / file).read_text(encoding="utf-8")
    assert text.count(before) == 1
    (tree / file).write_text(text.replace(before, after), encoding="utf-8")


def changed_tree(copy: Path, file: str, before: str, after: str) -> Path:
    """A copy of the sources in which one place is another."""
    change(copied_tree(copy), file, before, after)
    return copy

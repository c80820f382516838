"""The interpreters that a change must pass on; units and vectors on one of them.

    python -m tools.pythons 3.14

An environment of its own is made below build/, with the releases that constraints.txt pins. Where an
interpreter is not installed, the newest that is, and is newer than the environment's own, takes its place.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = (
    "3.11",  # the oldest that is supported
    "3.14",  # the newest that everything in constraints.txt has wheels for
)
TESTS = ("tests/unit", "tests/conformance")
MINE = f"{sys.version_info.major}.{sys.version_info.minor}"
_EXTRAS = "proofs,charts,campaign,pytest"
_SAYS = "import sys; print(f'{sys.version_info.major}.{sys.version_info.minor}')"


def minor(version: str) -> int:
    """The number that counts.

    >>> minor("3.14")
    14
    """
    return int(version.partition(".")[2])


def candidates(wanted: str, mine: str) -> list[str]:
    """The versions that may stand for one, the best first; none where it is the one that everything runs on.

    >>> candidates("3.14", "3.11")
    ['3.14', '3.13', '3.12']
    >>> candidates("3.11", "3.12")
    ['3.11']
    >>> candidates("3.11", "3.11")
    []
    """
    if minor(wanted) < minor(mine):
        return [wanted]
    return [f"3.{number}" for number in range(minor(wanted), minor(mine), -1)]


def interpreter(version: str) -> Path | None:
    """An interpreter of a version on this machine: on PATH, or one of pyenv's."""
    return next((path for path in _places(version) if _version_of(path) == version), None)


def _places(version: str) -> Iterator[Path]:
    if named := shutil.which(f"python{version}"):
        yield Path(named)
    yield from sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))


def _version_of(path: Path) -> str:
    # A shim of pyenv's is there for versions that are not, and says so.
    asked = subprocess.run([path, "-c", _SAYS], capture_output=True, text=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 else ""


def environment(version: str, base: Path) -> Path:
    """The interpreter of an environment with everything that the tests need."""
    folder = ROOT / "build" / f"python-{version}"
    pinned = b"".join((ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt"))
    stamp, state = folder / "installed", hashlib.sha256(pinned).hexdigest()
    python = folder / "bin" / "python"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != state:
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
        quiet = ("--quiet", "--disable-pip-version-check")
        what = ("-e", f"{ROOT}[{_EXTRAS}]", "pytest-xdist")
        pins = {**os.environ, "PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
        subprocess.run([python, "-m", "pip", "install", *quiet, *what], check=True, env=pins)
        stamp.write_text(state, encoding="utf-8")
    return python


def main(words: list[str]) -> int:
    """Run units and vectors on the interpreter of a version."""
    if len(words) != 1 or words[0] not in PYTHONS:
        print(
            f"VERSION: found {' '.join(words) or 'nothing'}, expected {' or '.join(PYTHONS)}", file=sys.stderr
        )
        return 2
    (wanted,) = words
    if wanted == MINE:
        print(f"Python {wanted} is that of all other stages")
        return 0
    there = {version: path for version in candidates(wanted, MINE) if (path := interpreter(version))}
    if not there:
        print(f"Python {wanted} is not here, nor one between it and {MINE}: left out")
        return 0
    version, base = next(iter(there.items()))
    if version != wanted:
        print(f"Python {wanted} is not here; the nearest that is takes its place: {version}")
    python = environment(version, base)
    command = [
        str(python),
        "-m",
        "pytest",
        "-n",
        "2",
        "--dist",
        "worksteal",
        "-p",
        "no:cacheprovider",
        *TESTS,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

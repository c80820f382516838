"""The interpreters that a change must pass on; units and vectors on one of them.

    python -m tools.pythons 3.14

Where an interpreter is not installed, the newest below it that is, and is newer than the environment's own,
takes its place.
"""

from __future__ import annotations

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
MINE = f"{sys.version_info.major}.{sys.version_info.minor}"
_SAYS = "import sys; print(f'{sys.version_info.major}.{sys.version_info.minor}')"


def minor(version: str) -> int:
    """The number that counts.

    >>> minor("3.14")
    14
    """
    return int(version.partition(".")[2])


def nearest(wanted: str) -> tuple[str, Path] | None:
    """The version and the interpreter that are used for a version; None where there is none."""
    last = min(minor(wanted), minor(MINE) + 1)
    for version in (f"3.{number}" for number in range(minor(wanted), last - 1, -1)):
        if path := interpreter(version):
            return version, path
    return None


def interpreter(version: str) -> Path | None:
    """An interpreter of a version on this machine: on PATH, one of pyenv's, or this one."""
    return next((path for path in _places(version) if _version_of(path) == version), None)


def _places(version: str) -> Iterator[Path]:
    if named := shutil.which(f"python{version}"):
        yield Path(named)
    yield from sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    yield Path(sys.executable)


def _version_of(path: Path) -> str:
    # A shim of pyenv's is there for versions that are not, and says so.
    asked = subprocess.run([path, "-c", _SAYS], capture_output=True, text=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 else ""


def main(words: list[str]) -> int:
    """Run units and vectors on the interpreter of a version."""
    if len(words) != 1 or words[0] not in PYTHONS:
        found = " ".join(words) or "nothing"
        print(f"VERSION: found {found}, expected {' or '.join(PYTHONS)}", file=sys.stderr)
        return 2
    (wanted,) = words
    if wanted == MINE:
        print(f"Python {wanted} is that of all other stages")
        return 0
    found_here = nearest(wanted)
    if found_here is None:
        print(f"Python {wanted} is not here, nor one between it and {MINE}: left out")
        return 0
    version, base = found_here
    if version != wanted:
        print(f"Python {wanted} is not here; the nearest that is takes its place: {version}")
    folder = ROOT / "build" / f"python-{version}"
    python = str(folder / "bin" / "python")
    subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
    what = ("-e", f"{ROOT}[proofs,charts,campaign,frames,pytest]", "pytest-xdist")
    pins = {**os.environ, "PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    subprocess.run([*pip, *what], check=True, env=pins)
    command = [python, "-m", "tools.stages", "run", "test-python", "-p", "no:cacheprovider"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What is in the distributions: the list, and the same bytes wherever and whenever they are built."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tenure import __version__
from tenure.keeping import DECIDING
from tests.shared import shared_folder

ROOT = Path(__file__).resolve().parents[2]
NAME = f"tenure-{__version__}"
IN_WHEEL = {
    **{f"refimpl/{name}/": f"{name}/" for name in DECIDING},
    "refimpl/tenure_check/": "tenure_check/",
    "refimpl/tenure_report/": "tenure_report/",
    "proofs/tenure_proofs/": "tenure_proofs/",
    "spec/": "tenure/_bundled/spec/",
    "examples/": "tenure/_bundled/examples/",
}
"""Folders of the repository, and what they are in the wheel; it has no other file but those about itself."""

ABOUT_ITSELF = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}

IN_SOURCES = ("refimpl/", "proofs/", "spec/", "examples/")
BESIDE = {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", ".gitignore", "PKG-INFO"}
"""Files of the source distribution beside those folders."""

LARGEST_SOURCES = 4 * 2**20


def tracked() -> list[str]:
    """Every file of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


def built(source: Path, out: Path, **environment: str) -> dict[str, str]:
    """Both distributions, made by the backend that made the environment's; their digests by name."""
    command = [sys.executable, "-m", "build", "--outdir", str(out)]
    done = subprocess.run(
        command, cwd=source, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())}


def copied(where: Path) -> Path:
    """The repository's files, elsewhere."""
    for name in tracked():
        if name.startswith(IN_SOURCES) or name in BESIDE:
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, where / name)
    return where


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution."""

    def make(folder: Path) -> None:
        built(copied(tmp_path_factory.mktemp("sources")), folder)

    return shared_folder(tmp_path_factory, "distributions", make)


def test_the_wheel_holds_these_folders_and_nothing_else(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    found = zipfile.ZipFile(wheel).namelist()
    expected = {
        inside + name.removeprefix(folder)
        for name in tracked()
        for folder, inside in IN_WHEEL.items()
        if name.startswith(folder)
    }
    assert set(found) == expected | {f"{NAME}.dist-info/{name}" for name in ABOUT_ITSELF}
    assert len(found) == len(set(found))


def test_the_source_distribution_holds_these_folders_and_nothing_else(distributions: Path) -> None:
    (archive,) = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        members = opened.getmembers()
    assert all(member.isfile() for member in members)
    expected = {name for name in tracked() if name.startswith(IN_SOURCES)} | BESIDE
    assert {member.name for member in members} == {f"{NAME}/{name}" for name in expected}
    assert archive.stat().st_size < LARGEST_SOURCES


def test_another_folder_another_time_and_other_rights_give_the_same_bytes(
    distributions: Path, tmp_path: Path
) -> None:
    first = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in distributions.iterdir()}
    source = copied(tmp_path / "somewhere else" / "deeper")
    for path in [*source.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert built(source, tmp_path / "out", TZ="Asia/Kolkata", LC_ALL="C", PYTHONHASHSEED="7") == first

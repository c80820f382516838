"""`python -m tools.locks`: write `ci/requirements/*.txt`, what each extra needs, with hashes of wheels."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "ci" / "requirements"
EXTRAS: Final = ("proofs", "fast", "charts", "strategies", "pytest")
BASE: Final = "base"
BUILD: Final = "build"
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS: Final = (
    *(
        tuple(f"manylinux_2_{minor}_{machine}" for minor in range(39, 4, -1))
        for machine in ("x86_64", "aarch64")
    ),
    tuple(f"macosx_{major}_0_arm64" for major in range(15, 10, -1)),
)
"""What pip takes wheels for, each with those that it may take instead."""
HEAD: Final = (
    "# The wheels of every release that the build is tested with. Made by `make lock`; not edited.\n"
)


def needs() -> dict[str, list[str]]:
    """What Tenure, each extra, and its build need.

    >>> sorted(needs())
    ['base', 'build', 'charts', 'fast', 'proofs', 'pytest', 'strategies']
    """
    read = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = read["project"]["optional-dependencies"]
    named = {BASE: read["project"]["dependencies"], BUILD: read["build-system"]["requires"]}
    return named | {extra: extras[extra] for extra in EXTRAS}


def resolved(wanted: Sequence[str], python: str, platforms: Sequence[str]) -> list[Mapping[str, Any]]:
    """What pip would install, as its report has it; nothing where a release has no wheel."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        words = ["--dry-run", "--quiet", "--ignore-installed", "--only-binary", ":all:", "--no-cache-dir"]
        words += ["--report", str(report), "--target", folder, "--python-version", python]
        words += [word for platform in platforms for word in ("--platform", platform)]
        words += ["--constraint", str(ROOT / "constraints.txt"), *wanted]
        done = subprocess.run([sys.executable, "-m", "pip", "install", *words], check=False)
        if done.returncode:
            print(f"Python {python}, {platforms[0]}: not all of {', '.join(wanted)} have wheels; left out")
            return []
        found: list[Mapping[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
        return found


def main() -> None:
    """Ask pip for every platform and Python, and write the files."""
    FOLDER.mkdir(exist_ok=True)
    for name, wanted in needs().items():
        hashes: defaultdict[str, set[str]] = defaultdict(set)
        for python in PYTHONS:
            for platforms in PLATFORMS:
                for entry in resolved(wanted, python, platforms):
                    what = f"{entry['metadata']['name'].lower()}=={entry['metadata']['version']}"
                    hashes[what].add(entry["download_info"]["archive_info"]["hashes"]["sha256"])
        lines = (
            what + "".join(f" \\\n    --hash=sha256:{one}" for one in sorted(hashes[what])) + "\n"
            for what in sorted(hashes)
        )
        (FOLDER / f"{name}.txt").write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()

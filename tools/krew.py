"""One archive of `kubectl tenure` with everything that it imports, as krew installs it.

    python -m tools.krew dist/tenure-0.1.0-py3-none-any.whl --url https://releases.example/v0.1.0

Makes dist/kubectl-tenure-VERSION-PLATFORM.tar.gz for each platform, and dist/tenure.yaml, krew's manifest,
which names the archives below that address. An archive needs python3 and kubectl, and no packages.

A zipapp cannot do this: pydantic-core and rpds-py are compiled, and Python imports no compiled module from
a zip. Their files are named by version of Python and platform, so one folder holds those of all versions.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from tools.pythons import PYTHONS, ROOT, minor

PLATFORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "linux-amd64": ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_28_x86_64"),
    "linux-arm64": ("manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_28_aarch64"),
}
"""As krew calls them, and the tags of the wheels that run there."""
FOLDER: Final = ROOT / "build" / "krew"
LAUNCHER: Final = """\
#!/usr/bin/env python3
import os
import sys

if sys.version_info < (3, 11):
    sys.exit("kubectl tenure: found Python %d.%d, expected 3.11 or later as python3" % sys.version_info[:2])
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "lib"))

from tenure.cli import kubectl_main

kubectl_main()
"""
"""krew links to it from another folder."""


def libraries(wheel: Path, platform: str) -> Path:
    """A folder with the wheel and all that it needs, for all versions of Python."""
    whole = FOLDER / platform
    shutil.rmtree(whole, ignore_errors=True)
    for number in range(minor(PYTHONS[0]), minor(PYTHONS[-1]) + 1):
        python = f"3.{number}"
        folder = FOLDER / f"{platform}-{python}"
        shutil.rmtree(folder, ignore_errors=True)
        tags = [word for tag in PLATFORMS[platform] for word in ("--platform", tag)]
        words = ["--only-binary=:all:", "--no-compile", "--python-version", python, "--target", str(folder)]
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            *words,
            *tags,
        ]
        subprocess.run([*command, "--constraint", str(ROOT / "constraints.txt"), str(wheel)], check=True)
        shutil.rmtree(folder / "bin", ignore_errors=True)
        shutil.copytree(folder, whole, dirs_exist_ok=True)
    return whole


def archive(library: Path, to: Path) -> str:
    """Write an archive of launcher, licence and libraries, with the same bytes each time; its SHA-256."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        _add(tar, "kubectl-tenure", LAUNCHER.encode(), 0o755)
        _add(tar, "LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644)
        for file in sorted(path for path in library.rglob("*") if path.is_file()):
            _add(tar, f"lib/{file.relative_to(library).as_posix()}", file.read_bytes(), 0o644)
    packed = gzip.compress(raw.getvalue(), mtime=0)
    to.write_bytes(packed)
    return hashlib.sha256(packed).hexdigest()


def _add(tar: tarfile.TarFile, name: str, content: bytes, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    tar.addfile(entry, io.BytesIO(content))


def manifest(version: str, url: str, digests: Mapping[str, str]) -> dict[str, Any]:
    """krew's manifest of the plugin.

    Source: krew, docs, Plugin manifest.

    >>> manifest("0.1.0", "https://a.example", {"linux-amd64": "00"})["spec"]["platforms"][0]["uri"]
    'https://a.example/kubectl-tenure-0.1.0-linux-amd64.tar.gz'
    """
    platforms = [
        {
            "selector": {"matchLabels": dict(zip(("os", "arch"), platform.split("-"), strict=True))},
            "uri": f"{url}/{archive_name(version, platform)}",
            "sha256": digest,
            "bin": "kubectl-tenure",
        }
        for platform, digest in digests.items()
    ]
    return {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": "tenure"},
        "spec": {
            "version": f"v{version}",
            "shortDescription": "Which jobs may preempt which in Kueue, and why",
            "description": "Answers which workloads may preempt which others in the queues of this cluster.",
            "caveats": "Needs Python 3.11 or later as python3.",
            "platforms": platforms,
        },
    }


def archive_name(version: str, platform: str) -> str:
    """The file of an archive."""
    return f"kubectl-tenure-{version}-{platform}.tar.gz"


def main(words: Sequence[str] | None = None) -> None:
    """Make the archives and the manifest, beside the wheel."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--url", default="https://releases.example", help="where the archives will be")
    parser.add_argument("--only", choices=PLATFORMS, help="one platform")
    given = parser.parse_args(words)
    version = given.wheel.name.split("-")[1]
    digests = {}
    for platform in [given.only] if given.only else PLATFORMS:
        to = given.wheel.parent / archive_name(version, platform)
        digests[platform] = archive(libraries(given.wheel.resolve(), platform), to)
        print(f"{digests[platform]}  {to.name}  {to.stat().st_size / 2**20:.1f} MiB")
    text = yaml.safe_dump(manifest(version, given.url, digests), sort_keys=False)
    (given.wheel.parent / "tenure.yaml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

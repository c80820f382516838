"""A dry run of a release: everything that has to be so before a tag is made, and nothing that is published.

    python -m tools.release_check --stages run     runs every stage, too: an hour on two cores
    python -m tools.release_check --stages FILE    reads what `make test-all` of this commit has printed
    python -m tools.release_check --stages no      leaves them out, and says so: not ready

RELEASING in CONTRIBUTING.md says what each is for.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tenure import __version__
from tools import licences, stages

ROOT: Final = Path(__file__).resolve().parents[1]
BUILD: Final = ROOT / "build" / "release"

_INSIDE: Final = re.compile(r"""\]\((?!https?:|#)|src(?:set)?="(?!https?:)""")

Found = Iterator[str]
"""What is wrong; `ok: ` before what is only told."""


def _project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def _said(*command: str, where: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=where, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def versions() -> Found:
    """One version everywhere, and no tag of it yet."""
    project = _project()
    if project["version"] != __version__:
        yield f"pyproject.toml: version: found {project['version']}, tenure.release says {__version__}"
    for name in ("Containerfile", "docs/reference/platforms.md"):
        named = set(re.findall(r"tenure:(\d+\.\d+\.\d+)", (ROOT / name).read_text(encoding="utf-8")))
        if named != {__version__}:
            yield f"{name}: found {', '.join(sorted(named)) or 'no version'}, expected {__version__}"
    if _said("git", "tag", "--list", f"v{__version__}").stdout.strip():
        yield f"git: found a tag v{__version__}, expected none: a version is released once"
    yield f"ok: {__version__}"


def changelog() -> Found:
    """A section of this version, with its date, and nothing that is not released above it."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if not any(
        re.fullmatch(rf"{re.escape(__version__)}( - \d{{4}}-\d\d-\d\d)?", title) for title in headings
    ):
        yield f"CHANGELOG.md: found {', '.join(headings)}, expected a section {__version__}"
    rest = text.partition("## Unreleased\n")[2].partition("\n## ")[0].strip()
    if rest:
        yield f"CHANGELOG.md: Unreleased: found {len(rest.splitlines())} lines, expected none"
    yield f"ok: sections {', '.join(headings)}"


def pages() -> Found:
    """No page says that this release is still to come."""
    told = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in told:
        if "not released yet" in page.read_text(encoding="utf-8"):
            yield f"{page.relative_to(ROOT)}: found 'not released yet', expected what is true once it is"
    yield f"ok: {len(told)} pages"


def lock() -> Found:
    """Whatever pyproject.toml asks for directly is pinned, within its bounds."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {
        canonicalize_name(name): version
        for name, _, version in (line.partition("==") for line in lines if "==" in line)
    }
    project = _project()
    asked = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    for requirement in map(Requirement, asked):
        pinned = pins.get(canonicalize_name(requirement.name))
        if requirement.name != "tenure" and (pinned is None or pinned not in requirement.specifier):
            yield f"constraints.txt: {requirement}: found {pinned or 'no pin'}; make lock"
    yield f"ok: {len(pins)} releases are pinned"


def distributions() -> Found:
    """Both are built from the tracked files; their digests are those of the release."""
    source, out = BUILD / "source", BUILD / "dist"
    for folder in (source, out):
        shutil.rmtree(folder, ignore_errors=True)
    for name in _said("git", "ls-files", "-z").stdout.split("\0")[:-1]:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    pins = str(ROOT / "constraints.txt")
    done = _said(sys.executable, "-m", "build", "--outdir", str(out), where=source, PIP_CONSTRAINT=pins)
    if done.returncode:
        yield f"build: exit code {done.returncode}: {done.stderr[-500:]}"
        return
    for path in sorted(out.iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        yield f"ok: {path.name}: {path.stat().st_size:,} bytes, sha256 {digest}"


def links() -> Found:
    """The address of the repository, of which nothing is known until there is one."""
    urls = _project().get("urls", {})
    if urls:
        yield f"ok: {', '.join(urls.values())}"
    else:
        yield "ok: [project.urls] is empty: name the repository there once it has an address"
    inside = _INSIDE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    if inside:
        yield f"ok: README.md: {len(inside)} links into the repository, which a package index does not follow"


def licensed() -> Found:
    """Every licence is known to be compatible, and listed."""
    yield from licences.problems()
    yield f"ok: {len(licences.brought())} packages"


def stages_in(said: str) -> Found:
    """Every stage is told, and none failed.

    >>> list(stages_in("quick               failed                     3 s"))[0]
    'quick: found failed, expected passed'
    """
    for stage in stages.STAGES:
        line = re.search(rf"^{re.escape(stage.name)}\s{{2,}}(\S.*?)\s{{2,}}", said, re.MULTILINE)
        outcome = line[1] if line else "nothing of it"
        if outcome == "failed" or line is None:
            yield f"{stage.name}: found {outcome}, expected passed"
        else:
            yield f"ok: {stage.name}: {outcome}"


def of_stages(asked: str) -> Found:
    """What came of the stages."""
    if asked == "no":
        yield "stages: left out; --stages run, or --stages FILE with what `make test-all` has printed"
    elif asked == "run":
        yield from stages_in(_said(sys.executable, "-m", "tools.stages", "all").stdout)
    else:
        yield from stages_in(Path(asked).read_text(encoding="utf-8"))


def clean() -> Found:
    """What is checked is what is committed."""
    changed = _said("git", "status", "--porcelain").stdout.splitlines()
    if changed:
        yield f"git: found {len(changed)} changed files, expected none"
    yield f"ok: {_said('git', 'rev-parse', 'HEAD').stdout.strip()}"


CHECKS: Final[dict[str, Callable[[], Found]]] = {
    "commit": clean,
    "versions": versions,
    "changelog": changelog,
    "pages": pages,
    "lock": lock,
    "licences": licensed,
    "links": links,
    "distributions": distributions,
}


def main(words: Sequence[str]) -> int:
    """Check everything; 1 where something keeps from a release."""
    parser = argparse.ArgumentParser(description="A dry run of a release.")
    parser.add_argument(
        "--stages", default="no", help="run, no, or a file with what make test-all has printed"
    )
    given = parser.parse_args(words)
    BUILD.mkdir(parents=True, exist_ok=True)
    wrong = 0
    found = [*((name, check()) for name, check in CHECKS.items()), ("stages", of_stages(given.stages))]
    for name, lines in found:
        for line in lines:
            fine = line.startswith("ok: ")
            wrong += not fine
            print(f"{'ok  ' if fine else 'FAIL'} {name}: {line.removeprefix('ok: ')}", flush=True)
    print(
        f"release-check: {wrong} problems"
        if wrong
        else f"release-check: {__version__} is ready to be released"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

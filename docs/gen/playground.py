"""The playground's files: Python and Tenure for the browser, the editor, the examples and the vectors.

Whatever is not ours comes from the npm registry and PyPI by the ordinary clients, by pinned version and
digest, into `build/playground`. Where they cannot be asked, the site is built without these files, and the
page says so.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import jinja2
import markupsafe
import yaml

from docs.gen.markdown import Fills
from docs.gen.openings import Openings
from docs.gen.sources import ROOT, places
from tenure.as_json import as_json
from tenure.playground import PageQuestion, answered
from tenure.readings import default_preset, preset_names
from tenure_check.playground import MOST_CELLS, MOST_S
from tenure_play.drawing.cluster_bars import bars_style
from tenure_play.drawing.scene import DARK, LIGHT
from tenure_play.drawing.svg import colours
from tenure_play.playground import pictured
from tests.threads.folders import threads
from tools.lints.pages import findings, pages

FOLDER = "assets/playground"
"""Where the page finds the files, below `docs/`."""
KEPT = ROOT / "build" / "playground"
PINNED = Path(__file__).with_name("playground.toml")
_PATIENCE_S = 300
_BARS = """\
.preempted { fill-opacity: 0.4; } [hidden], .of-priority { display: none; }
.queue h3 a { pointer-events: none; }
"""
_TITLES = {
    "two-teams": "Two teams share 64 GPUs, every job has four hours",
    "shared-cohort": "Cohorts that borrow from each other",
    "hero": "A hero makes room in its subtree",
}


class FetchError(Exception):
    """A file that the playground needs is not to be had."""


def playground_files(openings: Openings) -> dict[str, bytes]:
    """Every file of the playground by its path below `docs/`; none where something cannot be fetched.

    `index.json` says what is there, so that the page can say it where nothing is.

    Args:
        openings: what it opens beside its examples.
    """
    try:
        files = fetched()
    except FetchError as error:
        print(f"the site is built without the playground: {error}", file=sys.stderr)
        return {}
    files["examples.json"] = _json(dict(examples()))
    files["first.json"] = _json(first_answer())
    files["bars.css"] = bars_rules().encode()
    files |= {f"opened/{area}.json": _json(held) for area, held in openings.areas.items()}
    told = {page.id: f"{page.id}: {page.title}" for page in findings(ROOT) if page.id in openings.same}
    files["index.json"] = _json(
        {"opened": openings.names, "same": openings.same, "findings": told, "rules": _rules()}
    )
    return {f"{FOLDER}/{name}": content for name, content in sorted(files.items())}


def page_fills() -> Fills:
    """The presets, for the page to choose from, the default first; and the limits of a matrix."""
    names = sorted(preset_names(), key=lambda name: name != default_preset())
    return {
        "playground.md": {
            "readings": "".join(f"<option>{name}</option>" for name in names),
            "cells": str(MOST_CELLS),
            "seconds": f"{MOST_S:g}",
        }
    }


def fetched() -> dict[str, bytes]:
    """Python for the browser, the editor, and the archives of modules: to decide, to draw and to prove.

    Raises:
        FetchError: a package cannot be fetched, or is not the one that is pinned.
    """
    pinned = tomllib.loads(PINNED.read_text(encoding="utf-8"))
    KEPT.mkdir(parents=True, exist_ok=True)
    files = {name: content for package in pinned["npm"] for name, content in from_npm(package)}
    modules = own_modules()
    modules["decide"] |= dict(_plain(yaml))
    modules["draw"] |= dict(_plain(jinja2)) | dict(_plain(markupsafe))
    for wheel in _wheels(pinned):
        with zipfile.ZipFile(wheel.open("rb")) as archive:
            held = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
        modules[_part_of(wheel, pinned)] |= held
    return files | {f"{part}.zip": zipped(held) for part, held in modules.items()}


def from_npm(package: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Files of a package of npm by their names; the package is fetched once.

    Args:
        package: name, version, integrity and the files that are wanted.

    Raises:
        FetchError: it cannot be fetched, or is not the one that is pinned.
    """
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"{package['name']}-{package['version']}.tgz"
    if not kept.exists():
        if shutil.which("npm") is None:
            raise FetchError("there is no npm here")
        _run(
            "npm",
            "pack",
            "--silent",
            "--pack-destination",
            str(KEPT),
            f"{package['name']}@{package['version']}",
        )
    content = kept.read_bytes()
    kind, _, digest = package["integrity"].partition("-")
    if base64.b64encode(hashlib.new(kind, content).digest()).decode() != digest:
        kept.unlink()
        raise FetchError(f"{package['name']} {package['version']} is not the file that is pinned")
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for name in package["files"]:
            member = archive.extractfile(f"package/{name}")
            assert member is not None
            yield Path(name).name, member.read()


def _wheels(pinned: Mapping[str, Any]) -> list[Path]:
    wanted = "".join(
        f"{wheel['name']}=={wheel['version']} --hash=sha256:{wheel['sha256']}\n" for wheel in pinned["wheel"]
    )
    folder = KEPT / f"wheels-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    if not folder.exists():
        listed = KEPT / "wheels.txt"
        listed.write_text(wanted, encoding="utf-8")
        python, platform = pinned["wheels"]["python"], pinned["wheels"]["platform"]
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        _run(
            *(sys.executable, "-m", "pip", "download", "--quiet", "--retries", "1", "--no-deps"),
            *("--only-binary", ":all:", "--require-hashes", "--platform", platform),
            *("--python-version", python, "--dest", str(partial), "--requirement", str(listed)),
        )
        partial.rename(folder)
    return sorted(folder.glob("*.whl"))


def _part_of(wheel: Path, pinned: Mapping[str, Any]) -> str:
    name = wheel.name.partition("-")[0].replace("_", "-")
    (part,) = (entry["part"] for entry in pinned["wheel"] if entry["name"] == name)
    return str(part)


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FetchError(f"{command[0]}: {error}") from error
    if done.returncode:
        told = (done.stderr or done.stdout).strip().splitlines()
        raise FetchError(told[-1] if told else f"{command[0]} ended with {done.returncode}")


def own_modules() -> dict[str, dict[str, bytes]]:
    """What is ours in each of the archives, by path: modules, and the data that they read."""
    return {
        "decide": dict(_own("refimpl/tenure")) | _data(),
        "draw": {**dict(_own("refimpl/tenure_play")), **dict(_own("refimpl/tenure_kai"))},
        "prove": {
            path: content
            for folder in ("proofs/tenure_proofs", "refimpl/tenure_check", "refimpl/tenure_lab")
            for path, content in _own(folder)
        },
    }


def _own(folder: str) -> Iterator[tuple[str, bytes]]:
    """A package of ours."""
    root = ROOT / folder
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root.parent)
        if path.is_file() and "__pycache__" not in inside.parts:
            yield inside.as_posix(), path.read_bytes()


def _data() -> dict[str, bytes]:
    """What the package reads of `spec/`, where the wheel has it; the vectors are files of their own."""
    paths = [*(ROOT / "spec").glob("*.toml"), *(ROOT / "spec" / "rules").glob("*.md")]
    return {
        f"tenure/_bundled/{path.relative_to(ROOT).as_posix()}": path.read_bytes() for path in sorted(paths)
    }


def _plain(package: ModuleType) -> Iterator[tuple[str, bytes]]:
    """A package as it is installed here: its modules in Python, which do without the compiled ones."""
    assert package.__file__ is not None
    folder = Path(package.__file__).parent
    for path in sorted(folder.glob("*.py")):
        yield f"{folder.name}/{path.name}", path.read_bytes()


def first_answer() -> dict[str, Any]:
    """The answer about the first example, which the page shows until Python is loaded.

    What was asked is there without its text: the page compares it with what it would ask.
    """
    name, example = next(examples())
    fields = {each.name for each in dataclasses.fields(PageQuestion)}
    asked = {key: value for key, value in example.items() if key in fields}
    question = PageQuestion(**asked, cluster_queue=example["clusterQueue"])
    answer = json.loads(answered(json.dumps(dataclasses.asdict(question))))
    drawn = json.loads(pictured(json.dumps({**dataclasses.asdict(question), "now": answer["now"]})))
    return {"example": name, "answer": answer, "html": drawn["html"]}


def bars_rules() -> str:
    """The style of the picture, which the page keeps apart from its own; `dark` as the reader chooses."""
    return f"{colours(':host', LIGHT)}{colours(':host(.dark)', DARK)}{bars_style()}{_BARS}"


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive whose bytes depend on nothing but names and contents.

    >>> zipped({"b": b"1", "a": b"2"}) == zipped({"a": b"2", "b": b"1"})
    True
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def examples() -> Iterator[tuple[str, dict[str, Any]]]:
    """The bundled examples and the questions from public threads, with what their pages ask of them."""
    for name, title in _TITLES.items():
        folder = ROOT / "examples" / name
        words = _asked_of((folder / "README.md").read_text(encoding="utf-8"))
        text = "---\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml")))
        yield name, {"title": title, **as_json(PageQuestion(text, now=words["--now"], workload=words["-w"]))}
    for thread in threads():
        title = (thread.folder / "question.md").read_text(encoding="utf-8").split("**Question.** ")[1]
        text = (thread.folder / "cluster.yaml").read_text(encoding="utf-8")
        asked = PageQuestion(text, now=thread.option("--now"), workload=_pending_of(thread.arguments))
        question = " ".join(title.split("\n\n")[0].split())
        yield thread.folder.name, {"title": f"kueue#{thread.number}: {question}", **as_json(asked)}


def _asked_of(page: str) -> dict[str, str]:
    """The options of the first command of a README that decides about one workload.

    >>> _asked_of("    tenure decide --example hero -w a/b --now 2026-01-01T00:00:00Z")["-w"]
    'a/b'
    """
    command = next(line for line in page.splitlines() if line.strip().startswith("tenure decide "))
    words = command.split()
    return dict(pairwise(words))


def _pending_of(words: list[str]) -> str:
    """The pending workload that a command of a thread asks about; empty where it asks about several."""
    given = dict(pairwise(words))
    named = given.get("-w", given.get("--workload", ""))
    return words[1] if words[0] == "why-not" else named


def _rules() -> dict[str, str]:
    """The pages of rules, by identifier, as the site has them."""
    known = {page.id for page in pages(ROOT)}
    return {name: place.removesuffix(".md") + "/" for name, place in places().items() if name in known}


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

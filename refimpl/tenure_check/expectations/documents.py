"""Files of expectations to what has to be checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tenure.errors import InputError, Problem
from tenure.manifests import Place
from tenure.manifests.files import EXPECTATIONS, below
from tenure.manifests.releases import AS_WRITTEN, AsIf
from tenure.manifests.showing import sort_of
from tenure.resources import is_folder, is_there
from tenure_check.expectations.check import Check
from tenure_check.expectations.decisions import decision_checks
from tenure_check.expectations.manifest_sources import ManifestSources
from tenure_check.expectations.plays import play_checks
from tenure_play.loading import read_documents

SUFFIX: Final = EXPECTATIONS
_WHAT: Final = "a map with manifests, or with until: a scenario"


@dataclass(frozen=True, slots=True)
class ExpectationDocument:
    """One YAML document of a file.

    Args:
        file: as the user named it.
        number: of the document in the file, from 0.
        name: what it is called.
        checks: what it expects.
    """

    file: str
    number: int
    name: str
    checks: tuple[Check, ...]


def expectation_files(paths: Sequence[str | Path]) -> list[Path]:
    """The files that some paths mean: those of a folder that end in `.tenure.yaml`, or the file itself.

    Raises:
        InputError: a path that is not there, or a folder without such a file.

    >>> expectation_files(["absent"])
    Traceback (most recent call last):
    tenure.errors.InputError: absent: found no such file or folder, expected a file or folder to read
    """
    found: list[Path] = []
    problems: list[Problem] = []
    for path in map(Path, paths):
        known = len(problems)
        files = [path]
        if is_folder(path):
            files = below(path.rglob(f"*{SUFFIX}"), path, problems)
        if not files and len(problems) == known:
            problems.append(Problem("", f"no file named *{SUFFIX}", "expectations", file=str(path)))
        elif not is_there(path):
            problems.append(Problem("", "no such file or folder", "a file or folder to read", file=str(path)))
        found.extend(files)
    if problems:
        raise InputError(problems)
    return list(dict.fromkeys(found))


def load_documents(
    path: str | Path,
    *,
    strict: bool = False,
    as_if: AsIf = AS_WRITTEN,
    kept: bool = False,
    sources: ManifestSources | None = None,
) -> tuple[ExpectationDocument, ...]:
    """What a file expects. Manifests are read and scenarios played only when a check runs.

    Args:
        path: the file.
        strict: whether manifests are refused of which something would be warned.
        as_if: how their objects count otherwise than they were written.
        kept: whether what earlier runs found out about every state counts, and is kept.
        sources: where their manifests come from; without it no renderer may run.

    Raises:
        InputError: everything that is wrong in the file.

    Source: `spec/schemas/expectations.schema.json`, `spec/schemas/scenario.schema.json`.
    """
    file, sources = str(path), sources or ManifestSources()
    written = read_documents(path, file, _WHAT)
    documents: list[ExpectationDocument] = []
    problems: list[Problem] = []
    for number, raw in enumerate(written):
        stem = Path(file).name.removesuffix(SUFFIX)
        name = stem if len(written) == 1 else f"{stem}-{number + 1}"
        try:
            documents.append(
                _document(raw, file, number, name, sources, strict=strict, as_if=as_if, kept=kept)
            )
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return tuple(documents)


def _document(
    raw: object,
    file: str,
    number: int,
    stem: str,
    sources: ManifestSources,
    *,
    strict: bool,
    as_if: AsIf,
    kept: bool,
) -> ExpectationDocument:
    if not isinstance(raw, dict):
        raise InputError([Problem("", sort_of(raw), _WHAT, file=file)])
    if "manifests" in raw:
        name = str(raw.get("test", stem))
        place = Place(f"Test/{name}", file)
        checks = decision_checks(raw, place, strict=strict, as_if=as_if, kept=kept, sources=sources)
    elif "until" in raw:
        name = str(raw.get("scenario", stem))
        checks = play_checks(raw, Place(f"Scenario/{name}", file), stem, strict=strict, as_if=as_if)
    else:
        raise Place(f"Test/{stem}", file).error("", f"keys {', '.join(map(str, raw))}", _WHAT)
    return ExpectationDocument(file, number, name, _apart(checks))


def _apart(checks: Sequence[Check]) -> tuple[Check, ...]:
    """The checks, with their fields behind names that appear more than once."""
    count = Counter(check.name for check in checks)
    return tuple(
        replace(check, name=f"{check.name} ({check.field})") if count[check.name] > 1 else check
        for check in checks
    )

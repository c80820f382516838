"""What becomes of every real manifest beside the repository: `python -m tests.hostile.real_manifests`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import tenure
from tenure.errors import InputError
from tests.hostile.corpus import MANIFESTS
from tests.hostile.trials import NOW


@dataclass(frozen=True, slots=True)
class Row:
    """A file, what became of it, and what was said."""

    file: str
    outcome: str
    messages: tuple[str, ...]


def main() -> None:
    """Print the table."""
    folder = MANIFESTS / "kueue"
    if not folder.is_dir():
        sys.exit("the real manifests are not beside the repository")
    for row in rows(folder):
        print(f"{row.file:52} {row.outcome:9} {row.messages[0] if row.messages else ''}")
        for message in row.messages[1:]:
            print(f"{'':62} {message}")


def rows(folder: Path) -> list[Row]:
    """One for each file, in the order of names."""
    return [_row(path, str(path.relative_to(folder))) for path in sorted(folder.rglob("*.yaml"))]


def _row(path: Path, file: str) -> Row:
    try:
        loaded = tenure.load(path)
    except InputError as error:
        return Row(file, "refused", _short(map(str, error.problems), path))
    # Who asks about an object that is set aside gets its problem, which says more than the warning.
    aside = [str(problem) for problems in loaded.set_aside.values() for problem in problems]
    said = _short([*aside, *loaded.warnings, *loaded.ignored], path)
    if aside:
        return Row(file, "set aside", said)
    for pending in loaded.cluster.pending:
        try:
            decision = tenure.decide(loaded, pending.key, now=NOW)
        except InputError as error:
            return Row(file, "loaded", (*said, *_short(map(str, error.problems), path)))
        return Row(file, "decided", (str(decision.outcome), *said))
    empty = not (loaded.cluster.cluster_queues or loaded.cluster.cohorts or loaded.cluster.flavors)
    return Row(file, "ignored" if empty and loaded.ignored else "loaded", said)


def _short(messages: Iterable[str], path: Path) -> tuple[str, ...]:
    """Without the path, which the row has already."""
    return tuple(dict.fromkeys(message.removeprefix(f"{path}: ") for message in messages))


if __name__ == "__main__":
    main()

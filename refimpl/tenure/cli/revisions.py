"""Manifests as a git revision has them, `main:queues/`: no checkout is made, and nothing of it is run."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Final

from tenure.disk import write_file
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import SourcedObject, in_mebibytes, show
from tenure.manifests.files import EXPECTATIONS, RENDERERS, iterate_objects
from tenure.manifests.limits import MAX_FILE, MAX_LISTING, MAX_OBJECTS, MAX_WAIT
from tenure.manifests.source_lines import bytes_on_disk
from tenure.programs import run_bounded

_REVISION: Final = re.compile(r"(?P<revision>[^:]+):(?P<path>[^:]*)")
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_NO_REVISION: Final = "fatal: Needed a single revision"
"""What git prints of a revision that it does not have."""
MAX_TREE: Final = 2**28
"""Bytes of the files of a revision in which a program runs."""
_FILE_MODES: Final = ("100644", "100755")
# No pager, no hooks of any kind, no program that the repository's own configuration names, no fetching.
_GIT: Final = ("git", "--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false")
_ENVIRONMENT: Final = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


@dataclass(frozen=True, slots=True)
class Revision:
    """A folder or a file of a git revision.

    Args:
        revision: as git takes it: a branch, a tag, a commit.
        path: from the root of the repository; empty for all of it.
    """

    revision: str
    path: str

    def __str__(self) -> str:
        return f"{self.revision}:{self.path}"


def parse_revision(text: str) -> Revision | None:
    """A revision as a command line names it; None for what is a path.

    >>> parse_revision("main:queues/"), parse_revision("queues")
    (Revision(revision='main', path='queues/'), None)
    """
    found = _REVISION.fullmatch(text)
    if found is None or os.path.lexists(text):
        return None
    return Revision(found["revision"], found["path"])


def objects_at(revision: Revision) -> tuple[SourcedObject, ...]:
    """The objects of a revision's manifests.

    Raises:
        InputError: git does not have it, or everything that cannot be read in it.
    """
    with TemporaryDirectory() as folder:
        root = Path(folder)
        if not _written(revision, root, _manifests(revision), MAX_FILE):
            nothing = (
                "no file named *.yaml, *.yml or *.json" if _listed(revision) else "no such file or folder"
            )
            raise _refused(revision, nothing, f"a path with manifests in {revision.revision}")
        problems: list[Problem] = []
        found = tuple(iterate_objects([root], problems))
        prefix = f"{root}{os.sep}"
        named = f"{revision.revision}:"
        if problems:
            raise InputError(
                [
                    replace(
                        problem,
                        file=problem.file.replace(prefix, named),
                        expected=_in_checkout(problem.expected, root),
                    )
                    for problem in problems
                ]
            )
        return tuple(
            replace(
                sourced,
                file=sourced.file.replace(prefix, named),
                note=_in_checkout(sourced.note, root)
                .replace(prefix, named)
                .replace(f"{root}", f"{revision}"),
            )
            for sourced in found
        )


def _in_checkout(text: str, root: Path) -> str:
    """A text whose commands to render name folders of a checkout, not those in which a revision was read."""
    commands = re.compile(rf"({'|'.join(RENDERERS)}) {re.escape(str(root))}(/?)")
    return commands.sub(lambda command: f"{command[1]} {'' if command[2] else '.'}", text)


@contextmanager
def files_of_revision(revision: Revision) -> Iterator[Path]:
    """A folder with every file of a revision below its path, links aside; it is removed at the end.

    Raises:
        InputError: git does not have it, or it is too large.
    """
    with TemporaryDirectory() as folder:
        root = Path(folder)
        listed = _listed(revision)
        path = root.joinpath(*_steps(revision))
        if not listed or not _written(revision, root, listed, MAX_TREE) or not path.is_dir():
            raise _refused(revision, "no folder with files", "a folder in which a program can run")
        yield path


def bytes_named(file: str) -> bytes | None:
    """What is in a file of a revision, `main:queues/a.yaml`, or of this machine; None without one."""
    revision = parse_revision(file)
    if revision is None:
        return bytes_on_disk(file)
    try:
        return _git(revision, "cat-file", "blob", f"{_commit(revision)}:{revision.path}")
    except InputError:
        return None


def _commit(revision: Revision) -> str:
    words = "rev-parse", "--verify", "--end-of-options", f"{revision.revision}^{{commit}}"
    return _git(revision, *words).decode().strip()


def _written(revision: Revision, root: Path, listed: Sequence[tuple[str, str, int]], most: int) -> bool:
    """Write files of a revision below a folder; whether there are any."""
    if sum(size for _, _, size in listed) > most:
        found, expected = f"files of more than {in_mebibytes(most)}", f"at most {in_mebibytes(most)} in all"
        raise bad_input(str(revision), found, expected)
    for (name, _, _), content in zip(listed, _contents(revision, listed), strict=True):
        path = root.joinpath(*name.split("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, content, durable=False)
    return bool(listed)


def _contents(revision: Revision, listed: Sequence[tuple[str, str, int]]) -> Iterator[bytes]:
    """The contents of blobs, by one process.

    Source: git-cat-file(1), BATCH OUTPUT: a line with name, kind and size before the bytes of each, and a
    line break after them.
    """
    with TemporaryFile() as asked:
        asked.write("".join(f"{blob}\n" for _, blob, _ in listed).encode())
        asked.seek(0)
        printed = memoryview(_git(revision, "cat-file", "--batch", stdin=asked.fileno()))
    at = 0
    for _, blob, size in listed:
        at += len(f"{blob} blob {size}\n")
        yield bytes(printed[at : at + size])
        at += size + 1


def _steps(revision: Revision) -> list[str]:
    """The folders of a revision's path."""
    return [step for step in revision.path.split("/") if step not in ("", ".")]


def _manifests(revision: Revision) -> list[tuple[str, str, int]]:
    """The files of a revision that may be manifests."""
    return [
        (name, blob, size)
        for name, blob, size in _listed(revision)
        if name.lower().endswith(_SUFFIXES) and not name.endswith(EXPECTATIONS)
    ]


def _listed(revision: Revision) -> list[tuple[str, str, int]]:
    """The files of a revision: path, blob, bytes."""
    path = "/".join(_steps(revision))
    within = ("--", path) if path else ()
    tree = _git(revision, "ls-tree", "-r", "-z", "-l", "--full-tree", _commit(revision), *within)
    found = []
    for entry in filter(None, tree.decode("utf-8", "surrogateescape").split("\0")):
        facts, _, name = entry.partition("\t")
        mode, kind, blob, size = facts.split()
        # A link or another repository is no manifest, and is not followed.
        leads_out = not {"", ".", ".."}.isdisjoint(name.split("/"))
        if kind == "blob" and mode in _FILE_MODES and not leads_out:
            found.append((name, blob, int(size)))
    if len(found) > MAX_OBJECTS:
        raise bad_input(str(revision), f"{len(found)} files", f"at most {MAX_OBJECTS}")
    return sorted(found)


def _git(revision: Revision, *words: str, stdin: int = subprocess.DEVNULL) -> bytes:
    most = MAX_LISTING if words[0] == "ls-tree" else MAX_FILE
    environment = {**os.environ, **_ENVIRONMENT}
    try:
        ended = run_bounded([*_GIT, *words], most, MAX_WAIT, stdin=stdin, environment=environment)
    except OSError:
        raise _refused(revision, "no program git", "git installed, or a folder") from None
    if ended.printed is None:
        raise bad_input(str(revision), f"no end of git {words[0]} within {MAX_WAIT} s", "an answer in time")
    if len(ended.printed) > most:
        size = in_mebibytes(most)
        raise bad_input(str(revision), f"more than {size} from git {words[0]}", f"at most {size}")
    if ended.code:
        lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        expected = "a revision and a path that git has here, such as main:queues/, or a path that exists"
        last = (lines[-1:] or ["git fails"])[0]
        found = f"no revision {revision.revision}" if last == _NO_REVISION else show(last)
        raise _refused(revision, found, expected)
    return ended.printed


def _refused(revision: Revision, found: str, expected: str) -> InputError:
    return InputError([Problem(str(revision), found, expected)])

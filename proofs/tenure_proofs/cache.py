"""Answers of earlier runs: a folder with a file for each, under the hash of all that it depends on.

Whoever can write here can put words into the solvers' mouths. So a file is read only while no one but the
user can have written it, is never waited for, and is no larger than anything that is kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tenure.disk import UNFINISHED, others_can_write, write_file
from tenure.keeping import cache_folder
from tenure.versions import form

FORM = form("proof-cache")
"""Of a file; one of another form is as good as none."""

MOST_BYTES = 2**24
MOST_LEVELS = 32
"""Of a file, and of lists and objects in each other: many times what is kept."""

UNUSED_S = 30 * 24 * 3600
"""After so many seconds a file that was not asked for is removed."""

UNFINISHED_S = 3600
"""After so many seconds whoever was writing a file is gone."""


def default_folder() -> Path:
    """Where verdicts are kept unless an option says otherwise: in the user's cache folder."""
    return cache_folder("proofs")


class Cache:
    """Kept answers. Nothing that is wrong with a file is worse than having no file.

    Args:
        folder: where the files are; None keeps nothing.
        warn: hears once of what cannot be used, and once of a folder in which nothing can be kept.
    """

    def __init__(self, folder: Path | None, warn: Callable[[str], None]) -> None:
        self._folder = folder
        self._warn = warn
        self._refused = False
        self._wrote = False

    def get(self, key: str) -> Any:
        """What is kept under a key, or None."""
        if self._folder is None:
            return None
        path = self._path(key)
        try:
            value = _unsealed(_read(self._folder, path), key)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            self.refuse(key, (error.strerror if isinstance(error, OSError) else None) or str(error))
            return None
        self._touch(path)
        return value

    def refuse(self, key: str, why: str) -> None:
        """Say of the first file that cannot be used why."""
        if not self._refused:
            self._warn(f"{self._path(key)}: {why}; proved again, as is whatever else is unusable there")
        self._refused = True

    def put(self, key: str, value: Any) -> None:
        """Keep something; who reads at the same time sees all of it or what was there before."""
        if self._folder is None:
            return
        path = self._path(key)
        sealed = {"form": FORM, "key": key, "value": value, "seal": _seal(value)}
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            _need_own(self._folder, path.parent)
            # A lost one is proved again, and a damaged one is recognized.
            write_file(path, json.dumps(sealed), durable=False, mode=0o600)
            self._wrote = True
        except (OSError, ValueError) as error:
            self._warn(f"{self._folder}: nothing is kept there: {error}")
            self._folder = None

    def tidy(self) -> None:
        """After a run that has added something, remove what has not been asked for or written for long."""
        if self._folder is None or not self._wrote:
            return
        now = time.time()
        for path in self._folder.glob("??/*"):
            try:
                oldest = now - (UNFINISHED_S if path.suffix == UNFINISHED else UNUSED_S)
                if path.lstat().st_mtime < oldest:
                    path.unlink()
            except OSError:
                continue  # another process was quicker

    def _touch(self, path: Path) -> None:
        try:
            os.utime(path)
        except OSError:
            return  # it may be a folder that is only read

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / f"{key}.json"


def _read(folder: Path, path: Path) -> str:
    """The text of a kept file.

    Raises:
        OSError: it cannot be opened.
        ValueError: it is no such file as `Cache` writes.
    """
    _need_own(folder, path.parent)
    # A link is not followed, and a pipe without a writer is not waited for.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(path, flags), "rb", buffering=0) as file:  # noqa: PTH123 - a path has no flags
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise ValueError("no regular file, or one with several names")
        _need_users(found)
        read = file.read(MOST_BYTES + 1)
    if len(read) > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES} bytes")
    return read.decode()


def _need_own(folder: Path, below: Path) -> None:
    """The user may have put a link in the place of the whole folder, and no one a link into it."""
    _need_users(folder.stat())
    found = below.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise ValueError(f"{below.name} is no folder")
    _need_users(found)


def _need_users(found: os.stat_result) -> None:
    why = others_can_write(found)
    if why:
        raise ValueError(f"it, or its folder, {why}")


def _unsealed(text: str, key: str) -> Any:
    kept = json.loads(text, parse_constant=_refuse_constant)
    if not _is_shallow(kept):
        raise ValueError(f"deeper than {MOST_LEVELS} levels")
    if not isinstance(kept, dict) or kept.keys() != {"form", "key", "value", "seal"}:
        raise ValueError("no kept answer")
    if kept["form"] != FORM:
        raise ValueError(f"form: found {str(kept['form'])[:80]!r}, expected {FORM}")
    if kept["key"] != key:
        raise ValueError("under another name")
    if kept["seal"] != _seal(kept["value"]):
        raise ValueError("damaged")
    return kept["value"]


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for row in level
            if isinstance(row, dict | list)
            for inner in (row.values() if isinstance(row, dict) else row)
        ]
    return not level


def _seal(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()

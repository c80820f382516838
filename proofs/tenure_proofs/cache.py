"""Verdicts of earlier runs: a folder with a file for each, under the hash of all that it depends on."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FORM = "tenure-proof-cache/1"
"""Of a file; one of another form is as good as none."""

UNUSED_S = 30 * 24 * 3600
"""After so many seconds a file that nobody asked for is removed."""


def default_folder() -> Path:
    """Where verdicts are kept unless somebody says otherwise: in the user's cache folder.

    Source: XDG Base Directory Specification, `XDG_CACHE_HOME`; a relative path there is ignored.
    """
    said = os.environ.get("XDG_CACHE_HOME", "")
    home = Path(said)
    return (home if home.is_absolute() else Path.home() / ".cache") / "tenure" / "proofs"


class Cache:
    """Kept verdicts. Nothing that goes wrong with a file is worse than having no file.

    Args:
        folder: where the files are; None keeps nothing.
        warn: hears of a file that cannot be read or written.
    """

    def __init__(self, folder: Path | None, warn: Callable[[str], None]) -> None:
        self._folder = folder
        self._warn = warn
        self._wrote = False

    def get(self, key: str) -> Any:
        """What is kept under a key, or None."""
        if self._folder is None:
            return None
        path = self._path(key)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            self._warn(f"{path}: not readable, proved again: {error}")
            return None
        try:
            kept = json.loads(text)
            sound = kept["form"] == FORM and kept["key"] == key and kept["seal"] == _seal(kept["value"])
        except (ValueError, KeyError, TypeError):
            sound = False
        if not sound:
            self._warn(f"{path}: damaged, proved again")
            return None
        self._touch(path)
        return kept["value"]

    def put(self, key: str, value: Any) -> None:
        """Keep something; who reads at the same time sees all of it or what was there before."""
        if self._folder is None:
            return
        path = self._path(key)
        unfinished = path.with_suffix(f".{os.getpid()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            sealed = {"form": FORM, "key": key, "value": value, "seal": _seal(value)}
            unfinished.write_text(json.dumps(sealed), encoding="utf-8")
            unfinished.replace(path)
            self._wrote = True
        except OSError as error:
            self._warn(f"{self._folder}: nothing is kept there: {error}")
            self._folder = None

    def tidy(self) -> None:
        """After a run that has added something, remove what nobody has asked for in a long time."""
        if self._folder is None or not self._wrote:
            return
        oldest = time.time() - UNUSED_S
        for path in self._folder.glob("??/*"):
            try:
                if path.stat().st_mtime < oldest:
                    path.unlink()
            except OSError:
                continue  # another process was quicker

    def _touch(self, path: Path) -> None:
        try:
            os.utime(path)
        except OSError:
            return  # it may be somebody else's folder, and only read

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / f"{key}.json"


def _seal(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()

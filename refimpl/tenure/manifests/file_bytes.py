"""The bytes of a file, a pipe or standard input; never more than the limit, never from a device."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from typing import Final

from tenure.errors import Problem
from tenure.manifests.limits import MAX_FILE, in_mebibytes
from tenure.manifests.showing import printable

_EXPECTED: Final = "a file or folder to read"
_KINDS: Final = (
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISDIR, "a folder"),
)
_CHUNK: Final = 2**20


def read_file(path: str | Path, file: str, problems: list[Problem]) -> bytes | None:
    """What a file or a pipe holds; None where it cannot be read, which is a problem.

    Args:
        path: the file.
        file: what problems call it.
        problems: gets what is wrong.

    >>> problems = []
    >>> read_file("/dev/null", "/dev/null", problems), str(problems[0])
    (None, '/dev/null: found a device, expected a file or folder to read')
    """
    try:
        found = _read(path)
    except (OSError, ValueError) as error:
        problems.append(Problem("", reason(error), _EXPECTED, file=file))
        return None
    if isinstance(found, str):
        problems.append(Problem("", found, _EXPECTED, file=file))
        return None
    return _within_limit(found, file, problems)


def read_standard_input(problems: list[Problem]) -> bytes | None:
    """What standard input holds; None where that is a problem."""
    if sys.stdin is None:
        problems.append(Problem("", "a closed standard input", "Kubernetes objects", file="stdin"))
        return None
    # A caller may have put a text buffer in place of the real standard input.
    buffer = getattr(sys.stdin, "buffer", None)
    try:
        raw = buffer.read(MAX_FILE + 1) if buffer is not None else sys.stdin.read(MAX_FILE + 1).encode()
    except (OSError, ValueError) as error:
        problems.append(Problem("", reason(error), "standard input to read", file="stdin"))
        return None
    return _within_limit(raw, "stdin", problems)


def reason(error: OSError | ValueError) -> str:
    """Why something could not be read, in the words of the system."""
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    said = error.strerror if isinstance(error, OSError) else str(error)
    return printable((said or type(error).__name__).lower())


def _read(path: str | Path) -> bytes | str:
    """The bytes, or what the path is instead of a file."""
    # Python would refuse it in other words from one version to the next.
    if "\0" in str(path):
        return "a null character in the path"
    # A pipe that nobody writes to would be waited for, here and at the first byte.
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            return "a socket"
        raise
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        mode = os.fstat(descriptor).st_mode
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), None)
        if kind is not None:
            return kind
        if not stat.S_ISFIFO(mode):
            return file.read(MAX_FILE + 1)
        return _read_pipe(descriptor)


def _read_pipe(descriptor: int) -> bytes | str:
    """As `<(kubectl get ...)` makes one; from the first byte on it is waited for, as standard input is."""
    try:
        first = os.read(descriptor, _CHUNK)
    except BlockingIOError:
        first = None
    if first == b"":
        return "a pipe that nobody writes to"
    os.set_blocking(descriptor, True)
    read, size = [first or b""], len(first or b"")
    while size <= MAX_FILE and (more := os.read(descriptor, _CHUNK)):
        read.append(more)
        size += len(more)
    return b"".join(read)


def _within_limit(raw: bytes, file: str, problems: list[Problem]) -> bytes | None:
    if len(raw) <= MAX_FILE:
        return raw
    expected = f"at most {in_mebibytes(MAX_FILE)} in one file"
    problems.append(Problem("", f"more than {in_mebibytes(MAX_FILE)}", expected, file=file))
    return None

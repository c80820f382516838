"""Files on disk: read within a bound, written whole or not at all, and never one in the place of another."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from tenure.errors import InputError, Problem, bad_input
from tenure.resources import is_folder

UNFINISHED: Final = ".part"
"""How the names of files end that are being written."""
_KINDS: Final = (
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISDIR, "a folder"),
)
_CHUNK: Final = 2**20
_OTHER: Final = "another file"


class NotReadableError(ValueError):
    """A path means something that is not read: `a device`."""


class TooLargeError(ValueError):
    """A file has more bytes than are read."""


@dataclass(slots=True)
class _Used:
    """The files of one command, by device and number; those to be written by their resolved paths too."""

    read: set[tuple[int, int]] = field(default_factory=set)
    written: set[tuple[int, int] | str] = field(default_factory=set)


_USED: ContextVar[_Used | None] = ContextVar("used", default=None)


@contextmanager
def one_command() -> Iterator[None]:
    """What is read and written within is that of one command: no file is both, or written twice."""
    token = _USED.set(_Used())
    try:
        yield
    finally:
        _USED.reset(token)


def read_bytes(path: str | Path, most: int) -> bytes:
    """What a file or a pipe holds. A pipe without a writer is not waited for.

    Args:
        path: the file.
        most: bytes that are read.

    Raises:
        OSError: it cannot be read.
        NotReadableError: it is neither a file nor a pipe.
        TooLargeError: it has more bytes.
        InputError: this command writes it.

    >>> read_bytes("/dev/null", 1)
    Traceback (most recent call last):
    tenure.disk.NotReadableError: a device
    """
    descriptor, mode = _opened(path)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        if stat.S_ISFIFO(mode):
            read = _read_pipe(descriptor, most)
        else:
            # The size is checked before reading; a file of /proc reports 0.
            size = os.fstat(descriptor).st_size
            if size > most:
                raise TooLargeError
            read = file.read(size + 1)
            while len(read) <= most and (more := file.read(_CHUNK)):
                read += more
    if len(read) > most:
        raise TooLargeError
    return read


def open_regular(path: str | Path) -> IO[bytes]:
    """A regular file, open for reading: no pipe or device, which may have no end.

    Raises:
        OSError, NotReadableError, InputError: as `read_bytes`.
    """
    descriptor, mode = _opened(path)
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise NotReadableError("a pipe")
    return os.fdopen(descriptor, "rb")


def open_again(path: str | Path) -> IO[bytes]:
    """A regular file of the user's, open for reading and for more.

    Raises:
        OSError, NotReadableError: as `read_bytes`.
    """
    flags = os.O_RDWR | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotReadableError("no regular file")
    return os.fdopen(descriptor, "r+b")


def open_new(path: str | Path) -> IO[bytes]:
    """A new file, open for reading and writing.

    Raises:
        FileExistsError: it exists, be it as a link that leads nowhere.
        OSError: it cannot be made.
    """
    return Path(path).open("x+b")


def is_same(file: IO[bytes], path: str | Path) -> bool:
    """Whether an open file is still the one that a path means."""
    found = _stat(path)
    return found is not None and os.path.samestat(found, os.fstat(file.fileno()))


def is_users_alone(path: str | Path) -> str:
    """Why another user could have written a file, or replaced it in its folder; empty where none could.

    Raises:
        OSError: it cannot be looked at.
    """
    file = Path(path).resolve()
    # The system's own folders are root's; in a sticky one users replace their own files alone.
    if why := others_can_write(file.stat()):
        return f"it {why}"
    why = others_can_write(file.parent.stat(), users=(0,), sticky=True)
    return why and f"its folder {why}"


def others_can_write(found: os.stat_result, *, users: Sequence[int] = (), sticky: bool = False) -> str:
    """Why another user can write a file, or in a folder; empty where none can.

    Args:
        found: of the file or folder.
        users: whose it may be, beside this process's user.
        sticky: whether it is a folder in which all may write, if each replaces only what is theirs.
    """
    if sys.platform == "win32":  # what protects files there is no mode
        return ""
    if found.st_uid not in (os.geteuid(), *users):
        return f"belongs to user {found.st_uid}, not {os.geteuid()}"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (sticky and found.st_mode & stat.S_ISVTX):
        return f"can be written by others: {stat.filemode(found.st_mode)}"
    return ""


def claim(option: str, path: str | Path | None) -> None:
    """Name a file that will be written, before any work is done for it.

    Args:
        option: which names it, for problems.
        path: the file; None if not requested.

    Raises:
        InputError: its folder does not exist, or it is a file that this command reads or writes already.

    >>> claim("--keep", "absent/kept.jsonl")
    Traceback (most recent call last):
    tenure.errors.InputError: --keep: found 'absent/kept.jsonl', expected a file in a folder that exists
    """
    if path is None:
        return
    if "\0" in str(path) or not is_folder(Path(path).parent):
        raise bad_input(option, str(path), "a file in a folder that exists")
    used = _USED.get()
    if used is None:
        return
    try:
        names = _names(path)
    except OSError as error:
        raise _unwritable(option, path, error) from None
    why = _taken(names, used)
    if why:
        raise bad_input(option, str(path), f"{_OTHER}: {why}")
    used.written |= names


def write_named(option: str, path: str | Path, content: bytes | str) -> None:
    """Write a file that the command line names, as `write_file` does.

    Args:
        option: which names it, for problems.
        path: the file.
        content: bytes, or text.

    Raises:
        InputError: it cannot be written; what was there is as it was.
    """
    try:
        write_file(path, content)
    except OSError as error:
        raise _unwritable(option, path, error) from None


def _unwritable(option: str, path: str | Path, error: OSError) -> InputError:
    return bad_input(option, str(path), f"a file that can be written: {error.strerror}")


def write_file(
    path: str | Path, content: bytes | str, *, durable: bool = True, edits: bool = False, mode: int = 0o666
) -> None:
    """Write a file whole or not at all: a new one takes the place of the old one once it is on disk.

    The old one's mode and, where the system allows it, owner stay. A link is followed, though not out of the
    current folder or its own. A pipe or a device is written to; one that no program reads is not waited for.

    Args:
        path: the file; its folder exists.
        content: bytes, or text that is written as UTF-8, with ? for what that cannot hold.
        durable: whether it is on disk when this returns, also if the power fails; one that is not is the
            command's own, which it may read again.
        edits: whether it is a file that has been read on purpose.
        mode: of a new file, before the user's mask.

    Raises:
        OSError: it cannot be written; what was there is as it was.
        InputError: the command reads that file, or a link leads elsewhere.
    """
    raw = content if isinstance(content, bytes) else content.encode(errors="replace")
    with written_file(path, durable=durable, edits=edits, mode=mode) as file:
        file.write(raw)


@contextmanager
def written_file(
    path: str | Path, *, durable: bool = True, edits: bool = False, mode: int = 0o666
) -> Iterator[IO[bytes]]:
    """As `write_file`, of what is written part by part.

    Raises:
        OSError, InputError: as there.
    """
    before = _stat(path)
    if before is not None and not stat.S_ISREG(before.st_mode):
        with _poured(path) as file:
            yield file
        return
    target = followed(path)
    if not edits:
        _need_unread(path)
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    try:
        with _replaced(target, before, mode, durable=durable) as file:
            yield file
    except OSError as error:
        # Of a full disk the system names no file, and else the unfinished one.
        raise OSError(error.errno, error.strerror, str(path)) from error
    used = _USED.get()
    if durable and used is not None:
        used.written |= _names(target)


def followed(path: str | Path) -> Path:
    """Where a path leads that is written to.

    Raises:
        InputError: a link leads out of the current folder, and of its own.
    """
    named = Path(path)
    if not named.is_symlink():
        return named
    target = named.resolve()
    if not target.is_relative_to(root_of(named.parent)):
        expected = "a file, or a link to one in the current folder or its own"
        raise InputError([Problem("", f"a link to {target}", expected, file=str(path))])
    return target


def root_of(path: str | Path) -> Path:
    """The folder that is not left by links in what is named, nor by the names in it: whoever can write there
    would have files read that only the reader can.

    Args:
        path: a folder that is named, or that of a file that is.

    Returns:
        the current folder, where the path is in it and it is not the root of the file system; else the path.

    >>> root_of(".") == Path.cwd()
    True
    """
    own, here = Path(path).resolve(), Path.cwd()
    return here if own.is_relative_to(here) and here.parent != here else own


def _opened(path: str | Path) -> tuple[int, int]:
    """A descriptor for reading, and the mode of what it is."""
    # Python would refuse it in other words from one version to the next.
    if "\0" in str(path):
        raise NotReadableError("a null character in the path")
    # A pipe that no program writes to would be waited for, here and at the first byte.
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise NotReadableError("a socket") from None
        raise
    found = os.fstat(descriptor)
    kind = next((name for is_kind, name in _KINDS if is_kind(found.st_mode)), None)
    used, number = _USED.get(), (found.st_dev, found.st_ino)
    if kind is not None or (used is not None and number in used.written):
        os.close(descriptor)
        if kind is not None:
            raise NotReadableError(kind)
        # Nor is it written then, be it to report this.
        if used is not None:
            used.read.add(number)
        raise InputError([Problem("", "a file that this command also writes", _OTHER, file=str(path))])
    if used is not None and stat.S_ISREG(found.st_mode):
        used.read.add(number)
    return descriptor, found.st_mode


def _read_pipe(descriptor: int, most: int) -> bytes:
    """As `<(kubectl get ...)` makes one; from the first byte on it is waited for, as standard input is."""
    try:
        first = os.read(descriptor, _CHUNK)
    except BlockingIOError:
        first = None
    if first == b"":
        raise NotReadableError("a pipe without a writer")
    os.set_blocking(descriptor, True)
    read, size = [first or b""], len(first or b"")
    while size <= most and (more := os.read(descriptor, _CHUNK)):
        read.append(more)
        size += len(more)
    return b"".join(read)


def _stat(path: str | Path) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - a path may be no text
    except FileNotFoundError:
        return None


def _names(path: str | Path) -> set[tuple[int, int] | str]:
    found = _stat(path)
    if found is None:
        return {os.path.realpath(path)}
    return {os.path.realpath(path), (found.st_dev, found.st_ino)} if stat.S_ISREG(found.st_mode) else set()


def _taken(names: set[tuple[int, int] | str], used: _Used) -> str:
    if names & used.read or names & _standard(0):
        return "this command reads it"
    if names & used.written:
        return "this command writes it already"
    if names & (_standard(1) | _standard(2)):
        return "standard output or standard error goes there"
    return ""


def _standard(descriptor: int) -> set[tuple[int, int] | str]:
    """The file that a standard stream is, if it is one."""
    with suppress(OSError):
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode):
            return {(found.st_dev, found.st_ino)}
    return set()


def _need_unread(path: str | Path) -> None:
    """What is claimed may be written; of what is not, see that no command reads or prints to it."""
    used = _USED.get()
    if used is None:
        return
    names = _names(path)
    why = "" if names & used.written and not names & used.read else _taken(names, used)
    if why:
        raise InputError([Problem("", f"a file in use: {why}", _OTHER, file=str(path))])


@contextmanager
def _replaced(
    target: Path, before: os.stat_result | None, mode: int, *, durable: bool
) -> Iterator[IO[bytes]]:
    """A new file to write, which takes the place of the old one when the block ends without an error."""
    import secrets  # for those who write: it costs every other start more than all of this module

    made = target.parent / f".{secrets.token_hex(8)}{UNFINISHED}"
    try:
        # The system subtracts the user's mask from the mode.
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(made, flags, mode), "w+b") as file:
            if before is not None and sys.platform != "win32":
                with suppress(OSError):
                    os.fchown(file.fileno(), before.st_uid, before.st_gid)
                os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)
    if durable:
        _sync(target.parent)


def _sync(folder: Path) -> None:
    """Have the names in a folder on disk, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _poured(path: str | Path) -> IO[bytes]:
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if hasattr(os, "set_blocking"):
        os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")

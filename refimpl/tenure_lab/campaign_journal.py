"""The file of finished blocks: what a campaign that was killed goes on from."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from tenure.disk import NotReadableError, is_same, is_users_alone, open_again, open_new, write_file
from tenure.errors import InputError, Problem, bad_input
from tenure.keeping import code
from tenure.manifests.limits import MAX_FILE, MAX_LINE
from tenure.resources import is_there
from tenure.versions import form
from tenure_lab.campaigns import CampaignPlan, Tally, read_plan, read_tally

FORM: Final = form("campaign-journal")
_UNUSED: Final = "a journal that no other campaign writes"


@dataclass(slots=True)
class Journal:
    """A journal that is open for more, by one process at a time.

    Args:
        path: the file.
        plan: of the campaign.
        done: the finished blocks, by number.
        file: held while it is open.
    """

    path: Path
    plan: CampaignPlan
    done: dict[int, Tally]
    file: IO[bytes]

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()

    @property
    def left(self) -> list[int]:
        """The blocks that are still to be done."""
        return [number for number in self.plan.blocks() if number not in self.done]

    def add(self, number: int, tally: Tally) -> None:
        """Write a finished block; when this returns it is on disk.

        Raises:
            InputError: it cannot be written.
        """
        self.done[number] = tally
        _write(self.file, self.path, {"block": number, "tally": tally.written()})

    def whole(self) -> Tally:
        """All finished blocks together, in their order, whatever order they were finished in."""
        whole = Tally()
        for number in sorted(self.done):
            whole.merge(self.done[number])
        return whole


def new_journal(path: Path, plan: CampaignPlan, *, overwrite: bool = False) -> Journal:
    """Begin a journal. One that is overwritten is replaced by another file, once no campaign writes it.

    Raises:
        InputError: the file exists and is not to be overwritten, another campaign writes it, or it cannot be
            written.
    """
    header = {"schema": FORM, "code": code(), "plan": plan.written()}
    try:
        if overwrite and is_there(path):
            return Journal(path, plan, {}, _replaced(path, _line(header)))
        file = open_new(path)
    except FileExistsError:
        expected = f"a file that does not exist; --resume {path} goes on with it, --overwrite starts over"
        raise bad_input("--journal", str(path), expected) from None
    except (OSError, NotReadableError) as error:
        raise bad_input("--journal", str(path), f"a file that can be written: {_why(error)}") from None
    _lock(file, path)
    try:
        _write(file, path, header)
    except InputError:
        path.unlink(missing_ok=True)
        raise
    return Journal(path, plan, {}, file)


def _replaced(path: Path, line: bytes) -> IO[bytes]:
    with open_again(path) as before:
        _lock(before, path)
        write_file(path, line, edits=True)
    file = open_again(path)
    _lock(file, path)
    file.seek(0, os.SEEK_END)
    return file


def resumed_journal(path: Path) -> Journal:
    """Open a journal again. A last line that a kill left unfinished is removed.

    Raises:
        InputError: no journal, one of other code, one that another process writes, or one that another user
            could have written: it names a program, and lists what has been compared.
    """
    try:
        others = is_users_alone(path)
        if others:
            raise bad_input("--resume", str(path), f"a journal that the user alone can write: {others}")
        file = open_again(path)
    except (OSError, NotReadableError) as error:
        raise bad_input("--resume", str(path), f"a campaign's journal: {_why(error)}") from None
    try:
        _lock(file, path)
        plan, done, end = _read(file, path)
        file.truncate(end)
        file.seek(end)
    except InputError:
        file.close()
        raise
    return Journal(path, plan, done, file)


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _read(file: IO[bytes], path: Path) -> tuple[CampaignPlan, dict[int, Tally], int]:
    lines = _whole_lines(file)
    try:
        header, end = next(lines)
        found_form = header["schema"]
        if found_form == FORM:
            by, plan = header["code"], read_plan(header["plan"])
    except (StopIteration, ValueError, KeyError, TypeError):
        raise _bad(path, 1, "no header", "the first line of a campaign's journal") from None
    if found_form != FORM:
        raise _bad(path, 1, repr(found_form), FORM, "schema")
    if by != code():
        expected = f"{code()}: blocks that other code decided say nothing about this one; begin a new journal"
        raise _bad(path, 1, f"code {by}", expected, "code")
    done: dict[int, Tally] = {}
    number = 1
    try:
        for entry, after in lines:
            done[_block_of(entry, plan)] = read_tally(entry["tally"])
            end = after
            number += 1
    except (ValueError, KeyError, TypeError):
        raise _bad(path, number + 1, "no finished block", "what a campaign writes") from None
    return plan, done, end


def _block_of(entry: Any, plan: CampaignPlan) -> int:
    """The number of the block that a line has.

    Raises:
        ValueError: the campaign has no such block.
    """
    number = entry["block"]
    if type(number) is not int or number < 0 or not plan.indices(number):
        raise ValueError(f"no block {number!r}")
    return number


def _whole_lines(file: IO[bytes]) -> Iterator[tuple[Any, int]]:
    """Every line that was written whole, with where it ends.

    Raises:
        ValueError: a line is longer, or the file larger, than any that is written.
    """
    end = 0
    while line := file.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE or end > MAX_FILE:
            raise ValueError("too large")
        if not line.endswith(b"\n"):
            return
        end += len(line)
        yield json.loads(line), end


def _write(file: IO[bytes], path: Path, entry: Any) -> None:
    try:
        file.write(_line(entry))
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        # Closing writes once more what could not be written.
        with suppress(OSError):
            file.close()
        expected = f"room for what is finished; --resume {path} goes on where there is: {error.strerror}"
        raise bad_input("--journal", str(path), expected) from None


def _line(entry: Any) -> bytes:
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False).encode(errors="replace") + b"\n"


def _lock(file: IO[bytes], path: Path) -> None:
    if os.name != "posix":
        return  # nothing there distinguishes two writers
    fcntl = importlib.import_module("fcntl")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        locked = False
    else:
        # Whoever held it may have put another file in its place.
        locked = is_same(file, path)
    if not locked:
        file.close()
        raise InputError([Problem("--journal", f"{str(path)!r}, which is in use", _UNUSED)])


def _bad(path: Path, line: int, found: str, expected: str, field: str = "") -> InputError:
    return InputError([Problem(f"line {line}{field and ': '}{field}", found, expected, file=str(path))])

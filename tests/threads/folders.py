"""The folders, their commands and their answers."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.command_line import tenure

HERE = Path(__file__).resolve().parent
PROMPT = "$ "


@dataclass(frozen=True)
class Thread:
    """A thread's folder."""

    folder: Path

    @property
    def number(self) -> int:
        """The thread's number in kubernetes-sigs/kueue."""
        return int(self.folder.name.removeprefix("kueue-"))

    @property
    def recorded(self) -> str:
        """What `answer.txt` holds."""
        return (self.folder / "answer.txt").read_text(encoding="utf-8")

    @property
    def command(self) -> str:
        """The command that answers the question."""
        first = self.recorded.partition("\n")[0]
        assert first.startswith(f"{PROMPT}tenure "), f"{self.folder.name}: the first line is {first!r}"
        return first.removeprefix(PROMPT)

    @property
    def arguments(self) -> list[str]:
        """What the command gives to `tenure`."""
        return shlex.split(self.command)[1:]

    def option(self, *names: str) -> str:
        """The value of an option of the command."""
        (value,) = [
            value for name, value in zip(self.arguments, self.arguments[1:], strict=False) if name in names
        ]
        return value

    def said(self) -> str:
        """What the command prints now, as `answer.txt` holds it."""
        done = tenure(*self.arguments, cwd=self.folder)
        assert done.returncode == 0, f"{self.folder.name}: {self.command}: {done.stderr.decode()}"
        return f"{PROMPT}{self.command}\n{done.stdout.decode()}"


def threads() -> list[Thread]:
    """All of them, by number."""
    return sorted((Thread(folder) for folder in HERE.glob("kueue-*")), key=lambda thread: thread.number)

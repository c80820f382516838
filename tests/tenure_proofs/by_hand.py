"""Mistakes in the sources made by hand, each with what must notice it.

`by_hand.toml` holds them: the place in the sources, right and wrong; what would be seen; and what must notice
it, by name: `vector <id>`, `scenario <name>`, `bounded <postcondition>` or `test <file or node id>`. Nothing
else is asked about it, in a process that was forked for it alone and has the mistake in memory only: no file
is written. A mistake that changes no answer says why instead, as `equivalent`. What must notice a mistake and
does not ends the script with 1. Before that, all of it is asked of the sources as they are, and is content.

  python -m tests.tenure_proofs.by_hand
  python -m tests.tenure_proofs.by_hand --only timer
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.tenure_proofs.asking import Asked, AskingError, each_apart, limit_memory, measured
from tests.tenure_proofs.sources import FOLDERS, swap
from tests.tenure_proofs.trees import ROOT

LIST = Path(__file__).with_name("by_hand.toml")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong place of a source.

    Args:
        name: what is wrong, in words.
        file: below `refimpl`.
        before, after: the place's text, right and wrong; it is in the file once.
        seen: what somebody would see of it.
        by: what must notice it, each alone; empty for one that changes no answer.
        equivalent: why it changes no answer; empty for one that does.
    """

    name: str
    file: str
    before: str
    after: str
    seen: str
    by: tuple[str, ...] = ()
    equivalent: str = ""

    @property
    def area(self) -> str:
        """Where it is."""
        file = f"refimpl/{self.file}"
        return next((area for area, folder in FOLDERS.items() if file.startswith(f"{folder}/")), "")

    def wrong(self) -> str:
        """The file's text with the mistake.

        Raises:
            ValueError: the place is not there, or not once.
        """
        text = (ROOT / "refimpl" / self.file).read_text(encoding="utf-8")
        if (found := text.count(self.before)) != 1:
            raise ValueError(
                f"{LIST.name}, {self.name!r}: before: {self.before!r} occurs {found} times in {self.file},"
                " expected once; if the source has changed, so must the mistake"
            )
        return text.replace(self.before, self.after)


def mistakes() -> list[Mistake]:
    """All of them.

    Raises:
        ValueError: an entry that is not whole.
    """
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))["mistake"]
    return [_mistake(entry) for entry in listed]


def _mistake(entry: dict[str, object]) -> Mistake:
    by = entry.pop("by", [])
    mistake = Mistake(by=tuple(by), **entry)  # type: ignore[arg-type] # the next lines look at what it holds
    if bool(mistake.by) == bool(mistake.equivalent) or mistake.area not in FOLDERS:
        raise ValueError(
            f"{LIST.name}, {mistake.name!r}: expected either `by` or `equivalent`, and a file of"
            f" {' or '.join(FOLDERS)}"
        )
    return mistake


def said_by_each(mistake: Mistake, asked: Asked) -> list[tuple[str, str]]:
    """Each of what must notice a mistake, with what it says; that is empty where it notices nothing.

    Args:
        mistake: the mistake; it is made in this process, which is of no other use then.
        asked: what can be asked.
    """
    swap(f"refimpl/{mistake.file}", mistake.wrong())
    limit_memory()
    return [(name, str(asked.first(mistake.area, [name]) or "")) for name in mistake.by]


def told(mistake: Mistake, said: Sequence[tuple[str, str]]) -> str:
    """A mistake and what became of it, for people."""
    if mistake.equivalent:
        return f"equivalent  {mistake.name}\n    {' '.join(mistake.equivalent.split())}"
    ended = "noticed" if all(text for _, text in said) else "MISSED"
    lines = [f"    {text}" if text else f"    {by} notices nothing" for by, text in said]
    return "\n".join((f"{ended:10}  {mistake.name}", *lines))


def main() -> int:
    """Make each, ask, print; 1 where something is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.tenure_proofs.by_hand",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="", help="mistakes whose name contains this (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    options = parser.parse_args()
    try:
        return _make([mistake for mistake in mistakes() if options.only in mistake.name], options.jobs)
    except (AskingError, ValueError) as error:
        parser.error(str(error))


def _make(chosen: Sequence[Mistake], jobs: int) -> int:
    asked = measured(Asked(), [(mistake.area, by) for mistake in chosen for by in mistake.by])
    missed = 0
    answers = each_apart([partial(said_by_each, mistake, asked) for mistake in chosen], jobs)
    for mistake, said in zip(chosen, answers, strict=True):
        print(told(mistake, said), flush=True)
        missed += not all(text for _, text in said)
    print(f"{len(chosen)} mistakes made, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Operators of the sources changed at random, one at a time: something must notice every one.

A changed operator is a comparison with another operator or one off, a connective exchanged or without one of
its parts, a condition negated, a sum with another operator, or a call with its arguments exchanged. As many
are drawn in each area. What is asked, one question after the other, and only of changes that nothing has
noticed so far:

  the vectors                                             of rules and oracle
  `tenure prove` on a copy of the tree in which the       of rules
  file is changed: the obligation that kills the same
  mutant in this process, those that name its rule, all
  the optimized core on drawn scenarios                   of rules and oracle
  the scenarios over time                                 of all three
  the tests of the area                                   of oracle and simulation
  the postconditions of every bounded cluster             of rules and oracle

No file of the checkout is written: what is not asked of a copy is asked of a process that was forked for one
change and has it in memory only. A case that takes far longer than it takes on the unchanged sources counts
as noticed: it does not end. What nothing notices has to be judged by a person: `judged.toml` lists what may
stay, with the reason. Anything else that escapes ends the script with 1.

  python -m tests.tenure_proofs.fifty --n 200 --seed 1
  python -m tests.tenure_proofs.fifty --n 20 --areas oracle --within fair.py
"""

from __future__ import annotations

import argparse
import ast
import inspect
import random
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from tenure.readings import preset_names
from tenure.rules.registry import all_rules
from tenure_proofs.bounded.spaces import Size
from tenure_proofs.mutants.hunt import all_mutants, hunt_one, is_equivalent
from tenure_proofs.mutants.mutant import Mutant, mutants_of, source_of
from tenure_proofs.obligations import OBLIGATIONS
from tests.tenure_proofs.asking import (
    MEETS,
    QUESTIONS,
    Asked,
    AskingError,
    each_apart,
    limit_memory,
    measured,
)
from tests.tenure_proofs.sources import FOLDERS, OPERATORS, Edit, edit_at, edits_of, swap
from tests.tenure_proofs.trees import ROOT, copied_tree, tenure

ALONE = ("prove", "--no-mutants", "--no-cache", "--examples", "5", "--jobs", "1", "--solver", "z3")
"""Wherever Z3 alone is not content, both solvers together are not either."""
JUDGED = Path(__file__).with_name("judged.toml")
AREAS = ("rules", *FOLDERS)
ESCAPED = "ESCAPED"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A change that was drawn.

    Args:
        edit: what is changed in the sources.
        mutant: the same as a mutant of a rule; None elsewhere.
    """

    edit: Edit
    mutant: Mutant | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a change ended.

    Args:
        outcome: `noticed`, `does not end`, `equivalent` where a solver proves it, `judged` or `ESCAPED`.
        by: what noticed it, or why it may stay.
        seconds: how long the question took that noticed it.
    """

    outcome: str
    by: str
    seconds: float = 0.0


def changes() -> list[Mutant]:
    """Every change of an operator of a lifted rule."""
    lifted = [entry for entry in all_rules() if entry.lift]
    return [mutant for entry in lifted for mutant in mutants_of(entry.id, entry.function, OPERATORS)]


def edit_of(mutant: Mutant) -> Edit:
    """The change of a rule's file that makes a mutant."""
    node = list(ast.walk(source_of(mutant.function)))[mutant.place]
    assert isinstance(node, ast.expr)
    file = Path(inspect.getfile(mutant.function)).resolve().relative_to(ROOT).as_posix()
    above = mutant.function.__code__.co_firstlineno - 1
    return edit_at("rules", file, mutant.function.__name__, node, mutant.after, above)


def drawable(area: str) -> list[Drawn]:
    """Every change of an area."""
    if area == "rules":
        return [Drawn(edit_of(mutant), mutant) for mutant in changes()]
    return [Drawn(edit) for edit in edits_of(area)]


def drawn(number: int, seed: int, areas: Sequence[str], within: str = "") -> list[Drawn]:
    """Changes drawn at random, as many of each area, as far as it has so many.

    Args:
        number: how many in all.
        seed: what they are drawn from.
        areas: see `AREAS`.
        within: what the file's name contains.
    """
    chosen: list[Drawn] = []
    for position, area in enumerate(areas):
        dice = random.Random(f"{seed} {area}")  # an area alone is drawn as it is beside others
        every = [change for change in drawable(area) if within in change.edit.file]
        share = number // len(areas) + (position < number % len(areas))
        chosen += dice.sample(every, min(share, len(every)))
    return chosen


@cache
def judged() -> Mapping[tuple[str, str, str, str], str]:
    """Why changes that nothing notices may stay, by file, function, right and wrong source.

    Raises:
        ValueError: an entry that is not whole, or is there twice.
    """
    found: dict[tuple[str, str, str, str], str] = {}
    for entry in tomllib.loads(JUDGED.read_text(encoding="utf-8")).get("change", []):
        if set(entry) != {"file", "function", "before", "after", "reason"} or not entry["reason"].strip():
            raise ValueError(
                f"{JUDGED.name}: {entry!r} needs file, function, before, after and reason, and no more"
            )
        change = entry["file"], entry["function"], entry["before"], entry["after"]
        if change in found:
            raise ValueError(f"{JUDGED.name}: {change!r} is judged twice")
        found[change] = " ".join(entry["reason"].split())
    return found


def noticed_by_proofs(mutant: Mutant, tree: Path) -> Ended | None:
    """How a change of a rule ended where `tenure prove` was asked; None where it is content.

    Args:
        mutant: the change.
        tree: a copy of the tree; it is as it was afterwards.
    """
    edit = edit_of(mutant)
    file = tree / edit.file
    text = file.read_text(encoding="utf-8")
    file.write_text(edit.changed(text), encoding="utf-8")
    try:
        for asked in _questions(mutant):
            done = tenure(*ALONE, *asked, root=tree, limit_s=3600)
            if done.returncode != 0:
                said = [line for line in done.stdout.splitlines() if line.startswith(("FAIL", "  FAIL"))]
                by = (said or done.stderr.splitlines() or [""])[0].strip()
                return Ended("noticed", f"prove ends with {done.returncode}: {by}")
    finally:
        file.write_text(text, encoding="utf-8")
    return Ended("equivalent", "proved the same as the rule") if is_equivalent(mutant) else None


def _questions(mutant: Mutant) -> Iterator[tuple[str, ...]]:
    """What to ask of the changed tree, the cheapest first; nothing where a solver calls it the same tree."""
    same = next(known.id for known in all_mutants().values() if _is_same(known, mutant))
    hunted = hunt_one(same, tuple(OBLIGATIONS.values()), preset_names())
    if hunted.outcome == "equivalent":
        return
    if hunted.outcome == "killed":
        obligation, _, rest = hunted.by.partition(" under ")
        yield "--only", obligation, "--reading", rest.partition(":")[0]
    yield "--only", mutant.rule
    yield ()


def _is_same(mutant: Mutant, other: Mutant) -> bool:
    return (mutant.rule, mutant.place, mutant.after) == (other.rule, other.place, other.after)


def noticed(change: Drawn, question: str, asked: Asked) -> Ended | None:
    """How a change ended where one question notices it; this process is of no other use afterwards.

    Args:
        change: the change.
        question: of `QUESTIONS`.
        asked: what is asked then, of nothing else.
    """
    started = time.perf_counter()
    found = _noticed_in_a_copy(change) if question == "prove" else _noticed_in_memory(change.edit, asked)
    return None if found is None else replace(found, seconds=time.perf_counter() - started)


def _noticed_in_a_copy(change: Drawn) -> Ended | None:
    assert change.mutant is not None
    with tempfile.TemporaryDirectory() as folder:
        return noticed_by_proofs(change.mutant, copied_tree(Path(folder) / "tree"))


def _noticed_in_memory(edit: Edit, asked: Asked) -> Ended | None:
    swap(edit.file, edit.changed((ROOT / edit.file).read_text(encoding="utf-8")))
    limit_memory()
    found = asked.first(edit.area, changed=(edit.file, edit.function))
    if found is None:
        return None
    return Ended("does not end" if found.question == "does not end" else "noticed", str(found))


def meets(question: str, change: Drawn) -> bool:
    """Whether a question can notice a change at all."""
    return change.mutant is not None if question == "prove" else question in MEETS[change.edit.area]


def told(number: int, change: Drawn, found: Ended) -> str:
    """A change and how it ended, for people."""
    edit = change.edit
    head = f"{number:3} {found.outcome:12} {found.seconds:6.1f} s  {edit.place}"
    return f"{head}: {edit.before} -> {edit.after}" + (f"\n    {found.by}" if found.by else "")


def options() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.tenure_proofs.fifty",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--n", type=int, default=50, help="how many changes in all (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="which changes, and which scenarios (default: 1)")
    parser.add_argument("--areas", default=",".join(AREAS), help="where, with commas (default: all three)")
    parser.add_argument("--within", default="", help="only in files whose name contains this")
    parser.add_argument(
        "--ask", default=",".join(QUESTIONS), help=f"only these (default: {','.join(QUESTIONS)})"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--scenarios", type=int, default=4000, help="drawn for the optimized core (default: 4000)"
    )
    parser.add_argument(
        "--bounded", type=Size, default=Size.USUAL, help="small, usual or deep clusters (default: usual)"
    )
    return parser


def main() -> int:
    """Change, ask, print; 1 when something escaped."""
    parser = options()
    asked = parser.parse_args()
    for option, known in (("areas", AREAS), ("ask", QUESTIONS)):
        if unknown := [part for part in getattr(asked, option).split(",") if part not in known]:
            parser.error(f"--{option}: found {', '.join(unknown)}, expected some of {', '.join(known)}")
    try:
        return _change(asked)
    except (AskingError, ValueError) as error:
        parser.error(str(error))


def _change(asked: argparse.Namespace) -> int:
    chosen = dict(enumerate(drawn(asked.n, asked.seed, asked.areas.split(","), asked.within), 1))
    ends: dict[int, Ended] = {}
    for question in QUESTIONS:
        left = {
            number: change
            for number, change in chosen.items()
            if number not in ends and meets(question, change)
        }
        if left and question in asked.ask.split(","):
            ends.update(_asked_about(left, question, asked))
    for number in sorted(chosen.keys() - ends.keys()):
        reason = judged().get(chosen[number].edit.change)
        ends[number] = Ended(ESCAPED, "") if reason is None else Ended("judged", reason)
        print(told(number, chosen[number], ends[number]), flush=True)
    outcomes = Counter(end.outcome for end in ends.values())
    counted = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    print(f"\n{len(chosen)} operators changed (seed {asked.seed}): {counted}; {outcomes[ESCAPED]} escaped")
    return 1 if outcomes[ESCAPED] else 0


def _asked_about(left: Mapping[int, Drawn], question: str, asked: argparse.Namespace) -> dict[int, Ended]:
    """How those changes ended that a question notices, once the sources as they are have passed it."""
    made = Asked(asked.seed, asked.scenarios if question == "core" else 0, asked.bounded, (question,))
    if question != "prove":
        # A rule is asked about as the oracle is, but for its tests.
        areas = {drawn.edit.area.replace("rules", "oracle") for drawn in left.values()}
        made = measured(made, [(area, "") for area in sorted(areas)])
    started = [partial(noticed, drawn, question, made) for drawn in left.values()]
    answers = each_apart(started, asked.jobs, died=partial(Ended, "noticed"))
    ends: dict[int, Ended] = {}
    for number, found in zip(left, answers, strict=True):
        if found is not None:
            print(told(number, left[number], found), flush=True)
            ends[number] = found
    return ends


if __name__ == "__main__":
    sys.exit(main())

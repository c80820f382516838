"""Operators of the sources changed at random, one at a time: something must notice every one.

A changed operator is a comparison with another operator or one off, a connective exchanged or without one of
its parts, a condition negated, a sum with another operator, or a call with its arguments exchanged. As many
are drawn in each area. What is asked, the cheapest first:

  rules      the vectors; `tenure prove` on a copy of the tree in which the file is changed: the obligation
             that kills the same mutant in this process, those that name its rule, all of them; then as of the
             oracle
  oracle     the vectors, the optimized core on drawn scenarios, the scenarios over time, the tests of the
             oracle, the postconditions of every bounded cluster
  timeline   the scenarios over time, the tests of the timeline; nothing else meets it

No file of the checkout is written: what is not asked of a copy is asked of a process that was forked for one
change and has it in memory only. A case that takes far longer than it takes on the unchanged sources counts
as noticed: it does not end. What nothing notices has to be judged by somebody: `judged.toml` lists what may
stay, with the reason. Anything else that escapes ends the script with 1.

  python -m tests.proofs.fifty --n 200 --seed 1
  python -m tests.proofs.fifty --n 20 --areas oracle --within fair.py
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from tenure.readings import preset_names
from tenure.rules.registry import all_rules
from tenure_proofs.bounded.spaces import Size
from tenure_proofs.mutants.hunt import all_mutants, hunt_one, is_equivalent
from tenure_proofs.mutants.mutant import Mutant, mutants_of, source_of
from tenure_proofs.obligations import OBLIGATIONS
from tests.proofs.asking import MEETS, QUESTIONS, Asked, AskingError, each_apart, limit_memory, measured
from tests.proofs.sources import FOLDERS, OPERATORS, Edit, edit_at, edits_of, swap
from tests.proofs.trees import ROOT, copied_tree, tenure

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
        seconds: how long that took.
    """

    outcome: str
    by: str
    seconds: float = 0.0


def changes() -> list[Mutant]:
    """Every change of an operator of a lifted rule."""
    lifted = [entry for entry in all_rules() if entry.lift]
    return [each for entry in lifted for each in mutants_of(entry.id, entry.function, OPERATORS)]


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
        every = [each for each in drawable(area) if within in each.edit.file]
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
    same = next(each.id for each in all_mutants().values() if _is_same(each, mutant))
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


def ended(change: Drawn, asked: Asked) -> Ended:
    """How a change ended.

    Args:
        change: the change.
        asked: what is asked.
    """
    started = time.perf_counter()
    for stage in _stages(change, asked):
        # Each in a process of its own: what it changes in memory, and what it sets as a limit, ends with it.
        found = next(each_apart([stage], jobs=1, died=partial(Ended, "noticed")))
        if found is not None:
            return replace(found, seconds=time.perf_counter() - started)
    reason = judged().get(change.edit.change)
    outcome, by = (ESCAPED, "") if reason is None else ("judged", reason)
    return Ended(outcome, by, time.perf_counter() - started)


def _stages(change: Drawn, asked: Asked) -> Iterator[Callable[[], Ended | None]]:
    """What is asked of a change; proofs are dearer than the vectors, and cheaper than all the rest."""
    if change.mutant is None or "prove" not in asked.questions:
        yield partial(noticed_in_memory, change.edit, asked, asked.questions)
        return
    yield partial(noticed_in_memory, change.edit, asked, ("vector",))
    yield partial(noticed_in_a_copy, change.mutant)
    others = tuple(each for each in asked.questions if each != "vector")
    yield partial(noticed_in_memory, change.edit, asked, others)


def noticed_in_a_copy(mutant: Mutant) -> Ended | None:
    """As `noticed_by_proofs`, of a copy that is made for it."""
    with tempfile.TemporaryDirectory() as folder:
        return noticed_by_proofs(mutant, copied_tree(Path(folder) / "tree"))


def noticed_in_memory(edit: Edit, asked: Asked, questions: Sequence[str]) -> Ended | None:
    """What notices a change that this process makes in its memory, after which it is of no other use.

    Args:
        edit: the change.
        asked: what can be asked.
        questions: what is asked of that.
    """
    swap(edit.file, edit.changed((ROOT / edit.file).read_text(encoding="utf-8")))
    limit_memory()
    chosen = tuple(each for each in asked.questions if each in questions)
    noticed = replace(asked, questions=chosen).first(edit.area, changed=(edit.file, edit.function))
    if noticed is None:
        return None
    return Ended("does not end" if noticed.question == "does not end" else "noticed", str(noticed))


def told(number: int, change: Drawn, found: Ended) -> str:
    """A change and how it ended, for people."""
    edit = change.edit
    head = f"{number:3} {found.outcome:12} {found.seconds:6.1f} s  {edit.place}"
    return f"{head}: {edit.before} -> {edit.after}" + (f"\n    {found.by}" if found.by else "")


def options() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.proofs.fifty",
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
        if unknown := [each for each in getattr(asked, option).split(",") if each not in known]:
            parser.error(f"--{option}: found {', '.join(unknown)}, expected some of {', '.join(known)}")
    try:
        return _change(asked)
    except (AskingError, ValueError) as error:
        parser.error(str(error))


def _change(asked: argparse.Namespace) -> int:
    areas = asked.areas.split(",")
    chosen = drawn(asked.n, asked.seed, areas, asked.within)
    questions = _measured(asked, areas)
    started = [partial(ended, each, questions) for each in chosen]
    answers = each_apart(started, asked.jobs, died=partial(Ended, "noticed"))
    escaped: list[str] = []
    outcomes: Counter[str] = Counter()
    for number, (change, found) in enumerate(zip(chosen, answers, strict=True), 1):
        print(told(number, change, found), flush=True)
        outcomes[found.outcome] += 1
        if found.outcome == ESCAPED:
            escaped.append(told(number, change, found))
    counted = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    print(f"\n{len(chosen)} operators changed (seed {asked.seed}): {counted}; {len(escaped)} escaped")
    print("\n".join(escaped))
    return 1 if escaped else 0


def _measured(asked: argparse.Namespace, areas: Sequence[str]) -> Asked:
    """What is asked, once the sources as they are have passed it."""
    questions = tuple(asked.ask.split(","))
    scenarios = asked.scenarios if "core" in questions and areas != ["timeline"] else 0
    met = [area for area in ("oracle", "timeline") if area in areas]
    if "rules" in areas and "oracle" not in areas:
        met.append("oracle")  # a rule is asked about as the oracle is, but for its tests
    made = Asked(asked.seed, scenarios, asked.bounded, questions)
    return measured(made, [(area, "") for area in met if set(questions) & set(MEETS[area])])


if __name__ == "__main__":
    sys.exit(main())

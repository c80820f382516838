"""Random operators of rules changed in the sources, one at a time: `tenure prove` must notice every one.

`python -m tests.proofs.fifty --n 50 --seed 1` works on a copy of the tree. A change is asked about first with
the one obligation that kills the same mutant in this process, then with those that name its rule, since
whatever fails there fails a whole run; only then with all of them. One that is proved equivalent to the rule
is no change, and nothing is asked. Any other that no run notices ends the script with 1.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tenure.readings import preset_names
from tenure.rules.registry import all_rules
from tenure_proofs.mutants.comparisons import off_by_one_changes, operator_changes
from tenure_proofs.mutants.forms import form_changes
from tenure_proofs.mutants.hunt import all_mutants, hunt_one, is_equivalent
from tenure_proofs.mutants.mutant import Mutant, mutants_of, source_of
from tenure_proofs.obligations import OBLIGATIONS
from tests.proofs.trees import ROOT, copied_tree, tenure

OPERATORS = (operator_changes, off_by_one_changes, form_changes)
ALONE = ("prove", "--no-mutants", "--no-cache", "--examples", "5", "--jobs", "1", "--solver", "z3")
"""Wherever Z3 alone is not content, both solvers together are not either."""


def changes() -> list[Mutant]:
    """Every change of an operator of a lifted rule."""
    lifted = [entry for entry in all_rules() if entry.lift]
    return [each for entry in lifted for each in mutants_of(entry.id, entry.function, OPERATORS)]


def file_of(mutant: Mutant) -> Path:
    """The rule's file, below the root."""
    return Path(inspect.getfile(mutant.function)).resolve().relative_to(ROOT)


def changed_text(mutant: Mutant, text: str) -> str:
    """A file's text with the place changed."""
    node = list(ast.walk(source_of(mutant.function)))[mutant.place]
    assert isinstance(node, ast.expr)
    assert node.end_lineno is not None
    first = mutant.function.__code__.co_firstlineno - 1
    lines = text.splitlines(keepends=True)
    rows = [row.encode() for row in lines[first + node.lineno - 1 : first + node.end_lineno]]
    before, after = rows[0][: node.col_offset], rows[-1][node.end_col_offset :]
    whole = (before + f"({mutant.after})".encode() + after).decode()
    return "".join((*lines[: first + node.lineno - 1], whole, *lines[first + node.end_lineno :]))


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


def noticed(mutant: Mutant, tree: Path) -> tuple[str, str]:
    """How the change ended, and the line that says so."""
    file = tree / file_of(mutant)
    text = file.read_text(encoding="utf-8")
    file.write_text(changed_text(mutant, text), encoding="utf-8")
    try:
        for asked in _questions(mutant):
            done = tenure(*ALONE, *asked, root=tree, limit_s=3600)
            if done.returncode != 0:
                said = [line for line in done.stdout.splitlines() if line.startswith(("FAIL", "  FAIL"))]
                return f"exit {done.returncode}", (said or done.stderr.splitlines() or [""])[0].strip()
    finally:
        file.write_text(text, encoding="utf-8")
    return ("equivalent", "proved the same as the rule") if is_equivalent(mutant) else ("MISSED", "")


def table(chosen: list[Mutant], tree: Path) -> Iterator[bool]:
    """Print a row for each change; yields whether it is missed."""
    for number, mutant in enumerate(chosen, 1):
        started = time.perf_counter()
        outcome, by = noticed(mutant, tree)
        seconds = time.perf_counter() - started
        print(f"{number:3} {mutant.id:15} {outcome:10} {seconds:6.1f} s  {mutant.before} -> {mutant.after}")
        print(f"    {by}", flush=True)
        yield outcome == "MISSED"


def main() -> int:
    """Change, ask, print; 1 when something was missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=50, help="how many changes")
    parser.add_argument("--seed", type=int, default=1, help="which")
    asked = parser.parse_args()
    chosen = random.Random(asked.seed).sample(changes(), asked.n)
    with tempfile.TemporaryDirectory() as folder:
        missed = list(table(chosen, copied_tree(Path(folder) / "tree")))
    print(f"{len(missed)} operators changed (seed {asked.seed}), {sum(missed)} missed")
    return 1 if any(missed) else 0


if __name__ == "__main__":
    sys.exit(main())

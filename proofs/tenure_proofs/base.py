"""What has to be believed, as a reading list: `python -m tenure_proofs.base`.

It is what the runner imports, without the rules, which are what is proved; without the obligations, which are
what is claimed; and without checks that can only refuse a verdict. Lines are counted as code, without
comments, docstrings and empty lines. `--write` puts the list into the page "What is trusted".
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import io
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tenure.disk import write_file
from tenure_proofs.fingerprints import OURS, file_of

BEGIN = (
    "tenure_proofs.runner",
    "tenure_proofs.cvc5_worker",
    "tenure_proofs.theorems.proving",
    "tenure_proofs.trusted.ancestors",
    "tenure_proofs.trusted.bits",
    "tenure_proofs.trusted.defined",
    "tenure_proofs.trusted.logic",
    "tenure_proofs.trusted.procedures",
    "tenure_proofs.trusted.schemas",
    "tenure_proofs.trusted.specified",
    "tenure_proofs.trusted.transitions",
    "tenure_proofs.trusted.writers",
)
"""What asks, what talks to the second solver, what statements are made of."""

PROVED = (
    "tenure.rules.eligibility",
    "tenure.rules.hero_rank",
    "tenure.rules.hero_targets",
    "tenure.rules.registry",
    "tenure.oracle.door",
)
"""What is proved: it is not looked into."""

CHECKS = (
    "tenure.conformance.protocol",
    "tenure_proofs.bridge",
    "tenure_proofs.counterexamples",
    "tenure_proofs.models",
    "tenure_proofs.stating",
    "tenure_proofs.vacuity",
)
"""What can only refuse a verdict: the second lifter, replays, counterexamples, guarded statements."""

READING = {
    "tenure_proofs.trusted.domains": (
        "It says which values an argument ranges over; a claim says nothing about others."
    ),
    "tenure_proofs.trusted.symbols": (
        "It says what Python's operators do with symbolic values, as solver terms."
    ),
    "tenure_proofs.trusted.source": (
        "It finds a function's source, and must refuse a source that is not the code that runs."
    ),
    "tenure_proofs.trusted.shapes": (
        "It holds a function's result as solver terms: a number, None, a record."
    ),
    "tenure_proofs.trusted.ast_lifter": (
        "It translates Python's syntax to formulas. Every formula in a claim comes from here."
    ),
    "tenure_proofs.trusted.logic": (
        "It defines the connectives of statements: a wrong `implies` would change every claim."
    ),
    "tenure_proofs.trusted.claim": (
        "It collects a claim's facts and goals, and lifts each call with that claim's arguments."
    ),
    "tenure_proofs.trusted.schemas": (
        "It states induction: a start and one arbitrary step give any number of steps."
    ),
    "tenure_proofs.trusted.ancestors": (
        "It states the axioms of a tree, and how two ClusterQueues are related in it."
    ),
    "tenure_proofs.trusted.transitions": (
        "It states what an eviction and a reservation write, and how a queue is sorted."
    ),
    "tenure_proofs.trusted.loops": (
        "It reads a loop's first state, order, step and stop from its source, and must refuse other orders."
    ),
    "tenure_proofs.trusted.induction": (
        "It says what has to be shown so that something holds after any number of a loop's steps."
    ),
    "tenure_proofs.trusted.procedures": (
        "It reads functions of many statements: loops by their invariants, and that indices are in range."
    ),
    "tenure_proofs.trusted.specified": (
        "It makes what may be used at a call, and what has to be shown there, from the function's theorem."
    ),
    "tenure_proofs.trusted.defined": (
        "It says when a definition is none by itself, and what shows that something holds of every number."
    ),
    "tenure_proofs.trusted.bits": (
        "It reads functions that pack fields into one number, and must refuse whatever branches."
    ),
    "tenure_proofs.trusted.writers": (
        "It finds the functions that may write an attribute by names, and must refuse what these do not show."
    ),
    "tenure_proofs.registry": "It says which obligations exist, and which verdict each must have.",
    "tenure_proofs.runner": (
        "It asks for values that satisfy the facts and break a goal, and turns the answers into a verdict."
    ),
    "tenure_proofs.theorems.proving": (
        "It asks about every part of an induction, and whether its hypotheses contradict each other."
    ),
    "tenure_proofs.asked": "It reuses an answer, which is right only for the very same question.",
    "tenure_proofs.solvers": "It gives that question to Z3, and its text to cvc5.",
    "tenure_proofs.cvc5_worker": "It runs cvc5 on that text, and returns what cvc5 says.",
    "tenure_proofs.budgets": (
        "It limits a solver's work. A limit that is too low gives `unknown`, never a proof."
    ),
    "tenure.processes": "It starts the process of cvc5.",
    "tenure.readings": "It says what each reading chooses; a claim is proved under one reading.",
    "tenure.resources": "It finds the file of readings.",
    "tenure.errors": "It defines the error for a reading that does not exist.",
}
"""Every module, in the order in which to read them, and why it must be believed."""

LIFTER_AND_LOGIC = tuple(READING)[: tuple(READING).index("tenure_proofs.trusted.claim") + 1]
"""From Python to formulas, and from formulas to claims."""

LOOPS = (
    "tenure_proofs.trusted.loops",
    "tenure_proofs.trusted.induction",
    "tenure_proofs.theorems.proving",
)
"""What theorems about loops rest on beside all the others; no verdict about an obligation rests on it."""

PROCEDURES = (
    "tenure_proofs.trusted.procedures",
    "tenure_proofs.trusted.specified",
    "tenure_proofs.trusted.defined",
    "tenure_proofs.trusted.bits",
    "tenure_proofs.trusted.writers",
)
"""What theorems about functions of many statements, and the lemma about order keys, rest on beside these."""

UNSEEN = ("import_module", "__import__", "run_module", "run_path")
"""What imports a module that no source shows."""

PAGE = "docs/explanation/what-is-trusted.md"
FIRST, LAST = "<!-- python -m tenure_proofs.base --write -->\n", "<!-- end of the reading list -->\n"


@dataclass(frozen=True, slots=True)
class TrustedBase:
    """Code of ours that every verdict rests on.

    Args:
        modules: their names.
        lines: how many lines of code they have.
    """

    modules: tuple[str, ...]
    lines: int


@cache
def trusted_base() -> TrustedBase:
    """The modules that verdicts rest on, counted.

    >>> "tenure_proofs.trusted.ast_lifter" in trusted_base().modules
    True
    >>> [name for name in trusted_base().modules if "obligations" in name or "crosscheck" in name]
    []
    """
    modules = modules_behind(*BEGIN, without=(*PROVED, *CHECKS))
    return TrustedBase(modules, sum(map(lines_of, modules)))


def modules_behind(*names: str, without: Iterable[str] = ()) -> tuple[str, ...]:
    """These modules of ours, and those that they import, wherever in their sources, and so on.

    Args:
        names: where to begin.
        without: modules that are not looked into, nor counted.

    Raises:
        ValueError: a module imports another by a name that is made while it runs.
    """
    left_out, found, rest = set(without), set[str](), list(names)
    while rest:
        name = rest.pop()
        if name not in found | left_out:
            found.add(name)
            rest.extend(_imports_of(name))
    return tuple(sorted(found))


@cache
def _imports_of(name: str) -> tuple[str, ...]:
    path = file_of(name)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    if unseen := {word for node in nodes for word in _named(node)}.intersection(UNSEEN):
        raise ValueError(f"{name} imports by {', '.join(sorted(unseen))}")
    return tuple(dict.fromkeys(name for node in nodes for name in _imported(node, package)))


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names if _is_ours(alias.name))
        case ast.ImportFrom(module=module, names=names, level=level):
            base = importlib.util.resolve_name("." * level + (module or ""), package)
            if _is_ours(base):
                below = [f"{base}.{alias.name}" for alias in names]
                modules = [name for name in below if _is_module(name)]
                yield from modules
                if len(modules) < len(below):
                    yield base


def _named(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            yield name


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in OURS


@cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def lines_of(module: str) -> int:
    """How many lines of code a module has."""
    return code_lines(file_of(module).read_text(encoding="utf-8"))


def code_lines(source: str) -> int:
    """How many lines have code on them.

    >>> code_lines('\"\"\"Says.\"\"\"\\n\\nx = (  # why\\n    1\\n)\\n# nothing\\n')
    3
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        # A text that is a statement of its own is a docstring, of whatever is above it.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


_NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


def reading_list() -> str:
    """The list as a table in Markdown."""
    rows = [f"| `{name}` | {lines_of(name)} | {why} |" for name, why in READING.items()]
    own = sum(map(lines_of, LIFTER_AND_LOGIC))
    loops, several = (sum(map(lines_of, group)) for group in (LOOPS, PROCEDURES))
    counted = (
        f"{trusted_base().lines:,} lines of code. The lifter and the logic, down to `claim`, are {own:,}.\n"
        f"{loops:,} are `loops`, `induction` and `proving`, on which theorems about loops alone rest.\n"
        f"{several:,} are `procedures`, `specified`, `defined`, `bits` and `writers`, on which only\n"
        "theorems about functions of many statements, order keys and saturating sums rest."
    )
    head = f"{counted}\n\n| module | lines | why it must be believed |\n|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def main() -> None:
    """Print the list, or write it into the page."""
    parser = argparse.ArgumentParser(prog="python -m tenure_proofs.base", description=__doc__)
    parser.add_argument("--write", metavar="REPOSITORY", type=Path, help=f"write it into {PAGE}")
    repository = parser.parse_args().write
    if repository is None:
        print(reading_list(), end="")
        return
    page = repository / PAGE
    before, _, rest = page.read_text(encoding="utf-8").partition(FIRST)
    after = rest.partition(LAST)[2]
    write_file(page, f"{before}{FIRST}\n{reading_list()}\n{LAST}{after}")


if __name__ == "__main__":
    main()

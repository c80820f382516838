"""`python -m tools.new_rule KQ-620 "When an equal may be preempted"`: writes the stubs of a new rule.

A page, a function, an obligation and two cases for vectors, beside those of the rule with the next lower
number of the family unless options name other places. The stubs are a rule that works, of two numbers. Every
sentence that is yours to write says TODO, and `make lint` lists what is left.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.lints.known import VECTORS, obligations, vector_files
from tools.lints.pages import PAGES, pages, slug_of
from tools.lints.source import OBLIGATIONS, RULES, RuleFunction, imports, modules, parse, rule_functions

IDENTIFIER = re.compile(r"(KQ|TBP|UCQ|DYN|KMR|CYC)-\d{3}")
CASES = Path("build")
_PAGE = """\
+++
id = "{id}"
title = "{title}"
function = "tenure.rules.{module}.{name}"
source = "TODO {id}: the document, or the scheduler with its release"
status = "live"
readings = []
+++

# {id}: {title}

## Statement

> {statement}

## Comparisons

| Comparison | In words |
|---|---|
| `found > bound` | TODO {id}: this comparison in words |

## Rationale

TODO {id}: why it is so, and what it would break otherwise.

## Edge cases

- TODO {id}: what an implementer would have to ask; first the boundary itself.

## Source

TODO {id}: the sentences of a proposal, below a line that names file and section; or what a released scheduler
does, in your own words.

## Readings

None.
"""
_FUNCTION = '''

@rule("{id}")
def {name}(found: int, bound: int) -> bool:
    """TODO {id}: what it returns, in a line.

    > {statement}

    Args:
        found: TODO {id}: what it is, and in which unit.
        bound: TODO {id}: what it is, and in which unit.

    Source: TODO {id}: document and section.

    >>> {name}(2, 1), {name}(1, 1)
    (True, False)
    """
    return found > bound
'''
_OBLIGATION = '''

@obligation("{obligation}", rules=["{id}"], expect=everywhere(Verdict.PROVED))
def todo_{name}(claim: Claim) -> None:
    """TODO {id}: document and section; the function's name is the claim, and no copy of the rule."""
    found, bound = claim.number("found"), claim.number("bound")
    holds = claim.lift({name})(found, bound).value
    claim.prove(implies(found == bound, negation(holds)), implies(found == bound + 1, holds))
'''
_NEEDED = (
    ("tenure_proofs.registry", ("Verdict", "everywhere", "obligation")),
    ("tenure_proofs.trusted.claim", ("Claim",)),
    ("tenure_proofs.trusted.logic", ("implies", "negation")),
)


class NewRuleError(ValueError):
    """What was asked for cannot be written."""


@dataclass(frozen=True, slots=True)
class NewRule:
    """A rule that is to be written.

    Args:
        id: `KQ-620`.
        title: what its page is called.
        name: its function.
        module: where the function goes, a module of `refimpl/tenure/rules/`.
        claims: where the obligation goes, a module of `proofs/tenure_proofs/obligations/`.
        obligation: its identifier, `PO-KQ-625`.
        area: where vectors go, a file of `spec/vectors/`.
        example: the rule whose vectors are copied as cases.
    """

    id: str
    title: str
    name: str
    module: str
    claims: str
    obligation: str
    area: str
    example: str

    @property
    def words(self) -> Mapping[str, str]:
        """What the stubs are filled with."""
        return {
            "id": self.id,
            "title": self.title,
            "name": self.name,
            "module": self.module,
            "obligation": self.obligation,
            "statement": f"TODO {self.id}: one or two sentences, subject first.",
        }


def name_of(title: str) -> str:
    """A title as the name of a function.

    >>> name_of("When an equal may be preempted")
    'when_an_equal_may_be_preempted'
    """
    return slug_of(title).replace("-", "_")


def plan(root: Path, asked: argparse.Namespace) -> NewRule:
    """Where everything goes.

    Args:
        root: of the tree.
        asked: the command line's arguments.

    Raises:
        NewRuleError: the identifier or the title is malformed or in use, or a place is not there.
    """
    name = asked.name or name_of(asked.title)
    if not IDENTIFIER.fullmatch(asked.id):
        raise NewRuleError(
            f"id: found {asked.id!r}, expected KQ, TBP, UCQ, DYN, KMR or CYC, a dash, three digits"
        )
    if not name.isidentifier() or not name[0].isalpha():
        raise NewRuleError(f"title: found {asked.title!r}, expected words that a function can be named by")
    if taken := next((page.path for page in pages(root) if page.id == asked.id), None):
        raise NewRuleError(f"id: found {asked.id}, which is used by {taken}; expected a free one")
    functions = rule_functions(root)
    if taken := next((function.path for function in functions if function.node.name == name), None):
        raise NewRuleError(f"name: found {name}, which is used in {taken}; expected a free one (--name)")
    near = neighbour(functions, asked.id)
    return NewRule(
        asked.id,
        asked.title,
        name,
        _place(root, RULES, "module", asked.module or near.module.name, ".py"),
        _place(root, OBLIGATIONS, "claims", asked.claims or _claims_about(root, near), ".py"),
        _free_obligation(root, asked.id),
        _place(root, VECTORS, "area", asked.area or _area_of(root, near.id), ".json"),
        near.id,
    )


def neighbour(functions: list[RuleFunction], identifier: str) -> RuleFunction:
    """The rule of the family with the next lower number; for the first one, the next higher."""
    family = [function for function in functions if function.id.split("-")[0] == identifier.split("-")[0]]
    return max(
        (rule_function for rule_function in family if rule_function.id < identifier),
        key=lambda rule_function: rule_function.id,
        default=family[0],
    )


def _place(root: Path, folder: Path, option: str, name: str, ending: str) -> str:
    there = sorted(path.stem for path in (root / folder).glob(f"*{ending}"))
    if name in there and name not in ("__init__", "registry", "schema"):
        return name
    raise NewRuleError(f"--{option}: found {name!r}, expected one of {folder.as_posix()}: {', '.join(there)}")


def _free_obligation(root: Path, identifier: str) -> str:
    family, number = identifier.split("-")
    taken = obligations(root)
    names = (f"PO-{family}-{free:03}" for free in range(int(number), 1000, 5))
    return next(name for name in names if name not in taken)


def _claims_about(root: Path, rule: RuleFunction) -> str:
    about = (
        module.name
        for module in modules(root, OBLIGATIONS)
        if any(name == rule.dotted for name, _, _ in imports(module.tree))
    )
    return next(about, "base")


def _area_of(root: Path, identifier: str) -> str:
    areas = Counter(area for area, _ in _vectors_of(root, identifier))
    return max(areas, key=lambda area: (areas[area], area), default="quota")


def _vectors_of(root: Path, identifier: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, vectors in vector_files(root):
        yield from ((path.stem, vector) for vector in vectors if identifier in vector["rules"])


def write(root: Path, new: NewRule) -> Iterator[Path]:
    """Write the stubs.

    Yields:
        each file that was written or changed, relative to the root.
    """
    page = PAGES / f"{new.id}-{slug_of(new.title)}.md"
    (root / page).write_text(_PAGE.format(**new.words), encoding="utf-8")
    yield page
    yield _append(root, RULES / f"{new.module}.py", _FUNCTION.format(**new.words), ())
    needed = ((f"tenure.rules.{new.module}", (new.name,)), *_NEEDED)
    yield _append(root, OBLIGATIONS / f"{new.claims}.py", _OBLIGATION.format(**new.words), needed)
    yield from _cases(root, new)


def _append(root: Path, path: Path, text: str, needed: tuple[tuple[str, tuple[str, ...]], ...]) -> Path:
    module = parse(root, path)
    bound = {name for name, _, _ in imports(module.tree)}
    lines = (root / path).read_text(encoding="utf-8").rstrip("\n").split("\n")
    last = max(node.end_lineno or 0 for node in module.tree.body if isinstance(node, ast.ImportFrom))
    missing = [
        (origin, [name for name in names if f"{origin}.{name}" not in bound]) for origin, names in needed
    ]
    lines[last:last] = [f"from {origin} import {', '.join(names)}" for origin, names in missing if names]
    (root / path).write_text("\n".join(lines) + "\n" + text, encoding="utf-8")
    return path


def _cases(root: Path, new: NewRule) -> Iterator[Path]:
    for verdict in ("accept", "reject"):
        near = (entry for area, entry in _vectors_of(root, new.example) if area == new.area)
        like = next((entry for entry in near if entry["verdict"] == verdict), None)
        if like is None:
            continue
        case = {**like, "id": f"{new.id}/todo-what-it-shows-{verdict}", "rules": [new.id]}
        case["comment"] = f"TODO {new.id}: what the cluster shows, in a sentence."
        del case["expect"]
        path = CASES / f"{new.id}-{verdict}.json"
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(json.dumps(case, indent=2) + "\n", encoding="utf-8")
        yield path


def _formatted(root: Path, paths: list[Path]) -> None:
    """The imports merged and sorted, as `make fmt` does."""
    python = [str(path) for path in paths if path.suffix == ".py"]
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--quiet", "--fix", "--select", "I"], ["format", "--quiet"]):
        subprocess.run([*ruff, *command, *python], cwd=root, check=True)


def _next_steps(new: NewRule) -> str:
    return f"""
Next: `make lint` after each step; it lists every TODO that is left, and what is missing.
  1. the page, then the same statement in the function's docstring
  2. the function: arguments, comparisons, doctest
  3. its use: what decides by the rule calls {new.name}
  4. the obligation, named after its claim; `tenure prove --only {new.id}` proves it and makes its mutants
  5. the cases: `tenure vectors add {new.area} {CASES}/{new.id}-accept.json` and the same of reject
  6. `python -m tools.traceability --write`, `python -m tenure_proofs.costs`, CHANGELOG.md
CONTRIBUTING.md, "Add a rule", says more of each."""


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code: 2 where nothing could be written."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.new_rule",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("id", help="the identifier: the next free ten of its family")
    parser.add_argument("title", help="what the rule says, as a title")
    parser.add_argument("--name", help="the function's name (default: the title in small letters)")
    parser.add_argument("--module", help=f"a module of {RULES}")
    parser.add_argument("--claims", help=f"a module of {OBLIGATIONS}")
    parser.add_argument("--area", help=f"a file of {VECTORS}, without its ending")
    parser.add_argument("--root", type=Path, default=Path(), help="the tree (default: here)")
    asked = parser.parse_args(arguments)
    try:
        new = plan(asked.root, asked)
    except NewRuleError as error:
        print(f"new_rule: {error}", file=sys.stderr)
        return 2
    written = list(write(asked.root, new))
    _formatted(asked.root, written)
    for path in written:
        print(f"wrote {path.as_posix()}")
    print(_next_steps(new))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tools.lints [--root DIR]`: run every lint; exit 1 if any finds a problem."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.lints.comparisons import stated_comparisons
from tools.lints.coverage import coverage
from tools.lints.door import around_the_door, door
from tools.lints.findings import findings
from tools.lints.kernels import kernels
from tools.lints.obligations import no_helpers
from tools.lints.problem import Lint, Problem
from tools.lints.quotes import seeds_folder, source_quotes
from tools.lints.readings import readings
from tools.lints.rule_imports import rule_imports
from tools.lints.rule_shape import rule_shape
from tools.lints.statements import page_form, statements
from tools.lints.stubs import stubs, unused_rules

LINTS: tuple[Lint, ...] = (
    rule_imports,
    rule_shape,
    door,
    around_the_door,
    statements,
    page_form,
    stated_comparisons,
    stubs,
    unused_rules,
    source_quotes,
    no_helpers,
    readings,
    findings,
    coverage,
    kernels,
)


def run(root: Path) -> list[Problem]:
    """Every problem in a tree, sorted by place."""
    return sorted({problem for lint in LINTS for problem in _problems(lint, root)})


def _problems(lint: Lint, root: Path) -> Iterator[Problem]:
    try:
        yield from lint(root)
    except SyntaxError as error:
        yield Problem(str(error.filename), error.lineno or 1, "TNL000", f"is no Python: {error.msg}")


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.lints", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(), help="the tree to check (default: here)")
    root: Path = parser.parse_args(arguments).root
    if not seeds_folder(root).is_dir():
        print(
            "note: TNL040 skipped, and part of TNL090: "
            "the sources are not beside the repository (../shared/seeds)"
        )
    problems = run(root)
    for problem in problems:
        print(problem)
    print(f"lints: {len(problems)} problem{'' if len(problems) == 1 else 's'}")
    return 1 if problems else 0


if __name__ == "__main__":
    # Syntax trees stay to the end: the collector would look through them again and again.
    gc.disable()
    sys.exit(main())

"""The kernels of the optimized core: what each is equal to, and whether that is proved or tested.

`python -m tenure_proofs.theorems.core_table` prints the table; the page "The optimized core" shows it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tenure.fast
from tenure.apps.cli.terminal import print_lines
from tenure_proofs.base import code_lines
from tenure_proofs.theorems.listed import THEOREMS
from tenure_proofs.theorems.registry import Theorem

WHY_TESTED: Mapping[str, str] = {
    "sorting": "it sorts in place, without a permutation argument: believed, and tested against `sorted`",
    "sampling": "it only guesses where to begin; a wrong guess costs time",
    "shares": "floats: Python's and Go's round alike, which no theorem says",
    "fair": "a shift of bits: that a key without its tie sorts as KQ-230 is tested",
    "paths": "what is kept between decisions; compared with searches that keep nothing",
    "supply": "what is kept between decisions; compared with searches that keep nothing",
    "billing": "long division by shifts, which the reader does not read; compared with Python's own",
    "following": "searches beside heroes; compared with the reference's",
    "search": "a hero's search; the reference's is proved, this one is compared",
}
"""By module: why a kernel that no theorem is about is tested only."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel.

    Args:
        module: the last part of its module's name.
        name: of the function.
        lines: of code, without its docstring.
        theorems: those about it.
    """

    module: str
    name: str
    lines: int
    theorems: tuple[Theorem, ...]

    @property
    def says(self) -> str:
        """What it is equal to, where that is proved; else why it is tested only."""
        return "; ".join(theorem.words for theorem in self.theorems) or WHY_TESTED[self.module]

    @property
    def standing(self) -> str:
        """Proved, or tested."""
        return "proved" if self.theorems else "tested"


@cache
def kernels() -> tuple[Kernel, ...]:
    """Every kernel of the core, by module.

    >>> [kernel.standing for kernel in kernels() if kernel.module == "amounts"]
    ['proved', 'proved']
    """
    about = {
        (function.__module__, function.__name__): [
            theorem for theorem in THEOREMS.values() if function in theorem.about
        ]
        for theorem in THEOREMS.values()
        for function in theorem.about
    }
    [folder] = tenure.fast.__path__
    return tuple(
        Kernel(path.stem, name, lines, tuple(about.get((_module(path, Path(folder)), name), ())))
        for path in sorted(Path(folder).rglob("*.py"))
        for name, lines in _kernels_in(path)
    )


def _module(path: Path, folder: Path) -> str:
    return ".".join(("tenure.fast", *path.relative_to(folder).with_suffix("").parts))


def _kernels_in(path: Path) -> Iterator[tuple[str, int]]:
    text = path.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(decorator, ast.Name) and decorator.id in ("compiled", "inlined")
            for decorator in node.decorator_list
        ):
            yield node.name, code_lines("\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno]))


def summary() -> str:
    """How many kernels and lines are proved.

    >>> summary().startswith("0 of")
    False
    """
    proved = [kernel for kernel in kernels() if kernel.theorems]
    lines, all_lines = (sum(kernel.lines for kernel in some) for some in (proved, kernels()))
    share = round(100 * lines / all_lines)
    return (
        f"{len(proved)} of {len(kernels())} kernels are proved, {lines:,} of their {all_lines:,} lines "
        f"({share} %); the others are tested"
    )


def main() -> None:
    """Print the table."""
    rows = (
        f"{kernel.module:10} {kernel.name:20} {kernel.lines:4} {kernel.standing:7} "
        f"{', '.join(theorem.id for theorem in kernel.theorems):24} {kernel.says}"
        for kernel in kernels()
    )
    print_lines((*rows, "", summary()))


if __name__ == "__main__":
    main()

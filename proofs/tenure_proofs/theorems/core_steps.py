"""The optimized core, kernels that others call: what they leave, where only that it is determined matters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import z3

from tenure_proofs.theorems.core_world import handed
from tenure_proofs.trusted.induction import Labelled
from tenure_proofs.trusted.kernels import Held, Law, Room
from tenure_proofs.trusted.loops import State, every
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term

INT, BOOL = z3.IntSort(), z3.BoolSort()
NUMBERS, FLAGS = z3.ArraySort(INT, INT), z3.ArraySort(INT, BOOL)
GRID = z3.ArraySort(INT, NUMBERS)

Contents: TypeAlias = "dict[str, Any]"
"""What is in arrays, by their names."""


def contents_of(held: State) -> Contents:
    """What is in arrays at one place of a kernel."""
    return {name.removeprefix("@"): value.term for name, value in held.items() if isinstance(value, Held)}


def same(found: State, wanted: Contents) -> list[tuple[str, Any]]:
    """That in every array there is what there should be."""
    pairs = [(found[f"@{name}"].term, term) for name, term in wanted.items()]
    return [("what is in the arrays", every([now == term for now, term in pairs if not now.eq(term)]))]


def together(label: str, goals: Labelled) -> Labelled:
    """Several goals as one, which is asked about faster."""
    return [(label, every([formula for _, formula in goals]))]


def either(condition: Any, then: Contents, otherwise: Contents) -> Contents:
    """What is in arrays by a condition."""
    return {
        name: term if term is otherwise[name] else z3.If(condition, term, otherwise[name])
        for name, term in then.items()
    }


class Run:
    """What is in arrays after some steps of a loop, by the number of steps.

    Args:
        name: of the loop.
        before: what was in them before it; only those that it changes are its own.
        changes: which it changes.
    """

    def __init__(self, name: str, before: Contents, changes: tuple[str, ...]) -> None:
        self.before = before
        self.changed = {
            array: z3.Function(f"{array} after steps of {name}", INT, before[array].sort())
            for array in changes
        }

    def __call__(self, steps: Any) -> Contents:
        """After so many steps."""
        return {**self.before, **self.of(steps)}

    def of(self, steps: Any) -> Contents:
        """The same of those that it changes."""
        return {array: found(steps) for array, found in self.changed.items()}

    def goes_on(self, steps: Any, after: Contents) -> Any:
        """That after one step more there is this."""
        return z3.And([found(steps + 1) == after[array] for array, found in self.changed.items()])

    def begins(self, before: Contents) -> Any:
        """That before the first step there is this."""
        return z3.And([found(0) == before[array] for array, found in self.changed.items()])


class Step:
    """A kernel that another one calls: what it returns and leaves depends only on what it is told and reads.

    So where it is called twice with the same, it does the same; what exactly, its own theorem says.

    Args:
        name: of it.
        expected: of each parameter the record or array that it must be handed, or `int` or `bool` for
            something that it is told.
        before: some contents of all arrays, by name.
        reads: the arrays that it depends on.
        writes: those that it may change.
        returns: `int` or `bool`, several of them, or nothing.
    """

    def __init__(
        self,
        name: str,
        expected: tuple[Any, ...],
        before: Mapping[str, Any],
        *,
        reads: tuple[str, ...],
        writes: tuple[str, ...] = (),
        returns: tuple[type, ...] = (),
    ) -> None:
        self.expected, self.reads, self.returns = expected, reads, returns
        told = [INT if sort is int else BOOL for sort in expected if sort is int or sort is bool]
        given = [*(before[array].sort() for array in reads), *told]
        self.writes = {
            array: z3.Function(f"{array} after {name}", *given, before[array].sort()) for array in writes
        }
        self.results = [
            z3.Function(f"result {number} of {name}", *given, INT if sort is int else BOOL)
            for number, sort in enumerate(returns)
        ]

    def after(self, contents: Contents, *told: Any) -> Contents:
        """What is in arrays after it, of what was before it and of terms that it is told."""
        given = [*(contents[array] for array in self.reads), *told]
        return {**contents, **{array: found(*given) for array, found in self.writes.items()}}

    def result(self, contents: Contents, *told: Any, place: int = 0) -> Any:
        """What it returns, as a term, or one of several."""
        return self.results[place](*(contents[array] for array in self.reads), *told)

    @property
    def law(self) -> Law:
        """What stands for it in a kernel that calls it."""

        def value(held: State, *given: Any) -> Any:
            told, contents = self._told(given), contents_of(held)
            found = [
                (SymInt if sort is int else SymBool)(self.result(contents, *told, place=place))
                for place, sort in enumerate(self.returns)
            ]
            return found[0] if len(found) == 1 else tuple(found)

        def writes(held: State, *given: Any) -> Contents:
            after = self.after(contents_of(held), *self._told(given))
            return {array: after[array] for array in self.writes}

        return Law(value, writes if self.writes else None)

    def _told(self, given: tuple[Any, ...]) -> list[Any]:
        told = []
        for found, expected in zip(given, self.expected, strict=True):
            if expected is int or expected is bool:
                told.append(as_term(found, expected))
            elif isinstance(expected, Room) and isinstance(found, Room):
                handed((found.name, expected.name), (found.places, expected.places))
            else:
                handed((found, expected))
        return told

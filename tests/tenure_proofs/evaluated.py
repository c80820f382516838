"""What a formula says for given values, as a Python function of them: no solver is asked.

Substituting values into a formula takes the solver milliseconds, and some tests ask thousands of times. That
both say the same is checked in `test_played_steps.py` and `test_fuzz_lifter.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import z3

from tenure_proofs.trusted.shapes import Built, Formula, Maybe, Passed, Shape

RAISES = "raises"

Values = Mapping[str, Any]
"""Of every constant and function that formulas mention, by name; without value it counts as 0 or False."""

BINARY = {
    z3.Z3_OP_EQ: "==",
    z3.Z3_OP_IFF: "==",
    z3.Z3_OP_DISTINCT: "!=",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_GE: ">=",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_GT: ">",
    z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or",
    z3.Z3_OP_ADD: "+",
    z3.Z3_OP_SUB: "-",
    z3.Z3_OP_MUL: "*",
}
"""Operators between any number of parts; comparisons have two."""

OTHERS = {
    z3.Z3_OP_TRUE: "True",
    z3.Z3_OP_FALSE: "False",
    z3.Z3_OP_NOT: "not {0}",
    z3.Z3_OP_UMINUS: "-{0}",
    z3.Z3_OP_IMPLIES: "(not {0}) or {1}",
    z3.Z3_OP_ITE: "{1} if {0} else {2}",
    z3.Z3_OP_IDIV: "quotient({0}, {1})",
}
"""Operators of a fixed number of parts, and constants."""


def quotient(dividend: int, divisor: int) -> int:
    """SMT-LIB's `div`: what remains is never negative. By 0 it may be any number; here it is 0.

    >>> [quotient(7, 2), quotient(-7, 2), quotient(7, -2), quotient(-7, -2), quotient(7, 0)]
    [3, -4, -3, 4, 0]
    """
    if divisor == 0:
        return 0
    return dividend // divisor if divisor > 0 else -(dividend // -divisor)


def compiled_terms(*terms: z3.ExprRef) -> Callable[[Values], tuple[Any, ...]]:
    """Terms without quantifiers as one Python function."""
    lines: list[str] = []
    names: dict[int, str] = {}
    results = [_line(term, lines, names) for term in terms]
    body = "\n    ".join([*lines, f"return ({''.join(f'{result}, ' for result in results)})"])
    made: dict[str, Any] = {"quotient": quotient}
    exec(f"def formula(values):\n    {body}\n", made)
    formula: Callable[[Values], tuple[Any, ...]] = made["formula"]
    return formula


def truth_of(term: z3.ExprRef) -> Callable[[Values], bool]:
    """A formula without quantifiers as a Python function."""
    say = compiled_terms(term)
    return lambda values: bool(say(values)[0])


def _line(term: z3.ExprRef, lines: list[str], names: dict[int, str]) -> str:
    """The name of a term's value, after the lines that compute it; a shared term is computed once."""
    known = names.get(term.get_id())
    if known is not None:
        return known
    text = _text(term, [_line(child, lines, names) for child in term.children()])
    name = names[term.get_id()] = f"v{len(names)}"
    lines.append(f"{name} = {text}")
    return name


def _text(term: z3.ExprRef, parts: list[str]) -> str:
    kind = term.decl().kind()
    if z3.is_int_value(term):
        return str(term.as_string())
    if kind in BINARY:
        return f" {BINARY[kind]} ".join(parts) if parts else "True"
    if kind in OTHERS:
        return OTHERS[kind].format(*parts)
    assert kind == z3.Z3_OP_UNINTERPRETED, f"no translation of {term.decl()}"
    name = term.decl().name()
    return f"values[{name!r}]({', '.join(parts)})" if parts else f"values.get({name!r}, 0)"


class Evaluator:
    """Says what formulas say.

    Args:
        formulas: what is to be evaluated, often.
    """

    def __init__(self, *formulas: Formula) -> None:
        self._formulas = formulas
        self._terms = [term for formula in formulas for term in (formula.defined, *_terms(formula.value))]
        self._compute = compiled_terms(*self._terms)

    def say(self, values: Values) -> list[object]:
        """What each formula says: the result in plain words, or that the function raises."""
        computed = self._compute(values)
        found = {term.get_id(): value for term, value in zip(self._terms, computed, strict=True)}
        return [
            _said(formula.value, found) if found[formula.defined.get_id()] else RAISES
            for formula in self._formulas
        ]


def _said(shape: Shape, found: Mapping[int, Any]) -> object:
    match shape:
        case Passed(name):
            return name
        case Built(_, fields):
            return {name: _said(inner, found) for name, inner in fields}
        case Maybe(present, value):
            return _said(value, found) if found[present.get_id()] else None
    return found[shape.get_id()]


def _terms(shape: Shape) -> Iterator[z3.ExprRef]:
    match shape:
        case Built(_, fields):
            for _, inner in fields:
                yield from _terms(inner)
        case Maybe(present, value):
            yield from (present, *_terms(value))
        case z3.ExprRef():
            yield shape

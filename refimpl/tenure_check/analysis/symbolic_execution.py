"""The oracle's own walks of a tree, executed with symbolic usage: its code as it is, its rules lifted.

`SymbolicFunctions.of(function)` is that function with each rule that it calls replaced by its formula.
Functions of the oracle that it calls are treated in the same way. There is no second statement of a walk.
Where a walk branches, `SymbolicFunctions.traced` runs it along each of its few paths.

Each result of a rule gets a name, so that terms stay small. Each name has an interval; arms of rules that
cannot be reached within it, above all those of 64-bit saturation, are cut away.
"""

from __future__ import annotations

import builtins
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from types import FunctionType
from typing import Any, TypeAlias

import z3

from tenure.model import UNLIMITED
from tenure.readings import Reading
from tenure.rules.amounts import LOWEST
from tenure.rules.registry import all_rules
from tenure_proofs.crosscheck.symbols import TracedBool, TracedEnum, TracedInt, traced
from tenure_proofs.crosscheck.tracer import trace
from tenure_proofs.trusted.claim import Claim, Traces
from tenure_proofs.trusted.shapes import Built, Formula
from tenure_proofs.trusted.symbols import SymBool, SymEnum, SymInt, SymRecord

Interval: TypeAlias = tuple[int, int]

MOST = 2**60
"""A premise of every verdict: no ClusterQueue uses or requests more of a flavor-resource."""

_SYMBOLS = (SymInt, SymBool, SymEnum, SymRecord)
_SCALARS = (SymInt, SymBool, SymEnum)
MOST_CUTS = 50_000
"""Of a process; a tree has some hundreds."""

_CUTS: dict[tuple[int, tuple[Interval | None, ...]], tuple[Formula, Any]] = {}
"""Formulas of rules with blanks for names, and what is left of each, by the intervals of the names. The
formula is kept so that the number of its term stays its own."""

_TRACED = (TracedInt, TracedBool, TracedEnum)


class SymbolicFunctions:
    """The oracle's functions for one tree with symbolic usage; all facts about the names that they give.

    Args:
        reading: what the rules are read with.
        traces: formulas of rules that were lifted before.
    """

    def __init__(self, reading: Reading, traces: Traces) -> None:
        self._claim = Claim(reading, traces)
        self._known: dict[Any, Any] = {}
        self._made: dict[FunctionType, Any] = {}
        self._between: dict[str, Interval] = {}
        self._kept: list[Any] = []
        self._rules = {entry.function for entry in all_rules() if entry.lift}
        self._count = 0
        self.facts: list[z3.BoolRef] = []

    def amount(self, name: str, low: int = 0, high: int = MOST) -> SymInt:
        """An arbitrary amount of an interval that other facts imply, or that is a premise."""
        term = z3.Int(name)
        self._between[name] = (low, high)
        self.facts += [term >= low, term <= high]
        return SymInt(term)

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the oracle that calls lifted rules; of a rule, its formula."""
        assert isinstance(function, FunctionType)
        if function not in self._made:
            self._made[function] = (
                self._lifted(function) if function in self._rules else self._rebound(function)
            )
        made: Callable[..., Any] = self._made[function]
        return made

    def traced(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function of the oracle answers that branches on what is symbolic: a scalar or a tuple."""
        assert isinstance(function, FunctionType)
        given = [_as_traced(argument) for argument in arguments]
        formula = trace(self.of(function), *given)
        assert z3.is_true(z3.simplify(formula.defined)), function.__name__
        hint = typing.get_type_hints(function)["return"]
        if isinstance(formula.value, Built):
            hints = typing.get_args(hint)
            parts = [part for _, part in formula.value.fields]
            return tuple(self._named(part, of) for part, of in zip(parts, hints, strict=True))
        return self._named(formula.value, hint)

    def _rebound(self, function: FunctionType) -> FunctionType:
        made = FunctionType(
            function.__code__, {}, function.__name__, function.__defaults__, function.__closure__
        )
        self._made[function] = made  # before its own calls, which may be of itself
        made.__kwdefaults__ = function.__kwdefaults__
        names = {
            name: self.of(value)
            for name, value in function.__globals__.items()
            if name in _names_in(function.__code__) and self._is_ours(value)
        }
        made.__globals__.update({**function.__globals__, "all": _all, "any": _any, **names})
        return made

    def _is_ours(self, value: Any) -> bool:
        return isinstance(value, FunctionType) and (
            value in self._rules or value.__module__.startswith("tenure.oracle.")
        )

    def _lifted(self, rule: FunctionType) -> Callable[..., Any]:
        parameters = rule.__code__.co_varnames[: rule.__code__.co_argcount]
        hint = typing.get_type_hints(rule)["return"]

        def call(*arguments: Any, **named: Any) -> Any:
            given = [*arguments, *(named[name] for name in parameters[len(arguments) :])]
            if any(isinstance(argument, _TRACED) for argument in given):
                return _as_traced(call(*map(_as_symbol, given)))
            if not any(isinstance(argument, _SYMBOLS) for argument in given):
                return rule(*given)
            key = (rule, *map(_identity, given))
            if key not in self._known:
                self._kept.append(given)  # so that the numbers of their terms stay theirs
                self._known[key] = self._named(self._formula(rule, given), hint)
            return self._known[key]

        return call

    def _formula(self, rule: FunctionType, given: Sequence[Any]) -> Any:
        """A rule's formula of its arguments: lifted and cut once for all that differ in names alone."""
        names = _names_given(given)
        blanks = {name.get_id(): z3.Const(f"?{number}", name.sort()) for number, name in enumerate(names)}
        formula = self._claim.lift(rule)(*(_with_blanks(argument, blanks) for argument in given)).call.formula
        if not names:
            return _cut(rule, formula, self._between)
        value: Any = formula.value
        intervals = tuple(self._between.get(name.decl().name()) for name in names)
        key = (value.get_id(), intervals)
        if key not in _CUTS:
            numbered = ((f"?{number}", interval) for number, interval in enumerate(intervals))
            between = {blank: interval for blank, interval in numbered if interval is not None}
            if len(_CUTS) >= MOST_CUTS:
                _CUTS.clear()
            _CUTS[key] = formula, _cut(rule, formula, between)
        return z3.substitute(_CUTS[key][1], *((blanks[name.get_id()], name) for name in names))

    def _named(self, term: Any, hint: Any) -> Any:
        """A term under a name of its own, or the value that it has."""
        term = z3.simplify(term)
        if z3.is_true(term) or z3.is_false(term):
            return z3.is_true(term)
        is_enum = isinstance(hint, type) and issubclass(hint, IntEnum)
        if z3.is_int_value(term):
            return hint(term.as_long()) if is_enum else term.as_long()
        self._count += 1
        name = f"k{self._count}"
        if z3.is_bool(term):
            flag = z3.Bool(name)
            self.facts.append(flag == term)
            return SymBool(flag)
        number = z3.Int(name)
        self.facts.append(number == term)
        if is_enum:
            return SymEnum(hint, number)
        low, high = _Within(self._between).interval(term)
        self._between[name] = low, high
        self.facts += [number >= low, number <= high]
        return SymInt(number)


def _cut(rule: FunctionType, formula: Formula, between: Mapping[str, Interval]) -> Any:
    """What a rule returns, without the arms that no value within the known intervals reaches."""
    assert z3.is_true(z3.simplify(formula.defined)), rule.__name__
    return z3.simplify(_Within(between).reached(z3.simplify(formula.value)))


def _names_given(arguments: Sequence[Any]) -> list[Any]:
    """The names among the arguments of a rule; none where one is a larger term, or has symbolic parts."""
    symbols = [argument for argument in arguments if isinstance(argument, _SYMBOLS)]
    if not all(isinstance(symbol, _SCALARS) and z3.is_const(symbol.term) for symbol in symbols):
        return []
    return list({symbol.term.get_id(): symbol.term for symbol in symbols}.values())


def _with_blanks(argument: Any, blanks: Mapping[int, Any]) -> Any:
    """An argument with a blank for its name, if that has one."""
    match argument:
        case SymEnum():
            return SymEnum(argument.cls, blanks.get(argument.term.get_id(), argument.term))
        case SymInt() | SymBool():
            return type(argument)(blanks.get(argument.term.get_id(), argument.term))
    return argument


class _Within:
    """What is known of the parts of one term while every name keeps to its interval.

    Args:
        between: by name, its interval.
    """

    def __init__(self, between: Mapping[str, Interval]) -> None:
        self._between = between
        # Both by the numbers of terms, which live as long as the whole.
        self._intervals: dict[int, Interval] = {}
        self._truths: dict[int, bool | None] = {}

    def reached(self, term: Any) -> Any:
        """The term without the arms that are not reached."""
        if not z3.is_int(term) or not term.num_args():
            return term
        children = term.children()
        if term.decl().kind() != z3.Z3_OP_ITE:
            return term.decl()(*(self.reached(child) for child in children))
        condition, yes, no = children
        truth = self._truth(condition)
        if truth is None:
            return z3.If(condition, self.reached(yes), self.reached(no))
        return self.reached(yes if truth else no)

    def _truth(self, condition: Any) -> bool | None:
        """Whether a condition holds of all values, or of none; None for neither."""
        number = condition.get_id()
        if number not in self._truths:
            self._truths[number] = self._judged(condition)
        return self._truths[number]

    def _judged(self, condition: Any) -> bool | None:
        kind, children = condition.decl().kind(), condition.children()
        if kind == z3.Z3_OP_NOT:
            truth = self._truth(children[0])
            return None if truth is None else not truth
        if kind in (z3.Z3_OP_AND, z3.Z3_OP_OR):
            return self._joined(children, ends=kind == z3.Z3_OP_OR)
        if len(children) != 2 or not z3.is_int(children[0]):
            return None
        (low, high), (least, most) = (self.interval(child) for child in children)
        return _compared(kind, (low - most, high - least))

    def _joined(self, conditions: Iterable[Any], *, ends: bool) -> bool | None:
        known: bool | None = not ends
        for condition in conditions:
            truth = self._truth(condition)
            if truth is ends:
                return ends
            known = None if truth is None else known
        return known

    def interval(self, term: Any) -> Interval:
        """Bounds of a term, by interval arithmetic: not the closest, but implied."""
        number = term.get_id()
        if number not in self._intervals:
            self._intervals[number] = self._counted(term)
        return self._intervals[number]

    def _counted(self, term: Any) -> Interval:
        if z3.is_int_value(term):
            return term.as_long(), term.as_long()
        kind, children = term.decl().kind(), term.children()
        if not children:
            return self._between.get(term.decl().name(), (LOWEST, UNLIMITED))
        parts = [self.interval(child) for child in children if z3.is_int(child)]
        if kind == z3.Z3_OP_ITE:
            return min(low for low, _ in parts), max(high for _, high in parts)
        if kind == z3.Z3_OP_ADD:
            return sum(low for low, _ in parts), sum(high for _, high in parts)
        if kind == z3.Z3_OP_MUL and len(parts) == 2:
            ends = [one * other for one in parts[0] for other in parts[1]]
            return min(ends), max(ends)
        return LOWEST, UNLIMITED


def _compared(kind: int, difference: Interval) -> bool | None:
    """A comparison of two numbers, by the interval of their difference."""
    low, high = difference
    if kind == z3.Z3_OP_EQ:
        return False if low > 0 or high < 0 else True if low == high == 0 else None
    if kind in (z3.Z3_OP_GE, z3.Z3_OP_GT):
        low, high = -high, -low
        kind = z3.Z3_OP_LE if kind == z3.Z3_OP_GE else z3.Z3_OP_LT
    if kind == z3.Z3_OP_LE:
        return True if high <= 0 else False if low > 0 else None
    if kind == z3.Z3_OP_LT:
        return True if high < 0 else False if low >= 0 else None
    return None


def _names_in(code: Any) -> set[str]:
    inner = (_names_in(constant) for constant in code.co_consts if hasattr(constant, "co_names"))
    return set(code.co_names).union(*inner)


def _identity(argument: Any) -> Any:
    match argument:
        case SymRecord():
            fixed = sorted((name, _identity(value)) for name, value in argument._fixed.items())
            return (SymRecord, argument._name, *fixed)
        case SymInt() | SymBool() | SymEnum():
            return (type(argument), argument.term.get_id())
    return argument


def _as_traced(value: Any) -> Any:
    """A value for a run of the tracer, with all that is in it."""
    match value:
        case SymInt() | SymBool() | SymEnum():
            return traced(value)
        case tuple() if type(value) is tuple:
            return tuple(_as_traced(part) for part in value)
        case tuple():
            return type(value)(*(_as_traced(part) for part in value))
        case dict():
            return {name: _as_traced(part) for name, part in value.items()}
    return value


def _as_symbol(value: Any) -> Any:
    match value:
        case TracedInt(term=term):
            return SymInt(term)
        case TracedBool(term=term):
            return SymBool(term)
        case TracedEnum(cls=cls, term=term):
            return SymEnum(cls, term)
    return value


def _all(items: Iterable[Any]) -> Any:
    return _connected(items, builtins.all, z3.And)


def _any(items: Iterable[Any]) -> Any:
    return _connected(items, builtins.any, z3.Or)


def _connected(
    items: Iterable[Any], plain: Callable[[Iterable[Any]], bool], connective: Callable[..., z3.BoolRef]
) -> Any:
    """`all` or `any`; nothing that they evaluate here has an effect, so that all may be evaluated."""
    listed = list(items)
    symbolic = [item for item in listed if isinstance(item, TracedBool | SymBool)]
    if not symbolic:
        return plain(listed)
    term = connective([z3.BoolVal(item) if isinstance(item, bool) else item.term for item in listed])
    return TracedBool(term) if isinstance(symbolic[0], TracedBool) else SymBool(term)


def term_of(value: Any) -> Any:
    """The solver's term of a truth value or a number, symbolic or not."""
    if isinstance(value, bool):
        return z3.BoolVal(value)
    return value.term if isinstance(value, SymInt | SymBool | SymEnum) else value

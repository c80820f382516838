"""What a theorem says of a function: shown of the function for any arguments, and used where it is called.

Both are one formula. Its arguments are arbitrary constants where it is shown; where the function is called
they are what it is handed: what the theorem requires has to be shown there, and what it ensures is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

import z3

from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Contract, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import OWN, Cells, Given, Groups, Grown, Listed, Loop, Row, State, Way, every
from tenure_proofs.trusted.procedures import CALLS, POINT, Invariant, Law, Table, noting_calls, read_procedure
from tenure_proofs.trusted.source import parameters_given
from tenure_proofs.trusted.symbols import SymInt, SymOptional, SymToken, Term, as_term, wrapped

FACT, LAW, LEMMA = "fact", "law", "lemma"
"""How what is used enters a proof: of values of the statement; of calls, by its theorem; of a step."""

GIVEN, INDUCTION = "hypothesis", "induction"
"""What shows a fact where no other claim does: it is the claim's own `if`; it holds of what comes before."""


class Taken(z3.BoolRef):  # type: ignore[misc]  # z3 has no types
    """A formula that is used, and shown elsewhere or nowhere.

    Args:
        formula: what is used.
        words: what it says.
        by: the claim that proves it, or why none does.
        form: how it enters.
    """

    def __init__(self, formula: z3.BoolRef, words: str, by: str, form: str = FACT) -> None:
        super().__init__(formula.as_ast(), formula.ctx)
        self.words, self.by, self.form = words, by, form


class Said(str):
    """The words of a goal that a conclusion makes."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a theorem shows of some values and others use of theirs: one formula in both.

    Args:
        by: the theorem.
        words: what it says.
        holds: of values.
    """

    by: str
    words: str
    holds: Callable[..., z3.BoolRef]

    def goal(self, *values: Any) -> tuple[str, z3.BoolRef]:
        """What the theorem shows."""
        return Said(self.words), self.holds(*values)

    def of(self, *values: Any) -> Taken:
        """What others use."""
        return Taken(self.holds(*values), self.words, self.by, LAW)


class Closure(Given):
    """A function as an argument: what it comes to depends on its token, and on what it is given.

    Args:
        term: the token.
        arity: how many tokens it takes.
        result: `bool`, `int` or `SymToken`.
    """

    __slots__ = ("term",)

    def __init__(self, term: z3.ArithRef, arity: int, result: type) -> None:
        sort = z3.BoolSort() if result is bool else z3.IntSort()
        applied = z3.Function(f"{OWN}{result.__name__} of {arity}", *[z3.IntSort()] * (arity + 1), sort)
        super().__init__(arity, result, lambda *tokens: applied(term, *tokens))
        self.term = term


def leaves(value: Value) -> tuple[z3.ExprRef, ...]:
    """The terms that tell a value apart.

    Raises:
        LiftError: nothing tells it apart.
    """
    match value:
        case Closure() | Term():
            return (value.term,)
        case Made(fields=fields):
            whole = (fields[""],) if "" in fields else fields.values()
            return tuple(term for part in whole for term in leaves(part))
        case SymOptional():
            return (*leaves(value.present), *leaves(value.value))
        case Cells() | Grown() | Groups():
            return (value.term, as_term(SymInt(value.size), int))
        case Listed():
            return (value.there, value.head, value.members, value.rising, value.falling)
        case tuple():
            return (z3.IntVal(len(value)), *(term for part in value for term in leaves(part)))
        case Law() | Row() if value.told:
            return value.told
        case None:
            return (z3.IntVal(-1),)
        case bool():
            return (z3.BoolVal(value),)
        case int():
            return (z3.IntVal(int(value)),)
    raise LiftError(f"nothing tells {value!r} apart from another value")


def _are_arbitrary(terms: Sequence[z3.ExprRef]) -> bool:
    """Whether terms are constants of which nothing is known, no two of them the same."""
    constants = [term for term in terms if z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED]
    return len({term.get_id() for term in constants}) == len(terms)


def there_is_one(value: Value) -> z3.BoolRef:
    """Whether a list has an element, however it is known."""
    match value:
        case Listed():
            return value.there
        case Row() | Table():
            found: z3.BoolRef = value.size > 0
            return found
        case SymOptional():
            return z3.BoolVal(True) if value.present is True else value.present.term
    return z3.BoolVal(value is not None and value != ())


@dataclass(frozen=True, slots=True)
class Specification:
    """What a theorem says of one function.

    Args:
        by: the theorem.
        words: what it says.
        function: of which.
        takes: an arbitrary argument for each parameter.
        gives: what is returned: of the arguments, and of a function that makes each part, by name and type.
            What it says of what is not made so has to be what `ensures` says.
        ensures: what holds of the arguments and of what is returned.
        requires: what has to hold of the arguments.
        like: an arbitrary value, of constants that no statement names.
        each: what has to hold of every such value, of the arguments and of it.
        at: what holds of every number, of the arguments, of what is returned, and of it.
    """

    by: str
    words: str
    function: FunctionType
    takes: State
    gives: Callable[[State, Callable[..., Any]], Value]
    ensures: Callable[[State, Value], Labelled]
    requires: Callable[[State], Labelled] = lambda _: []
    like: Value = None
    each: Callable[[State, Value], Labelled] = lambda *_: []
    at: Callable[[State, Value, Any], Labelled] = lambda *_: []

    def of_steps(
        self,
        function: Any,
        contract: Contract,
        seen: Callable[[Value, Any, bool], Value] = lambda value, *_: value,
        each: Callable[[State, Value], Sequence[Value]] | None = None,
    ) -> Iterator[Part]:
        """That it holds of a function with one loop.

        Args:
            function: as it is now.
            contract: its invariant, and what is claimed beside; its facts are what others show.
            seen: what `ensures` is told of what is returned, the whole steps taken, and whether one ended it.
            each: of which values in a step what is required of each is used, of the state and the element; at
                the points of the contract where it is None.
        """

        def result(value: Value, state: State, point: Any, steps: Any, ended: bool) -> Labelled:
            found = seen(value, steps, ended)
            said = [*self.ensures(self.takes, found), *self.at(self.takes, found, point)]
            return [*said, *contract.result(value, state, point, steps, ended)]

        def lemmas(state: State, item: Value) -> list[Lemma]:
            found = [
                pair
                for value in (each or (lambda *_: ()))(state, item)
                for pair in self.each(self.takes, value)
            ]
            needs = z3.BoolVal(True)
            own = [Lemma(words, needs, Taken(formula, words, GIVEN, LEMMA)) for words, formula in found]
            return [*contract.lemmas(state, item), *own]

        known = Contract(
            contract.invariant,
            result,
            facts=self._known(contract.facts),
            everywhere=lambda point: [*contract.everywhere(point), *(() if each else self._of_each(point))],
            points=contract.points,
            ghosts=contract.ghosts,
            lemmas=lemmas,
        )
        yield from self._marked(by_induction(Loop(function, **self.takes), known))

    def of_statements(
        self,
        function: Any,
        claim: Callable[[Way], Labelled] = lambda _: [],
        facts: Sequence[Taken] = (),
        loops: Sequence[Invariant] = (),
        falls: Callable[[State], z3.ArithRef] | None = None,
    ) -> Iterator[Part]:
        """That it holds of a function of many statements, where something else is claimed as well.

        Args:
            function: as it is now.
            claim: what else.
            facts: what others show.
            loops: their invariants.
            falls: a number of the arguments, never below zero and less wherever the function calls itself,
                where what is said of it is known.
        """

        def claimed(way: Way) -> Labelled:
            said = [*self.ensures(self.takes, way.value), *self.at(self.takes, way.value, POINT)]
            return [*said, *claim(way)]

        if falls is not None:
            names = {**function.__globals__, self.function.__name__: self._lesser(falls).law()}
            function = FunctionType(function.__code__, names, function.__name__)
        parts = read_procedure(function, self.takes, claimed, facts=self._known(facts), loops=loops)
        yield from self._marked(parts)

    def law(self, *points: Any) -> Law:
        """What stands for the function where another one calls it.

        Args:
            points: of which numbers what holds of every one is used.
        """
        told = (z3.Int(f"{OWN}function {self.function.__name__}"),)
        return Law(lambda _, *given: self._called(given, points), told, self.function)

    def _lesser(self, falls: Callable[[State], z3.ArithRef]) -> Specification:
        """What is said of arguments of which a number is less."""

        def requires(given: State) -> Labelled:
            less = z3.And(falls(given) >= 0, falls(given) < falls(self.takes))
            return [*self.requires(given), ("it comes to an end", less)]

        return replace(self, by=INDUCTION, requires=requires)

    def value(self, *given: Value, **named: Value) -> Value:
        """What the function returns of these arguments: whatever it is, it depends on all of them."""
        return self._value(parameters_given(self.function, given, named))

    def _value(self, given: State) -> Value:
        told = [term for value in given.values() for term in leaves(value)]
        sorts = [term.sort() for term in told]

        def part(name: str, kind: type | z3.SortRef, *more: Any) -> Any:
            result = z3.BoolSort() if kind is bool else z3.IntSort() if isinstance(kind, type) else kind
            named = f"{OWN}{name} of {self.function.__name__}, {''.join(str(sort)[0] for sort in sorts)}"
            made = z3.Function(named, *sorts, *(term.sort() for term in more), result)
            whole = made(*told, *more)
            return wrapped(kind, whole) if isinstance(kind, type) else whole

        return self.gives(given, part)

    def _called(self, positional: Sequence[Value], points: Sequence[Any]) -> Value:
        code = self.function.__code__
        by_name = dict(
            zip(code.co_varnames[code.co_argcount :], positional[code.co_argcount :], strict=False)
        )
        given = parameters_given(self.function, positional[: code.co_argcount], by_name)
        own = leaves(self.like) if self.like is not None else ()
        if not _are_arbitrary(own) or not all(str(term).startswith(OWN) for term in own):
            raise LiftError(f"{self.function.__name__} requires something of one value only")
        value, calls = self._value(given), CALLS.get()
        if calls is None:
            return value
        with noting_calls() as inner:
            needed = [*self.requires(given), *self.each(given, self.like)]
            known = [
                *self.ensures(given, value),
                *(one for at in points for one in self.at(given, value, at)),
            ]
        if inner.needed:
            raise LiftError(f"{self.function.__name__} is handed a function that requires something")
        calls.needed.extend(goal for _, goal in needed)
        said = z3.Implies(every([goal for _, goal in needed]), every([goal for _, goal in known]))
        form = FACT if self.by == INDUCTION else LAW
        calls.known.extend((*inner.known, Taken(said, self.words, self.by, form)))
        return value

    def _known(self, facts: Sequence[z3.BoolRef]) -> tuple[z3.BoolRef, ...]:
        """The hypotheses: what is required of arbitrary arguments, and what others show."""
        told = [term for value in self.takes.values() for term in leaves(value)]
        if not _are_arbitrary(told):
            raise LiftError(f"{self.function.__name__} is not read with arbitrary arguments")
        if any(not isinstance(fact, Taken) for fact in facts):
            raise LiftError(f"{self.function.__name__} is read with a fact that nothing shows")
        return (*(formula for _, formula in self.requires(self.takes)), *facts)

    def _of_each(self, point: Any) -> list[z3.BoolRef]:
        return [formula for _, formula in self.each(self.takes, SymToken(point))]

    def _marked(self, parts: Iterator[Part]) -> Iterator[Part]:
        for part in parts:
            yield replace(part, shows=self.words)


class Composed:
    """Functions with a specification called one after the other, of arbitrary values.

    Args:
        facts: what is known of the values.
    """

    def __init__(self, *facts: z3.BoolRef) -> None:
        self._facts, self._parts = facts, list[Part]()

    def call(self, said: Specification, *given: Value, points: Sequence[Any] = ()) -> Value:
        """What a function returns; what it requires is shown of what is known before."""
        with noting_calls() as calls:
            value = said.law(*points)(*given)
        self._parts.append(Part("called", self._facts, (("as it requires", every(calls.needed)),)))
        self._facts = (*self._facts, *calls.known)
        return value

    def shows(self, place: str, goals: Labelled, *known: z3.BoolRef) -> Iterator[Part]:
        """That something follows, and that each call is as its function requires."""
        yield from self._parts
        self._parts.clear()
        yield Part(place, (*self._facts, *known), tuple(goals))

"""Whether a proof says something: its cases can happen, its calls matter, and its rules are reached.

That the facts of a claim can hold together is asked of every claim before it is proved. It does not suffice:
`x > 3 and x < 2` may be in an antecedent, and a claim may never look at what it lifts. So of each claim
that is proved it is asked as well

- whether every antecedent, every disjunct of a fact or a goal and both sides of an equivalence can hold
  together with the facts;
- whether an arbitrary result in the place of each lifted one makes it false; the same of all calls of a
  function together, then with equal results for equal arguments;
- whether every rule that its obligation names is among what it lifts, or is called from there.

Nothing here proves a claim: all it can do is to refuse a proof.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import combinations
from typing import Any

import z3

from tenure.readings import Reading
from tenure.rules.registry import all_rules
from tenure_proofs.budgets import Budget
from tenure_proofs.reached import rules_reached
from tenure_proofs.registry import Obligation, Verdict, reading_of
from tenure_proofs.solvers import Question, Z3Answer, ask_z3
from tenure_proofs.trusted.claim import Call, Claim, Lifted, Lifting, Traces
from tenure_proofs.trusted.domains import constant, leaves, presence
from tenure_proofs.trusted.shapes import Built, Formula, Maybe, Passed, Shape
from tenure_proofs.trusted.symbols import SymBool, SymOptional, SymRecord

Found = tuple[Verdict, str]
"""What is wrong, as a verdict and in words."""

_LONGEST = 200
"""Letters of a condition that a message shows."""


def vacuity_of(obligation: Obligation, column: str, traces: Traces) -> Found | None:
    """Cases of a proved obligation that never occur, and calls that its proof does not look at.

    Args:
        obligation: one that is proved.
        column: the reading under which it is.
        traces: formulas shared with other claims.

    Returns:
        all of them in words, or that a solver did not know; None where there is nothing of the kind.
    """
    claim = _Opaque(reading_of(column), traces)
    obligation.state(claim)
    found = [
        *_impossible_cases(claim, obligation.budget),
        *_idle_calls(claim, obligation.irrespective_of, obligation.budget),
    ]
    if not found:
        return None
    verdicts, words = zip(*found, strict=True)
    return Verdict.VACUOUS if Verdict.VACUOUS in verdicts else Verdict.UNKNOWN, "; ".join(words)


def unreached(obligation: Obligation, column: str, claim: Claim) -> Found | None:
    """The rules that a proved obligation names, and that nothing which it lifts calls; None without one.

    Args:
        obligation: one that is proved.
        column: the reading under which it is.
        claim: its statement under that reading.
    """
    reached = rules_reached(*(call.function for call in claim.calls))
    missing = [rule for rule in obligation.rules if rule not in reached]
    if not missing:
        return None
    return Verdict.VACUOUS, (
        f"it names {', '.join(missing)}, and nothing that it lifts under {column} calls that: "
        "lift what does, or leave the rule out of `rules`"
    )


_RULES = {entry.function: entry.id for entry in all_rules()}


# Calls, and results that may be anything


@dataclass(slots=True, eq=False)
class _Result:
    """What a call returns, under names of its own.

    Args:
        call: the call as it was lifted.
        shown: the call in words.
        means: each name, and the term that it stands for.
        typed: what the type of the result promises of the names.
        formula: the call's formula, with names in the place of what it returns.
        returns: that it returns, by a name unless it always does.
    """

    call: Call
    shown: str
    means: list[tuple[z3.ExprRef, z3.ExprRef]] = field(default_factory=list)
    typed: list[z3.BoolRef] = field(default_factory=list)
    formula: Formula = field(init=False)
    returns: z3.BoolRef = field(init=False)

    def __post_init__(self) -> None:
        real = self.call.formula
        value = self._shape(real.value, "", typing.get_type_hints(self.call.function).get("return"))
        always = z3.is_true(z3.simplify(real.defined))
        self.formula = Formula(value, real.defined)
        self.returns = real.defined if always else self.name(real.defined, " returns")

    @property
    def definitions(self) -> z3.BoolRef:
        """The names mean what the function returns."""
        return z3.And([name == term for name, term in self.means])

    def name(self, term: z3.ExprRef, path: str) -> Any:
        """A name for a term."""
        name = z3.Const(f"{self.shown}{path}", term.sort())
        self.means.append((name, term))
        return name

    def _shape(self, shape: Shape, path: str, hint: Any) -> Shape:
        match shape:
            case Maybe(present, value):
                return Maybe(self.name(present, f"{path} is set"), self._scalar(value, path, hint))
            case Built(cls, fields):
                hints = typing.get_type_hints(typing.get_origin(hint) or hint)
                parts = ((name, self._shape(inner, f"{path}.{name}", hints[name])) for name, inner in fields)
                return Built(cls, tuple(parts))
            case Passed():
                return shape
        return self._scalar(shape, path, hint)

    def _scalar(self, term: z3.ExprRef, path: str, hint: Any) -> Any:
        name = self.name(term, path)
        if isinstance(hint, type) and issubclass(hint, IntEnum):
            self.typed.append(z3.Or([name == int(member) for member in hint]))
        return name


class _Opaque(Claim):
    """A claim whose lifted results are names, so that any result can be put in the place of one."""

    def __init__(self, reading: Reading, traces: Traces) -> None:
        super().__init__(reading, traces)
        self.results: dict[int, _Result] = {}
        self.assumed: list[z3.BoolRef] = []
        self.claimed: list[z3.BoolRef] = []

    def lift(self, function: Callable[..., Any]) -> Lifting:
        """A function whose results are names."""
        return _OpaqueLifting(self, function)

    def assume(self, *facts: SymBool) -> None:
        """Facts, told from what is granted of types and axioms."""
        super().assume(*facts)
        self.assumed.extend(fact.term for fact in facts)

    def prove(self, *goals: SymBool) -> None:
        """Goals, told from those that a function returns at all."""
        super().prove(*goals)
        self.claimed.extend(goal.term for goal in goals)

    def result_of(self, call: Call) -> _Result:
        """What a call returns; equal calls are one, which the traces keep."""
        if id(call) not in self.results:
            shown = f"{call.function.__name__}({', '.join(map(_shown, call.arguments))})"
            again = sum(result.shown.partition("'")[0] == shown for result in self.results.values())
            self.results[id(call)] = _Result(call, f"{shown}'{again}" if again else shown)
        return self.results[id(call)]


@dataclass(frozen=True, slots=True)
class _OpaqueLifting(Lifting):
    """A function that a statement calls, and gets names for what it returns."""

    def __call__(self, *arguments: Any) -> Lifted:
        """Names for what the function returns of these arguments."""
        assert isinstance(self.claim, _Opaque)
        Lifting.__call__(self, *arguments)
        result = self.claim.result_of(self.claim.calls[-1])
        return _OpaqueLifted(self.claim, Call(self.function, arguments, result.formula), result)


@dataclass(frozen=True, slots=True)
class _OpaqueLifted(Lifted):
    """Names for a result. That the function returns at all is claimed of the function, not of the names."""

    result: _Result

    @property
    def defined(self) -> SymBool:
        """Whether the function returns: by a name."""
        return SymBool(self.result.returns)

    def hands_on(self, name: str, argument: Any) -> SymBool:
        """Whether it is this very argument: a name for the answer."""
        return SymBool(self.result.name(Lifted.hands_on(self, name, argument).term, f".{name} is handed on"))


def _parts(argument: Any) -> Iterator[Any]:
    """An argument's terms in order, and what else tells it from others; what is None counts as 0."""
    match argument:
        case SymRecord():
            yield from _parts_of_record(argument)
        case SymOptional():
            yield from _where_set(argument.present.term, argument.value.term)
        case bool() | int():
            yield z3.BoolVal(argument) if isinstance(argument, bool) else z3.IntVal(int(argument))
        case _:
            yield getattr(argument, "term", repr(argument))


def _parts_of_record(record: SymRecord) -> Iterator[Any]:
    for leaf, scalar, optional in leaves(record._name, record._domain):
        name = leaf[len(record._name) + 1 :]
        if name in record._fixed:
            yield repr(record._fixed[name])
        elif optional:
            yield from _where_set(presence(leaf), constant(leaf, scalar))
        else:
            yield constant(leaf, scalar)


def _where_set(present: z3.BoolRef, value: z3.ExprRef) -> Iterator[z3.ExprRef]:
    nothing = z3.BoolVal(False) if z3.is_bool(value) else z3.IntVal(0)
    yield from (present, z3.If(present, value, nothing))


def _shown(argument: Any) -> str:
    match argument:
        case SymRecord():
            return str(argument._name)
        case SymOptional():
            return str(argument.value.term)
        case IntEnum():
            return argument.name
    return _plain(getattr(argument, "term", argument))


def _plain(term: Any) -> str:
    words = " ".join(str(term).split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"


def _equal_where_asked_alike(results: Iterable[_Result]) -> Iterator[z3.BoolRef]:
    """Of equal arguments one function returns equal results."""
    for one, other in combinations(results, 2):
        asked_alike = _equal_arguments(one.call, other.call)
        if asked_alike is not None:
            same = [name == its for (name, _), (its, _) in zip(one.means, other.means, strict=False)]
            yield z3.Implies(asked_alike, z3.And(same))


def _equal_arguments(one: Call, other: Call) -> z3.BoolRef | None:
    """When two calls of a function have equal arguments; None where they never have."""
    mine, theirs = (
        [part for argument in call.arguments for part in _parts(argument)] for call in (one, other)
    )
    equal = [_equal(left, right) for left, right in zip(mine, theirs, strict=False)]
    found = [item for item in equal if item is not None]
    return z3.And(found) if len(found) == len(mine) == len(theirs) else None


def _equal(left: Any, right: Any) -> z3.BoolRef | None:
    if isinstance(left, z3.ExprRef) and isinstance(right, z3.ExprRef):
        return left == right if left.sort() == right.sort() else None
    alike = not isinstance(left, z3.ExprRef) and not isinstance(right, z3.ExprRef) and left == right
    return z3.BoolVal(True) if alike else None


def _idle_calls(claim: _Opaque, irrespective_of: Mapping[str, str], budget: Budget) -> Iterator[Found]:
    """Calls, and functions, for which an arbitrary result does as well."""
    results = [
        result
        for result in claim.results.values()
        if not {_called(result), result.shown} & irrespective_of.keys()
    ]
    functions = dict.fromkeys(result.call.function for result in results)
    together = [[result for result in results if result.call.function is function] for function in functions]
    for free in ([result] for result in results):
        yield from _complaint(free, _needs(claim, free, free[0].typed, budget))
    for free in (row for row in together if len(row) > 1):
        typed = [fact for result in free for fact in result.typed]
        yield from _complaint(free, _needs(claim, free, [*typed, *_equal_where_asked_alike(free)], budget))


def _complaint(free: list[_Result], answer: Z3Answer) -> Iterator[Found]:
    called = _called(free[0])
    what = f"{called} returns" if len(free) > 1 else f"{called} returns as {_plain(free[0].shown)}"
    if answer.said == "unsat":
        yield (
            Verdict.VACUOUS,
            (
                f"it is proved whatever {what}: claim something of that, leave the call out, or say in "
                "`irrespective_of` why it is there"
            ),
        )
    elif answer.said == "unknown":
        yield Verdict.UNKNOWN, f"whether it needs what {what} is {answer.words}"


def _called(result: _Result) -> str:
    function = result.call.function
    return _RULES.get(function, function.__name__)


def _needs(claim: _Opaque, free: list[_Result], arbitrary: Iterable[z3.BoolRef], budget: Budget) -> Z3Answer:
    """Whether the claim is false with other results in the place of some: `sat` where it can be."""
    known = (result.definitions for result in claim.results.values() if result not in free)
    return ask_z3(Question((*claim.facts, *known, *arbitrary, z3.Not(z3.And(claim.goals))), budget))


# Cases


@dataclass(frozen=True, slots=True)
class _Case:
    """Something of which a fact or a goal speaks.

    Args:
        what: what it is of it.
        shown: the condition that it is about.
        holds: what must be possible together with the facts.
    """

    what: str
    shown: z3.BoolRef
    holds: tuple[z3.BoolRef, ...]


def _cases(claim: _Opaque) -> Iterator[_Case]:
    """Every case of which a claim speaks."""
    for fact in claim.assumed:
        yield from _of_premise(fact, ())
    for goal in claim.claimed:
        yield from _of_goal(goal, ())


def _of_goal(term: z3.BoolRef, under: tuple[z3.BoolRef, ...]) -> Iterator[_Case]:
    """The cases of something claimed under conditions."""
    parts = term.children()
    if z3.is_and(term):
        for part in parts:
            yield from _of_goal(part, under)
    elif z3.is_implies(term):
        yield from _of_implication(parts[0], parts[1], under)
    elif z3.is_or(term):
        yield from _of_alternatives(parts, under)
    elif z3.is_not(term):
        yield from _of_denial(parts[0], under)
    elif z3.is_eq(term) and z3.is_bool(parts[0]):
        for side in parts:
            yield from _both_ways("one side of an equivalence", side)
            yield from _of_premise(side, ())


def _of_implication(
    condition: z3.BoolRef, consequence: z3.BoolRef, under: tuple[z3.BoolRef, ...]
) -> Iterator[_Case]:
    yield _Case("the antecedent", condition, (*under, condition))
    yield from _of_premise(condition, ())
    yield from _of_goal(consequence, (*under, condition))


def _of_alternatives(parts: list[z3.BoolRef], under: tuple[z3.BoolRef, ...]) -> Iterator[_Case]:
    """Alternatives of which some are negations are an implication in other words."""
    conditions = [part.arg(0) for part in parts if z3.is_not(part)]
    alternatives = [part for part in parts if not z3.is_not(part)]
    if conditions and alternatives:
        rest = z3.Or(alternatives) if len(alternatives) > 1 else alternatives[0]
        yield from _of_implication(z3.And(conditions), rest, under)
    for part in conditions if not alternatives else alternatives if not conditions else ():
        yield from _both_ways("an alternative", part)
        yield from _of_premise(part, ())


def _of_denial(term: z3.BoolRef, under: tuple[z3.BoolRef, ...]) -> Iterator[_Case]:
    """The cases of what is claimed never to hold: of a conjunction, that each part may."""
    parts = term.children()
    if z3.is_and(term):
        for part in parts:
            yield _Case("a condition", part, (part,))
    elif z3.is_not(term):
        yield from _of_goal(parts[0], under)
    elif z3.is_implies(term):
        yield from _of_goal(parts[0], under)
        yield from _of_denial(parts[1], under)


def _of_premise(term: z3.BoolRef, beside: tuple[z3.BoolRef, ...]) -> Iterator[_Case]:
    """The cases of something that is assumed beside other conditions."""
    parts = term.children()
    if z3.is_and(term):
        for part in parts:
            yield from _of_premise(part, (*beside, *(item for item in parts if item is not part)))
    elif z3.is_or(term):
        for part in parts:
            if not z3.is_false(part):
                yield _Case("a case", part, (*beside, part))
                yield from _of_premise(part, beside)
    elif z3.is_implies(term):
        yield _Case("the antecedent", parts[0], (*beside, term, parts[0]))
        yield from _of_premise(parts[1], (*beside, parts[0]))


def _both_ways(what: str, term: z3.BoolRef) -> Iterator[_Case]:
    if not z3.is_true(term) and not z3.is_false(term):
        yield _Case(what, term, (term,))
        yield _Case(f"the opposite of {what}", term, (z3.Not(term),))


def _impossible_cases(claim: _Opaque, budget: Budget) -> Iterator[Found]:
    """Cases that never occur together with the facts. Values that show one show many others too."""
    known = (*claim.facts, *(result.definitions for result in claim.results.values()))
    rest = list({(case.what, case.shown.get_id()): case for case in _cases(claim)}.values())
    if rest and (some := ask_z3(Question(known, budget)).model) is not None:
        rest = _not_shown(rest, some)
    while rest:
        case = rest.pop()
        answer = ask_z3(Question((*known, *case.holds), budget))
        if answer.model is not None:
            rest = _not_shown(rest, answer.model)
        elif answer.said == "unsat":
            yield (
                Verdict.VACUOUS,
                (
                    f"{case.what} never occurs together with the facts: {_plain(case.shown)}; "
                    "state one that can, or leave it out"
                ),
            )
        else:
            yield Verdict.UNKNOWN, f"whether it can occur is {answer.words}: {_plain(case.shown)}"


def _not_shown(cases: list[_Case], values: z3.ModelRef) -> list[_Case]:
    def is_shown(case: _Case) -> bool:
        return all(z3.is_true(values.eval(hold, model_completion=True)) for hold in case.holds)

    return [case for case in cases if not is_shown(case)]

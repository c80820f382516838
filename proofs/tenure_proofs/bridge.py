"""The bridge: plain execution against both formulas, on whole numbers near the boundaries.

Wide ranges miss off-by-ones, so Hypothesis draws from a few small numbers and from the constants that
the rules compare with, one below and one above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import z3
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tenure.model import MINUTE
from tenure_proofs.budgets import LIFTERS
from tenure_proofs.crosscheck import tracer
from tenure_proofs.crosscheck.comparing import equivalent, terms_of
from tenure_proofs.crosscheck.parameters import formula_of, parameters_of, well_typed_parameters
from tenure_proofs.models import agrees, text_of
from tenure_proofs.trusted.claim import Call
from tenure_proofs.trusted.domains import (
    Domain,
    LiftError,
    Optional,
    Record,
    Scalar,
    constant,
    leaves,
    presence,
    well_typed,
)
from tenure_proofs.trusted.shapes import Formula
from tenure_proofs.trusted.symbols import SymEnum, SymOptional, SymRecord

EPOCH = 1_785_758_400_000_000_000
"""A Monday morning of August 2026, ns."""

NEAR = tuple(
    number + step
    for number in (
        0,
        2,
        1_000_000,
        MINUTE,
        2 * MINUTE,
        EPOCH,
        EPOCH + 4 * 60 * MINUTE,
        2**31,
        -(2**31),
        2**63,
        -(2**63),
    )
    for step in (-1, 0, 1)
)
"""What numbers are compared with and where they end, with neighbours: small ones, the requeue epsilon, the
shortest duration, real instants, and the ends of 32 and of 64 bits."""


@dataclass(frozen=True, slots=True)
class LiftReport:
    """Whether a function's two formulas and its plain execution are the same.

    Args:
        function: its name.
        examples: how many executions were compared.
        problem: what differs; empty when nothing does.
        undecided: whether the problem is only that the solver has no answer.
    """

    function: str
    examples: int
    problem: str
    undecided: bool = False


def check_lifting(function: Callable[..., Any], examples: int, random_seed: int) -> LiftReport:
    """Prove the tracer's formula equal to the syntax lifter's, and compare both with execution.

    Args:
        function: a rule, or the door.
        examples: how many executions to compare.
        random_seed: reproduces the executions.
    """
    read, traced = formula_of(function), tracer.formula_of(function)
    problem, undecided = _difference(well_typed_parameters(function), traced, read)
    if not problem:
        problem = _executed(function, traced, read, examples, random_seed)
    return LiftReport(function.__name__, examples, problem, undecided)


def check_call(call: Call) -> LiftReport:
    """Prove the tracer's formula of a claim's own call equal to the one that the claim is made of."""
    name = call.function.__name__
    try:
        traced = tracer.trace(call.function, *call.arguments)
    except LiftError as error:
        return LiftReport(name, 0, f"the tracer cannot read it: {error}")
    problem, undecided = _difference(_typed(call.arguments), traced, call.formula)
    return LiftReport(name, 0, problem, undecided)


def _typed(arguments: Iterable[Any]) -> list[z3.BoolRef]:
    """What the types of a call's arguments promise: an enum is one of its members."""
    facts: list[z3.BoolRef] = []
    for argument in arguments:
        match argument:
            case SymRecord():
                facts += well_typed(argument._name, argument._domain)
            case SymEnum(cls=cls, term=term):
                facts.append(z3.Or([term == int(member) for member in cls]))
            case SymOptional(value=value):
                facts += _typed([value])
    return facts


_INT = z3.IntSort()
_ANY_OPERATION = {
    kind: z3.Function(f"any {name}", _INT, _INT, _INT)
    for kind, name in (
        (z3.Z3_OP_MUL, "product"),
        (z3.Z3_OP_IDIV, "quotient"),
        (z3.Z3_OP_MOD, "remainder"),
    )
}
"""What may stand for a product, quotient or remainder where it does not matter which number it is."""


def _difference(facts: list[z3.BoolRef], traced: Formula, read: Formula) -> tuple[str, bool]:
    """Where two formulas of one call differ, if anywhere, and whether that is only not known."""
    # Two formulas mostly have the same products of the same numbers. Where they are one whatever a product
    # is, they are one; that is known at once, and else a question for tactics, which the core takes thirty
    # times as long for. There are many calls: a context of its own would take longer than an answer.
    question = z3.And(*facts, z3.Not(equivalent(traced, read)))
    if not _is_linear(question):
        whatever = _whatever_products_are(question, {})
        if _asked(z3.SimpleSolver(), whatever) == z3.unsat:
            return "", False
    said = _asked(solver := z3.Solver(), question)
    if said == z3.unknown:
        return "whether tracer and syntax lifter differ is not known within the budget", True
    return f"tracer and syntax lifter differ (sat): {solver.model()}" if said == z3.sat else "", False


def _is_linear(question: z3.BoolRef) -> bool:
    """Whether a question has no products but with numbers."""
    goal = z3.Goal()
    goal.add(question)
    return bool(z3.Probe("is-qflia")(goal))


def _asked(solver: z3.Solver, question: z3.BoolRef) -> z3.CheckSatResult:
    solver.set("rlimit", LIFTERS.z3)
    solver.set("timeout", int(LIFTERS.clock_s * 1000))
    solver.add(question)
    return solver.check()


def _whatever_products_are(term: z3.ExprRef, made: dict[int, z3.ExprRef]) -> z3.ExprRef:
    """A term with functions of which nothing is known for products and quotients; signs stay signs."""
    if term.get_id() not in made:
        parts = [_whatever_products_are(part, made) for part in term.children()]
        kind = term.decl().kind()
        sign = kind == z3.Z3_OP_MUL and any(z3.is_int_value(part) and part.as_long() == -1 for part in parts)
        operation = None if sign or len(parts) != 2 else _ANY_OPERATION.get(kind)
        if operation is not None:
            made[term.get_id()] = operation(*parts)
        else:
            changed = any(not one.eq(other) for one, other in zip(parts, term.children(), strict=True))
            made[term.get_id()] = term.update(*parts) if changed else term
    return made[term.get_id()]


def _executed(
    function: Callable[..., Any],
    traced: Formula,
    read: Formula,
    examples: int,
    random_seed: int,
) -> str:
    parameters = parameters_of(function)
    problems: list[str] = []
    mentioned = _constants((traced, read))

    @seed(random_seed)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.fixed_dictionaries({name: _strategy(domain) for name, domain in parameters.items()}))
    def compare(arguments: dict[str, Any]) -> None:
        model = _model(parameters, arguments, mentioned)
        outcome = _execute(function, parameters, arguments)
        for lifter, formula in (("tracer", traced), ("syntax lifter", read)):
            if not outcome.agrees_with(formula, model):
                problems.append(f"the {lifter}'s formula differs from execution on {arguments!r}")
                raise AssertionError(problems[-1])

    try:
        compare()
    except AssertionError:
        return f"{problems[-1]} (seed {random_seed})"
    return ""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What plain execution did: returned something, or raised."""

    returned: bool
    result: Any = None

    def agrees_with(self, formula: Formula, model: z3.ModelRef) -> bool:
        if z3.is_true(model.eval(formula.defined, model_completion=True)) != self.returned:
            return False
        return not self.returned or agrees(self.result, formula.value, model)


def _execute(
    function: Callable[..., Any], parameters: dict[str, Domain], arguments: dict[str, Any]
) -> _Outcome:
    try:
        return _Outcome(
            True, function(*(_python(domain, arguments[name]) for name, domain in parameters.items()))
        )
    except Exception:  # noqa: BLE001 - raising is what an undefined formula says
        return _Outcome(False)


def _model(
    parameters: dict[str, Domain], arguments: dict[str, Any], mentioned: Mapping[int, z3.ExprRef]
) -> z3.ModelRef:
    model = z3.Model()
    for name, domain in parameters.items():
        for term, value in _pinned(name, domain, arguments[name]):
            if term.get_id() in mentioned:
                model.update_value(term, z3.BoolVal(value) if z3.is_bool(term) else z3.IntVal(value))
    return model


def _constants(formulas: Iterable[Formula]) -> Mapping[int, z3.ExprRef]:
    """The solver constants that some formulas mention, by the solver's number."""
    rest = [term for formula in formulas for term in (formula.defined, *terms_of(formula.value))]
    seen: dict[int, z3.ExprRef] = {}
    while rest:
        term = rest.pop()
        if term.get_id() not in seen:
            seen[term.get_id()] = term
            rest.extend(term.children())
    return {number: term for number, term in seen.items() if z3.is_const(term)}


def _strategy(domain: Domain) -> st.SearchStrategy[Any]:
    match domain:
        case Record(_, fields):
            return st.fixed_dictionaries({name: _strategy(inner) for name, inner in fields})
        case Optional(inner):
            return st.none() | _strategy(inner)
        case Scalar(sort):
            if sort is bool:
                return st.booleans()
            if issubclass(sort, IntEnum):
                return st.sampled_from(list(sort))
            return st.sampled_from(NEAR if sort is int else (0, 1, 2))


def _python(domain: Domain, drawn: Any) -> Any:
    match domain:
        case Record(cls, fields):
            return cls(**{name: _python(inner, drawn[name]) for name, inner in fields})
        case Optional(inner):
            return None if drawn is None else _python(inner, drawn)
        case Scalar(sort):
            return text_of(drawn) if sort is str else drawn


def _pinned(name: str, domain: Domain, drawn: Any) -> list[tuple[z3.ExprRef, Any]]:
    """Every solver constant below a named argument, with the drawn value."""
    pinned: list[tuple[z3.ExprRef, Any]] = []
    for leaf, scalar, optional in leaves(name, domain):
        value = drawn
        for part in leaf.removeprefix(name).split(".")[1:]:
            value = value[part]
        if optional:
            pinned.append((presence(leaf), value is not None))
        if value is not None:
            pinned.append((constant(leaf, scalar), value if scalar.sort is bool else int(value)))
    return pinned

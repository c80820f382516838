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
from tenure_proofs.models import agrees, text_of
from tenure_proofs.solvers import Question, ask_z3
from tenure_proofs.trusted import ast_lifter, tracer
from tenure_proofs.trusted.domains import (
    Domain,
    Optional,
    Record,
    Scalar,
    constant,
    leaves,
    parameters_of,
    presence,
    well_typed_parameters,
)
from tenure_proofs.trusted.shapes import Formula, equivalent, terms_of

NEAR = (-1, 0, 1, 2, 3, 1_000_000, 1_000_001, MINUTE - 1, MINUTE, MINUTE + 1, 2 * MINUTE, 2 * MINUTE + 1)
"""Small numbers, the requeue epsilon and the shortest duration, with their neighbours."""


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
    traced, read = tracer.formula_of(function), ast_lifter.formula_of(function)
    different = z3.Not(equivalent(traced, read))
    answer = ask_z3(Question((*well_typed_parameters(function), different), LIFTERS))
    if answer.said == "unknown":
        problem = f"whether tracer and syntax lifter differ is not known: {answer.why}"
    elif answer.said == "sat":
        problem = f"tracer and syntax lifter differ (sat): {answer.model}"
    else:
        problem = _executed(function, traced, read, examples, random_seed)
    return LiftReport(function.__name__, examples, problem, undecided=answer.said == "unknown")


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

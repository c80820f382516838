"""What a decision returns, of any number of candidates: the last step of `tenure.oracle.decide`, as it is.

Whatever a search for targets finds, each of its candidates is handed to the door, with what the decision
itself says of the preemptor, the terms and the clock. So what is proved of the door holds of every target of
every decision.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import z3

from tenure.choices import Outcome
from tenure.model import Assignment
from tenure.oracle import decide
from tenure.oracle.partial import Trial
from tenure.oracle.question import Candidate
from tenure.oracle.snapshot import Snapshot
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.standins import token
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Given, Row, State, Way, returned
from tenure_proofs.trusted.specified import Specification, there_is_one
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken, wrapped


class Told(Given):
    """A function of tokens and numbers, of which nothing more is said."""

    def __call__(self, *told: Any) -> Any:
        there = [value.value if isinstance(value, SymOptional) else value for value in told]
        return wrapped(self.result, self.meaning(*(value.term for value in there)))


def _of(name: str, place: Any) -> SymToken:
    # No constant has this name too: cvc5 would take one for the other.
    return SymToken(z3.Function(f"{name} of the candidate", z3.IntSort(), z3.IntSort())(place))


def _selected(place: Any) -> SymOptional:
    """What a PreemptionConfig selects a candidate by, if it does."""
    selected = z3.Function("selected by a PreemptionConfig", z3.IntSort(), z3.BoolSort())(place)
    return SymOptional(SymBool(selected), _of("selected", place))


def seeing(function: Callable[..., Any], **others: Any) -> FunctionType:
    """The same function where some of the names that it sees stand for something else.

    Raises:
        LiftError: it sees no such name, so that nothing would stand for it.
    """
    assert isinstance(function, FunctionType)
    unseen = others.keys() - function.__globals__.keys() - vars(builtins).keys()
    if unseen:
        raise LiftError(f"{function.__name__} sees no {', '.join(sorted(unseen))}")
    return FunctionType(function.__code__, {**function.__globals__, **others}, function.__name__)


def said(rule: Callable[..., Any], **given: Value) -> Any:
    """What a rule says, as a term."""
    value, _ = returned(rule, **given)  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    return value.term


def handed(*pairs: tuple[Any, Any]) -> None:
    """Refuse a call that hands over other records or arrays than a law speaks of.

    Raises:
        LiftError: it does.
    """
    for found, expected in pairs:
        if found is not expected:
            raise LiftError(f"a law about {expected!r} is handed {found!r}")


DOOR = z3.Function("take_target", *[z3.IntSort()] * 7)
CONFIGURED = z3.Function("take_configured_target", *[z3.IntSort()] * 4)
KIN = z3.Function("kin_between", *[z3.IntSort()] * 4)
ASKS = Told(6, SymToken, DOOR)
ASKS_CONFIGURED = Told(3, SymToken, CONFIGURED)
RELATED = Given(3, SymToken, KIN)
OUTCOMES = Made(
    Outcome, {name: SymToken(z3.IntVal(number)) for number, name in enumerate(Outcome.__members__)}
)


def _outcome(name: str) -> Any:
    return OUTCOMES.fields[name].term


_COUNT = z3.Int("count")
DECIDED = Specification(
    "PO-ANY-200",
    "each target is what the door returns, where candidates are kept only where they are needed",
    decide._decided,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {
        "snapshot": Made(Snapshot, {"heroes": token("heroes"), "place": token("own")}),
        "preemptor": token("preemptor"),
        "trial": Made(
            Trial,
            {
                "assignment": Made(
                    Assignment,
                    {
                        "fits": SymBool(z3.Bool("fits")),
                        "needs_preemption": SymBool(z3.Bool("needs preemption")),
                    },
                )
            },
        ),
        "kept": Row(
            lambda at: Made(
                Candidate,
                {
                    **{name: _of(name, at) for name in ("workload", "evidence", "place")},
                    "selected": _selected(at),
                },
            ),
            _COUNT,
            told=(z3.Int("kept"),),
        ),
        "terms": token("terms"),
        "reading": token("reading"),
        "now": SymInt(z3.Int("now")),
        "trials": token("trials"),
    },
    lambda _, part: part("decision", SymToken),
    lambda *_: [],
    lambda given: [("candidates only where they are needed", _only_where_needed(given))],
)


def _only_where_needed(given: State) -> z3.BoolRef:
    assignment = given["trial"].fields["assignment"].fields
    needed = z3.And(assignment["fits"].term, assignment["needs_preemption"].term)
    return z3.Implies(there_is_one(given["kept"]), needed)


@theorem(
    "PO-ANY-200",
    about=(decide._decided, decide._taken, decide._outcome),
    size="any number of candidates, in any cluster, under every reading",
)
def every_target_of_a_decision_is_what_the_door_returns_of_that_decision(
    function: Callable[..., Any] = decide._decided,
) -> Iterator[Part]:
    """Each target is what the door returns of one candidate; there are as many targets as candidates.

    `take_target` is asked about the preemptor, the terms and the clock that the decision itself names, about
    the candidate's workload and evidence, and about how the tree relates the two ClusterQueues. So
    a claim that is proved of it, for all arguments, holds of every target of every decision of the
    reference that no PreemptionConfig selects. `take_configured_target` is asked about those that one
    selects: about the preemptor, the candidate's workload, and what selects it. The
    outcome is Preempt exactly where there are targets, and Fit exactly where none is needed.
    Candidates are kept only where preemption is needed, and may help: that is shown where this is called.
    """
    taken = seeing(
        decide._taken, take_target=ASKS, take_configured_target=ASKS_CONFIGURED, kin_between=RELATED
    )
    outcome = seeing(decide._outcome, Outcome=OUTCOMES)
    given, place = DECIDED.takes, z3.Int("place")
    assignment = given["trial"].fields["assignment"].fields
    fits, needs = assignment["fits"].term, assignment["needs_preemption"].term

    def of(way: Way) -> Labelled:
        told = way.value.fields
        targets, candidate = told["targets"], given["kept"].at(place).fields
        snapshot, found = told["snapshot"].fields, told["outcome"].term
        kin = KIN(snapshot["heroes"].term, snapshot["place"].term, candidate["place"].term)
        asked = (candidate["workload"].term, candidate["evidence"].term)
        door = DOOR(told["preemptor"].term, *asked, told["terms"].term, told["now"].term, kin)
        selected, by = candidate["selected"].present.term, candidate["selected"].value.term
        configured = CONFIGURED(told["preemptor"].term, candidate["workload"].term, by)
        preempts = (found == _outcome("PREEMPT")) == (targets.size > 0)
        return [
            ("as many as candidates", targets.size == _COUNT),
            ("what the door returns", targets.at(place).term == z3.If(selected, configured, door)),
            ("Preempt exactly where there are targets", preempts),
            ("Fit exactly where none is needed", (found == _outcome("FIT")) == z3.And(fits, z3.Not(needs))),
        ]

    yield from DECIDED.of_statements(seeing(function, _taken=taken, _outcome=outcome), of)

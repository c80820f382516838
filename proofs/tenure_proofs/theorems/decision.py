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

from tenure.model import Assignment, Outcome
from tenure.oracle import decide
from tenure.oracle.partial import Trial
from tenure.oracle.question import Candidate
from tenure.oracle.snapshot import Snapshot
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.standins import token
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.loops import Given, Row, every, returned
from tenure_proofs.trusted.specified import Taken
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymToken


class _Told(Given):
    """A function of tokens and numbers, of which nothing more is said."""

    def __call__(self, *told: Any) -> Any:
        return SymToken(self.meaning(*(value.term for value in told)))


def _of(name: str, place: Any) -> SymToken:
    # No constant has this name too: cvc5 would take one for the other.
    return SymToken(z3.Function(f"{name} of the candidate", z3.IntSort(), z3.IntSort())(place))


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


NEEDED = "candidates are kept only where preemption is needed, and may help"
DOOR = z3.Function("take_target", *[z3.IntSort()] * 7)
KIN = z3.Function("kin_between", *[z3.IntSort()] * 4)
ASKS = _Told(6, SymToken, DOOR)
RELATED = Given(3, SymToken, KIN)
OUTCOMES = Made(
    Outcome, {name: SymToken(z3.IntVal(number)) for number, name in enumerate(Outcome.__members__)}
)


def _outcome(name: str) -> Any:
    return OUTCOMES.fields[name].term


@theorem(
    "PO-ANY-200",
    about=(decide._decided, decide._taken, decide._outcome),
    size="any number of candidates, in any cluster, under every reading",
)
def every_target_of_a_decision_is_what_the_door_returns_of_that_decision(
    function: Callable[..., Any] = decide._decided,
) -> Iterator[Part]:
    """Each target is what `take_target` returns of one candidate; there are as many targets as candidates.

    The door is asked about the preemptor, the terms and the clock that the decision itself names, about the
    candidate's workload and evidence, and about how the tree relates the two ClusterQueues. So
    a claim that is proved of the door, for all arguments, holds of every target of every decision of the
    reference. The outcome is Preempt exactly where there are targets, and Fit exactly where none is needed.
    """
    count, place = z3.Int("count"), z3.Int("place")
    kept = Row(
        lambda at: Made(Candidate, {name: _of(name, at) for name in ("workload", "evidence", "place")}), count
    )
    fits, needs = SymBool(z3.Bool("fits")), SymBool(z3.Bool("needs preemption"))
    now = SymInt(z3.Int("now"))
    taken = seeing(decide._taken, take_target=ASKS, kin_between=RELATED)
    outcome = seeing(decide._outcome, Outcome=OUTCOMES)
    decision, needed = returned(
        seeing(function, _taken=taken, _outcome=outcome),
        snapshot=Made(Snapshot, {"heroes": token("heroes"), "place": token("own")}),
        preemptor=token("preemptor"),
        trial=Made(Trial, {"assignment": Made(Assignment, {"fits": fits, "needs_preemption": needs})}),
        kept=kept,
        terms=token("terms"),
        reading=token("reading"),
        now=now,
        trials=token("trials"),
    )
    said = decision.fields
    targets, candidate = said["targets"], kept.at(place).fields
    snapshot = said["snapshot"].fields
    kin = KIN(snapshot["heroes"].term, snapshot["place"].term, candidate["place"].term)
    asked = (candidate["workload"].term, candidate["evidence"].term)
    door = DOOR(said["preemptor"].term, *asked, said["terms"].term, said["now"].term, kin)
    found = said["outcome"].term
    known = (count >= 0, Taken(z3.Implies(count > 0, z3.And(fits.term, needs.term)), NEEDED, "PO-ANY-235"))
    yield Part(
        "decided",
        known,
        (
            ("defined", every(needed)),
            ("as many as candidates", targets.size == count),
            ("what the door returns", targets.at(place).term == door),
            ("Preempt exactly where there are targets", (found == _outcome("PREEMPT")) == (targets.size > 0)),
            (
                "Fit exactly where none is needed",
                (found == _outcome("FIT")) == z3.And(fits.term, z3.Not(needs.term)),
            ),
        ),
    )

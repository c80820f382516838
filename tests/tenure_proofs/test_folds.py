"""A fold's step is read as it runs, whatever it is given; what would be read wrongly is refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
import z3

from tenure.oracle.selection import (
    Chain,
    FillBack,
    fill_back,
    fill_back_step,
    removal_step,
    remove_until_fits,
)
from tenure.readings import preset
from tenure_proofs.asked import Shared
from tenure_proofs.budgets import FLOOR
from tenure_proofs.crosscheck.comparing import terms_of
from tenure_proofs.models import concrete, replay
from tenure_proofs.registry import Obligation, Verdict, everywhere
from tenure_proofs.runner import verdict_of
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.logic import all_of
from tenure_proofs.trusted.schemas import (
    along_every_path,
    one_after_the_other,
    over_every_fold,
    over_every_sum,
)
from tenure_proofs.trusted.symbols import SymToken
from tenure_proofs.trusted.transitions import one_fewer_is_ahead, through_every_history

_Usage = TypeVar("_Usage")
_Item = TypeVar("_Item")
_State = FillBack[_Usage, _Item]
_Add = Callable[[_Usage, _Item], _Usage]


def asked(step: Callable[..., Any], *functions: tuple[str, type, int]) -> Claim:
    """A claim in which a step is used once, on an arbitrary state."""
    claim = Claim(preset("guaranteed"))
    lifted, watched = claim.lift(step), claim.token("watched")
    given = [claim.function(*function) for function in functions]
    lifted(claim.state("state", lifted, watched), claim.token("candidate"), *given)
    return claim


FILL_BACK = (fill_back_step, ("fits", bool, 1), ("add", SymToken, 2))
REMOVAL = (removal_step, ("stands", bool, 2), ("fits", bool, 1), ("remove", SymToken, 2))


def worlds(claim: Claim, count: int) -> Iterator[z3.ModelRef]:
    """Values of tokens, lists and functions, drawn so that conditions hold about as often as not."""
    draw = random.Random(7)
    tokens = [z3.Int(name) for name in ("watched", "candidate", "state.usage")]
    for _ in range(count):
        solver = z3.Solver()
        solver.add(*(token == draw.randrange(3) for token in tokens))
        for term in [term for term in _terms(claim) if z3.is_bool(term) and not z3.is_const(term)]:
            if z3.is_app(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                solver.push()
                solver.add(term == draw.choice((True, False)))
                if solver.check() != z3.sat:
                    solver.pop()
        assert solver.check() == z3.sat
        yield solver.model()


def _terms(claim: Claim) -> list[z3.ExprRef]:
    rest, seen = list(terms_of(claim.calls[0].formula.value)), {}
    while rest:
        term = rest.pop()
        seen[term.get_id()] = term
        rest.extend(term.children())
    return list(seen.values())


@pytest.mark.parametrize("step", [FILL_BACK, REMOVAL], ids=["fill back", "removal"])
def test_a_steps_formula_says_what_the_step_does(step: tuple[Any, ...]) -> None:
    claim = asked(*step)
    assert [replay(claim.calls[0], model) for model in worlds(claim, 60)] == [""] * 60


@pytest.mark.parametrize("step", [FILL_BACK, REMOVAL], ids=["fill back", "removal"])
def test_a_step_that_does_otherwise_than_its_formula_is_found(step: tuple[Any, ...]) -> None:
    claim = asked(*step)
    call = claim.calls[0]

    def forgetful(state: Any, *_: Any) -> Any:
        return state

    doctored = type(call)(forgetful, call.arguments, call.formula)
    found = [replay(doctored, model) for model in worlds(claim, 60)]
    assert any(name.startswith("forgetful returns") for name in found)


def test_a_list_is_handed_back_with_the_watched_or_without() -> None:
    claim = asked(*FILL_BACK)
    state = claim.arguments["state"]
    solver = z3.Solver()
    solver.add(z3.Int("watched") == 4, state.kept.contains.term, z3.Not(state.spared.contains.term))
    assert solver.check() == z3.sat
    made = concrete(state, solver.model())
    assert isinstance(made, FillBack)
    assert (list(made.kept), 4 in list(made.spared or ())) == ([4], False)


def compares_tokens(state: _State[_Usage, _Item], candidate: _Item) -> _State[_Usage, _Item]:
    return state if state.usage == candidate else FillBack(state.usage, Chain(candidate, state.kept), None)


def asks_for_identity(state: _State[_Usage, _Item], candidate: _Item) -> _State[_Usage, _Item]:
    return state if state.spared is None else FillBack(state.usage, Chain(candidate), state.spared)


def asks_whether_a_list_is_empty(state: _State[_Usage, _Item], candidate: _Item) -> _State[_Usage, _Item]:
    return state if state.spared else FillBack(state.usage, Chain(candidate), state.spared)


def loops_over_a_list(state: _State[_Usage, _Item], candidate: _Item) -> _State[_Usage, _Item]:
    return state if candidate in list(state.kept) else FillBack(state.usage, Chain(candidate), state.spared)


def takes_a_candidate_for_true(state: _State[_Usage, _Item], candidate: _Item) -> _State[_Usage, _Item]:
    return state if candidate else FillBack(state.usage, Chain(candidate), state.spared)


def asks_for_a_class(state: _State[_Usage, _Item], candidate: _Item) -> _State[_Usage, _Item]:
    return state if isinstance(state.spared, Chain) else FillBack(state.usage, Chain(candidate), state.spared)


LOOKS_INTO: dict[Callable[..., Any], str] = {
    compares_tokens: "a SymToken compared with a SymToken",
    asks_for_identity: "whether a SymChain is None: that is not known",
    asks_whether_a_list_is_empty: "the truth of state.spared",
    loops_over_a_list: "a call of <class 'list'>",
    takes_a_candidate_for_true: "the truth of candidate",
    asks_for_a_class: "Chain'> is no constant that a rule may use",
}


@pytest.mark.parametrize("step", LOOKS_INTO, ids=lambda step: step.__name__)
def test_a_step_that_looks_into_what_it_is_handed_is_refused(step: Callable[..., Any]) -> None:
    with pytest.raises(LiftError, match=LOOKS_INTO[step]):
        asked(step)


def test_where_the_request_fits_already_one_target_too_many_is_kept() -> None:
    # The state of PO-KQ-260, through the real loops.
    def fits(usage: int) -> bool:
        return usage <= 4

    removal = remove_until_fits([1], 3, lambda *_: True, fits, lambda usage, item: usage - item)
    assert removal.removed is not None
    filled = fill_back(removal.removed, removal.usage, fits, lambda usage, item: usage + item)
    assert fits(3)
    assert list(filled.kept) == [1]


def ended(statement: Callable[[Claim], None]) -> Verdict:
    obligation = Obligation("PO-KQ-999", ("KQ-010",), statement, everywhere(Verdict.PROVED), FLOOR, "")
    # Schemas alone, of no rule: what a proof says is not asked here.
    return verdict_of(obligation, "guaranteed", Shared())


def test_an_induction_with_a_false_step_or_a_false_start_is_refuted() -> None:
    def along(start: int, growth: int) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            above = claim.number("above")
            along_every_path(
                claim,
                at_root=claim.number("root") * 0 == start,
                above=above >= 0,
                here=above + growth >= 0,
            )

        return statement

    assert [ended(along(*pair)) for pair in ((0, 1), (1, 1), (0, -1))] == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.REFUTED,
    ]


def test_a_sum_starts_at_zero_and_keeps_what_each_child_keeps() -> None:
    def summed(threshold: int, child: int) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            so_far = claim.number("so_far")
            over_every_sum(claim, lambda total: total >= threshold, before=(so_far,), after=(so_far + child,))

        return statement

    assert [ended(summed(*pair)) for pair in ((0, 1), (1, 1), (0, -1))] == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.REFUTED,
    ]


def test_an_invariant_that_a_step_breaks_is_refuted() -> None:
    def kept(step: int) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            state = claim.number("state")
            over_every_fold(claim, before=(state > 0,), after=(state + step > 0,), ends=(state >= 1,))

        return statement

    assert [ended(kept(number)) for number in (1, -1)] == [Verdict.PROVED, Verdict.REFUTED]


def test_a_history_whose_step_or_start_breaks_the_invariant_is_refuted() -> None:
    def history(start: int, step: int) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            state = claim.number("state")
            through_every_history(
                claim,
                at_first=(claim.number("first") * 0 + start >= 0,),
                before=(state >= 0,),
                after=(state + step >= 0,),
                ends=(state >= 0,),
            )

        return statement

    assert [ended(history(*pair)) for pair in ((0, 1), (-1, 1), (0, -1))] == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.REFUTED,
    ]


def test_fewer_are_ahead_only_where_none_joins_and_one_leaves() -> None:
    def step(joins: bool, leaves: bool) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            ahead, after = claim.number("ahead"), claim.number("after")
            joined = all_of(ahead * 0 == (0 if joins else 1))
            left = all_of(ahead * 0 == (0 if leaves else 1))
            one_fewer_is_ahead(claim, joins=(joined,), leaves=left, ahead=ahead, ahead_after=after)
            claim.prove(after < ahead)

        return statement

    assert [ended(step(*pair)) for pair in ((False, True), (True, True), (False, False))] == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.REFUTED,
    ]


def test_a_lemma_that_is_false_is_no_help() -> None:
    def helped(lemma: int) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            number = claim.number("number")
            one_after_the_other(claim, number * 0 == lemma, number * 0 >= 0)

        return statement

    assert [ended(helped(number)) for number in (0, 1)] == [Verdict.PROVED, Verdict.REFUTED]

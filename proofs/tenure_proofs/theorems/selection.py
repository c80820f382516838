"""Removing candidates and filling back, of any number: the loops of `tenure.oracle.selection`, as they are.

A candidate is its place in the order. What is in use is told by the set of those that are out. That it
depends on nothing else is believed; that who leaves comes back as it was is a theorem about the tree, of
bounded amounts. Whether the request fits is any function of such a set; that it fits all the more when more
are out is assumed where a lemma says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle.selection import (
    FillBack,
    Removal,
    fill_back,
    fill_back_step,
    removal_step,
    remove_until_fits,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.theorems.taken import standing
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.defined import Members
from tenure_proofs.trusted.induction import Contract, Ghost, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import MEMBERS, NONE, Given, Listed, Loop, Row, State
from tenure_proofs.trusted.procedures import Table
from tenure_proofs.trusted.specified import GIVEN, LEMMA, Closure, Specification, Taken, there_is_one
from tenure_proofs.trusted.symbols import SymOptional, SymToken, as_term

NOBODY_OUT = z3.K(z3.IntSort(), z3.BoolVal(False))
ANY = z3.Int("any candidate")
"""An arbitrary candidate, so every one."""

fits_of = z3.Function("fits", MEMBERS, z3.BoolSort())
_stands = z3.Function("stands", MEMBERS, z3.IntSort(), z3.BoolSort())

FITS = Given(1, bool, fits_of)
STANDS = Given(2, bool, _stands)
ONE_USAGE = ("what is in use depends on nothing but who is out, in whatever order they left", BELIEVED)
COMES_BACK = ("who leaves comes back as it was", "PO-ANY-050")


@standing(ONE_USAGE)
def _removed(usage: Any, candidate: Any) -> Any:
    return z3.Store(usage, candidate, True)


@standing(ONE_USAGE)
def _added(usage: Any, candidate: Any) -> Any:
    return z3.Store(usage, candidate, False)


REMOVE, ADD = Given(2, SymToken, _removed), Given(2, SymToken, _added)


_REMOVAL: State = {
    "candidates": Row(SymToken, z3.Int("how many candidates"), told=(z3.Int("candidates"),)),
    "usage": SymToken(z3.Int("usage")),
    "fits": Closure(z3.Int("fits"), 1, bool),
    "remove": Closure(z3.Int("remove"), 2, SymToken),
}


def removal_of(_: State, part: Callable[..., Any]) -> Made:
    """What removals come to, made of its parts."""
    removed = SymOptional(part("whether some are removed", bool), part("removed", SymToken))
    return Made(Removal, {"usage": part("usage", SymToken), "removed": removed, "fits": part("fits", bool)})


def _suffices(given: State, end: Value) -> Labelled:
    says, some = as_term(end.fields["fits"], bool), there_is_one(end.fields["removed"])
    fits = as_term(given["fits"](end.fields["usage"]), bool)
    return [
        ("where it fits, some are removed", z3.Implies(says, some)),
        ("it says whether the request fits", z3.Implies(some, says == fits)),
    ]


def removing(by: str, words: str, function: Any, **more: Value) -> Specification:
    """What is said of a loop that removes candidates until the request fits, whatever usage is."""
    return Specification(by, words, function, {**_REMOVAL, **more}, removal_of, _suffices)


def not_yet(removing: Specification) -> Contract:
    """What holds while candidates leave: the request does not fit, and it says so."""

    def invariant(_: Any, state: State, __: Any) -> Labelled:
        fold = state["state"]
        not_yet = z3.Not(as_term(fold.fields["fits"], bool))
        return [("it does not fit yet", not_yet), *removing.ensures(removing.takes, fold)]

    return Contract(invariant, lambda *_: [])


REMOVED = removing(
    "PO-ANY-010",
    "an attempt removes until the request fits",
    remove_until_fits,
    stands=Closure(z3.Int("stands"), 2, bool),
)

FILLED = Specification(
    "PO-ANY-020",
    "filling back keeps a workload, and the request fits",
    fill_back,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {
        "removed": Row(SymToken, z3.Int("how many removed"), linked=True, told=(z3.Int("removed"),)),
        "usage": SymToken(z3.Int("usage")),
        "fits": Closure(z3.Int("fits"), 1, bool),
        "add": Closure(z3.Int("add"), 2, SymToken),
    },
    lambda _, part: Made(
        FillBack,
        {
            "usage": part("usage", SymToken),
            "kept": Table(lambda at: part("kept", SymToken, at), part("how many are kept", int).term),
            "spared": part("spared", SymToken),
        },
    ),
    lambda given, filled: [
        ("it fits", as_term(given["fits"](filled.fields["usage"]), bool)),
        ("some are kept", there_is_one(filled.fields["kept"])),
    ],
    lambda given: [
        ("some are removed", there_is_one(given["removed"])),
        ("it fits without them", as_term(given["fits"](given["usage"]), bool)),
    ],
)


@standing(COMES_BACK)
def without(usage: Any, candidate: Any) -> Any:
    """The usage with one candidate's quota given back."""
    return z3.Store(usage, candidate, False)


def listed(value: Value) -> Listed:
    return value if isinstance(value, Listed) else NONE


def usage_of(fold: Made) -> Any:
    return fold.fields["usage"].term


@theorem(
    "PO-ANY-010",
    about=(remove_until_fits, removal_step),
    size="any number of candidates",
)
def candidates_leave_in_order_each_if_it_may_at_its_turn_until_the_request_fits(
    function: Callable[..., Any] = remove_until_fits,
) -> Iterator[Part]:
    """Candidates leave in order, each exactly if it may be preempted at its turn, until the request fits.

    With the one that leaves last the request fits, and without it it does not, unless it is the only one: the
    loop does not ask whether the request fits before. None that comes later leaves.
    """
    yield from REMOVED.of_steps(function, not_yet(REMOVED))
    count = z3.Int("count")
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        candidates=Row(SymToken, count),
        usage=SymToken(NOBODY_OUT),
        stands=STANDS,
        fits=FITS,
        remove=REMOVE,
    )

    def turn(state: State, last: Any, point: Any) -> Any:
        out = listed(state["state"].fields["removed"]).members
        at_turn = z3.And(
            out[ANY] == _stands(state["$turn"], ANY),
            state["$turn"][point] == z3.And(point < ANY, out[point]),
        )
        return z3.Implies(z3.And(ANY >= 0, last > ANY), at_turn)

    def invariant(steps: Any, state: State, point: Any) -> Labelled:
        fold = state["state"]
        usage, removed = usage_of(fold), listed(fold.fields["removed"])
        ahead = z3.And(removed.head >= 0, removed.head < steps, removed.members[removed.head])
        return [
            ("it does not fit yet", z3.Not(as_term(fold.fields["fits"], bool))),
            ("usage is without those removed", usage[point] == removed.members[point]),
            ("in order", z3.And(removed.falling, z3.Implies(removed.there, ahead))),
            ("only those before", z3.Implies(removed.members[point], z3.And(point >= 0, point < steps))),
            ("a list of none is None", z3.Implies(z3.Not(removed.there), z3.Not(removed.members[point]))),
            ("it did not fit", z3.Implies(removed.there, z3.Not(fits_of(usage)))),
            ("exactly those that stand at their turn", turn(state, steps, point)),
        ]

    def result(value: Value, state: State, point: Any, steps: Any, ended: bool) -> Labelled:
        usage, removed = usage_of(value), listed(value.fields["removed"])
        fits, last = as_term(value.fields["fits"], bool), steps + 1 if ended else steps
        needed = z3.Or(
            z3.Not(fits_of(without(usage, removed.head))), removed.members[point] == (point == removed.head)
        )
        ahead = z3.And(removed.members[removed.head], removed.head >= 0, removed.head < last)
        return [
            ("usage is without those removed", usage[point] == removed.members[point]),
            ("it says whether the request fits", z3.Implies(removed.there, fits == fits_of(usage))),
            ("who fits has removed some", z3.Implies(fits, removed.there)),
            ("in order", z3.And(removed.falling, z3.Implies(removed.there, ahead))),
            ("the last is needed, unless alone", z3.Implies(fits, needed)),
            ("exactly those that stand at their turn", turn({**state, "state": value}, last, point)),
            ("none after", z3.Implies(point >= last, z3.Not(removed.members[point]))),
            ("all had their turn, or it fits", z3.Or(fits, last == count)),
        ]

    def comes_back(state: State, candidate: Value) -> list[Lemma]:
        usage, place = usage_of(state["state"]), candidate.term
        same = z3.Implies(z3.Not(usage[place]), without(z3.Store(usage, place, True), place) == usage)
        return [Lemma("who leaves comes back as it was", same, same)]

    turns = Ghost(
        NOBODY_OUT,
        lambda state, candidate: z3.If(candidate.term == ANY, usage_of(state["state"]), state["$turn"]),
    )
    contract = Contract(
        invariant,
        result,
        points=lambda point, steps, here: [point, steps, ANY, listed(here["state"].fields["removed"]).head],
        ghosts={"$turn": turns},
        lemmas=comes_back,
    )
    yield from by_induction(loop, contract)


@theorem(
    "PO-ANY-020",
    about=(fill_back, fill_back_step),
    size="any number of removed candidates",
)
def exactly_those_stay_removed_without_whose_removal_the_request_does_not_fit(
    function: Callable[..., Any] = fill_back,
) -> Iterator[Part]:
    """Exactly those stay removed without whose removal the request does not fit, from the second last back.

    The request fits. Kept and spared partition the removed, both in the order of removal. A candidate is kept
    exactly if the request does not fit with its quota given back, all up to it being out, and of those
    after it the kept ones: but the last, which is kept. So of the kept none but the last could stay.
    """
    yield from FILLED.of_steps(
        function,
        Contract(lambda _, state, __: FILLED.ensures(FILLED.takes, state["state"]), lambda *_: []),
    )
    count, everyone_out = z3.Int("count"), z3.Const("everyone_out", MEMBERS)
    last = count - 1
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        removed=Row(lambda place: SymToken(last - place), count, linked=True),
        usage=SymToken(everyone_out),
        fits=FITS,
        add=ADD,
    )
    asked = z3.And(ANY >= 0, last > ANY)

    def among(point: Any) -> Any:
        return z3.And(point >= 0, point < count)

    out_at_first = Members(everyone_out, "all of them are out at first", among)

    def greedy(kept: Any, state: State, point: Any) -> list[tuple[str, Any]]:
        turn = state["$turn"]
        return [
            ("kept exactly if needed at its turn", kept[ANY] == z3.Not(fits_of(without(turn, ANY)))),
            ("its turn", turn[point] == z3.And(among(point), z3.Or(point <= ANY, kept[point]))),
        ]

    def in_vain(kept: Any, usage: Any) -> Any:
        return z3.Implies(z3.And(kept[ANY], last != ANY), z3.Not(fits_of(without(usage, ANY))))

    def parts(fold: Made) -> tuple[Any, Listed, Listed]:
        return usage_of(fold), listed(fold.fields["kept"]), listed(fold.fields["spared"])

    def invariant(steps: Any, state: State, point: Any) -> Labelled:
        usage, kept, spared = parts(state["state"])
        had = last - steps
        waits = z3.And(usage[point], z3.Not(kept.members[point]), z3.Not(spared.members[point]))
        nowhere = z3.Not(z3.Or(usage[point], kept.members[point], spared.members[point]))
        one = z3.And(kept.members[point] != spared.members[point], usage[point] == kept.members[point])
        ahead = z3.And(kept.head >= had, kept.head < count, kept.members[kept.head])
        return [
            ("it fits", fits_of(usage)),
            ("who waits is out", z3.Implies(z3.And(point >= 0, point < had), waits)),
            ("kept or spared", z3.Implies(z3.And(had <= point, point < count), one)),
            ("none other", z3.Implies(z3.Not(among(point)), nowhere)),
            ("the last is kept", kept.members[last]),
            ("kept in order of removal", z3.And(kept.there, kept.rising, ahead)),
            (
                "spared in order of removal",
                z3.And(spared.rising, z3.Implies(spared.there, spared.head >= had)),
            ),
            ("none in vain but the last", in_vain(kept.members, usage)),
            *(
                (label, z3.Implies(z3.And(asked, had <= ANY), formula))
                for label, formula in greedy(kept.members, state, point)
            ),
        ]

    def result(value: Value, state: State, point: Any, *_: Any) -> Labelled:
        usage, kept, spared = parts(value)
        both = z3.And(kept.members[point], spared.members[point])
        either = z3.Or(kept.members[point], spared.members[point])
        return [
            ("it fits", fits_of(usage)),
            ("kept and spared partition the removed", z3.And(z3.Not(both), either == among(point))),
            ("usage is without the kept", usage[point] == kept.members[point]),
            ("in order of removal", z3.And(kept.rising, spared.rising)),
            ("the last is kept", kept.members[last]),
            ("none in vain but the last", in_vain(kept.members, usage)),
            *((label, z3.Implies(asked, formula)) for label, formula in greedy(kept.members, state, point)),
        ]

    def less_out(state: State, candidate: Value) -> list[Lemma]:
        usage, place, point = usage_of(state["state"]), candidate.term, z3.Int("any other point")
        less, more = without(without(usage, place), ANY), without(usage, ANY)
        same = z3.Implies(place == ANY, less == more)
        antitone = z3.Implies(fits_of(less), fits_of(more))
        label = "it fits all the more when more are out"
        return [
            Lemma(label, z3.Implies(less[point], more[point]), Taken(antitone, label, "PO-KQ-230", LEMMA)),
            Lemma("who is given back twice is given back once", same, same),
        ]

    turns = Ghost(
        NOBODY_OUT,
        lambda state, candidate: z3.If(candidate.term == ANY, usage_of(state["state"]), state["$turn"]),
    )
    contract = Contract(
        invariant,
        result,
        facts=(count >= 1, Taken(fits_of(everyone_out), "the request fits without all of them", GIVEN)),
        everywhere=lambda point: [out_at_first.at(point)],
        points=lambda point, steps, _: [point, ANY, last - 1 - steps, last],
        ghosts={"$turn": turns},
        lemmas=less_out,
    )
    yield from by_induction(loop, contract)

"""Removing candidates and filling back, of any number: the loops of `tenure.oracle.selection`, as they are.

A candidate is its place in the order. What is in use without some is defined: those leave one after the
other, in order. By induction it does not matter in which order they leave, since that does not matter of any
two. That is a theorem about the tree, of bounded amounts, as is that who leaves comes back as it was. That
the request fits all the more when more are out is assumed where a lemma says so.
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
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.taken import lemmas_of
from tenure_proofs.theorems.tree import AS_BEFORE, IN_EITHER_ORDER
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.defined import Members, OfEveryNumber, Recursion
from tenure_proofs.trusted.induction import Contract, Ghost, Labelled, Lemma, Part
from tenure_proofs.trusted.loops import MEMBERS, NONE, Listed, Row, State
from tenure_proofs.trusted.procedures import Table
from tenure_proofs.trusted.specified import LEMMA, Closure, Specification, Taken, there_is_one
from tenure_proofs.trusted.symbols import SymOptional, SymToken, as_term

NOBODY_OUT = z3.K(z3.IntSort(), z3.BoolVal(False))
ANY = z3.Int("any candidate")
"""An arbitrary candidate, so every one."""

_REMOVAL: State = {
    "candidates": Row(SymToken, z3.Int("how many candidates"), told=(z3.Int("candidates"),)),
    "usage": SymToken(z3.Int("usage")),
    "fits": Closure(z3.Int("fits"), 1, bool),
    "remove": Closure(z3.Int("remove"), 2, SymToken),
}
_in_use = z3.Function("in use without some", MEMBERS, z3.IntSort(), z3.IntSort())
OUT, ONE, _USAGE = z3.Const("who is out", MEMBERS), z3.Int("one candidate"), _REMOVAL["usage"].term
COUNT = _REMOVAL["candidates"].size
_held = z3.Function("what is in use at a node", z3.IntSort(), z3.IntSort())
_adding = Closure(z3.Int("add"), 2, SymToken)


def taken(usage: Any, one: Any) -> Any:
    """What is in use when one has left."""
    return _REMOVAL["remove"](SymToken(usage), SymToken(one)).term


def given_back(usage: Any, one: Any) -> Any:
    """What is in use when one has come back."""
    return _adding(SymToken(usage), SymToken(one)).term


def fits_in(usage: Any) -> Any:
    """Whether the request fits."""
    return as_term(_REMOVAL["fits"](SymToken(usage)), bool)


def in_either_order(usage: Any, one: Any, other: Any) -> Taken:
    """Of two that leave."""
    return IN_EITHER_ORDER.of(taken(taken(usage, one), other), taken(taken(usage, other), one))


def comes_back(usage: Any, one: Any) -> Taken:
    """Of one that leaves."""
    return AS_BEFORE.of(given_back(taken(usage, one), one), usage)


def no_more(usage: Any, one: Any) -> Taken:
    """Of one that leaves."""
    words = "with less usage in some queues no node has more in use"
    return Taken(_held(taken(usage, one)) <= _held(usage), words, "PO-KQ-210", LEMMA)


WITHOUT = Recursion(
    _in_use,
    "what is in use without some",
    lambda _: _USAGE,
    lambda out, number, before: z3.If(out[number], taken(before, number), before),
)


def _left(out: Any, one: Any, number: Any) -> Any:
    then, leaves = _in_use(z3.Store(out, one, True), number), z3.And(one >= 0, one < number)
    left = z3.Implies(z3.Not(out[one]), then == taken(_in_use(out, number), one))
    return z3.If(leaves, left, then == _in_use(out, number))


LEFT = OfEveryNumber(
    "who leaves is out, whenever it leaves",
    _left,
    (OUT, ONE),
    lambda out, one, number: [
        WITHOUT.at(out, number),
        WITHOUT.at(z3.Store(out, one, True), number),
        in_either_order(_in_use(out, number), one, number),
    ],
)
NONE_OUT = OfEveryNumber(
    "all is in use where none is out",
    lambda number: _in_use(NOBODY_OUT, number) == _USAGE,
    (),
    lambda number: [WITHOUT.at(NOBODY_OUT, number)],
)


def in_use(out: Any) -> Any:
    """What is in use without some of all candidates."""
    return _in_use(out, COUNT)


def leaves(out: Any, one: Any) -> list[Lemma]:
    """That what is in use when one leaves is what is in use without it, and that it comes back as it was."""
    return lemmas_of(LEFT.of(out, one, COUNT), comes_back(in_use(out), one))


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


def without(out: Any, one: Any) -> Any:
    """Those who are out, but for one."""
    return z3.Store(out, one, False)


LAST = COUNT - 1


def _among(point: Any) -> Any:
    return z3.And(point >= 0, point < COUNT)


EVERY = Members(z3.Const("every_candidate", MEMBERS), "every candidate", _among)


def kept_but_one(one: Any) -> Specification:
    """What is kept of those that are out, the request fitting without all of them: of one of them.

    Args:
        one: an arbitrary candidate.
    """

    def kept(_: State, part: Callable[..., Any]) -> Made:
        head, members = part("the first kept", int).term, part("kept", MEMBERS)
        order = (part(name, bool).term for name in ("some are kept", "rising", "falling"))
        there, rising, falling = order
        chain = Listed(there, head, members, rising, falling)
        return Made(
            FillBack, {"usage": part("usage", SymToken), "kept": chain, "spared": part("spared", SymToken)}
        )

    def ensures(_: State, filled: Value) -> Labelled:
        usage, members = usage_of(filled), listed(filled.fields["kept"]).members
        in_vain = z3.Implies(z3.And(members[one], one != LAST), z3.Not(fits_in(given_back(usage, one))))
        return [
            ("it fits", fits_in(usage)),
            ("the last is kept", members[LAST]),
            ("none in vain but the last", in_vain),
        ]

    def requires(given: State) -> Labelled:
        usage = given["usage"].term
        without_all = z3.And(given["removed"].size == COUNT, COUNT >= 1, usage == in_use(EVERY.term))
        return [("usage is without all of them", without_all), ("the request fits then", fits_in(usage))]

    row = Row(
        lambda place: SymToken(LAST - place), z3.Int("how many are out"), linked=True, told=(z3.Int("out"),)
    )
    return Specification(
        "PO-ANY-020",
        "none but the last is kept in vain",
        fill_back,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        {
            "removed": row,
            "usage": SymToken(z3.Int("in use without all")),
            "fits": _REMOVAL["fits"],
            "add": _adding,
        },
        kept,
        ensures,
        requires,
    )


def fits_without(out: Any, one: Any) -> Any:
    """Whether the request fits with the quota of one given back."""
    return fits_in(in_use(without(out, one)))


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

    No node has more in use at its turn than at the start. With the one that leaves last the request fits, and
    without it it does not, unless it is the only one and the request fitted before: the loop does not ask
    that. None that comes later leaves.
    """
    for induction in (LEFT, NONE_OUT):
        yield from induction.parts()

    def turn(state: State, last: Any, point: Any) -> Any:
        out, before = listed(state["state"].fields["removed"]).members, state["$turn"]
        at_turn = z3.And(
            out[ANY] == as_term(REMOVED.takes["stands"](SymToken(in_use(before)), SymToken(ANY)), bool),
            before[point] == z3.And(point < ANY, out[point]),
            _held(in_use(before)) <= _held(_USAGE),
        )
        return z3.Implies(z3.And(ANY >= 0, last > ANY), at_turn)

    def invariant(steps: Any, state: State, point: Any) -> Labelled:
        fold = state["state"]
        usage, removed = usage_of(fold), listed(fold.fields["removed"])
        ahead = z3.And(removed.head >= 0, removed.head < steps, removed.members[removed.head])
        return [
            ("it does not fit yet", z3.Not(as_term(fold.fields["fits"], bool))),
            ("usage is without those removed", usage == in_use(removed.members)),
            ("no more is in use than at the start", _held(usage) <= _held(_USAGE)),
            ("in order", z3.And(removed.falling, z3.Implies(removed.there, ahead))),
            ("only those before", z3.Implies(removed.members[point], z3.And(point >= 0, point < steps))),
            ("a list of none is None", z3.Implies(z3.Not(removed.there), z3.Not(removed.members[point]))),
            ("it did not fit", z3.If(removed.there, z3.Not(fits_in(usage)), usage == _USAGE)),
            ("exactly those that stand at their turn", turn(state, steps, point)),
        ]

    def result(value: Value, state: State, point: Any, steps: Any, ended: bool) -> Labelled:
        usage, removed = usage_of(value), listed(value.fields["removed"])
        fits, last = as_term(value.fields["fits"], bool), steps + 1 if ended else steps
        alone = z3.And(fits_in(_USAGE), removed.members[point] == (point == removed.head))
        needed = z3.Or(z3.Not(fits_in(given_back(usage, removed.head))), alone)
        ahead = z3.And(removed.members[removed.head], removed.head >= 0, removed.head < last)
        return [
            ("usage is without those removed", usage == in_use(removed.members)),
            ("in order", z3.And(removed.falling, z3.Implies(removed.there, ahead))),
            ("the last is needed, unless alone where it fitted before", z3.Implies(fits, needed)),
            ("exactly those that stand at their turn", turn({**state, "state": value}, last, point)),
            ("none after", z3.Implies(point >= last, z3.Not(removed.members[point]))),
            ("all had their turn, or it fits", z3.Or(fits, last == COUNT)),
        ]

    def out(state: State) -> Any:
        return listed(state["state"].fields["removed"]).members

    turns = Ghost(NOBODY_OUT, lambda state, one: z3.If(one.term == ANY, out(state), state["$turn"]))
    contract = Contract(
        invariant,
        result,
        facts=(NONE_OUT.of(COUNT),),
        points=lambda point, steps, here: [point, steps, ANY, listed(here["state"].fields["removed"]).head],
        ghosts={"$turn": turns},
        lemmas=lambda state, one: [
            *leaves(out(state), one.term),
            *lemmas_of(no_more(usage_of(state["state"]), one.term)),
        ],
    )
    yield from REMOVED.of_steps(function, contract)


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
    yield from LEFT.parts()
    yield from FILLED.of_steps(
        function,
        Contract(lambda _, state, __: FILLED.ensures(FILLED.takes, state["state"]), lambda *_: []),
    )
    kept_one = kept_but_one(ANY)
    asked = z3.And(ANY >= 0, LAST > ANY)

    def greedy(kept: Any, state: State, point: Any) -> list[tuple[str, Any]]:
        turn = state["$turn"]
        return [
            ("kept exactly if needed at its turn", kept[ANY] == z3.Not(fits_without(turn, ANY))),
            ("its turn", turn[point] == z3.And(_among(point), z3.Or(point <= ANY, kept[point]))),
        ]

    def parts(fold: Made) -> tuple[Any, Listed, Listed]:
        return usage_of(fold), listed(fold.fields["kept"]), listed(fold.fields["spared"])

    def invariant(steps: Any, state: State, point: Any) -> Labelled:
        (usage, kept, spared), out = parts(state["state"]), state["$out"]
        had = LAST - steps
        waits = z3.And(out[point], z3.Not(kept.members[point]), z3.Not(spared.members[point]))
        nowhere = z3.Not(z3.Or(out[point], kept.members[point], spared.members[point]))
        one = z3.And(kept.members[point] != spared.members[point], out[point] == kept.members[point])
        ahead = z3.And(kept.head >= had, kept.head < COUNT, kept.members[kept.head])
        return [
            ("usage is without those that are out", usage == in_use(out)),
            ("who waits is out", z3.Implies(z3.And(point >= 0, point < had), waits)),
            ("kept or spared", z3.Implies(z3.And(had <= point, point < COUNT), one)),
            ("none other", z3.Implies(z3.Not(_among(point)), nowhere)),
            ("kept in order of removal", z3.And(kept.there, kept.rising, ahead)),
            (
                "spared in order of removal",
                z3.And(spared.rising, z3.Implies(spared.there, spared.head >= had)),
            ),
            *kept_one.ensures(kept_one.takes, state["state"]),
            *(
                (label, z3.Implies(z3.And(asked, had <= ANY), formula))
                for label, formula in greedy(kept.members, state, point)
            ),
        ]

    def result(value: Value, state: State, point: Any, *_: Any) -> Labelled:
        (usage, kept, spared), out = parts(value), state["$out"]
        both = z3.And(kept.members[point], spared.members[point])
        either = z3.Or(kept.members[point], spared.members[point])
        return [
            ("kept and spared partition the removed", z3.And(z3.Not(both), either == _among(point))),
            ("usage is without the kept", z3.And(usage == in_use(out), out[point] == kept.members[point])),
            ("in order of removal", z3.And(kept.rising, spared.rising)),
            *((label, z3.Implies(asked, formula)) for label, formula in greedy(kept.members, state, point)),
        ]

    def less_out(state: State, candidate: Value) -> list[Lemma]:
        out, place, point = state["$out"], candidate.term, z3.Int("any other point")
        less, more = without(without(out, place), ANY), without(out, ANY)
        same = z3.Implies(place == ANY, less == more)
        antitone = z3.Implies(fits_in(in_use(less)), fits_in(in_use(more)))
        label = "it fits all the more when more are out"
        return [
            Lemma(label, z3.Implies(less[point], more[point]), Taken(antitone, label, "PO-KQ-230", LEMMA)),
            Lemma("who is given back twice is given back once", same, same),
            *leaves(without(out, place), place),
            *leaves(less, ANY),
            *leaves(more, ANY),
        ]

    def out_then(state: State, candidate: Value) -> Any:
        back = fits_in(given_back(usage_of(state["state"]), candidate.term))
        return z3.If(back, without(state["$out"], candidate.term), state["$out"])

    turns = Ghost(NOBODY_OUT, lambda state, one: z3.If(one.term == ANY, state["$out"], state["$turn"]))
    contract = Contract(
        invariant,
        result,
        everywhere=lambda point: [EVERY.at(point)],
        points=lambda point, steps, _: [point, ANY, LAST - 1 - steps, LAST],
        ghosts={"$turn": turns, "$out": Ghost(EVERY.term, out_then)},
        lemmas=less_out,
    )
    yield from kept_one.of_steps(function, contract)

"""The optimized core, fair sharing: the whole search, from who is looked into to who stays removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import fair
from tenure_proofs.theorems.core_fair import FEW, OWN, PLAYED, VICTIMS
from tenure_proofs.theorems.core_play import HOW
from tenure_proofs.theorems.core_rounds import CHANGE, ORDERED, SHARED, TRUE
from tenure_proofs.theorems.core_steps import Run, Step, either, same
from tenure_proofs.theorems.core_tournament import (
    BEFORE,
    CANDIDATES,
    FACTS,
    ROOMS,
    ROUNDS,
    SEARCH,
    TREES,
    WORK,
)
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    NODES,
    PATH,
    REQUESTED,
    ROWS,
    SIZE,
    USAGE,
    between,
    of,
    seeing,
)
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import Invariant, Law, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import as_term

LINED = (*ORDERED, "start", "end")
COPIES = {
    room: Step(f"copying to {room}", (TREES, USAGE, PATH, ROOMS[room]), BEFORE, reads=(room,), writes=(room,))
    for room in ("usage", "charged")
}
NOMINAL = Step(
    "claiming nominal quota", (TREES, ASK, ROOMS["charged"]), BEFORE, reads=("charged",), returns=(bool,)
)
START = Step(
    "starting",
    (SEARCH, ROUNDS),
    BEFORE,
    reads=(*LINED, *SHARED, "groups", "charged", "winner", "rejected", "on_path"),
    writes=(*ORDERED, *SHARED, "winner", "rejected", "on_path"),
)
PLAY, AGAIN = (
    Step(
        name,
        (SEARCH, ROUNDS, *told),
        BEFORE,
        reads=(*PLAYED, "start", "end", "groups", "on_path"),
        writes=(*PLAYED, *ends),
        returns=(int, bool),
    )
    for name, told, ends in (("playing", (bool, HOW), ()), ("playing again", (int,), ("end",)))
)
BACK = Step(
    "filling back",
    (TREES, ROWS, ASK, bool, int, WORK),
    BEFORE,
    reads=VICTIMS,
    writes=("usage", "log", "out", "grounds", "shares of victims"),
    returns=(int,),
)
HELD = tuple(dict.fromkeys((*PLAYED, "end", "on_path")))
HOLD = Step(
    "holding",
    (SEARCH, ROUNDS, HOW),
    BEFORE,
    reads=(*HELD, "start", "groups"),
    writes=HELD,
    returns=(int, int, bool),
)
CLASSIFY = Step("classifying", (SEARCH,), BEFORE, reads=("groups",), writes=("groups",))
GATHERED = (*LINED, "keys", "candidates")
GATHER = Step(
    "gathering",
    (SEARCH, ROUNDS),
    BEFORE,
    reads=tuple(dict.fromkeys((*GATHERED, "groups"))),
    writes=tuple(dict.fromkeys(GATHERED)),
    returns=(int,),
)


def _copying() -> Law:
    """Either copy, by the array that it goes to."""
    usage, charged = COPIES["usage"].law, COPIES["charged"].law

    def writes(held: State, *given: Any) -> Any:
        law = usage if given[-1] is ROOMS["usage"] else charged
        assert law.writes is not None
        return law.writes(held, *given)

    return Law(lambda *_: 0, writes)


@theorem(
    "PO-ANY-588",
    about=(fair.hold,),
    size="any tree, any number of columns",
    assumes={
        **ARRAYS,
        "that the tree is copied": "PO-ANY-485",
        "what is charged for the request": "PO-ANY-445",
        "whether it claims nominal quota": "PO-ANY-415",
        "shares and winners at first": "PO-ANY-580",
        "what the rounds come to": "PO-ANY-586",
        "who stays removed": "PO-ANY-495",
    },
)
def a_tournament_charges_the_request_plays_by_each_strategy_in_turn_and_fills_back_whom_it_took(
    hold: Any = fair.hold,
) -> Iterator[Part]:
    """The second strategy plays only where the first one leaves the request unfit, and there is one (KQ-420).

    Where it does not fit in the end, what is in use is as it was, and none is removed. The victims are those
    that fill-back leaves removed, at the end of those taken.
    """
    copied = COPIES["charged"].after(COPIES["usage"].after(BEFORE))
    run = Run("charging", copied, ("charged", "log"))

    def one_more(index: Any, _: State) -> list[Any]:
        told = (OWN, of(ASK, "at", index), of(ASK, "amount", index), TRUE, z3.IntVal(0))
        return [run.goes_on(index, CHANGE.after(run(index), *told))]

    charged = run(REQUESTED)
    claims = z3.And(HOW.fields["gate"].term, NOMINAL.result(charged))
    begun = START.after(charged)
    first, first_taken, first_fits = (
        PLAY.after(begun, claims),
        *(PLAY.result(begun, claims, place=n) for n in (0, 1)),
    )
    second = AGAIN.after(first, first_taken)
    again = z3.And(z3.Not(first_fits), HOW.fields["again"].term)
    played = either(again, second, first)
    taken, fits = (
        z3.If(again, AGAIN.result(first, first_taken, place=place), one)
        for place, one in enumerate((first_taken, first_fits))
    )
    kept = BACK.result(played, TRUE, taken)
    wanted = either(fits, BACK.after(played, TRUE, taken), COPIES["usage"].after(played))
    few = [z3.And(number >= 0, number < FEW) for number in (taken, kept)]

    def says(way: Way) -> Labelled:
        start, end, claimed = way.value
        victims = z3.And(
            as_term(start, int) == z3.If(fits, taken - kept, 0), as_term(end, int) == z3.If(fits, taken, 0)
        )
        return [
            *same(way.names, wanted),
            ("the victims", victims),
            ("whether it claims its nominal quota", as_term(claimed, bool) == claims),
        ]

    laws = {"change": CHANGE.law, "start": START.law, "play": PLAY.law, "play_again": AGAIN.law}
    yield from read_kernel(
        seeing(hold, copy_tree=_copying(), claims_nominal=NOMINAL.law, fill_back=BACK.law, **laws),
        {"given": SEARCH, "rounds": ROUNDS, "how": HOW},
        says,
        rooms=BEFORE,
        facts=(*FACTS, *few, run.begins(copied)),
        loops=[
            Invariant(
                lambda steps, _, here, __: same(here, run.of(steps)),
                points=lambda steps, _: [steps],
                everywhere=one_more,
            )
        ],
    )


@theorem(
    "PO-ANY-590",
    about=(fair.select, fair.select_sorted),
    size="any tree",
    assumes={
        **ARRAYS,
        "who is looked into": "PO-ANY-530",
        "who waits": "PO-ANY-566",
        "who waits where all are sorted": "PO-ANY-570",
        "what a tournament comes to": "PO-ANY-588",
        "that the tree is copied": "PO-ANY-485",
    },
)
def under_fair_sharing_a_tournament_is_held_among_all_candidates_of_the_queues_that_are_looked_into(
    select: Any = fair.select, select_sorted: Any = fair.select_sorted
) -> Iterator[Part]:
    """Where there is no candidate nothing is removed, and what is in use is as it was."""
    looked_into = CLASSIFY.after(BEFORE)
    gathered, some = GATHER.after(looked_into), GATHER.result(looked_into) != 0
    wanted = either(some, HOLD.after(gathered), COPIES["usage"].after(gathered))

    def found(way: Way, before: Any, held: Any) -> Labelled:
        start, end, claims = (HOLD.result(before, place=place) for place in range(3))
        value = [as_term(part, sort) for part, sort in zip(way.value, (int, int, bool), strict=True)]
        right = (z3.If(held, start, 0), z3.If(held, end, 0), z3.And(held, claims))
        return [("its victims", z3.And([one == other for one, other in zip(value, right, strict=True)]))]

    laws = {"classify_fairly": CLASSIFY.law, "hold": HOLD.law}
    yield from read_kernel(
        seeing(select, gather_by_queue=GATHER.law, copy_tree=COPIES["usage"].law, **laws),
        {"given": SEARCH, "rounds": ROUNDS, "how": HOW},
        lambda way: [*same(way.names, wanted), *found(way, gathered, some)],
        rooms=BEFORE,
        facts=FACTS,
    )
    by_queue, starts = between("by queue", 0, SIZE, CANDIDATES), between("starts", 0, CANDIDATES, NODES + 1)
    line_up = Step(
        "lining up",
        (by_queue, starts, SEARCH, ROUNDS),
        BEFORE,
        reads=("candidates", "start", "next", "end", "settled", "groups"),
        writes=("candidates", "start", "next", "end", "settled"),
    )
    lined = line_up.after(looked_into)
    yield from read_kernel(
        seeing(select_sorted, line_up=line_up.law, **laws),
        {"by_queue": by_queue, "starts": starts, "given": SEARCH, "rounds": ROUNDS, "how": HOW},
        lambda way: [*same(way.names, HOLD.after(lined)), *found(way, lined, z3.BoolVal(True))],
        rooms=BEFORE,
        facts=FACTS,
    )

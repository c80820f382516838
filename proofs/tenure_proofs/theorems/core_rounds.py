"""The optimized core, fair sharing: shares and winners found again up the tree, and what a removal writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import fair
from tenure_proofs.theorems.core_steps import INT, Contents, Run, Step, either, same
from tenure_proofs.theorems.core_tournament import (
    BEFORE,
    CANDIDATES,
    FACTS,
    NODE,
    ROOMS,
    ROUNDS,
    SEARCH,
    TREES,
    compared,
)
from tenure_proofs.theorems.core_tree import ENDS
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    COLUMNS,
    DEPTH,
    NODES,
    ROWS,
    SIZE,
    TOP,
    between,
    flag,
    number,
    of,
    seeing,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import Invariant, Law, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymInt, as_term

ORDERED = ("keys", "candidates", "next", "settled", "top", "ends")
SHARED = ("ratio", "share")
RATIO = Step(
    "the ratio",
    (TREES, ROOMS["charged"], ROUNDS.fields["lendable"], int, ROOMS["borrowed"]),
    BEFORE,
    reads=("charged",),
    returns=(int,),
)
COUNT_SHARE = Step(
    "counting a share", (TREES, ROUNDS, int), BEFORE, reads=("charged", "ratio", "share"), writes=SHARED
)
FIND_NEXT = Step(
    "finding the next", (SEARCH, ROUNDS, int), BEFORE, reads=(*ORDERED, "end", "groups"), writes=ORDERED
)
FIND_WINNER = Step(
    "finding the winner",
    (SEARCH, ROUNDS, int),
    BEFORE,
    reads=("winner", "ratio", "share", "next", "end", "keys", "candidates", "on_path"),
    writes=("winner",),
)
FOLLOW = Step(
    "following the path", (ASK, ROUNDS), BEFORE, reads=("rejected", "on_path"), writes=("rejected", "on_path")
)
_MOVED = (TREES, ROWS, int)
LEAVE = Step(
    "leaving",
    (*_MOVED, ASK.fields["watched"], ROOMS["usage"], ROOMS["log"], bool),
    BEFORE,
    reads=("usage", "log"),
    writes=("usage", "log"),
    returns=(int,),
)
LEAVE_CHARGED = Step(
    "leaving what is charged",
    (*_MOVED, ROUNDS.fields["every"], ROOMS["charged"], ROOMS["log"], bool),
    BEFORE,
    reads=("charged", "log"),
    writes=("charged", "log"),
    returns=(int,),
)
CHANGE = Step(
    "a change of what is charged",
    (TREES, ROOMS["charged"], int, int, int, bool, ROOMS["log"], int),
    BEFORE,
    reads=("charged", "log"),
    writes=("charged", "log"),
    returns=(int,),
)
UNDO = Step(
    "putting back",
    (ROOMS["charged"], ROOMS["log"], int),
    BEFORE,
    reads=("charged", "log"),
    writes=("charged",),
)
FITS = Step("fitting", (TREES, ROOMS["usage"], ASK, bool), BEFORE, reads=("usage",), returns=(bool,))
NOTE = Step("noting", (ROWS, int, ASK, ROOMS["held"], int), BEFORE, reads=("held",), writes=("held",))
WEIGHED = z3.Function("a ratio by a weight", INT, INT, INT)
_weighing = Law(lambda _, ratio, weight: SymInt(WEIGHED(ratio.term, weight.term)))
_comparing = Law(lambda _, *shares: SymInt(compared(*(share.term for share in shares))))
ON_SHARES = {"ratio_of": RATIO.law, "weigh": _weighing, "compare": _comparing}
FLOATS = {"a ratio, and it by a weight, as they are counted": BELIEVED}
FALSE, TRUE = z3.BoolVal(False), z3.BoolVal(True)


def weight(node: Any) -> Any:
    """The weight of a node, as a term."""
    return of(TREES, "weight", node)


def share_without(contents: Contents, mine: Any, theirs: Any) -> Any:
    """How a node's share compares with another's, counted again on what is charged."""
    ratio = RATIO.result(contents, theirs)
    own = contents["share"][mine], contents["ratio"][mine]
    return compared(*own, WEIGHED(ratio, weight(theirs)), ratio)


def row_of(term: Any) -> Any:
    """That a term is a row's number."""
    return z3.And(term >= 0, term < SIZE)


UP, STEPS_UP = between("the way up from a node", 0, NODES, NODES), z3.Int("steps up to a root")


def up(place: Any) -> Any:
    """A node of the way up, as a term."""
    return UP.at(place).term


@theorem(
    "PO-ANY-578",
    about=(fair.beside_common,),
    size="any tree",
    assumes={
        **ARRAYS,
        "parents are before their children": BELIEVED,
        "which nodes are on the path": "PO-ANY-487",
    },
)
def below_the_lowest_common_cohort_are_the_two_nodes_that_are_compared(
    beside_common: Any = fair.beside_common,
) -> Iterator[Part]:
    """On the target's way up the last that is not on the preemptor's, and on the preemptor's its sibling."""
    on_path, step = BEFORE["on_path"], number("step on the path", 1, DEPTH).term

    def goes_up(point: Any, _: State) -> list[Any]:
        """Both ways up, and where they meet."""
        on_way = z3.And(point >= 0, point < STEPS_UP)
        on_own = z3.And(point >= 0, point < DEPTH - 1)
        path = of(ASK, "path", point)
        met = of(ASK, "path", step) == up(STEPS_UP)
        return [
            z3.Implies(
                on_way, z3.And(of(TREES, "parent", up(point)) == up(point + 1), z3.Not(on_path[up(point)]))
            ),
            z3.Implies(on_own, of(TREES, "parent", path) == of(ASK, "path", point + 1)),
            z3.Implies(z3.And(point >= 0, point < step), path > up(STEPS_UP)),
            z3.And(met, on_path[up(STEPS_UP)]),
        ]

    def theirs(steps: Any, _: State, here: State, __: Any) -> Labelled:
        return [("not on the path", z3.And(as_term(here["theirs"], int) == up(steps), steps < STEPS_UP))]

    def mine(steps: Any, _: State, here: State, __: Any) -> Labelled:
        place = as_term(here["mine"], int) == of(ASK, "path", steps)
        return [("below where they meet", z3.And(place, steps < step))]

    def says(way: Way) -> Labelled:
        own, other = (as_term(part, int) for part in way.value)
        return [
            ("the target's side", other == up(STEPS_UP - 1)),
            ("the preemptor's side", own == of(ASK, "path", step - 1)),
        ]

    def both(steps: Any, _: State) -> list[Any]:
        return [steps, steps + 1, step]

    yield from read_kernel(
        beside_common,
        {"forest": TREES, "ask": ASK, "rounds": ROUNDS, "node": SymInt(up(z3.IntVal(0)))},
        says,
        rooms=BEFORE,
        facts=(
            *FACTS,
            *(DEPTH > 1, STEPS_UP >= 1, STEPS_UP < NODES),
            ASK.fields["own"].term == of(ASK, "path", z3.IntVal(0)),
        ),
        loops=[
            Invariant(theirs, points=both, everywhere=goes_up),
            Invariant(mine, points=both, everywhere=goes_up),
        ],
    )


@theorem(
    "PO-ANY-580",
    about=(fair.count_share, fair.refresh, fair.start),
    size="any tree",
    assumes={
        **ARRAYS,
        **FLOATS,
        "whose turn it is in a queue": "PO-ANY-568",
        "who wins below a node": "PO-ANY-576",
        "which nodes are on the path": "PO-ANY-487",
    },
)
def winners_are_found_again_from_a_queue_up_to_the_root_and_at_first_in_the_whole_tree(
    count_share: Any = fair.count_share, refresh: Any = fair.refresh, start: Any = fair.start
) -> Iterator[Part]:
    """At each node of the way up its share, where what is charged has changed, and then who wins below it.

    At first at each node of the tree, children before parents: its share, its next candidate, its winner.
    """
    ratio = RATIO.result(BEFORE, NODE.term)
    counted = {
        "ratio": z3.Store(BEFORE["ratio"], NODE.term, ratio),
        "share": z3.Store(BEFORE["share"], NODE.term, WEIGHED(ratio, weight(NODE.term))),
    }
    yield from read_kernel(
        seeing(count_share, **ON_SHARES),
        {"forest": TREES, "rounds": ROUNDS, "node": NODE},
        lambda way: same(way.names, counted),
        rooms=BEFORE,
        facts=FACTS,
    )
    changed = flag("changed")
    run = Run("refreshing", FIND_NEXT.after(BEFORE, up(z3.IntVal(0))), (*SHARED, "winner"))

    def parents(place: Any, _: State) -> list[Any]:
        above, now = of(TREES, "parent", up(place)), run(place)
        then = either(changed.term, COUNT_SHARE.after(now, up(place)), now)
        on = z3.If(place < STEPS_UP, above == up(place + 1), above < 0)
        both = z3.And(on, run.goes_on(place, FIND_WINNER.after(then, up(place))))
        return [z3.Implies(z3.And(place >= 0, place <= STEPS_UP), both)]

    def holds(steps: Any, _: State, here: State, __: Any) -> Labelled:
        node = as_term(here["node"], int)
        goes = z3.If(steps <= STEPS_UP, node == up(steps), node < 0)
        return [("it goes up", z3.And(goes, steps <= STEPS_UP + 1)), *same(here, run.of(steps))]

    laws = {
        "find_next": FIND_NEXT.law,
        "find_winner": FIND_WINNER.law,
        "count_share": COUNT_SHARE.law,
        "follow_path": FOLLOW.law,
    }
    yield from read_kernel(
        seeing(refresh, **laws),
        {"given": SEARCH, "rounds": ROUNDS, "node": SymInt(up(z3.IntVal(0))), "changed": changed},
        lambda way: same(way.names, run(STEPS_UP + 1)),
        rooms=BEFORE,
        facts=(*FACTS, STEPS_UP >= 0, STEPS_UP < NODES, run.begins(run.before)),
        loops=[Invariant(holds, points=lambda steps, _: [steps], everywhere=parents)],
    )
    first = Run("starting", FOLLOW.after(BEFORE), (*SHARED, *ORDERED, "winner"))

    def one_more(step: Any, _: State) -> list[Any]:
        node = ENDS - 1 - step
        then = FIND_WINNER.after(FIND_NEXT.after(COUNT_SHARE.after(first(step), node), node), node)
        return [first.goes_on(step, then)]

    yield from read_kernel(
        seeing(start, **laws),
        {"given": SEARCH, "rounds": ROUNDS},
        lambda way: same(way.names, first(ENDS - TOP)),
        rooms=BEFORE,
        facts=(*FACTS, TOP < ENDS, ENDS <= NODES, first.begins(first.before)),
        loops=[
            Invariant(
                lambda steps, _, here, __: same(here, first(steps)),
                points=lambda steps, _: [steps],
                everywhere=one_more,
            )
        ],
    )


@theorem(
    "PO-ANY-582",
    about=(fair._take, fair._lowers_all),
    size="any number of columns",
    assumes={
        **ARRAYS,
        **FLOATS,
        "what one change writes": "PO-ANY-445",
        "what is logged is put back": "PO-ANY-450",
        "what one workload's leaving writes": "PO-ANY-490",
        "what is noted of a workload": "PO-ANY-492",
        "whether the request fits": "PO-ANY-415",
    },
)
def who_is_taken_is_written_down_and_a_share_is_counted_as_if_the_least_of_each_column_had_left(
    take: Any = fair._take, lowers_all: Any = fair._lowers_all
) -> Iterator[Part]:
    """KQ-420 for the lightest workload that there could be; what is charged is as it was then."""
    row, count, ground, share = (
        number("row", 0, SIZE),
        number("count", 0, CANDIDATES),
        *map(number, ("ground", "share")),
    )
    left = LEAVE.after(BEFORE, row.term, FALSE)
    for name, value in (("out", row), ("grounds", ground), ("shares of victims", share)):
        left[name] = z3.Store(BEFORE[name], count.term, value.term)
    left = NOTE.after(left, row.term, count.term)
    yield from read_kernel(
        seeing(take, move=LEAVE.law, note_held=NOTE.law, fits=FITS.law),
        {"given": SEARCH, "row": row, "count": count, "ground": ground, "share": share},
        lambda way: [
            *same(way.names, left),
            ("whether it fits now", as_term(way.value, bool) == FITS.result(left, TRUE)),
        ],
        rooms=BEFORE,
        facts=FACTS,
    )
    mine, theirs = number("mine", 0, NODES), number("theirs", 0, NODES)
    run = Run("the lightest leaving", BEFORE, ("charged", "log"))
    known = z3.Function("cells once the lightest leaves", INT, INT)

    def one_more(at: Any, _: State) -> list[Any]:
        change = (NODE.term, at, of(ROUNDS, "lightest", NODE.term, at), FALSE, known(at))
        return [
            run.goes_on(at, CHANGE.after(run(at), *change)),
            known(at + 1) == CHANGE.result(run(at), *change),
        ]

    def holds(steps: Any, _: State, here: State, __: Any) -> Labelled:
        return [("cells", as_term(here["known"], int) == known(steps)), *same(here, run.of(steps))]

    all_left = run(COLUMNS)
    lower = share_without(all_left, mine.term, theirs.term) > 0
    back = UNDO.after(all_left, known(COLUMNS))["charged"] == BEFORE["charged"]
    yield from read_kernel(
        seeing(lowers_all, change=CHANGE.law, undo=UNDO.law, **ON_SHARES),
        {"given": SEARCH, "rounds": ROUNDS, "node": NODE, "mine": mine, "theirs": theirs},
        lambda way: [
            ("the share of those that stay", as_term(way.value, bool) == lower),
            ("what is charged is as it was", way.names["@charged"].term == BEFORE["charged"]),
        ],
        rooms=BEFORE,
        facts=(*FACTS, run.begins(BEFORE), known(0) == 0, back),
        loops=[Invariant(holds, points=lambda steps, _: [steps], everywhere=one_more)],
    )

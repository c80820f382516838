"""Theorems about kernels of the optimized core hold of them as they are, and of none with a mistake in it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
import z3

from tenure.fast import amounts, classical, fair, grounds, nodes, paths, policy, rounds, shares, sorting
from tenure.fast.heroes import effective, search
from tenure_proofs.theorems.core_table import WHY_TESTED, kernels
from tenure_proofs.theorems.core_world import numbers
from tenure_proofs.theorems.listed import THEOREMS
from tenure_proofs.theorems.proving import prove
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.kernels import POINT, Invariant, Law, Room, plain, read_kernel
from tenure_proofs.trusted.symbols import SymInt
from tests.proofs.changed import LITTLE, changed, fails, made


def wrong(kernel: Any, before: str, after: str) -> Callable[..., Any]:
    """A kernel with a text of its source replaced; it is only read, so nothing compiles it."""
    as_it_is = {"compiled": lambda function: function, "inlined": lambda function: function}
    return changed(plain(kernel), (before, after), **as_it_is)


MISTAKES: dict[str, tuple[str, str, Any, str, str, str]] = {
    "the group is not packed": (
        "PO-ANY-555",
        "kernel",
        grounds.key_of,
        "order.group, int(group))",
        "order.group, 0)",
        "returns: the fields in their order",
    ),
    "who has exceeded its time elsewhere comes first": (
        "PO-ANY-555",
        "kernel",
        grounds.key_of,
        "group == OWN and ",
        "",
        "returns: the fields in their order",
    ),
    "an equal of another priority comes first": (
        "PO-ANY-555",
        "kernel",
        grounds.key_of,
        " and rows.priority[row] == policy.priority",
        "",
        "returns: the fields in their order",
    ),
    "the evicted come last": (
        "PO-ANY-555",
        "kernel",
        grounds.key_of,
        "if rows.evicted[row]",
        "if not rows.evicted[row]",
        "returns: the fields in their order",
    ),
    "running is packed into the group": (
        "PO-ANY-555",
        "kernel",
        grounds.key_of,
        "order.group + 2, 1",
        "order.group + 1, 1",
        "returns: the fields in their order",
    ),
    "a field is added below": (
        "PO-ANY-550",
        "beside",
        sorting.field_beside,
        "key | (value << bit)",
        "(key << bit) | value",
        "one key: it has as many bits as both",
    ),
    "a field takes the place of others": (
        "PO-ANY-550",
        "beside",
        sorting.field_beside,
        "key | (value << bit)",
        "value << bit",
        "one key: what is below is kept",
    ),
    "the lower bit is set": (
        "PO-ANY-550",
        "flip",
        sorting.flip,
        "key ^ mask",
        "key | mask",
        "the time is exceeded: 1 becomes 0",
    ),
    "the earlier comes first": (
        "PO-ANY-550",
        "laid_out",
        sorting.laid_out,
        "(1 << recent) - 1 - age",
        "age",
        "laid out: each above the one before",
    ),
    "the age stays": (
        "PO-ANY-550",
        "mask",
        sorting.expired_mask,
        "((1 << recent) - 1) << ties",
        "0",
        "the time is exceeded: fields are flipped",
    ),
    "a sum beyond 64 bits": (
        "PO-ANY-400",
        "plus",
        amounts.plus,
        "MOST if first > MOST - second else first + second",
        "MOST if first + second > MOST else first + second",
        "returns: defined",
    ),
    "unlimited less unlimited": (
        "PO-ANY-400",
        "minus",
        amounts.minus,
        "return 0 if second == MOST else MOST",
        "return MOST",
        "returns: what the rule says",
    ),
    "a limit is ignored": (
        "PO-ANY-410",
        "available",
        nodes.available,
        "if limit != MOST:",
        "if limit == MOST:",
        "keeps: what the rule says of the node above",
    ),
    "the walk ends below the queue": (
        "PO-ANY-410",
        "potential",
        nodes.potential,
        "len(path) - 2, -1, -1",
        "len(path) - 2, 0, -1",
        "returns: what the rule says",
    ),
    "nominal quota is ignored": (
        "PO-ANY-415",
        "fits",
        nodes.fits,
        "if not may_borrow and",
        "if may_borrow and",
        "keeps: it holds of all before",
    ),
    "at the quota is over it": (
        "PO-ANY-415",
        "exceeds",
        nodes.exceeds,
        "usage[node, at] > forest",
        "usage[node, at] >= forest",
        "returns: false: of one it does not",
    ),
    "the threshold is reached": (
        "PO-ANY-420",
        "is_expired",
        grounds.is_expired,
        "> policy.duration",
        ">= policy.duration",
        "returns: what the rule says",
    ),
    "the common node counts": (
        "PO-ANY-430",
        "exceeds_below",
        nodes.exceeds_below,
        "node = forest.parent[node]",
        "node = forest.parent[forest.parent[node]]",
        "keeps: it goes up",
    ),
    "the root is not looked at": (
        "PO-ANY-435",
        "is_lossless",
        nodes.is_lossless,
        "range(top, ",
        "range(top + 1, ",
        "returns: true: it holds everywhere",
    ),
    "local quota only when adding": (
        "PO-ANY-445",
        "change",
        nodes.change,
        "if local != 0:",
        "if local != 0 and adding:",
        "keeps: what goes on",
    ),
    "what is written is not logged": (
        "PO-ANY-445",
        "change",
        nodes.change,
        "= node, at, before",
        "= node, at, after",
        "keeps: what was in use is logged",
    ),
    "from the first": (
        "PO-ANY-450",
        "undo",
        nodes.undo,
        "range(known - 1, -1, -1)",
        "range(known)",
        "keeps: as before that write",
    ),
    "the first is not put back": (
        "PO-ANY-450",
        "undo",
        nodes.undo,
        "known - 1, -1, -1",
        "known - 1, 0, -1",
        "returns: as before all writes",
    ),
    "at its nominal quota is below it": (
        "PO-ANY-460",
        "attempts",
        classical.attempts,
        ">= given.forest.nominal",
        "> given.forest.nominal",
        "keeps: it holds of all before",
    ),
    "borrowing takes anybody": (
        "PO-ANY-465",
        "stands",
        classical.stands,
        "if may_borrow and ground",
        "if not may_borrow and ground",
        "returns: what the rule says",
    ),
    "more goes up than is asked": (
        "PO-ANY-470",
        "fits_below",
        classical._fits_below,
        "max(0, minus(local, used))",
        "minus(local, used)",
        "keeps: what goes up",
    ),
    "the wrong turn": (
        "PO-ANY-480",
        "reject",
        rounds.reject,
        "rounds.next[node] += 1",
        "rounds.next[node] -= 1",
        "returns: the next one's turn",
    ),
    "an entry is left out": (
        "PO-ANY-490",
        "move",
        nodes.move,
        "if watched[rows.at[entry]]:",
        "if not watched[rows.at[entry]]:",
        "keeps: the changes so far",
    ),
    "what was noted before stays": (
        "PO-ANY-492",
        "note_held",
        nodes.note_held,
        "held[index, place] = 0",
        "held[index, place] = held[index, place]",
        "keeps: what is noted",
    ),
    "fill-back from the first": (
        "PO-ANY-495",
        "fill_back",
        nodes.fill_back,
        "range(count - 2, -1, -1)",
        "range(count - 1)",
        "keeps: what is in use",
    ),
    "fill-back skips the first": (
        "PO-ANY-495",
        "fill_back",
        nodes.fill_back,
        "count - 2, -1, -1",
        "count - 2, 0, -1",
        "returns: what is in use",
    ),
    "fill-back takes away what it should give back": (
        "PO-ANY-495",
        "fill_back",
        nodes.fill_back,
        "usage, work.log, True)",
        "usage, work.log, False)",
        "keeps: what is in use",
    ),
    "the log begins behind its first cell": (
        "PO-ANY-490",
        "move",
        nodes.move,
        "known, node = 0,",
        "known, node = 1,",
        "first: the cells so far",
    ),
    "who is to leave comes back": (
        "PO-ANY-490",
        "replay",
        nodes.replay,
        "usage, log, False)",
        "usage, log, True)",
        "keeps: those so far",
    ),
    "another node exceeds": (
        "PO-ANY-465",
        "stands",
        classical.stands,
        "work.usage, node, work",
        "work.usage, ground, work",
        "returns: what the rule says",
    ),
    "fill-back undoes nothing": (
        "PO-ANY-495",
        "fill_back",
        nodes.fill_back,
        "undo(usage, work.log, known)",
        "known = known",
        "keeps: what is in use",
    ),
    "nobody waits again": (
        "PO-ANY-487",
        "wait_again",
        fair.wait_again,
        "rounds.start[node] + rounds.rejected[node]",
        "rounds.start[node]",
        "keeps: end",
    ),
    "a limit of a billed node is ignored": (
        "PO-ANY-500",
        "available",
        search._available,
        "if limit != MOST:",
        "if limit == MOST:",
        "keeps: what the rule says of the node above",
    ),
    "a hero may use what is not accessible": (
        "PO-ANY-505",
        "fits",
        search.fits,
        "> quest.accessible[index]",
        ">= quest.accessible[index]",
        "returns: false: of one it does not",
    ),
    "peers are above each other": (
        "PO-ANY-505",
        "is_above",
        search._is_above,
        "mine != theirs and mine < node",
        "mine < node",
        "returns: what the rule says",
    ),
    "all of it passes up": (
        "PO-ANY-510",
        "pass_up",
        effective.pass_up,
        "rest = minus(passed(high, local), passed(low, local))",
        "rest = rest",
        "keeps: what goes on",
    ),
    "the last of equals": (
        "PO-ANY-515",
        "turn",
        search._turn,
        "] < quest.heads",
        "] <= quest.heads",
        "keeps: none before it is as little",
    ),
    "the root is full at its quota": (
        "PO-ANY-520",
        "fits_plainly",
        nodes.fits_plainly,
        "if amount > forest",
        "if amount >= forest",
        "returns: false: of one it does not",
    ),
    "numbers near 64 bits are plain": (
        "PO-ANY-525",
        "is_plain",
        nodes.is_plain,
        "if not -FAR < usage",
        "if -FAR < usage",
        "keeps: usage of the column so far",
    ),
    "the own queue is like any other": (
        "PO-ANY-530",
        "classify",
        rounds.classify_fairly,
        "work.group[ask.own] = OWN",
        "work.group[ask.own] = ELSEWHERE",
        "first: groups so far",
    ),
    "one removal too many": (
        "PO-ANY-535",
        "stop",
        paths.stop,
        "found = low",
        "found = min(low + 1, taken)",
        "keeps: not all before",
    ),
    "a minute is too short": (
        "PO-ANY-620",
        "terms_of",
        policy.terms_of,
        "duration < MINUTE",
        "duration <= MINUTE",
        "returns: in force",
    ),
    "a victim's eviction is forgotten": (
        "PO-ANY-620",
        "queued",
        policy._queued,
        "if terms.since_eviction and",
        "if not terms.since_eviction and",
        "queued since: queued since",
    ),
    "the reading's gate is turned round": (
        "PO-ANY-620",
        "terms_of",
        policy.terms_of,
        "reading.same_priority_gate == SamePriorityGate.EXPIRED_ONLY",
        "reading.same_priority_gate != SamePriorityGate.EXPIRED_ONLY",
        "returns: expired_only",
    ),
    "ages count from reservations without a duration": (
        "PO-ANY-620",
        "terms_of",
        policy.terms_of,
        "by_reservation=False",
        "by_reservation=True",
        "returns: by_reservation",
    ),
    "one key for both places of a victim": (
        "PO-ANY-625",
        "terms_of",
        policy.terms_of,
        "since_eviction=reading.requeue_order == RequeueOrder.EVICTION",
        "since_eviction=True",
        "queued since",
    ),
    "what hides is passed over alone": (
        "PO-ANY-560",
        "classify_below",
        classical._classify_below,
        "node = forest.end[node]",
        "node += 1",
        "keeps: what is passed over is passed over whole",
    ),
    "advantage is lost on the way up": (
        "PO-ANY-562",
        "classify",
        classical.classify,
        "advantage = advantage or fit",
        "advantage = fit",
        "keeps: what is so far",
    ),
    "a ground is looked up of another place": (
        "PO-ANY-564",
        "load",
        classical.load,
        "work.ground[position]",
        "work.ground[start]",
        "keeps: ground",
    ),
    "candidates share a place": (
        "PO-ANY-566",
        "gather",
        rounds.gather_by_queue,
        "            rounds.end[node] += 1\n    for",
        "            rounds.end[node] += 0\n    for",
        "keeps: what is so far",
    ),
    "what is settled is sorted again": (
        "PO-ANY-568",
        "sort_next",
        rounds.sort_next,
        "rounds.settled[node] <= position",
        "rounds.settled[node] >= position",
        "returns: settled",
    ),
    "the last that waits has no turn": (
        "PO-ANY-568",
        "find_next",
        rounds.find_next,
        "while rounds.next[node] < rounds.end[node]",
        "while rounds.next[node] + 1 < rounds.end[node]",
        "returns: a candidate, or none waits",
    ),
    "queues that are not looked into wait": (
        "PO-ANY-570",
        "line_up",
        rounds.line_up,
        "work.group[node] >= 0",
        "work.group[node] < 0",
        "keeps: where each queue begins and ends",
    ),
    "who was in the place is lost": (
        "PO-ANY-572",
        "gather",
        classical.gather,
        "count += 1",
        "count += int(key < limit)",
        "keeps: what is so far",
    ),
    "the last cohort loses": (
        "PO-ANY-576",
        "find_winner",
        fair.find_winner,
        "against(rounds, child, cohort) >= 0",
        "against(rounds, child, cohort) > 0",
        "keeps: the best so far",
    ),
    "the two sides are mixed up": (
        "PO-ANY-578",
        "beside_common",
        fair.beside_common,
        "return mine, theirs",
        "return theirs, mine",
        "returns: the target's side",
    ),
    "a winner is found before its share": (
        "PO-ANY-580",
        "start",
        fair.start,
        "count_share(forest, rounds, node)",
        "find_winner(given, rounds, node)",
        "keeps: what is in the arrays",
    ),
    "what would leave stays away": (
        "PO-ANY-582",
        "lowers_all",
        fair._lowers_all,
        "undo(rounds.charged, work.log, known)",
        "known = known",
        "returns: what is charged is as it was",
    ),
    "equal shares are too high": (
        "PO-ANY-584",
        "visit",
        fair._visit,
        "allowed = share <= 0",
        "allowed = share < 0",
        "keeps: what is so far",
    ),
    "a visit without a victim takes one": (
        "PO-ANY-586",
        "play",
        fair.play,
        "if row >= 0:",
        "if row >= -1:",
        "keeps: what is so far",
    ),
    "the second strategy plays in any case": (
        "PO-ANY-588",
        "hold",
        fair.hold,
        "if not fit and how.again",
        "if how.again",
        "returns: what is in the arrays",
    ),
    "who does not stand is written down": (
        "PO-ANY-592",
        "attempt",
        classical._attempt,
        "taken += 1",
        "taken += 1 + int(plain)",
        "keeps: what is so far",
    ),
    "what leaves stays at the root": (
        "PO-ANY-594",
        "leave_plainly",
        nodes.leave_plainly,
        "while node >= 0",
        "while node > 0",
        "returns: what is in use",
    ),
    "a node passes up without its local quota": (
        "PO-ANY-596",
        "sum_up",
        nodes.sum_up,
        "max(0, minus(usage[node, column], forest.local[node, column]))",
        "max(0, usage[node, column])",
        "keeps: what is in use",
    ),
    "what the root has no quota of is lent": (
        "PO-ANY-598",
        "count_lendable",
        shares.count_lendable,
        "forest.covered[forest.root[node], at]",
        "forest.covered[node, at]",
        "keeps: what it could lend",
    ),
    "the second attempt is like the first": (
        "PO-ANY-599",
        "select",
        classical.select,
        "may_borrow, again = not may_borrow, False",
        "again = False",
        "keeps: which attempt",
    ),
    "a workload without a column is not missed": (
        "PO-ANY-557",
        "find_lightest",
        rounds.find_lightest,
        "counts[node, total] += 1",
        "counts[node, total] += 0",
        "first: so far",
    ),
    "one too many is copied": (
        "PO-ANY-485",
        "copy_part",
        nodes.copy_part,
        "range(end - start)",
        "range(end - start + 1)",
        "returns: that part",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_kernel_with_a_mistake_is_proved(mistake: str) -> None:
    claim, name, kernel, before, after, failure = MISTAKES[mistake]
    assert fails(claim, name, wrong(kernel, before, after), failure)


SIZE = z3.Int("size")
INTO = z3.Array("into", z3.IntSort(), z3.IntSort())

REFUSED = {
    "nothing is said of a loop": (
        "for index in range(len(values)):\n        into[index] = 0",
        "nothing is said",
    ),
    "a changing array": (
        "for value in into:\n        into[0] = value",
        "may change while it is gone through",
    ),
    "a range by two": ("for index in range(0, len(values), 2):\n        into[index] = 0", "a range by 2"),
    "a call of something else": ("print(values)", "outside the subset"),
    "a slice": ("into[0:2] = 1", "outside the subset"),
    "a dimension that is not there": ("into[0] = values.shape[2]", "no dimension 2 of 1"),
    "another array under its name": ("while into[0] > 0:\n        into = values", "changes into"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read_is_refused(what: str) -> None:
    body, message = REFUSED[what]
    said = () if what.startswith("nothing") else (Invariant(lambda *_: [("true", POINT == POINT)]),)
    with pytest.raises(LiftError, match=message):
        list(_read(body, said))


def _read(body: str, loops: tuple[Invariant, ...]) -> Any:
    source = f"def kernel(values, into):\n    {body}\n    return 0\n"
    kernel = made(source, "kernel", {}, {})
    given = {"values": numbers("values", SIZE), "into": Room("into", (SIZE,))}
    return read_kernel(kernel, given, lambda _: [], rooms={"into": INTO}, loops=loops, facts=(SIZE > 0,))


def test_a_kernel_that_is_handed_something_else_than_its_theorem_speaks_of_is_refused() -> None:
    kernel = wrong(nodes.fill_back, "ask.watched", "ask.is_needed")
    with pytest.raises(LiftError, match="is handed"):
        list(THEOREMS["PO-ANY-495"].statement(fill_back=kernel))


def test_a_kernel_that_returns_something_else_than_its_theorem_speaks_of_is_refused() -> None:
    kernel = made("def kernel(first):\n    if first > 3:\n        return first, 1\n", "kernel", {}, {})
    pairs = read_kernel(
        kernel, {"first": SymInt(z3.Int("first"))}, lambda way: [("pair", way.value[0].term == SIZE)]
    )
    with pytest.raises(LiftError, match="kernel has what nothing is claimed of"):
        list(pairs)


def test_a_kernel_that_hands_a_law_something_else_than_it_speaks_of_is_refused() -> None:
    kernel = made("def kernel(first):\n    return asked(first)\n", "kernel", {}, {"asked": Law(_of_a_number)})
    with pytest.raises(LiftError, match="kernel has what nothing is claimed of"):
        list(read_kernel(kernel, {"first": None}, lambda _: []))


def _of_a_number(_: Any, number: Any) -> SymInt:
    return SymInt(number.term)


def test_an_index_below_zero_and_one_behind_the_end_are_not_in_range() -> None:
    for place in ("-1", "len(values)"):
        (failure,) = prove(_read(f"into[{place}] = 1", ()), None, LITTLE).failures
        assert failure.startswith("returns: defined")


def test_an_invariant_that_contradicts_itself_proves_nothing() -> None:
    never = Invariant(lambda steps, *_: [("never", steps < 0)])
    loop = "for value in values:\n        into[0] = value"
    with pytest.raises(LiftError, match="returns nowhere"):
        list(_read(loop, (never,)))
    failures = prove(_read(f"if into[0] > 3:\n        return 1\n    {loop}", (never,)), None, LITTLE).failures
    assert "keeps: its hypotheses contradict each other" in failures


def test_what_a_step_writes_is_not_what_it_was() -> None:
    """Of an array that a loop writes to, nothing is known but what the invariant says."""
    source = (
        "def kernel(values, into):\n    for value in values:\n        into[0] = value\n    return into[0]\n"
    )
    kernel = made(source, "kernel", {}, {})
    parts = read_kernel(
        kernel,
        {"values": numbers("values", SIZE), "into": Room("into", (SIZE,))},
        lambda way: [("as it was", way.value.term == INTO[0])],
        rooms={"into": INTO},
        loops=[Invariant(lambda *_: [])],
        facts=(SIZE > 0,),
    )
    (failure,) = prove(parts, None, LITTLE).failures
    assert failure.startswith("returns: as it was")


def test_every_kernel_is_proved_or_it_is_said_why_not() -> None:
    assert {kernel.module for kernel in kernels() if not kernel.theorems} <= WHY_TESTED.keys()
    assert {kernel.name for kernel in kernels() if kernel.module == "amounts"} == {"plus", "minus"}
    read = {function for theorem in THEOREMS.values() for function in theorem.about}
    packing = {sorting.field_beside, sorting.flip, sorting.laid_out, sorting.expired_mask}
    beside = {plain(policy.terms_of), plain(policy._queued), *packing}
    core = {function for function in read - beside if function.__module__.startswith("tenure.fast")}
    assert len(core) == sum(bool(kernel.theorems) for kernel in kernels())


def test_theorems_go_from_process_to_process_by_their_identifiers() -> None:
    """The function that a kernel was compiled from is not what its module calls so."""
    for theorem in THEOREMS.values():
        assert pickle.loads(pickle.dumps(theorem)) is theorem


def test_of_a_compiled_kernel_the_source_is_read() -> None:
    class Compiled:
        py_func = staticmethod(plain(amounts.plus))

    assert plain(Compiled()) is plain(amounts.plus)
    with pytest.raises(LiftError, match="no kernel"):
        plain(3)

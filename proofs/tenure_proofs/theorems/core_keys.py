"""The optimized core, order keys: what is packed into one number of 64 bits sorts as the rule says.

One question about keys of any widths has no answer of a solver. So there are lemmas about one field beside
what is below it, of any width, in bits: they are about the functions that pack, run on symbolic numbers of 64
bits. The key of a candidate is then read, and put together from instances of these lemmas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.fast import grounds, sorting
from tenure.fast.tables import OWN, Order, Policy
from tenure.model import Workload
from tenure.readings import preset_names
from tenure.rules.ordering import order_key
from tenure_proofs.premises import any_terms
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems.core_world import ROWS, SIZE, SIZES, handed, number, of, seeing
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.kernels import Law, read_kernel
from tenure_proofs.trusted.loops import State
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term

BITS = 63
"""Of a key, which is no number below zero."""


def _bits(name: str) -> Any:
    return z3.BitVec(name, BITS + 1)


def _has(value: Any, width: Any) -> z3.BoolRef:
    """Whether a number, of at most 63 bits, has no more bits than a width."""
    return z3.And(value >= 0, z3.LShR(value, width) == 0)


def _widths(*widths: Any) -> z3.BoolRef:
    return z3.And([z3.And(width >= 0, width <= BITS) for width in widths])


@theorem(
    "PO-ANY-550",
    about=(sorting.field_beside, sorting.flip, sorting.laid_out, sorting.expired_mask),
    size="any fields, of any widths that have 63 bits together",
    assumes={"what is packed are numbers of 64 bits": BELIEVED},
)
def a_key_of_fields_side_by_side_keeps_each_of_them_and_sorts_by_the_upper_one_first(
    beside: Callable[..., Any] = sorting.field_beside,
    flip: Callable[..., Any] = sorting.flip,
    laid_out: Callable[..., Any] = sorting.laid_out,
    mask: Callable[..., Any] = sorting.expired_mask,
) -> Iterator[Part]:
    """Each field of a key can be read again, so different fields make different keys.

    Of two keys that is the lesser whose upper field is, and of equal ones that whose others are. Where a
    workload has exceeded its time, one field is flipped from 1 to 0, and the age takes the place of what it
    lacks of the most.
    """
    low, width, high, above = (_bits(name) for name in ("low", "width", "high", "width above"))
    other_low, other_high = _bits("other low"), _bits("other high")
    fit = (_widths(width, above, width + above), _has(low, width), _has(high, above))
    one, other = beside(low, width, high), beside(other_low, width, other_high)
    lesser = z3.Or(high < other_high, z3.And(high == other_high, low < other_low))
    yield Part(
        "two keys",
        (*fit, _has(other_low, width), _has(other_high, above)),
        (("sorted by the upper field, then by the others", (one < other) == lesser),),
    )
    below = (z3.BitVecVal(1, BITS + 1) << width) - 1
    yield Part(
        "one key",
        fit,
        (
            ("it has as many bits as both", _has(one, width + above)),
            ("the upper field is kept", z3.LShR(one, width) == high),
            ("what is below is kept", one & below == low),
            ("none is 0", beside(low, width, z3.BitVecVal(0, BITS + 1)) == low),
        ),
    )
    flipped_apart = beside(flip(low, other_low), width, flip(high, other_high))
    yield Part(
        "flipped",
        (*fit, _has(other_low, width), _has(other_high, above)),
        (("each field by its own", flip(one, beside(other_low, width, other_high)) == flipped_apart),),
    )
    recent, ties, age, tie = (_bits(name) for name in ("recent", "ties", "age", "tie"))
    together = (_widths(recent, ties, ties + recent + 1), _has(age, recent), _has(tie, ties))
    none, unit, most = z3.BitVecVal(0, BITS + 1), z3.BitVecVal(1, BITS + 1), (1 << recent) - 1
    yield Part(
        "the time is exceeded",
        together,
        (
            (
                "fields are flipped",
                mask(recent, ties) == beside(beside(none, ties, most), ties + recent, unit),
            ),
            ("what it lacks becomes the age", flip(most - age, most) == age),
            ("the tie stays", flip(tie, none) == tie),
            ("1 becomes 0", flip(unit, unit) == none),
            ("the most has its bits", _has(most, recent)),
        ),
    )
    priority, missing = _bits("priority"), most - age
    nested = beside(beside(beside(tie, ties, missing), ties + recent, 1), ties + recent + 1, priority)
    yield Part(
        "laid out",
        together,
        (
            ("each above the one before", laid_out(priority, age, tie, recent, ties) == nested),
            ("what it lacks has its bits", _has(missing, recent)),
        ),
    )


INT, BOOL = z3.IntSort(), z3.BoolSort()
BESIDE = z3.Function("a field beside others", INT, INT, INT, INT)
FLIPPED = z3.Function("flipped", INT, INT, INT)
HAS = z3.Function("has no more bits than", INT, INT, BOOL)
TIES, RECENT, UPPER = (z3.Int(f"bits of {name}") for name in ("a tie", "an age", "a priority"))
OTHERS = TIES + RECENT + 1
GROUP = OTHERS + UPPER
MASK, MOST_AGE = z3.Int("what is flipped"), z3.Int("the most of an age")
ROOM = (TIES >= 0, RECENT >= 0, UPPER >= 0, GROUP + 3 <= BITS)
"""What `make_keys` asks about: a bit for those that run and two for the group are left."""


class _Candidate:
    """A candidate as the rule and the store have it.

    Args:
        place: the first, or the second.
        claim: of which its workload is.
        asked: preemptor, terms and instant, as the rule is given them.
    """

    def __init__(self, place: str, claim: Claim, asked: tuple[Any, Any, Any]) -> None:
        preemptor, terms, _ = asked
        self.workload, self.group = claim.record(place, Workload), z3.Int(f"group of the {place}")
        rule = claim.lift(order_key)(self.workload, SymInt(self.group), *asked)
        names = ("running", "group", "priority", "unexpired", "recency")
        self.rank = tuple(as_term(rule.field(name), int) for name in names)
        self.low, self.age, self.tie, self.row = (
            z3.Int(f"{name} of the {place}") for name in ("priority kept", "age", "tie", "row")
        )
        self.in_own = _one_queue(self.workload, terms)
        self.own = z3.And(self.in_own, self.workload.priority.term == preemptor.priority.term)
        self.expired = self.rank[3] == 0
        self.reserved = z3.If(self.expired, self.rank[4], -self.rank[4])

    def packed(self, expired: Any) -> list[Any]:
        """Its key from below, one field more each time; the fields are those of `fields`."""
        keys = [self.tie]
        for field, (below, _) in zip(self.fields(expired), WIDTHS, strict=True):
            keys.append(BESIDE(keys[-1], below, field))
        return keys

    def fields(self, expired: Any) -> tuple[Any, ...]:
        """What is above the tie, from below: what is later, whether it may stay, priority, group, running."""
        later = z3.If(expired, self.age, MOST_AGE - self.age)
        running = z3.If(self.workload.evicted.term, z3.IntVal(0), z3.IntVal(1))
        return later, z3.If(expired, z3.IntVal(0), z3.IntVal(1)), self.low, self.group, running

    def known(self) -> tuple[z3.BoolRef, ...]:
        """What the store says of it, and how many bits its fields have."""
        fields = self.fields(self.expired)
        return (
            self.row >= 0,
            self.row < SIZE,
            self.group >= 0,
            self.group <= OWN,
            (self.group == OWN) == self.in_own,
            of(ROWS, "key", self.row) == self.packed(z3.BoolVal(False))[3],
            of(ROWS, "priority", self.row) == self.workload.priority.term,
            ROWS.fields["evicted"].at(self.row).term == self.workload.evicted.term,
            HAS(self.tie, TIES),
            HAS(self.age, RECENT),
            HAS(MOST_AGE - self.age, RECENT),  # PO-ANY-550, what it lacks
            *(HAS(field, width) for field, (_, width) in zip(fields[1:], WIDTHS[1:], strict=True)),
            *self._have_their_bits(self.expired),
        )

    def _have_their_bits(self, expired: Any) -> Iterator[z3.BoolRef]:
        """PO-ANY-550, of one key: with a field more it has as many bits as both."""
        keys = self.packed(expired)
        for place, (field, (below, width)) in enumerate(zip(self.fields(expired), WIDTHS, strict=True)):
            yield z3.Implies(_room(keys[place], below, field, width), HAS(keys[place + 1], below + width))

    def lemmas(self) -> tuple[z3.BoolRef, ...]:
        """What PO-ANY-550 says of its key, where it is read."""
        no, yes = z3.BoolVal(False), z3.BoolVal(True)
        unexpired, expired = self.packed(no), self.packed(yes)

        mask = [z3.IntVal(0)]
        for field, (below, _) in zip((MOST_AGE, 1, 0, 0), WIDTHS, strict=False):
            mask.append(BESIDE(mask[-1], below, field))

        def apart(place: int) -> z3.BoolRef:
            """That each field is flipped by its own."""
            field, by, (below, width) = self.fields(no)[place], (MOST_AGE, 1, 0, 0)[place], WIDTHS[place]
            room = z3.And(_room(unexpired[place], below, field, width), _room(mask[place], below, by, width))
            flipped = BESIDE(FLIPPED(unexpired[place], mask[place]), below, FLIPPED(field, by))
            return z3.Implies(room, FLIPPED(unexpired[place + 1], mask[place + 1]) == flipped)

        nothing_above = (*((key, below) for key, (below, _) in zip(mask, WIDTHS, strict=True)),)
        return (
            *self._have_their_bits(no),
            *self._have_their_bits(yes),
            *(HAS(value, 1) for value in (0, 1)),
            *(HAS(0, width) for width in (TIES, UPPER, z3.IntVal(2))),
            HAS(MOST_AGE, RECENT),
            mask[2] == MASK,
            FLIPPED(MOST_AGE - self.age, MOST_AGE) == self.age,
            *(FLIPPED(value, 0) == value for value in (self.tie, self.low, self.group)),
            FLIPPED(z3.IntVal(1), 1) == 0,
            *(z3.Implies(HAS(key, below), BESIDE(key, below, 0) == key) for key, below in nothing_above),
            *(
                z3.Implies(_room(key, below, field, width), HAS(BESIDE(key, below, field), below + width))
                for key, field, (below, width) in zip(mask, (MOST_AGE, 1, 0, 0), WIDTHS, strict=False)
            ),
            *map(apart, range(4)),
            *(
                z3.Implies(HAS(keys[4], GROUP + 2), BESIDE(keys[4], GROUP + 2, 0) == keys[4])
                for keys in (unexpired, expired)
            ),
            z3.Implies(HAS(expired[1], TIES + RECENT), BESIDE(expired[1], TIES + RECENT, 0) == expired[1]),
        )


def _one_queue(workload: Any, terms: Any) -> Any:
    """Whether a workload is of the preemptor's ClusterQueue."""
    mine, theirs = workload.cluster_queue, terms.cluster_queue
    return z3.And(as_term(mine.present, bool), mine.value.term == theirs.term)


def _room(key: Any, below: Any, field: Any, width: Any) -> z3.BoolRef:
    """That a field finds room above a key."""
    return z3.And(HAS(key, below), HAS(field, width), below + width <= BITS)


WIDTHS = ((TIES, RECENT), (TIES + RECENT, 1), (OTHERS, UPPER), (GROUP, 2), (GROUP + 2, 1))
"""Where each field above the tie begins, and how many bits it has."""


@theorem(
    "PO-ANY-555",
    about=(grounds.key_of, order_key),
    size="any two candidates, of any number, under every preset",
    assumes={
        "a field beside others is kept, and sorts first": "PO-ANY-550",
        "whether a workload has exceeded its time is what the rule says": "PO-ANY-420",
        "priorities, ages and ties are kept in their order, each with as many bits as its greatest": BELIEVED,
        "the group of the preemptor's ClusterQueue is that of no other": BELIEVED,
    },
)
def candidates_sorted_by_the_keys_of_the_core_are_sorted_as_the_rule_says(
    kernel: Any = grounds.key_of,
) -> Iterator[Part]:
    """KQ-230, by the number that stands for a candidate; of equal ones the lower uid and name is less."""
    for column in preset_names():
        claim = Claim(reading_of(column))
        terms, preemptor = any_terms(claim), claim.record("preemptor", Workload)
        asked = (preemptor, terms, claim.number("now"))
        one, other = (_Candidate(place, claim, asked) for place in ("first", "second"))
        if column == preset_names()[0]:
            yield from _packed(kernel, one, claim, asked)
        yield _sorted(column, one, other, claim)


def _packed(kernel: Any, one: _Candidate, claim: Claim, asked: tuple[Any, Any, Any]) -> Iterator[Part]:
    """That the kernel makes the key which is spoken of."""
    preemptor, *_ = asked

    def beside(_: State, key: Any, bit: Any, value: Any) -> SymInt:
        return SymInt(BESIDE(*(as_term(part, int) for part in (key, bit, value))))

    exceeded = z3.Bool("has exceeded its time")

    def is_expired(_: State, rows: Any, row: Any, policy: Any) -> SymBool:
        handed((rows, ROWS), (policy, POLICY))
        return SymBool(z3.And(exceeded, row.term == one.row))

    expected = one.packed(one.expired)[5]
    yield from read_kernel(
        seeing(
            kernel,
            with_field=Law(beside),
            flipped=Law(lambda _, key, mask: SymInt(FLIPPED(key.term, mask.term))),
            is_expired=Law(is_expired),
        ),
        {
            "rows": ROWS,
            "row": SymInt(one.row),
            "group": SymInt(one.group),
            "policy": POLICY,
            "order": Made(Order, {"group": SymInt(GROUP), "expired": SymInt(MASK)}),
        },
        lambda way: [("the fields in their order", as_term(way.value, int) == expected)],
        facts=(
            *SIZES,
            *claim.facts,
            *ROOM,
            *one.known(),
            *one.lemmas(),
            POLICY.fields["priority"].term == preemptor.priority.term,
            z3.Implies(one.own, exceeded == one.expired),
        ),
    )


POLICY = Made(Policy, {"priority": number("priority of the preemptor")})


def _sorted(column: str, one: _Candidate, other: _Candidate, claim: Claim) -> Part:
    """That keys of these fields sort by the rule's."""
    keys, others = one.packed(one.expired), other.packed(other.expired)
    facts: list[z3.BoolRef] = []
    fields = zip(one.fields(one.expired), other.fields(other.expired), WIDTHS, strict=True)
    for place, (mine, theirs, (below, width)) in enumerate(fields):
        lesser = z3.Or(mine < theirs, z3.And(mine == theirs, keys[place] < others[place]))
        room = z3.And(_room(keys[place], below, mine, width), _room(others[place], below, theirs, width))
        facts.append(z3.Implies(room, (keys[place + 1] < others[place + 1]) == lesser))
    for first, second in ((one, other), (other, one)):
        facts += [
            (first.low < second.low) == (first.rank[2] < second.rank[2]),
            (first.age < second.age) == (first.reserved < second.reserved),
        ]
    before = one.tie < other.tie
    for mine, theirs in zip(reversed(one.rank), reversed(other.rank), strict=True):
        before = z3.Or(mine < theirs, z3.And(mine == theirs, before))
    hypotheses = (*claim.facts, *ROOM, *one.known(), *other.known(), *facts)
    goal = ("sorted as the rule says", (keys[5] < others[5]) == before)
    return Part(f"under {column}", hypotheses, (goal,))

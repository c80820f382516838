"""Lemmas about numbers of 64 bits that the optimized core relies on: order keys, and sums that saturate.

They are about the functions that pack and add, which are read. No loop of the core is: it is compared with
the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import z3

from tenure.rules import amounts as rules
from tenure_proofs.theorems.decision import said
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.theorems.taken import modelled
from tenure_proofs.trusted.bits import packed
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Way
from tenure_proofs.trusted.procedures import LEAST, MOST, read_procedure
from tenure_proofs.trusted.symbols import SymInt, as_term
from tenure_simulate.core import amounts, sorting


@theorem("PO-ANY-400", size="any numbers of 64 bits")
def the_cores_sums_and_differences_are_those_of_the_rules_and_no_step_leaves_64_bits(
    plus: Any = amounts.plus, minus: Any = amounts.minus
) -> Iterator[Part]:
    """KQ-100 and KQ-110, of any two numbers of 64 bits; the core never counts beyond, not even in between."""
    given = {name: SymInt(z3.Int(name)) for name in ("first", "second")}
    facts = tuple(z3.And(number.term >= LEAST, number.term <= MOST) for number in given.values())
    for function, rule in ((plus, rules.plus), (minus, rules.minus)):
        yield from read_procedure(function, given, _is(said(rule, **given)), facts=facts, bits=True)


def _is(expected: Any) -> Callable[[Way], Labelled]:
    return lambda way: [("what the rule says", as_term(way.value, int) == expected)]


BITS = 63
"""Of a key, which is no number below zero."""


def _bits(name: str) -> Any:
    return z3.BitVec(name, BITS + 1)


def _has(value: Any, width: Any) -> z3.BoolRef:
    """Whether a number, of at most 63 bits, has no more bits than a width."""
    return z3.And(value >= 0, z3.LShR(value, width) == 0)


def _widths(*widths: Any) -> z3.BoolRef:
    return z3.And([z3.And(width >= 0, width <= BITS) for width in widths])


@theorem("PO-ANY-550", size="any fields, of any widths that have 63 bits together")
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
    modelled("what is packed are numbers of 64 bits", BELIEVED)
    beside, flip, laid_out, mask = (partial(packed, read) for read in (beside, flip, laid_out, mask))
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
    nested = beside(beside(beside(tie, ties, missing), ties + recent, unit), ties + recent + 1, priority)
    yield Part(
        "laid out",
        together,
        (
            ("each above the one before", laid_out(priority, age, tie, recent, ties) == nested),
            ("what it lacks has its bits", _has(missing, recent)),
        ),
    )

"""What is in use beside heroes: a function of what is held, which depends on who is out alone.

Dicts of `tenure.oracle.heroes.held` are read by their keys, as deep as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import z3

from tenure.model import UNLIMITED, Amounts
from tenure.oracle.heroes import effective, held
from tenure.oracle.heroes.effective import EffectiveUsage
from tenure.oracle.heroes.held import Held, held_beside, held_without
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.standins import BOOL, INT, same, token
from tenure_proofs.theorems.tree import BESIDE_HEROES, BOUNDED
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Given, State, Way
from tenure_proofs.trusted.procedures import Keyed, read_procedure
from tenure_proofs.trusted.specified import GIVEN, Conclusion, Taken
from tenure_proofs.trusted.symbols import SymInt, SymToken

HELD_ALIKE = Conclusion(
    BESIDE_HEROES.by, "beside heroes, what is held depends on who is out alone", lambda alike: alike
)
ONE_HELD = "what is alike at every ClusterQueue, of every flavor-resource and amount, is held alike"
COUNTED = "who leaves is counted where it runs"

QUEUE, KEY, SIZE = z3.Ints("any_queue any_flavor_resource any_amount")
PLACE = token("place")
KEPT = {name: token(name) for name in ("plan", "frozen", "watched", "charge")}
PARTS = {
    name: z3.Function(f"{name} beside heroes", INT, INT) for name in ("amounts", "tree", "bills", "columns")
}


def _dict(name: str, depth: int, *keys: Any) -> Any:
    """A dict, of dicts where it is deeper, and the number that is there by the last key."""
    if depth == 0:
        return SymInt(z3.Function(name, *[INT] * len(keys), INT)(*keys))
    has = z3.Function(f"{name}, by {len(keys) + 1}", *[INT] * (len(keys) + 1), BOOL)
    return Keyed(lambda key: has(*keys, key), lambda key: _dict(name, depth - 1, *keys, key))


AMOUNTS, COUNTS = _dict("amount held", 2), _dict("how many hold", 3)
ONE, OTHER = _dict("amount of one", 1), _dict("amount of the other", 1)
_ONE: State = {"held": Made(Held, {"amounts": AMOUNTS, "counts": COUNTS}), "place": PLACE, "amounts": ONE}


def _leave(held: Held, place: int, amounts: Amounts, where: int, others: Amounts) -> tuple[Held, Held]:
    one, other = held_without(held, place, amounts), held_without(held, where, others)
    return held_without(one, where, others), held_without(other, place, amounts)


def _comes_back(held: Held, place: int, amounts: Amounts) -> tuple[Held, Held]:
    return held_beside(held_without(held, place, amounts), place, amounts), held


def _alike(one: Any, other: Any, *keys: Any) -> Any:
    """Whether two dicts have the same by some keys."""
    if not keys:
        return one.term == other.term
    key, *others = keys
    below = z3.Implies(one.has(key), _alike(one.at(key), other.at(key), *others))
    return z3.And(one.has(key) == other.has(key), below)


def _number(of: Any, *keys: Any) -> Any:
    """What a dict has by some keys; 0 where it has nothing."""
    return z3.If(of.has(keys[0]), _number(of.at(keys[0]), *keys[1:]), 0) if keys else of.term


def _bounded() -> Taken:
    before = (AMOUNTS.at(QUEUE).at(KEY).term, COUNTS.at(QUEUE).at(KEY).at(SIZE).term)
    one, other = ONE.at(KEY).term, OTHER.at(KEY).term
    least = z3.And(*(number >= 0 for number in (*before, one, other)))
    most = z3.And(*(number < UNLIMITED for number in (before[0] + one, before[1] + 1, other)))
    return Taken(z3.And(least, most), BOUNDED, GIVEN)


def _is_counted() -> Taken:
    """With its amounts, and with each of them where it is one of a hero."""
    amounts, counts = AMOUNTS.at(PLACE.term), COUNTS.at(PLACE.term)
    of_hero = z3.And(counts.has(KEY), counts.at(KEY).has(ONE.at(KEY).term))
    of_key = z3.And(amounts.has(KEY), z3.Implies(COUNTS.has(PLACE.term), of_hero))
    return Taken(z3.And(AMOUNTS.has(PLACE.term), z3.Implies(ONE.has(KEY), of_key)), COUNTED, GIVEN)


class _Counted(Given):
    """What is counted of what is held, and of what is kept."""

    def __call__(self, *told: Any) -> Any:
        """The parts of the usage that is made of them."""
        usage = super().__call__(*told).term
        return tuple(SymToken(part(usage)) for part in PARTS.values())


COUNTED_OF = _Counted(5, SymToken, z3.Function("usage beside heroes", *[INT] * 6))


def _usage_of(held: SymToken) -> z3.ArithRef:
    plan, *others = (kept.term for kept in KEPT.values())
    usage: z3.ArithRef = COUNTED_OF.meaning(plan, held.term, *others)
    return usage


def _usage(held: SymToken) -> Made:
    parts = {name: SymToken(part(_usage_of(held))) for name, part in PARTS.items()}
    return Made(EffectiveUsage, {**KEPT, **parts, "held": held})


@theorem("PO-ANY-057", size="any tree with heroes, any number of workloads and flavor-resources")
def beside_heroes_what_is_in_use_depends_on_who_is_out_alone(
    without: Callable[..., Any] = held_without,
    beside: Callable[..., Any] = held_beside,
    changing: Callable[..., Any] = held._changed,
    by: Callable[..., Any] = held._by,
    leaving: Callable[..., Any] = effective.effective_without,
    coming: Callable[..., Any] = effective.effective_beside,
    holding: Callable[..., Any] = effective._holding,
    whole: Callable[..., Any] = effective.effective_usage,
) -> Iterator[Part]:
    """KEP-8826, Implementation: bills are a function of what is held, and so is what is in use with them.

    Who leaves or comes changes what is held at its ClusterQueue by its amounts, of a hero also how many of
    its workloads hold each amount, and nothing else that usage is counted from. Two that leave, in either
    order, leave the same held; one that leaves and comes back leaves all as it was.
    """
    names = ("held_without", "held_beside")
    after = {name: Given(3, SymToken, z3.Function(f"of {name}", *[INT] * 4)) for name in names}
    again = seeing(holding, effective_usage=seeing(whole, _counted=COUNTED_OF))
    given: State = {"usage": _usage(token("held")), "place": PLACE, "amounts": token("amounts")}
    change = seeing(changing, _by=by)
    changes = {name: seeing(way, _changed=change) for name, way in zip(names, (without, beside), strict=True)}
    for name, function, sign in zip(names, (leaving, coming), (-1, 1), strict=True):
        then = _usage(after[name](token("held"), PLACE, token("amounts")))
        yield from read_procedure(seeing(function, _holding=again, **after), given, partial(_is, then))
        yield from read_procedure(changes[name], _ONE, partial(_is_by_one, sign), facts=[_bounded()])
    both = {**_ONE, "where": token("where"), "others": OTHER}
    yield from _one_usage(seeing(_leave, held_without=changes["held_without"]), both, _bounded())
    yield from _one_usage(seeing(_comes_back, **changes), _ONE, _bounded(), _is_counted())


def _is(usage: Made, way: Way) -> Labelled:
    return [("what is counted of what is held then", same(way.value, usage))]


def _is_by_one(sign: int, way: Way) -> Labelled:
    """What is held is more, or less, by what one holds; at a hero one more, or fewer, hold its amount."""
    of_it, (amounts, counts) = z3.And(PLACE.term == QUEUE, ONE.has(KEY)), way.value.fields.values()
    more, one = z3.If(of_it, ONE.at(KEY).term, 0), z3.And(of_it, COUNTS.has(QUEUE), ONE.at(KEY).term == SIZE)
    held, many = _number(AMOUNTS, QUEUE, KEY), _number(COUNTS, QUEUE, KEY, SIZE)
    return [
        ("by its amounts", _number(amounts, QUEUE, KEY) == held + sign * more),
        ("by one that holds each", _number(counts, QUEUE, KEY, SIZE) == many + z3.If(one, sign, 0)),
    ]


def _one_usage(function: Callable[..., Any], given: State, *facts: Taken) -> Iterator[Part]:
    """That a function comes to two that are held alike, so that one usage is counted of them."""
    found: list[Any] = []

    def alike(way: Way) -> Labelled:
        (amounts, counts), (others, of_others) = (of.fields.values() for of in way.value)
        many = _alike(counts, of_others, QUEUE, KEY, SIZE)
        found.append(z3.And(_alike(amounts, others, QUEUE, KEY), many))
        return [HELD_ALIKE.goal(*found)]

    yield from read_procedure(function, given, alike, facts=facts)
    one, other = token("held"), token("held again")
    is_one = Taken(z3.Implies(*found, same(one, other)), ONE_HELD, GIVEN)
    in_use = BESIDE_HEROES.goal(_usage_of(one), _usage_of(other))
    yield Part("everywhere", (is_one, HELD_ALIKE.of(*found)), (in_use,))

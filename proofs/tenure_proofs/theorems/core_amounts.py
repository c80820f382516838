"""The optimized core: sums, and what is available in a tree, are what the rules say.

Kernels are read from their source, over arrays of any size, and rules by the same reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.fast import amounts, fair, nodes
from tenure.fast.heroes import billing
from tenure.fast.heroes.tables import HELD, NOMINAL, Books
from tenure.model import NodeQuota
from tenure.readings import HeroBilling
from tenure.rules import amounts as rules
from tenure.rules import hero_billing, quota
from tenure_proofs.theorems import core_world as world
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    AT,
    COLUMNS,
    DEPTH,
    FOREST,
    NEEDED,
    NODES,
    PATH,
    REQUESTED,
    SIZES,
    TOP,
    USAGE,
    flag,
    handed,
    number,
    of,
    said,
    says_of_all,
    seeing,
    so_far,
    used,
)
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import LEAST, MOST, Invariant, Law, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, as_term

ANY = "any numbers of 64 bits"
TREE = "any tree, any path in it, any number of columns"


def _is(term: Any, sort: type = int) -> Callable[[Way], Labelled]:
    """That a kernel returns this."""
    return lambda way: [("what the rule says", as_term(way.value, sort) == term)]


@theorem("PO-ANY-400", about=(amounts.plus, amounts.minus), size=ANY)
def the_cores_sums_and_differences_are_those_of_the_rules_and_no_step_leaves_64_bits(
    plus: Any = amounts.plus, minus: Any = amounts.minus
) -> Iterator[Part]:
    """KQ-100 and KQ-110, of any two numbers of 64 bits; the core never counts beyond, not even in between."""
    given = {"first": number("first"), "second": number("second")}
    yield from read_kernel(plus, given, _is(said(rules.plus, **given)))
    yield from read_kernel(minus, given, _is(said(rules.minus, **given)))


@theorem("PO-ANY-405", about=(billing.local_of, billing.passed, billing._excess), size=ANY)
def what_a_branchs_node_keeps_passes_up_and_bills_is_what_the_rules_say(
    local_of: Any = billing.local_of, passed: Any = billing.passed, excess: Any = billing._excess
) -> Iterator[Part]:
    """KQ-120, KQ-140, and UCQ-100 where the excess is billed."""
    subtree, lending, usage, local = (number(name) for name in ("subtree", "lending", "usage", "local"))
    limit = SymOptional(SymBool(lending.term != MOST), lending)
    keeps = said(quota.local_quota, subtree=subtree, lending_limit=limit)
    yield from read_kernel(local_of, {"subtree": subtree, "lending": lending}, _is(keeps))
    passes = said(quota.usage_passed_up, quota=Made(NodeQuota, {"local": local}), usage=usage)
    yield from read_kernel(passed, {"usage": usage, "local": local}, _is(passes))
    hero, at = number("hero", 0, NODES), number("at", 0, COLUMNS)
    now, before = (world.numbers(name, 8, NODES, COLUMNS) for name in ("now", "given"))
    books = Made(Books, {"now": now, "given": before})
    bills = said(
        hero_billing.billed_usage,
        usage=now.at(HELD, hero.term, at.term),
        nominal=before.at(NOMINAL, hero.term, at.term),
        billing=HeroBilling.EXCESS,
    )
    given = {"books": books, "hero": hero, "at": at}
    yield from read_kernel(excess, given, _is(bills), facts=SIZES)


def walked(
    kernel: Any, variable: str, given: dict[str, Value], root: Any, step: Callable[..., Any]
) -> Iterator[Part]:
    """A walk from the root down a path comes to what the rule says of each node, given the node above."""
    rule = z3.Function(f"what the rule says: {variable}", z3.IntSort(), z3.IntSort())

    def below(steps: Any) -> Any:
        return DEPTH - 1 - steps

    def holds(steps: Any, _: State, here: State, __: Any) -> Labelled:
        value = as_term(here[variable], int)
        return [
            ("what the rule says of the node above", value == rule(below(steps))),
            ("64 bits", z3.And(value >= LEAST, value <= MOST)),
        ]

    def recursion(steps: Any, _: State) -> list[Any]:
        node = of(ASK, "path", below(steps) - 1)
        return [rule(below(steps) - 1) == step(node, SymInt(rule(below(steps))))]

    invariant = Invariant(holds, points=lambda steps, _: [steps], everywhere=recursion)
    facts = (*SIZES, rule(DEPTH - 1) == root)
    yield from read_kernel(kernel, given, _is(rule(z3.IntVal(0))), facts=facts, loops=[invariant])


@theorem("PO-ANY-410", about=(nodes.available, nodes.potential), size=TREE, assumes=ARRAYS)
def what_the_core_finds_available_on_a_path_is_what_the_rules_say_from_the_root_down(
    available: Any = nodes.available, potential: Any = nodes.potential
) -> Iterator[Part]:
    """KQ-150 to KQ-180 and KQ-160, of the root and then of each node of the path, given the one above."""
    at = AT.term
    given = {"forest": FOREST, "path": PATH, "at": AT}

    def free(node: Any, above: Any) -> Any:
        usage = SymInt(used(node, at))
        return said(quota.available, quota=world.quota(node, at), usage=usage, above=above)

    def most(node: Any, above: Any) -> Any:
        return said(quota.potential_available, quota=world.quota(node, at), above=above)

    yield from walked(available, "free", {**given, "usage": USAGE}, free(TOP, None), free)
    yield from walked(potential, "most", given, most(TOP, None), most)


FREE = z3.Function("available to the preemptor", z3.IntSort(), z3.IntSort())


def _fits(index: Any, may_borrow: SymBool) -> Any:
    """KQ-190 of one column of a request."""
    at, amount = of(ASK, "at", index), SymInt(of(ASK, "amount", index))
    own = ASK.fields["own"].term
    nominal = SymInt(of(FOREST, "nominal", own, at))
    borrows = z3.Not(said(quota.fits_quota, usage=SymInt(used(own, at)), request=amount, quota=nominal))
    free = SymInt(FREE(at))
    return said(
        quota.fits_request, request=amount, free=free, borrows=SymBool(borrows), may_borrow=may_borrow
    )


def _not_exceeded(node: Any, index: Any) -> Any:
    """KQ-200 of one needed column."""
    at = of(ASK, "needed", index)
    quota_of = SymInt(of(FOREST, "subtree", node, at))
    return said(quota.is_within_quota, usage=SymInt(used(node, at)), quota=quota_of)


@theorem(
    "PO-ANY-415",
    about=(nodes.fits, nodes.exceeds, fair.claims_nominal),
    size="any number of columns",
    assumes={**ARRAYS, "what is available on the path": "PO-ANY-410"},
)
def whether_a_request_fits_and_a_node_exceeds_its_quota_is_what_the_rules_say_of_the_columns(
    fits: Any = nodes.fits, exceeds: Any = nodes.exceeds, claims: Any = fair.claims_nominal
) -> Iterator[Part]:
    """KQ-190 of every column that is requested, KQ-200 of each that is needed.

    The last kernel asks KQ-200 of the preemptor's ClusterQueue and its nominal quota, its request charged.
    """
    may_borrow, node = flag("may borrow"), number("node", 0, NODES)
    own = ASK.fields["own"].term

    def one(index: Any) -> Any:
        return _fits(index, may_borrow)

    def available(_: State, forest: Any, usage: Any, path: Any, at: Any) -> SymInt:
        handed((forest, FOREST), (usage, USAGE), (path, PATH))
        return SymInt(FREE(at.term))

    given = {"forest": FOREST, "usage": USAGE, "ask": ASK, "may_borrow": may_borrow}
    yield from read_kernel(
        seeing(fits, available=Law(available)),
        given,
        lambda way: says_of_all(REQUESTED, one, way),
        facts=SIZES,
        loops=[so_far(one)],
    )

    def within(index: Any) -> Any:
        return _not_exceeded(node.term, index)

    def none_exceeded(way: Way) -> Labelled:
        return says_of_all(
            NEEDED, within, Way(way.path, way.ends, way.names, SymBool(z3.Not(as_term(way.value, bool))))
        )

    yield from read_kernel(
        exceeds,
        {"forest": FOREST, "usage": USAGE, "node": node, "needed": ASK.fields["needed"]},
        none_exceeded,
        facts=SIZES,
        loops=[so_far(within)],
    )

    def nominal(index: Any) -> Any:
        at = of(ASK, "needed", index)
        quota_of = SymInt(of(FOREST, "nominal", own, at))
        return said(quota.is_within_quota, usage=SymInt(used(own, at)), quota=quota_of)

    yield from read_kernel(
        claims,
        {"forest": FOREST, "ask": ASK, "charged": USAGE},
        lambda way: says_of_all(NEEDED, nominal, way),
        facts=SIZES,
        loops=[so_far(nominal)],
    )

"""The optimized core, heroes: quotas and usage with all bills carried out, counted again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast.heroes import billing, effective
from tenure.fast.heroes.tables import (
    AFTER,
    BILL,
    END,
    FIRST,
    HELD,
    HERO,
    LENDING,
    LIMIT,
    LOCAL,
    NOMINAL,
    PARENT,
    PLACE,
    STOP,
    SUBTREE,
    UNLOCKS,
    USAGE,
)
from tenure.model import NodeQuota
from tenure.rules import hero_tree, quota
from tenure_proofs.theorems.core_books import (
    AT_FIRST,
    BEFORE,
    BILL_BRANCH,
    BOOKED,
    BOOKS,
    CLEAR,
    COVER,
    IN_ORDER,
    OF_BRANCH,
    RAISE,
    ROOT,
    SMALL,
    SUMS_SEEN,
    THIS_BRANCH,
    UNLOCK,
    Fold,
    Terms,
    at_place,
    below,
    ends,
    length,
    only,
    part,
    put,
    subtree,
    tree,
    whether,
)
from tenure_proofs.theorems.core_carried import kept, lent, more_lent
from tenure_proofs.theorems.core_world import ARRAYS, AT, MINUS, NODES, PLUS, SUMS, flag, number, said, seeing
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import MOST, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymInt, as_term

NODE = number("node", 0, NODES)


@theorem(
    "PO-ANY-730",
    about=(effective._clear, effective._cover),
    size="any tree",
    assumes=ARRAYS,
)
def before_bills_every_node_has_what_is_configured_and_after_them_a_quota_where_they_gave_it_something(
    clear: Any = effective._clear, cover: Any = effective._cover
) -> Iterator[Part]:
    """All held is in use and no node is billed; it is said whether any hero uses something."""
    top, at = NODE.term, AT.term
    count = subtree(top)

    def amount(node_at: Any, which: Any, then: Terms) -> Terms:
        node = top + node_at
        return {"@now": put(then["@now"], BOOKS.fields["given"].at(which, node, at).term, which, node, at)}

    def of_node(node_at: Any, then: Terms) -> Terms:
        node = top + node_at
        now = amounts.end(node_at)["@now"]
        held = now[HELD][node][at]
        now = put(now, held, z3.IntVal(USAGE), node, at)
        return {
            "@now": put(now, z3.IntVal(0), z3.IntVal(BILL), node, at),
            "@covered": put(then["@covered"], part("covers", node, at), node, at),
            "in_use": z3.Or(then["in_use"], z3.And(tree(HERO, node) != 0, held > 0)),
        }

    cleared = Fold(
        "no bills",
        lambda: {**only(AT_FIRST, "@now", "@covered"), "in_use": z3.BoolVal(False)},
        of_node,
        lambda: count,
    )
    amounts = Fold(
        "as configured",
        lambda node_at: only(cleared.at(node_at), "@now"),
        amount,
        lambda _: z3.IntVal(LENDING + 1),
    )
    end = cleared.end()
    yield from read_kernel(
        clear,
        {"books": BOOKS, "top": NODE, "at": AT},
        lambda way: ends(way, only(end, "@now", "@covered"), end["in_use"]),
        rooms=BEFORE,
        facts=(*BOOKED, *cleared.begins()),
        loops=[cleared.invariant(inner=[amounts]), amounts.invariant(around=[0])],
    )

    def has_some(node_at: Any, then: Terms) -> Terms:
        node, now = top + node_at, BEFORE["now"]
        some = z3.Or([now[kind][node][at] != 0 for kind in (NOMINAL, SUBTREE, LOCAL)])
        has = z3.Or(then["@covered"][node][at], some, now[LIMIT][node][at] != MOST)
        return {"@covered": put(then["@covered"], has, node, at)}

    covered = Fold("covered", lambda: only(AT_FIRST, "@covered"), has_some, lambda: count)
    yield from read_kernel(
        cover,
        {"books": BOOKS, "top": NODE, "at": AT},
        lambda way: ends(way, covered.end()),
        rooms=BEFORE,
        facts=(*BOOKED, *covered.begins()),
        loops=[covered.invariant()],
    )


@theorem(
    "PO-ANY-732",
    about=(effective._raise,),
    size="any tree",
    assumes={**ARRAYS, **SUMS, **IN_ORDER},
)
def where_a_lending_limit_rises_every_node_up_to_the_root_has_and_keeps_what_the_rules_then_say(
    kernel: Any = effective._raise,
) -> Iterator[Part]:
    """The limits of nodes below the branch's root rise. KQ-120, KQ-130 and KQ-140 of each node on the way."""
    at, rise = AT.term, number("rise")

    def passes(now: Any, node: Any) -> Any:
        local = Made(NodeQuota, {"local": SymInt(now[LOCAL][node][at])})
        rule = seeing(quota.usage_passed_up, minus=MINUS)
        return said(rule, quota=local, usage=SymInt(now[USAGE][node][at]))

    def more(now: Any, kind: int, node: Any, amount: Any) -> Any:
        total = PLUS(SymInt(now[kind][node][at]), SymInt(amount)).term
        return put(now, total, z3.IntVal(kind), node, at)

    def goes_up(_: Any, then: Terms) -> Terms:
        now, node = then["@now"], then["node"]
        inside = z3.And(then["inside"], node != ROOT.term)
        quota_before, usage_before = lent(now, node, at), passes(now, node)
        now = more(now, SUBTREE, node, then["more_quota"])
        now = more(now, USAGE, node, then["more_usage"])
        limited = z3.And(inside, now[LENDING][node][at] != MOST)
        now = z3.If(limited, more(now, LENDING, node, rise.term), now)
        now = put(now, kept(now, node, at), z3.IntVal(LOCAL), node, at)
        return {
            "@now": now,
            "node": tree(PARENT, node),
            "inside": inside,
            "more_quota": more_lent(now, quota_before, node, at),
            "more_usage": MINUS(SymInt(passes(now, node)), SymInt(usage_before)).term,
        }

    raised = Fold(
        "raised",
        lambda: {
            "@now": BEFORE["now"],
            "node": NODE.term,
            "inside": z3.BoolVal(True),
            "more_quota": z3.IntVal(0),
            "more_usage": z3.IntVal(0),
        },
        goes_up,
    )

    def says(way: Way) -> Labelled:
        then = raised.at(way.names["#0"].term)
        return [("up to the root", then["node"] < 0), *ends(way, only(then, "@now"))]

    laws = {name: seeing(getattr(billing, name), minus=MINUS) for name in ("local_of", "passed")}
    yield from read_kernel(
        seeing(kernel, **SUMS_SEEN, **laws),
        {"books": BOOKS, "node": NODE, "root": ROOT, "at": AT, "rise": rise},
        says,
        rooms=BEFORE,
        facts=(*BOOKED, *raised.begins()),
        loops=[raised.invariant(lambda _, here: [as_term(here["node"], int) < NODES])],
    )


@theorem(
    "PO-ANY-734",
    about=(effective._unlock,),
    size="any tree, any number of heroes",
    assumes={**ARRAYS, **SMALL, **SUMS, "where a lending limit rises": "PO-ANY-732"},
)
def lending_limits_of_a_branch_rise_node_by_node_as_the_rules_say_until_nothing_is_lacking(
    unlock: Any = effective._unlock,
) -> Iterator[Part]:
    """UCQ-200 of every node below the branch's root, by name; all together at most what heroes use."""
    at, root = AT.term, OF_BRANCH
    rule = seeing(hero_tree.unlocked, minus=MINUS)
    idle_of = seeing(quota.local_available, minus=MINUS)

    def used(count: Any, then: Terms) -> Terms:
        node = root + count
        more = z3.If(tree(HERO, node) != 0, BEFORE["now"][HELD][node][at], 0)
        return {"allowance": then["allowance"] + more}

    heroes = Fold("what heroes use", lambda: {"allowance": z3.IntVal(0)}, used, lambda: subtree(root))

    def rises(count: Any, then: Terms) -> Terms:
        now, node = then["@now"], at_place(tree(PLACE, root) + 1 + count)
        local = Made(NodeQuota, {"local": SymInt(now[LOCAL][node][at])})
        rise = said(
            rule,
            usage=SymInt(now[USAGE][root][at]),
            quota=SymInt(now[SUBTREE][root][at]),
            locally_available=SymInt(said(idle_of, quota=local, usage=SymInt(now[USAGE][node][at]))),
            allowance=SymInt(then["allowance"]),
        )
        raised = RAISE.after(then, node, root, at, rise)["@now"]
        return {"@now": z3.If(rise > 0, raised, now), "allowance": then["allowance"] - rise}

    unlocked = Fold(
        "unlocked",
        lambda: {**only(AT_FIRST, "@now"), **heroes.end()},
        rises,
        lambda: length(tree(PLACE, root) + 1, tree(AFTER, root)),
    )

    def says(way: Way) -> Labelled:
        steps = way.names["#1"].term
        then = unlocked.at(steps)
        now = then["@now"]
        missing = MINUS(SymInt(now[USAGE][root][at]), SymInt(now[SUBTREE][root][at])).term
        nothing = z3.Or(missing <= 0, then["allowance"] <= 0)
        over = z3.Or(steps == length(tree(PLACE, root) + 1, tree(AFTER, root)), nothing)
        return [("until nothing is lacking", over), *ends(way, only(then, "@now"))]

    yield from read_kernel(
        seeing(unlock, **SUMS_SEEN, _raise=RAISE.law()),
        {"books": BOOKS, "branch": THIS_BRANCH, "at": AT},
        says,
        rooms=BEFORE,
        facts=(*BOOKED, *heroes.begins(), *unlocked.begins()),
        loops=[
            heroes.invariant(lambda count, _: below(heroes, "allowance", count)),
            unlocked.invariant(lambda count, _: below(unlocked, "allowance", count)),
        ],
    )


@theorem(
    "PO-ANY-736",
    about=(effective.settle,),
    size="any tree, any number of branches",
    assumes={
        **ARRAYS,
        **SUMS,
        **IN_ORDER,
        "amounts before bills, and what is covered": "PO-ANY-730",
        "what a branch bills": "PO-ANY-720",
        "which limits rise": "PO-ANY-734",
    },
)
def a_tree_is_counted_branch_by_branch_then_usage_goes_up_from_the_last_node_and_limits_rise(
    settle: Any = effective.settle,
) -> Iterator[Part]:
    """KQ-140 of every node. Bills of a branch around the hero's are recorded, or kept as recorded."""
    top, at, mine, recording = NODE.term, AT.term, number("mine", -1, NODES), flag("recording")
    told = (top, at)
    passed_up = seeing(quota.usage_passed_up, minus=MINUS)
    in_use = CLEAR.value(AT_FIRST, *told).term
    cleared = CLEAR.after(AT_FIRST, *told)

    def billed(count: Any, then: Terms) -> Terms:
        branch = tree(FIRST, top) + count
        root = part("roots", branch)
        around = z3.And(root < mine.term, mine.term < tree(END, root))
        keeps, records = (z3.And(around, which) for which in (z3.Not(recording.term), recording.term))
        return BILL_BRANCH.after(then, branch, at, keeps, records)

    bills = Fold(
        "branches billed", lambda: cleared, billed, lambda: length(tree(FIRST, top), tree(STOP, top))
    )

    def goes_up(count: Any, then: Terms) -> Terms:
        node, now = tree(END, top) - 1 - count, then["@now"]
        local = Made(NodeQuota, {"local": SymInt(now[LOCAL][node][at])})
        up = said(passed_up, quota=local, usage=SymInt(now[USAGE][node][at]))
        above = tree(PARENT, node)
        total = PLUS(SymInt(now[USAGE][above][at]), SymInt(up)).term
        return {"@now": put(now, total, z3.IntVal(USAGE), above, at)}

    before = whether(in_use, bills.end(), cleared)
    used = Fold(
        "usage passed up", lambda: only(before, "@now"), goes_up, lambda: length(top + 1, tree(END, top))
    )

    def unlocked(count: Any, then: Terms) -> Terms:
        return only(UNLOCK.after(then, tree(FIRST, top) + count, at), "@now")

    rising = z3.If(tree(UNLOCKS, top) != 0, tree(STOP, top), 0)
    limits = Fold("branches unlocked", used.end, unlocked, lambda: length(tree(FIRST, top), rising))
    end = COVER.after({**before, **limits.end()}, *told)
    end = whether(in_use, end, {**before, **used.end()})

    def inside(count: Any, _: State) -> list[Any]:
        node = tree(END, top) - 1 - count
        return [z3.Implies(z3.And(node > top, node < NODES), tree(PARENT, node) >= 0)]

    laws = {
        "_clear": CLEAR.law(),
        "bill_branch": BILL_BRANCH.law(),
        "_unlock": UNLOCK.law(),
        "_cover": COVER.law(),
        "passed": seeing(billing.passed, minus=MINUS),
    }
    yield from read_kernel(
        seeing(settle, **SUMS_SEEN, **laws),
        {"books": BOOKS, "top": NODE, "mine": mine, "at": AT, "recording": recording},
        lambda way: ends(way, end),
        rooms=BEFORE,
        facts=(*BOOKED, *bills.begins(), *used.begins(), *limits.begins()),
        loops=[bills.invariant(), used.invariant(inside), limits.invariant()],
    )

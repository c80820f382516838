"""Theorems about kernels for heroes hold of none with a mistake in it."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.fast.heroes import billing, effective, search
from tests.proofs.changed import fails
from tests.proofs.test_kernels import wrong

MISTAKES: dict[str, tuple[str, str, Any, str, str, str]] = {
    "the first node is left out": (
        "PO-ANY-702",
        "sum_over",
        billing.sum_over,
        "range(first, end)",
        "range(first + 1, end)",
        "keeps: total: so far",
    ),
    "the other branch's heroes": (
        "PO-ANY-702",
        "first",
        billing._first_hero,
        "branch - 1",
        "branch",
        "returns: behind the branch before",
    ),
    "shares begin at the weight": (
        "PO-ANY-704",
        "share_out",
        billing.share_out,
        "shared = upto",
        "shared = before",
        "keeps: so far",
    ),
    "all shares are rounded down": (
        "PO-ANY-704",
        "share_out",
        billing.share_out,
        "elif floor:",
        "elif floor or True:",
        "keeps: rows",
    ),
    "cohorts before what is below them": (
        "PO-ANY-706",
        "count_on",
        billing.count_on,
        "range(tree[AFTER, root] - 1, tree[PLACE, root], -1)",
        "range(tree[PLACE, root] + 1, tree[AFTER, root])",
        "keeps: room: so far",
    ),
    "a hero can be billed what it uses": (
        "PO-ANY-708",
        "shares",
        billing._excess_shares,
        "if tree[HERO, node]:",
        "if not tree[HERO, node]:",
        "keeps: room: so far",
    ),
    "more than can be billed": (
        "PO-ANY-708",
        "shares",
        billing._excess_shares,
        "min(bill, sum_over(books, WEIGHT, first, end))",
        "bill",
        "returns: now, covered, room, amounts, frozen, is_frozen",
    ),
    "of one hero twice": (
        "PO-ANY-710",
        "shares",
        billing._whole_shares,
        "_floored(books, books.heroes[index]",
        "_floored(books, books.heroes[_first_hero(books, branch)]",
        "keeps: room: so far",
    ),
    "what was recorded is not looked at": (
        "PO-ANY-712",
        "shares",
        billing._shares,
        "kept and books.is_frozen",
        "not kept and books.is_frozen",
        "first: the bills",
    ),
    "the root lends less": (
        "PO-ANY-714",
        "take",
        billing._take_quota,
        "node != root and ",
        "",
        "keeps: now: so far",
    ),
    "every hero is credited all": (
        "PO-ANY-714",
        "credit",
        billing._credit_heroes,
        "rest -= credit",
        "rest -= 0",
        "keeps: now, rest: so far",
    ),
    "weights are not put back": (
        "PO-ANY-716",
        "move",
        billing._move_to_heroes,
        "room[WEIGHT, node] = room[SHARE, node]",
        "room[WEIGHT, node] = room[WEIGHT, node]",
        "keeps: room: so far",
    ),
    "quota above is not counted": (
        "PO-ANY-718",
        "count",
        billing._count_quotas,
        "now[SUBTREE, node, at] = plus(now[SUBTREE, node, at], more)",
        "now[SUBTREE, node, at] = plus(now[SUBTREE, node, at], before)",
        "keeps: now, more, node: so far",
    ),
    "limits are widened before quotas are counted": (
        "PO-ANY-720",
        "bill_branch",
        billing.bill_branch,
        "minus(room[WEIGHT, node], now[SUBTREE, node, at])",
        "minus(now[SUBTREE, node, at], room[WEIGHT, node])",
        "keeps: now: so far",
    ),
    "what is held is not in use": (
        "PO-ANY-730",
        "clear",
        effective._clear,
        "now[USAGE, node, at], now[BILL, node, at]",
        "now[BILL, node, at], now[USAGE, node, at]",
        "keeps: now, covered, in_use: so far",
    ),
    "the root's limit rises too": (
        "PO-ANY-732",
        "kernel",
        effective._raise,
        "inside and node != root",
        "inside",
        "keeps: now, node, inside, more_quota, more_usage: so far",
    ),
    "heroes' usage is no limit": (
        "PO-ANY-734",
        "unlock",
        effective._unlock,
        "allowance -= min(lacking, idle)",
        "allowance -= 0",
        "keeps: now, allowance: so far",
    ),
    "the root counts below itself": (
        "PO-ANY-736",
        "settle",
        effective.settle,
        "- 1, top, -1)",
        "- 1, top - 1, -1)",
        "returns: defined",
    ),
    "bills are kept everywhere": (
        "PO-ANY-736",
        "settle",
        effective.settle,
        "above and not recording",
        "not recording",
        "keeps: now, covered, room, amounts, frozen, is_frozen: so far",
    ),
    "only one copy is written": (
        "PO-ANY-740",
        "hold",
        effective.hold,
        "books.amounts[1, books.single_of[row], at] = amount",
        "books.amounts[0, books.single_of[row], at] = amount",
        "keeps: now, amounts: so far",
    ),
    "who left stays away": (
        "PO-ANY-742",
        "start",
        effective.start,
        "amounts[1, single, at] = amounts[0, single, at]",
        "amounts[1, single, at] = amounts[1, single, at]",
        "keeps: amounts: so far",
    ),
    "columns nobody asks about": (
        "PO-ANY-744",
        "leave",
        effective.leave,
        "if ask.watched[at]:",
        "if not ask.watched[at]:",
        "keeps: now, covered, room, amounts, frozen, is_frozen: so far",
    ),
    "a hero's workload leaves without a count": (
        "PO-ANY-744",
        "leave",
        effective.leave,
        "single >= 0 or",
        "single > 0 or",
        "keeps: now, covered, room, amounts, frozen, is_frozen: so far",
    ),
    "the hero lends to itself": (
        "PO-ANY-750",
        "accessible",
        search.accessible,
        "room[WEIGHT, node] = 0",
        "room[WEIGHT, node] = own",
        "returns: returns",
    ),
    "what nodes owe is taken away": (
        "PO-ANY-752",
        "room_of",
        search.room_of,
        "> now[USAGE, index, at]:",
        "!= now[USAGE, index, at]:",
        "keeps: room: so far",
    ),
    "rank never comes first": (
        "PO-ANY-754",
        "offers",
        search._offers,
        "not quest.rank_first or",
        "quest.rank_first or",
        "returns: returns",
    ),
    "equals of other heroes may be preempted": (
        "PO-ANY-754",
        "ground",
        search._ground,
        ">= policy.priority",
        "> policy.priority",
        "returns: returns",
    ),
    "queues that are not active offer candidates": (
        "PO-ANY-754",
        "classify",
        search.classify,
        "books.tree[ACTIVE, node] != 0 and ",
        "",
        "keeps: groups: so far",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_kernel_for_heroes_with_a_mistake_is_proved(mistake: str) -> None:
    claim, name, kernel, before, after, failure = MISTAKES[mistake]
    assert fails(claim, name, wrong(kernel, before, after), failure)

"""A loop is read as it runs: its order, its first state, each step and where it stops. Others are refused."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
import z3

from tenure.model import NodeQuota
from tenure.oracle.selection import Chain, fill_back, remove_until_fits
from tenure.oracle.tree import climb
from tenure_proofs.theorems.proving import prove
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Contract, Part, by_induction
from tenure_proofs.trusted.loops import Cells, Given, Listed, Loop, Row, every, returned
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken
from tests.tenure_proofs.changed import made

COUNTING = """
def counting(items):
    total = 0
    for item in items:
        if total > item:
            break
        total = total + item
    return total
"""


def _written(source: str, **sees: Any) -> Callable[..., Any]:
    text = textwrap.dedent(source)
    return made(text, text.split("def ")[-1].split("(")[0], {"__name__": __name__, "Chain": Chain}, sees)


def chain_of(items: Sequence[int]) -> Chain[int]:
    """A chain of numbers, the last one in front."""
    chain = Chain(items[0])
    for item in items[1:]:
        chain = Chain(item, chain)
    return chain


def _numbers(count: int | None = None, *, linked: bool = False) -> Row:
    size = z3.Int("count") if count is None else z3.IntVal(count)
    return Row(lambda place: SymInt(z3.IntVal(0) + place), size, linked)


def _known(term: z3.ExprRef) -> Any:
    """A term's value, where it has one."""
    simple = z3.simplify(term)
    if z3.is_bool(simple):
        return z3.is_true(simple)
    assert isinstance(simple, z3.IntNumRef), simple
    return simple.as_long()


ORDERS = """
items; tuple(items); list(items); reversed(items); items[::-1]; items[1:]; items[2:]; items[:-1]; items[:-2]
reversed(items[1:]); tuple(items[:-1])[::-1]; list(items)[1:][:-1]
"""


@pytest.mark.parametrize("order", ORDERS.strip().replace("\n", "; ").split("; "))
def test_an_order_that_is_read_is_the_one_that_runs(order: str) -> None:
    source = COUNTING.replace("in items", f"in {order}")
    for count in range(5):
        row = Loop(_written(source), items=_numbers(count)).row  # type: ignore[arg-type]
        read = [_known(row.at(z3.IntVal(place)).term) for place in range(_known(row.size))]
        assert read == list(eval(order, {"items": range(count)}))


@pytest.mark.parametrize("order", ["items", "items.rest or ()", "reversed(tuple(items.rest or ()))"])
def test_a_chain_is_gone_through_as_it_runs(order: str) -> None:
    source = COUNTING.replace("in items", f"in {order}")
    for count in range(1, 5):
        row = Loop(_written(source), items=_numbers(count, linked=True)).row  # type: ignore[arg-type]
        read = [_known(row.at(z3.IntVal(place)).term) for place in range(_known(row.size))]
        assert read == list(eval(order, {"items": chain_of(range(count)[::-1])}))


def _run(loop: Loop) -> Value:
    """What a loop whose values are all known returns, step by step as it was read."""
    assert all(map(_known, loop.needed))
    state: Mapping[str, Value] = loop.first
    for place in range(_known(loop.row.size)):
        ways, needed = loop.step(state, loop.row.at(z3.IntVal(place)))
        assert all(map(_known, needed))
        (way,) = [way for way in ways if _known(way.condition)]
        if way.ends == "return":
            return way.value
        state = way.names
        if way.ends == "break":
            break
    value, needed = loop.result(state)
    assert all(map(_known, needed))
    return value


def _members(value: Value, count: int) -> set[int]:
    if value is None:
        return set()
    assert isinstance(value, Listed)
    return {place for place in range(count) if _known(value.members[place])}


def _plain(fold: Any, part: str) -> list[int]:
    return list(getattr(fold, part) or ())


@pytest.mark.parametrize("seed", range(6))
def test_removing_and_filling_back_are_read_as_they_run(seed: int) -> None:
    drawn = random.Random(seed)
    count, room = drawn.randint(1, 5), drawn.randint(0, 6)
    sizes = [drawn.randint(1, 4) for _ in range(count)]
    size = z3.Array("size", z3.IntSort(), z3.IntSort())
    for place, number in enumerate(sizes):
        size = z3.Store(size, place, number)
    given = {
        "usage": SymToken(z3.IntVal(sum(sizes))),
        "stands": Given(2, bool, lambda usage, candidate: candidate % 2 == usage % 2),
        "fits": Given(1, bool, lambda usage: usage <= room),
        "remove": Given(2, SymToken, lambda usage, candidate: usage - size[candidate]),
    }
    tokens = Row(lambda place: SymToken(z3.IntVal(0) + place), z3.IntVal(count))
    removal = _run(Loop(remove_until_fits, candidates=tokens, **given))  # type: ignore[arg-type]
    plain = remove_until_fits(
        range(count),
        sum(sizes),
        lambda usage, candidate: candidate % 2 == usage % 2,
        lambda usage: usage <= room,
        lambda usage, candidate: usage - sizes[candidate],
    )
    assert _known(removal.fields["usage"].term) == plain.usage
    assert _members(removal.fields["removed"], count) == set(_plain(plain, "removed"))
    chain = Row(lambda place: SymToken(count - 1 - place), z3.IntVal(count), linked=True)
    add = Given(2, SymToken, lambda usage, candidate: usage + size[candidate])
    filled = _run(
        Loop(fill_back, removed=chain, usage=SymToken(z3.IntVal(0)), fits=given["fits"], add=add)  # type: ignore[arg-type]
    )
    right = fill_back(
        chain_of(range(count)),
        0,
        lambda usage: usage <= room,
        lambda usage, candidate: usage + sizes[candidate],
    )
    assert _known(filled.fields["usage"].term) == right.usage
    for part in ("kept", "spared"):
        assert _members(filled.fields[part], count) == set(_plain(right, part))


@pytest.mark.parametrize("seed", range(6))
def test_a_change_of_the_tree_is_read_as_it_runs(seed: int) -> None:
    drawn = random.Random(seed)
    locals_, used = ([drawn.randint(0, 3) for _ in range(3)] for _ in range(2))
    amount, adding = drawn.randint(0, 5), drawn.random() < 0.5
    column = z3.K(z3.IntSort(), z3.IntVal(0))
    local = column
    for place in range(3):
        column, local = z3.Store(column, place, used[place]), z3.Store(local, place, locals_[place])

    def quota(place: Any) -> Made:
        fields = {"nominal": 0, "subtree": 0, "local": SymInt(local[place])}
        return Made(NodeQuota, {**fields, "borrowing_limit": SymOptional(False, None)})

    size = z3.IntVal(3)
    loop = Loop(
        climb,  # type: ignore[arg-type]
        quotas=Row(quota, size),
        used=Cells(column, size),
        amount=SymInt(z3.IntVal(amount)),
        adding=adding,
    )
    read = _run(loop).term
    quotas = [NodeQuota(local=number) for number in locals_]
    assert [_known(read[place]) for place in range(3)] == climb(quotas, used.copy(), amount, adding=adding)


def _read(make: Callable[[], Loop]) -> None:
    """Read all of a loop."""
    loop = make()
    loop.step(loop.arbitrary(), loop.row.at(z3.Int("steps")))
    loop.result(loop.arbitrary())


REFUSED = {
    "a set": (COUNTING.replace("in items", "in set(items)"), "order of set"),
    "sorted": (COUNTING.replace("in items", "in sorted(items)"), "order of sorted"),
    "a slice by steps": (COUNTING.replace("in items", "in items[::2]"), "order of items"),
    "a slice of none": (COUNTING.replace("in items", "in items[:-0]"), "order of items"),
    "a slice of an iterator": (COUNTING.replace("in items", "in reversed(items)[1:]"), "order of reversed"),
    "an iterator backwards": (
        COUNTING.replace("for item in items", "for _, item in reversed(enumerate(items))"),
        "order of reversed",
    ),
    "filtered": (COUNTING.replace("in items", "in filter(None, items)"), "order of filter"),
    "a loop in a loop": (
        COUNTING.replace("break", "for other in items:\n                total = other"),
        "For in",
    ),
    "else": (COUNTING.replace("    return", "    else:\n        total = 1\n    return"), "no first state"),
    "while": (COUNTING.replace("for item in items", "while True"), "no first state"),
    "two loops": (
        COUNTING.replace("    for", "    for other in items:\n        total = other\n    for"),
        "For in",
    ),
    "no loop": ("def plain(items):\n    return 1", "no first state"),
    "a statement after it": (COUNTING.replace("    return", "    total = 1\n    return"), "no first state"),
    "a generator": (COUNTING.replace("break", "yield total"), "generator"),
    "try": (
        COUNTING.replace(
            "break", "try:\n                break\n            finally:\n                total = 1"
        ),
        "Try in",
    ),
    "a call for its effect": (COUNTING.replace("break", "items.clear()"), "subset"),
    "a comprehension": (COUNTING.replace("+ item", "+ sum(x for x in items)"), "subset"),
    "a lambda": (COUNTING.replace("+ item", "+ (lambda: item)()"), "call of"),
    "an assignment in an expression": (COUNTING.replace("+ item", "+ (other := item)"), "subset"),
    "what it goes through is changed": (
        COUNTING.replace("break", "items = total"),
        "changes what it goes through",
    ),
    "the element has a value before": (COUNTING.replace("total = 0", "total = item = 0"), "Assign in"),
    "the element is changed": (COUNTING.replace("break", "item = 0"), "changes what it goes through"),
    "the last element afterwards": (
        COUNTING.replace("return total", "return item"),
        "no value on every path",
    ),
    "a value of the step before": (
        COUNTING.replace("break", "total = last").replace("+ item\n", "+ item\n        last = item\n"),
        "no value on every path",
    ),
    "None first": (COUNTING.replace("total = 0", "total = None"), "order of"),
    "None after a step": (COUNTING.replace("= total + item", "= None"), "another kind"),
    "a truth value after a step": (COUNTING.replace("total + item", "total == item"), "another kind"),
    "a text": (COUNTING.replace("total = 0", "total = 'none'"), "no constant"),
    "a result before it": (
        COUNTING.replace("    total = 0", "    total = 0\n    if total == limit():\n        return 0"),
        "limit",
    ),
    "del": (COUNTING.replace("break", "del total"), "Delete in"),
    "global": (COUNTING.replace("total = 0", "global seen\n    total = 0"), "Global in"),
    "all of it handed on": (COUNTING.replace("+ item", "+ len(items)"), "len"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read_is_refused(what: str) -> None:
    source, why = REFUSED[what]
    with pytest.raises(LiftError, match=why):
        _read(lambda: Loop(_written(source), items=_numbers()))  # type: ignore[arg-type]


def test_the_example_that_is_refused_in_every_way_is_read_as_it_is() -> None:
    loop = Loop(_written(COUNTING), items=_numbers())  # type: ignore[arg-type]
    ways, _ = loop.step(loop.arbitrary(), loop.row.at(z3.Int("steps")))
    assert [way.ends for way in ways] == ["break", "on"]


MAPPING = """
def mapping(items, other):
    return (tuple(twice(item) for item in items), 1 if items else 0, other)

def twice(item):
    return item + item
"""


def _mapping(source: str, count: int) -> tuple[Value, list[z3.BoolRef]]:
    names: dict[str, Any] = {"__name__": __name__}
    twice = made("def twice(" + source.split("def twice(")[1], "twice", names, {})
    function = made(source.split("def twice(")[0], "mapping", names, {"twice": twice})
    return returned(function, items=_numbers(count), other=SymToken(z3.IntVal(7)))  # type: ignore[arg-type]


@pytest.mark.parametrize("count", range(3))
def test_a_tuple_of_what_each_element_comes_to_is_read_as_it_runs(count: int) -> None:
    (row, some, _), _ = _mapping(MAPPING, count)
    assert [_known(row.at(z3.IntVal(place)).term) for place in range(_known(row.size))] == [
        2 * place for place in range(count)
    ]
    assert _known(some.term) == (1 if count else 0)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("in items)", "in items if item)", "subset"),
        ("in items)", "in items for other in items)", "subset"),
        ("tuple(", "list(", "subset"),
        ("tuple(", "set(", "subset"),
        ("in items)", "in set(items))", "order of"),
    ],
    ids=["a condition", "two of them", "a list", "a set", "of a set"],
)
def test_no_other_comprehension_is_read(before: str, after: str, why: str) -> None:
    with pytest.raises(LiftError, match=why):
        _mapping(MAPPING.replace(before, after, 1), 2)


@pytest.mark.parametrize(("divisor", "right"), [("item", False), ("(item + 1)", True)])
def test_a_tuple_is_made_only_where_no_element_raises(divisor: str, right: bool) -> None:
    _, needed = _mapping(MAPPING.replace("item + item", f"10 // {divisor}"), 2)
    assert (prove([Part("returns", (), (("defined", every(needed)),))]).failures == ()) is right
    source = COUNTING.replace("= 0", f"= 0\n    shares = tuple(10 // {divisor} for item in items)")
    loop = Loop(_written(source.replace("for item in items:", "for item in shares:")), items=_numbers())  # type: ignore[arg-type]
    failures = prove(by_induction(loop, Contract(_nothing, _nothing))).failures
    assert [failure.split(": z3")[0] for failure in failures] == ([] if right else ["first: defined"])


WRITING = """
def writing(items, cells):
    total = 0
    for item in items:
        cells[item] = total
    return cells
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("total = 0", "total = 0\n    other = cells"),
        ("cells[item] = total", "other = cells"),
        ("cells[item] = total", "total = len(cells)"),
        ("cells[item] = total", "cells[0:1] = total"),
        ("cells[item] = total", "cells.append(total)"),
        ("cells[item] = total", "cells = total"),
        ("return cells", "return cells if total == 0 else items"),
    ],
)
def test_a_list_that_is_written_to_has_one_name(before: str, after: str) -> None:
    with pytest.raises(LiftError):
        _read(lambda: _writing(WRITING.replace(before, after)))


def _writing(source: str) -> Loop:
    cells = Cells(z3.Array("cells", z3.IntSort(), z3.IntSort()), z3.Int("count"))
    return Loop(_written(source), items=_numbers(), cells=cells)  # type: ignore[arg-type]


def test_one_list_is_no_two_arguments() -> None:
    cells = Cells(z3.Array("cells", z3.IntSort(), z3.IntSort()), z3.Int("count"))
    source = WRITING.replace("(items, cells)", "(items, cells, others)")
    with pytest.raises(LiftError, match="two parameters are one list"):
        Loop(_written(source), items=_numbers(), cells=cells, others=cells)  # type: ignore[arg-type]


def _nothing(*_: Any) -> list[Any]:
    return []


def test_a_place_that_a_list_may_not_have_is_no_proof() -> None:
    assert prove(by_induction(_writing(WRITING), Contract(_nothing, _nothing))).failures == ()
    for place in ("item + 1", "item - 1"):
        loop = _writing(WRITING.replace("cells[item]", f"cells[{place}]"))
        (failure,) = prove(by_induction(loop, Contract(_nothing, _nothing))).failures
        assert failure.startswith("defined: defined: z3 says sat")


ADDING = """
def adding(items, other):
    total = 0
    for item in items:
        if item > 0:
            total = total + 1
    return total
"""


def _adding(**contract: Any) -> tuple[str, ...]:
    loop = Loop(_written(ADDING), items=_numbers(), other=SymBool(z3.Bool("other")))  # type: ignore[arg-type]

    def invariant(steps: Any, state: Mapping[str, Value], _: Any) -> list[Any]:
        total = state["total"]
        return [("at most one a step", (total if isinstance(total, int) else total.term) <= steps)]

    def result(value: Value, *_: Any) -> list[Any]:
        return [("at most as many as there are", value.term <= z3.Int("count"))]

    return prove(
        by_induction(loop, Contract(**{"invariant": invariant, "result": result, **contract}))
    ).failures


def test_what_holds_after_any_number_of_steps_is_proved() -> None:
    assert _adding() == ()


def test_a_parameter_that_changes_is_told_from_the_argument() -> None:
    source = """
    def spending(items, amount):
        for item in items:
            amount = amount - 1
        return amount
    """
    amount = z3.Int("amount")
    loop = Loop(_written(source), items=_numbers(), amount=SymInt(amount))  # type: ignore[arg-type]

    def unchanged(value: Value, *_: Any) -> list[Any]:
        return [("unchanged", value.term == amount)]

    (failure,) = prove(by_induction(loop, Contract(_nothing, unchanged))).failures
    assert failure.startswith("ends: unchanged: z3 says sat")


def test_facts_that_contradict_each_other_prove_nothing() -> None:
    failures = _adding(facts=[z3.Int("count") < 0])
    assert failures
    assert all(failure.endswith("its hypotheses contradict each other") for failure in failures)


def test_what_is_not_kept_does_not_hold_at_first_or_says_too_little_is_not_proved() -> None:
    def never(steps: Any, state: Mapping[str, Value], _: Any) -> list[Any]:
        total = state["total"]
        return [("always zero", (total if isinstance(total, int) else total.term) == z3.IntVal(0))]

    def one(steps: Any, state: Mapping[str, Value], _: Any) -> list[Any]:
        total = state["total"]
        return [("above zero", (z3.IntVal(total) if isinstance(total, int) else total.term) > 0)]

    assert [failure.split(": z3")[0] for failure in _adding(invariant=never)] == ["keeps: always zero"]
    assert _adding(invariant=one)[0].split(": z3")[0] == "first: above zero"
    assert [failure.split(": z3")[0] for failure in _adding(invariant=_nothing)] == [
        "ends: at most as many as there are"
    ]

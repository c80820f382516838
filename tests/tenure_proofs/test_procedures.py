"""Functions of many statements are read as they are, and refused where they cannot be."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import z3

from tenure_proofs.theorems import deciding
from tenure_proofs.theorems.proving import prove
from tenure_proofs.theorems.registry import all_theorems
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Labelled
from tenure_proofs.trusted.loops import Cells, Way
from tenure_proofs.trusted.procedures import POINT, Invariant, Keyed, Law, Table, plain, read_procedure
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymToken
from tenure_simulate.core import amounts
from tests.tenure_proofs.changed import LITTLE, changed, fails, made

SIZE = z3.Int("size")
AT = z3.Function("at", z3.IntSort(), z3.IntSort())

MISTAKES = {
    "a sum beyond 64 bits": (
        "plus",
        amounts.plus,
        "MOST if first > MOST - second else first + second",
        "MOST if first + second > MOST else first + second",
        "returns: defined",
    ),
    "unlimited less unlimited": (
        "minus",
        amounts.minus,
        "return 0 if second == MOST else MOST",
        "return MOST",
        "returns: what the rule says",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_sum_with_a_mistake_is_proved(mistake: str) -> None:
    name, function, before, after, failure = MISTAKES[mistake]
    as_it_is = {"compiled": lambda function: function}
    assert fails("PO-ANY-400", name, changed(plain(function), (before, after), **as_it_is), failure)


REFUSED = {
    "nothing is said of a loop": ("for value in values:\n        total = value", "nothing is said"),
    "a range by two": ("for index in range(0, len(values), 2):\n        total = index", "a range by 2"),
    "a call of something else": ("print(values)", "outside the subset"),
    "a write into an array": ("values[0] = 1", "outside the subset"),
    "another array under its name": ("while total > 0:\n        values = other", "changes values"),
    "a list with a second name": ("found = []\n    total = found", "another name"),
    "a list that is another's element": (
        "found = []\n    lists = []\n    lists.append(found)",
        "another name",
    ),
    "the last of a list of numbers": ("found = [1]", "is no SymToken"),
    "what is no dict": ("total = values.get(total, 0)", "values in line 2 is no dict"),
    "a dict by other keys": (
        "found = {one: one for first, one in values.items()}",
        "outside the subset",
    ),
    "a loop with else": (
        "while total > 0:\n        total = 0\n    else:\n        total = 1",
        "outside the subset",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read_is_refused(what: str) -> None:
    body, message = REFUSED[what]
    said = () if what.startswith("nothing") else (Invariant(lambda *_: [("true", POINT == POINT)]),)
    with pytest.raises(LiftError, match=message):
        list(_read(body, said))


@pytest.mark.parametrize(
    ("body", "size"),
    [
        ("found = [first]\n    found.append(second)", 2),
        (
            "found = [first, second]\n    last = found.pop()\n    found.append(last)",
            2,
        ),
        ("found = []\n    while found:\n        found.append(first)", 0),
    ],
)
def test_a_list_grows_and_shrinks_as_it_does(body: str, size: int) -> None:
    first, second = (SymToken(z3.Int(name)) for name in ("first", "second"))
    source = f"def procedure(first, second):\n    {body}\n    return found, found\n"
    parts = read_procedure(
        made(source, "procedure", {}, {}),
        {"first": first, "second": second},
        lambda way: [("as long", way.value[0].size == size)],
        loops=[Invariant(lambda _, __, here, ___: [("none", here["found"].size == 0)], measure=lambda _: 0)],
    )
    assert not prove(parts, None, LITTLE).failures
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    assert len(namespace["procedure"](1, 2)[0]) == size


@pytest.mark.parametrize(
    "more",
    [
        "{**one, **{at: amount + 1 for at, amount in other.items()}}",
        "{**one, key: one.get(key, 1) + 1, 4: 9} if key in other else {**other, 3: 8}",
        "{4: one, key: {**other, 2: 6}}.get(2, {})",
        "{at: {**one, amount: 1} for at, amount in other.items()}.get(key, {**{}, 0: 2})",
    ],
)
@pytest.mark.parametrize("key", range(5))
def test_dicts_have_at_every_key_what_they_have(key: int, more: str) -> None:
    one, other = {1: 10, 2: 20}, {2: 5, 3: 7}
    source = (
        "def procedure(one, other, key, swaps):\n"
        f"    more = {more}\n"
        "    return (one if swaps else more).get(key, 0)\n"
    )
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    for swaps in (False, True):
        expected = namespace["procedure"](one, other, key, swaps)
        asked, fact = SymBool(z3.Bool("swaps")), z3.Bool("swaps") == swaps
        given = {"one": _dict(one), "other": _dict(other), "key": SymToken(z3.IntVal(key)), "swaps": asked}

        def same(way: Way, expected: int = expected) -> Labelled:
            return [("the same", way.value.term == expected)]

        parts = read_procedure(made(source, "procedure", {}, {}), given, same, facts=[fact])
        assert not prove(parts, None, LITTLE).failures


def _dict(items: dict[int, int]) -> Keyed:
    def at(key: Any) -> SymInt:
        found = z3.IntVal(-1)
        for one, amount in items.items():
            found = z3.If(key == one, amount, found)
        return SymInt(found)

    return Keyed(lambda key: z3.Or(*(key == one for one in items)), at)


def test_nothing_is_taken_from_a_list_that_may_be_empty() -> None:
    source = "def procedure(first):\n    found = []\n    last = found.pop()\n    return last\n"
    given = {"first": SymToken(z3.Int("first"))}
    (failure,) = prove(
        read_procedure(made(source, "procedure", {}, {}), given, lambda _: []), None, LITTLE
    ).failures
    assert failure.startswith("returns: defined")


@pytest.mark.parametrize(
    ("body", "held"),
    [
        ("one.kept = value", {"one": "value"}),
        ("other.kept = one.kept\n    one.kept = value", {"one": "value", "other": "before"}),
        ("same = one\n    same.kept = value", {"one": "value"}),
    ],
)
def test_an_attribute_is_written_whoever_knows_the_object(body: str, held: dict[str, str]) -> None:
    terms = {name: z3.Int(name) for name in ("one", "other", "value")}
    kept = z3.Array("kept", z3.IntSort(), z3.IntSort())
    expected = {"value": terms["value"], "before": kept[terms["one"]]}
    objects = {name: Made(object, {"": SymToken(terms[name])}) for name in ("one", "other")}

    def of(way: Way) -> Labelled:
        then = way.names[".kept"].term
        return [(name, then[terms[name]] == expected[what]) for name, what in held.items()]

    def failures(*facts: z3.BoolRef) -> tuple[str, ...]:
        procedure = made(f"def procedure(one, other, value):\n    {body}\n", "procedure", {}, {})
        given = {**objects, "value": SymToken(terms["value"])}
        stored = {"kept": Cells(kept, z3.Int("objects"))}
        return prove(read_procedure(procedure, given, of, facts=facts, stored=stored), None, LITTLE).failures

    assert not failures(terms["one"] != terms["other"])
    # One object by two names has what was written last.
    assert bool(failures()) is ("other" in held)


def test_an_attribute_of_what_has_no_number_is_not_written() -> None:
    procedure = made("def procedure(one):\n    one.kept = 1\n", "procedure", {}, {})
    stored = {"kept": Cells(z3.Array("kept", z3.IntSort(), z3.IntSort()), z3.Int("objects"))}
    with pytest.raises(LiftError, match="is no SymToken"):
        list(read_procedure(procedure, {"one": Made(object, {})}, lambda _: [], stored=stored))
    named = made("def procedure(one):\n    one.kept = one.kept\n", "procedure", {}, {})
    given = {"one": Made(object, {"kept": SymToken(z3.Int("value"))})}
    with pytest.raises(LiftError, match="no number tells"):
        list(read_procedure(named, given, lambda _: [], stored=stored))


def _read(body: str, loops: tuple[Invariant, ...]) -> Any:
    source = f"def procedure(values, other, total):\n    {body}\n    return total\n"
    arrays = {name: Table(lambda at: SymInt(AT(at)), SIZE) for name in ("values", "other")}
    given = {**arrays, "total": SymInt(z3.Int("total"))}
    procedure = made(source, "procedure", {}, {})
    return read_procedure(procedure, given, lambda _: [], loops=loops, facts=(SIZE > 0,))


def test_a_function_that_returns_something_else_than_its_theorem_speaks_of_is_refused() -> None:
    source = "def procedure(first):\n    if first > 3:\n        return first, 1\n"
    pairs = read_procedure(
        made(source, "procedure", {}, {}),
        {"first": SymInt(z3.Int("first"))},
        lambda way: [("pair", way.value[0].term == SIZE)],
    )
    with pytest.raises(LiftError, match="procedure has what nothing is claimed of"):
        list(pairs)


def test_a_function_that_hands_a_law_something_else_than_it_speaks_of_is_refused() -> None:
    law = Law(lambda _, number: SymInt(number.term))
    procedure = made("def procedure(first):\n    return asked(first)\n", "procedure", {}, {"asked": law})
    with pytest.raises(LiftError, match="procedure has what nothing is claimed of"):
        list(read_procedure(procedure, {"first": None}, lambda _: []))


def test_an_index_below_zero_and_one_behind_the_end_are_not_in_range() -> None:
    for place in ("-1", "len(values)"):
        (failure,) = prove(_read(f"total = values[{place}]", ()), None, LITTLE).failures
        assert failure.startswith("returns: defined")


@pytest.mark.parametrize("part", ["1:", "2:", ":-1", "::-1"])
@pytest.mark.parametrize("size", range(4))
def test_a_part_of_an_array_is_what_python_takes_of_it(part: str, size: int) -> None:
    procedure = made(f"def procedure(values):\n    return values[{part}]\n", "procedure", {}, {})
    expected = procedure(list(range(size)))

    def of(way: Way) -> Labelled:
        those = [way.value.at(z3.IntVal(at)).term == AT(place) for at, place in enumerate(expected)]
        return [("as many", way.value.size == len(expected)), ("these", z3.And(*those))]

    given = {"values": Table(lambda at: SymInt(AT(at)), SIZE)}
    assert not prove(read_procedure(procedure, given, of, facts=(size == SIZE,)), None, LITTLE).failures


def test_an_invariant_that_contradicts_itself_proves_nothing() -> None:
    never = Invariant(lambda steps, *_: [("never", steps < 0)])
    loop = "for value in values:\n        total = value"
    with pytest.raises(LiftError, match="returns nowhere"):
        list(_read(loop, (never,)))
    failures = prove(_read(f"if total > 3:\n        return 1\n    {loop}", (never,)), None, LITTLE).failures
    assert "keeps: its hypotheses contradict each other" in failures


@pytest.mark.parametrize(("step", "ends"), [("- 1", True), ("+ 1", False), ("- 0", False)])
def test_a_while_ends_if_its_measure_falls(step: str, ends: bool) -> None:
    loop = f"while total > 0:\n        total = total {step}"
    falls = Invariant(lambda *_: [], measure=lambda here: here["total"].term)
    failures = prove(_read(loop, (falls,)), None, LITTLE).failures
    assert (not failures) == ends
    assert ends or failures[0].startswith("keeps: it ends")
    with pytest.raises(LiftError, match="nothing is said of how the loop in line 2 ends"):
        list(_read(loop, (Invariant(lambda *_: []),)))
    assert not prove(_read(loop, (Invariant(lambda *_: [], may_not_end=True),)), None, LITTLE).failures


def test_of_every_while_that_a_theorem_is_about_is_shown_that_it_ends() -> None:
    folder = Path(deciding.__file__).parent
    assert not [path.name for path in folder.glob("*.py") if "may_not_end" in path.read_text("utf-8")]


def test_what_a_step_changes_is_not_what_it_was() -> None:
    """Of a name that a loop changes, nothing is known but what the invariant says."""
    source = (
        "def procedure(values, total):\n    for value in values:\n        total = value\n    return total\n"
    )
    parts = read_procedure(
        made(source, "procedure", {}, {}),
        {"values": Table(lambda at: SymInt(AT(at)), SIZE), "total": SymInt(z3.Int("total"))},
        lambda way: [("as it was", way.value.term == z3.Int("total"))],
        loops=[Invariant(lambda *_: [])],
        facts=(SIZE > 0,),
    )
    (failure,) = prove(parts, None, LITTLE).failures
    assert failure.startswith("returns: as it was")


def test_theorems_go_from_process_to_process_by_their_identifiers() -> None:
    """The function that something was compiled from is not what its module calls so."""
    for theorem in all_theorems().values():
        assert pickle.loads(pickle.dumps(theorem)) is theorem


def test_of_what_is_compiled_the_source_is_read() -> None:
    class Compiled:
        py_func = staticmethod(plain(amounts.plus))

    assert plain(Compiled()) is plain(amounts.plus)
    with pytest.raises(LiftError, match="no function"):
        plain(3)

"""While a statement is made, no function of the project runs on symbolic values, and no term has a truth."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import z3

import tenure
import tenure_proofs
from tenure.readings import preset, preset_names
from tenure.rules.amounts import plus
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.stating import stating
from tenure_proofs.theorems.registry import Theorem, all_theorems
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Part
from tests.tenure_proofs.changed import fails, made

CODE = f"{Path(tenure.__file__).parent}/"

BUILDS_READINGS = "readings.py"
"""The one module whose functions run: a reading is made from its name, which is no symbolic value."""


def run_of(do: Callable[[], Any]) -> set[str]:
    """The functions of the project that run while something is done, by module and name."""
    found: set[str] = set()

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(CODE):
            found.add(f"{code.co_filename.removeprefix(CODE)}: {code.co_name}")

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        do()
    finally:
        sys.setprofile(before)
    return {name for name in found if not name.startswith(f"{BUILDS_READINGS}: ")}


def stated(theorem: Theorem) -> list[Part]:
    """All parts of a theorem's proof."""
    return list(theorem.parts())


def test_no_function_of_the_project_runs_while_a_theorem_is_stated() -> None:
    ran = {
        identifier: found
        for identifier, theorem in all_theorems().items()
        if (found := run_of(partial(stated, theorem)))
    }
    assert ran == {}


@pytest.mark.parametrize("reading", preset_names())
def test_no_function_of_the_project_runs_while_an_obligation_is_stated(reading: str) -> None:
    claims = {identifier: Claim(preset(reading)) for identifier in OBLIGATIONS}
    ran = {
        identifier: found
        for identifier, claim in claims.items()
        if (found := run_of(partial(OBLIGATIONS[identifier].state, claim)))
    }
    assert ran == {}


def test_what_runs_is_seen() -> None:
    """So that the tests above can fail."""
    assert run_of(lambda: preset("guaranteed")) == set()
    assert run_of(lambda: plus(1, 2)) == {"rules/amounts.py: plus"}


def test_a_statement_that_asks_for_the_truth_of_a_term_is_refused_and_z3_is_as_it_was() -> None:
    one, other = z3.BitVecs("one other", 64)

    def asks(_: Any) -> None:
        assert one != other

    def asks_later() -> Iterator[int]:
        yield 0
        yield 1 if one == other else 2

    before = z3.AstRef.__bool__
    with pytest.raises(LiftError, match="the truth of one != other was asked for"):
        stating(asks)(None)
    parts = stating(asks_later)()
    assert next(parts) == 0
    assert z3.AstRef.__bool__ is before
    with pytest.raises(LiftError, match="the truth of one == other was asked for"):
        next(parts)
    assert z3.AstRef.__bool__ is before


WRONG = {
    "two equal fields lose the key": (
        "beside",
        "def field_beside(key, bit, value):\n"
        "    if key == value:\n        return 0\n    return key | (value << bit)\n",
    ),
    "one key is not flipped": (
        "flip",
        "def flip(key, mask):\n    if key == 5:\n        return 0\n    return key ^ mask\n",
    ),
    "an age that is the tie": (
        "laid_out",
        "def laid_out(priority, age, tie, recent, ties):\n"
        "    if age == tie or priority == age:\n        return 0\n"
        "    return (((priority << 1 | 1) << recent | ((1 << recent) - 1 - age)) << ties) | tie\n",
    ),
    "two equal widths flip nothing": (
        "mask",
        "def expired_mask(recent, ties):\n"
        "    return 0 if recent == ties else ((1 << recent) - 1) << ties | (1 << (ties + recent))\n",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_packing_function_that_branches_is_refused(what: str) -> None:
    """Called with bit vectors, each was proved: Z3 takes `==` of two terms for false."""
    parameter, source = WRONG[what]
    name = source.partition("(")[0].removeprefix("def ")
    with pytest.raises(LiftError, match="outside what packs fields"):
        list(all_theorems()["PO-ANY-550"].parts(**{parameter: made(source, name, {}, {})}))


MISTAKES = {
    "a field is added below": (
        "beside",
        "def field_beside(key, bit, value):\n    return (key << bit) | value\n",
        "one key: it has as many bits as both",
    ),
    "a field takes the place of others": (
        "beside",
        "def field_beside(key, bit, value):\n    return value << bit\n",
        "one key: what is below is kept",
    ),
    "the lower bit is set": (
        "flip",
        "def flip(key, mask):\n    return key | mask\n",
        "the time is exceeded: 1 becomes 0",
    ),
    "the earlier comes first": (
        "laid_out",
        "def laid_out(low, age, tie, recent, ties):\n"
        "    later = tie | (age << ties)\n"
        "    return later | (1 << (ties + recent)) | (low << (ties + recent + 1))\n",
        "laid out: each above the one before",
    ),
    "the age stays": (
        "mask",
        "def expired_mask(recent, ties):\n    return 1 << (ties + recent)\n",
        "the time is exceeded: fields are flipped",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_packing_function_with_a_mistake_is_not_proved(mistake: str) -> None:
    parameter, source, failure = MISTAKES[mistake]
    name = source.partition("(")[0].removeprefix("def ")
    assert fails("PO-ANY-550", parameter, made(source, name, {}, {}), failure)


def test_whatever_makes_a_statement_is_guarded() -> None:
    files = Path(tenure_proofs.__file__).parent.rglob("*.py")
    assert [path.name for path in files if ".statement(" in path.read_text(encoding="utf-8")] == []

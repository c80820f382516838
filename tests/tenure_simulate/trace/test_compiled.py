"""The trace engine, compiled, does what `play` does, and the rules that both call answer the same."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import partial
from random import Random
from typing import Any, get_type_hints

import pytest

from tenure.model import TurnResult
from tenure.rules.registry import RuleEntry, all_rules
from tenure_simulate.core.compiled import COMPILED, compiled
from tests.tenure_simulate.trace.drawn import drawn
from tests.tenure_simulate.trace.drawn_growing import GROWING, drawn_growing
from tests.tenure_simulate.trace.drawn_heroes import HERO_KINDS, drawn_with_heroes
from tests.tenure_simulate.trace.drawn_trees import KINDS, drawn_in_trees
from tests.tenure_simulate.trace.equality import Compared, difference

PLAYED = [entry for entry in all_rules() if entry.id.startswith("CYC-")]


@pytest.mark.skipif(not COMPILED, reason="it is interpreted here; test_equality.py does the same so")
def test_every_event_of_random_plays_is_the_same_when_compiled() -> None:
    compared = Compared()
    for seed in (16, 31, 88, 145, 286, 368):
        assert difference(*drawn(seed, 30), compared) == ""
    assert compared.preemptions


@pytest.mark.skipif(not COMPILED, reason="it is interpreted here; test_equality.py does the same so")
def test_every_event_of_random_plays_in_trees_is_the_same_when_compiled() -> None:
    compared = Compared()
    for kind in KINDS:
        for seed in range(100, 103):
            assert difference(*drawn_in_trees(kind, seed, 30), compared) == ""
    assert compared.preemptions


@pytest.mark.skipif(not COMPILED, reason="it is interpreted here; test_equality.py does the same so")
def test_every_event_of_random_plays_is_the_same_when_compiled_where_priorities_move() -> None:
    compared = Compared()
    # Under fair sharing they move interpreted only, in test_equality.py: compiling that alone takes minutes.
    for kind in [kind for kind in GROWING if kind != "growing fair"]:
        for seed in range(10, 13):
            assert difference(*drawn_growing(kind, seed, 30), compared) == ""
    assert compared.stepped


@pytest.mark.skipif(not COMPILED, reason="it is interpreted here; test_heroes.py does the same so")
def test_every_event_of_random_plays_with_heroes_is_the_same_when_compiled() -> None:
    compared = Compared()
    for kind in HERO_KINDS:
        for seed in range(100, 103):
            assert difference(*drawn_with_heroes(kind, seed, 30), compared) == ""
    assert compared.reasons["UberCQPreemption"]
    assert compared.beside_heroes


@pytest.mark.skipif(not COMPILED, reason="there is no compiler here")
@pytest.mark.parametrize("entry", PLAYED, ids=lambda entry: entry.id)
def test_every_rule_of_a_play_compiles_and_answers_the_same(entry: RuleEntry) -> None:
    dice = Random(1)
    drawn_as: dict[object, Callable[[], Any]] = {
        bool: lambda: dice.random() < 0.5,
        int: lambda: dice.choice([-(10**15), -2, -1, 0, 1, 2, 10**15]),
        TurnResult: lambda: int(dice.choice(list(TurnResult))),
    }
    kinds = [
        given.annotation for given in inspect.signature(entry.function, eval_str=True).parameters.values()
    ]
    tuples: Any = namedtuple
    records: list[Any] = [kind for kind in kinds if is_dataclass(kind)]
    for kind in records:
        made = tuples(kind.__name__, get_type_hints(kind))
        drawn_as[kind] = partial(_record, kind, made, drawn_as)
    answers = compiled(entry.function)
    for _ in range(100):
        arguments = [drawn_as[kind]() for kind in kinds]
        assert int(answers(*arguments)) == int(entry.function(*arguments)), arguments


def _record(kind: Any, made: Any, drawn_as: Mapping[object, Callable[[], Any]]) -> Any:
    """A record of a rule as compiled code has it: a named tuple, of one type, since each is compiled for."""
    return made(*(drawn_as[of]() for of in get_type_hints(kind).values()))

"""What is proved of random loops against their executions, and the fuzzer against readers that are wrong."""

from __future__ import annotations

import ast
import contextlib
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenure_proofs.trusted import induction, loops, procedures
from tenure_proofs.trusted.loops import Loop, Row, _Reader
from tenure_proofs.trusted.procedures import _Procedures
from tenure_proofs.trusted.symbols import as_term
from tests.command_line import run_program
from tests.sampling import sample
from tests.tenure_proofs.fuzz_loops import (
    FEATURES,
    Execution,
    Tally,
    claims_of,
    fuzz,
    inputs_of,
    summary,
)
from tests.tenure_proofs.written_loops import written_of

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = 250


@pytest.mark.parametrize("fuzzer", ["fuzz_lifter", "fuzz_loops"])
def test_a_fuzzer_is_a_command(fuzzer: str) -> None:
    words = ("--n", "1", "--seed", "1")
    done = run_program(sys.executable, "-m", f"tests.tenure_proofs.{fuzzer}", *words, cwd=ROOT)
    assert "seed 1: 1 functions" in done.stdout, done.stderr


def test_what_is_proved_of_random_loops_holds_of_every_execution() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    tally = fuzz(range(sample(SAMPLE, 6_000)), seed)
    assert tally.wrong == [], summary(tally, seed)
    assert tally.share("proved") > 0.15
    assert tally.share("refused") < 0.15
    assert sample(set(), FEATURES.keys()) <= tally.proved.keys()


class AnyNumber(dict[str, Any]):
    """Values of variables, whichever they are."""

    def __missing__(self, name: str) -> int:
        return 0


def test_an_execution_that_returns_a_value_of_another_kind_has_no_end() -> None:
    drawn = (written_of(random.Random(number)) for number in range(500))
    written = next(each for each in drawn if each.result == "listed" and each.way != "mapping")
    execution = Execution(written, claims_of(written, random.Random(1)), drawing=True)
    given = next(iter(inputs_of(written, execution.claims)))
    with contextlib.suppress(Exception):
        execution.run(given)
    execution.end = None
    with pytest.raises(TypeError, match="not iterable"):
        execution.leave(5, AnyNumber())
    assert execution.end is None


def first_wrong(seed: int) -> Tally:
    """The first function of which something false is proved, within a sample."""
    for number in range(SAMPLE):
        tally = fuzz([number], seed)
        if tally.wrong:
            break
    return tally


Plant = Callable[[pytest.MonkeyPatch], None]


def _without_part(place: str) -> Plant:
    """No reader shows some part of an induction."""
    show, by_induction = _Procedures.show, induction.by_induction

    def shown(self: Any, own: str, path: Any, goals: Any) -> None:
        if own != place:
            show(self, own, path, goals)

    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(_Procedures, "show", shown)
        patch.setattr(
            "tests.tenure_proofs.fuzz_loops.by_induction",
            lambda *given: (part for part in by_induction(*given) if part.place != place),
        )

    return plant


def _never_ending_so(ends: str) -> Plant:
    """The reader of many statements forgets the steps that end a loop in some way."""
    step = _Procedures.step

    def stepped(self: Any, *given: Any) -> Any:
        ways, after = step(self, *given)
        return [way for way in ways if way.ends != ends], after

    return lambda patch: patch.setattr(_Procedures, "step", stepped)


def _state_before_the_break(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(procedures, "_left", lambda _, before: dict(before))


def _nothing_changes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Procedures, "anything", lambda *given: dict(given[-1]))
    patch.setattr(_Procedures, "unchanged", lambda *_: None)
    patch.setattr(Loop, "arbitrary", lambda self: dict(self.first))


def _nothing_changes_in_a_loop_within(patch: pytest.MonkeyPatch) -> None:
    stored = loops._stored

    def without(nodes: Any) -> set[str]:
        return stored([node for node in nodes if not isinstance(node, ast.For | ast.While)])

    patch.setattr(procedures, "_stored", without)
    patch.setattr(_Procedures, "unchanged", lambda *_: None)


def _any_cell(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        _Reader,
        "place",
        lambda self, _, node, scope: as_term(self.number(self.expression(node, scope), ()), int),
    )


def _forwards(patch: pytest.MonkeyPatch) -> None:
    right = loops._rearranged

    def rearranged(node: Any, how: Any, row: Row) -> Row:
        return row if how is reversed else right(node, how, row)

    patch.setattr(loops, "_rearranged", rearranged)


def _elements_that_do_not_raise(patch: pytest.MonkeyPatch) -> None:
    def mapped(self: Any, each: Any, name: str, whole: Row, scope: Any) -> Row:
        return Row(lambda at: self.expression(each, scope.binding(name, whole.at(at))), whole.size)

    patch.setattr(_Reader, "mapped", mapped)


def _sums_beyond_64_bits(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Procedures, "arithmetic", _Reader.arithmetic)


PLANTS: dict[str, Plant] = {
    **{f"what holds {place} is not shown": _without_part(place) for place in ("first", "keeps", "defined")},
    **{f"a {place} ends nothing": _without_part(place) for place in ("break", "return")},
    "a break is forgotten": _never_ending_so("break"),
    "a return is forgotten": _never_ending_so("return"),
    "a break leaves the state before the step": _state_before_the_break,
    "nothing changes": _nothing_changes,
    "nothing changes in a loop within": _nothing_changes_in_a_loop_within,
    "every cell is there": _any_cell,
    "reversed is forwards": _forwards,
    "no element of a tuple raises": _elements_that_do_not_raise,
    "sums leave 64 bits": _sums_beyond_64_bits,
}
"""Readers that are wrong."""


SEEDS = {
    "a break ends nothing": 4,
    "a return ends nothing": 5,
    "a break is forgotten": 2,
    "a return is forgotten": 4,
    "a break leaves the state before the step": 2,
    "nothing changes": 2,
    "nothing changes in a loop within": 8,
    "every cell is there": 2,
    "reversed is forwards": 3,
    "no element of a tuple raises": 5,
}
"""With which a sample finds it soon; 1 for all else."""


@pytest.mark.parametrize("plant", PLANTS)
def test_a_reader_that_is_wrong_is_found(plant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTS[plant](monkeypatch)
    assert first_wrong(SEEDS.get(plant, 1)).wrong

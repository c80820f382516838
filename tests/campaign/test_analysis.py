"""What is proved of configurations, in full: random ones against random states, and known ones."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import z3

from tenure.analysis.guarantees import NarrowCell
from tenure.readings import preset
from tenure_proofs.analysis import campaign
from tenure_proofs.analysis.encoding import Pair
from tests.analyzed import KNOWN, cells_of


def test_random_configurations_refute_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert campaign.main(["--configurations", "50", "--states", "100"]) == 0
    assert capsys.readouterr().out.endswith("0 refuted\n")


@pytest.mark.parametrize("name", KNOWN)
def test_known_configurations_and_their_slices_refuse_no_decision(name: str) -> None:
    known, _ = KNOWN[name]
    for seed in (1, 2):
        print(f"seed {seed}")
        refused = campaign.refusals_in(known, preset("guaranteed"), random.Random(seed), 60, Counter())
        assert not list(refused)


@pytest.mark.parametrize("name", KNOWN)
def test_known_configurations_have_as_many_cells_as_ever_that_can_be(name: str) -> None:
    known, can = KNOWN[name]
    assert sum(said == "sat" for said in cells_of(known).values()) == can


@pytest.mark.parametrize("condition", ["age", "usage"])
def test_a_wrong_condition_is_refuted(
    condition: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guarantees: the longest age is one of those that are asked about, and a nominal quota may be used."""
    right = Pair.narrowed

    def stricter(pair: Pair, asked: NarrowCell) -> tuple[z3.BoolRef, ...]:
        facts = right(pair, asked)
        if (asked.longest is not None) != (condition == "age"):
            return facts
        return tuple(fact.arg(0) < (fact.arg(1) if condition == "age" else 1) for fact in facts)

    monkeypatch.setattr(Pair, "narrowed", stricter)
    assert campaign.main(["--configurations", "1", "--states", "30", "--seed", "3"]) == 1
    assert "never, and met" in capsys.readouterr().out

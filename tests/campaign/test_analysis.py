"""What is proved of configurations, in full: random ones against random states, and known ones."""

from __future__ import annotations

import pytest

from tenure_proofs.analysis import campaign
from tests.analyzed import KNOWN, cells_of


def test_random_configurations_refute_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert campaign.main(["--configurations", "50", "--states", "150"]) == 0
    assert capsys.readouterr().out.endswith("0 refuted\n")


@pytest.mark.parametrize("name", KNOWN)
def test_known_configurations_have_as_many_cells_as_ever_that_can_be(name: str) -> None:
    known, can = KNOWN[name]
    assert sum(said == "sat" for said in cells_of(known).values()) == can

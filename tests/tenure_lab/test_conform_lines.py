"""What `tenure conform` prints for a person where no answer says why, and of how much was answered."""

from __future__ import annotations

import pytest

from tenure_lab.campaigns import Count
from tenure_lab.conform_report import Conformance, FamilyCoverage, conform_lines

NOTHING = "nothing differs, and nothing agrees: the program models none of the requests"


@pytest.mark.parametrize(
    ("verdict", "conforms", "told"),
    [
        ("not modelled", False, True),
        ("peer error not-modelled", False, False),
        ("unexplained", False, False),
        ("agree", True, False),
    ],
)
def test_it_says_so_where_nothing_differs_and_nothing_agrees(
    verdict: str, conforms: bool, told: bool
) -> None:
    found = Conformance("./adapter", "", "victims", "", conforms, (Count(verdict, 3),), None, ())
    assert (NOTHING in conform_lines(found)) is told


def test_the_share_of_each_family_that_is_answered_is_in_percent() -> None:
    coverage = (FamilyCoverage("KQ", 8, 3), FamilyCoverage("DYN", 1, 1))
    found = Conformance("./adapter", "", "victims", "", True, (Count("agree", 4),), None, (), coverage)
    lines = [*conform_lines(found)]
    assert "     37.50 %         3  of 8 KQ" in lines
    assert "    100.00 %         1  of 1 DYN" in lines

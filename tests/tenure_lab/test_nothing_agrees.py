"""What `tenure conform` prints for a person where no answer says why."""

from __future__ import annotations

import pytest

from tenure_lab.campaigns import Count
from tenure_lab.conform_report import Conformance, conform_lines

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

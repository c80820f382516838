"""Weights as Kubernetes makes floats of quantities: rounded to 64 bits first, those to the 53 of a double."""

from __future__ import annotations

import pytest

from tenure.model import NANO
from tenure.oracle.shares import weight_as_float

LAST = 2**11
"""The last bit that a double keeps of 64."""
EVEN = 2**63 + LAST // 2
"""An even number of 64 bits and the next one make two doubles."""
ODD = EVEN + LAST - 1
"""So do this odd one and the next."""


@pytest.mark.parametrize(
    ("halves", "rounded"),
    [
        (2 * EVEN, EVEN),
        (2 * EVEN + 1, EVEN),
        (2 * EVEN + 2, EVEN + 1),
        (2 * ODD, ODD),
        (2 * ODD + 1, ODD + 1),
    ],
)
def test_a_weight_halfway_between_two_numbers_of_64_bits_becomes_the_even_one(
    halves: int, rounded: int
) -> None:
    assert float(EVEN) != float(EVEN + 1)
    assert float(ODD) != float(ODD + 1)
    # Half of the last of 64 bits is 5**9 billionths, where a weight has 56 bits before its point.
    assert weight_as_float(halves * 5**9) == float(rounded) / 2**8


@pytest.mark.parametrize(("more", "rounded"), [(-1, EVEN), (0, EVEN), (1, EVEN + 1)])
def test_a_weight_beside_the_middle_becomes_the_nearer_number(more: int, rounded: int) -> None:
    assert weight_as_float((2 * EVEN + 1) * 5**9 + more) == float(rounded) / 2**8


@pytest.mark.parametrize("bits", [64, 65, 70, 90])
def test_a_weight_that_has_more_than_64_bits_before_its_point_is_rounded_as_well(bits: int) -> None:
    assert weight_as_float(NANO << bits) == 2.0**bits

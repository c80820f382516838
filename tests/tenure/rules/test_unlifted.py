"""The rules that no lifter reads, against exact arithmetic: a closed list, and what stands for proofs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.model import NANO, NodeOperator, NodeRequirement
from tenure.oracle.shares import weight_as_float
from tenure.rules.flavors import meets_requirement
from tenure.rules.registry import all_rules
from tenure.rules.share import Share, borrowed_ratio, compare_shares, weighted_share

MANY = settings(deadline=None, print_blob=True, max_examples=300)
AMOUNTS = st.integers(1, 60) | st.integers(1, 2**40)
SMALL = st.integers(1, 200)
WEIGHTS = st.sampled_from([0, 1, NANO // 1000, NANO // 2, NANO, 3 * NANO // 2, 2 * NANO, 7 * NANO])


def test_the_list_is_closed_and_each_says_why() -> None:
    unlifted = {entry.id: entry.reason for entry in all_rules() if not entry.lift}
    assert unlifted.keys() == {"KQ-440", "KQ-450", "KQ-460", "KQ-590"}
    assert all(unlifted.values())


@MANY
@given(AMOUNTS, AMOUNTS)
def test_a_ratio_is_the_exact_one_but_for_rounding(borrowed: int, lendable: int) -> None:
    exact = Fraction(1000 * borrowed, lendable)
    assert abs(Fraction(borrowed_ratio(borrowed, lendable)) - exact) <= exact * Fraction(1, 2**51)


def test_nothing_lendable_is_no_ratio() -> None:
    assert borrowed_ratio(5, 0) == borrowed_ratio(5, -1) == 0.0


@MANY
@given(SMALL, SMALL, WEIGHTS, SMALL, SMALL, WEIGHTS)
def test_shares_of_small_amounts_compare_as_exact_ones(
    first: int, of_first: int, weight: int, second: int, of_second: int, other: int
) -> None:
    # Fractions of numbers this small are further apart than rounding moves them, unless they are equal.
    one = Share(True, borrowed_ratio(first, of_first), weight_as_float(weight))
    two = Share(True, borrowed_ratio(second, of_second), weight_as_float(other))
    exact = [_exact(first, of_first, weight), _exact(second, of_second, other)]
    found = compare_shares(one, two)
    if exact[0] != exact[1]:
        assert found == (1 if exact[0] > exact[1] else -1)
    elif (first, of_first, weight) == (second, of_second, other):
        assert found == 0
    assert compare_shares(two, one) == -found


def _exact(borrowed: int, lendable: int, weight: int) -> tuple[bool, Fraction]:
    ratio = Fraction(1000 * borrowed, lendable)
    return (True, ratio) if weight == 0 else (False, ratio / Fraction(weight, NANO))


def test_weight_zero_is_infinite_only_for_who_borrows() -> None:
    assert weighted_share(Share(True, 1.0, 0.0)) == float("inf")
    assert weighted_share(Share(False, 0.0, 0.0)) == 0.0
    nobody = Share(True, 0.0, 0.0)  # borrows, of what its cohort can lend nothing
    assert compare_shares(nobody, Share(True, 1.0, 1.0)) == -1


@MANY
@given(st.integers(0, 10**12))
def test_a_weight_is_rounded_to_the_nearest_double_or_its_neighbour(weight: int) -> None:
    exact = Fraction(weight, NANO)
    assert abs(Fraction(weight_as_float(weight)) - exact) <= exact * Fraction(1, 2**52)


@MANY
@given(st.integers(0, 9), st.integers(0, 9))
def test_greater_and_less_compare_whole_numbers(label: int, value: int) -> None:
    for operator, holds in ((NodeOperator.GREATER, label > value), (NodeOperator.LESS, label < value)):
        assert meets_requirement(NodeRequirement("k", operator, (str(value),)), str(label)) == holds


def test_what_is_no_whole_number_of_64_bits_meets_nothing() -> None:
    for label in ("many", "", "1.5", "9" * 20, "\u0663"):
        assert not meets_requirement(NodeRequirement("k", NodeOperator.GREATER, ("0",)), label)


@pytest.mark.parametrize("value", ["-1", "+1", "not a label", "a-", "x" * 64, "\u0663"])
def test_a_value_that_no_label_can_have_meets_nothing(value: str) -> None:
    for operator in (NodeOperator.IN, NodeOperator.NOT_IN, NodeOperator.GREATER, NodeOperator.LESS):
        assert not meets_requirement(NodeRequirement("k", operator, (value,)), "4")
    assert meets_requirement(NodeRequirement("k", NodeOperator.NOT_IN, ("x" * 63, "a_b.c-d", "")), "4")

"""Kubernetes quantities: exact values, Kueue's rounding, and what is no quantity."""

from __future__ import annotations

import contextlib
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.errors import InputError
from tenure.manifests import MAX_AMOUNT, amount_of, parse_quantity, quota_of
from tenure.manifests.showing import NumberText

SUFFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", Fraction(0)),
        ("-0", Fraction(0)),
        ("+5", Fraction(5)),
        ("5.", Fraction(5)),
        (".5", Fraction(1, 2)),
        ("00012", Fraction(12)),
        ("1.5Gi", Fraction(3 * 2**29)),
        ("1E", Fraction(10**18)),
        ("1E3", Fraction(1000)),
        ("2e-3", Fraction(1, 500)),
        ("1e+2", Fraction(100)),
        ("-1.5k", Fraction(-1500)),
        (NumberText("0.1"), Fraction(1, 10)),
        (7, Fraction(7)),
        (" 1", Fraction(1)),
        ("1Gi  ", Fraction(2**30)),
        (NumberText("1e+30"), Fraction(10**30)),
        (NumberText("1.5"), Fraction(3, 2)),
        (0.1, Fraction(1, 10)),
        (1e300, Fraction(10**300)),
    ],
)
def test_values(text: object, value: Fraction) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "-",
        "m",
        "NaN",
        "inf",
        "1 Gi",
        " ",
        "\t1",
        "1\n",
        "1gi",
        "1ki",
        "1mi",
        "1K",
        "1e",
        "1e1.5",
        "1i",
        "0x10",
        "1_000",
        "1,5",
        "--1",
        "1.2.3",
        "\u0663",
        "1" * 129,
        10**200,
        True,
        False,
        None,
        [],
        {},
        b"1",
        float("nan"),
        float("inf"),
        NumberText(".nan"),
    ],
)
def test_what_is_no_quantity(text: object) -> None:
    with pytest.raises(InputError, match="expected a Kubernetes quantity such as 4, 500m or 2Gi") as caught:
        parse_quantity(text, field="spec.x")
    assert caught.value.problems[0].field == "spec.x"
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("resource", "quantity", "amount"),
    [
        ("cpu", "1", 1000),
        ("cpu", "0.1m", 1),
        ("cpu", "1.0001", 1001),
        ("cpu", "100m", 100),
        ("memory", "100m", 1),
        ("memory", "1.5", 2),
        ("memory", "-1.5", -2),
        ("cpu", "-0.0001", -1),
        ("nvidia.com/gpu", "1Gi", 2**30),
        ("memory", "1e99999999", MAX_AMOUNT),
        ("memory", "-1e99999999", -MAX_AMOUNT),
        ("memory", "1e-99999999", 1),
        ("memory", "0e99999999", 0),
        ("memory", "9223372036854775807", MAX_AMOUNT),
        ("memory", "9223372036854775808", MAX_AMOUNT),
        ("cpu", "9223372036854775", 9223372036854775000),
        ("cpu", "1E", MAX_AMOUNT),
        ("cpu", "100Ei", MAX_AMOUNT),
    ],
)
def test_amounts_round_away_from_zero_and_saturate(resource: str, quantity: str, amount: int) -> None:
    assert amount_of(resource, quantity) == amount


def test_the_finest_step_is_a_nano_unit_as_in_kubernetes() -> None:
    assert parse_quantity("0.1n") == Fraction(1, 10**9)
    assert parse_quantity("-0.1n") == Fraction(-1, 10**9)
    assert parse_quantity("1.0000000001Ki") == Fraction(
        math.ceil(1024 * Fraction("1.0000000001") * 10**9), 10**9
    )


def test_a_quota_is_unlimited_where_kueue_says_so() -> None:
    assert quota_of("cpu", "9223372036854775") == MAX_AMOUNT
    assert quota_of("cpu", "9223372036854774") == 9223372036854774000
    assert quota_of("memory", "9223372036854775806") == MAX_AMOUNT - 1


@given(
    whole=st.integers(0, 10**12),
    part=st.integers(0, 999999),
    suffix=st.sampled_from(sorted(SUFFIXES)),
    negative=st.booleans(),
)
def test_agrees_with_fractions(whole: int, part: int, suffix: str, negative: bool) -> None:
    exact = (whole + Fraction(part, 10**6)) * SUFFIXES[suffix]
    nano = Fraction(math.ceil(exact * 10**9), 10**9)
    expected = min(nano, Fraction(MAX_AMOUNT)) if suffix.endswith("i") else nano
    text = f"{'-' if negative else ''}{whole}.{part:06d}{suffix}"
    assert parse_quantity(text) == (-expected if negative else expected)


@given(st.integers(-(10**15), 10**15))
def test_milli_cpu_round_trip(amount: int) -> None:
    assert amount_of("cpu", f"{amount}m") == amount


@given(st.text(max_size=200))
def test_any_text_is_a_quantity_or_an_input_error(text: str) -> None:
    with contextlib.suppress(InputError):
        assert isinstance(parse_quantity(text), Fraction)

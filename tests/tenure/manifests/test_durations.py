"""Go durations: exact values, and what is no duration."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.errors import InputError
from tenure.manifests import parse_duration
from tenure.units import format_duration

HOUR = 3600 * 10**9


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("+0", 0),
        ("-0", 0),
        ("0s", 0),
        ("4h", 4 * HOUR),
        ("1h30m", 3 * HOUR // 2),
        ("1.5h", 3 * HOUR // 2),
        (".5h", HOUR // 2),
        ("1.h", HOUR),
        ("300ms", 300_000_000),
        ("1us", 1000),
        ("1\u00b5s", 1000),
        ("1\u03bcs", 1000),
        ("-1m", -60 * 10**9),
        ("+1m", 60 * 10**9),
        ("1m1m", 120 * 10**9),
        ("1.9ns", 1),
        ("0.1h0.1h", HOUR // 5),
        ("9223372036854775807ns", 2**63 - 1),
        ("-9223372036854775808ns", -(2**63)),
        ("2562047h47m16.854775807s", 2**63 - 1),
    ],
)
def test_values(text: str, nanoseconds: int) -> None:
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "5",
        "1",
        "h",
        ".h",
        "1d",
        "1 h",
        " 1h",
        "1H",
        "1h-1m",
        "1e3s",
        "00",
        "--1h",
        "\u0661h",
        "1h" * 80,
        3600,
        0,
        1.5,
        True,
        None,
        [],
        {},
    ],
)
def test_what_is_no_duration(text: object) -> None:
    with pytest.raises(InputError, match="expected a duration such as 4h, 1h30m or 300ms"):
        parse_duration(text)


@pytest.mark.parametrize(
    "text", ["9223372036854775808ns", "-9223372036854775809ns", "2562048h", "9" * 100 + "h"]
)
def test_what_does_not_fit_in_64_bits(text: str) -> None:
    with pytest.raises(InputError, match="expected a duration of at most about 292 years"):
        parse_duration(text)


def test_the_error_names_the_field() -> None:
    with pytest.raises(InputError) as caught:
        parse_duration(3600, field="minAdmitDuration")
    expected = "minAdmitDuration: found 3600, expected a duration such as 4h, 1h30m or 300ms"
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (4 * HOUR, "4h"),
        (HOUR + 1, "1h0.000000001s"),
        (1, "1ns"),
        (1500, "1500ns"),
        (2_000_000, "2ms"),
        (-1, "-1ns"),
    ],
)
def test_notation(nanoseconds: int, text: str) -> None:
    assert format_duration(nanoseconds) == text


@given(st.integers(-(2**63), 2**63 - 1))
def test_round_trip(nanoseconds: int) -> None:
    assert parse_duration(format_duration(nanoseconds)) == nanoseconds


@given(
    st.lists(
        st.tuples(st.integers(0, 1000), st.sampled_from(["h", "m", "s", "ms", "us", "ns"])),
        min_size=1,
        max_size=6,
    )
)
def test_terms_add_up(terms: list[tuple[int, str]]) -> None:
    together = parse_duration("".join(f"{number}{unit}" for number, unit in terms))
    assert together == sum(parse_duration(f"{number}{unit}") for number, unit in terms)


@given(st.text(alphabet="0123456789.hmsnu\u00b5+- ", max_size=20))
def test_any_text_is_a_duration_or_an_input_error(text: str) -> None:
    with contextlib.suppress(InputError):
        assert -(2**63) <= parse_duration(text) < 2**63

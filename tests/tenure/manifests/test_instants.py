"""RFC 3339 times: exact nanoseconds, any offset, and what is no time."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.errors import InputError
from tenure.manifests import parse_instant
from tenure.units import format_instant

FIRST = -62_135_596_800 * 10**9
LAST = 253_402_300_800 * 10**9 - 1


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.000000001Z", 1),
        ("1970-01-01T00:00:00.5Z", 500_000_000),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T18:30:00-05:30", 0),
        ("1969-12-31T23:59:59.999999999Z", -1),
        ("2024-02-29T00:00:00Z", 1_709_164_800 * 10**9),
        ("2026-08-22T12:00:00Z", 1_787_400_000 * 10**9),
        ("0001-01-01T00:00:00Z", FIRST),
        ("9999-12-31T23:59:59.999999999Z", LAST),
        ("1970-01-01T00:00:00-00:00", 0),
    ],
)
def test_values(text: str, instant: int) -> None:
    assert parse_instant(text) == instant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2026-08-22",
        "2026-08-22T12:00:00",
        "2026-08-22 12:00:00Z",
        "2026-08-22t12:00:00z",
        "2026-08-22T12:00Z",
        "2026-08-22T24:00:00Z",
        "2026-08-22T12:60:00Z",
        "2016-12-31T23:59:60Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "2026-08-22T12:00:00.Z",
        "2026-08-22T12:00:00,5Z",
        "2026-08-22T12:00:00.0000000001Z",
        "2026-08-22T12:00:00+24:00",
        "2026-08-22T12:00:00+01:60",
        "2026-08-22T12:00:00+0100",
        "2026-08-22T12:00:00Z\n",
        "\u0662026-08-22T12:00:00Z",
        "12026-08-22T12:00:00Z",
        0,
        1787400000,
        True,
        None,
        [],
        datetime(2026, 8, 22, tzinfo=UTC),
    ],
)
def test_what_is_no_time(text: object) -> None:
    with pytest.raises(InputError, match="expected an RFC 3339 time such as 2026-08-22T12:00:00Z"):
        parse_instant(text)


def test_the_error_names_the_field() -> None:
    with pytest.raises(InputError) as caught:
        parse_instant("soon", field="now")
    assert str(caught.value) == "now: found 'soon', expected an RFC 3339 time such as 2026-08-22T12:00:00Z"


@pytest.mark.parametrize("instant", [FIRST - 1, LAST + 1])
def test_a_time_outside_the_calendar_is_written_in_ns(instant: int) -> None:
    assert format_instant(instant) == f"{instant}ns since the epoch"


@given(st.integers(FIRST, LAST))
def test_round_trip(instant: int) -> None:
    text = format_instant(instant)
    assert parse_instant(text) == instant
    assert text.endswith("Z")
    assert ".000" not in text or instant % 10**9


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 31)),  # noqa: DTZ001 - the zone follows
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
)
def test_agrees_with_datetime(local: datetime, offset: int) -> None:
    when = local.replace(tzinfo=timezone(timedelta(minutes=offset)))
    since = when - datetime(1970, 1, 1, tzinfo=UTC)
    expected = (since.days * 86400 + since.seconds) * 10**9 + since.microseconds * 1000
    assert parse_instant(when.isoformat()) == expected


@given(st.text(alphabet="0123456789-:.TZ+", max_size=32))
def test_any_text_is_a_time_or_an_input_error(text: str) -> None:
    with contextlib.suppress(InputError):
        assert FIRST <= parse_instant(text) <= LAST

"""The limits that the page of inputs states are those that the code has."""

from __future__ import annotations

import re

from tenure.conformance.lines import answer_line
from tenure.manifests import limits
from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs" / "reference" / "limits.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| `(MAX_\w+)` \| ([\d,]+)( MiB)? \| .+ \|$", re.MULTILINE)
_DIGITS = re.compile(r"an integer of a line at most (\d+) digits")


def test_the_page_states_every_limit_as_it_is() -> None:
    stated = {
        name: int(number.replace(",", "")) * (2**20 if mebibytes else 1)
        for name, number, mebibytes in _ROW.findall(PAGE)
    }
    assert stated == {name: value for name, value in vars(limits).items() if name.startswith("MAX_")}


def test_the_page_states_how_long_an_integer_may_be() -> None:
    (digits,) = map(int, _DIGITS.findall(PAGE))
    assert answer_line(b"9" * digits)["error"]["code"] == "bad-input"
    assert f"at most {digits} are read" in answer_line(b"9" * (digits + 1))["error"]["message"]

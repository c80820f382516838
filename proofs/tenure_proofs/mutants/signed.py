"""Mutants that no obligation notices and a person has looked at: `signed.toml` says why they may stay."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

MOST = 0.02
"""Of all mutants, the share that may be signed."""


@cache
def signed_by_hand() -> Mapping[tuple[str, str, str], str]:
    """The reason of each, by rule, right and wrong source.

    Raises:
        ValueError: an entry that is not whole, or is there twice.
    """
    text = files(__package__).joinpath("signed.toml").read_text(encoding="utf-8")
    found: dict[tuple[str, str, str], str] = {}
    for entry in tomllib.loads(text).get("mutant", []):
        if set(entry) != {"rule", "before", "after", "reason"} or not entry["reason"].strip():
            raise ValueError(f"signed.toml: {entry!r} needs rule, before, after and reason")
        place = entry["rule"], entry["before"], entry["after"]
        if place in found:
            raise ValueError(f"signed.toml: {place!r} is signed twice")
        found[place] = " ".join(entry["reason"].split())
    return found

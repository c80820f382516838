"""What an explanation says of each rule, read from the explained decisions of the vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from docs.gen.sources import vectors
from tenure.conformance.protocol import answer

Said: TypeAlias = dict[str, dict[bool, tuple[str, str]]]
"""By rule, and by whether it applies: the words, and the vector whose explanation has them."""


def said_of_rules() -> Said:
    """The first words of each kind; a vector that is about the rule comes before all others."""
    said: Said = {}
    meant: Said = {}
    for vector in vectors():
        if vector.data["call"] != "decide":
            continue
        output = answer(vector.request(explained=True)).get("output", {})
        for finding in _findings(output.get("trace")):
            rule, holds = finding["rule"], finding["holds"]
            entry = (finding["text"], vector.id)
            said.setdefault(rule, {}).setdefault(holds, entry)
            if vector.data["rules"][0] == rule:
                meant.setdefault(rule, {}).setdefault(holds, entry)
    return {rule: {**words, **meant.get(rule, {})} for rule, words in said.items()}


def _findings(trace: Any) -> Iterator[dict[str, Any]]:
    if isinstance(trace, dict):
        if {"rule", "holds", "text"} <= trace.keys():
            yield trace
        trace = list(trace.values())
    if isinstance(trace, list):
        for item in trace:
            yield from _findings(item)

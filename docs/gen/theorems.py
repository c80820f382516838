"""Theorems of any size: what is claimed of loops, and what that takes for granted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docs.gen.markdown import Fills, code, heading, linked, sentence, table, verdict
from tenure.pages import THEOREMS_PAGE
from tenure.reference.source_code import source_of
from tenure_proofs.theorems.outcome import discharged
from tenure_proofs.theorems.registry import BELIEVED, PYTHON, all_theorems
from tenure_proofs.theorems.taken import ASSUMED

TRUSTED_PAGE = "explanation/what-is-trusted.md"


def theorems(report: dict[str, Any]) -> Fills:
    """What the pages take from a report."""
    entries = report["theorems"]
    return {
        THEOREMS_PAGE: {
            "theorems": _list(entries),
            "assumptions": _assumptions(entries),
            "statements": "\n\n".join(part for entry in entries for part in _statement(entry)),
        },
        TRUSTED_PAGE: {"premises": premises(entries), "stand-ins": stand_ins(entries)},
    }


def premises(entries: list[dict[str, Any]]) -> str:
    """The premises that no claim proves, with what attacks each."""
    return _assumptions(entries, only=(BELIEVED, PYTHON))


def stand_ins(entries: list[dict[str, Any]]) -> str:
    """The functions for which something stands that no theorem says."""
    uses = [words for entry in entries for words, by in entry["assumes"].items() if by == ASSUMED]
    names = sorted({words.partition("`")[2].rstrip("`") for words in uses})
    return f"{len(names)} functions, in {len(uses)} places: {', '.join(f'`{name}`' for name in names)}."


def _list(entries: list[dict[str, Any]]) -> str:
    rows = [
        [
            linked(entry["id"]),
            sentence(entry["claim"]),
            entry["size"],
            verdict(entry["verdict"]),
            str(entry["goals"]),
        ]
        for entry in entries
    ]
    return table(["Theorem", "Claim", "Of", "Verdict", "Goals"], rows)


def _assumptions(entries: list[dict[str, Any]], only: tuple[str, ...] = ()) -> str:
    used: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        for assumed, proof in entry["assumes"].items():
            if proof in only if only else proof != ASSUMED:
                used.setdefault((assumed, proof), []).append(entry["id"])
    rows = [
        [sentence(assumed), linked(discharged(assumed, proof)), linked(", ".join(by))]
        for (assumed, proof), by in used.items()
    ]
    return table(["Assumption", "Proved by, or attacked by", "Used by"], rows)


def _statement(entry: dict[str, Any]) -> Iterator[str]:
    yield heading(3, f"{entry['id']}: {entry['claim']}", entry["id"])
    yield linked(entry["source"])
    for function in all_theorems()[entry["id"]].about:
        yield code("python", source_of(function))

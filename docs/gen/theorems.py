"""Theorems of any size: what is claimed of loops, and what that takes for granted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docs.gen.markdown import Fills, Places, code, heading, linked, sentence, table, verdict
from tenure.apps.lookup.code import source_of
from tenure.pages import THEOREMS_PAGE
from tenure_proofs.theorems.outcome import discharged
from tenure_proofs.theorems.registry import BELIEVED, PYTHON, all_theorems

TRUSTED_PAGE = "explanation/what-is-trusted.md"


def theorems(report: dict[str, Any], places: Places) -> Fills:
    """What the pages take from a report."""
    entries = report["theorems"]
    return {
        THEOREMS_PAGE: {
            "theorems": _list(entries, places),
            "assumptions": _assumptions(entries, places, THEOREMS_PAGE),
            "statements": "\n\n".join(part for entry in entries for part in _statement(entry, places)),
        },
        TRUSTED_PAGE: {"premises": premises(entries, places)},
    }


def premises(entries: list[dict[str, Any]], places: Places) -> str:
    """The premises that no claim proves, with what attacks each."""
    return _assumptions(entries, places, TRUSTED_PAGE, only=(BELIEVED, PYTHON))


def _list(entries: list[dict[str, Any]], places: Places) -> str:
    rows = [
        [
            linked(entry["id"], places, THEOREMS_PAGE),
            sentence(entry["claim"]),
            entry["size"],
            verdict(entry["verdict"]),
            str(entry["goals"]),
        ]
        for entry in entries
    ]
    return table(["Theorem", "Claim", "Of", "Verdict", "Goals"], rows)


def _assumptions(entries: list[dict[str, Any]], places: Places, here: str, only: tuple[str, ...] = ()) -> str:
    used: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        for assumed, proof in entry["assumes"].items():
            if not only or proof in only:
                used.setdefault((assumed, proof), []).append(entry["id"])
    rows = [
        [
            sentence(assumed),
            linked(discharged(assumed, proof), places, here),
            linked(", ".join(by), places, here),
        ]
        for (assumed, proof), by in used.items()
    ]
    return table(["Assumption", "Proved by, or attacked by", "Used by"], rows)


def _statement(entry: dict[str, Any], places: Places) -> Iterator[str]:
    yield heading(3, f"{entry['id']}: {entry['claim']}", entry["id"])
    yield linked(entry["source"], places, THEOREMS_PAGE)
    for function in all_theorems()[entry["id"]].about:
        yield code("python", source_of(function))

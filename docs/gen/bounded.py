"""Whole decisions on all clusters up to a size: what is promised of them, and what they break."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docs.gen.markdown import Fills, code, heading, linked, sentence, table, verdict

PAGE = "proofs/whole-decisions.md"


def whole_decisions(report: dict[str, Any]) -> Fills:
    """What the page takes from a report of a run that made them."""
    bounded = report["bounded"]
    bounds = [
        [item["family"], item["bound"], f"{item['clusters']:,}", f"{item['decisions']:,}"]
        for item in bounded["bounds"]
    ]
    return {
        PAGE: {
            "bounds": table(["Family", "All clusters with", "Clusters", "Decisions"], bounds),
            "postconditions": _postconditions(bounded, report["readings"]),
            "broken": "\n\n".join(_broken(bounded, report["readings"])),
        }
    }


def _postconditions(bounded: dict[str, Any], readings: list[str]) -> str:
    rows = [
        [
            f'<span class="id">{item["id"]}</span>',
            linked(sentence(item["claim"])),
            *(_cell(item["verdicts"][reading]) for reading in readings),
        ]
        for item in bounded["postconditions"]
    ]
    return table(["", "Claim", *readings], rows)


def _cell(judged: dict[str, Any]) -> str:
    return f"{verdict(judged['verdict'])}<br>of {judged['claimed']:,}"


def _broken(bounded: dict[str, Any], readings: list[str]) -> Iterator[str]:
    for item in bounded["postconditions"]:
        for reading in readings:
            judged = item["verdicts"][reading]
            if judged["verdict"] != "refuted":
                continue
            yield heading(3, f"{item['id']} under {reading}", f"{item['id']}-{reading}")
            yield linked(f"{sentence(item['claim'])} {item['source']}")
            yield f"{judged['broken']:,} of {judged['claimed']:,} decisions break it; the smallest:"
            yield code("text", "\n".join(judged["story"]))

"""The matrix, the obligations and the mutants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docs.gen.markdown import (
    Fills,
    Pages,
    Places,
    code,
    heading,
    link,
    linked,
    sentence,
    table,
    verdict,
)
from docs.gen.sources import OBLIGATIONS_PAGE
from tenure.apps.lookup.code import source_of
from tenure.pages import FAMILIES, anchor, family_of, obligations_page
from tenure_proofs.obligations import OBLIGATIONS

HOME = "index.md"
MATRIX = "proofs/index.md"
MUTANTS = "proofs/mutants.md"


def proofs(report: dict[str, Any], places: Places) -> Fills:
    """What the pages of `proofs/` take from a report."""
    headline = [item for item in report["obligations"] if item["title"]]
    return {
        HOME: {"matrix": _matrix(headline, report["readings"], folder="proofs/")},
        MATRIX: {
            "matrix": _matrix(headline, report["readings"], folder=""),
            "stories": "\n\n".join(
                part for item in headline for part in _stories(item, report, level=3, titled=True)
            ),
            "run": _run(report),
        },
        OBLIGATIONS_PAGE: {"obligations": "\n\n".join(_listed(report, places))},
        MUTANTS: {"mutants": "\n\n".join(_mutants(report["mutants"], places))},
    }


def _matrix(headline: list[dict[str, Any]], readings: list[str], folder: str) -> str:
    rows = [
        [
            f"[{entry['title']}]({folder}{_file(entry['id'])}#{anchor(entry['id'])})",
            *_verdicts(entry, readings),
        ]
        for entry in headline
    ]
    return table(["Invariant", *readings], rows)


def _run(report: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in report["solvers"].items())
    verdicts = [entry for item in report["obligations"] for entry in item["verdicts"].values()]
    rows = [
        ["functions lifted twice, the two formulas proved equal", str(len(report["lifted"]))],
        [
            f"plain executions compared with them (seed {report['randomSeed']})",
            str(sum(item["examples"] for item in report["lifted"])),
        ],
        ["obligations", str(len(report["obligations"]))],
        ["verdicts, all as expected", str(len(verdicts))],
        [
            "of these answered by cvc5 as well",
            str(sum(1 for verdict in verdicts if "cvc5" in verdict["solvers"])),
        ],
        ["mutants, none survived", str(len(report["mutants"]))],
        ["solvers", versions],
    ]
    return table(["This site's run", ""], rows)


def obligation_pages(report: dict[str, Any], places: Places) -> Pages:
    """A page for the obligations of each family."""
    return {
        obligations_page(family): "\n\n".join(_page(family, mine, report, places)) + "\n"
        for family, mine in _families(report).items()
    }


def _families(report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The obligations by family, the families in their order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for item in report["obligations"]:
        found.setdefault(family_of(item["id"]), []).append(item)
    return {family: found[family] for family in sorted(found, key=[*FAMILIES].index)}


def _file(obligation: str) -> str:
    return obligations_page(family_of(obligation)).rpartition("/")[2]


def _listed(report: dict[str, Any], places: Places) -> Iterator[str]:
    readings = report["readings"]
    for family, mine in _families(report).items():
        yield f"## {FAMILIES[family]}"
        rows = [
            [
                link(entry["id"], places, OBLIGATIONS_PAGE),
                sentence(entry["claim"]),
                *_verdicts(entry, readings),
            ]
            for entry in mine
        ]
        yield table(["Obligation", "Claim", *readings], rows)


def _page(family: str, mine: list[dict[str, Any]], report: dict[str, Any], places: Places) -> Iterator[str]:
    here = obligations_page(family)
    yield f"# Obligations: {FAMILIES[family]}"
    yield "What an obligation is says the [list of all](obligations.md)."
    for entry in mine:
        yield heading(2, f"{entry['id']}: {entry['claim']}", entry["id"])
        yield linked(entry["source"], places, here)
        yield f"Rules: {', '.join(link(rule, places, here) for rule in entry['rules'])}."
        for called, why in OBLIGATIONS[entry["id"]].irrespective_of.items():
            yield f"Proved whatever `{called}` returns: {why}."
        yield table(report["readings"], [_verdicts(entry, report["readings"])])
        yield code("python", source_of(OBLIGATIONS[entry["id"]].statement))
        yield from _stories(entry, report, level=3)


def _verdicts(obligation: dict[str, Any], readings: list[str]) -> list[str]:
    return [verdict(obligation["verdicts"][reading]["verdict"]) for reading in readings]


def _stories(
    obligation: dict[str, Any], report: dict[str, Any], level: int, *, titled: bool = False
) -> Iterator[str]:
    for reading in report["readings"]:
        example = obligation["verdicts"][reading].get("counterexample")
        if example is None:
            continue
        title = f"{obligation['title']}: refuted" if titled else "Refuted"
        yield heading(level, f"{title} under {reading}", f"{obligation['id']}-{reading}")
        if example["story"]:
            yield code("text", "\n".join(example["story"]))
            yield "Replayed in Python and, rebuilt as manifests, through the oracle."
        else:
            yield code("text", "\n".join(f"{name}: {value}" for name, value in example["values"].items()))
            yield "Replayed in Python."


def _mutants(mutants: list[dict[str, Any]], places: Places) -> Iterator[str]:
    outcomes = [mutant["outcome"] for mutant in mutants]
    yield (
        f"{len(mutants)} made, {outcomes.count('killed')} killed, {outcomes.count('equivalent')} proved "
        f"equivalent, {outcomes.count('unreadable')} refused by the lifter, {outcomes.count('signed')} "
        f"signed with a reason, {outcomes.count('survived')} survived."
    )
    rows = [
        [
            f'<span class="id">{mutant["id"]}</span>',
            link(mutant["rule"], places, MUTANTS),
            f"`{mutant['before']}`<br>`{mutant['after']}`",
            linked(mutant["by"] or mutant["outcome"], places, MUTANTS),
        ]
        for mutant in mutants
    ]
    yield table(["Mutant", "Rule", "What it says, and what it becomes", "Killed by"], rows)

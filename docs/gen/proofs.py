"""The matrix, the obligations and the mutants."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docs.gen.elsewhere import file_link
from docs.gen.markdown import (
    Fills,
    Pages,
    at,
    code,
    folded,
    heading,
    link,
    linked,
    sentence,
    table,
    verdict,
)
from docs.gen.sources import OBLIGATIONS_PAGE, ROOT, place_of, places
from docs.gen.stories import told as sentences_of
from tenure.pages import FAMILIES, FEW, Page, claims_page, family_of
from tenure.reference.source_code import source_of
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict
from tenure_proofs.report import of_what_size
from tools.lints.pages import findings

HOME = "index.md"
MATRIX = "proofs/index.md"
MUTANTS = "proofs/mutants.md"
FORMULA = "explanation/how-a-function-becomes-a-formula.md"


def proofs(report: dict[str, Any]) -> Fills:
    """What the pages of `proofs/` take from a report."""
    headline = [item for item in report["obligations"] if item["title"]]
    proved = {item["id"] for item in report["theorems"] if item["verdict"] == Verdict.PROVED}
    return {
        HOME: {"matrix": _matrix(headline, report["readings"])},
        MATRIX: {
            "matrix": _matrix(headline, report["readings"], proved),
            "stories": "\n\n".join(part for item in headline for part in _stories(item, report, titled=True)),
            "run": _run(report),
        },
        OBLIGATIONS_PAGE: {"obligations": "\n\n".join(_listed(report))},
        FORMULA: {"statement": statement_code("PO-TBP-010")},
        MUTANTS: {"mutants": "\n\n".join(_mutants(report["mutants"]))},
    }


def statement_code(name: str) -> str:
    """What the function of an obligation does, as a block of code.

    >>> print(statement_code("PO-TBP-020").splitlines()[-2])
    claim.prove(negation(claim.lift(is_time_expired)(target, now, duration).value))
    """
    source = source_of(OBLIGATIONS[name].statement, docstring=False)
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.FunctionDef)
    body = source.splitlines()[definition.body[0].lineno - 1 :]
    return code("text", textwrap.dedent("\n".join(body)))


def _matrix(
    headline: list[dict[str, Any]],
    readings: list[str],
    proved: set[str] | None = None,
) -> str:
    """The headline invariants; where it is said which theorems are proved, with what each is proved of."""
    rows = [
        [
            f"[{entry['title']}]({at(entry['id'])})<br>{sentence(entry['claim'])}.",
            *_verdicts(entry, readings),
            *([] if proved is None else [linked(of_what_size(entry["id"], proved))]),
        ]
        for entry in headline
    ]
    return table(["Invariant", *readings, *([] if proved is None else ["Proved of"])], rows)


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


def claims_by_page(report: dict[str, Any]) -> dict[str, list[str]]:
    """By page: the obligations that it explains, each as Markdown below a heading of its own."""
    named = findings_by_obligation()
    found: dict[str, list[str]] = {}
    for entry in report["obligations"]:
        path = places()[entry["id"]].partition("#")[0]
        level = 3 if path.startswith("rules/") else 2
        found.setdefault(path, []).extend(_claim(entry, report, named.get(entry["id"], []), level))
    return found


def claim_pages(claims: Mapping[str, Sequence[str]]) -> Pages:
    """The pages of obligations that belong to no single rule, a page for each family that has such."""
    return {
        path: "\n\n".join([*_opening(family), *claims[path]]) + "\n"
        for family in FAMILIES
        if (path := claims_page(family)) in claims
    }


def _opening(family: str) -> Iterator[str]:
    yield f"# Claims about many rules: {FAMILIES[family].partition(',')[0]}"
    yield (
        "Look up here, claim by claim, what is proved and what is refuted of many rules together; a claim "
        f"about {FEW} rules or fewer is on the page of one of them."
    )


def findings_by_obligation() -> dict[str, list[Page]]:
    """By obligation: the findings that rest on it."""
    named: dict[str, list[Page]] = {}
    for page in findings(ROOT):
        for obligation in page.front.get("obligations", ()):
            named.setdefault(obligation, []).append(page)
    return named


def _listed(report: dict[str, Any]) -> Iterator[str]:
    readings = report["readings"]
    order = [*FAMILIES]
    rows = [
        [
            link(entry["id"]),
            f"{sentence(entry['claim'])}.",
            FAMILIES[family_of(entry["id"])].partition(",")[0],
            *_verdicts(entry, readings),
        ]
        for entry in sorted(report["obligations"], key=lambda entry: order.index(family_of(entry["id"])))
    ]
    yield '<div class="chosen" data-by="2" data-verdicts="3" markdown>'
    yield table(["Obligation", "Claim", "Policy", *readings], rows)
    yield "</div>"


def _claim(entry: dict[str, Any], report: dict[str, Any], named: Sequence[Page], level: int) -> Iterator[str]:
    """The claim and its verdicts; its source, statement and counterexamples are folded."""
    obligation = OBLIGATIONS[entry["id"]]
    yield heading(level, f"{entry['id']}: {sentence(entry['claim'])}", entry["id"])
    readings = report["readings"]
    yield ", ".join(
        f"{reading} {word}" for reading, word in zip(readings, _verdicts(entry, readings), strict=True)
    )
    place = file_link(place_of(obligation.statement), inspect.getsourcelines(obligation.statement)[1])
    stories = list(_stories(entry, report))
    parts = [
        linked(entry["source"]),
        *_found(named),
        *stories,
        f"About the rules {', '.join(link(rule) for rule in entry['rules'])}.",
        *(
            f"Proved whatever `{called}` returns: {why}."
            for called, why in obligation.irrespective_of.items()
        ),
        f"The claim, as it is stated in {place}:",
        code("python", source_of(obligation.statement)),
        code("sh", f"tenure prove --only {entry['id']} --no-mutants"),
    ]
    yield folded("Counterexample, source and statement" if stories else "Source and statement", parts)


def _found(named: Sequence[Page]) -> Iterator[str]:
    if named:
        yield ("In words: " + "; ".join(f"{page.title} ({link(page.id)})" for page in named) + ".")


def _verdicts(obligation: dict[str, Any], readings: list[str]) -> list[str]:
    return [verdict(obligation["verdicts"][reading]["verdict"]) for reading in readings]


def _stories(obligation: dict[str, Any], report: dict[str, Any], *, titled: bool = False) -> Iterator[str]:
    """The counterexample of each reading under which there is one; the same one once."""
    told: dict[str, list[str]] = {}
    for reading in report["readings"]:
        example = obligation["verdicts"][reading].get("counterexample")
        if example is not None:
            told.setdefault(_story(example), []).append(reading)
    for story, under in told.items():
        words = f"under {' and '.join(under)}"
        if titled:
            title = f"{obligation['title']}: refuted {words}"
            yield heading(3, title, f"{obligation['id']}-{under[0]}")
            yield f"The claim: *{sentence(obligation['claim'])}* ({link(obligation['id'])})."
            yield from _found(findings_by_obligation().get(obligation["id"], []))
        else:
            yield f"**Refuted {words}**"
        yield story


def _story(example: dict[str, Any]) -> str:
    if example["story"]:
        told = code("text", "\n".join(example["story"]))
        return f"{told}\n\nReplayed in Python and, rebuilt as manifests, through the oracle."
    values = "\n".join(f"- {line}" for line in sentences_of(example["values"]))
    before = "These values, the smallest that the solvers found, make the claim false:"
    return f"{before}\n\n{values}\n\nReplayed in Python."


def _mutants(mutants: list[dict[str, Any]]) -> Iterator[str]:
    outcomes = [mutant["outcome"] for mutant in mutants]
    yield (
        f"{len(mutants)} made, {outcomes.count('killed')} killed, {outcomes.count('equivalent')} proved "
        f"equivalent, {outcomes.count('unreadable')} refused by the lifter, {outcomes.count('signed')} "
        f"signed with a reason, {outcomes.count('survived')} survived."
    )
    rows = [
        [
            f'<span class="id">{mutant["id"]}</span>',
            link(mutant["rule"]),
            f"`{mutant['before']}`<br>`{mutant['after']}`",
            linked(mutant["by"] or mutant["outcome"]),
        ]
        for mutant in mutants
    ]
    yield table(["Mutant", "Rule", "What it says, and what it becomes", "Killed by"], rows)

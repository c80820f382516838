"""One page for each rule, and the list of them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docs.gen.cases import Pictures
from docs.gen.charts import Views
from docs.gen.drawing import shown
from docs.gen.elsewhere import cited, file_link, kueue_link
from docs.gen.explained import Said
from docs.gen.lessons import lesson_of
from docs.gen.markdown import (
    UNSEARCHED,
    Fills,
    Pages,
    at,
    code,
    folded,
    link,
    linked,
    sentence,
    table,
    verdict,
)
from docs.gen.sources import ROOT, place_of, places, vectors
from tenure.conformance.vectors import Vector, exercised_by_plays
from tenure.pages import FAMILIES, Page
from tenure.reference.source_code import neighbours, not_lifted, rule_functions, source_of
from tenure.reference.statements import findings_by_rule
from tenure_proofs.report import statement_of
from tools.lints.pages import findings, pages

RULES = "rules/index.md"
AREAS = {
    "amounts": "amounts",
    "quota": "quota in the tree",
    "flavors": "flavors",
    "topology": "flavors of nodes with a topology",
    "priority": "priority",
    "queue_order": "place in the queue",
    "reservation": "since when quota is held",
    "eligibility": "who may be preempted",
    "reclaim": "other ClusterQueues, classical",
    "share": "other ClusterQueues, fair sharing",
    "ordering": "order of candidates",
    "time_based": "equals in one ClusterQueue",
    "dynamic_priority": "priority that grows with time",
    "hero_rank": "who is a hero, and how heroes are related to each other",
    "hero_billing": "which queues are billed",
    "hero_tree": "the tree while heroes run",
    "hero_fit": "what is accessible to a hero, and what fits",
    "hero_targets": "what a hero preempts",
    "preemption_config": "whom a PreemptionConfig selects, and when",
    "preemption_limit": "how many preemptions by rules a window allows",
    "protection": "minimum runtimes across ClusterQueues",
    "backoff": "borrowing again after a reclaim",
    "cycle": "what happens when",
    "min_runtime": "minimum runtimes",
}
"""Every module of `tenure.rules` that holds rules, in the order of the list, and what they are about."""
RETIRED = "retired"
NOTHING = "None."
LONG = 20
"""Code of more lines is folded."""
MUTANTS = (
    "A claim is proved for every input by solvers, or refuted with a counterexample. "
    "[Mutants](../proofs/mutants.md) are wrong versions of the rule that some claim must notice."
)
UNLIFTED_TESTS = "tests/tenure/rules/test_unlifted.py"


@dataclass(frozen=True)
class _About:
    """What the pages are made from, beside what is written."""

    report: dict[str, Any]
    claims: Mapping[str, Sequence[str]]
    said: Said
    pictures: Pictures
    views: Views
    findings: Mapping[str, Sequence[Page]]


def rule_pages(
    report: dict[str, Any],
    claims: Mapping[str, Sequence[str]],
    said: Said,
    pictures: Pictures,
    views: Views,
) -> Pages:
    """One page for each rule: first what it says, with an example, and last how it is proved."""
    about = _About(report, claims, said, pictures, views, findings_by_rule(list(findings(ROOT)), vectors()))
    return {f"rules/{page.name}": _written(page, about) for page in pages(ROOT)}


def _written(page: Page, about: _About) -> str:
    if page.id not in rule_functions():
        return linked(page.body)
    return "\n\n".join(part.strip() for part in _parts(page, about)) + "\n"


def _parts(page: Page, about: _About) -> Iterator[str]:
    function = rule_functions()[page.id]
    cases = [vector for vector in vectors() if page.id in vector.data["rules"]]
    yield f"# {page.id}: {page.title}"
    yield in_a_sentence(function)
    yield from _example(page.id, cases, about)
    yield from lesson_of(page.id)
    yield from _section(page, "Rationale", "Why")
    yield from _section(page, "Statement", "Statement")
    yield from _section(page, "Comparisons", "Comparisons")
    yield from _section(page, "Readings", "Readings")
    yield from _section(page, "Edge cases", "Edge cases")
    yield from _section(page, "Source", "Source", str(page.front["source"]))
    yield from _findings(about.findings.get(page.id, []))
    yield from _explanation(about.said.get(page.id, {}))
    yield from _vectors(page.id, cases)
    yield from _code(function)
    yield from _neighbours(page.id, function)
    yield from _proofs(page.id, about)


def in_a_sentence(function: Callable[..., Any]) -> str:
    """What a rule is for, from the first line of its docstring.

    >>> in_a_sentence(rule_functions()["TBP-020"])
    'This rule decides whether a running workload has used up its protected time.'
    """
    first = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
    verb = "gives" if first.startswith(("The ", "A ")) else "decides"
    return f"This rule {verb} {first[:1].lower()}{first[1:]}"


def _example(rule: str, cases: Sequence[Vector], about: _About) -> Iterator[str]:
    """The smallest vector that is about the rule, one with a picture before one without."""
    if not cases:
        yield from _played_example(rule, about)
        return
    smallest = min(
        cases,
        key=lambda vector: (
            vector.id not in about.pictures,
            vector.data["rules"][0] != rule,
            len(json.dumps(vector.data["input"])),
            vector.id,
        ),
    )
    yield f"## An example{UNSEARCHED}"
    said = smallest.data["comment"]
    yield f"{linked(said)} ([vector]({at(smallest.id)}))"
    if smallest.id in about.pictures:
        yield shown(*about.pictures[smallest.id], "picture")


def _played_example(rule: str, about: _About) -> Iterator[str]:
    """The chart of a scenario, for a rule about what happens over time."""
    for name in _played(rule).values():
        readings, path, words = about.views[name][0]
        yield f"## An example{UNSEARCHED}"
        yield f"Under {readings}, [the scenario]({at(name)}):"
        yield shown(path, words, "chart")
        return


def _played(rule: str) -> Mapping[str, str]:
    """The scenarios that exercise a rule, by whether it applies."""
    return exercised_by_plays(ROOT / "spec" / "vectors").get(rule, {})


def _section(page: Page, heading: str, title: str, before: str = "") -> Iterator[str]:
    """A section of the written page; one that only says that there is nothing is left out."""
    text = "\n".join(line.text for line in page.section(heading)).strip()
    if text and text != NOTHING:
        unsearched = UNSEARCHED if heading in ("Comparisons", "Source") else ""
        yield f"## {title}{unsearched}"
        if before:
            yield f"{kueue_link(before)}."
        yield linked(cited(text))


def rule_list() -> Fills:
    """The list of rules."""
    return {RULES: {"rules": "\n\n".join(_rules())}}


def _rules() -> Iterator[str]:
    written = list(pages(ROOT))
    for family, words in FAMILIES.items():
        for area, about in (*AREAS.items(), (RETIRED, RETIRED)):
            rows = [
                [
                    link(page.id),
                    page.title,
                    linked(statement_of(page.id) if page.id in rule_functions() else RETIRED),
                ]
                for page in written
                if page.id.startswith(f"{family}-") and area_of(page.id) == area
            ]
            if rows:
                yield f"## {words}: {about}"
                yield table(["Rule", "Title", "Statement"], rows)
    yield "## Not lifted"
    yield f"The proofs do not reach these; tests stand in for them (`{UNLIFTED_TESTS}`)."
    yield table(["Rule", "Why"], [[link(rule), why] for rule, why in not_lifted().items()])


def area_of(rule: str) -> str:
    """The key of `AREAS` that a rule belongs to.

    Raises:
        ValueError: its module has no area yet.

    >>> area_of("KQ-010")
    'priority'
    """
    function = rule_functions().get(rule)
    if function is None:
        return RETIRED
    module = function.__module__.rpartition(".")[2]
    if module not in AREAS:
        raise ValueError(f"{rule} is in {function.__module__}, which has no area in docs/gen/rules.py")
    return module


def _explanation(said: dict[bool, tuple[str, str]]) -> Iterator[str]:
    """What `tenure decide --verbose` says of the rule, in the words of a vector's explanation."""
    if not said:
        return
    yield f"## In an explanation{UNSEARCHED}"
    yield "What `tenure decide --verbose` says of it, for example:"
    rows = [
        [words, said[holds][0], f"[vector]({at(said[holds][1])})"]
        for holds, words in ((True, "yes"), (False, "no"))
        if holds in said
    ]
    yield table(["It applies", "In words", "Where"], rows)


def _findings(named: Sequence[Page]) -> Iterator[str]:
    if named:
        yield f"## Findings{UNSEARCHED}"
        yield "\n".join(f"- {link(page.id)}: {page.title}" for page in named)


def _code(function: Callable[..., Any]) -> Iterator[str]:
    yield f"## Code{UNSEARCHED}"
    place = file_link(place_of(function), inspect.getsourcelines(function)[1])
    text = source_of(function, docstring=False)
    lines = text.count("\n") + 1
    yield f"{place}, without the docstring, which quotes the statement."
    yield folded(f"{lines} lines", [code("python", text)]) if lines > LONG else code("python", text)


def _neighbours(rule: str, function: Callable[..., Any]) -> Iterator[str]:
    uses, used_by = neighbours(function)
    for words, others in (("Uses", uses), ("Used by", used_by)):
        if others:
            yield f"{words} {', '.join(link(other) for other in others if other != rule)}."


def _proofs(rule: str, about: _About) -> Iterator[str]:
    """What is proved of the rule: the claims that are explained here, and where the others are."""
    yield f"## Proofs{UNSEARCHED}"
    why_not = not_lifted().get(rule)
    if why_not is not None:
        yield (
            f"No lifter turns this rule into a formula, because {why_not}. Tests stand in for the "
            f"proof (`{UNLIFTED_TESTS}`)."
        )
    else:
        concerned = [item for item in about.report["obligations"] if rule in item["rules"]]
        several = "obligations name this rule" if len(concerned) > 1 else "obligation names this rule"
        yield f"{len(concerned) or 'No'} {several}{_mutants(rule, about.report)}. {MUTANTS}"
        yield from _elsewhere(rule, concerned, about.report["readings"])
    yield from about.claims.get(places()[rule], ())


def _elsewhere(rule: str, concerned: Sequence[dict[str, Any]], readings: Sequence[str]) -> Iterator[str]:
    rows = [
        [
            link(item["id"]),
            sentence(item["claim"]),
            *(verdict(item["verdicts"][reading]["verdict"]) for reading in readings),
        ]
        for item in concerned
        if places()[item["id"]].partition("#")[0] != places()[rule]
    ]
    if rows:
        yield folded(f"Claims on other pages: {len(rows)}", [table(["Obligation", "Claim", *readings], rows)])


def _mutants(rule: str, report: dict[str, Any]) -> str:
    mine = [item["outcome"] for item in report["mutants"] if item["rule"] == rule]
    equivalent = mine.count("equivalent")
    also = f", {equivalent} proved equivalent" if equivalent else ""
    return f"; of {len(mine)} mutants {mine.count('killed')} are killed{also}" if mine else ""


def _vectors(rule: str, cases: Sequence[Vector]) -> Iterator[str]:
    played = _played(rule)
    if cases or played:
        yield f"## Vectors{UNSEARCHED}"
    if played:
        yield "A play exercises this rule. Scenarios are played in place of vectors:"
        yield "\n".join(f"- {said}: {link(f'scenario {played[said]}')}" for said in played)
    for said, words in (("accept", "The rule applies"), ("reject", "The rule does not apply")):
        rows = [
            [link(vector.id), vector.data["comment"]] for vector in cases if vector.data["verdict"] == said
        ]
        if rows:
            yield folded(f"{words}: {len(rows)} of {len(cases)}", [table(["Vector", "What decides"], rows)])

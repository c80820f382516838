"""One page for each rule, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from docs.gen.explained import Said
from docs.gen.markdown import Fills, Pages, Places, code, link, linked, relative, sentence, table, verdict
from docs.gen.sources import ROOT, place_of, vectors
from tenure.apps.lookup.code import neighbours, not_lifted, rule_functions, source_of
from tenure.apps.lookup.stated import findings_by_rule
from tenure.conformance.vectors import Vector, exercised_by_plays
from tenure.pages import FAMILIES, Page
from tenure_proofs.report import statement_of
from tools.lints.pages import findings, pages

RULES = "rules/index.md"
AREAS = {
    "amounts": "amounts",
    "quota": "quota in the tree",
    "flavors": "flavors",
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
    "cycle": "what happens when",
    "min_runtime": "minimum runtimes",
}
"""Every module of `tenure.rules` that holds rules, in the order of the list, and what they are about."""
RETIRED = "retired"
UNLIFTED_TESTS = "tests/unit/rules/test_unlifted.py"


def rule_pages(report: dict[str, Any], places: Places, said: Said) -> Pages:
    """One page for each rule."""
    cases = vectors()
    named = findings_by_rule(list(findings(ROOT)), cases)
    made: Pages = {}
    for page in pages(ROOT):
        here = f"rules/{page.name}"
        parts = [
            _rule_page(page, report, cases, places),
            *_explanation(said.get(page.id, {}), places, here),
            *_findings(named.get(page.id, []), places, here),
        ]
        made[here] = "\n\n".join(part.strip() for part in parts) + "\n"
    return made


def rule_list(places: Places) -> Fills:
    """The list of rules."""
    return {RULES: {"rules": "\n\n".join(_rules(places))}}


def _rules(places: Places) -> Iterator[str]:
    written = list(pages(ROOT))
    for family, words in FAMILIES.items():
        for area, about in (*AREAS.items(), (RETIRED, RETIRED)):
            rows = [
                [link(page.id, places, RULES), page.title, linked(_statement(page), places, RULES)]
                for page in written
                if page.id.startswith(f"{family}-") and area_of(page.id) == area
            ]
            if rows:
                yield f"## {words}: {about}"
                yield table(["Rule", "Title", "Statement"], rows)
    yield "## Not lifted"
    yield f"The proofs do not reach these; tests stand in for them (`{UNLIFTED_TESTS}`)."
    yield table(["Rule", "Why"], [[link(rule, places, RULES), why] for rule, why in not_lifted().items()])


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


def _statement(page: Page) -> str:
    if page.id not in rule_functions():
        return str(page.front.get("status", ""))
    return statement_of(page.id)


def _rule_page(page: Page, report: dict[str, Any], cases: Sequence[Vector], places: Places) -> str:
    here = f"rules/{page.name}"
    parts = [linked(page.body, places, here)]
    function = rule_functions().get(page.id)
    if function is not None:
        parts += [*_code(function), *_neighbours(page.id, function, places, here)]
    parts += [*_obligations(page.id, report, places, here), *_vectors(page.id, cases, places, here)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _explanation(said: dict[bool, tuple[str, str]], places: Places, here: str) -> Iterator[str]:
    """What `tenure explain` says of the rule, in the words of a vector's explanation."""
    if not said:
        return
    yield "## Explanation"
    yield "What `tenure decide --explain` says of it, for example:"
    rows = [
        [words, said[holds][0], f"[vector]({relative(places[said[holds][1]], here)})"]
        for holds, words in ((True, "yes"), (False, "no"))
        if holds in said
    ]
    yield table(["It applies", "In words", "Where"], rows)


def _findings(named: Sequence[Page], places: Places, here: str) -> Iterator[str]:
    if named:
        yield "## Findings"
        yield "\n".join(f"- {link(page.id, places, here)}: {page.title}" for page in named)


def _code(function: Callable[..., Any]) -> Iterator[str]:
    yield "## Code"
    yield f"`{place_of(function)}`, without the docstring, which quotes the statement."
    yield code("python", source_of(function, docstring=False))


def _neighbours(rule: str, function: Callable[..., Any], places: Places, here: str) -> Iterator[str]:
    uses, used_by = neighbours(function)
    for words, others in (("Uses", uses), ("Used by", used_by)):
        if others:
            yield f"{words} {', '.join(link(other, places, here) for other in others if other != rule)}."


def _obligations(rule: str, report: dict[str, Any], places: Places, here: str) -> Iterator[str]:
    concerned = [item for item in report["obligations"] if rule in item["rules"]]
    yield "## Obligations"
    rows = [
        [
            link(item["id"], places, here),
            sentence(item["claim"]),
            *(verdict(item["verdicts"][reading]["verdict"]) for reading in report["readings"]),
        ]
        for item in concerned
    ]
    why_not = not_lifted().get(rule)
    if why_not is not None:
        yield (
            f"None: no lifter turns this rule into a formula, because {why_not}. Tests stand in for the "
            f"proof (`{UNLIFTED_TESTS}`)."
        )
    else:
        yield table(["Obligation", "Claim", *report["readings"]], rows) if rows else "None names this rule."
    mine = [item["outcome"] for item in report["mutants"] if item["rule"] == rule]
    if mine:
        counts = f"{len(mine)} made, {mine.count('killed')} killed"
        equivalent = mine.count("equivalent")
        also = f", {equivalent} proved equivalent to the rule" if equivalent else ""
        yield f"[Mutants](../proofs/mutants.md) of this rule: {counts}{also}."


def _vectors(rule: str, published: Sequence[Vector], places: Places, here: str) -> Iterator[str]:
    yield "## Vectors"
    cases = [vector for vector in published if rule in vector.data["rules"]]
    played = exercised_by_plays(ROOT / "spec" / "vectors").get(rule, {})
    if not cases and not played:
        yield "None yet."
    if played:
        yield "A play exercises this rule. Scenarios are played in place of vectors:"
        yield "\n".join(f"- {said}: {link(f'scenario {played[said]}', places, here)}" for said in played)
    for said, words in (("accept", "The rule applies"), ("reject", "The rule does not apply")):
        rows = [
            [link(vector.id, places, here), vector.data["comment"]]
            for vector in cases
            if vector.data["verdict"] == said
        ]
        if rows:
            yield table([words, "What decides"], rows)

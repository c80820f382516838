"""Cards of the published policies, and of the fields that their findings are about."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from tenure.pages import Page, family_of
from tenure.readings import readings_file
from tenure.reference.statements import StatedObligation, finding_pages, obligations, rule_pages
from tenure.resources import bundled

_SEVERITIES: Final = ("high", "medium", "low")


@cache
def proposals() -> Mapping[str, Mapping[str, Any]]:
    """The published policies, as `spec/proposals.toml` has them, by identifier.

    >>> list(proposals())
    ['KEP-8522', 'KEP-8826', 'KEP-754', 'KEP-13396', 'KEP-9876', 'KEP-14468', 'KAI']
    """
    return tomllib.loads(bundled("spec", "proposals.toml").read_text(encoding="utf-8"))


@cache
def fields() -> Mapping[str, tuple[Page, ...]]:
    """The fields that findings are about, by name, each with its findings, the gravest first."""
    named: dict[str, list[Page]] = {}
    for page in finding_pages().values():
        named.setdefault(page.front["field"], []).append(page)
    return {name: tuple(gravest_first(pages)) for name, pages in sorted(named.items())}


def field_title(name: str) -> str:
    """What there is about a field, in a line.

    >>> field_title("uberClusterQueueRules")
    'a field that 14 findings are about'
    """
    count = len(fields()[name])
    return f"a field that {f'{count} findings are' if count > 1 else 'one finding is'} about"


def claims_of(proposal: str) -> tuple[list[StatedObligation], list[StatedObligation]]:
    """The claims about a proposal: those that some reading refutes, its headline first; and the others."""
    family = proposals()[proposal]["family"]
    about = [stated for stated in obligations().values() if family_of(stated.id) == family]
    about.sort(key=lambda stated: not stated.title)
    refuted = [stated for stated in about if "refuted" in stated.expected.values()]
    return refuted, [stated for stated in about if "refuted" not in stated.expected.values()]


def findings_of(proposal: str) -> list[Page]:
    """The findings in a proposal, the gravest first."""
    return gravest_first(page for page in finding_pages().values() if _is_about(page.front, proposal))


def gravest_first(pages: Iterable[Page]) -> list[Page]:
    """Findings by severity, high first, those of one severity in the order of their identifiers."""
    return sorted(pages, key=lambda page: (_SEVERITIES.index(page.front["severity"]), page.id))


def counterexamples_of(pages: Iterable[Page]) -> Iterator[str]:
    """The first test case of each finding: what goes wrong, as small as the solvers or a person made it."""
    yield from (page.front["vectors"][0] for page in pages if page.front.get("vectors"))


def readings_of(proposal: str) -> Iterator[tuple[str, str]]:
    """The places where a proposal can be read in several ways, each with its question."""
    for key, entry in readings_file()["keys"].items():
        if _is_about(entry, proposal):
            yield key, entry["question"]


def rules_naming(field: str) -> Iterator[Page]:
    """The rules whose page names a field."""
    word = re.compile(rf"(?<!\w){re.escape(field)}(?!\w)")
    return (page for page in rule_pages().values() if word.search(page.body))


def _is_about(stated: Mapping[str, Any], proposal: str) -> bool:
    return re.match(rf"{proposal}(?!\d)", str(stated.get("source", ""))) is not None

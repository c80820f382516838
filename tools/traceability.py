"""`python -m tools.traceability [--root DIR] [--write]`: every sentence of a source, and what stands for it.

A sentence is said by rules; a rule has a function, obligations, vectors and a page. `spec/traceability.txt`
records each of these links in a line. What is missing is named, and so is a link that is no longer there or
not recorded; `--write` records those that there are. The tree is read as text; obligations are imported.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tenure.pages import Page
from tenure_proofs.obligations import OBLIGATIONS
from tools.accounts import CoveragePage, Entry, coverage_pages
from tools.lints.known import played_rules, vector_files
from tools.lints.pages import pages
from tools.lints.quotes import quotes_of
from tools.lints.source import RuleFunction, rule_functions
from tools.sentences import fingerprint

RECORD = Path("spec/traceability.txt")
VERDICTS = ("accept", "reject")


@dataclass(frozen=True, slots=True)
class TracedRule:
    """A rule, and what stands for it.

    Args:
        id: `TBP-020`.
        page: its page; None where there is none.
        function: the function that registers it; None where there is none.
        obligations: those that name it.
        vectors: those that exercise it, by verdict.
    """

    id: str
    page: Page | None
    function: RuleFunction | None
    obligations: tuple[str, ...]
    vectors: Mapping[str, tuple[str, ...]]

    @property
    def retired(self) -> bool:
        """Whether the rule is one no longer."""
        return self.page is not None and self.page.front.get("status") == "retired"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: a sentence, and a rule that says it.

    Args:
        source: the page that accounts for the sentence; None for a rule whose source has no sentences.
        entry: the sentence.
        rule: the rule.
    """

    source: CoveragePage | None
    entry: Entry | None
    rule: TracedRule


def rows(root: Path) -> Iterator[Row]:
    """The table: the sentences in their order, then the rules that no sentence names.

    Args:
        root: of the tree.
    """
    rules, named = traced_rules(root), set()
    for page in coverage_pages(root):
        for entry, rule in _sentences_of(page):
            named.add(rule)
            yield Row(page, entry, rules.get(rule, TracedRule(rule, None, None, (), {})))
    for identifier, traced in rules.items():
        if identifier not in named and not traced.retired:
            yield Row(None, None, traced)


def traced_rules(root: Path) -> dict[str, TracedRule]:
    """Every rule that has a page or a function."""
    written = {page.id: page for page in pages(root)}
    functions = {function.id: function for function in rule_functions(root)}
    obligations, vectors = _obligations(), _vectors(root)
    return {
        identifier: TracedRule(
            identifier,
            written.get(identifier),
            functions.get(identifier),
            tuple(sorted(name for name, rules in obligations.items() if identifier in rules)),
            {
                verdict: tuple(
                    vector["id"]
                    for vector in vectors
                    if identifier in vector["rules"] and vector["verdict"] == verdict
                )
                for verdict in VERDICTS
            },
        )
        for identifier in sorted(written.keys() | functions.keys())
    }


def links(root: Path) -> set[str]:
    """Every link of the table in words, as the record has it."""
    made = {
        f"sentence {entry.id} {fingerprint(entry.sentence.text)} is rule {rule}"
        for page in coverage_pages(root)
        for entry, rule in _sentences_of(page)
    }
    made |= {f"rule {rule_function.id} is {rule_function.dotted}" for rule_function in rule_functions(root)}
    made |= {f"obligation {name} is about {', '.join(rules)}" for name, rules in _obligations().items()}
    made |= {
        f"vector {vector['id']} is to {vector['verdict']} {', '.join(vector['rules'])}"
        for vector in _vectors(root)
    }
    return made


def missing(root: Path) -> Iterator[str]:
    """What is not there, by name, beside what `tools.lints` looks for: pages, functions, sentences.

    Args:
        root: of the tree.
    """
    for traced in traced_rules(root).values():
        if not traced.retired:
            yield from _missing_of(traced)
    yield from _quoted_wrongly(root)
    path = root / RECORD
    recorded = set(path.read_text(encoding="utf-8").splitlines()) if path.exists() else set()
    there = links(root)
    yield from (f"recorded, and no longer there: {link}" for link in sorted(recorded - there))
    yield from (f"not recorded: {link}" for link in sorted(there - recorded))


def _missing_of(traced: TracedRule) -> Iterator[str]:
    if traced.function is not None and traced.function.lifted and not traced.obligations:
        yield f"rule {traced.id} has no obligation"
    for verdict in VERDICTS:
        if not traced.vectors[verdict]:
            yield f"rule {traced.id} has no vector to {verdict}"


def _quoted_wrongly(root: Path) -> Iterator[str]:
    """Quotes of a source that its page of coverage does not have; so the sources need not be there."""
    told = {
        str(page.front.get("source")): _letters(" ".join(entry.sentence.text for entry in page.entries))
        for page in coverage_pages(root)
    }
    for page in pages(root):
        for quote in quotes_of(page):
            if quote.file in told and _letters(quote.text) not in told[quote.file]:
                yield f'rule {page.id}: {quote.file} does not say "{quote.text}"'


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


def _sentences_of(page: CoveragePage) -> Iterator[tuple[Entry, str]]:
    for entry in page.entries:
        for kind, name in entry.references():
            if kind == "rule":
                yield entry, name


def _obligations() -> dict[str, tuple[str, ...]]:
    """The rules that every obligation names; their lists are made by code, so they are not read as text."""
    return {name: tuple(obligation.rules) for name, obligation in OBLIGATIONS.items()}


def _vectors(root: Path) -> list[dict[str, Any]]:
    """Every vector; and every scenario that exercises a rule of a play, as if it were one."""
    played = [
        {"id": f"scenario {scenario}", "verdict": verdict, "rules": [identifier]}
        for identifier, by_verdict in played_rules(root).items()
        for verdict, scenario in by_verdict.items()
    ]
    return [*(vector for _, vectors in vector_files(root) for vector in vectors), *played]


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.traceability", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(), help="the tree (default: here)")
    parser.add_argument("--write", action="store_true", help=f"record the links in {RECORD}")
    asked = parser.parse_args(arguments)
    root: Path = asked.root
    if asked.write:
        (root / RECORD).write_text("\n".join(sorted(links(root))) + "\n", encoding="utf-8")
    found = list(missing(root))
    for name in found:
        print(name)
    table = list(rows(root))
    print(
        f"traceability: {len(table)} rows, {len({row.rule.id for row in table})} rules, {len(found)} missing"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

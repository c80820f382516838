"""A card for each identifier, made of what rules, pages, obligations, vectors and readings say themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from tenure.conformance.divergences import Divergence, all_divergences
from tenure.conformance.vectors import Vector, load_vectors
from tenure.errors import bad_input
from tenure.manifests import did_you_mean
from tenure.manifests.showing import ONE_NAME
from tenure.pages import Page, address_of, family_of
from tenure.readings import preset_names, readings_file
from tenure.reference.answer_types import (
    Card,
    CardList,
    ExpectedVerdict,
    IdentifierKind,
    ListedIdentifier,
    Related,
    Section,
)
from tenure.reference.case_sentences import case_sentences
from tenure.reference.proposals import (
    claims_of,
    counterexamples_of,
    field_title,
    fields,
    findings_of,
    proposals,
    readings_of,
    rules_naming,
)
from tenure.reference.source_code import neighbours, not_lifted, rule_functions, source_of
from tenure.reference.statements import (
    StatedObligation,
    finding_pages,
    findings_by_rule,
    obligations,
    rule_pages,
    theorems,
)

_STATEMENT: Final = "Statement"
_LEAST_WORD: Final = 10
"""Characters of a word that is looked for in the entries of proposals: names of kinds and gates have more."""
_WORDS: Final = {"accept": "Vectors in which it applies", "reject": "Vectors in which it does not apply"}


@cache
def identifiers() -> CardList:
    """Everything that can be looked up.

    >>> identifiers().identifiers[0].id
    'CYC-010'
    """
    return CardList(tuple(_listed(_TITLES)))


def card_of(identifier: str) -> Card:
    """The entry of an identifier.

    Args:
        identifier: of a rule, a finding, an obligation, a theorem, a reading's key, a preset, a vector, a
            divergence or a proposal, or the name of a field; case does not matter.

    Raises:
        InputError: there is none of this name.

    >>> card_of("kq-010").kind.value
    'rule'
    """
    found = next((entry for entry in entries_of(identifier) if entry.id.lower() == identifier.lower()), None)
    if found is None:
        # Keys of readings and presets are small letters, all others begin with capital ones.
        spelt = identifier if any(character in identifier for character in "_/") else identifier.upper()
        hint = _of_proposal(identifier) or did_you_mean(
            spelt, [entry.id for entry in identifiers().identifiers], ONE_NAME
        )
        expected = (
            "a proposal (KEP-8522), a field, or the identifier of a rule, a finding, a claim, a reading, "
            f"a vector or a divergence, as `tenure show` lists them{hint}"
        )
        raise bad_input("ID", identifier, expected)
    return _MADE[found.kind](found.id)


def entries_of(beginning: str) -> Iterator[ListedIdentifier]:
    """The entries of all kinds that have identifiers with such a beginning; no others are read.

    >>> [entry.id for entry in entries_of("KQ-32") if entry.id.startswith("KQ-32")]
    ['KQ-320']
    """
    return _listed(kind for kind in _TITLES if kind not in _FORMS or _FORMS[kind].match(beginning))


def _listed(kinds: Iterable[IdentifierKind]) -> Iterator[ListedIdentifier]:
    for kind in kinds:
        yield from (ListedIdentifier(name, kind, title) for name, title in _TITLES[kind]().items())


def _of_proposal(word: str) -> str:
    """The proposal whose entry has a word, such as the name of a kind or a feature gate; else empty."""
    named = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE)
    for name, stated in proposals().items():
        if len(word) >= _LEAST_WORD and named.search(f"{stated['title']} {stated['status']}"):
            return f"; see {name}, {stated['title']}"
    return ""


@cache
def _vectors() -> tuple[Vector, ...]:
    return load_vectors(checked=False)  # Tests check the published ones.


def _preset_titles() -> Mapping[str, str]:
    return {name: readings_file()["presets"][name]["summary"] for name in preset_names()}


_TITLES: Final[Mapping[IdentifierKind, Callable[[], Mapping[str, str]]]] = {
    IdentifierKind.RULE: lambda: {page.id: page.title for page in rule_pages().values()},
    IdentifierKind.FINDING: lambda: {page.id: page.title for page in finding_pages().values()},
    IdentifierKind.OBLIGATION: lambda: {
        stated.id: stated.title or stated.claim for stated in obligations().values()
    },
    IdentifierKind.THEOREM: lambda: {stated.id: stated.claim for stated in theorems().values()},
    IdentifierKind.READING: lambda: {
        key: entry["question"] for key, entry in readings_file()["keys"].items()
    },
    IdentifierKind.PRESET: _preset_titles,
    IdentifierKind.VECTOR: lambda: {vector.id: vector.data["comment"] for vector in _vectors()},
    IdentifierKind.DIVERGENCE: lambda: {entry.id: entry.title for entry in all_divergences()},
    IdentifierKind.PROPOSAL: lambda: {name: stated["title"] for name, stated in proposals().items()},
    IdentifierKind.FIELD: lambda: {name: field_title(name) for name in fields()},
}
"""By kind: the title of each identifier."""

_CLAIM: Final = re.compile("(PO?)?$|PO-", re.IGNORECASE)
_FORMS: Final = {
    IdentifierKind.OBLIGATION: _CLAIM,
    IdentifierKind.THEOREM: _CLAIM,
    IdentifierKind.VECTOR: re.compile(".*/"),
}
"""What an identifier of a kind begins with, for those whose titles take a while to read."""


def _rule(identifier: str) -> Card:
    page = rule_pages()[identifier]
    function = rule_functions().get(identifier)
    sections = [_section(page, heading) for heading in (_STATEMENT, "Rationale", "Edge cases", "Readings")]
    related: list[Related] = []
    if function is not None:
        sections.append(Section("Code", source_of(function, docstring=False)))
        for relation, others in zip(("Uses", "Used by"), neighbours(function), strict=True):
            related += [_to_rule(relation, other) for other in others if other != identifier]
    if identifier in not_lifted():
        because = f"None: no lifter turns this rule into a formula, because {not_lifted()[identifier]}."
        sections.append(Section("Obligations", because))
    related += _concerned(identifier)
    named = _findings_by_rule().get(identifier, ())
    related += [Related("Findings", finding.id, finding.title) for finding in named]
    file = page.path if function is None else f"{function.__module__.replace('.', '/')}.py"
    return _of_page(page, IdentifierKind.RULE, sections, related, file=file)


@cache
def _findings_by_rule() -> Mapping[str, Sequence[Page]]:
    return findings_by_rule(list(finding_pages().values()), _vectors())


def _concerned(rule: str) -> Iterator[Related]:
    """The obligations of a rule, those of its own family first, and its vectors."""
    concerned = [stated for stated in obligations(rule).values() if rule in stated.rules]
    concerned.sort(key=lambda stated: family_of(stated.id) != family_of(rule))
    yield from map(_to_obligation, concerned)
    for verdict, words in _WORDS.items():
        for vector in _vectors():
            if rule in vector.data["rules"] and vector.data["verdict"] == verdict:
                yield Related(words, vector.id, vector.data["comment"])


def _finding(identifier: str) -> Card:
    page = finding_pages()[identifier]
    headings = [heading for level, heading in page.headings if level == 2]
    front = page.front
    key = front.get("reading")
    related = [
        *([Related("Reading", key, readings_file()["keys"][key]["question"])] if key else []),
        *(
            _to_obligation(obligations()[name])
            for name in front.get("obligations", ())
            if name in obligations()
        ),
        *_to_vectors("Vectors", front.get("vectors", ())),
    ]
    replay = [
        *(f"tenure simulate --scenario {name} --all-readings" for name in front.get("scenarios", ())),
        *(f"tenure vectors run {name} --verbose" for name in front.get("vectors", ())),
        *(f"tenure prove --only {name} --no-mutants" for name in front.get("obligations", ())),
    ]
    sections = [_section(page, heading) for heading in headings]
    return _of_page(page, IdentifierKind.FINDING, sections, related, file=page.path, replay=replay)


def _of_page(
    page: Page,
    kind: IdentifierKind,
    sections: Iterable[Section],
    related: Iterable[Related],
    *,
    file: str,
    replay: Iterable[str] = (),
) -> Card:
    return Card(
        id=page.id,
        kind=kind,
        title=page.title,
        source=str(page.front.get("source", "")),
        file=file,
        address=address_of(page.id),
        expected=(),
        sections=tuple(section for section in sections if section.text not in ("", "None.")),
        related=tuple(related),
        replay=tuple(replay),
    )


def _obligation(identifier: str) -> Card:
    stated = obligations()[identifier]
    named = [page for page in finding_pages().values() if identifier in page.front.get("obligations", ())]
    return Card(
        id=identifier,
        kind=IdentifierKind.OBLIGATION,
        title=stated.title or stated.claim,
        source=stated.source,
        file=f"{stated.file}:{stated.line}",
        address=address_of(identifier),
        expected=_expected(stated),
        sections=(
            Section("Claim", f"{stated.claim[:1].upper()}{stated.claim[1:]}."),
            *_example_of(stated, named),
            Section("Code", stated.code),
        ),
        related=(
            *(_to_rule("Rules", rule) for rule in stated.rules),
            *(Related("Findings", page.id, page.title) for page in named),
        ),
        replay=(f"tenure prove --only {identifier} --no-mutants",),
    )


def _example_of(stated: StatedObligation, findings: Sequence[Page]) -> Iterator[Section]:
    """The first test case of its findings under a reading that refutes it, in sentences."""
    cases = {vector.id: vector.data for vector in _vectors()}
    named = ((page, cases[name]) for page in findings for name in page.front.get("vectors", ()))
    for page, case in named:
        reading = case["reading"]
        if isinstance(reading, str) and stated.expected.get(reading) == "refuted":
            is_its_own = f"counterexample of {stated.id}" in case["comment"]
            what = "Smallest counterexample" if is_its_own else f"An example of {page.id}"
            yield Section(f"{what}, under {reading}", _story(case))
            return


def _story(case: Mapping[str, Any]) -> str:
    return "\n".join(f"- {line}" for line in case_sentences(case))


def _theorem(identifier: str) -> Card:
    stated = theorems()[identifier]
    return Card(
        id=identifier,
        kind=IdentifierKind.THEOREM,
        title=stated.claim,
        source="",
        file=f"{stated.file}:{stated.line}",
        address=address_of(identifier),
        expected=(),
        sections=(
            Section("Claim", stated.text),
            Section("Of", stated.size),
            Section("Read from the source", "\n".join(f"- `{name}`" for name in stated.about)),
            Section("Code", stated.code),
        ),
        related=(),
        replay=(f"tenure prove --only {identifier} --no-mutants", f"tenure prove --why {identifier}"),
    )


def _reading(key: str) -> Card:
    data = readings_file()
    entry = data["keys"][key]
    choices = [f"- `{choice}`: {meaning}" for choice, meaning in entry["choices"].items()]
    presets = [f"- `{name}`: {data['presets'][name][key]}" for name in preset_names()]
    rules = (page.id for page in rule_pages().values() if key in page.front.get("readings", ()))
    findings = (page for page in finding_pages().values() if page.front.get("reading") == key)
    return _plain(
        key,
        IdentifierKind.READING,
        entry["question"],
        source=entry["source"],
        file="spec/readings.toml",
        sections=[("Choices", "\n".join(choices)), ("What each reading chooses", "\n".join(presets))],
        related=[
            *(_to_rule("Rules", rule) for rule in rules),
            *(Related("Findings", page.id, page.title) for page in findings),
        ],
    )


def _preset(name: str) -> Card:
    data = readings_file()
    chosen = data["presets"][name]
    choices = [f"- `{key}`: {chosen[key]}" for key in data["keys"]]
    return _plain(
        name,
        IdentifierKind.PRESET,
        chosen["summary"],
        source="",
        file="spec/readings.toml",
        sections=[("Choices", "\n".join(choices))],
        related=[Related("Keys", key, entry["question"]) for key, entry in data["keys"].items()],
    )


def _vector(identifier: str) -> Card:
    vector = next(vector for vector in _vectors() if vector.id == identifier)
    data = vector.data
    reading = data["reading"] if isinstance(data["reading"], str) else json.dumps(data["reading"])
    flags = "\n".join(f"- {flag}: {vector.flags[flag]}" for flag in data["flags"])
    findings = (page for page in finding_pages().values() if identifier in page.front.get("vectors", ()))
    return _plain(
        identifier,
        IdentifierKind.VECTOR,
        data["comment"],
        source="",
        file=f"spec/vectors/{vector.file.name}",
        sections=[
            ("Verdict", f"{data['verdict']}, under the reading {reading}"),
            ("Why such a case exists", flags),
            (f"Input of {data['call']}", _pretty(data["input"])),
            ("Expected", _pretty(data["expect"])),
        ],
        related=[
            *(_to_rule("Rules", rule) for rule in data["rules"]),
            *(Related("Findings", page.id, page.title) for page in findings),
        ],
        replay=[f"tenure vectors run {identifier} --verbose"],
    )


def _divergence(identifier: str) -> Card:
    found: Divergence = next(entry for entry in all_divergences() if entry.id == identifier)
    releases = "every release compared" if found.versions == ("*",) else ", ".join(found.versions)
    return _plain(
        identifier,
        IdentifierKind.DIVERGENCE,
        found.title,
        source=f"{found.scheduler}, {releases}",
        file="spec/divergences.toml",
        sections=[
            ("Of which scenarios it speaks", found.when),
            ("What it predicts", found.predicts),
            ("Why", found.reason),
        ],
        related=[],
    )


def _proposal(identifier: str) -> Card:
    stated = proposals()[identifier]
    findings = findings_of(identifier)
    refuted, proved = claims_of(identifier)
    return _plain(
        identifier,
        IdentifierKind.PROPOSAL,
        stated["title"],
        source=stated["thread"],
        file="spec/proposals.toml",
        sections=[
            ("Status upstream", stated["status"]),
            ("Why its claims matter", stated["why"]),
            *_gravest(findings),
            *_side_by_side(identifier, refuted),
        ],
        related=[
            *_to_claims("Claims that a reading refutes", refuted),
            *_to_claims("Claims that every reading proves", proved),
            *map(_to_finding, findings),
            *_to_vectors("Counterexamples", counterexamples_of(findings)),
            *(Related("Readings", key, question) for key, question in readings_of(identifier)),
        ],
        replay=[f"tenure prove --only PO-{stated['family']} --no-mutants", *_replayed(findings)],
    )


def _side_by_side(proposal: str, refuted: Sequence[StatedObligation]) -> Iterator[tuple[str, str]]:
    """What each reading chooses where the proposal is ambiguous, and what becomes of its headline claims."""
    data, presets = readings_file(), preset_names()
    rows = [
        [f"`{key}`", *(str(data["presets"][name][key]) for name in presets)]
        for key, _ in readings_of(proposal)
    ]
    headline = [claim for claim in refuted if claim.title]
    rows += [
        [f"{claim.title} ({claim.id})", *(claim.expected[name] for name in presets)] for claim in headline
    ]
    if rows:
        heads = ["choice or claim", *presets]
        yield "Readings side by side", "\n".join(_table_lines([heads, ["---"] * len(heads), *rows]))


def _table_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A Markdown table whose columns are aligned, so that it can be read as text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"| {' | '.join(cells)} |"


def _field(name: str) -> Card:
    findings = fields()[name]
    return _plain(
        name,
        IdentifierKind.FIELD,
        field_title(name),
        source="",
        file="spec/findings",
        sections=_gravest(findings),
        related=[
            *map(_to_finding, findings),
            *(_to_rule("Rules", page.id) for page in rules_naming(name)),
            *_to_vectors("Counterexamples", counterexamples_of(findings)),
        ],
        replay=_replayed(findings),
    )


def _gravest(findings: Sequence[Page]) -> Iterator[tuple[str, str]]:
    """The gravest finding, and its smallest test case in sentences; nothing where there is none."""
    if not findings:
        return
    first = findings[0]
    actual = first.front.get("actual")
    yield "The gravest finding", f"{first.id}, {first.title}" + (f": {actual}" if actual else "")
    for name in first.front.get("vectors", ())[:1]:
        case = next(vector.data for vector in _vectors() if vector.id == name)
        reading = case["reading"]
        yield (
            "Its smallest counterexample" + (f", under {reading}" if isinstance(reading, str) else ""),
            _story(case),
        )


def _to_claims(relation: str, claims: Iterable[StatedObligation]) -> Iterator[Related]:
    return (replace(_to_obligation(claim), relation=relation) for claim in claims)


def _to_finding(page: Page) -> Related:
    return Related("Findings", page.id, f"{page.title} ({page.front['severity']})")


def _replayed(findings: Iterable[Page]) -> list[str]:
    """The command that runs the gravest finding's counterexample."""
    return [f"tenure vectors run {name} --verbose" for name in counterexamples_of(findings)][:1]


def _plain(
    identifier: str,
    kind: IdentifierKind,
    title: str,
    *,
    source: str,
    file: str,
    sections: Iterable[tuple[str, str]],
    related: Iterable[Related],
    replay: Iterable[str] = (),
) -> Card:
    address = address_of(identifier) if kind == IdentifierKind.DIVERGENCE else None
    parts = tuple(Section(heading, text) for heading, text in sections if text)
    return Card(identifier, kind, title, source, file, address, (), parts, tuple(related), tuple(replay))


_MADE: Final[dict[IdentifierKind, Callable[[str], Card]]] = {
    IdentifierKind.RULE: _rule,
    IdentifierKind.FINDING: _finding,
    IdentifierKind.OBLIGATION: _obligation,
    IdentifierKind.THEOREM: _theorem,
    IdentifierKind.READING: _reading,
    IdentifierKind.PRESET: _preset,
    IdentifierKind.VECTOR: _vector,
    IdentifierKind.DIVERGENCE: _divergence,
    IdentifierKind.PROPOSAL: _proposal,
    IdentifierKind.FIELD: _field,
}


def _section(page: Page, heading: str) -> Section:
    return Section(heading, "\n".join(line.text for line in page.section(heading)).strip())


def _to_rule(relation: str, rule: str) -> Related:
    return Related(relation, rule, rule_pages()[rule].title)


def _to_obligation(stated: StatedObligation) -> Related:
    return Related("Obligations", stated.id, stated.claim, _expected(stated))


def _to_vectors(relation: str, names: Iterable[str]) -> Iterator[Related]:
    comments = {vector.id: vector.data["comment"] for vector in _vectors()}
    return (Related(relation, name, comments[name]) for name in names if name in comments)


def _expected(stated: StatedObligation) -> tuple[ExpectedVerdict, ...]:
    return tuple(ExpectedVerdict(reading, verdict) for reading, verdict in stated.expected.items())


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)

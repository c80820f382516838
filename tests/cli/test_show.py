"""`tenure show`: every identifier can be looked up, and says what its own source says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure.conformance.divergences import all_divergences
from tenure.pages import SITE, address_of
from tenure.readings import preset_names, readings_file
from tenure.reference import Card, IdentifierKind, card_of, entries_of, identifiers
from tenure.reference.answer_types import ExpectedVerdict, ListedIdentifier
from tenure.reference.statements import finding_pages, obligations, theorems
from tenure.reports import Report, RuleText
from tenure.reports.forms import to_sarif
from tenure.rules.registry import all_rules
from tenure_proofs.obligations import OBLIGATIONS, claim_text
from tenure_proofs.report import statement_of
from tenure_proofs.theorems.registry import all_theorems
from tests.cli.terminals import on_terminal
from tests.command_line import tenure
from tests.published import published_vectors

ROOT = Path(__file__).resolve().parents[2]
DECIDE = ("decide", "--example", "two-teams", "-w", "team-b/job-eval-suite-d739e")
AT = ("--now", "2026-03-02T14:00:00Z")
ONE_OF_EACH = {
    IdentifierKind.RULE: "KQ-320",
    IdentifierKind.FINDING: "F-001",
    IdentifierKind.OBLIGATION: "PO-TBP-010",
    IdentifierKind.THEOREM: "PO-ANY-010",
    IdentifierKind.READING: "same_priority_gate",
    IdentifierKind.PRESET: "guaranteed",
    IdentifierKind.VECTOR: "TBP-020/exactly-at-the-threshold-is-kept",
    IdentifierKind.DIVERGENCE: "DV-010",
    IdentifierKind.PROPOSAL: "KEP-8522",
    IdentifierKind.FIELD: "minAdmitDuration",
}
A_LINK = "\x1b]8;"


def known() -> dict[IdentifierKind, set[str]]:
    """What there is, as each part of the project says itself."""
    return {
        IdentifierKind.RULE: {page.name[:7].rstrip("-") for page in (ROOT / "spec" / "rules").glob("*.md")},
        IdentifierKind.FINDING: {page.name[:5] for page in (ROOT / "spec" / "findings").glob("*.md")},
        IdentifierKind.OBLIGATION: set(OBLIGATIONS),
        IdentifierKind.THEOREM: set(all_theorems()),
        IdentifierKind.READING: set(readings_file()["keys"]),
        IdentifierKind.PRESET: set(preset_names()),
        IdentifierKind.VECTOR: {vector.id for vector in published_vectors()},
        IdentifierKind.DIVERGENCE: {divergence.id for divergence in all_divergences()},
        IdentifierKind.PROPOSAL: {
            "KEP-8522",
            "KEP-8826",
            "KEP-754",
            "KEP-13396",
            "KEP-9876",
            "KEP-14468",
            "KAI",
        },
        IdentifierKind.FIELD: {
            line.removeprefix('field = "').rstrip('"')
            for page in (ROOT / "spec" / "findings").glob("*.md")
            for line in page.read_text(encoding="utf-8").splitlines()
            if line.startswith('field = "')
        },
    }


def test_everything_that_has_an_identifier_is_listed_once() -> None:
    listed = identifiers().identifiers
    assert len({entry.id.lower() for entry in listed}) == len(listed)
    found = {kind: {entry.id for entry in listed if entry.kind == kind} for kind in IdentifierKind}
    assert found == known()


@pytest.fixture(scope="module")
def cards() -> dict[str, Card]:
    """The card of every identifier, with addresses in the checkout."""
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv(SITE, raising=False)
        return {entry.id: card_of(entry.id) for entry in identifiers().identifiers}


def test_every_identifier_has_a_card_with_something_to_say(cards: dict[str, Card]) -> None:
    for entry in identifiers().identifiers:
        card = cards[entry.id]
        assert (card.id, card.kind, card.title) == (entry.id, entry.kind, entry.title)
        assert card.title
        assert card.file
        assert card.sections


def test_what_belongs_to_a_card_can_be_looked_up_too(cards: dict[str, Card]) -> None:
    for card in cards.values():
        assert {related.id for related in card.related} <= cards.keys()


def test_theorems_read_as_text_are_those_that_are_registered() -> None:
    for identifier, registered in all_theorems().items():
        stated = theorems()[identifier]
        assert (stated.claim, stated.size) == (registered.words, registered.size)
        assert len(stated.about) == len(registered.about)


def test_obligations_read_as_text_are_those_that_are_registered() -> None:
    """Without the solvers there is nothing but the text."""
    for identifier, registered in OBLIGATIONS.items():
        stated = obligations()[identifier]
        assert (stated.claim, stated.title) == (claim_text(registered), registered.title)
        assert stated.rules == registered.rules
        assert stated.expected == {**registered.expect, **registered.also}
        assert stated.source == " ".join((registered.statement.__doc__ or "").split())
        assert registered.statement.__name__ in stated.code
    assert obligations().keys() == OBLIGATIONS.keys()


@pytest.mark.parametrize(
    "beginning", ["", "K", "kq-0", "P", "PO-", "po-tbp-0", "TBP-020/", "min", "F-0", "DV"]
)
def test_entries_of_a_beginning_are_all_that_have_it(beginning: str) -> None:
    def beginning_so(entries: Iterable[ListedIdentifier]) -> list[str]:
        return [entry.id for entry in entries if entry.id.lower().startswith(beginning.lower())]

    listed = beginning_so(identifiers().identifiers)
    expected = [name for name in listed if "/" in beginning or "/" not in name]
    assert beginning_so(entries_of(beginning)) == expected


def test_obligations_of_the_modules_that_name_a_rule_are_all_that_are_about_it() -> None:
    for entry in all_rules():
        found = {stated.id for stated in obligations(entry.id).values() if entry.id in stated.rules}
        assert found == {name for name, registered in OBLIGATIONS.items() if entry.id in registered.rules}


@pytest.mark.parametrize("rule", ["KQ-320", "TBP-020", "UCQ-060", "KMR-010"])
def test_a_rule_is_shown_as_its_page_and_its_function_state_it(rule: str) -> None:
    card = card_of(rule)
    sections = {section.heading: section.text for section in card.sections}
    quoted = " ".join(line.lstrip("> ") for line in sections["Statement"].splitlines())
    assert " ".join(quoted.split()) == statement_of(rule)
    (entry,) = (entry for entry in all_rules() if entry.id == rule)
    assert f"def {entry.function.__name__}(" in sections["Code"]
    claimed = {related.id for related in card.related if related.relation == "Obligations"}
    assert claimed == {obligation.id for obligation in OBLIGATIONS.values() if rule in obligation.rules}
    exercised = {related.id for related in card.related if related.relation.startswith("Vectors")}
    assert exercised == {vector.id for vector in published_vectors() if rule in vector.data["rules"]}


def test_an_obligation_has_its_verdict_under_each_reading() -> None:
    assert card_of("PO-TBP-010").expected == (
        ExpectedVerdict("as-written", "refuted"),
        ExpectedVerdict("released", "refuted"),
        ExpectedVerdict("guaranteed", "proved"),
    )
    said = tenure("show", "PO-TBP-010").stdout.decode()
    assert "tenure prove must find: refuted under as-written, released; proved under guaranteed" in said


def test_a_refuted_claim_is_shown_with_its_counterexample_and_without_its_code() -> None:
    said = tenure("show", "PO-TBP-010").stdout.decode()
    verdict, story = said.index("refuted under as-written"), said.index("Smallest counterexample, under as-w")
    assert verdict < story < said.index("\nRules\n")
    assert "  - 2026-01-05T09:00:01Z  team-b/target is preempted for team-a/preemptor" in said
    assert "claim.prove(" not in said
    assert said.splitlines()[-3] == "its code: tenure show PO-TBP-010 --all"
    assert "claim.prove(" in tenure("show", "PO-TBP-010", "--all").stdout.decode()


def test_a_proposal_shows_its_readings_side_by_side() -> None:
    (text,) = (part.text for part in card_of("KEP-8522").sections if part.heading == "Readings side by side")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    assert rows[0] == ["choice or claim", "as-written", "released", "guaranteed"]
    assert ["`newer_than`", "reserved_after_created", "queue_order", "queue_order"] in rows
    claim = "No same-priority preemption under minAdmitDuration (PO-TBP-010)"
    assert [claim, "refuted", "refuted", "proved"] in rows


@pytest.mark.parametrize("identifier", [*ONE_OF_EACH.values(), None])
def test_what_is_shown_is_as_its_schema_says(identifier: str | None) -> None:
    done = tenure("show", *filter(None, [identifier]), "-o", "json")
    answer = json.loads(done.stdout)
    assert [error.message for error in Draft202012Validator(schema("show")).iter_errors(answer)] == []


@pytest.mark.parametrize("identifier", ONE_OF_EACH.values())
def test_the_text_says_every_section_of_the_json(identifier: str) -> None:
    text = tenure("show", identifier, "--all").stdout.decode()
    card = json.loads(tenure("show", identifier, "-o", "json").stdout)
    assert text.splitlines()[0] == f"{card['id']}: {card['title']}"
    for section in card["sections"]:
        assert section["heading"] in text.splitlines()
    for related in card["related"]:
        assert f"  {related['id']} " in text


def test_more_than_ten_of_a_section_are_counted() -> None:
    few, every = (tenure("show", "KQ-040", *option).stdout.decode() for option in ((), ("--all",)))
    assert " more, with --all" in few
    assert " more, with --all" not in every
    assert len(every) > len(few)


@pytest.mark.parametrize(
    ("name", "said"),
    [("kq-32", "did you mean KQ-320?"), ("same_priority", "did you mean same_priority_gate?")],
)
def test_an_identifier_that_there_is_not_is_answered_with_the_nearest(name: str, said: str) -> None:
    done = tenure("show", name)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()


def test_case_does_not_matter() -> None:
    assert tenure("show", "kq-320").stdout == tenure("show", "KQ-320").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        (*DECIDE, *AT),
        (*DECIDE, *AT, "--verbose"),
        ("why", "team-a/job-pretrain-7b-e95a1", "--example", "two-teams", *AT),
        ("why-not", "team-a/job-long-context-8a5dc", "--example", "two-teams", *AT),
    ],
    ids=" ".join,
)
def test_a_text_that_names_a_rule_ends_with_how_to_look_it_up(arguments: tuple[str, ...]) -> None:
    *others, last = tenure(*arguments).stdout.decode().splitlines()
    prefix, _, identifier = last.rpartition(" ")
    assert prefix == "look up an identifier: tenure show"
    assert any(identifier in line for line in others)
    assert not any(prefix in line for line in others)
    assert tenure("show", identifier).returncode == 0


@pytest.mark.parametrize("arguments", [("schema", "why"), ("example",), (*DECIDE, *AT, "-o", "json")])
def test_no_other_answer_has_that_line(arguments: tuple[str, ...]) -> None:
    assert b"look up" not in tenure(*arguments).stdout


def test_addresses_are_files_that_exist_or_pages_of_the_site(
    cards: dict[str, Card], monkeypatch: pytest.MonkeyPatch
) -> None:
    for entry in identifiers().identifiers:
        address = cards[entry.id].address
        if entry.kind in (
            IdentifierKind.RULE,
            IdentifierKind.FINDING,
            IdentifierKind.OBLIGATION,
            IdentifierKind.DIVERGENCE,
        ):
            assert address is not None
            assert Path(address.removeprefix("file://")).is_file()
    monkeypatch.setenv(SITE, "https://docs.example.org/tenure/")
    site = "https://docs.example.org/tenure"
    assert address_of("TBP-020") == f"{site}/rules/TBP-020-time-expired/"
    assert address_of("PO-TBP-010") == f"{site}/rules/TBP-050-when-an-equal-may-be-preempted/#po-tbp-010"
    assert address_of("F-011") == f"{site}/findings/kep-754/#f-011"
    assert address_of("DV-010") == f"{site}/reference/divergences/#dv-010"


def sarif_rules(tool: str, *identifiers: str) -> list[dict[str, Any]]:
    report = Report(tool, rules=tuple(RuleText(identifier, "short") for identifier in identifiers))
    found: list[dict[str, Any]] = to_sarif(report)["runs"][0]["tool"]["driver"]["rules"]
    return found


def test_sarif_says_where_help_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SITE, raising=False)
    claim, kind = sarif_rules("tenure prove", "PO-TBP-010", "mutant")
    assert claim["help"] == {"text": "tenure show PO-TBP-010"}
    assert claim["helpUri"].startswith("file:///")
    assert kind["help"] == {"text": "tenure prove --help"}
    assert "helpUri" not in kind
    monkeypatch.setenv(SITE, "https://docs.example.org/tenure")
    (kind,) = sarif_rules("tenure kai validate", "mutant")
    assert kind["helpUri"] == "https://docs.example.org/tenure/reference/commands/kai/#tenure-kai-validate"


def test_a_terminal_that_follows_links_gets_them() -> None:
    plain, linked = (
        on_terminal("show", "PO-TBP-010", environment=environment).terminal
        for environment in ({}, {"TERM_PROGRAM": "WezTerm"})
    )
    assert A_LINK not in plain
    assert A_LINK in linked
    assert "TBP-050-when-an-equal-may-be-preempted.md" in linked
    assert A_LINK not in on_terminal("show", "PO-TBP-010", environment={"NO_COLOR": "1"}).terminal


@pytest.mark.parametrize("name", ["KEP-8522", "KEP-8826", "KEP-754", "KAI"])
def test_a_proposal_shows_what_holds_what_fails_and_how_small(name: str) -> None:
    card = card_of(name)
    relations = {related.relation: related for related in card.related}
    failing = [related for related in card.related if related.relation == "Claims that a reading refutes"]
    holding = [related for related in card.related if related.relation == "Claims that every reading proves"]
    assert failing
    assert all("refuted" in {verdict.verdict for verdict in claim.expected} for claim in failing)
    assert {verdict.verdict for claim in holding for verdict in claim.expected} == {"proved"}
    family = failing[0].id[:6]
    assert {claim.id for claim in (*failing, *holding)} == {
        identifier for identifier in OBLIGATIONS if identifier.startswith(family)
    }
    severities = [r.text.rpartition("(")[2].rstrip(")") for r in card.related if r.relation == "Findings"]
    assert severities == sorted(severities, key=("high", "medium", "low").index)
    assert "Counterexamples" in relations
    assert card.source.startswith("https://github.com/")


@pytest.mark.parametrize("word", ["PreemptionConfig", "configurablepreemptions"])
def test_a_kind_or_a_gate_names_the_proposal_that_has_it(word: str) -> None:
    done = tenure("show", word)
    assert done.returncode == 2
    assert b"; see KEP-13396, Configurable preemptions: PreemptionConfig" in done.stderr


def test_a_proposal_in_alpha_shows_its_readings_and_which_answers_follow_it() -> None:
    card = card_of("KEP-13396")
    keys = {related.id for related in card.related if related.relation == "Readings"}
    assert keys == {
        "configured_candidates",
        "always_trigger",
        "invalid_selector",
        "execution_start",
        "limit_search",
    }
    (why,) = (section.text for section in card.sections if section.heading == "Why its claims matter")
    assert "`tenure analyze` follow it" in why
    (story,) = (found.text for found in card.sections if found.heading.startswith("Its smallest counterex"))
    assert (
        "ClusterQueue hero: withinClusterQueue Never, reclaimWithinCohort Never, PreemptionConfig her"
        in story
    )
    assert "PreemptionConfig hero-config, rule r: {activationPolicy: {trigger: Always}, candidateSel" in story


def test_every_finding_belongs_to_one_proposal_or_to_a_release() -> None:
    """What is about no proposal is about Kueue as released."""
    named = Counter(
        related.id
        for name in ("KEP-8522", "KEP-8826", "KEP-754", "KEP-13396", "KEP-9876", "KEP-14468", "KAI")
        for related in card_of(name).related
        if related.relation == "Findings"
    )
    assert set(named.values()) == {1}
    others = [page for identifier, page in finding_pages().items() if identifier not in named]
    assert {str(page.front["source"]).split()[0].rstrip(",") for page in others} <= {"Kueue", "Kueue's"}


def test_markdown_of_a_proposal_has_its_counterexamples_and_how_to_replay_them() -> None:
    done = tenure("show", "KEP-8522", "-o", "markdown")
    said = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert said.startswith("## KEP-8522: Time-based preemption among equals\n")
    assert "closed without a merge" in said
    claim = "- `PO-TBP-010`: a protected workload is never preempted by an equal"
    assert f"{claim} (refuted under as-written, released;" in said
    told = (
        "### Its smallest counterexample, under as-written\n\n"
        "- ClusterQueue cluster-queue: withinClusterQueue LowerOrNewerEqualPriority, minAdmitDuration 4h; "
        "1 cpu\n- 2026-01-05T09:00:00Z  team-b/target is created with priority 100, for 1 cpu\n"
    )
    assert told in said
    counterexample = "TBP-050/a-newer-equal-loses-its-guaranteed-four-hours"
    assert f"- `{counterexample}`: The counterexample of PO-TBP-010" in said
    assert f"\ntenure vectors run {counterexample} --verbose\n```\n" in said
    done = tenure("show", "-o", "markdown")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"expected one beside it, such as KEP-8522" in done.stderr

"""What the site's generator does where there is little to show, or something wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docs.gen import coverage, proved, reference, rules, sources
from docs.gen.markdown import filled, linked
from docs.gen.sources import places
from tenure.rules.registry import all_rules
from tools.accounts import coverage_pages

NOTHING_PROVED: dict[str, Any] = {"good": True, "readings": ["guaranteed"], "obligations": [], "mutants": []}


def never(*_: object) -> None:
    raise AssertionError("proved a second time")


def test_a_site_without_vectors_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sources, rules, reference):
        monkeypatch.setattr(module, "vectors", tuple)
    pages = rules.rule_pages(NOTHING_PROVED, places())
    assert all(text.rstrip().endswith("None yet.") for text in pages.values())
    assert reference.reference(places())["vectors.md"]["vectors"] == "None is published yet."


def test_a_rule_that_no_obligation_names_says_so() -> None:
    page = rules.rule_pages(NOTHING_PROVED, places())["rules/TBP-020-time-expired.md"]
    assert "None names this rule." in page


def test_a_site_without_findings_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "findings", lambda _: [])
    assert rules.finding_pages({}) == {}
    assert rules.lists({})["findings/index.md"]["findings"] == "None yet."


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of one rule, with a cache of its own."""
    (tmp_path / "refimpl").mkdir()
    (tmp_path / "refimpl" / "rule.py").write_text("a > b", encoding="utf-8")
    monkeypatch.setattr(proved, "ROOT", tmp_path)
    monkeypatch.setattr(proved, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(proved, "run_plan", never)
    return tmp_path


def cache(report: dict[str, Any]) -> None:
    proved.CACHE.mkdir()
    (proved.CACHE / f"{proved.fingerprint()}.json").write_text(json.dumps(report), encoding="utf-8")


def test_what_was_proved_of_the_same_sources_is_not_proved_again(tree: Path) -> None:
    cache(NOTHING_PROVED)
    assert proved.proof_report() == NOTHING_PROVED


def test_a_changed_rule_is_proved_again(tree: Path) -> None:
    cache(NOTHING_PROVED)
    (tree / "refimpl" / "rule.py").write_text("a >= b", encoding="utf-8")
    with pytest.raises(AssertionError, match="a second time"):
        proved.proof_report()


def test_verdicts_that_are_not_as_expected_build_no_site(tree: Path) -> None:
    cache({**NOTHING_PROVED, "good": False})
    with pytest.raises(SystemExit, match="tenure prove"):
        proved.proof_report()


def test_every_rule_has_an_area_in_the_list() -> None:
    listed = rules.lists(places())["rules/index.md"]["rules"]
    for entry in all_rules():
        assert f"[{entry.id}](../rules/{entry.id}-" in listed


def test_a_rule_without_an_area_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "AREAS", {})
    with pytest.raises(ValueError, match=r"docs/gen/rules\.py"):
        rules.area_of("KQ-010")


def test_nothing_in_a_fence_becomes_a_link() -> None:
    text = "TBP-020\n```text\nTBP-020\n```\nTBP-020"
    first, _, inside, _, last = linked(text, places(), "tutorial.md").splitlines()
    assert inside == "TBP-020"
    assert first == last == "[TBP-020](rules/TBP-020-time-expired.md){ .id }"


@pytest.mark.parametrize("text", ["no marker", "<!-- rules --> <!-- rules -->"])
def test_a_page_without_its_marker_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="not once"):
        filled(text, {"rules": "a table"})


def test_a_sentence_links_what_accounts_for_it() -> None:
    page = coverage.coverage_site(places())["coverage/kep-8522.md"]
    (row,) = [line for line in page.splitlines() if line.startswith("| 8522-098 |")]
    assert "(should NOT be preempted, as comparison requires strictly greater than)" in row
    assert "[TBP-020](../rules/TBP-020-time-expired.md)" in row
    assert "[PO-TBP-020](../proofs/obligations.md#po-tbp-020)" in row
    assert "[F-004](../findings/F-004-" in row


def test_every_kind_of_account_is_counted() -> None:
    counted = coverage.coverage_list()["coverage/index.md"]["coverage"]
    for page in coverage_pages(sources.ROOT):
        assert f"({page.name})" in counted
        for entry in page.entries:
            for kind, _ in entry.references():
                assert coverage.KINDS[kind] in counted


def test_a_site_without_coverage_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "coverage_pages", lambda _: [])
    assert coverage.coverage_site({}) == {}
    assert coverage.coverage_list()["coverage/index.md"]["coverage"] == "None yet."


def test_a_finding_without_a_reading_key_leaves_its_cell_empty() -> None:
    listed = rules.lists(places())["findings/index.md"]["findings"]
    (row,) = [line for line in listed.splitlines() if "[F-013]" in line]
    assert row.endswith("|  |")


def test_the_site_asks_with_as_many_seeds_as_the_check_so_that_each_keeps_for_the_other() -> None:
    makefile = (sources.ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"tenure prove --seeds {proved.SEEDS}\n" in makefile

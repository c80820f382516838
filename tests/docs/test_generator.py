"""What the site's generator does where there is little to show, or something wrong."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree

import pytest

from docs.gen import (
    cases,
    charts,
    coverage,
    explained,
    findings,
    illustrations,
    navigation,
    proved,
    rules,
    sources,
    upstream,
)
from docs.gen.markdown import filled, link, linked, placed
from docs.gen.openings import Openings
from docs.gen.proofs import statement_code
from tenure.conformance.vectors import Vector, exercised_by_plays
from tenure.pages import Page
from tenure.rules.registry import all_rules
from tenure_proofs.obligations.time_based import a_protected_workload_is_never_preempted_by_an_equal
from tests.command_line import tenure
from tools import libyaml
from tools.accounts import coverage_pages
from tools.lints import known
from tools.lints.pages import findings as known_findings

NO_OPENINGS = Openings({}, {})
NOTHING_PROVED: dict[str, Any] = {"good": True, "readings": ["guaranteed"], "obligations": [], "mutants": []}


Drawn: TypeAlias = tuple[dict[str, str], cases.Pictures]


VIEWS: charts.Views = {
    name: [("guaranteed", f"scenarios/charts/{name}", "Chart.")] for name in known.scenarios(sources.ROOT)
}


def never(*_: object) -> None:
    raise AssertionError("proved a second time")


def test_a_site_without_vectors_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    sources.places()  # kept: other pages link them
    for module in (sources, rules, cases):
        monkeypatch.setattr(module, "vectors", tuple)
    pages = rules.rule_pages(NOTHING_PROVED, {}, {}, {}, VIEWS)
    played = (*exercised_by_plays(),)
    decided = [text for name, text in pages.items() if not any(rule in name for rule in played)]
    assert decided
    assert not any("## Vectors" in text or "## An example" in text for text in decided)
    assert cases.vector_list()["vectors/index.md"]["vectors"] == "None is published yet."


def test_a_rule_that_no_obligation_names_says_so() -> None:
    page = rules.rule_pages(NOTHING_PROVED, {}, {}, {}, VIEWS)["rules/TBP-020-time-expired.md"]
    assert "No obligation names this rule" in page


def test_a_site_without_findings_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "findings", lambda _: [])
    assert findings.finding_pages({}, {}, NO_OPENINGS) == {}
    assert findings.finding_list()["findings/index.md"]["findings"] == "None yet."


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of one rule, of which nothing was proved."""
    (tmp_path / "refimpl").mkdir()
    (tmp_path / "refimpl" / "rule.py").write_text("a > b", encoding="utf-8")
    monkeypatch.setattr(proved, "ROOT", tmp_path)
    monkeypatch.setattr(proved, "run_plan", lambda _: NOTHING_PROVED)
    monkeypatch.setattr(proved, "to_json", lambda report: report)
    return tmp_path


def test_what_was_proved_of_the_same_sources_is_not_proved_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert proved.proof_report() == NOTHING_PROVED
    monkeypatch.setattr(proved, "run_plan", never)
    assert proved.proof_report() == NOTHING_PROVED
    (tree / "refimpl" / "rule.py").write_text("a >= b", encoding="utf-8")
    with pytest.raises(AssertionError, match="a second time"):
        proved.proof_report()


def test_verdicts_that_are_not_as_expected_build_no_site(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proved, "run_plan", lambda _: {**NOTHING_PROVED, "good": False})
    with pytest.raises(SystemExit, match="tenure prove"):
        proved.proof_report()


def test_every_rule_has_an_area_in_the_list() -> None:
    listed = rules.rule_list()["rules/index.md"]["rules"]
    for entry in all_rules():
        assert f"[{entry.id}](@rules/{entry.id}-" in listed


def test_a_rule_without_an_area_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "AREAS", {})
    with pytest.raises(ValueError, match=r"docs/gen/rules\.py"):
        rules.area_of("KQ-010")


def test_nothing_in_a_fence_becomes_a_link() -> None:
    text = "TBP-020\n```text\nTBP-020\n```\nTBP-020"
    first, _, inside, _, last = linked(text).splitlines()
    assert inside == "TBP-020"
    assert first == last == "[TBP-020](@rules/TBP-020-time-expired.md){ .id }"


@pytest.mark.parametrize("name", ["TBP-020/exactly-at-the-threshold-is-kept", "scenario tbp-it-2-rotation"])
def test_a_name_that_is_wider_than_a_phone_may_be_broken(name: str) -> None:
    assert placed(link(name), "rules/b.md").startswith(f"[{name}](../")
    assert "{ .id }" not in link(name)


def test_the_page_about_formulas_has_the_claim_that_is_proved() -> None:
    block = statement_code("PO-TBP-010")
    source = inspect.getsource(a_protected_workload_is_never_preempted_by_an_equal)
    assert all(line in source for line in block.splitlines()[1:-1])
    assert "claim.prove(negation(" in block
    assert '"""' not in block


@pytest.mark.parametrize("text", ["no marker", "<!-- rules --> <!-- rules -->"])
def test_a_page_without_its_marker_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="not once"):
        filled(text, {"rules": "a table"})


def test_a_sentence_links_what_accounts_for_it() -> None:
    page = placed(coverage.coverage_site()["coverage/kep-8522.md"], "coverage/kep-8522.md")
    (row,) = [line for line in page.splitlines() if line.startswith("| [8522-098](")]
    assert "(should NOT be preempted, as comparison requires strictly greater than)" in row
    assert "[TBP-020](../rules/TBP-020-time-expired.md)" in row
    assert "[PO-TBP-020](../rules/TBP-020-time-expired.md#po-tbp-020)" in row
    assert "[F-004](../findings/kep-8522.md#f-004)" in row


def test_every_kind_of_account_is_counted() -> None:
    counted = coverage.coverage_list()["coverage/index.md"]["coverage"]
    for page in coverage_pages(sources.ROOT):
        assert f"({page.name})" in counted
        for entry in page.entries:
            for kind, _ in entry.references():
                assert coverage.KINDS[kind] in counted


def test_a_site_without_coverage_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "coverage_pages", lambda _: [])
    assert coverage.coverage_site() == {}
    assert coverage.coverage_list()["coverage/index.md"]["coverage"] == "None yet."


def test_a_finding_says_how_it_stands_and_those_that_matter_first_come_first() -> None:
    listed = findings.finding_list()["findings/index.md"]["findings"]
    (row,) = [line for line in listed.splitlines() if line.startswith("| [F-013]")]
    assert row.endswith('| <span data-rank="2">low</span> | proposal closed | `delayForStep` | KEP-754 |')
    first = [line[4:9] for line in listed.splitlines() if line.startswith("1. ")]
    assert first == ["F-001", "F-011", "F-026", "F-041", "F-050"]
    assert listed.index("matter first") < listed.index(row)
    known = "[KAI-Scheduler#1809](https://github.com/kai-scheduler/KAI-Scheduler/pull/1809)"
    assert f"| A session never revises an answer ({known}) |" in listed
    page = findings.finding_pages({}, VIEWS, NO_OPENINGS)["findings/kai-scheduler.md"]
    assert f"medium; fixed upstream in v0.17.0, known as {known}; field" in page


@pytest.mark.parametrize("page", upstream.first_findings(), ids=lambda page: page.id)
def test_a_report_holds_what_an_issue_needs_and_manifests_that_can_be_read(page: Page) -> None:
    text = upstream.report(page)
    for part in ("**What happened**", "**What you expected", "**How to reproduce", "https://github.com/"):
        assert part in text
    manifests = list(libyaml.load_all(text.split("```")[1].removeprefix("yaml")))
    assert all({"apiVersion", "kind", "metadata"} <= manifest.keys() for manifest in manifests)
    assert {manifest["kind"] for manifest in manifests} & {"ClusterQueue", "Queue"}


def vector_of(page: Page) -> Vector:
    """The vector that a report replays."""
    return next(vector for vector in sources.vectors() if vector.id == page.front["vectors"][0])


@pytest.mark.parametrize("page", upstream.first_findings(), ids=lambda page: page.id)
def test_the_command_of_a_report_answers_from_its_manifests_alone_as_it_says(
    page: Page, tmp_path: Path
) -> None:
    text, vector = upstream.report(page), vector_of(page)
    file = tmp_path / "report.yaml"
    file.write_text(text.split("```")[1].removeprefix("yaml"), encoding="utf-8")
    command = re.search(r"Replayed by `tenure ([^`]*)`", text)
    assert command is not None
    words = command[1].replace("report.yaml", str(file)).split()
    said = json.loads(tenure(*words, "-o", "json").stdout)
    expected = vector.data["expect"]
    if vector.data["call"] == "decide":
        assert (said["decision"], victims(said)) == (expected["decision"], victims(expected))
    elif vector.data["call"] == "accessible":
        assert said["rows"] == expected["output"]["rows"]
    else:
        (victim,) = said["victims"]
        output = expected["output"]
        assert {name: victim[name] for name in ("elastic", "protected")} | {"filter": victim["passes"]} == {
            name: output[name] for name in ("elastic", "protected", "filter")
        }


def victims(said: dict[str, Any]) -> list[str]:
    """The victims of a decision."""
    return [victim["workload"] for victim in said["preempted"]]


def test_a_rule_shows_what_an_explanation_says_of_it_and_its_findings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mine = tuple(vector for vector in sources.vectors() if vector.data["rules"][0] == "TBP-020")
    monkeypatch.setattr(explained, "vectors", lambda: mine)
    page = rules.rule_pages(NOTHING_PROVED, {}, explained.said_of_rules(), {}, VIEWS)[
        "rules/TBP-020-time-expired.md"
    ]
    said = page.split("## In an explanation")[1]
    assert re.search(r"\| yes \| has run .*, strictly more than .* \| \[vector\]\(@vectors/time-based", said)
    assert re.search(r"\| no \| has run .*, not more than .*: protected until ", said)
    assert "- [F-007](@findings/kep-8522.md#f-007)" in page.split("## Findings")[1]


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    """The pictures of all vectors."""
    return cases.vector_pictures()


def below(page: str, finding: str) -> str:
    """What a page says of a finding."""
    return page.partition(f"\n## {finding}: ")[2].partition("\n## F-")[0]


def test_a_finding_shows_its_charts_its_pictures_and_what_replays_it(drawn: Drawn) -> None:
    drawings, pictures = drawn
    pages = findings.finding_pages(pictures, VIEWS, NO_OPENINGS)
    told = below(pages["findings/kep-8522.md"], "F-006")
    assert "![Chart.](@scenarios/charts/tbp-the-third-of-three-light.svg#only-light)" in told
    assert "tenure simulate --scenario tbp-the-third-of-three --all-readings" in told
    pictured = below(pages["findings/kep-8826.md"], "F-050")
    assert f"{pictures['UCQ-130/nested-heroes-leave-nothing-as-guaranteed'][0]}-dark.svg" in pictured
    assert "tenure vectors run UCQ-130/nested-heroes-leave-nothing-as-guaranteed --verbose" in pictured
    assert set(drawings) == {
        f"{path}-{theme}.svg" for path, _ in pictures.values() for theme in ("light", "dark")
    }


def test_every_finding_has_a_command_that_replays_it() -> None:
    told = "".join(findings.finding_pages({}, VIEWS, NO_OPENINGS).values())
    named = [page.id for page in known_findings(sources.ROOT)]
    assert [name for name in named if "    tenure " not in below(told, name)] == []


def test_a_picture_is_well_formed_and_names_the_victims(drawn: Drawn) -> None:
    drawings, pictures = drawn
    for drawing in drawings.values():
        ElementTree.fromstring(drawing)
    _, words = pictures["TBP-050/a-newer-equal-loses-its-guaranteed-four-hours"]
    assert words == (
        "cluster-queue: 1 of 1 nominal in use; 1 pending; running: target 1. "
        "preemptor in cluster-queue: Preempt of target."
    )


def test_a_picture_shows_what_is_billed(drawn: Drawn) -> None:
    drawings, _ = drawn
    drawing = drawings["vectors/pictures/ucq-130-nested-heroes-leave-less-than-nothing-as-written-light.svg"]
    assert "0 of 5 nominal in use; billed 7, -2 left" in drawing
    assert "billed for a hero" in drawing


def test_the_pages_of_the_navigation_are_grouped() -> None:
    written: list[dict[str, Any]] = [
        {"Rules": ["rules/index.md"]},
        {"Findings and proofs": [{"Proofs": ["proofs/index.md"]}]},
    ]
    made = [
        "rules/TBP-020-time-expired.md",
        "rules/KQ-010-lower-priority.md",
        "proofs/claims-tbp.md",
    ]
    assert navigation.completed(written, made) == [
        {
            "Rules": [
                "rules/index.md",
                {"Kueue as released": ["rules/KQ-010-lower-priority.md"]},
                {"KEP-8522, time-based preemption": ["rules/TBP-020-time-expired.md"]},
            ]
        },
        {"Findings and proofs": [{"Proofs": ["proofs/index.md"]}]},
    ]


def test_every_illustration_is_there(drawn: Drawn) -> None:
    _, pictures = drawn
    assert set(illustrations.VECTORS.values()) <= set(pictures)
    assert {scenario for scenario, _ in illustrations.PLAYS.values()} <= VIEWS.keys()


def test_a_style_sheet_closes_what_it_opens() -> None:
    sheet = (sources.ROOT / "docs" / "assets" / "site.css").read_text(encoding="utf-8")
    assert sheet.count("{") == sheet.count("}"), "rules below a rule that is left open have no effect"


def test_pages_say_how_to_install_from_a_checkout_wherever_they_say_it_of_a_release() -> None:
    written = [sources.ROOT / "README.md", *sorted((sources.ROOT / "docs").rglob("*.md"))]
    texts = {page.name: page.read_text(encoding="utf-8") for page in written}
    checkout, release = (
        {(name, extra) for name, text in texts.items() for extra in re.findall(pattern, text)}
        for pattern in (r"pip install '?\.(?!/)(\[\w+\])?", r"pip install '?tenure\b(?!-)(\[\w+\])?")
    )
    assert len(release) >= 8
    assert release == checkout


def test_the_site_asks_with_as_many_seeds_as_the_check_so_that_each_keeps_for_the_other() -> None:
    makefile = (sources.ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"tenure prove --seeds {proved.SEEDS}\n" in makefile

"""The site builds strictly, holds what it should, loads nothing from elsewhere; its links lead somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs.gen.elsewhere import HOSTS
from docs.gen.markdown import sentence
from docs.gen.playground import FOLDER
from tenure.conformance.divergences import all_divergences
from tenure.readings import preset_names, readings_file
from tenure.rules.registry import all_rules
from tenure_proofs.obligations import OBLIGATIONS, claim_text
from tenure_proofs.report import statement_of
from tests.docs.blocks import ROOT
from tests.docs.built import Site
from tests.docs.links import broken, is_elsewhere
from tests.published import published_vectors
from tools.accounts import coverage_pages
from tools.lints.pages import findings

RULES = [entry.id for entry in all_rules()]
ORDER = (
    "an-example",
    "why",
    "statement",
    "comparisons",
    "readings",
    "edge-cases",
    "source",
    "vectors",
    "code",
    "proofs",
)
"""The sections of a rule's page, in their order."""
NOT_LIFTED = {entry.id: entry.reason for entry in all_rules() if not entry.lift}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_page_with_its_statement_and_its_code(site: Site, rule: str) -> None:
    words = site.rule(rule).words
    function = next(entry.function for entry in all_rules() if entry.id == rule)
    assert (
        re.sub(r"(^| )[1-9]\. ", r"\1", statement_of(rule)) in words
    )  # a list's numbers are no text of the page
    assert f"def {function.__name__}" in words
    text = site.rule(rule).path.read_text(encoding="utf-8")
    there = re.findall(r'<h2[^>]* id="([\w-]+)"', text)
    assert [heading for heading in there if heading in ORDER] == [
        heading for heading in ORDER if heading in there
    ]
    assert {*ORDER} - {*there} <= {"comparisons", "readings"}, "only a section that says nothing is left out"
    assert "<p>None.</p>" not in text


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_and_its_obligations_link_both_ways(site: Site, rule: str) -> None:
    page = site.rule(rule)
    for identifier, obligation in OBLIGATIONS.items():
        if rule in obligation.rules:
            explained, fragment = site.explained(identifier)
            if explained is page:
                assert fragment in page.fragments
            else:
                where = explained.path.parent.relative_to(site.root).as_posix()
                assert {f"../../{where}/#{fragment}", f"../{explained.path.parent.name}/#{fragment}"} & {
                    *page.links
                }
                up = f"../../rules/{page.path.parent.name}/", f"../{page.path.parent.name}/"
                assert {*up} & {*explained.links}


@pytest.mark.parametrize(("rule", "reason"), NOT_LIFTED.items())
def test_a_rule_that_is_not_lifted_says_why(site: Site, rule: str, reason: str) -> None:
    assert reason in site.rule(rule).words
    assert reason in site.page("rules/index.html").words


def test_the_list_of_rules_names_every_rule(site: Site) -> None:
    links = site.page("rules/index.html").links
    for rule in RULES:
        assert site.rule(rule).path.parent.name + "/" in links


def test_every_divergence_is_shown_with_its_prediction(site: Site) -> None:
    page = site.page("reference/divergences/index.html")
    for divergence in all_divergences():
        assert divergence.id.lower() in page.fragments
        assert divergence.predicts.replace("`", "") in page.words


def test_written_pages_link_the_rules_that_they_name(site: Site) -> None:
    links = site.page("explanation/how-kueue-decides/index.html").links
    assert f"../../rules/{site.rule('KQ-350').path.parent.name}/" in links


def test_every_vector_is_shown_and_linked_from_its_rules(site: Site) -> None:
    for vector in published_vectors():
        cases = site.page(f"vectors/{vector.file.stem}/index.html")
        fragment = vector.id.lower().replace("/", "-")
        assert fragment in cases.fragments
        for rule in vector.data["rules"]:
            page = site.rule(rule)
            assert f"../../vectors/{vector.file.stem}/#{fragment}" in page.links
            assert vector.data["comment"].replace("`", "") in page.words


def test_a_link_to_the_playground_opens_what_the_site_ships_and_all_of_it_is_linked(site: Site) -> None:
    shipped = site.root / FOLDER
    if not (shipped / "index.json").exists():
        pytest.skip("the site was built without the playground's files")
    index = json.loads((shipped / "index.json").read_text(encoding="utf-8"))
    linked = {
        unquote(url.partition("#example=")[2])
        for page in site.pages.values()
        for url in page.links
        if "#example=" in url
    }
    assert linked == {*index["opened"], *index["same"]}
    for area in set(index["opened"].values()):
        held = json.loads((shipped / "opened" / f"{area}.json").read_text(encoding="utf-8"))
        assert {*held} == {name for name, known in index["opened"].items() if known == area}
    assert {*index["same"].values()} <= {*index["opened"]}
    assert [*index["findings"]] == sorted(index["same"])


def test_every_finding_and_every_sentence_is_shown(site: Site) -> None:
    for page in findings(ROOT):
        explained, fragment = site.explained(page.id)
        assert page.title in explained.words
        assert fragment in explained.fragments
    for source in coverage_pages(ROOT):
        words = site.page(f"coverage/{Path(source.name).stem}/index.html").words
        for entry in source.entries:
            assert entry.id in words


@pytest.mark.parametrize("path", ["index.html", "proofs/index.html"])
def test_the_matrix_has_its_row_with_the_three_verdicts(site: Site, path: str) -> None:
    words = site.page(path).words
    assert "Invariant as-written released guaranteed" in words
    claim = "A protected workload is never preempted by an equal."
    assert f"No same-priority preemption under minAdmitDuration{claim} refuted refuted proved" in words


def test_a_refuted_headline_shows_its_story(site: Site) -> None:
    words = site.page("proofs/index.html").words
    assert "No same-priority preemption under minAdmitDuration: refuted under as-written" in words
    assert "target is preempted: InClusterQueue, by KQ-040, TBP-050, TBP-040" in words


def test_every_obligation_is_listed_with_its_claim(site: Site) -> None:
    listed = site.page("proofs/obligations/index.html")
    for identifier, obligation in OBLIGATIONS.items():
        page, fragment = site.explained(identifier)
        assert any(link.endswith(f"{page.path.parent.name}/#{fragment}") for link in listed.links)
        assert fragment in page.fragments
        assert f"{identifier}: {sentence(claim_text(obligation))}" in page.words
        assert sentence(claim_text(obligation)) in listed.words


def test_the_mutants_are_summed_up(site: Site) -> None:
    assert "0 survived" in site.page("proofs/mutants/index.html").words


def test_every_reading_is_explained(site: Site) -> None:
    page = site.page("reference/readings/index.html")
    assert set(readings_file()["keys"]) <= page.fragments
    for name in preset_names():
        assert name in page.words


def test_the_command_line_is_explained_from_its_own_help(site: Site) -> None:
    page = site.page("reference/cli/index.html")
    for command in ("decide", "oracle", "example", "vectors-run", "vectors-check", "vectors-add", "prove"):
        assert f"tenure-{command}" in page.fragments


def test_the_api_is_documented(site: Site) -> None:
    fragments = site.page("reference/api/index.html").fragments
    assert {
        "tenure.api.load",
        "tenure.api.decide",
        "tenure.model.Workload",
        "tenure.errors.InputError",
    } <= fragments


def test_no_page_loads_anything_from_another_host(site: Site) -> None:
    loaded = {url for page in site.pages.values() for url in page.loaded if is_elsewhere(url)}
    assert loaded == set()
    styles = "".join(path.read_text(encoding="utf-8") for path in site.root.rglob("*.css"))
    assert "url(http" not in styles.replace('"', "").replace("'", "")
    assert "@import" not in styles


def test_every_address_of_an_identifier_leads_to_its_entry(site: Site) -> None:
    held = json.loads((site.root / "assets" / "places.json").read_text(encoding="utf-8"))
    for place in held.values():
        page, _, fragment = place.partition("#")
        assert not fragment or fragment in site.page(f"{page}index.html").fragments, place


def test_every_page_says_what_it_may_load(site: Site) -> None:
    allowed = re.compile(r'Content-Security-Policy" content="(default-src [^"]*)"')
    policies = {
        path: allowed.findall(path.read_text(encoding="utf-8"))
        for path in site.root.rglob("*.html")
        if 'http-equiv="refresh"' not in path.read_text(encoding="utf-8")
    }
    assert {len(found) for found in policies.values()} == {1}
    scripts = {found[0].partition("script-src ")[2].partition(";")[0] for found in policies.values()}
    assert not [each for each in scripts if "unsafe" in each or "http" in each or "*" in each]


def test_links_lead_to_hosts_that_are_named_and_sources_to_a_commit(site: Site) -> None:
    links = {url for page in site.pages.values() for url in page.links if is_elsewhere(url)}
    assert {urlsplit(url).hostname for url in links} <= {*HOSTS}
    assert {urlsplit(url).scheme for url in links} == {"https"}
    cited = [url for url in links if "/blob/" in url]
    assert cited
    assert all(re.search(r"/blob/[0-9a-f]{40}/", url) for url in cited)


def test_every_quotation_of_a_rule_leads_to_its_line(site: Site) -> None:
    links = site.rule("TBP-050").links
    document = "keps/8522-time-based-same-priority-preemption/README.md?plain=1"
    assert any(f"/blob/01508081e1f8252faf28aaf58ac0f5a5f3f244b9/{document}#L" in url for url in links)


def test_every_issue_that_is_named_is_a_link(site: Site) -> None:
    links = site.page("explanation/questions/index.html").links
    assert "https://github.com/kubernetes-sigs/kueue/issues/1974" in links


def test_every_link_leads_somewhere(site: Site) -> None:
    wrong = {
        str(path.relative_to(site.root)): broken(page, site.root, site.pages)
        for path, page in site.pages.items()
    }
    assert {path: urls for path, urls in wrong.items() if urls} == {}


def test_the_site_has_pages_that_can_be_looked_through_and_light_ones_of_rules(site: Site) -> None:
    assert len(site.pages) <= 450
    assert max(site.rule(rule).path.stat().st_size for rule in RULES) < 250_000


def test_what_is_searched_is_read_quickly(site: Site) -> None:
    assert (site.root / "search" / "search_index.json").stat().st_size < 1_200_000


@pytest.mark.parametrize(
    "path", ["index.html", "rules/index.html", "proofs/claims-tbp/index.html", "how-to/kubectl/index.html"]
)
def test_a_page_says_what_it_is_about_where_it_is_shared(site: Site, path: str) -> None:
    text = site.page(path).path.read_text(encoding="utf-8")
    for name in ('name="description"', 'property="og:description"'):
        assert re.search(rf'<meta {name} content="[^"]{{20,}}"', text)
    assert 'property="og:title"' in text
    assert "assets/icon.svg" in text


def test_no_page_of_the_build_itself_is_published(site: Site) -> None:
    offered = {path.name for path in (ROOT / "docs" / "how-to" / "adapters").iterdir()}
    assert {path.name for path in site.root.rglob("*.py")} <= offered
    assert not any(
        "<!-- " in path.read_text(encoding="utf-8") for path in site.pages if "proofs" in path.parts
    )

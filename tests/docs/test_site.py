"""The site builds strictly, holds what it should, loads nothing from elsewhere; its links lead somewhere.

`make test` gives a file to one worker, so that the site is built once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tenure.conformance.vectors import load_vectors
from tenure.divergences import all_divergences
from tenure.readings import preset_names, readings_file
from tenure.rules.registry import all_rules
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.report import statement_of
from tests.docs.blocks import ROOT
from tests.docs.links import HtmlPage, broken, is_elsewhere, read_site
from tools.accounts import coverage_pages
from tools.lints.pages import findings

RULES = [entry.id for entry in all_rules()]
NOT_LIFTED = {entry.id: entry.reason for entry in all_rules() if not entry.lift}
CHROMIUM = shutil.which("chromium")
SHOWN = {
    "index.html": "What was found",
    "rules/TBP-020-time-expired/index.html": "strictly more than that duration has passed",
    "proofs/index.html": "The proof matrix",
}
"""Pages that a browser opens, and words that must be there."""


@dataclass(frozen=True)
class Site:
    """A built site: its folder, and every page in it."""

    root: Path
    pages: dict[Path, HtmlPage]

    def page(self, path: str) -> HtmlPage:
        """A page by its path."""
        return self.pages[self.root / path]

    def rule(self, identifier: str) -> HtmlPage:
        """The page of a rule."""
        (folder,) = (self.root / "rules").glob(f"{identifier}-*")
        return self.pages[folder / "index.html"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The whole site, built as `make docs` builds it."""
    root = tmp_path_factory.mktemp("site").resolve()
    quiet = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(root)],
        cwd=ROOT,
        env={**os.environ, **quiet},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return Site(root, read_site(root))


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_page_with_its_statement_and_its_code(site: Site, rule: str) -> None:
    words = site.rule(rule).words
    function = next(entry.function for entry in all_rules() if entry.id == rule)
    assert statement_of(rule) in words
    assert f"def {function.__name__}" in words
    for heading in ("Statement", "Comparisons", "Source", "Readings", "Code", "Obligations", "Vectors"):
        assert heading in words


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_and_its_obligations_link_both_ways(site: Site, rule: str) -> None:
    page, obligations = site.rule(rule), site.page("proofs/obligations/index.html")
    for identifier, obligation in OBLIGATIONS.items():
        if rule in obligation.rules:
            assert f"../../proofs/obligations/#{identifier.lower()}" in page.links
            assert f"../../rules/{page.path.parent.name}/" in obligations.links


@pytest.mark.parametrize(("rule", "reason"), NOT_LIFTED.items())
def test_a_rule_that_is_not_lifted_says_why(site: Site, rule: str, reason: str) -> None:
    assert reason in site.rule(rule).words
    assert reason in site.page("rules/index.html").words


def test_the_list_of_rules_names_every_rule(site: Site) -> None:
    links = site.page("rules/index.html").links
    for rule in RULES:
        assert site.rule(rule).path.parent.name + "/" in links


def test_every_divergence_is_shown_with_its_prediction(site: Site) -> None:
    page = site.page("explanation/peers/index.html")
    for divergence in all_divergences():
        assert divergence.id.lower() in page.fragments
        assert divergence.predicts.replace("`", "") in page.words


def test_written_pages_link_the_rules_that_they_name(site: Site) -> None:
    links = site.page("explanation/how-kueue-decides/index.html").links
    assert f"../../rules/{site.rule('KQ-350').path.parent.name}/" in links


def test_every_vector_is_shown_and_linked_from_its_rules(site: Site) -> None:
    cases = site.page("vectors/index.html")
    for vector in load_vectors():
        fragment = vector.id.lower().replace("/", "-")
        assert fragment in cases.fragments
        for rule in vector.data["rules"]:
            page = site.rule(rule)
            assert f"../../vectors/#{fragment}" in page.links
            assert vector.data["comment"].replace("`", "") in page.words


def test_every_finding_and_every_sentence_is_shown(site: Site) -> None:
    for page in findings(ROOT):
        assert page.title in site.page(f"findings/{Path(page.name).stem}/index.html").words
    for source in coverage_pages(ROOT):
        words = site.page(f"coverage/{Path(source.name).stem}/index.html").words
        for entry in source.entries:
            assert entry.id in words


@pytest.mark.parametrize("path", ["index.html", "proofs/index.html"])
def test_the_matrix_has_its_row_with_the_three_verdicts(site: Site, path: str) -> None:
    words = site.page(path).words
    assert "Invariant as-written released guaranteed" in words
    assert "No same-priority preemption under minAdmitDuration refuted refuted proved" in words


def test_a_refuted_headline_shows_its_story(site: Site) -> None:
    words = site.page("proofs/index.html").words
    assert "Refuted under as-written" in words
    assert "target is preempted: InClusterQueue, by KQ-040, TBP-050, TBP-040" in words


def test_every_obligation_is_listed_with_its_claim(site: Site) -> None:
    page = site.page("proofs/obligations/index.html")
    for identifier, obligation in OBLIGATIONS.items():
        assert identifier.lower() in page.fragments
        assert obligation.words in page.words


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


def test_no_page_links_to_another_host(site: Site) -> None:
    assert {url for page in site.pages.values() for url in page.links if is_elsewhere(url)} == set()


def test_every_link_leads_somewhere(site: Site) -> None:
    wrong = {
        str(path.relative_to(site.root)): broken(page, site.root, site.pages)
        for path, page in site.pages.items()
    }
    assert {path: urls for path, urls in wrong.items() if urls} == {}


def test_no_page_of_the_build_itself_is_published(site: Site) -> None:
    assert not list(site.root.rglob("*.py"))
    assert not any(
        "<!-- " in path.read_text(encoding="utf-8") for path in site.pages if "proofs" in path.parts
    )


@pytest.mark.parametrize(("path", "words"), SHOWN.items())
def test_a_browser_shows_the_page(site: Site, path: str, words: str, tmp_path: Path) -> None:
    if CHROMIUM is None:
        pytest.skip("no chromium is installed here")
    shown = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={tmp_path}",
            "--dump-dom",
            (site.root / path).as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert "ERR_" not in shown.stdout
    assert "404 - Not found" not in shown.stdout
    assert words in " ".join(shown.stdout.split())
    # Material's own script has run: it marks the page where there is one.
    assert 'class="js' in shown.stdout

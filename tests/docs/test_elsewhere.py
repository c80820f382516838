"""Links that leave the site: to the repository where it is known, to lines of the sources, to issues."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from docs.gen import elsewhere, hook
from docs.gen.sources import ROOT
from docs.gen.woven import woven
from tenure.pages import SITE

REPOSITORY = "https://github.com/Owner/tenure"
KEP_754 = "https://github.com/kubernetes-sigs/kueue/blob/9087f5beb926030e99527dde2fb3222aac2f6f85/keps"


@pytest.fixture
def config() -> SimpleNamespace:
    """A configuration that nothing is known of."""
    return SimpleNamespace(site_url=None, repo_url=None, repo_name=None, edit_uri=None)


def test_all_addresses_follow_from_the_repository(
    monkeypatch: pytest.MonkeyPatch, config: SimpleNamespace
) -> None:
    monkeypatch.setenv(elsewhere.REPOSITORY, REPOSITORY)
    monkeypatch.delenv(SITE, raising=False)
    hook.on_config(config)
    assert vars(config) == {
        "site_url": "https://owner.github.io/tenure/",
        "repo_url": REPOSITORY,
        "repo_name": "Owner/tenure",
        "edit_uri": "edit/main/docs/",
    }
    linked = elsewhere.file_link("refimpl/tenure/model.py", 7)
    assert (
        linked
        == f"[`refimpl/tenure/model.py`]({REPOSITORY}/blob/{elsewhere.revision()}/refimpl/tenure/model.py#L7)"
    )


def test_without_a_repository_files_are_named(
    monkeypatch: pytest.MonkeyPatch, config: SimpleNamespace
) -> None:
    monkeypatch.delenv(elsewhere.REPOSITORY, raising=False)
    monkeypatch.setenv(SITE, "https://docs.example.org/tenure/")
    hook.on_config(config)
    assert (config.repo_url, config.edit_uri, config.site_url) == ("", "", "https://docs.example.org/tenure/")
    assert elsewhere.file_link("refimpl/tenure/model.py", 7) == "`refimpl/tenure/model.py`"


QUOTED = """\
From kep-754-time-dependent-priority.md, Summary:

> This proposal allows job priorities to be
> dynamically adjusted based on time.

And more.
"""
EARLIER = """\
From kep-8522-time-based-same-priority-preemption.md, Beta:

> This feature is released directly at Beta maturity level.
"""


def test_a_quotation_leads_to_its_line() -> None:
    document = f"{KEP_754}/754-time-dependent-job-priority/README.md?plain=1"
    assert elsewhere.cited(QUOTED).splitlines() == [
        f"From [KEP-754]({document}), Summary:",
        "",
        "> This proposal allows job priorities to be",
        "> dynamically adjusted based on time.",
        f"> <small>[9087f5b, line 28]({document}#L28)</small>",
        "",
        "And more.",
    ]


def test_a_quotation_of_an_earlier_revision_leads_to_its_discussion() -> None:
    (cited,) = [line for line in elsewhere.cited(EARLIER).splitlines() if "<small>" in line]
    assert cited == (
        "> <small>[in an earlier revision](https://github.com/kubernetes-sigs/kueue/pull/8646)</small>"
    )


def test_a_built_page_says_where_it_is_and_where_it_is_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(elsewhere.REPOSITORY, REPOSITORY)
    monkeypatch.delenv(SITE, raising=False)
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    pages, built = tmp_path / "docs", tmp_path / "site"
    (pages / "how-to").mkdir(parents=True)
    (pages / "index.md").write_text("# Home\n\nWhat it is for.\n", encoding="utf-8")
    (pages / "how-to" / "a.md").write_text("# A page\n\nWhat it says.\n", encoding="utf-8")
    # The theme, the hook and the extensions of the whole site, without what makes its pages.
    config = load_config(
        str(ROOT / "mkdocs.yml"),
        docs_dir=str(pages),
        site_dir=str(built),
        plugins=["search"],
        nav=["index.md", "how-to/a.md"],
        extra_css=[],
        extra_javascript=[],
    )
    build(config)
    address = "https://owner.github.io/tenure"
    page = (built / "how-to" / "a" / "index.html").read_text(encoding="utf-8")
    assert f'<link rel="canonical" href="{address}/how-to/a/">' in page
    assert f'<meta property="og:url" content="{address}/how-to/a/">' in page
    assert f'href="{REPOSITORY}/edit/main/docs/how-to/a.md"' in page
    assert f"<loc>{address}/how-to/a/</loc>" in (built / "sitemap.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "## A vector",
        "> A vector",
        "`kueue#1`",
        "    a vector",
        "[a vector](b.md)",
        "[a\nvector](b.md)",
        "[of a vector\nhere](b.md)",
        "```\na vector\n```",
    ],
)
def test_headings_quotations_code_and_links_stay(text: str) -> None:
    assert woven(text, "rules/a.md") == text


def test_a_term_and_a_proposal_are_linked_once_and_issues_always() -> None:
    page = woven("A vector of KEP-8522, kueue#1 and\na vector of KEP-8522, kueue#1.", "tutorial.md")
    assert page.count("reference/glossary.md#vector ") == 1
    assert page.count("/issues/8522 ") == 1
    assert page.count("/issues/1)") == 2

"""What mkdocs is told of the whole site and of each page: addresses, a description, how it is searched."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from pathlib import Path, PurePosixPath
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from docs.gen.elsewhere import repository, site

BOOSTED: Final = {"how-to": 6.0, "rules": 2.0, "findings": 1.5, "proofs": 1.3, "scenarios": 0.5}
"""How much more than others the pages of a folder count when they are searched."""
BOOSTED_PAGES: Final = {"reference/glossary.md": 3.0, "tutorial.md": 2.0}
BOOSTED_OBLIGATIONS: Final = 4.5
"""The theme gives pages more weight than their sections. Less than 5, so that a rule comes first where its
identifier is searched; more than 3.8, as a rule has two of the three words of an obligation's identifier."""
BOOSTED_CASES: Final = 3.0
BOOSTED_PROPOSALS: Final = 6.0
"""More than an obligation, so that a proposal's own page comes before claims that name it."""
UNSEARCHED: Final = (
    "findings/upstream/",
    "reference/api.md",
    "reference/licences.md",
    "reference/traceability.md",
    "proofs/mutants.md",
    "proofs/obligations.md",
    "proofs/assumptions.md",
    "proofs/whole-decisions.md",
    "reference/strategies.md",
    "reference/protocol.md",
    "reference/benchmarks.md",
    "reference/schemas.md",
    "coverage/",
)
"""What a search would only be filled with: these pages are found from those that link them."""

_POLICY: Final = (
    "default-src 'self'; script-src 'self'{scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'"
)
"""Of every page: the site's files, and the scripts within it by their digests. Theme and editor write styles.
Workers have the policy of their own answer, so WebAssembly needs no permission here."""
_CHARSET: Final = '<meta charset="utf-8">'
_SCRIPT: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_UNNAMED: Final = 'data-md-component="search" role="dialog"'
_LONGEST = 155
_PRINTED = re.compile(r'<div class="(language-(?:console|text|yaml|json|python) )')
_UNLINKED = re.compile(r'<h3 id="[^"]*">(.*?)<a class="headerlink".*?</a></h3>')
_MARKED = re.compile(r"!?\[([^\]]*)\]\([^)]*\)(?:\{[^}]*\})?|\{[^}]*\}|<[^>]*>|[*`]")


def on_config(config: Any) -> Any:
    """Addresses follow from where the repository is."""
    config.site_url = f"{site()}/" if site() else ""
    config.repo_url = repository()
    config.repo_name = repository().partition("://")[2].partition("/")[2] or repository()
    config.edit_uri = "edit/main/docs/" if repository() else ""
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> None:
    """Each page has a description, and a place in the search."""
    path = page.file.src_uri
    page.meta.setdefault("description", description(markdown))
    if path.startswith(UNSEARCHED):
        page.meta.setdefault("search", {"exclude": True})
    boost = BOOSTED_PAGES.get(path, BOOSTED.get(PurePosixPath(path).parent.as_posix()))
    if boost is not None:
        page.meta.setdefault("search", {"boost": boost})


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """What commands print, files, and what is folded are not searched: the text around them says it.

    Of vectors the names are searched, and of a finding all that is said is found at its own heading.
    """
    html = _PRINTED.sub(r'<div data-search-exclude class="\1', html)
    html = html.replace("<details ", "<details data-search-exclude ")
    path = page.file.src_uri
    if path.startswith("vectors/"):
        html = re.sub(r"<(p|table)>", r"<\1 data-search-exclude>", html)
    return _UNLINKED.sub(r"<h3>\1</h3>", html) if path.startswith("findings/") else html


def on_post_page(output: str, **_: Any) -> str:
    """The box of the search says its name, which the theme's has not; a policy says what a page may load."""
    output = output.replace(_UNNAMED, f'{_UNNAMED} aria-label="Search"')
    digests = dict.fromkeys(hashlib.sha256(text.encode()).digest() for text in _SCRIPT.findall(output))
    policy = _POLICY.format(
        scripts="".join(f" 'sha256-{base64.b64encode(each).decode()}'" for each in digests)
    )
    written = f'{_CHARSET}<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return output.replace(_CHARSET, written, 1)


def on_post_template(output_content: str, **_: Any) -> str:
    """The same of the page for what is not found, which is no page to mkdocs."""
    return on_post_page(output_content)


def on_post_build(config: Any, **_: Any) -> None:
    """What has no page of its own is found by its identifier before what has a part of it."""
    path = Path(config.site_dir, "search", "search_index.json")
    index = json.loads(path.read_text(encoding="utf-8"))
    for section in index["docs"]:
        if section["title"].startswith(("PO-", "DV-")):
            section["boost"] = BOOSTED_OBLIGATIONS
        elif section["location"].startswith(("vectors/", "scenarios/")) and "#" in section["location"]:
            section["boost"] = BOOSTED_CASES
        elif re.fullmatch(r"findings/kep-\d+/", section["location"]):
            section["boost"] = BOOSTED_PROPOSALS
    path.write_text(json.dumps(index, separators=(",", ":"), ensure_ascii=False), encoding="utf-8")


def description(markdown: str) -> str:
    """The first sentences of a page, as many as a search engine or a shared link shows.

    >>> description("# A rule\\n\\n| a | b |\\n\\nThis *rule* says [so](a.md). And more.")
    'This rule says so. And more.'
    """
    for paragraph in re.split(r"\n\s*\n", markdown):
        text = " ".join(_MARKED.sub(lambda found: found[1] or "", paragraph).split())
        text = re.sub(r":$", ".", text)
        if text and text[0].isalpha() and not paragraph.lstrip().startswith((":::", "```")):
            return _shortened(text)
    return ""


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    sentences = text[:_LONGEST].rpartition(". ")[0]
    return f"{sentences}." if sentences else f"{text[:_LONGEST].rpartition(' ')[0]} …"

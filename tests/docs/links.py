"""A small link checker for a built site."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}


@dataclass
class HtmlPage(HTMLParser):
    """What a page loads, where it links to, and which fragments it has."""

    path: Path
    loaded: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    fragments: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        for name in ("id", "name"):
            if name in values:
                self.fragments.add(values[name])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in _LOADED and _LOADED[tag] in values:
            self.loaded.append(values[_LOADED[tag]])

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    @property
    def words(self) -> str:
        """The text, with single spaces."""
        return " ".join("".join(self.text).split())


def read_site(root: Path) -> dict[Path, HtmlPage]:
    """Every page of a site, by its path."""
    return {path: HtmlPage(path) for path in sorted(root.rglob("*.html"))}


def is_elsewhere(url: str) -> bool:
    """Whether a URL leads to another host."""
    parts = urlsplit(url)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "ftp")


def broken(page: HtmlPage, root: Path, site: dict[Path, HtmlPage]) -> list[str]:
    """The links and loaded files of a page that lead nowhere."""
    # Links of the page for "not found" start at the root of the host, as it may be shown anywhere.
    return [
        url
        for url in (*page.links, *page.loaded)
        if not is_elsewhere(url) and not _leads(url, page, root, site)
    ]


def _leads(url: str, page: HtmlPage, root: Path, site: dict[Path, HtmlPage]) -> bool:
    parts = urlsplit(url)
    if parts.scheme in ("mailto", "data", "javascript"):
        return parts.scheme == "data"
    base = root if parts.path.startswith("/") else page.path.parent
    target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else page.path
    if target.is_dir():
        target = target / "index.html"
    if not target.is_file():
        return False
    # Material makes the fragments that begin so in the browser.
    made_later = parts.fragment.startswith("__")
    # What the playground opens has a test of its own.
    made_later = made_later or (target.parent.name == "playground" and parts.fragment.startswith("example="))
    return (
        not parts.fragment
        or made_later
        or target not in site
        or unquote(parts.fragment) in site[target].fragments
    )

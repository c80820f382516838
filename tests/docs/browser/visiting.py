"""What is looked at on every page: its width, its images, its console, its requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.docs.browser.barriers import met_in
from tests.docs.browser.driven import Tab

WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
SCHEMES = {"light": "default", "dark": "slate"}
KINDS = (
    "",
    "findings/",
    "how-to/why-was-my-job-evicted/",
    "playground/",
    "proofs/claims-tbp/",
    "proofs/obligations/",
    "rules/TBP-020-time-expired/",
)
"""A page of each kind, where looking at all takes too long: `make every-page` does."""

_UNPAINTED = "html { visibility: hidden !important }"
_LOOK = """
(() => {
  const width = document.documentElement.clientWidth;
  const scrolls = each => {
    for (let at = each; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX !== "visible" || style.position === "fixed") return true;
    }
    return false;
  };
  const found = [];
  if (document.documentElement.scrollWidth > width) {
    const wide = [...document.querySelectorAll("article *")]
      .filter(each => each.getBoundingClientRect().right > width + 0.5 && !scrolls(each));
    found.push(`is ${document.documentElement.scrollWidth} wide, because of ` +
      wide.slice(0, 3).map(each => `${each.localName} ${each.textContent.trim().slice(0, 40)}`).join("; "));
  }
  // On a phone code is scrolled; on a desk it has to be read at once.
  for (const code of width > 1000 ? document.querySelectorAll("article pre > code") : []) {
    if (code.offsetParent && code.scrollWidth > code.clientWidth + 1) {
      found.push(`cuts ${code.textContent.trim().slice(0, 40)}`);
    }
  }
  const hidden = document.body.dataset.mdColorScheme === "slate" ? "#only-light" : "#only-dark";
  for (const each of document.images) {
    if (each.src.includes("#only-") && each.src.endsWith(hidden) === Boolean(each.offsetParent)) {
      found.push(`shows the wrong one of two pictures: ${each.src}`);
    }
    if (each.offsetParent && each.complete && !each.naturalWidth) found.push(`shows no ${each.src}`);
    if (each.offsetParent && !each.alt) found.push(`does not say what ${each.src} shows`);
  }
  return found;
})()
"""

PICTURES = """
Promise.all([...document.images].filter(each => !each.complete && each.loading !== "lazy").map(each =>
  new Promise(done => { each.addEventListener("load", done); each.addEventListener("error", done); })))
.then(() => undefined)
"""
"""Waits until every picture of a page is there, or is known not to be."""

_TURN = """
async url => {
  const got = await fetch(url);
  if (!got.ok) throw new Error(`${got.status} for ${url}`);
  const page = new DOMParser().parseFromString(await got.text(), "text/html");
  let base = document.querySelector("base");
  if (!base) document.head.prepend(base = document.createElement("base"));
  base.href = url;
  document.title = page.title;
  document.querySelector(".md-container").replaceWith(document.adoptNode(page.querySelector(".md-container")));
}
"""


def pages_of(root: Path, base: str) -> list[tuple[str, int]]:
    """Every page's address, and which of its folder it is, from 0; redirects are left out."""
    found: list[tuple[str, int]] = []
    seen: dict[Path, int] = {}
    for path in sorted(root.rglob("*.html")):
        if 'http-equiv="refresh"' in path.read_text(encoding="utf-8"):
            continue
        place = seen.setdefault(path.parent.parent, 0)
        seen[path.parent.parent] += 1
        found.append((f"{base}/{path.relative_to(root).as_posix().removesuffix('index.html')}", place))
    return found


@contextmanager
def unpainted(browser: Tab) -> Iterator[None]:
    """Pages that are opened meanwhile are laid out, and not painted: no test looks at hundreds of them."""
    browser.styles.append(_UNPAINTED)
    yield
    browser.styles.remove(_UNPAINTED)


def visit(browser: Tab, url: str, base: str, checker: str = "") -> list[str]:
    """What is wrong with a page in either scheme, in the size that the browser has; nothing, of a good one.

    Args:
        browser: a tab.
        url: the page.
        base: the address of the site; whatever a page asks elsewhere is wrong.
        checker: the script that `barriers.checker` fetches; without it nobody looks for barriers.

    Raises:
        BrowserError: the page cannot be opened.
    """
    browser.open(url)
    return _seen(browser, base, checker)


def turn_to(browser: Tab, url: str, base: str, checker: str = "") -> list[str]:
    """The same of a page that is put into an open one, which shares its head and its scripts.

    It takes a fifth of the time, and there are hundreds of pages.

    Raises:
        BrowserError: there is no such page.
    """
    browser.value(f"({_TURN})({url!r})")
    return _seen(browser, base, checker)


def _seen(browser: Tab, base: str, checker: str) -> list[str]:
    found = []
    browser.value(PICTURES)
    browser.settle()
    for scheme, name in SCHEMES.items():
        browser.value(f'document.body.setAttribute("data-md-color-scheme", "{name}")')
        met = met_in(browser, checker, colours=scheme != "light") if checker else []
        found += [f"{scheme}: {problem}" for problem in (*browser.value(_LOOK), *met)]
    return [*found, *browser.complaints(base)]

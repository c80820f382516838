"""What keeps some readers out of a page, as axe-core finds it.

It comes from npm by its digest, as the playground's files do.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from docs.gen.playground import from_npm
from tests.docs.browser.driven import Tab

PINNED = Path(__file__).with_name("axe.toml")
_COLOURS = '{runOnly: ["color-contrast"]}'
_CHECKED = """
axe.run(document, {resultTypes: ["violations"], ...%s}).then(found => {
  const met = new Map();
  for (const rule of found.violations.filter(rule => ["serious", "critical"].includes(rule.impact))) {
    for (const node of rule.nodes) {
      const told = [...node.any, ...node.all, ...node.none].map(check => check.message)[0];
      const line = `${rule.impact}: ${rule.id}: ${told}`;
      met.set(line, [...met.get(line) || [], node.html.replace(/\\s+/g, " ").slice(0, 100)]);
    }
  }
  return [...met].map(([line, nodes]) => `${line} (${nodes.length} times: ${nodes[0]})`);
})
"""


def checker() -> str:
    """The script of axe-core.

    Raises:
        FetchError: it cannot be fetched, or is not the one that is pinned.
    """
    ((_, script),) = from_npm(tomllib.loads(PINNED.read_text(encoding="utf-8")))
    return script.decode()


def met_in(browser: Tab, script: str, *, colours: bool = False) -> list[str]:
    """Serious and critical barriers of the page as it is shown now; nothing, of a good one.

    Args:
        browser: a tab.
        script: what `checker` gave.
        colours: whether nothing else is looked at: all else is the same in either scheme.

    Raises:
        BrowserError: the checker fails.
    """
    if not browser.value("Boolean(window.axe)"):
        browser.value(f"{script};true")
    found: list[str] = browser.value(_CHECKED % (_COLOURS if colours else "{}"))
    return found

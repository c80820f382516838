"""What a visitor of the playground does, and what is seen there."""

from __future__ import annotations

import json

from tests.docs.browser.driven import Tab

STATE = 'document.getElementById("tenure-playground").dataset.state'
"""asked, decided, explained or problems."""


def part(name: str) -> str:
    return f"document.querySelector('[data-part={name}]')"


def explained(browser: Tab) -> None:
    """Wait for an answer; problems are one, and end the wait."""
    state = browser.until(f"['explained', 'problems'].find(each => each === {STATE})")
    assert state == "explained", browser.value('document.getElementById("tenure-playground").innerText')


def put(browser: Tab, name: str, value: str, event: str) -> None:
    """Give a control a value, and wait for the answer."""
    browser.value(f'{STATE} = ""')
    browser.value(f"{part(name)}.value = {value!r}")
    browser.value(f'{part(name)}.dispatchEvent(new Event("{event}", {{bubbles: true}}))')
    explained(browser)


def victims(browser: Tab) -> list[str]:
    found: list[str] = browser.value(
        f"[...{part('outcome')}.querySelectorAll('li')].map(each => each.textContent)"
    )
    return found


def write(browser: Tab, text: str) -> None:
    """Put a text in the place of the one in the editor."""
    browser.value(f"ace.edit(document.querySelector('[data-part=editor]')).setValue({json.dumps(text)})")


def pending(browser: Tab) -> list[str]:
    """The pending workloads to choose from, the chosen one first."""
    found: list[str] = browser.value(f"[...{part('workload')}.options].map(each => each.value)")
    chosen = browser.value(f"{part('workload')}.value")
    return sorted(found, key=lambda name: name != chosen)

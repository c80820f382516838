"""The command line: every page of the site in both browsers, on a desk and on a phone, light and dark."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from docs.gen.playground import FetchError
from tests.docs.browser.barriers import checker
from tests.docs.browser.driven import BROWSERS, Name, Tab, driven
from tests.docs.browser.serving import served
from tests.docs.browser.visiting import WIDTHS, pages_of, turn_to, unpainted, visit

DESCRIPTION = """Open every page of the site, and say what is wrong: wider than the window, pictures that are
missing or say nothing, errors and warnings, failed requests and requests elsewhere, and with --axe barriers
for readers.

Ends with 0 where nothing is, with 1 where something is, with 2 where no browser is installed,
or axe-core cannot be fetched."""


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line's arguments."""
    parser = argparse.ArgumentParser(
        "python -m tests.docs.browser",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--site", type=Path, default=Path("site"), help="a built site")
    parser.add_argument("--browser", choices=BROWSERS, action="append", help="only this one; may be repeated")
    parser.add_argument("--width", choices=WIDTHS, action="append", help="only this one; may be repeated")
    parser.add_argument("--axe", action="store_true", help="look for barriers by axe-core, from npm")
    parser.add_argument("--each", type=int, default=0, help="at most so many pages of each folder; 0: all")
    return parser.parse_args(given)


def look(tab: Tab, root: Path, width: str, script: str, each: int) -> Iterator[tuple[str, list[str]]]:
    """Pages opened in one size one after the other, and what is wrong with them: nothing, with a good one.

    Args:
        tab: of either browser.
        root: the site.
        width: a name of `WIDTHS`.
        script: axe-core, or nothing.
        each: how many pages of a folder at most; 0 for all.
    """
    tab.resize(*WIDTHS[width])
    with served(root, searched=False) as base, nullcontext() if script else unpainted(tab):
        tab.open(f"{base}/")
        for address, place in pages_of(root, base):
            if not each or place < each:
                seen = visit if script or place < 2 else turn_to
                yield address.removeprefix(base), seen(tab, address, base, script)


def main(given: Sequence[str] | None = None) -> int:
    """Open the pages; the exit code."""
    options = arguments(given)
    chosen = []
    for name in options.browser or BROWSERS:
        if BROWSERS[name] is None:
            print(f"{name} is not installed here: see `make browser`", file=sys.stderr)
        else:
            chosen.append(name)
    try:
        script = checker() if options.axe else ""
    except FetchError as error:
        print(f"axe-core cannot be fetched: {error}", file=sys.stderr)
        return 2
    found = sum(told(name, options, script) for name in chosen)
    return (1 if found else 0) if chosen else 2


def told(name: Name, options: argparse.Namespace, script: str) -> int:
    """In one browser: how many pages have problems, in one size or another; each problem is printed."""
    found = 0
    with driven(name) as tab:
        for width in options.width or WIDTHS:
            begun, pages, wrong = time.monotonic(), 0, 0
            for page, problems in look(tab, options.site, width, script, options.each):
                pages += 1
                if problems:
                    wrong += 1
                    print("\n    ".join((f"  {page}", *problems)), flush=True)
            print(
                f"{name}, {WIDTHS[width][0]} wide, light and dark{', axe-core' if script else ''}: "
                f"{pages} pages in {time.monotonic() - begun:.0f} s, {wrong} with problems",
                flush=True,
            )
            found += wrong
    return found


if __name__ == "__main__":
    sys.exit(main())

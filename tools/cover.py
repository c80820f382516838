"""`python -m tools.cover [--root DIR] [--document NAME=FILE]`: bring `spec/coverage/` up to date.

Known sentences keep their identifier and their account. A new one gets the next identifier and no account,
which TNL090 then asks for; one that the source no longer has loses its entry. With `--document` a page also
says on which line of that file, the page's `document` as it was downloaded, each of its sentences begins.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.accounts import UNACCOUNTED, brought_up_to_date, coverage_pages, rendered, with_lines
from tools.lints.quotes import seeds_folder
from tools.sentences import sentences


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.cover", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(), help="the tree (default: here)")
    parser.add_argument(
        "--document", action="append", default=[], metavar="NAME=FILE", help="kep-754=README.md"
    )
    options = parser.parse_args(arguments)
    root: Path = options.root
    documents = dict(pair.split("=", 1) for pair in options.document)
    for page in coverage_pages(root):
        source = seeds_folder(root) / str(page.front.get("source"))
        if not source.is_file():
            print(f"{page.path}: the source is not beside the repository: {page.front.get('source')}")
            return 1
        text = source.read_text(encoding="utf-8")
        current = brought_up_to_date(page, text, sentences(text))
        if (document := documents.get(Path(page.path).stem)) is not None:
            current = with_lines(current, Path(document).read_text(encoding="utf-8"))
        (root / page.path).write_text(rendered(current), encoding="utf-8")
        missing = sum(1 for entry in current.entries if entry.account == UNACCOUNTED)
        print(f"{page.path}: {len(current.entries)} sentences, {missing} without an account")
    return 0


if __name__ == "__main__":
    sys.exit(main())

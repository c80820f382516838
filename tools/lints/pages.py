"""The pages of rules and findings of a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tenure.pages import Page, pages_in

PAGES = Path("spec/rules")
FINDINGS = Path("spec/findings")
HEADINGS = ("Statement", "Comparisons", "Rationale", "Edge cases", "Source", "Readings")


def pages(root: Path) -> Iterator[Page]:
    """Every rule's page, by file name."""
    yield from pages_in(root / PAGES, root)


def findings(root: Path) -> Iterator[Page]:
    """Every finding's page, by file name."""
    yield from pages_in(root / FINDINGS, root)


def slug_of(title: str) -> str:
    """A title as it stands in a file name.

    >>> slug_of("Basis within a ClusterQueue")
    'basis-within-a-clusterqueue'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")

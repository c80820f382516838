"""The whole site, built once in a run of the tests."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from docs.gen.sources import places
from tests.command_line import run_program
from tests.docs.blocks import ROOT
from tests.docs.links import HtmlPage, read_site

_QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}


@dataclass(frozen=True)
class Site:
    """A built site: its folder, and every page in it."""

    root: Path
    pages: dict[Path, HtmlPage]

    def page(self, path: str) -> HtmlPage:
        """A page by its path."""
        return self.pages[self.root / path]

    def explained(self, identifier: str) -> tuple[HtmlPage, str]:
        """The page that explains an identifier, and the fragment."""
        path, _, fragment = places()[identifier].partition("#")
        return self.page(f"{path.removesuffix('.md')}/index.html"), fragment

    def rule(self, identifier: str) -> HtmlPage:
        """The page of a rule."""
        return self.page(f"{places()[identifier].removesuffix('.md')}/index.html")


def build(folder: Path) -> None:
    """Build the site as `make docs` does."""
    built = run_program(
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--site-dir",
        str(folder),
        cwd=ROOT,
        environment={**os.environ, **_QUIET},
    )
    assert built.returncode == 0, built.stdout + built.stderr


def read(root: Path) -> Site:
    """A built site, with its pages read."""
    return Site(root, read_site(root))

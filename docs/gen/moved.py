"""Redirects from the former addresses of rules and findings whose titles have changed."""

from __future__ import annotations

from html import escape
from pathlib import PurePosixPath

from docs.gen.markdown import Pages, Places
from docs.gen.sources import ROOT

MOVED = ROOT / "docs" / "gen" / "moved.txt"
"""A former path below `docs/` a line, without its ending."""


def redirects(places: Places) -> Pages:
    """The pages that lead from a former address to the present one.

    Args:
        places: where every rule and finding is explained.

    Raises:
        KeyError: a former address is that of nothing which has a page.

    >>> places = {"KQ-010": "rules/KQ-010-lower.md"}
    >>> redirect("rules/KQ-010-low", places)[0]
    'rules/KQ-010-low/index.html'
    """
    return dict(redirect(line, places) for line in MOVED.read_text(encoding="utf-8").splitlines())


def redirect(former: str, places: Places) -> tuple[str, str]:
    """The path and the text of one such page."""
    name = PurePosixPath(former).name
    present = PurePosixPath(places["-".join(name.split("-")[:2])]).with_suffix("")
    address = escape(f"../{present.relative_to(PurePosixPath(former).parent)}/")
    return (
        f"{former}/index.html",
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="refresh" content="0; url={address}">\n'
        f'<title>Moved</title>\n<p>This page has moved: <a href="{address}">{address}</a>.</p>\n',
    )

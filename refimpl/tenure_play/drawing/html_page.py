"""One HTML file that requests nothing: its style and its script are allowed by their digests alone."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html import escape

from tenure_play.drawing.svg import schemes


def page_policy(style: str, script: str = "", *, connects: bool = False) -> str:
    """The Content-Security-Policy of a page.

    Args:
        style, script: as `html_page` has them.
        connects: whether the script may ask the server of the page.

    >>> page_policy("p { margin: 0 }", connects=True).rpartition("; connect-src ")[2]
    "'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
    """
    scripts = f" script-src {_digest(script)};" if script else ""
    # Browsers ask a server for an icon, and complain where that is not allowed.
    connections = " connect-src 'self'; img-src 'self';" if connects else ""
    styles = f"style-src {_digest(_with_schemes(style))};"
    return f"default-src 'none'; {styles}{scripts}{connections} base-uri 'none'; form-action 'none'"


def html_page(
    title: str, style: str, body: Iterable[str], script: str = "", *, connects: bool = False
) -> str:
    """A page, light or dark as the reader's system is.

    Args:
        title: of the page, as plain text.
        style: rules of a style sheet below the colours of `schemes`.
        body: lines of HTML, in which everything foreign is escaped.
        script: what runs at the end of the page; empty for none.
        connects: whether the script may ask the server of the page.

    >>> page = html_page("a <b>", "p { margin: 0 }", ["<p>c</p>"])
    >>> "<title>a &lt;b&gt;</title>" in page, "default-src 'none'; style-src 'sha256-" in page
    (True, True)
    """
    policy = page_policy(style, script, connects=connects)
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{_with_schemes(style)}</style></head><body>"
    )
    end = f"<script>{script}</script>" if script else ""
    return "\n".join([head, *body, f"{end}</body></html>"]) + "\n"


def _with_schemes(style: str) -> str:
    return f"{schemes(':root')}{style}"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

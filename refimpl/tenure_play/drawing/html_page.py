"""One HTML file that requests nothing: its style and its script are allowed by their digests alone."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html import escape

from tenure_play.drawing.svg import schemes


def html_page(title: str, style: str, body: Iterable[str], script: str = "") -> str:
    """A page, light or dark as the reader's system is.

    Args:
        title: of the page, as plain text.
        style: rules of a style sheet below the colours of `schemes`.
        body: lines of HTML, in which everything foreign is escaped.
        script: what runs at the end of the page; empty for none.

    >>> page = html_page("a <b>", "p { margin: 0 }", ["<p>c</p>"])
    >>> "<title>a &lt;b&gt;</title>" in page, "default-src 'none'; style-src 'sha256-" in page
    (True, True)
    """
    style = f"{schemes(':root')}{style}"
    scripts = f" script-src {_digest(script)};" if script else ""
    policy = f"default-src 'none'; style-src {_digest(style)};{scripts} base-uri 'none'; form-action 'none'"
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>"
    )
    end = f"<script>{script}</script>" if script else ""
    return "\n".join([head, *body, f"{end}</body></html>"]) + "\n"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

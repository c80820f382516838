"""The part of a written page that a tool makes, between two comments."""

from __future__ import annotations

import re


def filled(page: str, name: str, part: str) -> str:
    r"""A page with a part in its place.

    >>> filled("<!-- a: python -m a -->\nold\n<!-- end of a -->\n", "a", "new").splitlines()
    ['<!-- a: python -m a -->', 'new', '<!-- end of a -->']
    """
    marked = re.compile(rf"(<!-- {name}: .*? -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    return marked.sub(lambda found: f"{found[1]}{part.rstrip()}\n{found[2]}", page)

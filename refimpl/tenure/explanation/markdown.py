"""Texts of others in Markdown."""

from __future__ import annotations


def as_code(text: str) -> str:
    """A name of an object, which may hold what Markdown would take for more than text.

    >>> as_code("ml/a|b")
    '`ml/a\\\\|b`'
    """
    return f"`{text.replace('`', chr(39)).replace('|', chr(92) + '|')}`" if text else ""


def as_prose(text: str) -> str:
    """A sentence with such names, as it stands in a table or a paragraph.

    >>> as_prose("a<b")
    'a&lt;b'
    """
    return text.replace("<", "&lt;").replace("|", chr(92) + "|")

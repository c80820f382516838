"""What somebody most likely meant who misspelt a name."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Final

from tenure.manifests.showing import printable

_LONGEST: Final = 100
_MOST: Final = 5000
"""Names that are compared; above this, comparing costs more than the hint is worth."""


def did_you_mean(name: object, known: Collection[str]) -> str:
    """The end of a sentence that expects a name: the one that looks like it, or nothing.

    Args:
        name: what was written.
        known: the names that there are.

    >>> did_you_mean("team-b1", ["team-b", "team-a"]), did_you_mean("x", ["team-a"])
    ('; did you mean team-b?', '')
    """
    if not isinstance(name, str) or len(name) > _LONGEST or len(known) > _MOST:
        return ""
    same = [each for each in known if each.lower() == name.lower()]
    found = same or difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.75)
    return f"; did you mean {printable(found[0])}?" if found else ""

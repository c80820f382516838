"""What one rule found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule found.

    Args:
        rule: its identifier.
        holds: whether it applies: a yes of a yes-or-no rule; for the others, not the plain case.
        text: the values compared.
    """

    rule: str
    holds: bool
    text: str

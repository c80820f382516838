"""What one rule found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule found."""

    rule: str
    """Its identifier."""
    holds: bool
    """Whether it applies: a yes of a yes-or-no rule; for the others, not the plain case."""
    text: str
    """The values compared."""

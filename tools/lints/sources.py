"""The sources that are accounted for, and the family of the rules that each demands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One source.

    Args:
        prefix: of the identifiers of its sentences.
        name: as pages call it; readings and findings begin their `source` with it.
        family: of its rules.
    """

    prefix: str
    name: str
    family: str

    def is_named_in(self, text: str) -> bool:
        """Whether a text on where something is from names it.

        >>> Source("754", "KEP-754", "DYN").is_named_in("KEP-7540, Goals")
        False
        """
        return f"{self.name}," in text or f"{self.name} " in text


SOURCES = (
    Source("8522", "KEP-8522", "TBP"),
    Source("8826", "KEP-8826", "UCQ"),
    Source("754", "KEP-754", "DYN"),
    Source("13396", "KEP-13396", "PCF"),
    Source("14468", "KEP-14468", "RBO"),
    Source("KAI", "KAI-Scheduler", "KMR"),
)
"""Every source that has a page of coverage, or gets one."""

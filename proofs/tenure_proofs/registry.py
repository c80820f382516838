"""`@obligation`: what is claimed of which rules, and what is expected of the claim."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tenure.readings import preset_names
from tenure_proofs.trusted.claim import Claim

Statement = Callable[[Claim], None]

_ID = re.compile(r"^PO-(KQ|TBP|UCQ|DYN|KMR)-\d{3}$")


class Verdict(StrEnum):
    """How an obligation ends."""

    PROVED = "proved"
    REFUTED = "refuted"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Obligation:
    """A claim about rules.

    Args:
        id: its identifier, issued once.
        rules: identifiers of the rules that it constrains; a mutant of one of them is tried against it.
        statement: writes facts and goals; its name is the claim.
        expect: PROVED or REFUTED for every preset.
        budget_s: seconds for one solver under one reading.
        title: the words of the matrix, for a headline invariant; else empty.
    """

    id: str
    rules: tuple[str, ...]
    statement: Statement
    expect: Mapping[str, Verdict]
    budget_s: float
    title: str

    @property
    def words(self) -> str:
        """The claim in words.

        >>> from tenure_proofs.obligations import OBLIGATIONS
        >>> OBLIGATIONS["PO-TBP-020"].words
        'exactly at the threshold a workload is kept'
        """
        return self.statement.__name__.replace("_", " ")


_OBLIGATIONS: dict[str, Obligation] = {}


def everywhere(verdict: Verdict) -> dict[str, Verdict]:
    """The same expectation under every preset."""
    return dict.fromkeys(preset_names(), verdict)


def obligation(
    identifier: str,
    *,
    rules: list[str],
    expect: Mapping[str, Verdict],
    budget_s: float = 5,
    title: str = "",
) -> Callable[[Statement], Statement]:
    """Register a statement as an obligation.

    Raises:
        ValueError: a malformed or taken identifier, no rules, or an expectation that leaves a preset out
            or expects anything but a proof or a refutation.
    """
    if not _ID.match(identifier) or identifier in _OBLIGATIONS:
        raise ValueError(f"{identifier!r} is malformed or taken")
    if not rules:
        raise ValueError(f"{identifier} names no rule")
    if set(expect) != set(preset_names()) or not set(expect.values()) <= {Verdict.PROVED, Verdict.REFUTED}:
        raise ValueError(f"{identifier} expects proved or refuted for each of {', '.join(preset_names())}")

    def register(statement: Statement) -> Statement:
        _OBLIGATIONS[identifier] = Obligation(
            identifier, tuple(rules), statement, dict(expect), budget_s, title
        )
        return statement

    return register


def all_obligations() -> Mapping[str, Obligation]:
    """Every registered obligation, by identifier."""
    return {identifier: _OBLIGATIONS[identifier] for identifier in sorted(_OBLIGATIONS)}

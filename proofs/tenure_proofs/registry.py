"""`@obligation`: what is claimed of which rules, and what is expected of the claim."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tenure.readings import Reading, parse_reading, preset_names
from tenure_proofs.budgets import Budget, budget_of
from tenure_proofs.stating import stating
from tenure_proofs.trusted.claim import Claim

Statement = Callable[[Claim], None]

_ID = re.compile(r"^PO-(KQ|TBP|UCQ|DYN|KMR|CYC|PCF|PPR|RBO|AN)-\d{3}$")


class Verdict(StrEnum):
    """How an obligation ends."""

    PROVED = "proved"
    REFUTED = "refuted"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"
    ERROR = "error"


PROVED, REFUTED = Verdict.PROVED, Verdict.REFUTED


@dataclass(frozen=True, slots=True)
class Obligation:
    """A claim about rules.

    Args:
        id: its identifier, issued once.
        rules: identifiers of the rules that it constrains; a mutant of one of them is tried against it.
        statement: writes facts and goals; its name is the claim, which `tenure.claims` words.
        expect: PROVED or REFUTED for every preset.
        budget: of one answer of one solver under one reading.
        title: the words of the matrix, for a headline invariant; else empty.
        also: the same for further columns: a preset with single choices, `guaranteed+wake=events`.
        irrespective_of: why the statement calls what its proof does not look at: by rule, or by call as
            the complaint about it shows it.
    """

    id: str
    rules: tuple[str, ...]
    statement: Statement
    expect: Mapping[str, Verdict]
    budget: Budget
    title: str
    also: Mapping[str, Verdict] = field(default_factory=dict)
    irrespective_of: Mapping[str, str] = field(default_factory=dict)

    def expected_under(self, column: str) -> Verdict:
        """What is expected under a preset or a further column."""
        return self.expect[column] if column in self.expect else self.also[column]

    def columns_beside(self, preset: str) -> tuple[str, ...]:
        """The further columns that change single choices of a preset."""
        return tuple(column for column in self.also if column.startswith(f"{preset}+"))

    def state(self, claim: Claim) -> None:
        """Write the statement into a claim.

        Raises:
            LiftError: it asks for the truth of a term, or what it calls cannot be read.
        """
        stating(self.statement)(claim)


_OBLIGATIONS: dict[str, Obligation] = {}


def reading_of(column: str) -> Reading:
    """The reading of a column: a preset, or a preset with single choices.

    Raises:
        InputError: there is no such preset, key or choice.

    >>> reading_of("guaranteed+requeue_order=creation").requeue_order.name
    'CREATION'
    """
    base, *choices = column.split("+")
    overrides = dict(choice.partition("=")[::2] for choice in choices)
    return parse_reading({"preset": base, **overrides}, for_proofs=True)


def everywhere(verdict: Verdict) -> dict[str, Verdict]:
    """The same expectation under every preset."""
    return dict.fromkeys(preset_names(), verdict)


def proved_under(*presets: str) -> dict[str, Verdict]:
    """Proved under these presets, and refuted under the others."""
    return {preset: PROVED if preset in presets else REFUTED for preset in preset_names()}


def obligation(
    identifier: str,
    *,
    rules: list[str],
    expect: Mapping[str, Verdict] | None = None,
    title: str = "",
    also: Mapping[str, Verdict] | None = None,
    irrespective_of: Mapping[str, str] | None = None,
) -> Callable[[Statement], Statement]:
    """Register a statement as an obligation, proved under every preset unless something else is expected.

    Raises:
        ValueError: a malformed or used identifier, no rules, an expectation that leaves a preset out or
            expects anything but a proof or a refutation, or a further column that is not written as its
            reading is named.
    """
    if not _ID.match(identifier) or identifier in _OBLIGATIONS:
        raise ValueError(f"{identifier!r} is malformed or in use")
    if not rules:
        raise ValueError(f"{identifier} names no rule")
    expected = everywhere(PROVED) if expect is None else dict(expect)
    if set(expected) != set(preset_names()) or not set(expected.values()) <= {PROVED, REFUTED}:
        raise ValueError(f"{identifier} expects proved or refuted for each of {', '.join(preset_names())}")
    columns = dict(also or {})
    for column, verdict in columns.items():
        if column in expected or reading_of(column).name != column:
            raise ValueError(f"{identifier}: {column!r} is no further column")
        if verdict not in (PROVED, REFUTED):
            raise ValueError(f"{identifier} expects proved or refuted under {column}")

    def register(statement: Statement) -> Statement:
        _OBLIGATIONS[identifier] = Obligation(
            identifier,
            tuple(rules),
            statement,
            expected,
            budget_of(identifier),
            title,
            columns,
            dict(irrespective_of or {}),
        )
        return statement

    return register


def all_obligations() -> Mapping[str, Obligation]:
    """Every registered obligation, by identifier."""
    return {identifier: _OBLIGATIONS[identifier] for identifier in sorted(_OBLIGATIONS)}

"""Entries of the specification by identifier: a rule, a finding, a claim, a reading, a vector."""

from tenure.reference.answer_types import Card, CardList, IdentifierKind
from tenure.reference.entries import card_of, entries_of, identifiers

__all__ = ["Card", "CardList", "IdentifierKind", "card_of", "entries_of", "identifiers"]

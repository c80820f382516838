"""What the specification says by an identifier: a rule, a finding, an obligation, a reading, a vector."""

from tenure.apps.lookup.answer_types import Card, CardList, Kind
from tenure.apps.lookup.cards import card_of, identifiers

__all__ = ["Card", "CardList", "Kind", "card_of", "identifiers"]

"""What is claimed of whole decisions; importing this registers all of it."""

from __future__ import annotations

from tenure_proofs.bounded.case import Postcondition, all_postconditions
from tenure_proofs.bounded.postconditions import heroes, order, outcome, repeated, victims

POSTCONDITIONS = all_postconditions()
"""By identifier."""

__all__ = ["POSTCONDITIONS", "Postcondition", "heroes", "order", "outcome", "repeated", "victims"]

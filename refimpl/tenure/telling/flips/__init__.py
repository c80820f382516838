"""The nearest flips: which one field of one object would have to differ for the answer to differ.

A search over single fields, each verified by deciding again. It knows the model and the oracle, and nothing
about how an answer is shown.
"""

from tenure.telling.flips.flip import Flip, apply
from tenure.telling.flips.nearest import DEFAULT_LIMIT, FlipsFound, nearest_flips, search_flips
from tenure.telling.flips.situation import FlipAnswer, Situation, answer_of
from tenure.telling.flips.wishes import FaresBetter, IsKept, IsPreempted, Wish

__all__ = [
    "DEFAULT_LIMIT",
    "FaresBetter",
    "Flip",
    "FlipAnswer",
    "FlipsFound",
    "IsKept",
    "IsPreempted",
    "Situation",
    "Wish",
    "answer_of",
    "apply",
    "nearest_flips",
    "search_flips",
]

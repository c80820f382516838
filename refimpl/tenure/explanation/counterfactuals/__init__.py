"""The nearest counterfactuals: which one field of one object would have to differ for the answer to differ.

A search over single fields, each verified by deciding again. It knows the model and the oracle, and nothing
about how an answer is shown.
"""

from tenure.explanation.counterfactuals.counterfactual import Counterfactual, apply
from tenure.explanation.counterfactuals.goals import FaresBetter, IsKept, IsPreempted, Wish
from tenure.explanation.counterfactuals.nearest import (
    CounterfactualsFound,
    nearest_counterfactuals,
    search_counterfactuals,
)
from tenure.explanation.counterfactuals.situation import FlipAnswer, Situation, answer_of

__all__ = [
    "Counterfactual",
    "CounterfactualsFound",
    "FaresBetter",
    "FlipAnswer",
    "IsKept",
    "IsPreempted",
    "Situation",
    "Wish",
    "answer_of",
    "apply",
    "nearest_counterfactuals",
    "search_counterfactuals",
]

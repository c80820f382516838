"""Label selectors of PreemptionConfigs and PreemptionLimits."""

from __future__ import annotations

from collections.abc import Mapping

from tenure.model import LabelSelector
from tenure.rules.preemption_config import is_label_selected


def is_label_set_selected(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """Whether a valid selector selects an object with some labels.

    >>> is_label_set_selected(LabelSelector(), {})
    True
    """
    return all(
        is_label_selected(
            requirement.operator, requirement.key in labels, labels.get(requirement.key) in requirement.values
        )
        for requirement in selector.requirements
    )

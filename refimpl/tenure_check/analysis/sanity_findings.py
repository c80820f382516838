"""What `tenure analyze sanity` finds: a field, and what holds of it in every state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tenure.validation.faults import WarningType


class SanityCheck(StrEnum):
    """What is checked."""

    LIMIT_NEVER_REACHED = "LimitNeverReached"
    NEVER_PREEMPTS = "NeverPreempts"
    NOTHING_TO_RECLAIM = "NothingToReclaim"
    ZERO_WEIGHT_NEVER_TAKES = "ZeroWeightNeverTakes"
    UNITS_DIFFER = "UnitsDiffer"
    UNUSED_CLASS = "UnusedClass"
    RULE_NEVER_APPLIES = "RuleNeverApplies"
    SELECTOR_ADDS_NOTHING = "SelectorAddsNothing"
    TRIED_AFTER_POLICIES = "TriedAfterPolicies"
    NOMINAL_NOT_PROTECTED = "NominalNotProtected"
    LABEL_SET_BY_USERS = "LabelSetByUsers"
    RECLAIMED_BY_ANY = "ReclaimedByAny"
    COHORT_QUOTA_ON_TOP = WarningType.COHORT_QUOTA_ON_TOP.value


@dataclass(frozen=True, slots=True)
class SanityFinding:
    """A field without effect, or hardly with the one that is meant.

    Args:
        check: see there.
        object: `ClusterQueue/a`.
        field: path of the field in v1beta2.
        message: what holds in every state, and what to do.
        why: the argument.
        rules: that it rests on.
    """

    check: SanityCheck
    object: str
    field: str
    message: str
    why: str
    rules: tuple[str, ...] = ()

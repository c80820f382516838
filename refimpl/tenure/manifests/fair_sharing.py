"""Fair sharing as Kueue is configured with it: the preemption strategies."""

from __future__ import annotations

from typing import Final

from tenure.errors import Problem
from tenure.manifests.showing import Place, show
from tenure.model import FairStrategy

DEFAULT_STRATEGIES: Final = (
    FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,
    FairStrategy.LESS_THAN_INITIAL_SHARE,
)
"""What Kueue does where fair sharing is on and no strategy is named."""

_WORDS = {
    "LessThanOrEqualToFinalShare": FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,
    "LessThanInitialShare": FairStrategy.LESS_THAN_INITIAL_SHARE,
}
_LISTS = {
    ("LessThanOrEqualToFinalShare",),
    ("LessThanInitialShare",),
    ("LessThanOrEqualToFinalShare", "LessThanInitialShare"),
}
_EXPECTED = "[LessThanOrEqualToFinalShare, LessThanInitialShare], or one of them alone"


def strategies_of(
    found: object, place: Place, field: str, problems: list[Problem], *, may_be_empty: bool
) -> tuple[FairStrategy, ...]:
    """The preemption strategies in their order.

    Args:
        found: the list, untrusted.
        place: where it stands, for the problems.
        field: path of the list.
        problems: gets what is wrong with it; the default is returned then.
        may_be_empty: whether an empty list means the default.

    Source: Kueue, validation of `fairSharing.preemptionStrategies`.

    >>> [each.name for each in strategies_of(["LessThanInitialShare"], Place(), "", [], may_be_empty=False)]
    ['LESS_THAN_INITIAL_SHARE']
    """
    if may_be_empty and found in (None, []):
        return DEFAULT_STRATEGIES
    if isinstance(found, list) and all(isinstance(word, str) for word in found) and tuple(found) in _LISTS:
        return tuple(_WORDS[word] for word in found)
    problems.append(place.problem(field, "nothing" if found is None else show(found), _EXPECTED))
    return DEFAULT_STRATEGIES

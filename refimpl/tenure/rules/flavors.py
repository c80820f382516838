"""Rules about which flavor a pending workload gets."""

from __future__ import annotations

from tenure.model import (
    Amount,
    BorrowWithinCohort,
    FlavorFungibility,
    FlavorMode,
    FlavorPreference,
    Fungibility,
    NodeOperator,
    NodeRequirement,
    ReclaimWithinCohort,
    Taint,
    Toleration,
)
from tenure.rules.quota import can_ever_fit
from tenure.rules.registry import rule
from tenure.rules.terms import PreemptionTerms


@rule("KQ-520")
def mode_without_search(
    request: Amount, free: Amount, potential: Amount, nominal: Amount, reaches: bool
) -> FlavorMode:
    """How a flavor could be assigned, by quota alone.

    > The mode of a flavor before the search for targets is:
    >
    > 1. NoFit, when the request can never fit;
    > 2. Fit, when the request is available;
    > 3. NoCandidates, to be replaced by the result of the search, when the
    >    request is within the nominal quota or preemption while borrowing
    >    is allowed;
    > 4. NoFit otherwise.

    Args:
        request: what all pod sets so far ask of the flavor-resource.
        free: what is available at the ClusterQueue, not below zero (KQ-180).
        potential: the most that it could ever have (KQ-160).
        nominal: its nominal quota.
        reaches: whether quota below the root of the tree could serve the request, or the queue may
            preempt while it borrows (KQ-530).

    Returns:
        NO_FIT, FIT, or NO_CANDIDATES where the search for targets decides.

    Source: Kueue main of August 2026, flavor assigner.

    >>> mode_without_search(request=5, free=5, potential=9, nominal=4, reaches=False).name
    'FIT'
    """
    if not can_ever_fit(request, potential):
        return FlavorMode.NO_FIT
    if request <= free:
        return FlavorMode.FIT
    if request <= nominal or reaches:
        return FlavorMode.NO_CANDIDATES
    return FlavorMode.NO_FIT


@rule("KQ-530")
def may_preempt_while_borrowing(terms: PreemptionTerms) -> bool:
    """Whether a ClusterQueue may preempt for a request that borrows.

    > A ClusterQueue may preempt while borrowing when its borrowWithinCohort
    > is not Never; under fair sharing also when its reclaimWithinCohort is
    > not Never.

    Args:
        terms: what holds for the preemptor.

    Source: Kueue main of August 2026, flavor assigner.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> queue = ClusterQueue("q", reclaim_within_cohort=ReclaimWithinCohort.ANY)
    >>> may_preempt_while_borrowing(terms_of(queue, Settings(fair_sharing=()), preset("guaranteed")))
    True
    """
    if terms.borrow_within_cohort != BorrowWithinCohort.NEVER:
        return True
    return terms.fair_sharing and terms.reclaim_within_cohort != ReclaimWithinCohort.NEVER


@rule("KQ-540")
def mode_after_search(any_target: bool, any_own_target: bool) -> FlavorMode:
    """How a flavor could be assigned, after targets were looked for.

    > The mode is NoCandidates when the search found no targets, Preempt
    > when at least one target is in the preemptor's ClusterQueue, and
    > Reclaim otherwise.

    Args:
        any_target: whether the search for this flavor-resource alone found targets.
        any_own_target: whether one of them is of the preemptor's ClusterQueue.

    Source: Kueue main of August 2026, preemption oracle of the flavor assigner.

    >>> mode_after_search(any_target=True, any_own_target=False).name
    'RECLAIM'
    """
    if not any_target:
        return FlavorMode.NO_CANDIDATES
    return FlavorMode.PREEMPT if any_own_target else FlavorMode.RECLAIM


@rule("KQ-550")
def is_preferred(
    mode: FlavorMode, level: int, other: FlavorMode, other_level: int, preference: FlavorPreference
) -> bool:
    """Whether one way of assigning is better than another.

    > Of two flavors, the better one is decided by, in turn:
    >
    > 1. a flavor with mode NoFit is never better, and any other flavor is
    >    better than it;
    > 2. a flavor with mode NoCandidates is worse than any other that
    >    remains;
    > 3. BorrowingOverPreemption prefers the higher mode and then the lower
    >    borrowing level; PreemptionOverBorrowing the lower borrowing level
    >    and then the higher mode.

    Args:
        mode, other: the two modes.
        level, other_level: how far up the tree quota is borrowed from; 0 for not at all.
        preference: the ClusterQueue's `flavorFungibility.preference`.

    Source: Kueue v1beta2, `FlavorFungibility.preference`; Kueue main of August 2026, flavor assigner.

    >>> borrowing = FlavorPreference.BORROWING_OVER_PREEMPTION
    >>> is_preferred(FlavorMode.FIT, 2, FlavorMode.PREEMPT, 0, borrowing)
    True
    """
    if mode == FlavorMode.NO_FIT or other == FlavorMode.NO_FIT:
        return mode != FlavorMode.NO_FIT
    if (mode == FlavorMode.NO_CANDIDATES) != (other == FlavorMode.NO_CANDIDATES):
        return mode != FlavorMode.NO_CANDIDATES
    if preference == FlavorPreference.PREEMPTION_OVER_BORROWING and level != other_level:
        return level < other_level
    if mode != other:
        return is_higher_mode(mode, other)
    return level < other_level


@rule("KQ-560")
def is_higher_mode(mode: FlavorMode, other: FlavorMode) -> bool:
    """Whether a mode is higher than a different one.

    > Flavor modes from lowest to highest: NoFit, NoCandidates, Preempt,
    > Reclaim, Fit.

    Args:
        mode, other: two modes.

    Source: Kueue main of August 2026, flavor assigner.

    >>> is_higher_mode(FlavorMode.RECLAIM, FlavorMode.PREEMPT)
    True
    """
    if mode == FlavorMode.FIT or other == FlavorMode.FIT:
        return other != FlavorMode.FIT
    if mode == FlavorMode.RECLAIM or other == FlavorMode.RECLAIM:
        return other != FlavorMode.RECLAIM
    if mode == FlavorMode.PREEMPT or other == FlavorMode.PREEMPT:
        return other != FlavorMode.PREEMPT
    return mode == FlavorMode.NO_CANDIDATES and other == FlavorMode.NO_FIT


@rule("KQ-570")
def tries_next_flavor(mode: FlavorMode, level: int, fungibility: FlavorFungibility) -> bool:
    """Whether the search goes on to the next flavor.

    > The next flavor is tried when:
    >
    > 1. the current one has mode NoFit or NoCandidates;
    > 2. it would need preemption and whenCanPreempt is TryNextFlavor;
    > 3. it would borrow and whenCanBorrow is TryNextFlavor.

    Args:
        mode: how the flavor could be assigned.
        level: how far up the tree quota is borrowed from; 0 for not at all.
        fungibility: the ClusterQueue's `flavorFungibility`.

    Source: Kueue v1beta2, `FlavorFungibility`.

    >>> tries_next_flavor(FlavorMode.FIT, 1, FlavorFungibility())
    False
    """
    if mode == FlavorMode.NO_FIT or mode == FlavorMode.NO_CANDIDATES:
        return True
    if level != 0 and fungibility.when_can_borrow == Fungibility.TRY_NEXT_FLAVOR:
        return True
    return mode != FlavorMode.FIT and fungibility.when_can_preempt == Fungibility.TRY_NEXT_FLAVOR


@rule("KQ-580")
def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether a toleration covers a taint.

    > A toleration covers a taint when all hold:
    >
    > 1. its effect, if it names one, is the taint's;
    > 2. its key, if it names one, is the taint's;
    > 3. its operator is Exists, or its value is the taint's.

    Args:
        toleration: of a pod or of the flavor.
        taint: of the flavor, of effect NoSchedule or NoExecute.

    Source: Kubernetes core/v1, tolerations; Kueue v1beta2, `ResourceFlavorSpec.nodeTaints`.

    >>> tolerates(Toleration(key="gpu", exists=True), Taint("gpu", "a100"))
    True
    """
    if toleration.effect is not None and toleration.effect != taint.effect:
        return False
    if toleration.key is not None and toleration.key != taint.key:
        return False
    return toleration.exists or toleration.value == taint.value


@rule(
    "KQ-590", lift=False, reason="the values of a label are a list, and Gt and Lt read numbers out of texts"
)
def meets_requirement(requirement: NodeRequirement, value: str) -> bool:
    """Whether a flavor's label meets an expression of a required node affinity.

    > In and NotIn compare the label's value with the listed values; Exists
    > and DoesNotExist check whether the label is present; Gt and Lt compare
    > it as a whole number. A requirement that lists a value which no label
    > can have is never met.

    Args:
        requirement: an expression over a label that the flavor has; one over another label is left out.
        value: the label's value.

    Source: Kubernetes core/v1, node affinity; Kueue main of August 2026, flavors and node affinity.

    >>> meets_requirement(NodeRequirement("gpu", NodeOperator.GREATER, ("3",)), "4")
    True
    """
    if not all(_is_label_value(value) for value in requirement.values):
        return False
    match requirement.operator:
        case NodeOperator.IN:
            return value in requirement.values
        case NodeOperator.NOT_IN:
            return value not in requirement.values
        case NodeOperator.EXISTS:
            return True
        case NodeOperator.DOES_NOT_EXIST:
            return False
    if len(requirement.values) != 1 or not (_is_whole(value) and _is_whole(requirement.values[0])):
        return False
    if requirement.operator == NodeOperator.GREATER:
        return int(value) > int(requirement.values[0])
    return int(value) < int(requirement.values[0])


def _is_label_value(text: str) -> bool:
    """Whether a label can have this value: at most 63 of letters, digits, `-_.`, the ends alphanumeric."""
    inner = text.replace("-", "a").replace("_", "a").replace(".", "a")
    if text == "":
        return True
    return len(text) <= 63 and inner.isascii() and inner.isalnum() and (text[0] + text[-1]).isalnum()


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number of 64 bits, as Go reads it."""
    digits = text[1:] if text.startswith(("+", "-")) else text
    return digits.isascii() and digits.isdigit() and -(2**63) <= int(text) < 2**63


@rule("KQ-600")
def reduced_count(count: int, fewest: int, step: int, steps: int) -> int:
    """The number of pods that partial admission tries.

    > A pod set's count is reduced from its full count to its minCount in
    > proportion to the step, rounded up.

    Args:
        count: the full number of pods.
        fewest: its minCount; the full number where there is none.
        step: which reduction, from 0 for none.
        steps: how many there are: the differences of all pod sets together, above zero.

    Source: Kueue v1beta2, `PodSet.minCount`; Kueue main of August 2026, pod set reducer.

    >>> reduced_count(count=10, fewest=4, step=3, steps=6)
    7
    """
    return count - (count - fewest) * step // steps


@rule("KQ-610")
def scaled_request(request: Amount, count: int, new_count: int) -> Amount:
    """The request of a pod set for another number of pods.

    > A request for another number of pods is the request of one pod times
    > that number.

    Args:
        request: what `count` pods ask for.
        count: at least 0.
        new_count: the other number of pods.

    Source: Kueue main of August 2026, scaling of pod sets (divides, then multiplies).

    >>> scaled_request(10, 4, 3)
    6
    """
    if count == 0 or count == new_count:
        return request
    return request // count * new_count

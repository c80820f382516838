"""Feature gates: which names there are, and which of them decide."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from tenure.errors import ErrorCode, Problem, close_name
from tenure.manifests.kueue_api import GATE, api_entries, gates_of
from tenure.manifests.showing import Place, did_you_mean, printable, show
from tenure.model import FairStrategy, RequeuingTimestamp, Settings

TIME_BASED: Final = "TimeBasedSamePriorityPreemption"
"""KEP-8522's gate, on by default."""

PROTECTION: Final = "PreemptionProtection"
"""KEP-9876's gate, off by default."""

RECLAIMABLE_PODS: Final = "ReclaimablePods"
"""Whether `status.reclaimablePods` release quota; on by default."""

STAGES: Final = ("AllAlpha", "AllBeta")
"""Names that switch all gates of a stage. Source: Kubernetes, component-base/featuregate."""

SETTING_OF_GATE: Final[Mapping[str, str]] = {
    TIME_BASED: "time_based_preemption",
    "PriorityBoost": "priority_boost",
    "PrioritySortingWithinCohort": "priority_sorting_within_cohort",
    "FairSharingPreemptWithinNominal": "fair_sharing_preempt_within_nominal",
    "FlavorFungibility": "flavor_fungibility",
    "PartialAdmission": "partial_admission",
    "TopologyAwareScheduling": "topology_aware_scheduling",
}
"""The field of `Settings` that a gate sets."""

_OFF: Final = frozenset(("DisableWaitForPodsReady", "FairSharingRefill", "PreemptionProtection"))
"""Gates read by `is_on` that are off by default."""


_MISSPELT: Final = 0.9
"""From so much in common on, a name is that of a known gate with a mistake."""


@cache
def known_gates() -> frozenset[str]:
    """Every feature gate that Tenure knows.

    >>> "ReclaimablePods" in known_gates()
    True
    """
    return frozenset(gate for entry in api_entries() if entry.object == GATE for gate in entry.fields)


def refused_gates(*, fair_sharing: bool = True) -> dict[str, str]:
    """The gates that are refused where they are on, and what they would switch on.

    Args:
        fair_sharing: whether fair sharing is on, without which some of them decide nothing.

    >>> "FairSharingReevaluatePreemptionCandidates" in refused_gates(fair_sharing=False)
    False
    """
    return {gate: entry.why for gate, entry in gates_of("refused").items() if fair_sharing or not entry.under}


def is_on(gate: str, gates: Mapping[str, bool]) -> bool:
    """Whether a gate is on, by its default in v0.19.2 where it is not set.

    >>> is_on("ReclaimablePods", {}), is_on("DisableWaitForPodsReady", {})
    (True, False)
    """
    return gates.get(gate, gate not in _OFF)


def over_time_problems(
    gates: Mapping[str, bool], place: Place, field: str = "featureGates", *, fair_sharing: bool
) -> list[Problem]:
    """The gates that change what happens over several cycles, and are not modelled so.

    Args:
        gates: by name, already checked.
        place: where they are, for the problems.
        field: path of the map.
        fair_sharing: whether fair sharing is on.

    Source: Kueue v0.19.2, `entryComparer.less`.

    >>> gates = {"FairSharingPrioritizeNonBorrowing": False}
    >>> over_time_problems(gates, Place(), fair_sharing=True)[0].found
    'False'
    """
    return [
        place.problem(
            f"{field}.{gate}",
            str(not off),
            f"{str(off).lower()}: {entry.why} is not modelled",
            ErrorCode.NOT_MODELLED,
        )
        for off in (True, False)
        for gate, entry in gates_of("over-time", off=off).items()
        if fair_sharing and is_on(gate, gates) != off
    ]


def gate_problems(
    found: object,
    place: Place,
    field: str = "featureGates",
    *,
    fair_sharing: bool = True,
    newer: list[str] | None = None,
) -> list[Problem]:
    """What is wrong with a map of feature gates.

    Args:
        found: the map, untrusted; None is empty.
        place: where it is, for the problems.
        field: path of the map.
        fair_sharing: whether fair sharing is on, without which some gates decide nothing.
        newer: gets the gates that Tenure does not know and that are no misspelt ones, as a newer Kueue may
            have them; None where they are problems too.

    Source: Kueue, the feature gates of its base and the code that checks them.

    >>> problem, = gate_problems({"PriorityBost": True}, Place())
    >>> print(problem)
    featureGates.PriorityBost: found True, expected a feature gate of Kueue; did you mean PriorityBoost?
    """
    if found is None:
        return []
    if not isinstance(found, Mapping):
        return [place.problem(field, show(found), "a map of feature gates to true or false")]
    refused = refused_gates(fair_sharing=fair_sharing)
    problems: list[Problem] = []
    for name, value in found.items():
        if newer is not None and isinstance(value, bool) and _is_newer(name):
            newer.append(printable(str(name)))
        elif problem := _problem(name, value, place, field, refused):
            problems.append(problem)
    return problems


def _is_newer(name: object) -> bool:
    """Whether a name is neither that of a gate that Tenure knows, nor nearly one."""
    known = known_gates() | {*STAGES}
    is_name = isinstance(name, str) and name.isascii() and name.isalnum() and name[:1].isupper()
    return is_name and name not in known and close_name(name, known, cutoff=_MISSPELT) is None


def _problem(
    name: object, value: object, place: Place, field: str, refused: Mapping[str, str]
) -> Problem | None:
    path = f"{field}.{printable(str(name))}"
    if name in STAGES and isinstance(value, bool):
        expected = "the gates themselves: a switch for all gates of a stage is not modelled"
        return place.problem(path, show(value), expected, ErrorCode.NOT_MODELLED)
    if name not in known_gates():
        hint = did_you_mean(name, known_gates())
        return place.problem(path, show(value), f"a feature gate of Kueue{hint}")
    if not isinstance(value, bool):
        return place.problem(path, show(value), "true or false")
    if value and name in refused:
        expected = f"false: {refused[str(name)]} is not modelled"
        return place.problem(path, "True", expected, ErrorCode.NOT_MODELLED)
    return None


def settings_of(
    gates: Mapping[str, bool],
    requeuing_timestamp: RequeuingTimestamp = RequeuingTimestamp.EVICTION,
    fair_sharing: tuple[FairStrategy, ...] | None = None,
) -> Settings:
    """The settings that some feature gates make; what is not named keeps Kueue's default.

    Args:
        gates: by name, already checked.
        requeuing_timestamp: see `RequeuingTimestamp`.
        fair_sharing: the preemption strategies; None for classical preemption.

    >>> settings_of({"PriorityBoost": True}).priority_boost
    True
    """
    named: dict[str, Any] = {field: gates[gate] for gate, field in SETTING_OF_GATE.items() if gate in gates}
    defaults = Settings(requeuing_timestamp=requeuing_timestamp, fair_sharing=fair_sharing)
    return dataclasses.replace(defaults, **named)

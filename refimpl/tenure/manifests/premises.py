"""What an answer takes for granted because no object shows it, and what it must not take for granted."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Final

from tenure.errors import ErrorCode, InputError, Problem
from tenure.manifests.configuration import FairSharingSource
from tenure.manifests.configuration_in_status import BY_USAGE
from tenure.manifests.feature_gates import PROTECTION
from tenure.manifests.kueue_api import CONFIGURABLE
from tenure.manifests.load import Loaded
from tenure.model import Cluster, PriorityMode, Workload
from tenure.units import format_duration, format_names

ASSUMED_OFF: Final = "fair sharing off, no Configuration was given (--fair-sharing sets it)"
BY_OPERATOR: Final = "by preemptionPolicy of OpenShift's Kueue"
SHOWN_ON: Final = "fair sharing on by status.fairSharing, with the default strategies"

PRIORITY_BOOST: Final = "PriorityBoost"
BOOST_OFF: Final = (
    f"gate {PRIORITY_BOOST} off, as by default: mode Boosted is Base (featureGates of a Configuration set it)"
)
GATE_ON: Final = "gate ConfigurablePreemptions on, which v0.20 has off by default (--feature-gates sets it)"
NO_COOLDOWN: Final = (
    "no cooldown of reclaimBackoff runs yet, as no object shows one (KEP-14468, from its text)"
)
NOTHING_COUNTED: Final = (
    "no preemption counts toward a PreemptionLimit yet, as no object shows when one was (the future work of "
    "KEP-13396, from its text)"
)
FROM_TEXT: Final = "PreemptionConfigs from the text of Kueue v0.20 and its tests, not run"

_MOST: Final = 5
"""ClusterQueues that a premise names."""


def premises_of(loaded: Loaded, queues: Iterable[str] | None = None) -> tuple[str, ...]:
    """What is assumed of how Kueue is configured, as far as it decides in some ClusterQueues.

    Args:
        loaded: the cluster.
        queues: names of ClusterQueues; None for all.

    Source: Kueue v0.19.2; a share compares a ClusterQueue with others of its cohort, so that fair sharing
    decides nothing in a ClusterQueue without one.

    >>> from tenure.model import ClusterQueue
    >>> cluster = Cluster({"a": ClusterQueue("a", cohort="all"), "b": ClusterQueue("b")})
    >>> premises_of(Loaded(cluster, fair_sharing=FairSharingSource.ASSUMED), ["a"])
    ('fair sharing off, no Configuration was given (--fair-sharing sets it)',)
    >>> premises_of(Loaded(cluster, fair_sharing=FairSharingSource.ASSUMED), ["b"])
    ()
    """
    names = [*(loaded.cluster.cluster_queues if queues is None else queues)]
    sharing: tuple[str, ...] = ()
    if _has_cohort(loaded.cluster, names):
        cooldowns = loaded.cluster.settings.reclaim_backoff is not None
        sharing = (*_fair_sharing(loaded), *((NO_COOLDOWN,) if cooldowns else ()))
    sharing = (*sharing, *configured_premises(loaded, names))
    by_usage = sorted(loaded.by_usage.intersection(names))
    if not by_usage:
        return sharing
    where = f"{'ClusterQueue' if len(by_usage) == 1 else 'ClusterQueues'} {format_names(by_usage, _MOST)}"
    return (*sharing, f"the order by usage in {where} is not modelled; what depends on it is not decided")


def configured_premises(loaded: Loaded, names: Iterable[str]) -> tuple[str, ...]:
    """What is assumed where a PreemptionConfig decides about workloads that wait in some ClusterQueues.

    Args:
        loaded: the cluster.
        names: of the ClusterQueues.

    >>> from tenure.model import ClusterQueue
    >>> cluster = Cluster({"a": ClusterQueue("a", preemption_config="c")})
    >>> configured_premises(Loaded(cluster, gates={"ConfigurablePreemptions": True}), ["a"])
    ('PreemptionConfigs from the text of Kueue v0.20 and its tests, not run',)
    """
    known = loaded.cluster.cluster_queues
    queues = [known[name] for name in names if name in known and known[name].preemption_config is not None]
    if not queues:
        return ()
    gates = {**loaded.gates, **loaded.flag_gates}
    boosted = any(
        selector.mode == PriorityMode.BOOSTED
        for queue in queues
        if (config := loaded.cluster.config_of(queue)) is not None
        for rule in config.rules
        for selector in rule.candidates
    )
    on = () if gates.get(CONFIGURABLE) else (GATE_ON,)
    shown = loaded.cluster.settings.priority_boost or PRIORITY_BOOST in gates
    off = (BOOST_OFF,) if boosted and not shown else ()
    counted = (NOTHING_COUNTED,) if loaded.cluster.limits_in_force else ()
    return (*on, *off, FROM_TEXT, *counted)


def _fair_sharing(loaded: Loaded) -> tuple[str, ...]:
    is_on = loaded.cluster.settings.fair_sharing is not None
    match loaded.fair_sharing:
        case FairSharingSource.ASSUMED:
            return (ASSUMED_OFF,)
        case FairSharingSource.STATUS if is_on:
            return (SHOWN_ON,)
        case FairSharingSource.OPERATOR:
            return (f"fair sharing {'on' if is_on else 'off'} {BY_OPERATOR}",)
        case _:
            return ()


def premises_of_both(before: Loaded, after: Loaded) -> tuple[str, ...]:
    """What is assumed on either side of a comparison; what holds of one side only, with that side.

    >>> from tenure.model import ClusterQueue
    >>> one = Loaded(Cluster({"a": ClusterQueue("a", cohort="all")}), fair_sharing=FairSharingSource.ASSUMED)
    >>> premises_of_both(one, Loaded(one.cluster))
    ('before: fair sharing off, no Configuration was given (--fair-sharing sets it)',)
    """
    one, other = premises_of(before), premises_of(after)
    if one == other:
        return one
    both = tuple(premise for premise in one if premise in other)
    earlier = (f"before: {premise}" for premise in one if premise not in other)
    return (*both, *earlier, *(f"after: {premise}" for premise in other if premise not in one))


def premises_of_states(loaded: Loaded) -> tuple[str, ...]:
    """What an answer about all states of a configuration assumes of how Kueue is configured.

    The order by usage is one of candidates of several LocalQueues: no proof rests on it, and examples have
    one LocalQueue in each ClusterQueue.

    >>> premises_of_states(Loaded(Cluster({}), by_usage=frozenset({"a"})))
    ('examples have one LocalQueue in ClusterQueue a, whose order by usage is not modelled',)
    """
    found = premises_of(replace(loaded, by_usage=frozenset()))
    if not loaded.by_usage:
        return found
    names = format_names(sorted(loaded.by_usage), _MOST)
    queues = "ClusterQueue" if len(loaded.by_usage) == 1 else "ClusterQueues"
    return (*found, f"examples have one LocalQueue in {queues} {names}, whose order by usage is not modelled")


def order_by_usage(by_usage: Container[str], workloads: Iterable[tuple[str, Workload]]) -> Problem | None:
    """A ClusterQueue some of whose workloads Kueue orders by what their LocalQueues have used; None without.

    Args:
        by_usage: the ClusterQueues that are ordered so.
        workloads: those whose order decides, each with its ClusterQueue.

    Source: Kueue v0.19.2, `queueOrderingFunc` of those that wait, `CandidatesOrdering` of those that run; of
    one LocalQueue neither uses it.

    >>> one, other = (Workload("ml", name, name, 0, 0, queue_name=name) for name in "ab")
    >>> order_by_usage({"q"}, [("q", one)]) is None
    True
    >>> print(order_by_usage({"q"}, [("q", one), ("q", other)]))  # doctest: +ELLIPSIS
    ClusterQueue/q: spec.admissionScope.admissionMode: found UsageBasedAdmissionFairSharing, expected ...
    """
    found: dict[str, set[str]] = {}
    for queue, workload in workloads:
        if queue in by_usage:
            names = found.setdefault(queue, set())
            names.add(f"{workload.namespace}/{workload.queue_name}")
            if len(names) > 1:
                expected = (
                    f"no workloads of several LocalQueues, as of {' and '.join(sorted(names))}: the order "
                    "by usage, which decides here, is not modelled"
                )
                called, field = f"ClusterQueue/{queue}", "spec.admissionScope.admissionMode"
                return Problem(field, BY_USAGE, expected, called, code=ErrorCode.NOT_MODELLED)
    return None


def unused_weights(loaded: Loaded) -> tuple[str, ...]:
    """What to warn of where weights are set that decide nothing, because fair sharing is assumed to be off.

    >>> unused_weights(Loaded(Cluster({}), fair_sharing=FairSharingSource.ASSUMED))
    ()
    """
    found = _weights_without_source(loaded)
    if not found:
        return ()
    return (f"{found[0]}: spec.fairSharing.weight has no effect: assumed is {ASSUMED_OFF}",)


def refuse_unstated(loaded: Loaded, *, by_option: bool = True) -> None:
    """Refuse weights of fair sharing where nothing shows whether it is on: what is proved would rest on it.

    Durations of preemptionProtection (KEP-9876), reclaimBackoff (KEP-14468) and what KEP-13396 plans are
    refused too: what is proved does not know them.

    Args:
        loaded: the configuration.
        by_option: whether the command has `--fair-sharing`.

    Raises:
        InputError: a weight that decides under fair sharing, which is neither configured nor shown; a
            protection or a back-off in force.

    >>> from tenure.model import ClusterQueue
    >>> cluster = Cluster({"a": ClusterQueue("a", cohort="all")})
    >>> found = Loaded(cluster, fair_sharing=FairSharingSource.ASSUMED, weighted=("ClusterQueue/a",))
    >>> refuse_unstated(found)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tenure.errors.InputError: ClusterQueue/a: spec.fairSharing.weight: found a weight, and neither ...
    """
    if loaded.cluster.settings.protects_from_others:
        expected = (
            f"nothing, or feature gate {PROTECTION} off: states with protected workloads are not covered"
        )
        found = Problem(
            "preemptionProtection",
            "a minAdmitDuration",
            expected,
            "Configuration",
            code=ErrorCode.NOT_MODELLED,
        )
        raise InputError([found])
    if loaded.cluster.settings.reclaim_backoff is not None:
        expected = "false: states in which a cooldown runs are not covered"
        unknown = Problem(
            "reclaimBackoff.enable", "true", expected, "Configuration", code=ErrorCode.NOT_MODELLED
        )
        raise InputError([unknown])
    if loaded.cluster.execution_minimums:
        minimum = Problem(
            "spec.rules[].candidateSelectors[].minExecutionDuration",
            format_duration(min(loaded.cluster.execution_minimums)),
            "nothing: states in which workloads have not run long enough are not covered",
            "PreemptionConfig",
            code=ErrorCode.NOT_MODELLED,
        )
        raise InputError([minimum])
    if limits := loaded.cluster.limits_in_force:
        limited = Problem(
            "kind",
            "a PreemptionLimit",
            "none: states that differ in the preemptions that it counts are not covered",
            f"PreemptionLimit/{limits[0].name}",
            code=ErrorCode.NOT_MODELLED,
        )
        raise InputError([limited])
    deciding = _weights_without_source(loaded)
    if deciding:
        option = ", or --fair-sharing default or off" if by_option else ""
        count = "a weight" if len(deciding) == 1 else f"{len(deciding)} weights of ClusterQueues and Cohorts"
        raise InputError(
            [
                Problem(
                    "spec.fairSharing.weight",
                    f"{count}, and neither Kueue's Configuration nor status.fairSharing",
                    f"the ConfigMap kueue-manager-config beside the queues{option}: "
                    "whether fair sharing is on decides who may preempt whom",
                    object=deciding[0],
                    code=ErrorCode.BAD_INPUT,
                )
            ]
        )


def _weights_without_source(loaded: Loaded) -> list[str]:
    """Who sets a weight that decides if fair sharing is on, where nothing shows whether it is."""
    if loaded.fair_sharing != FairSharingSource.ASSUMED:
        return []
    return [
        called
        for called in loaded.weighted
        if called.startswith("Cohort/") or _has_cohort(loaded.cluster, [called.partition("/")[2]])
    ]


def _has_cohort(cluster: Cluster, queues: Iterable[str]) -> bool:
    known = cluster.cluster_queues
    return any(known[name].cohort is not None for name in queues if name in known)

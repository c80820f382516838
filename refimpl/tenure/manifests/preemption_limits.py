"""One untrusted PreemptionLimit to the model, or everything that is wrong with it. A proposal, from its text.

Source: KEP-13396, FUTURE_WORK, PreemptionLimit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from tenure.errors import ErrorCode, Problem
from tenure.manifests.checking import check
from tenure.manifests.conversion import header_problems, read_one
from tenure.manifests.fields import Count, DurationText, Known, KubernetesObject, Text
from tenure.manifests.preemption_configs import LabelSelectorSpec, label_selector
from tenure.manifests.selectable import LIMIT_KIND, PREEMPTION_LIMIT_VERSIONS
from tenure.manifests.showing import Place
from tenure.model import SECOND, LimitScope, PreemptionLimit
from tenure.units import format_duration


class PreemptionLimitSpec(Known):
    """Source: KEP-13396, FUTURE_WORK, Proposed API for PreemptionLimit."""

    scope: Literal["Global", "PreemptingClusterQueue", "PreemptedClusterQueue", "PreemptedWorkload"]
    config_selector: LabelSelectorSpec | None = None
    cluster_queue_selector: LabelSelectorSpec | None = None
    rule_names: list[Text] | None = None
    limit: Count
    limit_window_duration: DurationText


class PreemptionLimitObject(KubernetesObject):
    """A PreemptionLimit."""

    spec: PreemptionLimitSpec


def read_preemption_limit(raw: object, *, where: str = "") -> PreemptionLimit:
    """A PreemptionLimit.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error.

    Raises:
        InputError: everything that is wrong with it, or not modelled.

    Source: KEP-13396, FUTURE_WORK, Proposed API for PreemptionLimit.

    >>> spec = {"scope": "Global", "limit": 10, "limitWindowDuration": "5m"}
    >>> read_preemption_limit({"metadata": {"name": "calm"}, "spec": spec}).limit
    10
    """
    return read_one(raw, LIMIT_KIND, where, preemption_limit)


def preemption_limit(raw: object, place: Place, problems: list[Problem]) -> PreemptionLimit | None:
    """As `read_preemption_limit`; problems are added to `problems`, and the result is None."""
    known = len(problems)
    problems.extend(header_problems(raw, LIMIT_KIND, PREEMPTION_LIMIT_VERSIONS, place))
    checked = check(PreemptionLimitObject, raw, place, problems)
    if checked is None:
        return None
    found = _limit(checked)
    problems.extend(_conflicts(found, checked.spec, place))
    return None if len(problems) > known else found


def limit_problems(raw: object, place: Place) -> Iterator[Problem]:
    """What is wrong with a PreemptionLimit beyond the shapes of its fields, or not modelled.

    Args:
        raw: the object, untrusted; one of another shape has none.
        place: of the object.
    """
    checked = check(PreemptionLimitObject, raw, place, [])
    if checked is not None:
        yield from _conflicts(_limit(checked), checked.spec, place)


def _limit(checked: PreemptionLimitObject) -> PreemptionLimit:
    spec = checked.spec
    return PreemptionLimit(
        checked.metadata.name,
        LimitScope.labelled()[spec.scope],
        spec.limit,
        spec.limit_window_duration,
        label_selector(spec.config_selector),
        label_selector(spec.cluster_queue_selector),
        tuple(spec.rule_names or ()),
    )


def _conflicts(found: PreemptionLimit, spec: PreemptionLimitSpec, place: Place) -> Iterator[Problem]:
    """What the API server or Kueue would refuse, and what the text leaves open."""
    if found.window < SECOND:
        expected = "at least 1s: limitWindowDuration is a sliding window"
        yield place.problem("spec.limitWindowDuration", format_duration(found.window), expected)
    for name, selector in (("configSelector", found.configs), ("clusterQueueSelector", found.queues)):
        if selector.fault:
            yield place.problem(f"spec.{name}", selector.fault, "a label selector that Kubernetes can build")
    if found.scope == LimitScope.GLOBAL and spec.cluster_queue_selector is not None:
        expected = (
            "nothing beside scope Global: its text does not say whether it selects the preemptor's "
            "ClusterQueue or the victim's"
        )
        yield place.problem("spec.clusterQueueSelector", "a label selector", expected, ErrorCode.NOT_MODELLED)

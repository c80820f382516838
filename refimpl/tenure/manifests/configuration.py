"""Kueue's own Configuration to the settings that decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import StrictBool

from tenure.errors import ErrorCode, Problem
from tenure.manifests.checking import check
from tenure.manifests.conversion import or_raise
from tenure.manifests.feature_gates import RECLAIMABLE_PODS, gate_problems, settings_of
from tenure.manifests.fields import Open
from tenure.manifests.showing import Place, show
from tenure.manifests.structure import dig
from tenure.manifests.yaml_text import parse_yaml
from tenure.model import FairStrategy, RequeuingTimestamp, Settings

DEFAULT_STRATEGIES: Final = (
    FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,
    FairStrategy.LESS_THAN_INITIAL_SHARE,
)
"""What Kueue does where fair sharing is on and no strategy is named."""

_WORDS = {
    "LessThanOrEqualToFinalShare": FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,
    "LessThanInitialShare": FairStrategy.LESS_THAN_INITIAL_SHARE,
}
DEFAULT_STRATEGY_NAMES: Final = tuple(word for word, named in _WORDS.items() if named in DEFAULT_STRATEGIES)
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
        place: where it is, for the problems.
        field: path of the list.
        problems: gets what is wrong with it; the default is returned then.
        may_be_empty: whether an empty list means the default.

    Source: Kueue, validation of `fairSharing.preemptionStrategies`.

    >>> found = strategies_of(["LessThanInitialShare"], Place(), "", [], may_be_empty=False)
    >>> [strategy.name for strategy in found]
    ['LESS_THAN_INITIAL_SHARE']
    """
    if may_be_empty and found in (None, []):
        return DEFAULT_STRATEGIES
    if isinstance(found, list) and all(isinstance(word, str) for word in found) and tuple(found) in _LISTS:
        return tuple(_WORDS[word] for word in found)
    problems.append(place.problem(field, "nothing" if found is None else show(found), _EXPECTED))
    return DEFAULT_STRATEGIES


GROUP: Final = "config.kueue.x-k8s.io"
VERSIONS: Final = (f"{GROUP}/v1beta2", f"{GROUP}/v1beta1")
KEY: Final = "controller_manager_config.yaml"
"""The key of the ConfigMap that holds the Configuration in a cluster."""

_TIMESTAMPS = {
    None: RequeuingTimestamp.EVICTION,
    "Eviction": RequeuingTimestamp.EVICTION,
    "Creation": RequeuingTimestamp.CREATION,
}


@dataclass(frozen=True, slots=True)
class Configured:
    """What a Configuration says, as far as it decides.

    Args:
        settings: for the decision.
        reclaimable: feature gate ReclaimablePods, for reading workloads.
    """

    settings: Settings
    reclaimable: bool = True


class _Requeuing(Open):
    timestamp: Literal["Eviction", "Creation"] | None = None


class _WaitForPodsReady(Open):
    enable: StrictBool | None = None
    requeuing_strategy: _Requeuing | None = None


class _FairSharing(Open):
    enable: StrictBool | None = None
    preemption_strategies: Any = None


class _Resources(Open):
    quota_check_strategy: Any = None
    exclude_resource_prefixes: Any = None
    transformations: Any = None


class _Configuration(Open):
    """Source: Kueue, Configuration of `config.kueue.x-k8s.io`; what does not decide passes."""

    fair_sharing: _FairSharing | None = None
    wait_for_pods_ready: _WaitForPodsReady | None = None
    feature_gates: Any = None
    admission_fair_sharing: Any = None
    resources: _Resources | None = None


def read_configuration(raw: object, *, where: str = "") -> Configured:
    """Kueue's Configuration of `config.kueue.x-k8s.io/v1beta2` or `v1beta1`.

    Args:
        raw: the object, untrusted.
        where: path to put before the path of every field in an error.

    Raises:
        InputError: everything that is wrong with it, or decides and is not modelled.

    Source: Kueue, types, defaults, conversion and validation of its Configuration.

    >>> gates = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "featureGates": {"PriorityBoost": True}}
    >>> read_configuration(gates).settings.priority_boost
    True
    """
    problems: list[Problem] = []
    return or_raise(configuration(raw, Place("Configuration", where=where), problems), problems)


def configuration(raw: object, place: Place, problems: list[Problem]) -> Configured | None:
    """As `read_configuration`; what is wrong is added to `problems`, and the result is None."""
    known = len(problems)
    version = dig(raw, "apiVersion")
    if version not in VERSIONS:
        problems.append(place.problem("apiVersion", show(version), " or ".join(VERSIONS)))
    checked = check(_Configuration, raw, place, problems)
    if checked is None:
        return None
    gates = checked.feature_gates
    problems.extend(gate_problems(gates, place))
    problems.extend(_not_modelled(checked, place))
    fair = _fair_sharing(checked.fair_sharing, place, problems, switched=version != VERSIONS[0])
    timestamp = _timestamp(checked.wait_for_pods_ready, switched=version != VERSIONS[0])
    if len(problems) > known:
        return None
    return Configured(settings_of(gates or {}, timestamp, fair), (gates or {}).get(RECLAIMABLE_PODS, True))


def embedded(raw: object, place: Place, problems: list[Problem]) -> tuple[object, Place] | None:
    """The Configuration inside a ConfigMap, and its place; None where the ConfigMap holds no such thing.

    Args:
        raw: a ConfigMap, untrusted.
        place: the ConfigMap, for the problems.
        problems: gets what is wrong with the text.

    Source: the ConfigMap `kueue-manager-config` of a Kueue installation. Other controllers keep theirs under
    the same key, with another API group.

    >>> text = "apiVersion: config.kueue.x-k8s.io/v1beta2\\nkind: Configuration"
    >>> found, place = embedded({"data": {"controller_manager_config.yaml": text}}, Place("ConfigMap/a"), [])
    >>> place.problem("fairSharing", "1", "a map").field
    'data[controller_manager_config.yaml].fairSharing'
    """
    text = dig(raw, "data", KEY)
    if not isinstance(text, str) or GROUP not in text:
        return None
    inner = Place(place.object, place.file, f"data[{KEY}]")
    documents, wrong = parse_yaml(text, place.file)
    problems.extend(inner.problem(problem.field, problem.found, problem.expected) for problem in wrong)
    found = [document.content for document in documents if document.content is not None]
    if wrong or len(found) != 1:
        if not wrong:
            problems.append(inner.problem("", f"{len(found)} documents", "one Configuration"))
        return None
    return found[0], inner


def _not_modelled(checked: _Configuration, place: Place) -> list[Problem]:
    resources = checked.resources or _Resources()
    ignores = resources.quota_check_strategy == "IgnoreUndeclared"
    refused = (
        ("admissionFairSharing", checked.admission_fair_sharing, "usage-based admission fair sharing"),
        ("resources.transformations", resources.transformations, "a transformation of requests"),
        ("resources.excludeResourcePrefixes", resources.exclude_resource_prefixes, "leaving out resources"),
        ("resources.quotaCheckStrategy", ignores and "IgnoreUndeclared", "ignoring undeclared resources"),
    )
    return [
        place.problem(field, show(found), f"nothing here: {reason} is not modelled", ErrorCode.NOT_MODELLED)
        for field, found, reason in refused
        if found
    ]


def _fair_sharing(
    found: _FairSharing | None, place: Place, problems: list[Problem], *, switched: bool
) -> tuple[FairStrategy, ...] | None:
    """In v1beta1 a flag switches it on; in v1beta2 its presence does, and strategies have no default."""
    if found is None or (switched and not found.enable):
        return None
    field = "fairSharing.preemptionStrategies"
    return strategies_of(found.preemption_strategies, place, field, problems, may_be_empty=switched)


def _timestamp(found: _WaitForPodsReady | None, *, switched: bool) -> RequeuingTimestamp:
    if found is None or found.requeuing_strategy is None or (switched and not found.enable):
        return RequeuingTimestamp.EVICTION
    return _TIMESTAMPS[found.requeuing_strategy.timestamp]

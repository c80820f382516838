"""Kueue's own Configuration to the settings that decide."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal

from pydantic import StrictBool, StrictInt

from tenure.errors import ErrorCode, InputError, Problem
from tenure.manifests.checking import check
from tenure.manifests.conversion import or_raise
from tenure.manifests.feature_gates import (
    PROTECTION,
    RECLAIMABLE_PODS,
    gate_problems,
    is_on,
    over_time_problems,
    settings_of,
)
from tenure.manifests.fields import DurationText, Open, Text
from tenure.manifests.showing import Place, show
from tenure.manifests.structure import dig
from tenure.manifests.yaml_text import parse_yaml
from tenure.model import SECOND, FairStrategy, ReclaimBackoff, RequeuingTimestamp, Settings
from tenure.units import format_duration, format_names

DEFAULT_STRATEGIES: Final = (
    FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,
    FairStrategy.LESS_THAN_INITIAL_SHARE,
)
"""What Kueue does where fair sharing is on and no strategy is named."""


class FairSharingSource(StrEnum):
    """Where it is known from whether fair sharing is on."""

    GIVEN = "given"
    """The Configuration, or the caller."""
    OPERATOR = "operator"
    """The object of OpenShift's operator."""
    STATUS = "status"
    """The status of ClusterQueues and Cohorts, which names no strategies."""
    ASSUMED = "assumed"
    """Nothing shows it: it is assumed to be off, which is Kueue's default."""


DEFAULT_STRATEGY_NAMES: Final = tuple(strategy.label for strategy in DEFAULT_STRATEGIES)
_LISTS = {tuple(FairStrategy.labelled()), *((strategy.label,) for strategy in FairStrategy)}
_EXPECTED = f"[{', '.join(FairStrategy.labelled())}], or one of them alone"


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
        return tuple(FairStrategy.labelled()[word] for word in found)
    problems.append(place.problem(field, "nothing" if found is None else show(found), _EXPECTED))
    return DEFAULT_STRATEGIES


GROUP: Final = "config.kueue.x-k8s.io"
NEWEST: Final = f"{GROUP}/v1beta2"
VERSIONS: Final = (NEWEST, f"{GROUP}/v1beta1")
KEY: Final = "controller_manager_config.yaml"
"""The key of the ConfigMap that holds the Configuration in a cluster."""

_MOST: Final = 5
"""Feature gates that a warning names."""

DEFAULT_FRAMEWORKS: Final = ("batch/job",)
"""The kinds of jobs that Kueue takes where a Configuration names none."""


@dataclass(frozen=True, slots=True)
class Configured:
    """The fields of a Configuration that affect decisions.

    Args:
        settings: for the decision.
        reclaimable: feature gate ReclaimablePods, for reading workloads.
        by_usage: whether `admissionFairSharing` is in force, for ClusterQueues that request it.
        over_time: what decides only over several cycles and is not modelled.
        gates: the feature gates that it sets.
        notes: what to warn of.
        newer: what to warn of feature gates that Tenure does not know.
        frameworks: the kinds of jobs that Kueue takes, as `integrations.frameworks` calls them.
        every_job: whether Kueue takes jobs that name no queue, too.
    """

    settings: Settings
    reclaimable: bool = True
    by_usage: bool = False
    over_time: tuple[Problem, ...] = ()
    gates: Mapping[str, bool] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = DEFAULT_FRAMEWORKS
    every_job: bool = False


NOT_BLOCKED: Final = (
    "false: that no workload is admitted until the pods of all admitted ones are ready is not modelled"
)
"""What a question about several cycles expects of `waitForPodsReady.blockAdmission`."""


class _Requeuing(Open):
    timestamp: Literal["Eviction", "Creation"] | None = None


class _WaitForPodsReady(Open):
    enable: StrictBool | None = None
    block_admission: StrictBool | None = None
    requeuing_strategy: _Requeuing | None = None


class _FairSharing(Open):
    enable: StrictBool | None = None
    preemption_strategies: Any = None


class _ProtectionPolicy(Open):
    min_admit_duration: DurationText | None = None


class PreemptionProtection(Open):
    """`preemptionProtection` of KEP-9876, a proposal: durations in ns, as they are written."""

    fair_sharing: _ProtectionPolicy | None = None
    reclaim_within_cohort: _ProtectionPolicy | None = None


def with_protection(
    settings: Settings, found: PreemptionProtection | None, gates: Mapping[str, bool]
) -> Settings:
    """The settings with the durations that are in force, those of gate PreemptionProtection.

    Args:
        settings: without them.
        found: what is configured.
        gates: by name, already checked.

    >>> with_protection(Settings(), None, {}) == Settings()
    True
    """
    if found is None or not is_on(PROTECTION, gates):
        return settings
    fair, reclaim = found.fair_sharing, found.reclaim_within_cohort
    return dataclasses.replace(
        settings,
        fair_sharing_protection=None if fair is None else fair.min_admit_duration,
        reclaim_protection=None if reclaim is None else reclaim.min_admit_duration,
    )


def protection_problems(found: PreemptionProtection | None, place: Place) -> Iterator[Problem]:
    """Durations that are not longer than zero.

    Args:
        found: what is configured.
        place: where it is.

    Source: KEP-9876, Validation.
    """
    if found is None:
        return
    policies = {"fairSharing": found.fair_sharing, "reclaimWithinCohort": found.reclaim_within_cohort}
    for name, policy in policies.items():
        duration = None if policy is None else policy.min_admit_duration
        if duration is not None and duration <= 0:
            field = f"preemptionProtection.{name}.minAdmitDuration"
            yield place.problem(field, format_duration(duration), "a duration longer than 0s (KEP-9876)")


BACKOFF_FIELDS: Final = {
    "backoffBaseSeconds": "base",
    "backoffMaxSeconds": "most",
    "backoffResetSeconds": "reset",
}
"""Those of `reclaimBackoff` that hold seconds, and what `ReclaimBackoff` calls each."""


class _ReclaimBackoff(Open):
    """Source: KEP-14468, Kueue Configuration API."""

    enable: StrictBool | None = None
    backoff_base_seconds: StrictInt | None = None
    backoff_max_seconds: StrictInt | None = None
    backoff_reset_seconds: StrictInt | None = None

    @property
    def written(self) -> dict[str, int | None]:
        """The seconds by field; None where they are not set."""
        seconds = (self.backoff_base_seconds, self.backoff_max_seconds, self.backoff_reset_seconds)
        return dict(zip(BACKOFF_FIELDS, seconds, strict=True))


def _backoff_of(written: Mapping[str, int | None]) -> ReclaimBackoff:
    """What is written, and defaults for the rest."""
    found = {BACKOFF_FIELDS[field]: value * SECOND for field, value in written.items() if value is not None}
    return ReclaimBackoff(**found)


def backoff_conflicts(written: Mapping[str, int | None]) -> Iterator[tuple[str, int, str]]:
    """What Kueue would refuse of `reclaimBackoff`: the field, its seconds, and what is expected.

    Args:
        written: the seconds by field, as `BACKOFF_FIELDS` has them; None where they are not set.

    Source: KEP-14468, Kueue Configuration API: checked whatever `enable` is; of two fields that do not go
        together the one that is set is named.

    >>> [expected for _, _, expected in backoff_conflicts({"backoffBaseSeconds": 7200})]
    ['at most backoffMaxSeconds, 3600', 'less than backoffResetSeconds, 600']
    """
    backoff = _backoff_of(written)
    values = {field: getattr(backoff, name) // SECOND for field, name in BACKOFF_FIELDS.items()}
    base, most, reset = values.values()
    wrong = [name for name, seconds in values.items() if seconds <= 0]
    for name in wrong:
        yield name, values[name], "a number above 0"
    if not wrong and most < base:
        if written.get("backoffMaxSeconds") is not None:
            yield "backoffMaxSeconds", most, f"at least backoffBaseSeconds, {base}"
        else:
            yield "backoffBaseSeconds", base, f"at most backoffMaxSeconds, {most}"
    if not wrong and reset <= base:
        if written.get("backoffResetSeconds") is not None:
            yield "backoffResetSeconds", reset, f"more than backoffBaseSeconds, {base}"
        else:
            yield "backoffBaseSeconds", base, f"less than backoffResetSeconds, {reset}"


def _backoff_problems(found: _ReclaimBackoff | None, place: Place, *, older: bool) -> Iterator[Problem]:
    if found is None:
        return
    if older:
        yield place.problem(
            "reclaimBackoff", "a back-off", f"nothing in {VERSIONS[1]}: KEP-14468 adds it to {NEWEST}"
        )
    for name, value, expected in backoff_conflicts(found.written):
        yield place.problem(f"reclaimBackoff.{name}", str(value), f"{expected} (KEP-14468)")


class _Resources(Open):
    quota_check_strategy: Any = None
    exclude_resource_prefixes: Any = None
    transformations: Any = None
    device_class_mappings: Any = None


class _Integrations(Open):
    frameworks: list[Text] | None = None


class _Configuration(Open):
    """Source: Kueue, Configuration of `config.kueue.x-k8s.io`; what does not decide passes."""

    fair_sharing: _FairSharing | None = None
    wait_for_pods_ready: _WaitForPodsReady | None = None
    feature_gates: Any = None
    admission_fair_sharing: Any = None
    resources: _Resources | None = None
    integrations: _Integrations | None = None
    preemption_protection: PreemptionProtection | None = None
    reclaim_backoff: _ReclaimBackoff | None = None
    manage_jobs_without_queue_name: StrictBool | None = None


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
    """As `read_configuration`; problems are added to `problems`, and the result is None."""
    known = len(problems)
    version = dig(raw, "apiVersion")
    if version not in VERSIONS:
        problems.append(place.problem("apiVersion", show(version), " or ".join(VERSIONS)))
    checked = check(_Configuration, raw, place, problems)
    if checked is None:
        return None
    gates = checked.feature_gates
    if isinstance(gates, dict):
        # Go reads null as false.
        gates = {name: False if on is None else on for name, on in gates.items()}
    switched = version != VERSIONS[0]
    shares = checked.fair_sharing is not None and bool(checked.fair_sharing.enable or not switched)
    newer: list[str] = []
    problems.extend(gate_problems(gates, place, fair_sharing=shares, newer=newer))
    if len(problems) > known:
        return None
    set_gates: Mapping[str, bool] = gates or {}
    problems.extend(_not_modelled(checked, set_gates, place))
    problems.extend(protection_problems(checked.preemption_protection, place))
    problems.extend(_backoff_problems(checked.reclaim_backoff, place, older=switched))
    fair = _fair_sharing(checked.fair_sharing, place, problems, switched=switched)
    timestamp = _timestamp(checked.wait_for_pods_ready, switched=switched)
    if len(problems) > known:
        return None
    blocking = _blocking(checked.wait_for_pods_ready, set_gates, place, switched=switched)
    settings = settings_of(set_gates, timestamp, fair)
    backoff = checked.reclaim_backoff
    if backoff is not None and backoff.enable:
        settings = dataclasses.replace(settings, reclaim_backoff=_backoff_of(backoff.written))
    return Configured(
        settings=with_protection(settings, checked.preemption_protection, set_gates),
        reclaimable=is_on(RECLAIMABLE_PODS, set_gates),
        by_usage=checked.admission_fair_sharing is not None and is_on("AdmissionFairSharing", set_gates),
        over_time=(*blocking, *over_time_problems(set_gates, place, fair_sharing=fair is not None)),
        gates=set_gates,
        notes=tuple(_notes(checked)),
        newer=(_newer_gates_text(newer),) if newer else (),
        frameworks=tuple((checked.integrations and checked.integrations.frameworks) or DEFAULT_FRAMEWORKS),
        every_job=bool(checked.manage_jobs_without_queue_name),
    )


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


def configuration_in(raw: object) -> dict[str, Any] | None:
    """The Configuration that an object is, or holds; None where it is another object.

    Args:
        raw: an object of any kind, untrusted.

    Raises:
        InputError: a ConfigMap whose Configuration cannot be read.

    >>> configuration_in({"kind": "ClusterQueue"}) is None
    True
    """
    if dig(raw, "kind") == "ConfigMap":
        problems: list[Problem] = []
        found = embedded(raw, Place("ConfigMap"), problems)
        raw = None if found is None else found[0]
        if problems:
            raise InputError(problems)
    return {**raw} if isinstance(raw, dict) and dig(raw, "apiVersion") in VERSIONS else None


def _not_modelled(checked: _Configuration, gates: Mapping[str, bool], place: Place) -> list[Problem]:
    resources = checked.resources or _Resources()
    ignores = resources.quota_check_strategy == "IgnoreUndeclared" and is_on("QuotaCheckStrategy", gates)
    refused = (
        ("resources.transformations", resources.transformations, "a transformation of requests"),
        ("resources.excludeResourcePrefixes", resources.exclude_resource_prefixes, "leaving out resources"),
        ("resources.quotaCheckStrategy", ignores and "IgnoreUndeclared", "ignoring undeclared resources"),
    )
    return [
        place.problem(field, show(found), f"nothing here: {reason} is not modelled", ErrorCode.NOT_MODELLED)
        for field, found, reason in refused
        if found
    ]


def _blocking(
    found: _WaitForPodsReady | None, gates: Mapping[str, bool], place: Place, *, switched: bool
) -> list[Problem]:
    """Blocked admission, which v1beta1 switches on together with the wait for pods.

    Source: Kueue v0.19.2, `blockForPodsReady`, conversion of `WaitForPodsReady`.
    """
    if found is None or is_on("DisableWaitForPodsReady", gates) or (switched and not found.enable):
        return []
    blocks = switched if found.block_admission is None else found.block_admission
    if not blocks:
        return []
    found_text = show(found.block_admission) if found.block_admission else "nothing, which is true in v1beta1"
    return [place.problem("waitForPodsReady.blockAdmission", found_text, NOT_BLOCKED, ErrorCode.NOT_MODELLED)]


def _newer_gates_text(newer: Sequence[str]) -> str:
    """What is to be warned of feature gates that Tenure does not know."""
    count = len(newer)
    gates, they = ("feature gate", "it decides") if count == 1 else (f"{count} feature gates", "they decide")
    return f"Tenure does not know the {gates} {format_names(sorted(newer), _MOST)}, nor what {they}"


def _notes(checked: _Configuration) -> Iterator[str]:
    if checked.resources is not None and checked.resources.device_class_mappings:
        yield (
            "resources.deviceClassMappings: a request of an extended resource that a DeviceClass backs is "
            "counted as it is written, not as it is mapped"
        )


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
    return RequeuingTimestamp.labelled()[found.requeuing_strategy.timestamp or "Eviction"]

"""Kueue's Configuration, as its manager decodes and validates it at its start.

Source: Kueue v0.19.2, `apis/config` and `pkg/config`; the manager refuses fields that it does not know.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tenure.manifests.configuration import BACKOFF_FIELDS, GROUP, backoff_conflicts
from tenure.manifests.jobs.integrations import INTEGRATIONS
from tenure.manifests.namespaces import is_selected
from tenure.manifests.served import (
    INT64,
    REFERENCE,
    Anything,
    Duration,
    Fields,
    Flag,
    Items,
    Named,
    Number,
    Shape,
    Text,
    at,
    kueue_shape,
)
from tenure.manifests.showing import show
from tenure.manifests.structure import entries, items, whole
from tenure.validation.faults import (
    Fault,
    Rule,
    Subject,
    duplicate,
    duration,
    invalid,
    not_supported,
    quantity,
    text,
)
from tenure.validation.labels import selector_faults, value_faults
from tenure.validation.walk import deviations

_OLDER: Final = f"{GROUP}/v1beta1"

FRAMEWORKS: Final = tuple(sorted({found.framework for found in INTEGRATIONS.values()}))
"""The integrations of v0.19."""

LOCKED: Final[Mapping[str, bool]] = {
    **dict.fromkeys(
        (
            "HierarchicalCohorts",
            "ManagedJobsNamespaceSelectorAlwaysRespected",
            "MultiKueueRedoAdmissionOnEvictionInWorker",
            "MultiKueueWaitForWorkloadAdmitted",
            "ObjectRetentionPolicies",
            "PropagateBatchJobLabelsToWorkload",
            "SkipFinalizersForPodsSuspendedByParent",
        ),
        True,
    ),
    "MultiKueueAllowInsecureKubeconfigs": False,
}
"""Feature gates of v0.19 that have one value only."""

_TAS: Final = "TopologyAwareScheduling"
_NODES: Final = "TASFailedNodeReplacement"
_SLICES: Final = "ElasticJobsViaWorkloadSlices"
_DRA: Final = "KueueDRAIntegration"
_OBSERVED: Final = "UnadmittedWorkloadsObservability"
NEEDS: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(
        (
            _NODES,
            "TASBalancedPlacement",
            "TASHandleOverlappingFlavors",
            "TASMultiLayerTopology",
            "TASProfileMixed",
            "TASRecomputeAssignmentWithinSchedulingCycle",
            "TASReplaceNodeOnNodeTaints",
            "TASRespectNodeAffinityPreferred",
        ),
        (_TAS,),
    ),
    **dict.fromkeys(
        (
            "TASFailedNodeReplacementFailFast",
            "TASReplaceNodeDueToNotReadyOverFixedTime",
            "TASReplaceNodeOnPodTermination",
        ),
        (_TAS, _NODES),
    ),
    "ElasticJobsViaWorkloadSlicesWithTAS": (_SLICES, _TAS),
    "UnadmittedWorkloadsExplicitStatus": (_OBSERVED,),
    **dict.fromkeys(
        (f"{_DRA}ConsumableCapacity", f"{_DRA}ExtendedResource", f"{_DRA}PartitionableDevices"), (_DRA,)
    ),
}
"""Feature gates that others must be on for."""

OFF: Final = frozenset(
    (
        _OBSERVED,
        "ElasticJobsViaWorkloadSlicesWithTAS",
        "TASBalancedPlacement",
        "TASReplaceNodeDueToNotReadyOverFixedTime",
        "TASRespectNodeAffinityPreferred",
        "UnadmittedWorkloadsExplicitStatus",
        f"{_DRA}ConsumableCapacity",
    )
)
"""Those of them and of what they need that are off by default."""

_INT: Final = Number(*INT64)
_SELECTOR: Final = at(kueue_shape("ClusterQueue"), "spec", "namespaceSelector")
_LEADER: Final = Fields(
    {
        "leaderElect": Flag(),
        **dict.fromkeys(("leaseDuration", "renewDeadline", "retryPeriod"), Duration()),
        **dict.fromkeys(("resourceLock", "resourceName", "resourceNamespace"), Text()),
    }
)
_LABEL: Final = Fields(
    {
        **dict.fromkeys(("name", "sourceAnnotationKey", "sourceKey", "sourceLabelKey", "sourceKind"), Text()),
        "trackedValues": Items(Text()),
    }
)
_METRICS: Final = Fields(
    {
        "bindAddress": Text(),
        "enableClusterQueueResources": Flag(),
        "customLabels": Items(_LABEL),
        "localQueueMetrics": Fields({"enable": Flag(), "localQueueSelector": _SELECTOR}),
    }
)
_STRATEGY: Final = Fields(
    {
        "timestamp": Text(),
        **dict.fromkeys(("backoffBaseSeconds", "backoffLimitCount", "backoffMaxSeconds"), Number()),
    }
)
_READY: Final[Mapping[str, Shape]] = {
    "blockAdmission": Flag(),
    "recoveryTimeout": Duration(),
    "requeuingStrategy": _STRATEGY,
    "timeout": Duration(),
}
_INTEGRATIONS: Final[Mapping[str, Shape]] = dict.fromkeys(
    ("externalFrameworks", "frameworks", "labelKeysToCopy"), Items(Text())
)
_TRANSFORMATION: Final = Fields(
    {
        **dict.fromkeys(("input", "multiplyBy", "strategy"), Text()),
        # A rule reads the quantities, as Go does.
        "outputs": Named(Anything()),
    }
)
_SHAPE: Final[Mapping[str, Shape]] = {
    **dict.fromkeys(("apiVersion", "kind", "namespace", "pprofBindAddress"), Text()),
    "admissionFairSharing": Fields(
        {
            **dict.fromkeys(("usageHalfLifeTime", "usageSamplingInterval"), Duration()),
            "resourceWeights": Named(Number(None, None, whole=False)),
        }
    ),
    "clientConnection": Fields({"burst": Number(), "qps": Number(None, None, whole=False)}),
    "controller": Fields({"cacheSyncTimeout": _INT, "groupKindConcurrency": Named(_INT)}),
    "fairSharing": Fields({"preemptionStrategies": Items(Text())}),
    "featureGates": Anything(),
    "health": Fields(
        dict.fromkeys(("healthProbeBindAddress", "livenessEndpointName", "readinessEndpointName"), Text())
    ),
    "integrations": Fields(_INTEGRATIONS),
    "internalCertManagement": Fields(
        {"enable": Flag(), **dict.fromkeys(("webhookSecretName", "webhookServiceName"), Text())}
    ),
    "leaderElection": _LEADER,
    "manageJobsWithoutQueueName": Flag(),
    "managedJobsNamespaceSelector": _SELECTOR,
    "metrics": _METRICS,
    "multiKueue": Fields(
        {
            **dict.fromkeys(("gcInterval", "workerLostTimeout"), Duration()),
            **dict.fromkeys(("dispatcherName", "origin"), Text()),
            "clusterProfile": Anything(),
            "externalFrameworks": Items(Fields({"name": Text()})),
            "incrementalDispatcherConfig": Fields({"stepSize": Number()}),
        }
    ),
    "objectRetentionPolicies": Fields(
        {"workloads": Fields(dict.fromkeys(("afterDeactivatedByKueue", "afterFinished"), Duration()))}
    ),
    # A proposal, KEP-9876.
    "preemptionProtection": Fields(
        dict.fromkeys(("fairSharing", "reclaimWithinCohort"), Fields({"minAdmitDuration": Duration()}))
    ),
    # A proposal, KEP-14468.
    "reclaimBackoff": Fields(
        {
            **dict.fromkeys(BACKOFF_FIELDS, Number()),
            "enable": Flag(),
        }
    ),
    "resources": Fields(
        {
            "deviceClassMappings": Items(Anything()),
            "excludeResourcePrefixes": Items(Text()),
            "quotaCheckStrategy": Text(),
            "transformations": Items(_TRANSFORMATION),
        }
    ),
    "tls": Fields({"cipherSuites": Items(Text()), "curvePreferences": Items(Number()), "minVersion": Text()}),
    "visibilityServer": Fields({"bindAddress": Text(), "bindPort": Number()}),
    "waitForPodsReady": Fields(_READY),
    "webhook": Fields({"port": _INT, **dict.fromkeys(("certDir", "host"), Text())}),
}
_QUEUES: Final = Fields({"clusterQueues": Fields({"maxCount": Number()}), "updateIntervalSeconds": Number()})
_PODS: Final = Fields(dict.fromkeys(("namespaceSelector", "podSelector"), _SELECTOR))
_OLDER_SHAPE: Final[Mapping[str, Shape]] = {
    **{
        name: shape
        for name, shape in _SHAPE.items()
        if name not in ("preemptionProtection", "reclaimBackoff", "visibilityServer")
    },
    "fairSharing": Fields({"enable": Flag(), "preemptionStrategies": Items(Text())}),
    "integrations": Fields({**_INTEGRATIONS, "podOptions": _PODS}),
    "queueVisibility": _QUEUES,
    "waitForPodsReady": Fields({"enable": Flag(), **_READY}),
}
_WEBHOOK_NAME: Final = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_EXTERNAL: Final = re.compile(r"[^.]*\.[^.]*\..*", re.DOTALL)


def faults(raw: Any) -> Iterator[Fault]:
    """Why Kueue would not start with a Configuration.

    Args:
        raw: the Configuration, untrusted.

    >>> made = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "waitForPodsReady": {"timeout": "-5m"}}
    >>> [fault.field for fault in faults(made)]
    ['waitForPodsReady.timeout']
    """
    subject = Subject("Configuration", raw)
    older = subject.get("apiVersion") == _OLDER
    yield from deviations(Fields(_OLDER_SHAPE if older else _SHAPE), raw)
    yield from _gates(subject.get("featureGates"))
    for rule in _RULES:
        yield from rule(subject)


def _gates(gates: Any) -> Iterator[Fault]:
    """Source: Kueue, LoadAndValidateFeatureGates."""
    if not isinstance(gates, dict):
        return
    # Go reads null as false.
    gates = {gate: False if on is None else on for gate, on in gates.items()}
    for gate, only in LOCKED.items():
        if isinstance(gates.get(gate), bool) and gates[gate] != only:
            yield invalid(f"featureGates.{gate}", gates[gate], f"{str(only).lower()}: the gate is locked")
    # Gates that stand for all of a stage change defaults.
    if "AllAlpha" in gates or "AllBeta" in gates:
        return
    on = {gate: gates.get(gate, gate not in OFF) for gate in (*NEEDS, _TAS, _SLICES, _DRA, _OBSERVED)}
    for gate, needed in NEEDS.items():
        for other in needed:
            if on[gate] is True and on[other] is False:
                default = "" if gate in gates else ", which is on by default"
                yield invalid("featureGates", f"{other}: false", f"{other}: true beside {gate}{default}")


_NEVER_NEGATIVE: Final = (
    ("admissionFairSharing", "usageHalfLifeTime"),
    ("admissionFairSharing", "usageSamplingInterval"),
    ("multiKueue", "gcInterval"),
    ("multiKueue", "workerLostTimeout"),
    ("objectRetentionPolicies", "workloads", "afterDeactivatedByKueue"),
    ("objectRetentionPolicies", "workloads", "afterFinished"),
)


def _durations(subject: Subject) -> Iterator[Fault]:
    for path in _NEVER_NEGATIVE:
        yield from _not_negative(subject, *path)
    weights = subject.get("admissionFairSharing", "resourceWeights")
    for name, weight in weights.items() if isinstance(weights, dict) else ():
        if (quantity(weight) or 0) < 0:
            yield invalid(f"admissionFairSharing.resourceWeights[{text(name)}]", weight, "at least 0")


def _not_negative(subject: Subject, *path: str) -> Iterator[Fault]:
    written = subject.get(*path)
    time = duration(written)
    if time is not None and time < 0:
        yield invalid(".".join(path), written, "a duration that is not negative")


def _protections(subject: Subject) -> Iterator[Fault]:
    """Source: KEP-9876, Validation: whatever its feature gate is."""
    for rule in ("fairSharing", "reclaimWithinCohort"):
        path = ("preemptionProtection", rule, "minAdmitDuration")
        written = subject.get(*path)
        time = duration(written)
        if time is not None and time <= 0:
            yield invalid(".".join(path), written, "a duration longer than 0s")


def _backoff(subject: Subject) -> Iterator[Fault]:
    """Source: KEP-14468, Kueue Configuration API: whatever `enable` is."""
    written = {field: whole(subject.get("reclaimBackoff", field)) for field in BACKOFF_FIELDS}
    for field, value, expected in backoff_conflicts(written):
        yield invalid(f"reclaimBackoff.{field}", value, expected)


def _ready(subject: Subject) -> Iterator[Fault]:
    if subject.get("apiVersion") == _OLDER and subject.get("waitForPodsReady", "enable") is not True:
        return
    for field in ("timeout", "recoveryTimeout"):
        yield from _not_negative(subject, "waitForPodsReady", field)
    path = ("waitForPodsReady", "requeuingStrategy")
    for field in ("backoffBaseSeconds", "backoffLimitCount", "backoffMaxSeconds"):
        seconds = whole(subject.get(*path, field))
        if seconds is not None and seconds < 0:
            yield invalid(".".join((*path, field)), seconds, "at least 0")
    yield from _word(subject, (*path, "timestamp"), ("Creation", "Eviction"))


def _word(subject: Subject, path: Sequence[str], words: Sequence[str]) -> Iterator[Fault]:
    found = subject.get(*path)
    if isinstance(found, str) and found not in words:
        yield not_supported(".".join(path), found, words)


def _integrations(subject: Subject) -> Iterator[Fault]:
    frameworks = items(subject.get("integrations", "frameworks"))
    for i, name in enumerate(frameworks):
        path = f"integrations.frameworks[{i}]"
        if isinstance(name, str) and name not in FRAMEWORKS:
            yield not_supported(path, name, FRAMEWORKS)
        elif name in frameworks[:i]:
            yield duplicate(path, name)
    others = items(subject.get("integrations", "externalFrameworks"))
    for i, name in enumerate(others):
        path = f"integrations.externalFrameworks[{i}]"
        if isinstance(name, str) and _EXTERNAL.fullmatch(name) is None:
            yield invalid(path, name, "Kind.version.group, such as Foo.v1.example.com")
        elif name in others[:i]:
            yield duplicate(path, name)
    yield from value_faults(subject.get("multiKueue", "origin"), "multiKueue.origin")


def _certificates(subject: Subject) -> Iterator[Fault]:
    if subject.get("internalCertManagement", "enable") is False:
        return
    service = subject.get("internalCertManagement", "webhookServiceName")
    if isinstance(service, str) and _WEBHOOK_NAME.fullmatch(service) is None:
        expected = "a name of small letters, digits and '-', a letter first"
        yield invalid("internalCertManagement.webhookServiceName", service, expected)
    secret = subject.get("internalCertManagement", "webhookSecretName")
    if isinstance(secret, str):
        yield from deviations(REFERENCE, secret, "internalCertManagement.webhookSecretName")


def _resources(subject: Subject) -> Iterator[Fault]:
    seen: set[object] = set()
    for i, entry in entries(subject.get("resources", "transformations")):
        path = f"resources.transformations[{i}]"
        strategy, source = entry.get("strategy"), entry.get("input") or ""
        if isinstance(strategy, str) and strategy not in ("", "Retain", "Replace"):
            yield not_supported(f"{path}.strategy", strategy, ("Retain", "Replace"))
        if isinstance(source, str):
            if source in seen:
                yield duplicate(f"{path}.input", source)
            seen.add(source)
        outputs = entry.get("outputs")
        for name, amount in outputs.items() if isinstance(outputs, dict) else ():
            if amount is not None and quantity(amount) is None:
                yield invalid(f"{path}.outputs[{text(name)}]", amount, "a quantity such as 4, 500m or 2Gi")


def _quota_check(subject: Subject) -> Iterator[Fault]:
    """With feature gate QuotaCheckStrategy, on by default."""
    if subject.get("featureGates", "QuotaCheckStrategy") is False:
        return
    quotas = ("resources", "quotaCheckStrategy")
    yield from _word(subject, quotas, ("BlockUndeclared", "IgnoreUndeclared"))
    excluded = items(subject.get("resources", "excludeResourcePrefixes"))
    if subject.get(*quotas) == "IgnoreUndeclared" and excluded:
        yield invalid(".".join(quotas), "IgnoreUndeclared", "BlockUndeclared beside excludeResourcePrefixes")


def _selector(subject: Subject) -> Iterator[Fault]:
    """The name spaces of Kubernetes and of Kueue itself are left alone."""
    path = "managedJobsNamespaceSelector"
    selector = subject.get(path)
    wrong = list(selector_faults(selector, path))
    yield from wrong
    own = subject.get("namespace")
    if selector is None:
        # By default all name spaces but these two.
        yield from value_faults(own, "namespace")
    if not isinstance(selector, dict) or wrong:
        return
    for name in ("kube-system", "kueue-system" if own is None else own):
        if isinstance(name, str) and name and is_selected(selector, name, {}):
            yield invalid(path, selector, f"a selector that does not select {show(name)}")


def _servers(subject: Subject) -> Iterator[Fault]:
    address = subject.get("visibilityServer", "bindAddress")
    if isinstance(address, str) and not _is_address(address):
        yield invalid("visibilityServer.bindAddress", address, "an IP address")
    port = whole(subject.get("visibilityServer", "bindPort"))
    if port is not None and not 1 <= port <= 65535:
        yield invalid("visibilityServer.bindPort", port, "a port from 1 to 65535")
    yield from _word(subject, ("tls", "minVersion"), ("", "VersionTLS12", "VersionTLS13"))
    suites = items(subject.get("tls", "cipherSuites"))
    if subject.get("tls", "minVersion") == "VersionTLS13" and suites:
        yield invalid("tls.cipherSuites", suites, "none beside minVersion VersionTLS13")


def _is_address(written: str) -> bool:
    try:
        ipaddress.ip_address(written)
    except ValueError:
        return False
    # Python knows zones of addresses, and Go's ParseIP none.
    return "%" not in written


_RULES: Final[tuple[Rule, ...]] = (
    _durations,
    _protections,
    _backoff,
    _ready,
    _integrations,
    _certificates,
    _resources,
    _quota_check,
    _selector,
    _servers,
)

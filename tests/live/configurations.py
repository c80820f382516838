"""Kueue's Configuration with one random change each, and whether Kueue starts with it.

Kueue reads and validates its Configuration before it looks for an API server, so that none is needed.
"""

from __future__ import annotations

import copy
import json
import random
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.live import programs
from tests.live.mutants import mutate

GROUP: Final = "config.kueue.x-k8s.io"
SECTIONS: Final[Mapping[str, Any]] = {
    "health": {"healthProbeBindAddress": ":8081", "readinessEndpointName": "/ready"},
    "webhook": {"port": 9443, "host": "127.0.0.1", "certDir": "/certs"},
    "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
    "leaderElection": {"leaderElect": True, "leaseDuration": "15s", "resourceName": "a"},
    "controller": {"groupKindConcurrency": {"Job.batch": 5}, "cacheSyncTimeout": 5},
    "clientConnection": {"qps": 50, "burst": 100},
    "internalCertManagement": {"enable": True, "webhookServiceName": "hook", "webhookSecretName": "cert"},
    "waitForPodsReady": {
        "timeout": "5m",
        "recoveryTimeout": "3m",
        "blockAdmission": True,
        "requeuingStrategy": {
            "timestamp": "Eviction",
            "backoffLimitCount": 5,
            "backoffBaseSeconds": 60,
            "backoffMaxSeconds": 3600,
        },
    },
    "integrations": {
        "frameworks": ["batch/job", "kubeflow.org/mpijob", "ray.io/rayjob"],
        "externalFrameworks": ["Foo.v1.example.com"],
        "labelKeysToCopy": ["a"],
    },
    "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
    "admissionFairSharing": {
        "usageHalfLifeTime": "1h",
        "usageSamplingInterval": "5m",
        "resourceWeights": {"cpu": 2},
    },
    "resources": {
        "excludeResourcePrefixes": ["example.com/"],
        "transformations": [
            {"input": "cpu", "strategy": "Retain", "outputs": {"credits": "1"}},
            {"input": "memory", "strategy": "Replace", "outputs": {"credits": 2}},
        ],
    },
    "featureGates": {"PriorityBoost": True, "TopologyAwareScheduling": True},
    "managedJobsNamespaceSelector": {
        "matchExpressions": [
            {
                "key": "kubernetes.io/metadata.name",
                "operator": "NotIn",
                "values": ["kube-system", "kueue-system"],
            }
        ]
    },
    "manageJobsWithoutQueueName": True,
    "namespace": "kueue-system",
    "multiKueue": {"gcInterval": "1m", "origin": "here", "workerLostTimeout": "15m"},
    "objectRetentionPolicies": {"workloads": {"afterFinished": "1h", "afterDeactivatedByKueue": "1h"}},
    "visibilityServer": {"bindAddress": "127.0.0.1", "bindPort": 8082},
    "tls": {"minVersion": "VersionTLS12", "cipherSuites": ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]},
}
"""Every section with values that Kueue takes."""
WORDS: Final = (
    *("Creation", "BlockUndeclared", "IgnoreUndeclared", "VersionTLS13"),
    *("pod", "batch/job", "deployment"),
)
DURATIONS: Final = (
    *("5m", "-5m", "0s", "5", "1h30m", "5 m", "1d", "", "100000000h", "1.5h", "-0s", "+5m", ".5s"),
)
GATES: Final = (
    "TopologyAwareScheduling",
    "TASFailedNodeReplacement",
    "TASProfileMixed",
    "HierarchicalCohorts",
    "MultiKueue",
    "KueueDRAIntegration",
    "ElasticJobsViaWorkloadSlicesWithTAS",
    "UnadmittedWorkloadsExplicitStatus",
    "AllAlpha",
    "AllBeta",
    "NoSuchGate",
    "ConcurrentAdmission",
    "QuotaCheckStrategy",
)


def valid(version: str, chance: random.Random) -> dict[str, Any]:
    """A Configuration that Kueue takes, with some of the sections."""
    chosen = {name: copy.deepcopy(part) for name, part in SECTIONS.items() if chance.random() < 0.4}
    if version == "v1beta1":
        chosen.pop("visibilityServer", None)
        for name in ("fairSharing", "waitForPodsReady"):
            if name in chosen:
                chosen[name]["enable"] = True
    return {"apiVersion": f"{GROUP}/{version}", "kind": "Configuration", **chosen}


def changed(made: dict[str, Any], chance: random.Random) -> str:
    """One random change, in words."""
    how = chance.random()
    if how < 0.15:
        gate, on = chance.choice(GATES), chance.random() < 0.5
        made["featureGates"] = {**made.get("featureGates", {}), gate: on}
        return f"featureGates.{gate} = {on}"
    places = list(_texts(made))
    if how < 0.4 and places:
        path, holder, key = chance.choice(places)
        is_duration = str(holder[key])[-1:] in ("s", "m", "h") and str(holder[key])[:1].isdigit()
        holder[key] = chance.choice(DURATIONS if is_duration else WORDS)
        return f"{path} = {holder[key]!r}"
    inner = {name: part for name, part in made.items() if name not in ("apiVersion", "kind")}
    words = mutate(inner, _inferred(inner), chance)
    for name in [name for name in made if name not in ("apiVersion", "kind")]:
        del made[name]
    made.update(inner)
    return words


def _texts(value: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in entries:
        where = f"{path}.{key}"
        if isinstance(inner, dict | list):
            yield from _texts(inner, where)
        elif isinstance(inner, str) and key not in ("apiVersion", "kind"):
            yield where, value, key


def _inferred(value: Any) -> dict[str, Any]:
    """A schema of what is there."""
    if isinstance(value, dict):
        return {"type": "object", "properties": {name: _inferred(inner) for name, inner in value.items()}}
    if isinstance(value, list):
        return {"type": "array", "items": _inferred(value[0]) if value else {}}
    names = {bool: "boolean", int: "integer", str: "string"}
    return {"type": names.get(type(value), "")}


def configurations(number: int, seed: int) -> Iterator[tuple[dict[str, Any], str, str]]:
    """So many Configurations, the change of each, and what Kueue says where it does not start with it."""
    chance = random.Random(seed)
    for _ in range(number):
        version = chance.choice(("v1beta2", "v1beta2", "v1beta1"))
        made = valid(version, chance)
        # One of seven is valid; a change of nothing is none.
        sections = len(made) > 2
        words = changed(made, chance) if sections and chance.random() < 6 / 7 else "unchanged"
        yield made, f"{version} {words}", refused_by_kueue(made)


def refused_by_kueue(configuration: Mapping[str, Any]) -> str:
    """What Kueue says of a Configuration that it does not start with; empty where it goes on."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "configuration.yaml")
        file.write_text(json.dumps(configuration), encoding="utf-8")
        # It ends where it finds no cluster.
        environment = {"KUBECONFIG": str(Path(folder, "none")), "HOME": folder}
        done = subprocess.run(
            [str(_kueue()), "--config", str(file)],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    if any(line["msg"] == "Initializing" for line in lines):
        return ""
    return str(lines[-1].get("error", lines[-1]["msg"])) if lines else done.stderr


@cache
def _kueue() -> Path:
    return programs.built()["kueue"]

"""The schemas of the objects that are validated: types, words, counts, patterns.

Source: Kueue, the CustomResourceDefinitions of `kueue.x-k8s.io/v1beta2`; a test compares them with these.
What the proposals add stands beside it: KEP-8522 and KEP-8826 in `PREEMPTION`, KEP-754 in the class.
KAI-Scheduler, the CustomResourceDefinition of Queue, `scheduling.run.ai/v2`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tenure.validation.walk import (
    Anything,
    Duration,
    Fields,
    Flag,
    Items,
    Named,
    Number,
    Quantity,
    Shape,
    Text,
    Word,
)

SUBDOMAIN: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
LABEL: Final = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"

_REFERENCE = Text(longest=253, pattern=SUBDOMAIN)
_POD_SET_NAME = Text(longest=63, pattern=LABEL)
_COUNT = Number(least=0)
_STOP = Word(("None", "Hold", "HoldAndDrain"))
_FAIR_SHARING = Fields({"weight": Quantity()})

PREEMPTION: Final = Fields(
    {
        "borrowWithinCohort": Fields(
            {"maxPriorityThreshold": Number(), "policy": Word(("Never", "LowerPriority"))}
        ),
        "reclaimWithinCohort": Word(("Never", "LowerPriority", "Any")),
        "rules": Word(("DefaultPreemptionRules", "UberClusterQueueRules")),
        "withinClusterQueue": Word(("Never", "LowerPriority", "LowerOrNewerEqualPriority")),
        "withinClusterQueueConfig": Fields({"minAdmitDuration": Duration()}),
    }
)

_QUOTA = Fields(
    {
        "name": Text(),
        "nominalQuota": Quantity(),
        "borrowingLimit": Quantity(),
        "lendingLimit": Quantity(),
    },
    required=("name", "nominalQuota"),
)
_RESOURCE_GROUPS = Items(
    Fields(
        {
            "coveredResources": Items(Text(), least=1, most=64),
            # A flavor that stands twice is reported by the webhook, with the path of its name.
            "flavors": Items(
                Fields(
                    {"name": _REFERENCE, "resources": Items(_QUOTA, least=1, most=64, key=("name",))},
                    required=("name", "resources"),
                ),
                least=1,
                most=64,
            ),
        },
        required=("coveredResources", "flavors"),
    ),
    most=16,
)
_TRY = Word(("MayStopSearch", "TryNextFlavor"))
_CHECKS = Items(
    Fields(
        {"name": Text(longest=316, shortest=1), "onFlavors": Items(_REFERENCE, most=64, key=("",))},
        required=("name",),
    ),
    least=1,
    most=64,
    key=("name",),
)
_MIGRATION = Fields(
    {
        "constraints": Fields({"lastAcceptableFlavorName": _REFERENCE}),
        "mode": Word(("TryPreferredFlavors", "RetainFirstAdmission")),
    },
    required=("mode",),
)
_SELECTOR = Fields(
    {
        "matchExpressions": Items(
            Fields({"key": Text(), "operator": Text(), "values": Items(Text())}, required=("key", "operator"))
        ),
        "matchLabels": Named(Text()),
    }
)
_CLUSTER_QUEUE = Fields(
    {
        "admissionChecksStrategy": Fields({"admissionChecks": _CHECKS}, required=("admissionChecks",)),
        "admissionScope": Fields(
            {"admissionMode": Word(("UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"))},
            required=("admissionMode",),
        ),
        "cohortName": _REFERENCE,
        "concurrentAdmissionPolicy": Fields({"migration": _MIGRATION}, required=("migration",)),
        "fairSharing": _FAIR_SHARING,
        "flavorFungibility": Fields(
            {
                "preference": Word(("BorrowingOverPreemption", "PreemptionOverBorrowing")),
                "whenCanBorrow": _TRY,
                "whenCanPreempt": _TRY,
            }
        ),
        "namespaceSelector": _SELECTOR,
        "preemption": PREEMPTION,
        "queueingStrategy": Word(("StrictFIFO", "BestEffortFIFO")),
        "resourceGroups": _RESOURCE_GROUPS,
        "stopPolicy": _STOP,
    }
)
_COHORT = Fields({"fairSharing": _FAIR_SHARING, "parentName": _REFERENCE, "resourceGroups": _RESOURCE_GROUPS})
_LOCAL_QUEUE = Fields({"clusterQueue": _REFERENCE, "fairSharing": _FAIR_SHARING, "stopPolicy": _STOP})
_RESOURCE_FLAVOR = Fields(
    {
        "nodeLabels": Named(Text(), most=8),
        "nodeTaints": Items(
            Fields(
                {"effect": Text(), "key": Text(), "timeAdded": Anything(), "value": Text()},
                required=("effect", "key"),
            ),
            most=8,
        ),
        "tolerations": Items(
            Fields(
                {
                    "effect": Text(),
                    "key": Text(),
                    "operator": Text(),
                    "tolerationSeconds": Number(least=None, most=None),
                    "value": Text(),
                }
            ),
            most=8,
        ),
        "topologyName": _REFERENCE,
    }
)
_POD_SET = Fields(
    {
        "count": _COUNT,
        "minCount": Number(least=1),
        "name": _POD_SET_NAME,
        "template": Anything(),
        "topologyRequest": Anything(),
    },
    required=("template",),
)
_WORKLOAD = Fields(
    {
        "active": Flag(),
        "maximumExecutionTimeSeconds": Number(least=1),
        "podSets": Items(_POD_SET, least=1, most=18, key=("name",)),
        "preemptionGates": Anything(),
        "priority": Number(),
        "priorityClassRef": Fields(
            {
                "group": Word(("kueue.x-k8s.io", "scheduling.k8s.io")),
                "kind": Word(("WorkloadPriorityClass", "PriorityClass")),
                "name": Text(longest=253, shortest=1, pattern=SUBDOMAIN),
            },
            required=("group", "kind", "name"),
        ),
        "queueName": _REFERENCE,
    }
)
_WORKLOAD_STATUS = Fields(
    {
        "admission": Fields(
            {
                "clusterQueue": _REFERENCE,
                "podSetAssignments": Items(
                    Fields(
                        {
                            "count": _COUNT,
                            "flavors": Named(_REFERENCE),
                            "name": _POD_SET_NAME,
                            "resourceUsage": Named(Quantity()),
                        },
                        open=True,
                    ),
                    most=18,
                    key=("name",),
                ),
            }
        ),
        "conditions": Items(
            Fields({"status": Word(("True", "False", "Unknown")), "type": Text(longest=316)}, open=True),
            most=16,
            key=("type",),
        ),
        "reclaimablePods": Items(
            Fields({"count": _COUNT, "name": _POD_SET_NAME}, required=("count", "name")),
            most=18,
            key=("name",),
        ),
    },
    # The controller writes the rest of the status, and adds to it from release to release.
    open=True,
)
_POLICY = Fields({"delayForStep": Duration(), "max": Number(), "step": Number()})
_AMOUNTS = Fields(
    {name: Number(least=None, most=None, whole=False) for name in ("limit", "overQuotaWeight", "quota")}
)
_QUEUE = Fields(
    {
        "displayName": Text(),
        "parentQueue": Text(),
        "preemptMinRuntime": Duration(),
        "priority": Number(least=None, most=None),
        "reclaimMinRuntime": Duration(),
        "resources": Fields(dict.fromkeys(("cpu", "gpu", "memory"), _AMOUNTS)),
    }
)


def _object(spec: Shape, status: Shape) -> Fields:
    return Fields({**_HEADER, "spec": spec, "status": status})


_HEADER: Final[Mapping[str, Shape]] = {"apiVersion": Anything(), "kind": Anything(), "metadata": Anything()}

SHAPES: Final[Mapping[str, Fields]] = {
    "ClusterQueue": _object(_CLUSTER_QUEUE, Anything()),
    "Cohort": _object(_COHORT, Anything()),
    "LocalQueue": _object(_LOCAL_QUEUE, Anything()),
    "ResourceFlavor": Fields({**_HEADER, "spec": _RESOURCE_FLAVOR}),
    "Workload": _object(_WORKLOAD, _WORKLOAD_STATUS),
    "WorkloadPriorityClass": Fields(
        {
            **_HEADER,
            "description": Text(longest=2048),
            "dynamicPriorityPolicy": _POLICY,
            "spec": Fields({"dynamicPriorityPolicy": _POLICY, "priority": Number()}),
            "value": Number(),
        }
    ),
    "Queue": _object(_QUEUE, Anything()),
}
"""The shape of a whole object, by kind."""

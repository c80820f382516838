"""A Queue of KAI-Scheduler, as far as its minimum runtimes go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tenure.manifests.served import Anything, Duration, Fields, Number, Text
from tenure.validation.faults import Fault, Subject, WarningType, duration, required

_RUNTIMES = ("preemptMinRuntime", "reclaimMinRuntime")
_AMOUNTS: Final = Fields(
    dict.fromkeys(("limit", "overQuotaWeight", "quota"), Number(least=None, most=None, whole=False))
)
_SPEC: Final = Fields(
    {
        "displayName": Text(),
        "parentQueue": Text(),
        **dict.fromkeys(_RUNTIMES, Duration()),
        "priority": Number(least=None, most=None),
        "resources": Fields(dict.fromkeys(("cpu", "gpu", "memory"), _AMOUNTS)),
    }
)
QUEUE: Final = Fields(
    {**dict.fromkeys(("apiVersion", "kind", "metadata", "status"), Anything()), "spec": _SPEC}
)
"""The shape of a Queue. Source: KAI-Scheduler, the CustomResourceDefinition of `scheduling.run.ai/v2`."""


def resources_given(subject: Subject) -> Iterator[Fault]:
    """Source: KAI-Scheduler, Queue webhook.

    >>> [fault.field for fault in resources_given(Subject("Queue", {"spec": {}}))]
    ['spec.resources']
    """
    if subject.get("spec", "resources") is None:
        yield required("spec.resources", "the resources of the queue")


def negative_runtimes(subject: Subject) -> Iterator[Fault]:
    """A negative runtime is accepted, hides those of the queues above, and protects no job.

    Source: KAI-Scheduler, MinRuntime plugin; its Queue has no check of the value.
    """
    for name in _RUNTIMES:
        runtime = duration(subject.get("spec", name))
        if runtime is not None and runtime < 0:
            message = (
                "a negative runtime protects no job, and hides the value of the queues above and the "
                "default: write 0s for no protection, or leave it out to inherit"
            )
            yield Fault(WarningType.NEGATIVE_DURATION, f"spec.{name}", message)

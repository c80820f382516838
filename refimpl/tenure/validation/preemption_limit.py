"""A PreemptionLimit (KEP-13396, FUTURE_WORK): its shape, and what goes together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tenure.errors import ErrorCode
from tenure.manifests.preemption_limits import limit_problems
from tenure.manifests.served import Duration, Fields, Items, Number, Text, Word
from tenure.model import LimitScope
from tenure.validation.faults import Fault, Subject, WarningType, invalid
from tenure.validation.preemption_config import SELECTOR

LIMIT_SPEC: Final = Fields(
    {
        "scope": Word(tuple(LimitScope.labelled())),
        "configSelector": SELECTOR,
        "clusterQueueSelector": SELECTOR,
        "ruleNames": Items(Text()),
        "limit": Number(least=0),
        "limitWindowDuration": Duration(),
    },
    required=("scope", "limit", "limitWindowDuration"),
)
"""What the schema demands. Source: KEP-13396, FUTURE_WORK, Proposed API for PreemptionLimit."""


def windows_and_selectors(subject: Subject) -> Iterator[Fault]:
    """A window lasts a second at least, and Kubernetes can build the selectors.

    >>> spec = {"scope": "Global", "limit": 1, "limitWindowDuration": "1ms"}
    >>> raw = {"metadata": {"name": "calm"}, "spec": spec}
    >>> [fault.field for fault in windows_and_selectors(Subject("PreemptionLimit", raw))]
    ['spec.limitWindowDuration']
    """
    for problem in limit_problems(subject.raw, subject.place):
        if problem.code != ErrorCode.NOT_MODELLED:
            yield invalid(problem.field, problem.found, problem.expected)


def selectors_of_either(subject: Subject) -> Iterator[Fault]:
    """A selector whose meaning the text leaves open.

    >>> selected = {"matchLabels": {"tier": "hero"}}
    >>> spec = {"scope": "Global", "clusterQueueSelector": selected, "limit": 1, "limitWindowDuration": "1m"}
    >>> raw = {"metadata": {"name": "calm"}, "spec": spec}
    >>> [fault.type.value for fault in selectors_of_either(Subject("PreemptionLimit", raw))]
    ['NotModelled']
    """
    for problem in limit_problems(subject.raw, subject.place):
        if problem.code == ErrorCode.NOT_MODELLED:
            message = f"expected {problem.expected}; decisions are refused beside it"
            yield Fault(WarningType.NOT_MODELLED, problem.field, message)

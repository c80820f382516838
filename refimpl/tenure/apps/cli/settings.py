"""The scheduler's configuration as the command line gives it, on top of what the manifests hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tenure.apps.cli.options import parse_gates
from tenure.conformance.requests import TIMESTAMPS
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import RECLAIMABLE_PODS, Loaded, Place, gate_problems, strategies_of
from tenure.manifests.feature_gates import SETTING_OF_GATE
from tenure.model import FairStrategy


def with_flags(loaded: Loaded, gates: str, timestamp: str | None, fair_sharing: str | None) -> Loaded:
    """What was loaded, under other settings.

    Args:
        loaded: the cluster, with the settings of Kueue's Configuration where the files hold one.
        gates: `GATE=BOOL,...`; empty for none.
        timestamp: Eviction or Creation; None keeps the configured one.
        fair_sharing: `default`, `off` or a list of strategies; None keeps what is configured.

    Raises:
        InputError: a gate that Kueue does not have or that would bring in what is not modelled, or a word
            that is none of these.

    >>> from tenure.model import Cluster
    >>> with_flags(Loaded(Cluster({})), "PriorityBoost=true", None, None).cluster.settings.priority_boost
    True
    """
    changes: dict[str, Any] = {SETTING_OF_GATE[gate]: on for gate, on in _deciding(gates).items()}
    if timestamp is not None:
        changes["requeuing_timestamp"] = _timestamp(timestamp)
    if fair_sharing is not None:
        changes["fair_sharing"] = _strategies(fair_sharing)
    settings = dataclasses.replace(loaded.cluster.settings, **changes)
    return dataclasses.replace(loaded, cluster=dataclasses.replace(loaded.cluster, settings=settings))


def _deciding(text: str) -> Mapping[str, bool]:
    """The gates that are settings of the scheduler; the others that Kueue has change no decision."""
    gates = parse_gates(text)
    problems = gate_problems(gates, Place(), "--feature-gates")
    if RECLAIMABLE_PODS in gates:
        where = "the Configuration among the files: it decides how workloads are read"
        problems.append(Problem("--feature-gates", RECLAIMABLE_PODS, where))
    if problems:
        raise InputError(problems)
    return {gate: on for gate, on in gates.items() if gate in SETTING_OF_GATE}


def _timestamp(text: str) -> object:
    if text not in ("Eviction", "Creation"):
        raise bad_input("--requeuing-timestamp", text, "Eviction or Creation")
    return TIMESTAMPS[text]


def _strategies(text: str) -> tuple[FairStrategy, ...] | None:
    if text == "off":
        return None
    problems: list[Problem] = []
    words = [] if text == "default" else text.split(",")
    strategies = strategies_of(words, Place(), "--fair-sharing", problems, may_be_empty=True)
    if problems:
        expected = f"default, off, {problems[0].expected}"
        raise InputError([Problem("--fair-sharing", repr(text), expected)])
    return strategies

"""What a command about decisions is asked: the cluster, its settings, the clock, the reading."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tenure.api import Decision, Loaded, PendingDecision, assumed_queue, decide, decide_all
from tenure.apps.cli.inputs import load_input, said_warnings
from tenure.apps.cli.options import overrides_of, parse_gates
from tenure.apps.cli.terminal import hint
from tenure.engines import Engine, would_be_faster
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import RECLAIMABLE_PODS, Place, gate_problems, parse_instant, strategies_of
from tenure.manifests.feature_gates import SETTING_OF_GATE
from tenure.model import FairStrategy, Instant, RequeuingTimestamp
from tenure.readings import Reading, parse_reading


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


def _timestamp(text: str) -> RequeuingTimestamp:
    if text not in ("Eviction", "Creation"):
        raise bad_input("--requeuing-timestamp", text, "Eviction or Creation")
    return RequeuingTimestamp[text.upper()]


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


ASSUMED = "no LocalQueue is given; the only ClusterQueue is taken"
FASTER = "so many decisions take a while without the optimized core: pip install 'tenure[fast]'"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line asks about.

    Args:
        loaded: the cluster, under the settings of the command line.
        now: the clock, ns since the epoch.
        reading: the reading.
        cluster_queue: the ClusterQueue that was named, if one was.
        warnings: about the input; they have been said.
        engine: who decides.
        explained: whether findings will be asked for.
    """

    loaded: Loaded
    now: Instant
    reading: Reading
    cluster_queue: str | None
    warnings: list[str]
    engine: Engine = Engine.REFERENCE
    explained: bool = False

    def decided(self, workload: str | None) -> Decision:
        """The decision about one pending workload; None for the only one.

        Raises:
            InputError: as `tenure.decide`.
        """
        return decide(
            self.loaded,
            workload,
            now=self.now,
            reading=self.reading,
            cluster_queue=self.cluster_queue,
            engine=self.engine,
            explained=self.explained,
        )

    def of_many(self, engine: Engine | None, *, explained: bool) -> Asked:
        """The same asked about all pending workloads; a hint where the core might be worth it and is missing.

        Args:
            engine: who decides; None for `auto`.
            explained: whether findings will be asked for.
        """
        cluster = self.loaded.cluster
        pairs = len(cluster.pending) * len(cluster.admitted)
        asked = Engine.AUTO if engine is None else engine
        if asked == Engine.AUTO and not explained and would_be_faster(pairs):
            hint(FASTER)
        return replace(self, engine=asked, explained=explained)

    def decided_all(self) -> Iterator[PendingDecision]:
        """The decisions about all pending workloads, each made when it is drawn.

        Raises:
            InputError: as `tenure.decide_all`.
        """
        return decide_all(
            self.loaded,
            now=self.now,
            reading=self.reading,
            cluster_queue=self.cluster_queue,
            engine=self.engine,
            explained=self.explained,
        )


def ask(
    paths: Sequence[str] | None,
    example: str | None,
    now: str | None,
    reading: str,
    override: Sequence[str] | None,
    cluster_queue: str | None,
    feature_gates: str,
    requeuing_timestamp: str | None,
    fair_sharing: str | None,
) -> Asked:
    """What the shared options of `tenure.apps.cli.options` ask about, as they stand on the command line.

    Raises:
        InputError: a malformed option, or everything that is wrong in the manifests.

    >>> two_teams = ask((), "two-teams", "2026-03-02T14:00:00Z", "guaranteed", (), None, "", None, None)
    >>> str(two_teams.decided("team-b/job-eval-suite-d739e").outcome)
    'Preempt'
    """
    # What is wrong with the command line is said before a large dump is read.
    instant = time.time_ns() if now is None else parse_instant(now, field="now")
    chosen = parse_reading({"preset": reading, **overrides_of(override)})
    loaded = load_input(paths or (), example)
    loaded = with_flags(loaded, feature_gates, requeuing_timestamp, fair_sharing)
    return asked_about(loaded, instant, chosen, cluster_queue)


def asked_about(
    loaded: Loaded,
    now: Instant,
    reading: Reading,
    cluster_queue: str | None = None,
    warnings: Sequence[str] = (),
) -> Asked:
    """What is asked about a cluster that has been read; its warnings are said.

    Args:
        loaded, now, reading, cluster_queue: as `Asked` has them.
        warnings: further ones.
    """
    assumed = cluster_queue is None and assumed_queue(loaded) is not None
    said = said_warnings(loaded, [*warnings, *([ASSUMED] if assumed else [])])
    return Asked(loaded, now, reading, cluster_queue, said)

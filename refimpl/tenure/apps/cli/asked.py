"""What a command about decisions is asked: the cluster, the clock, the reading, the ClusterQueue."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tenure.api import Decision, Loaded, PendingDecision, assumed_queue, decide, decide_all
from tenure.apps.cli.inputs import load_input, said_warnings
from tenure.apps.cli.options import overrides_of
from tenure.apps.cli.settings import with_flags
from tenure.apps.cli.terminal import hint
from tenure.engines import Engine, would_be_faster
from tenure.manifests import parse_instant
from tenure.model import Instant
from tenure.readings import Reading, parse_reading

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

"""What a question about decisions is about: the cluster, its settings, the clock, the reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

from tenure.answer import Answer, R
from tenure.api import Decision, Loaded, PendingDecision, as_instant, as_loaded, decide, decide_all
from tenure.choices import Engine
from tenure.manifests.premises import premises_of
from tenure.model import Cluster, Instant
from tenure.outline import Outline
from tenure.readings import Reading, ReadingLike, parse_reading
from tenure.versions import kueue_version


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked.

    Args:
        loaded: the cluster, under its settings.
        now: the clock, ns since the epoch.
        reading: the reading.
        cluster_queue: the ClusterQueue that is named, if one is.
        engine: who decides.
        explained: whether findings will be shown.
    """

    loaded: Loaded
    now: Instant
    reading: Reading
    cluster_queue: str | None = None
    engine: Engine = Engine.REFERENCE
    explained: bool = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """About the input."""
        return self.loaded.warnings

    @property
    def kueue(self) -> str | None:
        """The target release of Kueue; None for one with all that the proposals add."""
        return self.loaded.cluster.settings.release

    def premises(self, cluster_queue: str | None) -> tuple[str, ...]:
        """What an answer assumes of how Kueue is configured.

        Args:
            cluster_queue: the ClusterQueue that it is about; None for all.
        """
        return premises_of(self.loaded, None if cluster_queue is None else [cluster_queue])

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

    def of_many(self, engine: Engine | None, *, explained: bool) -> Self:
        """The same about all pending workloads.

        Args:
            engine: who decides; None for `auto`.
            explained: whether findings will be shown.
        """
        return replace(self, engine=Engine.AUTO if engine is None else engine, explained=explained)

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

    def answered(self, name: str, answer: R, outline: Outline, table: str = "") -> Answer[R]:
        """An answer to the question, with its warnings and the release.

        Args:
            name, outline, table: as `Answer` has them.
            answer: a record with `warnings` and `kueue`.
        """
        whole = replace(answer, warnings=self.warnings, kueue=kueue_version(self.kueue))
        return Answer(name, whole, outline, table)


def inquiry_of(
    loaded: Loaded | Cluster,
    now: str | Instant,
    reading: ReadingLike = None,
    cluster_queue: str | None = None,
) -> Inquiry:
    """What the functions of Python are given, as `tenure.decide` takes it.

    Args:
        loaded: what `tenure.load` returned, or a cluster.
        now: the clock: RFC 3339, or ns since the epoch.
        reading: a reading, its name, or overrides; None for `guaranteed`.
        cluster_queue: the ClusterQueue of the pending workload; None follows its LocalQueue.

    Raises:
        InputError: a malformed time or reading.

    >>> inquiry_of(Cluster({}), "1970-01-01T00:00:01Z").now
    1000000000
    """
    instant, known = as_instant(now), as_loaded(loaded)
    return Inquiry(known.submitted_at(instant), instant, parse_reading(reading), cluster_queue)

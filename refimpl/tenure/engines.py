"""Who decides: the reference, or the optimized core where it can; the result is the same record."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from tenure.errors import bad_input
from tenure.model import Assignment, Cluster, Evidence, Ground, Instant, Kin, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.decide import decide as decide_by_reference
from tenure.oracle.door import take_target
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.snapshot import Snapshot, take_snapshot, with_effective_priority
from tenure.readings import Reading
from tenure.rules.terms import terms_of

if TYPE_CHECKING:
    from tenure.fast import Answer, Arrays


class Engine(StrEnum):
    """An engine, by its name in the protocol."""

    REFERENCE = "reference"
    FAST = "fast"


EXPLANATION: Final = "an explanation"
"""What the core leaves to the reference where findings are asked for: it keeps nobody but the victims."""

LEFT: Final[Counter[str]] = Counter()
"""What the core has left to the reference in this process, by its own words."""

_WITHIN_QUOTA: Final = (Ground.LOWER_PRIORITY, Ground.NEWER_EQUAL, Ground.TIME_EXPIRED, Ground.HERO)
"""Grounds that do not ask whether a queue uses more than its quota."""


def decide(
    engine: Engine,
    cluster: Cluster,
    preemptor: Workload,
    queue_name: str,
    now: Instant,
    reading: Reading,
    assignment: Assignment | None = None,
    snapshot: Snapshot | None = None,
    *,
    explained: bool = False,
) -> Decision:
    """Decide for one pending workload by an engine; all but the first as for `tenure.oracle.decide.decide`.

    Args:
        engine: who decides; `Decision.engine` says who did, and `Decision.left` why it was not the core.
        explained: whether findings about the decision will be asked for.

    Raises:
        InputError: as the reference; or the core is asked for and NumPy is not installed.

    >>> from tenure.model import ClusterQueue
    >>> from tenure.readings import preset
    >>> waiting = Workload("ns", "w", "u", priority=0, created_at=0)
    >>> cluster = Cluster({"q": ClusterQueue("q")})
    >>> decide(Engine.FAST, cluster, waiting, "q", 0, preset("guaranteed")).engine.value
    'fast'
    """
    asked = (cluster, preemptor, queue_name, now, reading, assignment)
    if engine == Engine.REFERENCE:
        return decide_by_reference(*asked, snapshot)
    require_core()
    from tenure.fast import Uncovered

    if snapshot is None:
        snapshot = take_snapshot(cluster, queue_name, now, reading)
    try:
        return _decide_fast(cluster, preemptor, now, reading, assignment, snapshot, explained)
    except Uncovered as uncovered:
        LEFT[uncovered.what] += 1
        return decide_by_reference(*asked, snapshot).left_by_core(uncovered.what)


def parse_engine(name: object) -> Engine:
    """An engine as a user writes it.

    Raises:
        InputError: there is no such engine, or the core lacks what it needs.

    >>> parse_engine("reference")
    <Engine.REFERENCE: 'reference'>
    """
    if not isinstance(name, str) or name not in tuple(Engine):
        raise bad_input("engine", name, f"one of {', '.join(Engine)}")
    if name == Engine.FAST:
        require_core()
    return Engine(name)


def require_core() -> None:
    """Refuse the core where what it needs is not installed.

    Raises:
        InputError: NumPy is missing.
    """
    try:
        import numpy  # noqa: F401 - only whether it is there
    except ImportError:
        expected = "'reference', or NumPy installed: pip install 'tenure[fast]'"
        raise bad_input("engine", "fast", expected) from None


def _decide_fast(
    cluster: Cluster,
    preemptor: Workload,
    now: Instant,
    reading: Reading,
    assignment: Assignment | None,
    snapshot: Snapshot,
    explained: bool,
) -> Decision:
    from tenure.fast import Arrays, Uncovered
    from tenure.fast import decide as decide_by_core

    if explained:
        raise Uncovered(EXPLANATION)

    def built() -> Arrays:
        return Arrays(cluster)

    arrays: Arrays = snapshot.found.of(("arrays",), built, len)
    answer = decide_by_core(arrays, preemptor, snapshot.queue.name, now, reading, assignment)
    preemptor = with_effective_priority(preemptor, cluster, now, reading)
    terms = terms_of(snapshot.queue, cluster.settings, reading)
    targets = tuple(
        take_target(preemptor, target, evidence, terms, now, _kin(snapshot, target))
        for target, evidence in _evidence(answer, cluster, now, reading)
    )
    return Decision(
        outcome=answer.outcome,
        targets=targets,
        preemptor=preemptor,
        snapshot=snapshot,
        assignment=answer.assignment,
        selection=None,
        terms=terms,
        reading=reading,
        now=now,
        engine=Engine.FAST,
    )


def _kin(snapshot: Snapshot, target: Workload) -> Kin:
    place = snapshot.tree.places[target.cluster_queue or ""]
    return kin_between(snapshot.heroes, snapshot.place, place)


def _evidence(
    answer: Answer, cluster: Cluster, now: Instant, reading: Reading
) -> list[tuple[Workload, Evidence]]:
    """Every victim with what allows it, for the one door to ask the rules again."""
    found = answer.found
    made = []
    for victim, share in zip(answer.victims(), found.shares.tolist(), strict=True):
        evidence = Evidence(
            victim.ground,
            over_quota=victim.ground not in _WITHIN_QUOTA,
            advantage=victim.ground == Ground.HIERARCHICAL,
            borrowing=found.may_borrow and cluster.settings.fair_sharing is None,
            within_nominal=found.within_nominal,
            share=share,
        )
        workload = with_effective_priority(cluster.admitted[victim.row], cluster, now, reading)
        made.append((workload, evidence))
    return made

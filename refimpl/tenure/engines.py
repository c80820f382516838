"""Who decides: the reference, or the optimized core where it can; the result is the same record."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from tenure.errors import bad_input
from tenure.model import Assignment, Cluster, Instant, Kin, Target, Workload
from tenure.oracle.decide import Decision, searched_request
from tenure.oracle.decide import decide as decide_by_reference
from tenure.oracle.door import take_target
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.question import Question
from tenure.oracle.replay import evidence_of
from tenure.oracle.snapshot import Snapshot, take_snapshot, with_effective_priority
from tenure.readings import Reading
from tenure.rules.terms import PreemptionTerms, terms_of

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

SPARED: Final = "evidence that depends on who has left for a while"
"""What the core leaves to the reference where a victim is allowed only beside others who keep their quota."""


class WrongClaimError(RuntimeError):
    """The core has claimed that somebody may be preempted, and the reference finds otherwise."""


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
        WrongClaimError: what the core claims is not what the reference finds.

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
    asked = (cluster, preemptor, snapshot.queue.name, now, reading, assignment)
    preemptor = with_effective_priority(preemptor, cluster, now, reading)
    terms = terms_of(snapshot.queue, cluster.settings, reading)
    targets = _let_through(answer, preemptor, snapshot, terms, now, reading)
    if targets is None:
        return _judged(answer, decide_by_reference(*asked, snapshot))
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


def _let_through(
    answer: Answer,
    preemptor: Workload,
    snapshot: Snapshot,
    terms: PreemptionTerms,
    now: Instant,
    reading: Reading,
) -> tuple[Target, ...] | None:
    """Whom the core claims, as targets by the one door; None where the evidence is not what is claimed.

    The evidence is the reference's own: nothing of it is taken from the claims.
    """
    claims, cluster = list(answer.claims()), snapshot.cluster
    if not claims:
        return ()
    named = [cluster.admitted[claim.row] for claim in claims]
    victims = [with_effective_priority(each, cluster, now, reading) for each in named]
    question = Question(
        snapshot=snapshot,
        preemptor=preemptor,
        needed=answer.assignment.needs_preemption,
        request=searched_request(answer.assignment),
        terms=terms,
        now=now,
    )
    evidence = evidence_of(question, victims)
    claimed = [(claim.key, claim.ground) for claim in claims]
    found = [(victim.key, each.ground) for victim, each in zip(victims, evidence, strict=True)]
    if found != claimed or len(dict(claimed)) < len(claimed):
        return None
    return tuple(
        take_target(preemptor, victim, each, terms, now, _kin(snapshot, victim))
        for victim, each in zip(victims, evidence, strict=True)
    )


def _judged(answer: Answer, judge: Decision) -> Decision:
    """The reference's decision, if it is what the core claims.

    Raises:
        WrongClaimError: it is not.
    """
    claimed = [(claim.key, claim.ground.name) for claim in answer.claims()]
    found = [(each.workload.key, each.evidence.ground.name) for each in judge.targets]
    if (answer.outcome, claimed) != (judge.outcome, found):
        raise WrongClaimError(
            f"{judge.preemptor.key}: the core claims {answer.outcome}, {_told(claimed)}; "
            f"the reference finds {judge.outcome}, {_told(found)}"
        )
    LEFT[SPARED] += 1
    return judge.left_by_core(SPARED)


def _told(victims: list[tuple[str, str]]) -> str:
    return ", ".join(f"{key} on ground {ground}" for key, ground in victims) or "nobody"


def _kin(snapshot: Snapshot, target: Workload) -> Kin:
    place = snapshot.tree.places[target.cluster_queue or ""]
    return kin_between(snapshot.heroes, snapshot.place, place)

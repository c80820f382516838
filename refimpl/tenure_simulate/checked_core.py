"""The optimized core, whose claims are checked: each victim passes the door on the reference's evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from tenure.choices import Engine
from tenure.engines import WrongClaimError
from tenure.model import Assignment, Basis, Cluster, Instant, Kin, SelectedBy, Target, Workload
from tenure.oracle.bounded import require_bounded_search
from tenure.oracle.decide import Decision, question_of
from tenure.oracle.door import take_configured_target, take_target
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.partial import Trial
from tenure.oracle.replay import evidence_of, selected_by
from tenure.oracle.snapshot import Snapshot, with_effective_priority
from tenure.readings import Reading
from tenure.rules.terms import PreemptionTerms, terms_of

if TYPE_CHECKING:
    from tenure_simulate.core import Arrays, CoreAnswer

SPARED: Final = "evidence that depends on who has left for a while"
"""What the core leaves to the reference where a victim is allowed only beside others who keep their quota."""


COMPILING_CLASSICAL_S: Final = 10
COMPILING_FAIR_S: Final = 15


def _is_kept(*, by_shares: bool) -> bool:
    from tenure_simulate.machine_code import is_kept, kept_folder

    return is_kept("fair.select" if by_shares else "classical.select", kept_folder())


class CheckedCore:
    """The optimized core on one cluster.

    Args:
        cluster: its `admitted` hold quota.
    """

    __slots__ = ("_arrays", "_cluster")

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._arrays: Arrays | None = None

    @staticmethod
    def is_compiled() -> bool:
        """Whether the core's kernels are compiled; interpreted they are slower than the reference."""
        from tenure_simulate.core import COMPILED

        return COMPILED

    @staticmethod
    def is_kept(cluster: Cluster) -> bool:
        """Whether the machine code of the search in a cluster is kept; else compiling it takes a while."""
        return _is_kept(by_shares=cluster.settings.fair_sharing is not None)

    @classmethod
    def compiling_s(cls, *, by_shares: bool) -> int:
        """About how many seconds compiling the search takes on an idle machine; 0 where it is kept.

        Args:
            by_shares: whether it is that of fair sharing.
        """
        if not cls.is_compiled() or _is_kept(by_shares=by_shares):
            return 0
        return COMPILING_FAIR_S if by_shares else COMPILING_CLASSICAL_S

    def decide(
        self,
        request: tuple[Workload, str, Instant, Reading, Assignment | None],
        effective: Workload,
        snapshot: Snapshot,
        by_reference: Callable[[], Decision],
    ) -> Decision:
        """The core's decision, or the reference's where the core leaves it.

        Args:
            request: the pending workload, its ClusterQueue, the clock, the reading and the flavors that are
                given, as `tenure_simulate.core.decide` has them.
            effective: the workload with its effective priority.
            snapshot: the tree around its ClusterQueue.
            by_reference: the reference's decision.

        Raises:
            InputError: as the reference.
            WrongClaimError: what the core claims is not what the reference finds.
        """
        from tenure_simulate.core import Arrays, Uncovered
        from tenure_simulate.core import decide as decide_by_core

        try:
            if self._arrays is None:
                self._arrays = Arrays(self._cluster)
            answer = decide_by_core(self._arrays, *request)
        except Uncovered as uncovered:
            return by_reference().left_by_core(uncovered.what)
        _, _, now, reading, _ = request
        require_bounded_search(snapshot, effective, answer.assignment.usage, answer.outcome)
        terms = terms_of(snapshot.queue, self._cluster.settings, reading)
        let = _let_through(answer, effective, snapshot, terms, now, reading)
        if let is None:
            return _judged(answer, by_reference())
        return Decision(
            outcome=answer.outcome,
            targets=let.targets,
            preemptor=effective,
            snapshot=snapshot,
            trial=Trial((), answer.assignment, (), None),
            terms=terms,
            reading=reading,
            now=now,
            engine=Engine.FAST,
            configured=let.configured,
        )


class _LetThrough(NamedTuple):
    """Targets in the order of removal, and by key what of a PreemptionConfig selects those of its tiers."""

    targets: tuple[Target, ...]
    configured: dict[str, SelectedBy]


def _let_through(
    answer: CoreAnswer,
    preemptor: Workload,
    snapshot: Snapshot,
    terms: PreemptionTerms,
    now: Instant,
    reading: Reading,
) -> _LetThrough | None:
    """Whom the core claims, as targets by the one door; None where the evidence is not what is claimed.

    The evidence is the reference's own: nothing of it comes from the claims.
    """
    claims, cluster = list(answer.claims()), snapshot.cluster
    if not claims:
        return _LetThrough((), {})
    named = [cluster.admitted[claim.row] for claim in claims]
    victims = [with_effective_priority(workload, cluster, now, reading) for workload in named]
    question = question_of(snapshot, preemptor, answer.assignment, terms, now)
    allowed = list(zip(victims, evidence_of(question, victims), strict=True))
    claimed = [(claim.key, claim.basis) for claim in claims]
    found = [(victim.key, evidence.basis) for victim, evidence in allowed]
    if found != claimed or len(dict(claimed)) < len(claimed):
        return None
    configured: dict[str, SelectedBy] = {}
    targets: list[Target] = []
    for victim, evidence in allowed:
        if evidence.basis != Basis.NONE:
            kin = _kin(snapshot, victim)
            targets.append(take_target(preemptor, victim, evidence, terms, now, kin))
            continue
        selected = selected_by(question, victim, may_borrow=answer.found.may_borrow)
        if selected is None:
            return None
        configured[victim.key] = selected
        targets.append(take_configured_target(preemptor, victim, selected))
    return _LetThrough(tuple(targets), configured)


def _judged(answer: CoreAnswer, judge: Decision) -> Decision:
    """The reference's decision, if it is what the core claims.

    Raises:
        WrongClaimError: it is not.
    """
    claimed = [(claim.key, claim.basis.name) for claim in answer.claims()]
    found = [(target.workload.key, target.evidence.basis.name) for target in judge.targets]
    if (answer.outcome, claimed) != (judge.outcome, found):
        raise WrongClaimError(
            f"{judge.preemptor.key}: the core claims {answer.outcome}, {_told(claimed)}; "
            f"the reference finds {judge.outcome}, {_told(found)}"
        )
    return judge.left_by_core(SPARED)


def _told(victims: list[tuple[str, str]]) -> str:
    return ", ".join(f"{key} on basis {basis}" for key, basis in victims) or "none"


def _kin(snapshot: Snapshot, target: Workload) -> Kin:
    place = snapshot.tree.places[target.cluster_queue or ""]
    return kin_between(snapshot.heroes, snapshot.place, place)

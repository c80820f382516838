"""Who decides: the reference, or the optimized core where it can; the result is the same record."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable
from dataclasses import replace
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from tenure.errors import bad_input
from tenure.model import (
    Assignment,
    Cluster,
    Instant,
    Kin,
    PodSet,
    Target,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.bounded import require_bounded_search, with_bounded_usage
from tenure.oracle.classical import finds_no_target
from tenure.oracle.decide import Decision, question_of
from tenure.oracle.decide import decide as decide_by_reference
from tenure.oracle.door import take_target
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.partial import Trial
from tenure.oracle.question import Question, Selection
from tenure.oracle.replay import evidence_of
from tenure.oracle.search import find_targets
from tenure.oracle.snapshot import Snapshot, take_snapshot, with_effective_priority
from tenure.oracle.unmodelled import deciding, refuse_unmodelled
from tenure.readings import NewerThan, Reading
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import duration_in_force, requeue_timestamp

if TYPE_CHECKING:
    from tenure.fast import Arrays, CoreAnswer


class Engine(StrEnum):
    """An engine, by its name in the protocol."""

    REFERENCE = "reference"
    FAST = "fast"
    AUTO = "auto"
    """The reference, and the core once so much is searched that loading it is worth it; see `Sitting`."""


EXPLANATION: Final = "an explanation"
"""What the core leaves to the reference where findings are asked for: it keeps only the victims."""

SPARED: Final = "evidence that depends on who has left for a while"
"""What the core leaves to the reference where a victim is allowed only beside others who keep their quota."""

MUCH: Final = 5 * 10**6
"""From so many pairs of a pending and a running workload on, the core may be worth installing."""

WORTH_LOADING: Final = 250_000
"""Once searches have looked at so many workloads, loading the core is worth the time it takes."""

MOST_LISTED: Final = 2**20
"""So many candidates are kept at most, of searches that other decisions may share."""


class WrongClaimError(RuntimeError):
    """The core has claimed that a workload may be preempted, and the reference finds otherwise."""


class Store:
    """What the core holds of a cluster, built when it is first needed.

    Args:
        cluster: its `admitted` hold quota.
    """

    __slots__ = ("_arrays", "_cluster")

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._arrays: Arrays | None = None

    def arrays(self) -> Arrays:
        """The arrays.

        Raises:
            Uncovered: the core leaves the cluster to the reference.
        """
        if self._arrays is None:
            from tenure.fast import Arrays

            self._arrays = Arrays(self._cluster)
        return self._arrays


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
    store: Store | None = None,
) -> Decision:
    """Decide for one pending workload by an engine; all but the first as for `tenure.oracle.decide.decide`.

    Args:
        engine: who decides; `Decision.engine` says who did, and `Decision.left` why it was not the core.
        explained: whether findings about the decision will be asked for.
        store: of the same cluster, where several decisions are made.

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
    if engine != Engine.FAST:
        return decide_by_reference(*asked, snapshot)
    require_core()
    from tenure.fast import decide as decide_by_core

    if snapshot is None:
        snapshot = with_bounded_usage(take_snapshot(cluster, queue_name, now, reading))
    refuse_unmodelled(deciding(snapshot))
    kept = Store(cluster) if store is None else store

    def answered() -> CoreAnswer:
        return decide_by_core(kept.arrays(), preemptor, queue_name, now, reading, assignment)

    return _by_core(
        answered,
        lambda: decide_by_reference(*asked, snapshot),
        with_effective_priority(preemptor, cluster, now, reading),
        snapshot,
        reading,
        now,
        explained=explained,
    )


class Sitting:
    """Decisions about many pending workloads of one cluster, each evaluated independently.

    They share what they have in common: a snapshot for each tree, the core's arrays, and the whole decision
    for workloads that no rule tells apart.

    Args:
        engine: who decides; `Engine.AUTO` goes over from the reference to the core where much is searched.
        cluster: every workload under `admitted` holds quota.
        now: the cycle's one clock value, ns since the epoch.
        reading: see `tenure.readings`.
        explained: whether findings about the decisions will be asked for.
        expected: how many workloads will be looked at in searches, as far as that is known.
        searched: whether anything was searched in an earlier cycle.
        listed: whether the candidates of searches that find no target will be asked for.
        taken: the snapshot of the tree around a ClusterQueue, where it is known; what `take_snapshot` makes.

    Raises:
        InputError: the core is asked for and NumPy is not installed.

    >>> from tenure.model import ClusterQueue
    >>> from tenure.readings import preset
    >>> sitting = Sitting(Engine.AUTO, Cluster({"q": ClusterQueue("q")}), 0, preset("guaranteed"))
    >>> sitting.decide(Workload("ns", "w", "u", priority=0, created_at=0), "q").outcome.value
    'Fit'
    """

    def __init__(
        self,
        engine: Engine,
        cluster: Cluster,
        now: Instant,
        reading: Reading,
        *,
        explained: bool = False,
        expected: int = 0,
        searched: bool = False,
        listed: bool = True,
        taken: Callable[[str], Snapshot] | None = None,
    ) -> None:
        self._engine = Engine.REFERENCE if engine == Engine.AUTO and explained else engine
        if engine == Engine.FAST:
            require_core()
        self._cluster, self._now, self._reading = cluster, now, reading
        self._explained, self._expected, self._searched = explained, expected, searched
        self._store = Store(cluster)
        self._taken = self._take if taken is None else taken
        self._trees: dict[str, Snapshot] = {}
        self._around: dict[str, Snapshot] = {}
        self._terms: dict[str, PreemptionTerms] = {}
        self._searches = Searches(listed=listed)
        self._alike: dict[Hashable, Decision] = {}
        self._listed = 0

    def go_on(self, now: Instant, expected: int) -> None:
        """Decide at another instant from now on, at which all decisions are what they were.

        Args:
            now: the clock, ns since the epoch; nothing has run out since the last instant.
            expected: how many workloads will be looked at in searches from now on.
        """
        self._now = now
        self._expected = max(self._expected, expected)

    def snapshot(self, queue_name: str) -> Snapshot:
        """The tree around a ClusterQueue; those of one tree share all that does not depend on the queue.

        Raises:
            InputError: as `take_snapshot`, and as `with_bounded_usage`.
        """
        around = self._around.get(queue_name)
        if around is None:
            known = self._trees.get(queue_name)
            if known is None:
                known = with_bounded_usage(self._taken(queue_name))
                self._trees.update(dict.fromkeys(known.tree.places, known))
            around = self._around[queue_name] = known.around(queue_name)
        return around

    def _take(self, queue_name: str) -> Snapshot:
        return take_snapshot(self._cluster, queue_name, self._now, self._reading)

    def decide(self, preemptor: Workload, queue_name: str) -> Decision:
        """Decide for one of those who wait.

        Args:
            preemptor: the pending workload.
            queue_name: its ClusterQueue.

        Raises:
            InputError, WrongClaimError: as `decide`.
        """
        snapshot, now, reading = self.snapshot(queue_name), self._now, self._reading
        refuse_unmodelled(deciding(snapshot))
        effective = with_effective_priority(preemptor, self._cluster, now, reading)
        self._choose_engine()
        alike = self._what_decides(effective, snapshot)
        known = self._alike.get(alike)
        if known is not None:
            return replace(known, preemptor=effective, now=now)
        decided = self._decided(preemptor, effective, snapshot)
        if not decided.left:
            self._keep(alike, decided)
        return decided

    def _decided(self, preemptor: Workload, effective: Workload, snapshot: Snapshot) -> Decision:
        """As `decide`, of one who is not known."""
        name, now, reading = snapshot.queue.name, self._now, self._reading

        def by_reference() -> Decision:
            asked = self._cluster, preemptor, name, now, reading
            return decide_by_reference(*asked, snapshot=snapshot, search=self._searches)

        if self._engine != Engine.FAST:
            return by_reference()
        from tenure.fast import decide as decide_by_core

        return _by_core(
            lambda: decide_by_core(self._store.arrays(), preemptor, name, now, reading),
            by_reference,
            effective,
            snapshot,
            reading,
            now,
            explained=self._explained,
        )

    def _choose_engine(self) -> None:
        much = max(self._searches.looked_at, self._expected) >= WORTH_LOADING
        if self._engine == Engine.AUTO and much and self.has_searched:
            self._engine = Engine.FAST if _is_compiled() else Engine.REFERENCE
            self._alike.clear()
            self._listed = 0

    def _what_decides(self, preemptor: Workload, snapshot: Snapshot) -> Hashable:
        """What is the same for all pending workloads that no rule tells apart."""
        name = snapshot.queue.name
        terms = self._terms.get(name)
        if terms is None:
            terms = self._terms[name] = terms_of(snapshot.queue, self._cluster.settings, self._reading)
        age = self._searches.age(preemptor, terms, snapshot, self._now)
        return name, preemptor.priority, age, tuple(map(_pods, preemptor.pod_sets))

    def _keep(self, alike: Hashable, decided: Decision) -> None:
        listed = 1 + len(decided.targets) + len(decided.candidates)
        self._listed += listed
        if self._listed > MOST_LISTED:
            self._alike.clear()
            self._listed = listed
        self._alike[alike] = decided

    @property
    def has_searched(self) -> bool:
        """Whether anything was searched, here or before; what fits needs no search, and no core."""
        return self._searched or self._searches.looked_at > 0


def _pods(pods: PodSet) -> Hashable:
    maps = (pods.requests, pods.node_selector, pods.settled)
    counts = pods.name, pods.count, pods.min_count, pods.full_count
    asked = pods.node_affinity, pods.tolerations, pods.topology
    return *counts, *asked, *(frozenset(found.items()) for found in maps)


class Searches:
    """Searches for targets within one call, each made once for all workloads that no rule tells apart.

    The call is about one cluster at one instant: every question about a ClusterQueue has the same snapshot.

    Args:
        listed: whether the candidates of searches that find no target will be asked for.

    >>> from tenure.model import ClusterQueue
    >>> from tenure.readings import preset
    >>> asked = Cluster({"q": ClusterQueue("q")}), Workload("ns", "w", "u", priority=0, created_at=0), "q", 0
    >>> decide_by_reference(*asked, preset("guaranteed"), search=Searches()).outcome.value
    'Fit'
    """

    def __init__(self, *, listed: bool = True) -> None:
        self._known: dict[Hashable, Selection] = {}
        self._instants: dict[str, list[Instant]] = {}
        self._lists_all = listed
        self._listed = 0
        self.looked_at = 0

    def __call__(self, question: Question) -> Selection:
        """As `tenure.oracle.search.find_targets`."""
        key = (
            question.terms.cluster_queue,
            question.preemptor.priority,
            self.age(question.preemptor, question.terms, question.snapshot, question.now),
            question.needed,
            tuple(question.request.items()),
        )
        found = self._known.get(key)
        if found is None:
            found = self._find(question)
            self._listed += 1 + len(found.candidates)
            if self._listed > MOST_LISTED:
                self._known.clear()
                self._listed = 1 + len(found.candidates)
            self._known[key] = found
        return found

    def _find(self, question: Question) -> Selection:
        if not self._lists_all and finds_no_target(question):
            return Selection((), (), (), (), question.snapshot.usage, ())
        self.looked_at += sum(map(len, question.snapshot.running.values()))
        return find_targets(question)

    def age(self, mine: Workload, terms: PreemptionTerms, snapshot: Snapshot, now: Instant) -> int:
        """How many instants that the age of a preemptor is compared with are not later than its own.

        Only equals of the same ClusterQueue are compared by age (KQ-040, TBP-040), and only under one policy.

        Args:
            mine: the preemptor.
            terms: what holds for it.
            snapshot: the tree around its ClusterQueue.
            now: the clock, ns since the epoch.
        """
        if terms.within_cluster_queue != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
            return 0
        by_reservation = (
            duration_in_force(terms) is not None and terms.newer_than == NewerThan.RESERVED_AFTER_CREATED
        )
        instants = self._instants.get(terms.cluster_queue)
        if instants is None:
            running = snapshot.running.get(snapshot.place, ())
            instants = self._instants[terms.cluster_queue] = sorted(
                quota_reservation_time(workload, now)
                if by_reservation
                else requeue_timestamp(workload, terms)
                for workload in running
            )
        return bisect_right(instants, mine.created_at if by_reservation else requeue_timestamp(mine, terms))


def would_be_faster(pairs: int) -> bool:
    """Whether so much is decided that the core would be worth it, and its compiler is not installed.

    Args:
        pairs: how many pairs there are of a pending and a running workload.

    >>> would_be_faster(100)
    False
    """
    return pairs >= MUCH and not _may_be_compiled()


def _is_compiled() -> bool:
    """Whether the core's kernels are compiled; interpreted they are slower than the reference."""
    if not _may_be_compiled():
        return False
    from tenure.fast import COMPILED

    return COMPILED


def _may_be_compiled() -> bool:
    """Whether what compiles the core is installed; nothing is imported for it."""
    return all(find_spec(name) is not None for name in ("numpy", "numba"))


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
        expected = "NumPy, which the optimized core needs: pip install 'tenure[fast]'"
        raise bad_input("engine", "no module numpy", expected) from None


def _by_core(
    answered: Callable[[], CoreAnswer],
    by_reference: Callable[[], Decision],
    preemptor: Workload,
    snapshot: Snapshot,
    reading: Reading,
    now: Instant,
    *,
    explained: bool,
) -> Decision:
    """The core's decision, or the reference's where the core leaves it.

    Args:
        answered, by_reference: either engine, asked.
        preemptor: the pending workload, with its effective priority.
        snapshot: the tree around its ClusterQueue.
    """
    from tenure.fast import Uncovered

    if explained:
        return by_reference().left_by_core(EXPLANATION)
    try:
        answer = answered()
    except Uncovered as uncovered:
        return by_reference().left_by_core(uncovered.what)
    require_bounded_search(snapshot, preemptor, answer.assignment.usage, answer.outcome)
    terms = terms_of(snapshot.queue, snapshot.cluster.settings, reading)
    targets = _let_through(answer, preemptor, snapshot, terms, now, reading)
    if targets is None:
        return _judged(answer, by_reference())
    return Decision(
        outcome=answer.outcome,
        targets=targets,
        preemptor=preemptor,
        snapshot=snapshot,
        trial=Trial((), answer.assignment, (), None),
        terms=terms,
        reading=reading,
        now=now,
        engine=Engine.FAST,
    )


def _let_through(
    answer: CoreAnswer,
    preemptor: Workload,
    snapshot: Snapshot,
    terms: PreemptionTerms,
    now: Instant,
    reading: Reading,
) -> tuple[Target, ...] | None:
    """Whom the core claims, as targets by the one door; None where the evidence is not what is claimed.

    The evidence is the reference's own: nothing of it comes from the claims.
    """
    claims, cluster = list(answer.claims()), snapshot.cluster
    if not claims:
        return ()
    named = [cluster.admitted[claim.row] for claim in claims]
    victims = [with_effective_priority(workload, cluster, now, reading) for workload in named]
    question = question_of(snapshot, preemptor, answer.assignment, terms, now)
    allowed = list(zip(victims, evidence_of(question, victims), strict=True))
    claimed = [(claim.key, claim.ground) for claim in claims]
    found = [(victim.key, evidence.ground) for victim, evidence in allowed]
    if found != claimed or len(dict(claimed)) < len(claimed):
        return None
    return tuple(
        take_target(preemptor, victim, evidence, terms, now, _kin(snapshot, victim))
        for victim, evidence in allowed
    )


def _judged(answer: CoreAnswer, judge: Decision) -> Decision:
    """The reference's decision, if it is what the core claims.

    Raises:
        WrongClaimError: it is not.
    """
    claimed = [(claim.key, claim.ground.name) for claim in answer.claims()]
    found = [(target.workload.key, target.evidence.ground.name) for target in judge.targets]
    if (answer.outcome, claimed) != (judge.outcome, found):
        raise WrongClaimError(
            f"{judge.preemptor.key}: the core claims {answer.outcome}, {_told(claimed)}; "
            f"the reference finds {judge.outcome}, {_told(found)}"
        )
    return judge.left_by_core(SPARED)


def _told(victims: list[tuple[str, str]]) -> str:
    return ", ".join(f"{key} on ground {ground}" for key, ground in victims) or "none"


def _kin(snapshot: Snapshot, target: Workload) -> Kin:
    place = snapshot.tree.places[target.cluster_queue or ""]
    return kin_between(snapshot.heroes, snapshot.place, place)

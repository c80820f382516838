"""What forbids a ClusterQueue's new workloads to preempt a running one, whatever their size.

Each check here is about every request at once: its answer rests on rules that no request enters, or on the
smallest request for which the answer could be otherwise. So a priority that is refused here is refused for
workloads of any size, of any number of pod sets and of any flavors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from tenure.model import (
    Amount,
    Basis,
    BorrowWithinCohort,
    Evidence,
    FlavorMode,
    FlavorResource,
    Instant,
    ReclaimWithinCohort,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.assignment import PODS
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.question import exceeds_any, uses_any
from tenure.oracle.reach import free_at, most_at
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import Usage, borrowing_level, potential_at, quota_at, release
from tenure.rules.amounts import plus
from tenure.rules.dynamic_priority import LEAST_PRIORITY
from tenure.rules.eligibility import basis_for
from tenure.rules.flavors import may_preempt_while_borrowing, mode_without_search
from tenure.rules.ordering import order_key
from tenure.rules.preemption_config import is_search_made
from tenure.rules.quota import fits_quota, local_available, remaining_request
from tenure.rules.terms import PreemptionTerms


@dataclass(frozen=True)
class Prospect:
    """A running workload as the workloads of one ClusterQueue see it, at one instant.

    Args:
        snapshot: the tree around that ClusterQueue.
        terms: what holds for its workloads.
        victim: the running workload, with its effective priority.
        now: ns since the epoch.
    """

    snapshot: Snapshot
    terms: PreemptionTerms
    victim: Workload
    now: Instant

    @property
    def place(self) -> int:
        """The place of the running workload's ClusterQueue."""
        return self.snapshot.tree.places[self.victim.cluster_queue or ""]

    @property
    def is_own(self) -> bool:
        """Whether it runs in the ClusterQueue that is looked at."""
        return self.place == self.snapshot.place

    @cached_property
    def short(self) -> tuple[FlavorResource, ...]:
        """The flavor-resources that a request could lack, so that targets are searched for it."""
        return tuple(at for at in self.snapshot.tree.nodes[self.snapshot.place].quotas if self._may_lack(at))

    @cached_property
    def held(self) -> tuple[FlavorResource, ...]:
        """Those of them that the running workload was assigned; without one it is no candidate."""
        return tuple(at for at in self.short if at in self.victim.usage)

    def first(self, at: FlavorResource) -> int:
        """The smallest request for a flavor-resource that does not fit beside what is in use."""
        return max(0, free_at(self.snapshot, self.snapshot.usage, at)) + 1

    def between(self) -> tuple[int, ...]:
        """The nodes from the running workload's ClusterQueue up to below the common cohort."""
        tree = self.snapshot.tree
        mine = tree.nodes[self.snapshot.place].path
        theirs = tree.nodes[self.place].path
        return theirs[: next(step for step, index in enumerate(theirs) if index in mine)]

    def exceeding(self, index: int) -> tuple[FlavorResource, ...]:
        """The flavor-resources of which a node uses more than its quota, among those that could be lacked."""
        used, tree = self.snapshot.usage[index], self.snapshot.tree
        return tuple(at for at in self.short if exceeds_any(used, [(at, quota_at(tree, index, at).subtree)]))

    def least_allowed(self, created_at: Instant) -> int | None:
        """The least priority that no check refuses; None where every priority is refused.

        Rules compare a preemptor's priority with the running workload's own and with nothing else, so there
        are three answers at most: below it, equal to it, above it.

        Args:
            created_at: when the made-up workload was created, ns.
        """
        if self.refusal():
            return None
        own = self.victim.priority
        for priority in (min(LEAST_PRIORITY, own), own, own + 1):
            if self._is_allowed(asking(self.now, priority, created_at)):
                return priority
        return None

    def inactive(self) -> str:
        """Which of the two ClusterQueues is inactive, in a few words; empty where neither is."""
        queue, theirs = self.snapshot.queue, self.snapshot.tree.nodes[self.place]
        if queue.inactive:
            return f"it is inactive: {queue.inactive}"
        if theirs.queue is not None and theirs.queue.inactive:
            return f"ClusterQueue {theirs.name} is inactive, and nothing of it is preempted"
        return ""

    def refusal(self) -> str:
        """What refuses every workload of the ClusterQueue, in a few words; empty where nothing does.

        A PreemptionConfig is not looked at.
        """
        refused = self.inactive() or self._policy()
        if refused or self.held:
            return refused or self._quota()
        return "no request of it could lack what the workload holds"

    def goes_last(self, preemptor: Workload) -> str:
        """Why it is never its turn, in a few words; empty where it may be, or where that is not known.

        Candidates of its ClusterQueue that stand before it are removed before it, whatever is requested
        (KQ-050). Without them its ClusterQueue, or a Cohort below the common one, may be within its quota,
        or everything that may be requested may fit.

        Args:
            preemptor: the made-up workload.
        """
        if self.snapshot.heroes is not None or (self.terms.fair_sharing and not self.is_own):
            return ""
        if self.terms.fair_sharing and self.snapshot.tree.nodes[self.snapshot.place].parent is not None:
            return ""
        before = self._before(preemptor)
        if not self.is_own and not any(self._still_exceeds(before, at) for at in self.held):
            return f"others of {self.victim.cluster_queue} go first, without whom that is within its quota"
        if self._only_borrowing() and not any(self._still_lacks(before, at) for at in self.held):
            return f"others of {self.victim.cluster_queue} go first, and free all that it may preempt for"
        return ""

    def largest(self, at: FlavorResource) -> Amount:
        """The largest request for a flavor-resource that leads to a search (KQ-520, KQ-530)."""
        most = most_at(self.snapshot, at)
        if self.terms.hero or self._may_borrow():
            return most
        nominal = quota_at(self.snapshot.tree, self.snapshot.place, at).nominal
        return min(most, max(nominal, *self.fitting(at)[:-1], 0))

    def fitting(self, at: FlavorResource) -> tuple[Amount, ...]:
        """The largest request that fits the quota of each node from the ClusterQueue up to the root."""
        tree, usage, below = self.snapshot.tree, self.snapshot.usage, 0
        found: list[Amount] = []
        for index in tree.nodes[self.snapshot.place].path:
            quota, used = quota_at(tree, index, at), usage[index].get(at, 0)
            found.append(quota.subtree - used + below)
            below += local_available(quota, used)
        return tuple(found)

    def _before(self, preemptor: Workload) -> tuple[Workload, ...]:
        """The candidates of its ClusterQueue that stand before it wherever it is a candidate too."""
        mine = self._key(self.victim, preemptor)
        return tuple(
            workload
            for workload in self.snapshot.running.get(self.place, ())
            if self._key(workload, preemptor) < mine
            and workload.priority <= self.victim.priority
            and (not self.is_own or replace(self, victim=workload)._is_allowed(preemptor))
        )

    def _key(self, workload: Workload, preemptor: Workload) -> tuple[int, int, int, int, str, str]:
        key = order_key(workload, 0, preemptor, self.terms, self.now)
        return key.running, key.priority, key.unexpired, key.recency, key.uid, workload.key

    def _without(self, before: Iterable[Workload], needed: frozenset[FlavorResource]) -> Usage:
        """What is in use once those are gone that use something needed."""
        tree, usage = self.snapshot.tree, self.snapshot.usage
        gone: dict[FlavorResource, Amount] = {}
        for workload in before:
            if uses_any(workload, needed):
                for at, amount in workload.usage.items():
                    gone[at] = plus(gone.get(at, 0), amount)
        return release(tree, usage, self.place, gone)

    def _still_exceeds(self, before: Iterable[Workload], held: FlavorResource) -> bool:
        """Whether every node on its way may exceed its quota at its turn, in a search that needs `held`."""
        tree = self.snapshot.tree
        return all(
            any(
                exceeds_any(
                    self._without(before, frozenset({held, at}))[index],
                    [(at, quota_at(tree, index, at).subtree)],
                )
                for at in self.exceeding(index)
            )
            for index in self.between()
        )

    def _only_borrowing(self) -> bool:
        """Whether every attempt lets the ClusterQueue borrow, so that only free quota decides what fits."""
        terms, snapshot = self.terms, self.snapshot
        if snapshot.queue.cohort is None:
            return True
        if terms.reclaim_within_cohort in (ReclaimWithinCohort.NEVER, ReclaimWithinCohort.UNSET):
            return True
        used = snapshot.usage[snapshot.place]
        return terms.borrow_within_cohort == BorrowWithinCohort.NEVER and all(
            used.get(at, 0) >= quota_at(snapshot.tree, snapshot.place, at).nominal for at in self.held
        )

    def _still_lacks(self, before: Iterable[Workload], held: FlavorResource) -> bool:
        """Whether a request that needs `held` may still lack something at its turn."""
        return any(
            at.resource == PODS
            or free_at(self.snapshot, self._without(before, frozenset({held, at})), at) < self.largest(at)
            for at in self.short
        )

    def _policy(self) -> str:
        """What of the policies refuses every workload."""
        name, terms = self.victim.cluster_queue, self.terms
        kin = kin_between(self.snapshot.heroes, self.snapshot.place, self.place)
        if self.is_own:
            never = terms.within_cluster_queue == WithinClusterQueue.NEVER
            return "its withinClusterQueue is Never" if never else ""
        if terms.hero:
            return "" if kin.in_scope else f"it is a hero, and {name} is not in its subtree"
        if kin.hero:
            return f"{name} is a hero, and no standard queue preempts its workloads"
        never = terms.reclaim_within_cohort in (ReclaimWithinCohort.NEVER, ReclaimWithinCohort.UNSET)
        return "its reclaimWithinCohort is Never" if never else ""

    def _quota(self) -> str:
        """What of the quotas refuses every workload: only what exceeds its quota is reclaimed."""
        if self.is_own or self.terms.hero:
            return ""
        for index in self.between()[: 1 if self.terms.fair_sharing else None]:
            if not self.exceeding(index):
                node = self.snapshot.tree.nodes[index]
                kind = "Cohort" if node.queue is None else "ClusterQueue"
                return f"{kind} {node.name} uses no more than its quota"
        if self.snapshot.heroes is None and not self._reaches_common():
            return f"what it holds is not lent: a lendingLimit keeps it in {self.victim.cluster_queue}"
        return ""

    def _reaches_common(self) -> bool:
        """Whether the removal of the running workload frees anything where the two paths meet."""
        tree, usage = self.snapshot.tree, self.snapshot.usage
        common = tree.nodes[self.between()[-1]].parent
        assert common is not None
        after = release(tree, usage, self.place, self.victim.usage)
        covered = tree.nodes[self.snapshot.place].quotas
        return any(after[common].get(at, 0) != usage[common].get(at, 0) for at in covered)

    def _may_borrow(self) -> bool:
        """Whether targets are searched for a request that borrows (KQ-530, PCF-090)."""
        named = self.snapshot.queue.preemption_config is not None
        by_policy = may_preempt_while_borrowing(self.terms)
        return is_search_made(below_root=False, by_policy=by_policy, configured=named)

    def _may_lack(self, at: FlavorResource) -> bool:
        """Whether the smallest request that is short leads to a search; if it does not, none does."""
        if self.terms.hero:
            return True
        tree, usage, place = self.snapshot.tree, self.snapshot.usage, self.snapshot.place
        request = self.first(at)
        _, below_root = borrowing_level(tree, usage, place, at, request)
        mode = mode_without_search(
            request,
            request - 1,
            potential_at(tree, place, at),
            quota_at(tree, place, at).nominal,
            below_root or self._may_borrow(),
        )
        return mode == FlavorMode.NO_CANDIDATES

    def _is_allowed(self, preemptor: Workload) -> bool:
        """Whether KQ-300 finds a basis by the most favourable facts that a request could bring about."""
        kin = kin_between(self.snapshot.heroes, self.snapshot.place, self.place)
        return any(
            basis_for(preemptor, self.victim, facts, self.terms, self.now, kin) != Basis.NONE
            for facts in self._facts()
        )

    def _facts(self) -> Iterator[Evidence]:
        if self.is_own or self.terms.hero:
            yield Evidence(Basis.NONE)
        elif self.terms.fair_sharing:
            yield Evidence(Basis.NONE, over_quota=True, within_nominal=True)
        else:
            yield Evidence(Basis.NONE, over_quota=True, borrowing=True)
            if any(self._may_have_advantage(at) for at in self.held):
                yield Evidence(Basis.NONE, over_quota=True, advantage=True)
            if any(self._may_stay_within(at) for at in self.held):
                yield Evidence(Basis.NONE, over_quota=True, borrowing=False)

    def _may_have_advantage(self, at: FlavorResource) -> bool:
        """Whether the smallest short request fits a node below the common cohort (KQ-350)."""
        if at.resource == PODS:  # the search for targets does not request them, so nothing need not fit
            return True
        tree, usage, rest = self.snapshot.tree, self.snapshot.usage, self.first(at)
        theirs = tree.nodes[self.place].path
        for index in tree.nodes[self.snapshot.place].path:
            if index in theirs:
                return False
            quota, used = quota_at(tree, index, at), usage[index].get(at, 0)
            if fits_quota(used, rest, quota.subtree):
                return True
            rest = remaining_request(rest, quota, used)
        return False

    def _may_stay_within(self, at: FlavorResource) -> bool:
        """Whether an attempt without borrowing is made for some request that could succeed (KQ-360)."""
        snapshot = self.snapshot
        nominal = quota_at(snapshot.tree, snapshot.place, at).nominal
        used = snapshot.usage[snapshot.place].get(at, 0)
        tried = self.terms.borrow_within_cohort != BorrowWithinCohort.NEVER or used < nominal
        return tried and (at.resource == PODS or self.first(at) <= nominal)


def asking(now: Instant, priority: int, created_at: Instant | None = None) -> Workload:
    """A made-up workload that requests nothing yet.

    >>> asking(5, 100).key
    'made-up/workload'
    """
    return Workload(
        namespace="made-up",
        name="workload",
        uid="made-up",
        priority=priority,
        created_at=now if created_at is None else created_at,
    )

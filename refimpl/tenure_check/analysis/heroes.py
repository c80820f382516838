"""One pair of ClusterQueues of a tree with heroes: what is true whatever heroes use, and no more.

Bills and what is unlocked for heroes change quotas with usage. Here every quota that they may change is
arbitrary, within bounds that hold of every state. So every state is one of these, and where solvers find no
values, no state has such a victim; but they may find values that no state has. Lemma R is not used: all
usage is arbitrary too, but for one bound that admission keeps to in these trees as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import z3

from tenure.model import Cluster, FlavorResource, NodeQuota
from tenure.oracle.heroes.plan import HeroPlan, kin_between
from tenure.oracle.tree import Node, Tree, quota_at
from tenure.readings import HeroBilling, HeroLending, Reading
from tenure.rules.quota import local_quota
from tenure_check.analysis.encoding import Pair, record_of
from tenure_check.analysis.guarantees import NarrowCell
from tenure_check.analysis.symbolic_execution import MOST, term_of
from tenure_check.analysis.symbolic_usage import FAIR_MOMENTS
from tenure_check.analysis.tree_slices import slice_of
from tenure_check.choices import Scope
from tenure_proofs.trusted.claim import Traces
from tenure_proofs.trusted.symbols import SymBool

WIDE = 2 * MOST
"""More than all heroes of a tree bill, and more than is unlocked for them: both come to what they use."""


class HeroPair(Pair):
    """A preemptor's ClusterQueue and a victim's, in a slice of a tree with heroes.

    Args:
        cluster: for its settings.
        plan: the heroes of the tree, and the tree as it is configured.
        names: of the preemptor's ClusterQueue, and of the victim's.
        reading: what rules are read with.
        traces: formulas of rules that were lifted before.
        scope: of which states it is.
    """

    with_heroes = True

    def __init__(
        self,
        cluster: Cluster,
        plan: HeroPlan,
        names: tuple[str, str],
        reading: Reading,
        traces: Traces,
        scope: Scope = Scope.CONSISTENT,
    ) -> None:
        places = [plan.tree.places[name] for name in names]
        self.kin = kin_between(plan, *places)
        self.configured = slice_of(plan.tree, *places)
        self._plan, self._whole = plan, {kind_and_name(node): node for node in plan.tree.nodes}
        self._varied: dict[tuple[int, FlavorResource], Any] = {}
        super().__init__(cluster, self.configured, names, reading, traces, scope=scope)

    def narrowed(self, narrow: NarrowCell) -> tuple[z3.BoolRef, ...]:
        """Facts beside those of a question; a nominal quota is the one that is configured."""
        if narrow.longest is not None:
            return super().narrowed(narrow)
        quotas = self.configured.nodes[self.v].quotas
        return tuple(self._term("start", self.v, at) <= quota.nominal for at, quota in quotas.items())

    def of_one_victim(self) -> tuple[z3.BoolRef, ...]:
        """Nothing beside a question."""
        return ()

    # -- quotas -------------------------------------------------------------------------------------------

    @cached_property
    def trees(self) -> Mapping[str, Tree]:
        """The quotas of each moment: bills stay while a standard queue searches, lending limits may not."""
        start = self._with_quotas_of("start")
        if not self._plan.unlocks:
            return dict.fromkeys(FAIR_MOMENTS, start)
        return {"start": start} | {moment: self._with_quotas_of(moment) for moment in FAIR_MOMENTS[1:]}

    @cached_property
    def rising(self) -> frozenset[int]:
        """What the others of a slice pass up follows what is unlocked, which depends on who has left."""
        if not self._plan.unlocks:
            return frozenset()
        return frozenset(
            node.place for node in self.configured.nodes if kind_and_name(node) not in self._whole
        )

    def _with_quotas_of(self, moment: str) -> Tree:
        nodes = (replace(node, quotas=dict(self._quotas(moment, node))) for node in self.configured.nodes)
        return Tree(tuple(nodes), self.configured.places)

    def _quotas(self, moment: str, node: Node) -> Iterator[tuple[FlavorResource, Any]]:
        whole = self._whole.get(kind_and_name(node))
        if whole is None or not self._is_touched(whole):
            yield from node.quotas.items()
            return
        is_edited_cohort = whole.queue is None and self._scope == Scope.EDITED
        for at in self.configured.nodes[0].quotas if is_edited_cohort else node.quotas:
            yield at, self._quota(moment, whole, at)

    def _quota(self, moment: str, node: Node, at: FlavorResource) -> Any:
        """The quota of a node, of which all that heroes may change is arbitrary within its bounds."""
        known, name = quota_at(self._plan.tree, node.place, at), f"{node.place}.{at.flavor}.{at.resource}"
        nominal = self._nominal(node, known, name, at)
        subtree = nominal if node.queue is not None else self._subtree(moment, known, name)
        lends = self._lends(moment, node, at, name)
        fixed = {
            "nominal": nominal,
            "subtree": subtree,
            "local": self._folds.of(local_quota)(subtree, lends),
            "borrowing_limit": self._borrowing_limit(node, known, name, nominal),
        }
        return record_of(f"{moment}.quota.{name}", NodeQuota, fixed)

    def _nominal(self, node: Node, known: NodeQuota, name: str, at: FlavorResource) -> Any:
        """At most the configured one; a hero's may be more where billed quota moves to it (UCQ-160)."""
        if (node.place, at) not in self._varied:
            low, high = self._nominal_between(node, known.nominal)
            self._varied[node.place, at] = self._any(f"nominal.{name}", low, high)
        return self._varied[node.place, at]

    def _nominal_between(self, node: Node, nominal: int) -> tuple[int, int]:
        if not any(node.place in branch.nodes for branch in self._plan.branches):
            return nominal, nominal
        if not self._is_billed_whole:
            return 0, nominal  # PO-UCQ-335
        if node.queue is None:
            return nominal, nominal  # UCQ-150: the nominal quotas of cohorts are not billed
        return nominal - WIDE, nominal + (WIDE if node.place in self._plan.branch_of else 0)

    def _subtree(self, moment: str, known: NodeQuota, name: str) -> Any:
        """Less by what is billed below; more where lending limits rise, or quota moves to heroes."""
        more = WIDE if self._is_billed_whole or self._plan.unlocks else 0
        low = known.subtree - WIDE if self._is_billed_whole else max(0, known.subtree - WIDE)
        return self._any(f"{moment}.subtree.{name}", low, known.subtree + more)

    def _lends(self, moment: str, node: Node, at: FlavorResource, name: str) -> Any:
        limit = node.lends.get(at)
        if limit is None or not self._is_inside(node):
            return limit
        if self._plan.reading.hero_lending == HeroLending.HONOUR:
            return self._any(f"{moment}.lends.{name}", 0, limit)  # UCQ-190
        return self._any(f"{moment}.lends.{name}", limit, limit + WIDE)  # UCQ-200

    def _borrowing_limit(self, node: Node, known: NodeQuota, name: str, nominal: Any) -> Any:
        """Raised by as much as the subtree quota has fallen (UCQ-180): of a ClusterQueue, its nominal one."""
        limit = known.borrowing_limit
        if limit is None or not self._is_inside(node):
            return limit
        made = self._any(f"borrows.{name}", limit, limit + WIDE)
        is_standard_queue = node.queue is not None and node.place not in self._plan.branch_of
        if is_standard_queue and limit + known.nominal <= MOST:
            self._folds.facts.append(made.term + term_of(nominal) == limit + known.nominal)
        return made

    def _any(self, name: str, low: int, high: int) -> Any:
        return low if low == high else self._folds.amount(name, low, high)

    @property
    def _is_billed_whole(self) -> bool:
        return self._plan.reading.hero_billing == HeroBilling.WHOLE

    def _is_touched(self, node: Node) -> bool:
        """Whether heroes may change its quotas: in a hero's subtree, or above one."""
        nodes = self._plan.tree.nodes
        return any(
            node.place in branch.nodes or node.place in nodes[branch.root].path
            for branch in self._plan.branches
        )

    def _is_inside(self, node: Node) -> bool:
        return any(node.place in branch.nodes and node.place != branch.root for branch in self._plan.branches)

    # -- states -------------------------------------------------------------------------------------------

    def _of_consistent_states(self) -> Iterator[z3.BoolRef]:
        """A standard queue keeps to its borrowing limit, which rises as its nominal quota falls."""
        for place in self.queues:
            node = self._whole.get(kind_and_name(self.configured.nodes[place]))
            if node is None or node.place in self._plan.branch_of:
                continue
            for at, quota in node.quotas.items():
                if quota.borrowing_limit is not None:
                    yield self._term("start", place, at) <= quota.nominal + quota.borrowing_limit

    # -- the search ---------------------------------------------------------------------------------------

    @cached_property
    def _needed(self) -> Mapping[FlavorResource, Any]:
        """A hero's request is short of something: of what depends on all that runs in its subtree."""
        if not self.terms.hero:
            return super()._needed
        return {at: SymBool(z3.Bool(f"needed.{at.flavor}.{at.resource}")) for at in self.request}

    def _of_the_request(self) -> Iterator[z3.BoolRef]:
        if not self.terms.hero:
            yield from super()._of_the_request()
            return
        yield z3.BoolVal(not self._is_inactive(self.p))
        yield z3.Or([self._is_needed(at) for at in self.request])

    def _of_attempts(self) -> Iterator[z3.BoolRef]:
        if not self.terms.hero:
            yield from super()._of_attempts()

    def _of_fair_sharing(self) -> Iterator[z3.BoolRef]:
        if not self.terms.hero:
            yield from super()._of_fair_sharing()


def kind_and_name(node: Node) -> tuple[bool, str]:
    """What a node is known by in every tree of a configuration: whether it is a Cohort, and its name."""
    return node.queue is None, node.name

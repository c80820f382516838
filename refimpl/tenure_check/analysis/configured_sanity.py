"""Rules of PreemptionConfigs without effect, or with another one than is meant, in every state.

What a selector may select is found label by label, as `tenure_check.analysis.selections` has it: complete,
since requirements of different labels do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tenure.errors import InputError
from tenure.manifests import SourcedObject
from tenure.manifests.configuration import configuration_in
from tenure.manifests.structure import dig, items
from tenure.model import (
    CandidateScope,
    CandidateSelector,
    Cluster,
    ClusterQueue,
    Comparison,
    PreemptionConfig,
    PreemptionRule,
    ReclaimWithinCohort,
    Trigger,
    WithinClusterQueue,
)
from tenure.oracle.tiers import may_be_tried
from tenure.oracle.tree import Tree, build_tree, potential_at, quota_at
from tenure.oracle.unmodelled import with_known_configs
from tenure.rules.quota import quota_passed_up
from tenure.units import format_names
from tenure_check.analysis.sanity_findings import SanityCheck, SanityFinding
from tenure_check.analysis.selections import Selections, is_queue_selected

OWN_LABELS: Final = "kueue.x-k8s.io/"
"""Labels that Kueue sets itself."""
MOST_NAMED: Final = 5
_OWN: Final = (CandidateScope.LOCAL_QUEUE, CandidateScope.CLUSTER_QUEUE)


def copied_labels(objects: Iterable[SourcedObject]) -> frozenset[str] | None:
    """The labels of jobs that a Configuration copies to their Workloads; None where none is given.

    >>> found = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
    >>> copied_labels([SourcedObject("", {**found, "integrations": {"labelKeysToCopy": ["nodes"]}})])
    frozenset({'nodes'})
    """
    known: frozenset[str] | None = None
    for sourced in objects:
        try:
            found = configuration_in(sourced.object)
        except InputError:
            continue
        if found is not None:
            keys = items(dig(found, "integrations", "labelKeysToCopy"))
            known = frozenset(key for key in keys if isinstance(key, str))
    return known


def findings_of_configs(cluster: Cluster, copied: Collection[str] | None) -> Iterator[SanityFinding]:
    """What follows from the rules of PreemptionConfigs, and from policies beside them.

    Args:
        cluster: its queues and PreemptionConfigs; workloads do not count.
        copied: the labels that Kueue copies from jobs; None where that is not known.

    >>> [*findings_of_configs(Cluster({"a": ClusterQueue("a")}), None)]
    []
    """
    known = with_known_configs(cluster)
    naming = [queue for queue in known.cluster_queues.values() if queue.preemption_config is not None]
    configs = {config.name: config for queue in naming if (config := known.config_of(queue))}
    for config in configs.values():
        queues = [queue for queue in naming if queue.preemption_config == config.name]
        yield from _OfConfig(known, config, queues).findings()
        yield from _set_by_users(config, copied)
    for queue in naming:
        yield from _reclaimed(known, queue)


@dataclass(frozen=True, slots=True)
class _OfConfig:
    """A PreemptionConfig and the ClusterQueues that name it."""

    cluster: Cluster
    config: PreemptionConfig
    queues: list[ClusterQueue]

    def findings(self) -> Iterator[SanityFinding]:
        for index, rule in enumerate(self.config.rules):
            path = f"spec.rules[{index}]"
            if not any(may_be_tried(rule, queue) for queue in self.queues):
                yield self._no_topology(path)
                continue
            for place, selector in enumerate(rule.candidates):
                yield from self._of_selector(rule, place, selector, f"{path}.candidateSelectors[{place}]")
            yield from self._after_policies(rule, path)

    def _found(self, check: SanityCheck, field: str, message: str, why: str, *rules: str) -> SanityFinding:
        return SanityFinding(check, f"PreemptionConfig/{self.config.name}", field, message, why, rules)

    def _no_topology(self, path: str) -> SanityFinding:
        return self._found(
            SanityCheck.RULE_NEVER_APPLIES,
            f"{path}.activationPolicy.trigger",
            "the rule never applies: delete it, or give a flavor a topology",
            "no ClusterQueue that names this config has a topology: what fits by quota fits",
            "PCF-080",
        )

    def _of_selector(
        self, rule: PreemptionRule, place: int, selector: CandidateSelector, path: str
    ) -> Iterator[SanityFinding]:
        reached = {queue.name: list(self._reached(queue, selector)) for queue in self.queues}
        if not any(reached.values()):
            yield self._found(
                SanityCheck.RULE_NEVER_APPLIES,
                path,
                "the selector never selects a workload: change its scope or its clusterQueueSelector",
                "no ClusterQueue in its scope is selected and has a flavor and resource of the preemptor's",
                "PCF-010",
                "PCF-070",
            )
        elif not Selections(self.cluster).may_select(self.config, rule, place):
            yield self._found(
                SanityCheck.RULE_NEVER_APPLIES,
                path,
                "the selector never selects a workload, whatever labels both have: change the rule",
                "what it requires of labels and names excludes itself, or an invalid selector stops its "
                "trigger for every preemptor that the rule accepts",
                "PCF-040",
                "PCF-050",
                "PCF-060",
                "PCF-080",
            )
        else:
            yield from self._adds_nothing(selector, path)
            yield from self._takes_nominal(selector, path, reached)

    def _reached(self, queue: ClusterQueue, selector: CandidateSelector) -> Iterator[ClusterQueue]:
        """The ClusterQueues whose workloads a selector may select for a preemptor of one."""
        tree = build_tree(self.cluster, queue)
        for name in tree.places:
            other = self.cluster.cluster_queues[name]
            shared = queue.nominal().keys() & other.nominal().keys()
            if is_queue_selected(selector, queue, other) and shared and not other.inactive:
                yield other

    def _adds_nothing(self, selector: CandidateSelector, path: str) -> Iterator[SanityFinding]:
        """A selector of workloads that spec.preemption names for every preemptor.

        Without fair sharing each candidate of the own ClusterQueue is removed before the tiers are tried.
        """
        settings, policies = self.cluster.settings, (WithinClusterQueue.NEVER,)
        falls = selector.mode is not None and selector.comparison == Comparison.LESS
        plain = not settings.priority_boost and not self.cluster.growing and settings.fair_sharing is None
        named = all(
            queue.within_cluster_queue not in policies and queue.min_admit_duration is None
            for queue in self.queues
        )
        if selector.scope in _OWN and falls and plain and named:
            yield self._found(
                SanityCheck.SELECTOR_ADDS_NOTHING,
                path,
                "the selector has no effect: withinClusterQueue of spec.preemption names the same workloads, "
                "which are removed first. Delete it, or set withinClusterQueue: Never",
                "it selects workloads of lower priority in the preemptor's own ClusterQueue alone",
                "KQ-040",
                "PCF-080",
            )

    def _takes_nominal(
        self, selector: CandidateSelector, path: str, reached: dict[str, list[ClusterQueue]]
    ) -> Iterator[SanityFinding]:
        """A selector by which workloads within their ClusterQueue's nominal quota are preempted."""
        others = {
            other.name
            for queue in self.queues
            for other in reached[queue.name]
            if other.name != queue.name and _lends(build_tree(self.cluster, queue), queue, other)
        }
        if others:
            names = format_names(sorted(others), MOST_NAMED)
            yield self._found(
                SanityCheck.NOMINAL_NOT_PROTECTED,
                f"{path}.scope",
                f"nominal quota protects no workload of {names} from this rule: narrow the scope, or select "
                "other ClusterQueues by clusterQueueSelector, if it is to protect them",
                f"no scope requires that the victim's ClusterQueue borrows; {selector.scope.label} has it",
                "PCF-010",
                "PCF-070",
            )

    def _after_policies(self, rule: PreemptionRule, path: str) -> Iterator[SanityFinding]:
        names = sorted(queue.name for queue in self.queues if _preempts_by_policy(queue))
        if rule.trigger == Trigger.ALWAYS and names and rule.candidates:
            yield self._found(
                SanityCheck.TRIED_AFTER_POLICIES,
                f"{path}.activationPolicy.trigger",
                f"Always is not always: for {format_names(names, MOST_NAMED)} the rule is tried only where "
                "candidates of spec.preemption do not free enough. Set its policies to Never if the rule is "
                "to choose the victims",
                "the candidates of spec.preemption are removed first, and the search ends as soon as the "
                "preemptor fits",
                "PCF-080",
            )


def _lends(tree: Tree, queue: ClusterQueue, other: ClusterQueue) -> bool:
    """Whether quota of another ClusterQueue serves one: it lends some of what both have."""
    place = tree.places[other.name]
    return any(
        quota_at(tree, place, at).nominal > 0 and quota_passed_up(quota_at(tree, place, at)) > 0
        for at in queue.nominal().keys() & other.nominal().keys()
    )


def _preempts_by_policy(queue: ClusterQueue) -> bool:
    reclaims = queue.cohort is not None and queue.reclaim_within_cohort in (
        ReclaimWithinCohort.ANY,
        ReclaimWithinCohort.LOWER_PRIORITY,
    )
    return reclaims or queue.within_cluster_queue != WithinClusterQueue.NEVER


def _set_by_users(config: PreemptionConfig, copied: Collection[str] | None) -> Iterator[SanityFinding]:
    """Labels by which a job decides whom it preempts, or who preempts it: the first place of each."""
    seen: set[str] = set()
    for index, rule in enumerate(config.rules):
        for place, selector in enumerate(rule.candidates):
            for number, label in enumerate(selector.numbers):
                is_copied = copied is None or label.key in copied
                if label.key in seen or label.key.startswith(OWN_LABELS) or not is_copied:
                    continue
                seen.add(label.key)
                known = "copies" if copied is not None else "may copy"
                yield SanityFinding(
                    SanityCheck.LABEL_SET_BY_USERS,
                    f"PreemptionConfig/{config.name}",
                    f"spec.rules[{index}].candidateSelectors[{place}].numericLabels[{number}].key",
                    f"who submits a job sets label {label.key}, and with it who preempts whom: let an "
                    "admission policy set or check it",
                    f"integrations.labelKeysToCopy {known} it from the job to its Workload",
                    ("PCF-060",),
                )


def _reclaimed(cluster: Cluster, queue: ClusterQueue) -> Iterator[SanityFinding]:
    """ClusterQueues that reclaim from one with a PreemptionConfig whatever priority its workloads have."""
    tree = build_tree(cluster, queue)
    place = tree.places[queue.name]
    borrows = any(potential_at(tree, place, at) > nominal for at, nominal in queue.nominal().items())
    for name in tree.places if borrows and cluster.settings.fair_sharing is None else ():
        other = cluster.cluster_queues[name]
        reclaims = other.reclaim_within_cohort == ReclaimWithinCohort.ANY and not other.inactive
        if name != queue.name and reclaims and _lends(tree, queue, other):
            yield SanityFinding(
                SanityCheck.RECLAIMED_BY_ANY,
                f"ClusterQueue/{name}",
                "spec.preemption.reclaimWithinCohort",
                f"Any preempts workloads of {queue.name}, which names PreemptionConfig "
                f"{queue.preemption_config}, of any priority, as soon as it borrows: set LowerPriority or "
                "Never if they are to be safe",
                "a PreemptionConfig protects no workload of the ClusterQueue that names it",
                ("KQ-330", "KQ-380"),
            )

"""Fields of a configuration without effect, in any state that admissions can produce.

Only what follows from the rules is listed, and each check has its argument. Its words:

- *usage* is at least 0 everywhere, and so is what is available at every node of a tree: after any admissions,
  and after any workloads have left. A quota that is lowered below what is in use is another matter.
- *potential* is the most that a node could ever have (KQ-160).

A tree with a hero queue is passed over: heroes are charged to others. So is one in which something decides
that is not modelled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tenure.as_json import KueueVersion
from tenure.manifests import Loaded, SourcedObject, place_of
from tenure.manifests.conversion import VERSIONS, name_of, to_v1beta2
from tenure.manifests.premises import premises_of_states, refuse_unstated
from tenure.manifests.quantities import parse_quantity
from tenure.manifests.source_lines import SourceLines
from tenure.manifests.structure import dig
from tenure.model import (
    Amount,
    Cluster,
    ClusterQueue,
    Cohort,
    FlavorResource,
    PreemptionRules,
    ReclaimWithinCohort,
    WithinClusterQueue,
)
from tenure.oracle.topology import has_topology
from tenure.oracle.tree import Node, Tree, build_tree, potential_at, quota_at
from tenure.oracle.unmodelled import over_time
from tenure.outline import Item, Name
from tenure.readings import Reading
from tenure.rules.flavors import may_preempt_while_borrowing
from tenure.rules.terms import terms_of
from tenure.units import format_amount
from tenure.validation.cross_object_warnings import cohort_quota_on_top, overview
from tenure.validation.faults import Subject
from tenure.validation.object_warnings import quotas
from tenure_check.analysis.configured_sanity import copied_labels, findings_of_configs
from tenure_check.analysis.sanity_findings import SanityCheck, SanityFinding

_PREEMPTION: Final = "spec.preemption"
_BYTES: Final = ("memory", "ephemeral-storage")
_AMOUNTS: Final = ("nominalQuota", "borrowingLimit", "lendingLimit")
_LARGE: Final = 2**20
"""A quota of so many bytes is more than one pod's overhead."""
_APART: Final = 2**10


def findings_of_tree(cluster: Cluster, reading: Reading) -> Iterator[SanityFinding]:
    """What follows from quotas and policies.

    Args:
        cluster: its queues and cohorts; workloads do not count.
        reading: see `tenure.readings`.

    >>> from tenure.model import FlavorQuotas, ResourceGroup
    >>> from tenure.readings import preset
    >>> none = (ResourceGroup(("gpu",), (FlavorQuotas("a100", {"gpu": 0}),)),)
    >>> some = (ResourceGroup(("gpu",), (FlavorQuotas("a100", {"gpu": 8}),)),)
    >>> guest = ClusterQueue("guest", none, WithinClusterQueue.LOWER_PRIORITY, cohort="all")
    >>> cluster = Cluster({"guest": guest, "owner": ClusterQueue("owner", some, cohort="all")})
    >>> [finding.check.value for finding in findings_of_tree(cluster, preset("guaranteed"))]
    ['NeverPreempts']
    """
    seen: set[str] = set()
    for queue in cluster.cluster_queues.values():
        if queue.name in seen:
            continue
        tree = build_tree(cluster, queue)
        seen.update(tree.places)
        if not over_time(cluster, tree.places) and not any(_is_hero(node.queue) for node in tree.nodes):
            yield from _Sanity(cluster, tree, reading).findings()


@dataclass(frozen=True, slots=True)
class _Sanity:
    cluster: Cluster
    tree: Tree
    reading: Reading

    def findings(self) -> Iterator[SanityFinding]:
        for node in self.tree.nodes:
            yield from self._limits(node)
        for queue in self._queues():
            nothing = list(self._preempts_nothing(queue))
            yield from nothing
            if not nothing:
                yield from self._reclaims_nothing(queue)
                yield from self._weighs_nothing(queue)

    def _queues(self) -> list[ClusterQueue]:
        """The ClusterQueues of the tree that admit workloads."""
        return [node.queue for node in self.tree.nodes if node.queue is not None and not node.queue.inactive]

    def _limits(self, node: Node) -> Iterator[SanityFinding]:
        """A borrowing limit that is never what bounds a request.

        What is available at a node is at most its potential less its usage, by induction from the root. So
        what its parent offers is at most the parent's potential less what the node has passed up; where the
        limit and what the node lends are no less than that potential, KQ-170 takes what the parent offers.
        """
        holder = node.queue if node.queue is not None else self.cluster.cohorts.get(node.name)
        if node.parent is None or holder is None:
            return
        for path, at, limit in _limits_of(holder):
            quota, above = quota_at(self.tree, node.place, at), potential_at(self.tree, node.parent, at)
            if limit == 0 or above > quota.subtree - quota.local + limit:
                continue
            # What others may have beside the node's own.
            rest = max(0, quota.local + above - quota.subtree)
            most = format_amount(at.resource, rest)
            message = (
                "nothing of it can be borrowed, since the others own none, so that the limit has no effect"
                if rest == 0
                else f"at most {most} can ever be borrowed, so that the limit is never reached"
            )
            why = (
                f"the most that {self.tree.nodes[node.parent].name} ever has of it is "
                f"{format_amount(at.resource, above)}; the limit and what is lent are no less than that"
            )
            kind = "Cohort" if node.queue is None else "ClusterQueue"
            yield SanityFinding(
                SanityCheck.LIMIT_NEVER_REACHED,
                f"{kind}/{node.name}",
                f"{path}.borrowingLimit",
                f"{message}: leave it out, or lower it",
                why,
                ("KQ-160", "KQ-170", "KQ-180"),
            )

    def _preempts_nothing(self, queue: ClusterQueue) -> Iterator[SanityFinding]:
        """A queue that preempts no workload, of its own neither.

        A search for targets needs a request within the nominal quota, or quota below the root that could
        serve it, or the permission to preempt while borrowing (KQ-520, KQ-530). Without any quota below the
        root a request above 0 fits no subtree there, whatever is in use. Where a flavor has a topology, a
        search is made for what fits by quota, too.
        """
        terms = terms_of(queue, self.cluster.settings, self.reading)
        path = self.tree.nodes[self.tree.places[queue.name]].path
        below_root = path[:-1] if len(path) > 1 else path
        policies = {
            "withinClusterQueue": queue.within_cluster_queue != WithinClusterQueue.NEVER,
            "reclaimWithinCohort": queue.reclaim_within_cohort != ReclaimWithinCohort.NEVER,
        }
        owns = any(
            quota_at(self.tree, place, at).subtree > 0 for place in below_root for at in queue.nominal()
        )
        placed = has_topology(queue, self.cluster)
        searched = queue.preemption_config is not None  # PCF-090
        if owns or placed or searched or not queue.nominal() or may_preempt_while_borrowing(terms):
            return
        for field in (name for name, is_set in policies.items() if is_set):
            yield SanityFinding(
                SanityCheck.NEVER_PREEMPTS,
                f"ClusterQueue/{queue.name}",
                f"{_PREEMPTION}.{field}",
                "the policy has no effect: no workload of the queue ever preempts another one, in whichever "
                "ClusterQueue. Give it nominal quota, or set borrowWithinCohort, or leave the policy out",
                "it has no nominal quota and nothing below the root has any, so that every request borrows, "
                "and it may not preempt while it borrows",
                ("KQ-520", "KQ-530"),
            )

    def _reclaims_nothing(self, queue: ClusterQueue) -> Iterator[SanityFinding]:
        """A queue that reclaims where no other one can borrow.

        A workload of another ClusterQueue is preempted only while that uses more than its quota (KQ-380,
        KQ-480); its usage is at most its potential, since nothing more is ever available.
        """
        others = [other for other in self._queues() if other.name != queue.name]
        if queue.reclaim_within_cohort == ReclaimWithinCohort.NEVER or not others:
            return
        if any(self._may_borrow(other) for other in others):
            return
        yield SanityFinding(
            SanityCheck.NOTHING_TO_RECLAIM,
            f"ClusterQueue/{queue.name}",
            f"{_PREEMPTION}.reclaimWithinCohort",
            "there is never anything to reclaim: no other ClusterQueue of the tree can use more than its "
            "nominal quota. Leave the policy out, or let the others borrow",
            "the most that each other ClusterQueue ever has is its nominal quota",
            ("KQ-160", "KQ-380", "KQ-480"),
        )

    def _may_borrow(self, queue: ClusterQueue) -> bool:
        place = self.tree.places[queue.name]
        return any(potential_at(self.tree, place, at) > nominal for at, nominal in queue.nominal().items())

    def _weighs_nothing(self, queue: ClusterQueue) -> Iterator[SanityFinding]:
        """A queue of weight 0 without quota, beside queues that all have a weight.

        Whatever it is short of, it borrows once it has it: so it is never within its nominal quota (KQ-410),
        and its share is infinite (KQ-450), which is above the finite share of every other queue of the
        cohort under either strategy (KQ-420, KQ-430).
        """
        flat = len(self.tree.nodes[self.tree.places[queue.name]].path) == 2
        others = [other for other in self._queues() if other.name != queue.name]
        takes_part = queue.reclaim_within_cohort != ReclaimWithinCohort.NEVER and queue.weight == 0
        if self.cluster.settings.fair_sharing is None or not takes_part or not flat or not others:
            return
        siblings = self.tree.nodes[0].cohorts == () and all(other.weight > 0 for other in others)
        if siblings and queue.nominal() and not any(queue.nominal().values()):
            yield SanityFinding(
                SanityCheck.ZERO_WEIGHT_NEVER_TAKES,
                f"ClusterQueue/{queue.name}",
                f"{_PREEMPTION}.reclaimWithinCohort",
                "the policy has no effect: the queue never preempts a workload of another ClusterQueue. Give "
                "it a weight above 0, or nominal quota, or leave the policy out",
                "it has weight 0 and no nominal quota, so that its share is infinite with any request, and "
                "every other ClusterQueue of the cohort has a finite one",
                ("KQ-410", "KQ-420", "KQ-430", "KQ-450"),
            )


def findings_of_objects(objects: Sequence[tuple[str, Any]]) -> Iterator[SanityFinding]:
    """What the objects have side by side.

    Args:
        objects: each with what it is called, as v1beta2 has it.

    >>> workload = {"kind": "Workload", "spec": {"priorityClassRef": {"name": "low"}}}
    >>> named = [{"kind": "WorkloadPriorityClass", "metadata": {"name": name}} for name in ("low", "high")]
    >>> objects = [("", workload), *((f"WorkloadPriorityClass/{n['metadata']['name']}", n) for n in named)]
    >>> [finding.object for finding in findings_of_objects(objects)]
    ['WorkloadPriorityClass/high']
    """
    yield from _units(objects)
    yield from _classes(objects)
    yield from _on_top(objects)


def _on_top(objects: Iterable[tuple[str, Any]]) -> Iterator[SanityFinding]:
    """A Cohort's own quota that equals the sum of its ClusterQueues', as `tenure validate` has it."""
    together = overview(Subject(_kind(raw), raw) for _, raw in objects)
    for cohort, fault in cohort_quota_on_top(together):
        yield SanityFinding(
            SanityCheck.COHORT_QUOTA_ON_TOP,
            f"Cohort/{cohort.name}",
            fault.field,
            fault.message,
            "the quota of a subtree is the Cohort's own and its members' together",
            ("KQ-130",),
        )


def _units(objects: Iterable[tuple[str, Any]]) -> Iterator[SanityFinding]:
    """Bytes written as a number alone where another quota of the resource has a unit and is far larger."""
    written: dict[str, list[tuple[str, str, str]]] = {}
    for name, raw in objects:
        for resource, path, text in _bytes_in(raw):
            written.setdefault(resource, []).append((name, path, text))
    for resource, entries in written.items():
        with_unit = [text for _, _, text in entries if not text.isdecimal()]
        largest = max(with_unit, key=parse_quantity, default="0")
        for name, path, text in entries:
            few = text.isdecimal() and 0 < int(text) < _LARGE
            if few and parse_quantity(largest) >= int(text) * _APART:
                yield SanityFinding(
                    SanityCheck.UNITS_DIFFER,
                    name,
                    path,
                    f"{text} is {text} bytes of {resource}: write the unit, as in {text}Gi, if that is meant",
                    f"a quantity without a unit is in bytes, and another quota of {resource} is {largest}",
                )


def _bytes_in(raw: Any) -> Iterator[tuple[str, str, str]]:
    """Resource, path and text of every amount of bytes that an object gives."""
    if dig(raw, "kind") not in ("ClusterQueue", "Cohort"):
        return
    for path, quota in quotas(raw):
        for field in _AMOUNTS:
            if quota.get("name") in _BYTES and quota.get(field) is not None:
                yield str(quota["name"]), f"{path}.{field}", str(quota[field])


def _classes(objects: Sequence[tuple[str, Any]]) -> Iterator[SanityFinding]:
    """A class that none of the workloads names, where there are any."""
    workloads = [raw for _, raw in objects if dig(raw, "kind") == "Workload"]
    used = {dig(raw, "spec", "priorityClassRef", "name") for raw in workloads}
    used |= {dig(raw, "spec", "priorityClassName") for raw in workloads}
    for name, raw in objects if workloads else ():
        if dig(raw, "kind") == "WorkloadPriorityClass" and dig(raw, "metadata", "name") not in used:
            yield SanityFinding(
                SanityCheck.UNUSED_CLASS,
                name,
                "metadata.name",
                "no workload that is given names the class: delete it if none is to come",
                f"none of {len(workloads)} workloads names it in spec.priorityClassRef",
            )


def _limits_of(holder: ClusterQueue | Cohort) -> Iterator[tuple[str, FlavorResource, Amount]]:
    for i, group in enumerate(holder.resource_groups):
        for j, flavor in enumerate(group.flavors):
            for k, resource in enumerate(flavor.nominal):
                limit = flavor.borrowing_limits.get(resource)
                if limit is not None:
                    path = f"spec.resourceGroups[{i}].flavors[{j}].resources[{k}]"
                    yield path, FlavorResource(flavor.flavor, resource), limit


def _is_hero(queue: ClusterQueue | None) -> bool:
    return queue is not None and queue.rules != PreemptionRules.DEFAULT


# -- the answer ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SanityNotice:
    """A field without effect, or hardly with the one that is meant, whatever workloads come."""

    check: SanityCheck
    """What was checked."""
    object: str
    """The object, such as `ClusterQueue/a`."""
    field: str
    """Path of the field in v1beta2."""
    message: str
    """What holds, and what to do."""
    why: str
    """The argument."""
    rules: tuple[str, ...]
    """Identifiers of the rules that it rests on."""
    file: str
    """Where the object was read."""
    line: int
    """The field's line there, from 1; 0 where it is not found."""

    @property
    def item(self) -> Item:
        """The finding for people, with its place and its argument."""
        by = f", by {', '.join(self.rules)}" if self.rules else ""
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        head = [
            Name(f"{self.object} {self.field}"),
            f" ({self.check})",
            *(["  ", Name(place)] if place else []),
        ]
        return Item(head, [Item(self.message), Item(f"because {self.why}{by}")])


@dataclass(frozen=True, slots=True)
class SanityAnswer:
    """Of tenure analyze sanity."""

    reading: str
    """The reading, by its name."""
    checked: int
    """How many objects were looked at."""
    notices: tuple[SanityNotice, ...]
    """What was found, by file and line."""
    not_known: tuple[str, ...] = ()
    """What decides and is not modelled, in words; trees in which it may decide were passed over."""
    premises: tuple[str, ...] = ()
    """What is assumed of how Kueue is configured, because no object shows it, in words."""
    warnings: tuple[str, ...] = ()
    """About the input."""
    kueue: KueueVersion = None
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""


def sanity_answer(loaded: Loaded, reading: Reading) -> SanityAnswer:
    """Check a configuration.

    Args:
        loaded: the cluster, with its objects.
        reading: see `tenure.readings`.

    Raises:
        InputError: nothing shows whether weights decide.

    >>> from tenure.readings import preset
    >>> sanity_answer(Loaded(Cluster({})), preset("guaranteed")).notices
    ()
    """
    refuse_unstated(loaded)
    objects = loaded.objects
    converted = [(name_of(sourced.object, _kind(sourced.object)), _converted(sourced)) for sourced in objects]
    files = {name: sourced.file for (name, _), sourced in zip(converted, objects, strict=True)}
    lines = SourceLines()
    notices = [
        SanityNotice(
            finding.check,
            finding.object,
            finding.field,
            finding.message,
            finding.why,
            finding.rules,
            files.get(finding.object, ""),
            lines.of_field(files.get(finding.object, ""), finding.object, finding.field),
        )
        for finding in (
            *findings_of_tree(loaded.cluster, reading),
            *findings_of_configs(loaded.cluster, copied_labels(objects)),
            *findings_of_objects(converted),
        )
    ]
    notices.sort(key=lambda notice: (notice.file, notice.line))
    premises = premises_of_states(loaded)
    not_known = tuple(found.text for found in over_time(loaded.cluster))
    return SanityAnswer(reading.name, len(objects), tuple(notices), not_known, premises, loaded.warnings)


def _kind(raw: Any) -> str:
    return str(dig(raw, "kind") or "")


def _converted(sourced: SourcedObject) -> Any:
    """The object as v1beta2 has it."""
    kind = _kind(sourced.object)
    if kind not in VERSIONS:
        return sourced.object
    return to_v1beta2(sourced.object, kind, place_of(sourced.object, kind, file=sourced.file), [])[0]

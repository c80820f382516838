"""A configuration of queues without its workloads, and the workloads that a search puts into it."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from tenure.errors import bad_input
from tenure.manifests import Loaded, SourcedObject, amount_of, build, did_you_mean, place_of
from tenure.manifests.configuration import NEWEST, configuration_in
from tenure.manifests.conversion import API_VERSION, name_of, to_v1beta2
from tenure.manifests.kueue_api import PREEMPTION_CONFIG, as_if_modelled
from tenure.manifests.premises import premises_of_states, refuse_unstated
from tenure.manifests.selectable import KIND, LIMIT_KIND
from tenure.manifests.structure import dig
from tenure.manifests.workload_schema import BOOST
from tenure.model import Amount, Cluster, ClusterQueue, Cohort, FlavorQuotas, Workload
from tenure.oracle.unmodelled import over_time
from tenure.readings import Reading
from tenure.units import format_amount
from tenure_check.analysis.workload_variants import PLAIN, WorkloadVariant, configs_of, variants_of
from tenure_play import Scenario, parse_scenario
from tenure_play.scenario import Submission, Submit
from tenure_play.state import PlayState

NAMESPACE: Final = "default"
_KEPT: Final = ("ClusterQueue", "Cohort", "ResourceFlavor", "WorkloadPriorityClass")
_CONFIGURED: Final = ("Configuration", "ConfigMap", KIND, LIMIT_KIND)
_READ: Final = (*_KEPT, *_CONFIGURED)
_PARTS: Final = 4
"""A tree's quota is searched in quarters, unless sizes are given."""
_MOST_QUOTAS: Final = 2
"""So many different nominal quotas of ClusterQueues are sizes as well."""
_MOST_PRIORITIES: Final = 3
_WITHOUT_CLASSES: Final = (0, 50, 100)
"""Two victims and their preemptor may need three: of one queue the higher one goes first."""
_FINITE: Final = 2**60


@dataclass(frozen=True, slots=True)
class PriorityChoice:
    """A priority that workloads of the search have.

    Args:
        value: `spec.priority`.
        name: of the WorkloadPriorityClass; empty for a number alone.
    """

    value: int
    name: str = ""

    def __str__(self) -> str:
        return self.name or str(self.value)


@dataclass(frozen=True, slots=True)
class WorkloadKind:
    """Workloads of the search that differ in nothing but their names and times.

    Args:
        queue: the ClusterQueue.
        alike, number: which ClusterQueues it is alike, and the how many-th of them it is.
        resource, amount: the request of its one pod.
        priority, variant: see there.
        workload: one of them, pending.
    """

    queue: str
    alike: int
    number: int
    resource: str
    amount: Amount
    priority: PriorityChoice
    workload: Workload
    variant: WorkloadVariant = PLAIN


@dataclass(frozen=True)
class CohortTree:
    """The ClusterQueues below one root cohort, or one ClusterQueue alone.

    Args:
        name: `cohort NAME`, or that of the ClusterQueue.
        scenario: the tree alone, without workloads.
        objects: its manifests, with a LocalQueue for each ClusterQueue.
        priorities: those of the classes that there are.
        not_known: what may decide in it and is not modelled, in words; nothing is searched then.
    """

    name: str
    scenario: Scenario
    objects: tuple[dict[str, Any], ...]
    priorities: tuple[PriorityChoice, ...]
    not_known: tuple[str, ...] = ()

    @property
    def cluster(self) -> Cluster:
        """Its queues, cohorts and flavors."""
        return self.scenario.cluster

    @cached_property
    def queues(self) -> tuple[ClusterQueue, ...]:
        """The ClusterQueues that admit workloads."""
        return tuple(queue for queue in self.cluster.cluster_queues.values() if not queue.inactive)

    @cached_property
    def alike(self) -> tuple[tuple[ClusterQueue, ...], ...]:
        """The ClusterQueues in groups that differ in their names only."""
        keys: list[tuple[ClusterQueue, list[ClusterQueue]]] = []
        for queue in self.queues:
            unnamed = dataclasses.replace(queue, name="")
            found = next((members for key, members in keys if key == unnamed), None)
            if found is None:
                keys.append((unnamed, [queue]))
            else:
                found.append(queue)
        return tuple(tuple(members) for _, members in keys)

    def resources(self) -> tuple[str, ...]:
        """The resources that are searched: of several whose quotas are in proportion, the first."""
        names = dict.fromkeys(
            resource
            for queue in self.queues
            for group in queue.resource_groups
            for resource in group.covered_resources
            if resource != "pods"
        )
        kept: dict[str, tuple[Amount | None, ...]] = {}
        for name in names:
            numbers = tuple(_numbers(self._quotas(), name))
            if self.total(name) and not any(_in_proportion(numbers, known) for known in kept.values()):
                kept[name] = numbers
        return tuple(kept)

    def total(self, resource: str) -> Amount:
        """The most of a resource that the tree owns of one flavor; 0 where that is unlimited."""
        totals: dict[str, Amount] = {}
        for quotas in self._quotas():
            if resource in quotas.nominal:
                totals[quotas.flavor] = totals.get(quotas.flavor, 0) + quotas.nominal[resource]
        return max((total for total in totals.values() if total < _FINITE), default=0)

    def sizes(self, resource: str) -> tuple[Amount, ...]:
        """The sizes that are searched: quarters of what the tree owns, and ClusterQueues' nominal quotas.

        Where a ClusterQueue names a PreemptionConfig, all that the tree owns in the place of quarters.
        """
        total = self.total(resource)
        quarters = {-(-total * part // _PARTS) for part in range(1, _PARTS + 1)}
        nominal = (
            quotas.nominal.get(resource, 0)
            for queue in self.queues
            for group in queue.resource_groups
            for quotas in group.flavors
        )
        if self.has_configs:
            # More kinds of workloads differ in their labels: fewer in their sizes.
            quarters = {total}
        more = [
            amount for amount in dict.fromkeys(nominal) if 0 < amount < _FINITE and amount not in quarters
        ]
        return tuple(sorted(quarters.union(more[:_MOST_QUOTAS])))

    def kinds(
        self, resource: str, sizes: Sequence[Amount], priorities: Sequence[PriorityChoice], most: int
    ) -> list[WorkloadKind]:
        """The kinds of workloads of a search.

        Args:
            resource: of their requests.
            sizes, priorities: each of these.
            most: of alike ClusterQueues so many, because no more of them can have a workload.
        """
        variants = self.variants(priorities)
        listed = [
            (queue, alike, number, amount, priority, variant)
            for amount in sizes
            for alike, members in enumerate(self.alike)
            for number, queue in enumerate(members[:most])
            for priority in priorities
            for variant in variants
        ]
        entries = [
            {"at": "0s", "submit": self.entry(f"w{place}", queue.name, resource, amount, priority, variant)}
            for place, (queue, _, _, amount, priority, variant) in enumerate(listed)
        ]
        parsed = parse_scenario({"until": "1h", "objects": list(self.objects), "events": entries})
        found = [event.submission for event in parsed.events if isinstance(event, Submit)]
        return [
            WorkloadKind(queue.name, alike, number, resource, amount, priority, submission.workload, variant)
            for (queue, alike, number, amount, priority, variant), submission in zip(
                listed, found, strict=True
            )
        ]

    @property
    def has_configs(self) -> bool:
        """Whether a ClusterQueue names a PreemptionConfig with rules."""
        return bool(configs_of(self.cluster))

    def variants(self, priorities: Sequence[PriorityChoice]) -> tuple[WorkloadVariant, ...]:
        """The labels and boosts that workloads of these priorities have."""
        return variants_of(self.cluster, [priority.value for priority in priorities])

    def entry(
        self,
        name: str,
        queue: str,
        resource: str,
        amount: Amount,
        priority: PriorityChoice,
        variant: WorkloadVariant = PLAIN,
    ) -> dict[str, Any]:
        """A workload as a scenario submits it."""
        requests = {resource: format_amount(resource, amount)}
        is_plain = variant == PLAIN
        if is_plain and not any(flavor.taints for flavor in self.cluster.flavors.values()):
            ranked = {"priorityClass": priority.name} if priority.name else {"priority": priority.value}
            return {"name": name, "queue": queue, **ranked, "requests": requests}
        # The short form has no labels, and no tolerations, without which a tainted flavor takes no workload.
        container = {"resources": {"requests": requests}}
        pods = {"tolerations": [{"operator": "Exists"}], "containers": [container]}
        spec: dict[str, Any] = {"queueName": queue, "priority": priority.value}
        if priority.name:
            group = API_VERSION.partition("/")[0]
            spec["priorityClassRef"] = {
                "group": group,
                "kind": "WorkloadPriorityClass",
                "name": priority.name,
            }
        spec["podSets"] = [{"name": "main", "count": 1, "template": {"spec": pods}}]
        metadata: dict[str, Any] = {"name": name, "namespace": NAMESPACE}
        if variant.labels:
            metadata["labels"] = dict(variant.labels)
        if variant.boost:
            metadata["annotations"] = {BOOST: str(variant.boost)}
        return {"manifest": {"metadata": metadata, "spec": spec}}

    def _quotas(self) -> Iterator[FlavorQuotas]:
        return _quotas_of((*self.queues, *self.cluster.cohorts.values()))


def trees_of(objects: Iterable[SourcedObject], reading: Reading) -> tuple[list[CohortTree], tuple[str, ...]]:
    """The trees of a configuration, in the order of their ClusterQueues.

    Args:
        objects: as they were read; of workloads only the priorities count, LocalQueues and what is no
            configuration are passed over.
        reading: see `tenure.readings`.

    Returns:
        the trees, and what is to be warned of.

    Raises:
        InputError: no ClusterQueue is among them; everything that is wrong with them.
    """
    objects = list(objects)
    loaded = build(sourced for sourced in objects if dig(sourced.object, "kind") in _READ).cluster
    # Of a tree that is not known nothing is asked, and no scenario has what is not modelled.
    unknown = {name for name in loaded.cluster_queues if over_time(loaded, [name])}
    manifests = [
        as_if_modelled(
            manifest,
            manifest["kind"],
            (PREEMPTION_CONFIG,) if dig(manifest, "metadata", "name") in unknown else (),
        )
        for manifest in _configuration(objects)
    ]
    queues = [manifest for manifest in manifests if manifest["kind"] == "ClusterQueue"]
    if not queues:
        raise bad_input(
            "paths", "no ClusterQueue", "the configuration: ClusterQueues, Cohorts, ResourceFlavors"
        )
    for queue in queues:
        # A selector of namespaces limits submissions, and the search submits to every queue.
        queue["spec"] = {**(queue.get("spec") or {}), "namespaceSelector": {}}
    whole = _scenario(manifests)
    world = PlayState(whole, reading)
    roots: dict[str, list[str]] = {}
    for name, cluster_queue in whole.cluster.cluster_queues.items():
        roots.setdefault(world.root_of(cluster_queue), []).append(name)
    priorities = _priorities(manifests, whole.cluster, _own_priorities(objects))
    trees = [
        dataclasses.replace(
            _tree(root, names, manifests, whole, priorities),
            not_known=tuple(found.text for found in over_time(loaded, names)),
        )
        for root, names in roots.items()
    ]
    return trees, whole.warnings


def with_gates(objects: Iterable[SourcedObject], gates: Mapping[str, bool]) -> list[SourcedObject]:
    """The objects with feature gates above those of their Configuration.

    Without a Configuration one is added, with fair sharing as it is shown or assumed.

    Args:
        objects: as for `trees_of`.
        gates: by name, already checked.

    Raises:
        InputError: a ConfigMap whose Configuration cannot be read; everything that is wrong with the objects.

    >>> (added,) = with_gates([], {"PriorityBoost": True})
    >>> added.object["featureGates"], "fairSharing" in added.object
    ({'PriorityBoost': True}, False)
    """
    listed = list(objects)
    if not gates:
        return listed
    read = [(sourced, configuration_in(sourced.object)) for sourced in listed]
    configured = [(sourced, found) for sourced, found in read if found is not None]
    if configured:
        (source, content), *others = configured
    else:
        source, content, others = SourcedObject("", {}), {"apiVersion": NEWEST, "kind": "Configuration"}, []
        strategies = _built(listed).cluster.settings.fair_sharing
        if strategies is not None:
            content["fairSharing"] = {"preemptionStrategies": [found.label for found in strategies]}
    known = content.get("featureGates") or {}
    if isinstance(known, Mapping):  # Anything else is refused where it is read.
        content["featureGates"] = {**known, **gates}
    kept = [sourced for sourced, found in read if found is None]
    return [
        *kept,
        *(sourced for sourced, _ in others),
        SourcedObject(source.file or "--feature-gates", content),
    ]


def stated_premises(
    objects: Sequence[SourcedObject], gates: Mapping[str, bool] | None = None
) -> tuple[str, ...]:
    """What a search assumes of how Kueue is configured, in words.

    Args:
        objects: as for `trees_of`, and found to be right.
        gates: feature gates above those of their Configuration.

    Raises:
        InputError: nothing shows whether their weights decide.
    """
    given = gates or {}
    loaded, gated = _built(objects), _built(with_gates(objects, given))
    for found in (loaded, gated):
        refuse_unstated(found)
    return premises_of_states(dataclasses.replace(loaded, cluster=gated.cluster, flag_gates=given))


def _built(objects: Iterable[SourcedObject]) -> Loaded:
    return build(SourcedObject("", manifest) for manifest in _configuration(objects))


def parse_size(text: str, resource: str) -> Amount:
    """A size that the command line gives, in base units.

    Raises:
        InputError: no quantity above 0.

    >>> parse_size("1500m", "cpu")
    1500
    """
    amount = amount_of(resource, text)
    if amount <= 0:
        raise bad_input("sizes", text, "quantities above 0, such as 1,2,4")
    return amount


def parse_priority(text: str, tree: CohortTree) -> PriorityChoice:
    """A priority that the command line gives: a number, or a WorkloadPriorityClass.

    Raises:
        InputError: neither.
    """
    if text.lstrip("-").isdecimal() and abs(int(text)) < 2**31:
        return PriorityChoice(int(text))
    named = {choice.name: choice for choice in classes_of(tree.objects)}
    if text not in named:
        expected = (
            f"numbers, or classes among {', '.join(sorted(named)) or 'none'}{did_you_mean(text, named)}"
        )
        raise bad_input("priorities", text, expected)
    return named[text]


def classes_of(objects: Iterable[Mapping[str, Any]]) -> list[PriorityChoice]:
    """The WorkloadPriorityClasses, the lowest first."""
    found = [
        PriorityChoice(int(manifest.get("value") or 0), str(dig(manifest, "metadata", "name")))
        for manifest in objects
        if manifest["kind"] == "WorkloadPriorityClass"
    ]
    return sorted(found, key=lambda choice: (choice.value, choice.name))


def submitted(kind: WorkloadKind, name: str) -> Submission:
    """A workload of a kind, which loses its work when it is preempted, and never ends by itself."""
    workload = dataclasses.replace(kind.workload, name=name, uid=f"{NAMESPACE}/{name}")
    return Submission(workload, kind.queue, keeps=False)


def _configuration(objects: Iterable[SourcedObject]) -> Iterator[dict[str, Any]]:
    for sourced in objects:
        raw: Any = sourced.object
        kind = dig(raw, "kind")
        if kind in _KEPT:
            converted, _ = to_v1beta2(raw, kind, place_of(raw, kind, file=sourced.file), [])
            yield {**converted} if isinstance(converted, dict) else raw
        elif kind in _CONFIGURED:
            yield raw


def _scenario(manifests: Iterable[Mapping[str, Any]]) -> Scenario:
    return parse_scenario({"until": "1h", "objects": [dict(manifest) for manifest in manifests]})


def _tree(
    root: str,
    names: Sequence[str],
    manifests: Sequence[dict[str, Any]],
    whole: Scenario,
    priorities: tuple[PriorityChoice, ...],
) -> CohortTree:
    queues = {name: whole.cluster.cluster_queues[name] for name in names}
    cohorts = {
        name: cohort
        for name, cohort in whole.cluster.cohorts.items()
        if f"cohort {_top(name, whole.cluster)}" == root
    }
    flavors = {quotas.flavor for quotas in _quotas_of((*queues.values(), *cohorts.values()))}
    configs = {queue.preemption_config or "" for queue in queues.values()}
    kept: Mapping[str, Iterable[str]] = {
        "ClusterQueue": queues,
        "Cohort": cohorts,
        "ResourceFlavor": flavors,
        KIND: configs,
    }
    objects = [
        manifest
        for manifest in manifests
        if manifest["kind"] not in kept or dig(manifest, "metadata", "name") in kept[manifest["kind"]]
    ]
    local = [
        {
            "apiVersion": API_VERSION,
            "kind": "LocalQueue",
            "metadata": {"namespace": NAMESPACE, "name": name},
            "spec": {"clusterQueue": name},
        }
        for name in names
    ]
    cluster = dataclasses.replace(whole.cluster, cluster_queues=queues, cohorts=cohorts)
    scenario = dataclasses.replace(whole, name="closed", cluster=cluster)
    return CohortTree(root, scenario, (*objects, *local), priorities)


def _quotas_of(holders: Iterable[ClusterQueue | Cohort]) -> Iterator[FlavorQuotas]:
    return (quotas for holder in holders for group in holder.resource_groups for quotas in group.flavors)


def _top(cohort: str, cluster: Cluster) -> str:
    while (known := cluster.cohorts.get(cohort)) is not None and known.parent:
        cohort = known.parent
    return cohort


def _own_priorities(objects: Iterable[SourcedObject]) -> set[int]:
    """The priorities of the workloads that are given."""
    workloads = (found.object for found in objects if dig(found.object, "kind") == "Workload")
    priorities = (dig(workload, "spec", "priority") for workload in workloads)
    return {priority for priority in priorities if type(priority) is int}


def _priorities(
    objects: Sequence[Mapping[str, Any]], cluster: Cluster, own: Collection[int]
) -> tuple[PriorityChoice, ...]:
    """At most so many, the lowest, the highest and one between: of classes, else of numbers and thresholds.

    Args:
        objects: with the WorkloadPriorityClasses.
        cluster: with the thresholds.
        own: the workloads' priorities; two at least take the place of the usual numbers, with one between.
    """
    classes = list({choice.value: choice for choice in classes_of(objects)}.values())
    if len(classes) > _MOST_PRIORITIES:
        return classes[0], classes[len(classes) // 2], classes[-1]
    if classes:
        return tuple(classes)
    thresholds = [queue.max_priority_threshold for queue in cluster.cluster_queues.values()]
    beside = (
        number for threshold in thresholds if threshold is not None for number in (threshold, threshold + 1)
    )
    known = own if len(own) > 1 else _WITHOUT_CLASSES
    if len(own) == 2:
        known = {*own, sum(own) // 2}
    numbers = sorted({*known, *beside})
    shown = (
        numbers if len(numbers) <= _MOST_PRIORITIES else [numbers[0], numbers[len(numbers) // 2], numbers[-1]]
    )
    return tuple(PriorityChoice(number) for number in shown)


def _numbers(quotas: Iterable[FlavorQuotas], resource: str) -> Iterator[Amount | None]:
    for flavor in quotas:
        yield flavor.nominal.get(resource)
        yield flavor.borrowing_limits.get(resource)
        yield flavor.lending_limits.get(resource)


def _in_proportion(some: Sequence[Amount | None], others: Sequence[Amount | None]) -> bool:
    """Whether two rows of numbers are the same but for one factor."""
    pairs = list(zip(some, others, strict=True))
    if any((one is None) != (other is None) for one, other in pairs):
        return False
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    first, second = max(known, default=(0, 0))
    return all(one * second == other * first for one, other in known)


def called(manifest: Mapping[str, Any]) -> str:
    """What problems and answers call an object: `ClusterQueue/a`."""
    return name_of(manifest, str(manifest["kind"]))


def object_files(objects: Iterable[SourcedObject]) -> dict[str, str]:
    """Where each object was read, by what answers call it; of what has no kind nothing."""
    return {
        called(sourced.object): sourced.file
        for sourced in objects
        if isinstance(dig(sourced.object, "kind"), str)
    }

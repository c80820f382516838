"""The answer of `tenure analyze loops`: its record, and the same for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tenure.as_json import KueueVersion, Span
from tenure.outline import CommandAdvice, Item, Name, Outline, Part, TitledList, Words
from tenure.units import counted, format_duration, format_names, join_names
from tenure_check.analysis.no_loop import FieldInTheWay, MissingCondition, ProvedOfLoops
from tenure_check.analysis.scopes import premise_parts
from tenure_play.record import PreemptionPair

MOST_FIELDS: Final = 4
"""Fields that are listed of a condition that is missing."""
BY_QUOTA_ALONE = (
    "topology is not modelled: where flavors have one, loops are searched for by quota alone, and others may "
    "exist"
)


@dataclass(frozen=True, slots=True)
class LoopWorkload:
    """A workload of a loop. It loses its work when it is preempted, and never ends by itself."""

    workload: str
    """In the scenario, as `namespace/name`."""
    cluster_queue: str
    """Where it waits, and whose quota it holds."""
    resource: str
    """Of its request."""
    request: str
    """How much, as Kubernetes writes quantities."""
    priority: int
    """Of its spec."""
    priority_class: str | None
    """Its WorkloadPriorityClass; null where it has none."""
    runs_first: bool
    """Whether it runs when the others join."""
    eviction: Span
    """How long its pods take to end when it is preempted."""
    labels: tuple[str, ...] = ()
    """Its labels that a PreemptionConfig reads, as `key=value`."""
    priority_boost: int = 0
    """Annotation `kueue.x-k8s.io/priority-boost`; 0 for none."""


@dataclass(frozen=True, slots=True)
class NeededField:
    """A field of the configuration without which the loop ends."""

    object: str
    """The object, such as `ClusterQueue/a`."""
    field: str
    """Path of the field in v1beta2."""
    value: str
    """Its value, in short."""
    is_policy: bool
    """Whether it is a policy of preemption; else it sets what is owned, or shared with whom."""
    ends_alone: bool
    """Whether the loop ends as well where this field alone is removed from the whole configuration."""
    file: str
    """Where the object was read."""
    line: int
    """The field's line there, from 1; 0 where it is not found."""


@dataclass(frozen=True, slots=True)
class LoopAnswer:
    """A loop, played again from a scenario file."""

    scenario: str
    """The scenario's name."""
    workloads: tuple[LoopWorkload, ...]
    """In the order of their age."""
    period: Span
    """How long a turn takes."""
    preemptions: tuple[PreemptionPair, ...]
    """Of one turn, in order."""
    stuck: tuple[str, ...]
    """Those that are preempted in every turn and keep nothing of their work."""
    needed: tuple[NeededField, ...]
    """Fields of which none can go: without any one of them this loop ends, policies first."""


@dataclass(frozen=True, slots=True)
class ResourceSearch:
    """A search in one tree for loops of workloads that request one resource."""

    resource: str
    """The resource."""
    sizes: tuple[str, ...]
    """What workloads request."""
    priorities: tuple[str, ...]
    """Their priorities, by WorkloadPriorityClass or as numbers."""
    complete_up_to: int
    """Every system of so many of these workloads was played; 1 for none."""
    systems: int
    """How many systems were played: sets of workloads, whatever their order, of which one preempts."""
    plays: int
    """How many simulations these took, with every order and time of eviction that matters."""
    open: int
    """Plays that came neither to rest nor to a loop in the time of a simulation."""
    rotations: int
    """Plays that end in a rotation, every turn of which waits for minAdmitDuration: these are no loops."""
    stopped: bool
    """Whether its time ran out, or it was interrupted."""
    seconds: float
    """How long it took."""
    loop: LoopAnswer | None
    """The first loop, of as few workloads as there is one; null where none was found."""
    variants: tuple[str, ...] = ()
    """Their labels and boosts, where PreemptionConfigs read any: as `key=value`, comma-separated."""


@dataclass(frozen=True, slots=True)
class TreeSearch:
    """What was searched in one tree of ClusterQueues."""

    tree: str
    """Its root cohort, or its ClusterQueue."""
    cluster_queues: tuple[str, ...]
    """Those that admit workloads."""
    alike: tuple[tuple[str, ...], ...]
    """Those that differ in their names only, of which systems are played once."""
    proved: ProvedOfLoops | None
    """The theorems about loops of any number of workloads that apply; null where none does."""
    searches: tuple[ResourceSearch, ...]
    """By resource; of resources whose quotas are in proportion the first, and none after one with a loop.
    Empty where loops are excluded, or nothing is known."""
    not_known: tuple[str, ...] = ()
    """What may decide in it and is not modelled, in words; nothing was searched then."""
    missing: tuple[MissingCondition, ...] = ()
    """The conditions that keep theorems from excluding loops; empty where they do."""

    @property
    def is_excluded(self) -> bool:
        """Whether theorems exclude loops of any number of workloads."""
        return self.proved is not None and self.proved.excluded


@dataclass(frozen=True, slots=True)
class LoopsAnswer:
    """Whether there are loops: by theorems, or by a search, which proves nothing beyond its bounds."""

    reading: str
    """The reading, by its name."""
    up_to: int
    """The most workloads of a system."""
    evictions: tuple[Span, ...]
    """How long the pods of a victim take to end."""
    found: bool
    """Whether there is a loop."""
    complete: bool
    """Whether theorems exclude loops in every tree, or everything within the bounds was simulated in all
    others without a loop, and no topology takes part, which is not modelled."""
    interrupted: bool
    """Whether it was stopped by hand."""
    trees: tuple[TreeSearch, ...]
    """Those that were begun with."""
    premises: tuple[str, ...] = ()
    """What is assumed of how Kueue is configured, because no object shows it, in words."""
    warnings: tuple[str, ...] = ()
    """About the input."""
    kueue: KueueVersion = None
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    searched: bool = True
    """Whether loops were searched for where no theorem excludes them."""


def loops_outline(answer: LoopsAnswer, to: str = "", *, premises: bool = False) -> Outline:
    """The answer for people, the verdict first.

    Args:
        answer: see there.
        to: the file of the scenarios; empty for none.
        premises: whether they are listed.
    """
    parts: list[Part] = [_verdict(answer)]
    parts += [
        TitledList(_title(tree), [*tree_items(tree, searched=answer.searched)]) for tree in answer.trees
    ]
    found = sum(search.loop is not None for tree in answer.trees for search in tree.searches)
    if to and found:
        parts.append(["written to ", Name(to), ", for tenure simulate"])
    if BY_QUOTA_ALONE in answer.warnings:
        parts.append(BY_QUOTA_ALONE)
    return Outline("Loops", [*parts, *premise_parts(answer.premises, answer.reading, listed=premises)])


def _verdict(answer: LoopsAnswer) -> Words:
    looped = [tree.tree for tree in answer.trees if any(search.loop for search in tree.searches)]
    if looped:
        return f"A loop: workloads preempt each other for ever in {format_names(looped, 6)}."
    open_trees = [tree for tree in answer.trees if not tree.is_excluded]
    left = [tree.tree for tree in open_trees]
    if not left and not answer.interrupted:
        trees = counted(len(answer.trees), "tree")
        return f"No loops: theorems exclude them in {trees} of ClusterQueues, for any number of workloads."
    evictions = " or ".join(map(format_duration, answer.evictions))
    bounds = f"at most {answer.up_to} workloads whose pods end after {evictions}"
    if answer.interrupted:
        return f"Not known: interrupted, and no loop found so far, with {bounds}."
    names = format_names(left, 6)
    if all(tree.not_known for tree in open_trees):
        return f"Not known: loops in {names}, where fields decide that are not followed here."
    if not answer.searched:
        words = f"Not known: no theorem excludes loops in {names}"
        return [words, CommandAdvice("; --search looks for one"), "."]
    if answer.complete:
        return f"No loop in {names} with {bounds}: all of them were simulated.{_for_proof(answer)}"
    longer = CommandAdvice(" (--within searches longer)")
    searched = f"Not known: no loop found in {names}; not all systems of {bounds} were simulated"
    return [searched, longer, f".{_for_proof(answer)}"]


def _for_proof(answer: LoopsAnswer) -> str:
    """What would exclude loops of any number of workloads."""
    left = [missing for tree in answer.trees if not tree.is_excluded for missing in tree.missing]
    theorems = dict.fromkeys(name for missing in left for name in missing.theorems)
    if not theorems:
        return ""
    names = format_names(list(theorems), len(theorems))
    return f" A change of the fields below would prove it for any number, by {names}."


def _title(tree: TreeSearch) -> str:
    alike = "; ".join(", ".join(names) for names in tree.alike)
    alike = f", alike: {alike}" if alike and tree.searches else ""
    return f"{tree.tree}: {counted(len(tree.cluster_queues), 'ClusterQueue')}{alike}"


def tree_items(tree: TreeSearch, *, searched: bool) -> Iterator[Item]:
    """What is proved, missing and found of a tree.

    Args:
        tree: the tree.
        searched: whether loops were searched for where no theorem excludes them.
    """
    if tree.proved is not None:
        yield Item(f"{tree.proved.text} ({', '.join(tree.proved.theorems)})")
    yield from (Item(f"not known: {text}") for text in tree.not_known)
    looped = any(search.loop for search in tree.searches)
    yield from (_missing(found, looped=looped) for found in tree.missing if found.of_rules or not looped)
    for search in tree.searches:
        yield _no_loop(search) if search.loop is None else _loop(search, search.loop)
    if searched and not (tree.searches or tree.not_known or tree.is_excluded):
        yield Item("nothing to search: no resource of which it owns a finite amount")


def _missing(missing: MissingCondition, *, looped: bool) -> Item:
    shown = missing.fields[:MOST_FIELDS]
    more = len(missing.fields) - len(shown)
    fields = [Item(_field(known)) for known in shown]
    fields += [Item(f"and {more} more")] if more else []
    if missing.example and not looped:
        fields.append(Item(f"for example, if quota allows it, {missing.example}"))
    exclude = "exclude" if len(missing.theorems) > 1 else "excludes"
    theorems = join_names(missing.theorems, MOST_FIELDS, MOST_FIELDS)
    return Item(f"{theorems} {exclude} loops only where {missing.condition}; not so here:", fields)


def _field(known: FieldInTheWay | NeededField) -> list[str]:
    at = f"{known.file}:{known.line}" if known.file and known.line else known.file
    words = [Name(f"{known.object} {known.field}"), ": ", known.value]
    return [*words, *([" (", Name(at), ")"] if at else [])]


def found_so_far(search: ResourceSearch) -> str:
    """What a search for loops of one resource has found, in one line.

    Args:
        search: the search, which has ended.
    """
    if search.loop is not None:
        count, period = counted(len(search.loop.workloads), "workload"), format_duration(search.loop.period)
        return f"{search.resource}: a loop of {count}, a turn every {period}; {_searched(search)}"
    reached = counted(search.complete_up_to, "workload")
    return f"{search.resource}: no loop found up to {reached}; {_searched(search)}"


def _no_loop(search: ResourceSearch) -> Item:
    kinds = f"sizes {', '.join(search.sizes)}; priorities {', '.join(search.priorities)}"
    read = f"; labels and boosts {' | '.join(search.variants)}" if search.variants else ""
    return Item(found_so_far(search), [Item(kinds + read), *_remarks(search)])


def _loop(search: ResourceSearch, loop: LoopAnswer) -> Item:
    turn = [Item(f"{pair.preemptor} preempts {pair.victim}") for pair in loop.preemptions]
    return Item(
        found_so_far(search),
        [
            *map(_workload, loop.workloads),
            Item("a turn:", turn),
            Item("this loop ends without any one of these fields:", [Item(_field(it)) for it in loop.needed]),
            *_remarks(search),
        ],
    )


def _workload(known: LoopWorkload) -> Item:
    named = f"{known.priority_class} ({known.priority})" if known.priority_class else str(known.priority)
    named += f", boost {known.priority_boost}" if known.priority_boost else ""
    named += f", labels {' '.join(known.labels)}" if known.labels else ""
    return Item(
        f"{known.workload} of {known.cluster_queue} {'runs' if known.runs_first else 'joins'}: "
        f"{known.request} {known.resource}, priority {named}, its pods end after "
        f"{format_duration(known.eviction)}"
    )


def _remarks(search: ResourceSearch) -> Sequence[Item]:
    found = []
    if search.rotations:
        simulated = counted(search.rotations, "simulation")
        found.append(f"{simulated} ended in a rotation that waits for minAdmitDuration, which is no loop")
    if search.open:
        simulated = counted(search.open, "simulation")
        found.append(f"{simulated} came neither to rest nor to a loop in its time")
    return [*map(Item, found)]


def _searched(search: ResourceSearch) -> str:
    text = f"{search.systems:,} systems, {search.plays:,} simulations in {search.seconds:.1f} s"
    return f"{text}; the rest was not simulated" if search.stopped else text

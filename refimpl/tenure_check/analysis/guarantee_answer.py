"""The answer of `tenure analyze guarantees`: its record, and the same for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from typing import Final

from tenure.as_json import KueueVersion, Span
from tenure.model import Cluster, ClusterQueue, ReclaimWithinCohort
from tenure.oracle.tree import build_tree
from tenure.outline import CommandAdvice, Item, Name, Outline, Part, Table, TitledList, Words
from tenure.units import format_amount, format_duration, format_names
from tenure_check.analysis.admissions import has_heroes
from tenure_check.analysis.decided_states import Deciding
from tenure_check.analysis.guarantees import Guarantees, Narrowing, Reached
from tenure_check.analysis.matrix import CellResult, CellVerdict, Matrix
from tenure_check.analysis.matrix_answer import MatrixExample, MatrixRole, written_example
from tenure_check.analysis.scopes import premise_parts
from tenure_check.analysis.states import CellQuery, PriorityLevel


@dataclass(frozen=True, slots=True)
class Attacker:
    """Workloads that may preempt the guarded ones, for one reason."""

    preemptor: MatrixRole
    """The pending workload."""
    reason: str
    """Of condition Preempted."""
    when: str
    """`at once`: as soon as the victim's quota is reserved; `after`: only after it has run for longer than
    minAdmitDuration; `later`: never at once, from when on is not known; `?`: neither is known."""
    longer_than: Span | None
    """Where `when` is `after`: the minAdmitDuration."""
    within_nominal: str
    """Whether it can while the victim's ClusterQueue uses no more than its nominal quota of anything: `can`,
    `never`, `?`."""
    why: str
    """What `when` rests on."""
    example: MatrixExample | None
    """A state in which it is preempted, as early as is known."""


@dataclass(frozen=True, slots=True)
class GuardedWorkloads:
    """What running workloads of one ClusterQueue and priority may count on."""

    workloads: MatrixRole
    """The workloads."""
    never_by: tuple[MatrixRole, ...]
    """What never preempts them."""
    unknown_by: tuple[MatrixRole, ...]
    """Of what it is not known whether it may preempt them."""
    attackers: tuple[Attacker, ...]
    """What may preempt them, by reason."""
    min_admit_duration: Span | None
    """The minAdmitDuration in force in their ClusterQueue."""
    sentences: tuple[str, ...]
    """The same in words."""
    as_written: tuple[str, ...]
    """What differs under the reading `as-written`, where any minAdmitDuration is in force."""


class Back(StrEnum):
    """How soon a ClusterQueue has quota again that it has lent."""

    AT_ONCE = "at once"
    """By preemption, proved of every consistent state: as soon as the pods of its victims have ended."""
    NOT_LENT = "not lent"
    """No other ClusterQueue can use it."""
    NO_BOUND = "no bound"
    """There is a state in which a request within nominal quota gets nothing until others end."""
    INACTIVE = "inactive"
    """The ClusterQueue admits nothing."""
    UNKNOWN = "?"
    """Neither is proved."""
    NOT_ANALYZED = "not analyzed"
    """States after edits of quotas are not analyzed for that."""


@dataclass(frozen=True, slots=True)
class QueueGuarantee:
    """What the workloads of one ClusterQueue may count on, whatever their priority."""

    cluster_queue: str
    """The ClusterQueue."""
    nominal: dict[str, int]
    """Its nominal quota, in base units or milli-CPU, by flavor and resource: `a100/nvidia.com/gpu`."""
    always_gets: dict[str, int] | None
    """As much of it as a pending workload always gets when it is its turn, at once or by preemption; null
    where it is not known."""
    back: str
    """How soon lent quota is back: `at once`, `not lent`, `no bound`, `inactive`, `not analyzed`, `?`."""
    why: str
    """What `no bound` and `?` rest on."""
    may_lose_to: tuple[str, ...]
    """Preemptors of its workloads even while it uses no more than its nominal quota."""
    may_lose_borrowed_to: tuple[str, ...]
    """Preemptors of its workloads only while it uses more than that."""


@dataclass(frozen=True, slots=True)
class GuaranteesAnswer:
    """What running workloads may count on, in every state of a scope."""

    scope: str
    """`consistent`: every state that admission alone can produce."""
    premises: tuple[str, ...]
    """What every verdict assumes."""
    reading: str
    """The reading, by its name."""
    kueue: KueueVersion
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    seed: int
    """Of the random states."""
    solvers: dict[str, str]
    """Who proved, by version."""
    unsettled: int
    """How many verdicts are `?`; the exit code is 5 where any is."""
    cells: tuple[GuardedWorkloads, ...]
    """By ClusterQueue and priority of the running workloads."""
    warnings: tuple[str, ...]
    """About the input, and what was assumed."""
    queues: tuple[QueueGuarantee, ...] = ()
    """By ClusterQueue, whatever the priority."""


AT_ONCE, AFTER, LATER = "at once", "after", "later"

_QUOTA: Final = {
    CellVerdict.CAN.value: "also within its nominal quota",
    CellVerdict.NEVER.value: "only above its nominal quota",
    CellVerdict.UNKNOWN.value: "within its nominal quota: not known",
}
_WHEN: Final = {
    AT_ONCE: "may be preempted at once",
    LATER: "is never preempted at once, but may be later,",
    CellVerdict.UNKNOWN.value: "may be preempted, from when on is not known,",
}


def guarantees_answer(
    found: Guarantees,
    cluster: Cluster,
    reached: Mapping[str, Reached],
    reading: str,
    seed: int,
    solvers: Mapping[str, str],
) -> GuaranteesAnswer:
    """The whole answer.

    Args:
        found: what is known.
        cluster: the configuration.
        reached: by ClusterQueue, whether a request within nominal quota always gets it.
        reading: the reading's name.
        seed: of the random states.
        solvers: who proved, by version.
    """
    matrix = found.matrix
    deciding = Deciding()
    cells = tuple(
        _guarded(found, queue, level, deciding) for queue, level in product(matrix.queues, matrix.levels)
    )
    queues = tuple(_of_queue(cluster, matrix, queue, cells, reached.get(queue)) for queue in matrix.queues)
    unsettled = sum(len(guarded.unknown_by) for guarded in cells) + sum(
        CellVerdict.UNKNOWN.value in (attacker.when, attacker.within_nominal)
        for guarded in cells
        for attacker in guarded.attackers
    )
    return GuaranteesAnswer(
        scope=matrix.scope.value,
        premises=matrix.premises,
        reading=reading,
        kueue=None,
        seed=seed,
        solvers=dict(solvers),
        unsettled=unsettled + sum(queue.back == Back.UNKNOWN for queue in queues),
        cells=cells,
        warnings=(),
        queues=queues,
    )


def with_contrary(answer: GuaranteesAnswer, literal: GuaranteesAnswer) -> GuaranteesAnswer:
    """An answer with what differs under the reading `as-written`.

    Args:
        answer: under another reading.
        literal: under `as-written`, of the same configuration.
    """
    cells = tuple(
        replace(
            guarded,
            as_written=tuple(words for words in other.sentences if words not in guarded.sentences),
        )
        for guarded, other in zip(answer.cells, literal.cells, strict=True)
    )
    return replace(answer, cells=cells)


def _guarded(found: Guarantees, queue: str, level: PriorityLevel, deciding: Deciding) -> GuardedWorkloads:
    never, unknown, attackers = [], [], []
    why: dict[str, None] = {}
    for preemptor, high in product(found.matrix.queues, found.matrix.levels):
        side = MatrixRole(preemptor, high.name, high.priority)
        verdict = found.matrix.verdict(preemptor, high.priority, queue, level.priority)
        if verdict == CellVerdict.NEVER:
            never.append(side)
        elif verdict == CellVerdict.UNKNOWN:
            unknown.append(side)
            apart = found.matrix.apart.get((preemptor, queue))
            why |= {} if apart is None else {apart.why: None}
        for reason, settled in found.matrix.of(preemptor, high.priority, queue, level.priority):
            if settled.verdict == CellVerdict.CAN:
                cell = CellQuery(preemptor, high.priority, queue, level.priority, reason)
                attackers.append(_attacker(found, cell, side, settled, deciding))
    guarded = GuardedWorkloads(
        workloads=MatrixRole(queue, level.name, level.priority),
        never_by=tuple(never),
        unknown_by=tuple(unknown),
        attackers=tuple(attackers),
        min_admit_duration=found.durations[queue],
        sentences=(),
        as_written=(),
    )
    return replace(guarded, sentences=tuple(_sentences(guarded, why)))


def _attacker(
    found: Guarantees, cell: CellQuery, side: MatrixRole, settled: CellResult, deciding: Deciding
) -> Attacker:
    at_once = found.of(cell, Narrowing.AT_ONCE)
    protected = found.of(cell, Narrowing.PROTECTED)
    within = found.of(cell, Narrowing.WITHIN)
    assert at_once is not None
    assert within is not None
    when, why = _when(at_once, protected)
    shown = next(
        (known for known in (at_once, protected, settled) if known is not None and known.example is not None),
        settled,
    )
    return Attacker(
        preemptor=side,
        reason=cell.reason.label,
        when=when,
        longer_than=found.durations[cell.victim] if when == AFTER else None,
        within_nominal=within.verdict.value,
        why=why,
        example=None if shown.example is None else written_example(shown.example, deciding.decided),
    )


def _when(at_once: CellResult, protected: CellResult | None) -> tuple[str, str]:
    if at_once.verdict == CellVerdict.CAN:
        return AT_ONCE, at_once.why
    if protected is not None and protected.verdict == CellVerdict.NEVER:
        return AFTER, protected.why
    if at_once.verdict == CellVerdict.NEVER:
        return LATER, at_once.why
    return CellVerdict.UNKNOWN.value, at_once.why


def _sentences(guarded: GuardedWorkloads, why: Iterable[str]) -> Iterator[str]:
    """One for each way of being preempted, and what never happens."""
    groups: dict[tuple[object, ...], list[MatrixRole]] = {}
    for attacker in guarded.attackers:
        own = attacker.preemptor.cluster_queue == guarded.workloads.cluster_queue
        key = attacker.when, attacker.longer_than, attacker.within_nominal, attacker.reason, own
        groups.setdefault(key, []).append(attacker.preemptor)
    for (when, longer, within, reason, _), sides in sorted(groups.items(), key=lambda found: str(found[0])):
        preemptors, aside = _listed(sides, guarded), f"({reason}, {_QUOTA[str(within)]})"
        if isinstance(longer, int):
            yield f"keeps {format_duration(longer)} from {preemptors}, and may be preempted after {aside}"
        else:
            yield f"{_WHEN[str(when)]} by {preemptors} {aside}"
    if guarded.never_by:
        yield f"is never preempted by {_listed(guarded.never_by, guarded)}"
    if guarded.unknown_by:
        reasons = "".join(f": {reason}" for reason in why)
        yield f"may or may not be preempted by {_listed(guarded.unknown_by, guarded)}: not known{reasons}"


def _listed(sides: Sequence[MatrixRole], guarded: GuardedWorkloads) -> str:
    """Priorities by ClusterQueue, as seen by those that are guarded."""
    by_queue: dict[str, list[MatrixRole]] = {}
    for side in sides:
        by_queue.setdefault(side.cluster_queue, []).append(side)
    own = guarded.workloads.cluster_queue
    listed = []
    for name, known in by_queue.items():
        classes = ", ".join(_named(side, guarded) for side in known)
        listed.append(f"{classes} of {'its own ClusterQueue' if name == own else name}")
    return "; ".join(listed)


def _named(side: MatrixRole, guarded: GuardedWorkloads) -> str:
    is_equal = side.priority == guarded.workloads.priority
    return f"equals ({side.priority_class})" if is_equal else side.priority_class


def _of_queue(
    cluster: Cluster, matrix: Matrix, name: str, cells: Sequence[GuardedWorkloads], reached: Reached | None
) -> QueueGuarantee:
    own = [guarded for guarded in cells if guarded.workloads.cluster_queue == name]
    queue = cluster.cluster_queues[name]
    nominal = {f"{at.flavor}/{at.resource}": amount for at, amount in queue.nominal().items()}
    back, why, gets = _back(queue, nominal, reached)
    if gets is not None and back == Back.NO_BOUND and has_heroes(build_tree(cluster, queue)):
        gets = None  # a hero's bills and lending change quotas
    return QueueGuarantee(
        cluster_queue=name,
        nominal=nominal,
        always_gets=gets,
        back=back.value,
        why=why,
        may_lose_to=tuple(_preemptors(matrix, own, within=True)),
        may_lose_borrowed_to=tuple(_preemptors(matrix, own, within=False)),
    )


def _back(
    queue: ClusterQueue, nominal: dict[str, int], reached: Reached | None
) -> tuple[Back, str, dict[str, int] | None]:
    """How soon lent quota is back, why not at once, and what the ClusterQueue always gets."""
    kept = _never_lent(queue, nominal)
    if queue.inactive:
        return Back.INACTIVE, queue.inactive, dict.fromkeys(nominal, 0)
    if reached is None:
        return Back.NOT_ANALYZED, "", None
    if reached.why:
        return Back.UNKNOWN, reached.why, None
    if reached.state is None:
        return (Back.NOT_LENT if kept == nominal else Back.AT_ONCE), "", nominal
    policy = queue.reclaim_within_cohort
    why = {
        ReclaimWithinCohort.LOWER_PRIORITY: "it reclaims from lower priorities only",
        ReclaimWithinCohort.ANY: "",
    }.get(policy, "it reclaims nothing")
    is_plain = all(len(group.flavors) == 1 for group in queue.resource_groups)
    return Back.NO_BOUND, why, kept if is_plain else None


def _never_lent(queue: ClusterQueue, nominal: dict[str, int]) -> dict[str, int]:
    """The part of each nominal quota that no other ClusterQueue can use."""
    if queue.cohort is None:
        return nominal
    lent = {
        f"{quotas.flavor}/{resource}": limit
        for group in queue.resource_groups
        for quotas in group.flavors
        for resource, limit in quotas.lending_limits.items()
    }
    return {at: max(0, amount - lent.get(at, amount)) for at, amount in nominal.items()}


def _preemptors(matrix: Matrix, own: Sequence[GuardedWorkloads], *, within: bool) -> Iterator[str]:
    """The preemptors of the workloads of one ClusterQueue, by ClusterQueue, those alike together."""
    alike: dict[str, list[str]] = {}
    for queue in matrix.queues:
        words = _relations(queue, own, within=within)
        if words:
            name = "its own" if own and queue == own[0].workloads.cluster_queue else queue
            alike.setdefault(words, []).append(name)
    first = sorted(alike.items(), key=lambda found: "its own" not in found[1])
    yield from (f"{format_names(names, 6)} ({words})" for words, names in first)


def _relations(queue: str, own: Sequence[GuardedWorkloads], *, within: bool) -> str:
    """By which priorities of one ClusterQueue, seen from the victim, and when."""
    pairs: dict[str, int] = {}
    found: dict[str, dict[str, int]] = {}
    for guarded in own:
        hit: dict[MatrixRole, str] = {}
        for attacker in guarded.attackers:
            is_within = attacker.within_nominal != CellVerdict.NEVER.value
            if attacker.preemptor.cluster_queue == queue and is_within == within:
                when = "" if hit.get(attacker.preemptor) == "" else _after(attacker)
                hit[attacker.preemptor] = when
        for side in guarded.unknown_by if within else ():
            if side.cluster_queue == queue:
                hit[side] = " not known"
        every = {
            side
            for side in (*guarded.never_by, *guarded.unknown_by, *(it.preemptor for it in guarded.attackers))
            if side.cluster_queue == queue
        }
        for side in every:
            relation = _relation(side.priority, guarded.workloads.priority)
            pairs[relation] = pairs.get(relation, 0) + 1
            if side in hit:
                known = found.setdefault(hit[side], {})
                known[relation] = known.get(relation, 0) + 1
    return ", ".join(f"{_joined(known, pairs)}{when}" for when, known in sorted(found.items()))


def _relation(high: int, low: int) -> str:
    return "higher" if high > low else "equal" if high == low else "lower"


def _joined(known: Mapping[str, int], pairs: Mapping[str, int]) -> str:
    """Relations in words: `equal or higher`; `any priority` where nothing else is possible."""
    if len(pairs) > 1 and known == pairs:
        return "any priority"
    names = [
        name if known[name] == pairs[name] else f"some {name}"
        for name in ("lower", "equal", "higher")
        if name in known
    ]
    return f"{' or '.join(names)} priority"


def _after(attacker: Attacker) -> str:
    if attacker.longer_than is not None:
        return f" after {format_duration(attacker.longer_than)}"
    return {AT_ONCE: "", LATER: " later"}.get(attacker.when, " at a time that is not known")


_HEADS: Final = (
    "ClusterQueue",
    "always gets",
    "back within",
    "may lose its quota to",
    "may lose borrowed quota to",
)


def guarantees_outline(answer: GuaranteesAnswer, *, details: bool, premises: bool) -> Outline:
    """The answer for people: a table by ClusterQueue, and what is known of each priority as details.

    Args:
        answer: see there.
        details: whether there are any.
        premises: whether they are listed.
    """
    parts: list[Part] = []
    if answer.queues:
        rows = [_row(queue) for queue in answer.queues]
        parts += [_verdict(answer.queues), Table(_HEADS, rows), *_unknown(answer.queues)]
    if details:
        for guarded in answer.cells:
            title = f"{guarded.workloads.priority_class} of {guarded.workloads.cluster_queue}"
            lines = [*guarded.sentences, *(f"as-written: {words}" for words in guarded.as_written)]
            parts.append(TitledList(title, [*map(Item, lines)]))
    elif any(guarded.as_written for guarded in answer.cells):
        parts.append(["Some of it differs under the reading as-written", CommandAdvice(": -v"), "."])
    proved = " and ".join(f"{name} {version}" for name, version in answer.solvers.items())
    unsettled = f"; {answer.unsettled} not known" if answer.unsettled else ""
    more = CommandAdvice("" if details else "; -v has each priority")
    parts.append([f"proved by {proved}; may is shown by examples{unsettled}", more])
    ends = premise_parts(answer.premises, f"{answer.reading}, scope {answer.scope}", listed=premises)
    return Outline("What running workloads may count on", [*parts, *ends])


_KNOWN_WHERE = {
    "fair sharing": " --fair-sharing off answers for preemption without fair sharing.",
    "several flavors": " Quotas of one flavor for each resource have an answer.",
}
"""What has an answer, by a part of why there is none."""


def _verdict(queues: Sequence[QueueGuarantee]) -> str:
    known = [queue for queue in queues if queue.back not in (Back.UNKNOWN, Back.NOT_ANALYZED)]
    served = [queue.cluster_queue for queue in known if queue.always_gets == queue.nominal]
    if len(queues) == 1:
        (name,) = (queue.cluster_queue for queue in queues)
        if not known:
            return f"Not known whether {name} always gets its nominal quota."
        return f"{name} {'always gets' if served else 'does not always get'} its nominal quota."
    if len(served) == len(queues):
        return "Every ClusterQueue always gets its nominal quota."
    names = f": {format_names(served, 6)}" if served else ""
    unknown = len(queues) - len(known)
    unknown_words = f"; not known of {unknown}" if unknown else ""
    return (
        f"{len(served)} of {len(queues)} ClusterQueues always get their nominal quota{names}{unknown_words}."
    )


def _unknown(queues: Sequence[QueueGuarantee]) -> Iterator[Words]:
    """Of which ClusterQueues it is not known what they always get, why, and what would make it known."""
    unknown: dict[str, list[str]] = {}
    for queue in queues:
        if queue.back == Back.UNKNOWN:
            unknown.setdefault(queue.why.partition(", in ClusterQueue/")[0], []).append(queue.cluster_queue)
    for why, names in unknown.items():
        cause = why.removeprefix("not covered yet: ")
        advice = next((words for part, words in _KNOWN_WHERE.items() if part in cause), "")
        gets = f"{format_names(names, 6)} always {'get' if len(names) > 1 else 'gets'}"
        words = f"Not known what {gets}: {cause}. The last two columns hold all the same."
        yield [words, CommandAdvice(advice)]


def _row(queue: QueueGuarantee) -> list[str | list[str]]:
    back = "not known" if queue.back == Back.UNKNOWN else queue.back
    back = f"{back}: {queue.why}" if queue.why and queue.back != Back.UNKNOWN else back
    lost, borrowed = ("; ".join(found) or "-" for found in (queue.may_lose_to, queue.may_lose_borrowed_to))
    return [[Name(queue.cluster_queue)], _gets(queue), back, lost, borrowed]


def _gets(queue: QueueGuarantee) -> str:
    flavors = {at.partition("/")[0] for at in queue.nominal}
    gets = queue.always_gets
    if gets is None:
        return "not known"
    words = []
    for at, nominal in queue.nominal.items():
        resource = at.partition("/")[2]
        amount = format_amount(resource, gets[at])
        of = "" if gets[at] == nominal else f" of {format_amount(resource, nominal)}"
        words.append(f"{amount}{of} {at if len(flavors) > 1 else resource}")
    return ", ".join(words) or "-"

"""A matrix for people: a table, sentences, and single cells with their examples.

ClusterQueues are rows and columns; where there are more than eight, those that are alike share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product

from tenure.model import Amount, ClusterQueue
from tenure.outline import CommandAdvice, Facts, Item, Name, Outline, Part, Table, TitledList
from tenure.units import format_amount, format_instant, format_names, joined
from tenure_check.analysis.matrix import CellVerdict
from tenure_check.analysis.matrix_answer import (
    ExampleWorkload,
    MatrixAnswer,
    MatrixCell,
    MatrixExample,
    MatrixReason,
    MatrixRole,
)
from tenure_check.analysis.scopes import premise_parts

SIGNS = "LEH"
"""Victims of lower, equal and higher priority than the preemptor, in this order everywhere."""
NEVER, UNKNOWN, NONE = "-", "?", " "
"""No priority is lower than the lowest class, for example."""
LEVELS = ("lower", "equal", "higher")

MOST_NAMED = 8
"""ClusterQueues up to which each has a row and a column of its own."""
WIDEST = 12
"""Rows of a table with columns; more are listed line by line."""
MOST_NAMES = 3
_EXPLAINED = CommandAdvice(
    "the reason or an example: --explain QUEUE/PRIORITY QUEUE/PRIORITY, or --explain QUEUE QUEUE"
)
LEGEND = (
    "L, E, H: victims of lower, equal, higher priority can be preempted",
    "l, e, h: some",
    "-: never",
    "?: not known",
)


@dataclass(frozen=True, slots=True)
class MatrixTable:
    """The verdicts of a matrix by ClusterQueues.

    Args:
        groups: the ClusterQueues of each row and column: one, or all of which any two may be exchanged, and
            nothing changes.
        codes: three signs for a preemptor's ClusterQueue and a victim's: about victims of lower, equal and
            higher priority.
    """

    groups: tuple[tuple[str, ...], ...]
    codes: Mapping[tuple[str, str], str]

    def code(self, row: Sequence[str], column: Sequence[str]) -> str:
        """The three signs of an entry; on the diagonal, of a preemptor and victims in one ClusterQueue."""
        return self.codes[row[0], column[0]]

    def between(self, row: Sequence[str]) -> str:
        """The three signs of two different ClusterQueues of one row; empty where it has one."""
        return self.codes[row[0], row[1]] if len(row) > 1 else ""

    def name(self, row: Sequence[str]) -> str:
        """The ClusterQueues of a row, in short.

        >>> queues = [f"team-{letter}" for letter in "abcdefz"]
        >>> codes = {pair: "L--" for pair in product(queues, repeat=2)}
        >>> MatrixTable((tuple(queues),), codes).name(queues)
        'team-a … team-z (7)'
        """
        if len(row) <= MOST_NAMES:
            return ", ".join(row)
        queues = sorted(queue for group in self.groups for queue in group)
        first = queues.index(row[0])
        if queues[first : first + len(row)] == list(row):
            return f"{row[0]} … {row[-1]} ({len(row)})"
        return format_names(row, MOST_NAMES)


def table_of(cells: Iterable[MatrixCell]) -> MatrixTable:
    """The table of all cells of a matrix."""
    codes = _codes(cells)
    queues = list(dict.fromkeys(preemptor for preemptor, _ in codes))
    if len(queues) <= MOST_NAMED:
        return MatrixTable(tuple((queue,) for queue in queues), codes)
    return MatrixTable(tuple(map(tuple, _groups(queues, codes))), codes)


def matrix_outline(answer: MatrixAnswer, *, premises: bool = False, is_part: bool = False) -> Outline:
    """The whole matrix, or the row or column of one ClusterQueue.

    Args:
        answer: its cells and sentences.
        premises: whether they are listed.
        is_part: whether these are the cells of --victim or --preemptor alone.
    """
    counts = answer.counts
    total = counts.never + counts.can + counts.unknown
    solvers = " and ".join(f"{name} {version}" for name, version in answer.solvers.items())
    unknown = dict.fromkeys(cell.why for cell in answer.cells if cell.verdict == CellVerdict.UNKNOWN.value)
    is_few = is_part or len({cell.victim.cluster_queue for cell in answer.cells}) <= MOST_NAMED
    states = (
        "that admission alone can produce" if answer.scope == "consistent" else "also after edits of quotas"
    )
    return Outline(
        "Which workloads can preempt which",
        [
            f"Which workloads can ever preempt which, in every state {states} (scope {answer.scope})",
            *(() if is_part else _table_parts(table_of(answer.cells))),
            TitledList("In words", [*map(Item, answer.sentences if is_few else ())]),
            f"{total} cells: {counts.can} can (an example exists), {counts.never} never (proved by {solvers})"
            f", {counts.unknown} not known",
            *(f"not known: {why}" for why in unknown),
            answer.covers,
            *premise_parts(answer.premises, answer.reading, listed=premises),
            _EXPLAINED,
        ],
    )


def _table_parts(table: MatrixTable) -> Iterator[Part]:
    if len(table.groups) > WIDEST:
        yield ""
        yield Facts([*_rows(table)])
        yield "A row lists, for preemptors of its ClusterQueues, the rows of their possible victims."
        yield "; ".join(LEGEND)
    elif any(len(row) > 1 for row in table.groups) or len(table.groups) > MOST_NAMED:
        numbers = [str(number) for number in range(1, len(table.groups) + 1)]
        rows = [
            [
                number,
                table.name(row),
                *(table.code(row, column) for column in table.groups),
                table.between(row),
            ]
            for number, row in zip(numbers, table.groups, strict=True)
        ]
        yield Table(["", "preemptor \\ victim", *numbers, "between two of a row"], rows, notes=LEGEND)
    else:
        names = [Name(row[0]) for row in table.groups]
        rows = [
            [name, *(table.code(row, column) for column in table.groups)]
            for name, row in zip(names, table.groups, strict=True)
        ]
        yield Table(["preemptor \\ victim", *names], rows, notes=LEGEND)


def _rows(table: MatrixTable) -> Iterator[str]:
    names = [table.name(row) for row in table.groups]
    width = max(map(len, names))
    for number, row in enumerate(table.groups):
        others: dict[str, list[int]] = {}
        for place, column in enumerate(table.groups):
            if place != number:
                others.setdefault(table.code(row, column), []).append(place + 1)
        ordered = sorted(others.items(), key=lambda found: len(found[1]))
        listed = [f"{code} {_ranges(places)}" for code, places in ordered[:-1]] + [
            f"{ordered[-1][0]} the rest"
        ]
        between = f"  {table.between(row)} between two of them" if len(row) > 1 else ""
        itself = f"{table.code(row, row)} itself{between}"
        yield f"{number + 1:3}  {names[number].ljust(width)}  {itself}  {'  '.join(listed)}"


def _ranges(numbers: Sequence[int]) -> str:
    """Numbers in short.

    >>> _ranges([1, 2, 3, 5, 7, 8])
    '1-3,5,7,8'
    """
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(numbers), key=lambda placed: placed[1] - placed[0])
    ]
    return ",".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(str(number) for number in run) for run in runs
    )


def _codes(cells: Iterable[MatrixCell]) -> dict[tuple[str, str], str]:
    """Three signs for each pair: about victims of lower, equal and higher priority."""
    found: dict[tuple[str, str], tuple[set[str], set[str], set[str]]] = {}
    for cell in cells:
        sides = cell.preemptor.cluster_queue, cell.victim.cluster_queue
        found.setdefault(sides, (set(), set(), set()))[_place(cell)].add(cell.verdict)
    return {pair: "".join(map(_sign, SIGNS, verdicts)) for pair, verdicts in found.items()}


def _place(cell: MatrixCell) -> int:
    high, low = cell.preemptor.priority, cell.victim.priority
    return 0 if low < high else 1 if low == high else 2


def _sign(sign: str, verdicts: set[str]) -> str:
    """The sign of all cells of one relation.

    >>> _sign("L", {"can"}), _sign("L", {"can", "never"}), _sign("L", {"never", "?"}), _sign("L", set())
    ('L', 'l', '?', ' ')
    """
    if not verdicts:
        return NONE
    if CellVerdict.CAN.value in verdicts:
        return sign if len(verdicts) == 1 else sign.lower()
    return NEVER if verdicts == {CellVerdict.NEVER.value} else UNKNOWN


def _groups(queues: Sequence[str], codes: Mapping[tuple[str, str], str]) -> list[list[str]]:
    """ClusterQueues that are alike: exchanging two of a group changes nothing."""
    groups: list[list[str]] = []
    for queue in queues:
        alike = next((group for group in groups if _are_alike(group, queue, queues, codes)), None)
        if alike is None:
            groups.append([queue])
        else:
            alike.append(queue)
    return groups


def _are_alike(
    group: Sequence[str], queue: str, queues: Sequence[str], codes: Mapping[tuple[str, str], str]
) -> bool:
    first, among = group[0], (*group, queue)
    between = {codes[one, other] for one, other in product(among, repeat=2) if one != other}
    others = [other for other in queues if other not in among]
    return (
        codes[first, first] == codes[queue, queue]
        and len(between) == 1
        and all(
            codes[first, other] == codes[queue, other] and codes[other, first] == codes[other, queue]
            for other in others
        )
    )


# -- sentences --------------------------------------------------------------------------------------------


def sentences_of(
    cells: Sequence[MatrixCell],
    nominal: Mapping[str, str],
    victim: str | None = None,
    preemptor: str | None = None,
) -> Iterator[str]:
    """The cells in words.

    Args:
        cells: all, or those of the row or column that is named.
        nominal: the nominal quota of each ClusterQueue, such as `32 gpu`.
        victim, preemptor: the ClusterQueue whose column or row has a sentence for each condition; without
            them each victim's ClusterQueue has one sentence.
    """
    if preemptor is not None:
        by_others = _conditions(cells, by_victim=True)
        for (words, condition), queues in by_others.items():
            for queue in queues:
                whose = "its own workloads" if queue == preemptor else queue
                ending = f", {_condition_words(condition, queue, nominal)}" if condition else ""
                yield f"{preemptor} can preempt {whose} ({words}){ending}"
        yield from _rest(cells, preemptor, by_victim=True)
        return
    victims = [victim] if victim is not None else dict.fromkeys(cell.victim.cluster_queue for cell in cells)
    for queue in victims:
        own = [cell for cell in cells if cell.victim.cluster_queue == queue]
        found = _conditions(own, by_victim=False)
        if victim is None:
            can = ", ".join(f"{_queues(names, queue)} ({words})" for (words, _), names in found.items())
            rest = [*_rest(own, queue, by_victim=False, short=bool(can))]
            yield "; ".join([*([f"{queue} can be preempted by {can}"] if can else []), *rest])
            continue
        for (words, condition), names in found.items():
            ending = f", {_condition_words(condition, queue, nominal)}" if condition else ""
            yield f"{queue} can be preempted by {_queues(names, queue)} ({words}){ending}"
        yield from _rest(own, queue, by_victim=False)


def _conditions(cells: Sequence[MatrixCell], *, by_victim: bool) -> dict[tuple[str, str], list[str]]:
    """The other ClusterQueues of cells that can, by priorities and what is known within nominal quota."""
    places: dict[tuple[str, str], set[int]] = {}
    codes = _codes(cells)
    for cell in cells:
        if cell.verdict == CellVerdict.CAN.value:
            other = (cell.victim if by_victim else cell.preemptor).cluster_queue
            places.setdefault((other, _within(cell)), set()).add(_place(cell))
    found: dict[tuple[str, str], list[str]] = {}
    mine = {(pair[1] if by_victim else pair[0]): code for pair, code in codes.items()}
    for (other, condition), held in places.items():
        code = "".join(sign if place in held else NEVER for place, sign in enumerate(mine[other]))
        found.setdefault((_priorities(code, by_victim=by_victim), condition), []).append(other)
    return found


def _within(cell: MatrixCell) -> str:
    """Whether a cell can within nominal quota, for any reason; empty where that is not known."""
    known = {reason.within_nominal for reason in cell.reasons} - {None}
    return next((verdict for verdict in ("can", "?", "never") if verdict in known), "")


def _priorities(code: str, *, by_victim: bool) -> str:
    """Which priorities a code allows, of the preemptors or of the victims.

    >>> _priorities("L--", by_victim=False), _priorities("LE-", by_victim=True)
    ('higher priority only', 'equal or lower priority')
    >>> _priorities("LEH", by_victim=False)
    'any priority'
    """
    names = LEVELS if by_victim else LEVELS[::-1]
    allowed = [name for name, sign in zip(names, code, strict=True) if sign.isalpha()]
    if not any(sign in (NEVER, UNKNOWN) for sign in code):
        words = "any priority"
    else:
        words = f"{' or '.join(sorted(allowed, key=('equal', 'higher', 'lower').index))} priority"
        words += "" if len(allowed) > 1 else " only"
    some = "" if not any(sign.islower() for sign in code) else ", not for all such priorities"
    return f"{words}{some}"


def _rest(cells: Sequence[MatrixCell], queue: str, *, by_victim: bool, short: bool = False) -> Iterator[str]:
    """What never happens, and what is not known."""
    codes = _codes(cells)
    others = {(pair[1] if by_victim else pair[0]): code for pair, code in codes.items()}
    never = [name for name, code in others.items() if not code.strip(NEVER + NONE)]
    unknown = [name for name, code in others.items() if UNKNOWN in code]
    if never and len(never) == len(others):
        yield f"{queue} never preempts anything" if by_victim else f"{queue} is never preempted"
    elif never and short:
        yield f"never by {_queues(never, queue)}"
    elif never:
        listed = _queues(never, queue)
        yield f"{queue} never preempts {listed}" if by_victim else f"{queue} is never preempted by {listed}"
    if unknown:
        listed = _queues(unknown, queue)
        yield f"not known: {'preempting' if by_victim else 'by'} {listed}"


def _queues(names: Sequence[str], queue: str) -> str:
    """ClusterQueues in a sentence about one of them, which comes last."""
    listed = [name for name in names if name != queue]
    if len(listed) > MOST_NAMED:
        listed = [*listed[:MOST_NAMES], f"{len(listed) - MOST_NAMES} more"]
    listed += ["its own workloads"] if queue in names else []
    return joined(listed)


def _condition_words(condition: str, queue: str, nominal: Mapping[str, str]) -> str:
    quota = nominal.get(queue, "")
    beyond = f"nominal quota{f' of {quota}' if quota else ''}"
    if condition == CellVerdict.NEVER.value:
        return f"only while {queue} uses more than its {beyond}"
    if condition == CellVerdict.CAN.value:
        return f"also while {queue} is within its {beyond}"
    return f"not known whether also while {queue} is within its {beyond}"


def nominal_words(queue: ClusterQueue) -> str:
    """The nominal quota of a ClusterQueue, such as `512 cpu or 32 gpu`: of any of these it may use more."""
    flavors = [quotas for group in queue.resource_groups for quotas in group.flavors]
    is_one = len({quotas.flavor for quotas in flavors}) == 1
    return " or ".join(
        f"{format_amount(resource, amount)} {resource if is_one else f'{quotas.flavor}/{resource}'}"
        for quotas in flavors
        for resource, amount in quotas.nominal.items()
    )


# -- cells ------------------------------------------------------------------------------------------------


def cells_outline(cells: Sequence[MatrixCell], preemptor: str, victim: str) -> Outline:
    """Some cells, each with its reason or an example.

    Args:
        cells: one, or all of two ClusterQueues, of which `grouped` says which are shown.
        preemptor, victim: what `--explain` names.
    """
    parts: list[Part] = []
    for cell, others in grouped(cells):
        levels = joined([LEVELS[place] for place in sorted({_place(one) for one in (cell, *others)})])
        more = f", as in {len(others)} more with victims of {levels} priority" if others else ""
        parts += [f"{_headline(cell)}{more}", Facts([*_cell_items(cell)])]
    return Outline(f"Can {preemptor} preempt {victim}?", parts)


def grouped(cells: Sequence[MatrixCell]) -> Iterator[tuple[MatrixCell, list[MatrixCell]]]:
    """One cell of those that are alike, and the others of it.

    Cells are alike by their verdict about victims of lower, equal or higher priority; of all three where the
    first of each has examples for the same reasons.
    """
    alike: dict[tuple[int, str], list[MatrixCell]] = {}
    for cell in sorted(cells, key=lambda known: (_place(known), _size(known))):
        alike.setdefault((_place(cell), cell.verdict), []).append(cell)
    shown: dict[object, list[MatrixCell]] = {}
    for key, found in alike.items():
        reasons = tuple((reason.reason, reason.verdict, _together(reason)) for reason in found[0].reasons)
        by_example = any(reason.example is not None for reason in found[0].reasons)
        shown.setdefault(reasons if by_example else key, []).extend(found)
    yield from ((found[0], found[1:]) for found in shown.values())


def _size(cell: MatrixCell) -> int:
    """How many run in its smallest example."""
    examples = (reason.example for reason in cell.reasons)
    return min((len(example.running) for example in examples if example is not None), default=0)


def cell_lines(cell: MatrixCell) -> Iterator[str]:
    """One cell: the rule and field by which it never can, or its example."""
    return Item(_headline(cell), [*_cell_items(cell)]).text_lines("")


def _headline(cell: MatrixCell) -> str:
    return f"{side_name(cell.preemptor)} preempts {side_name(cell.victim)}: {cell.verdict}"


def _cell_items(cell: MatrixCell) -> Iterator[Item]:
    if cell.why:
        yield Item(cell.why)
    for reason in cell.reasons:
        below = (
            []
            if reason.example is None
            else [*_state_items(cell.preemptor.cluster_queue, cell.preemptor.priority, reason.example)]
        )
        yield Item(f"{reason.reason}: {reason.verdict}, {reason.why}{_together(reason)}", below)


def side_name(role: MatrixRole) -> str:
    """What `--explain` calls a side of a cell, such as `team-a/high`."""
    return f"{role.cluster_queue}/{role.priority_class}"


def _together(reason: MatrixReason) -> str:
    """How many are preempted together, unless it is one."""
    if reason.fewest_victims is None or reason.fewest_victims == 1:
        return ""
    fewer = "fewer never suffice" if reason.is_fewest else "with fewer no example was found"
    return f"; {reason.fewest_victims} are preempted together, {fewer}"


def state_lines(queue: str, priority: int, example: MatrixExample) -> Iterator[str]:
    """A state in sentences.

    Args:
        queue, priority: of the pending workload.
        example: the state.
    """
    for item in _state_items(queue, priority, example):
        yield from item.text_lines("")


def _state_items(queue: str, priority: int, example: MatrixExample) -> Iterator[Item]:
    yield Item(f"at {format_instant(example.now)} these run:", [*map(_running_item, example.running)])
    asked = "; ".join(
        ", ".join(f"{format_amount(name, amount)} {name}" for name, amount in requests.items())
        for requests in example.asked
    )
    yield Item(
        f"and a workload of {queue}, priority {priority}"
        f"{_grown(example)}, created {format_instant(example.created_at)}, asks for {asked}"
    )
    if example.why:
        yield Item(example.why[0], [Item(line.strip()) for line in example.why[1:]])


def _running_item(workload: ExampleWorkload) -> Item:
    usage = ", ".join(held_words(at, amount) for at, amount in workload.usage.items())
    preempted = ": is preempted" if workload.preempted else ""
    since = "" if workload.quota_reserved_at is None else format_instant(workload.quota_reserved_at)
    return Item(
        f"{workload.workload} of {workload.cluster_queue}, priority {workload.priority}"
        f"{_grown(workload)}, since {since}, holds {usage}{preempted}"
    )


def _grown(workload: ExampleWorkload | MatrixExample) -> str:
    boost = f" with a boost of {workload.priority_boost}" if workload.priority_boost else ""
    boost += read_words(workload)
    if workload.job_created_at is None:
        return boost
    return f"{boost}, of a Job created {format_instant(workload.job_created_at)}"


def read_words(workload: ExampleWorkload | MatrixExample) -> str:
    """What rules of PreemptionConfigs read of a workload; nothing where it has none of it."""
    labels = ", ".join(f"{key}={value}" for key, value in sorted((workload.labels or {}).items()))
    words = f" and class {workload.class_read}" if workload.class_read else ""
    return f"{words}, labels {labels}" if labels else words


def held_words(at: str, amount: Amount) -> str:
    """An amount of a flavor and resource, such as `4 f/cpu`."""
    resource = at.partition("/")[2]
    return f"{format_amount(resource, amount)} {at}"

"""A matrix as JSON has it, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from tenure.analysis.matrix import CellVerdict, Matrix, Settled
from tenure.analysis.matrix_types import (
    ExampleWorkload,
    MatrixAnswer,
    MatrixCell,
    MatrixCounts,
    MatrixExample,
    MatrixReason,
    MatrixSide,
)
from tenure.analysis.states import Example, PriorityLevel, decided
from tenure.model import Amount, Cluster
from tenure.units import format_amount, format_instant

SCOPE = "consistent"
PREMISES = (
    "a state is one that admission alone can produce: at no node less than zero is available",
    "every workload was created before its quota was reserved, and neither is in the future",
    "no running workload is being evicted already",
    "no pending workload has flavors assigned already (status.admission)",
    "no ClusterQueue uses or asks for more than 2^60 of a resource",
)

MARKS = {CellVerdict.CAN.value: "c", CellVerdict.NEVER.value: ".", CellVerdict.UNKNOWN.value: "?"}
SOME = "s"


def answer_of(
    matrix: Matrix,
    cluster: Cluster,
    reading: str,
    seed: int,
    solvers: Mapping[str, str],
    warnings: Sequence[str],
) -> MatrixAnswer:
    """The whole answer.

    Args:
        matrix: what was found.
        cluster: the configuration.
        reading: the reading's name.
        seed: of the random states.
        solvers: who proved, by version.
        warnings: about the files.
    """
    cells = tuple(
        cell_of(matrix, cluster, preemptor, high, victim, low)
        for preemptor, victim in product(matrix.queues, repeat=2)
        for high, low in product(matrix.levels, repeat=2)
    )
    verdicts = [cell.verdict for cell in cells]
    return MatrixAnswer(
        scope=SCOPE,
        premises=PREMISES,
        reading=reading,
        kueue=None,
        fair_sharing=cluster.settings.fair_sharing is not None,
        seed=seed,
        states=matrix.states,
        solvers=dict(solvers),
        counts=MatrixCounts(*(verdicts.count(known.value) for known in CellVerdict)),
        cells=cells,
        warnings=tuple(warnings),
    )


def cell_of(
    matrix: Matrix, cluster: Cluster, preemptor: str, high: PriorityLevel, victim: str, low: PriorityLevel
) -> MatrixCell:
    """One cell of a matrix in which it was asked about."""
    found = matrix.of(preemptor, high.priority, victim, low.priority)
    verdict = matrix.verdict(preemptor, high.priority, victim, low.priority)
    apart = matrix.apart.get((preemptor, victim))
    why = ""
    if apart is not None:
        why = apart.why
    elif verdict == CellVerdict.UNKNOWN:
        why = next(settled.why for _, settled in found if settled.verdict == CellVerdict.UNKNOWN)
    elif verdict == CellVerdict.NEVER:
        why = found[0][1].why if found else why_no_rule(cluster, preemptor, high, victim, low)
    return MatrixCell(
        preemptor=MatrixSide(preemptor, high.name, high.priority),
        victim=MatrixSide(victim, low.name, low.priority),
        verdict=verdict.value,
        reasons=tuple(_reason(reason.label, settled) for reason, settled in found),
        why=why,
    )


def _reason(label: str, settled: Settled) -> MatrixReason:
    example = settled.example
    return MatrixReason(
        reason=label,
        verdict=settled.verdict.value,
        why=settled.why,
        example=None if example is None else written_example(example),
        fewest_victims=None if example is None else example.victims,
    )


def written_example(example: Example) -> MatrixExample:
    """An example as an answer has it."""
    request = example.request
    gone = {target.workload.key for target in decided(request).targets}
    running = tuple(
        ExampleWorkload(
            workload=workload.key,
            cluster_queue=workload.cluster_queue or "",
            priority=workload.priority,
            usage={f"{at.flavor}/{at.resource}": amount for at, amount in workload.usage.items()},
            quota_reserved_at=workload.quota_reserved_at,
            preempted=workload.key in gone,
        )
        for workload in request.cluster.admitted
    )
    return MatrixExample(
        now=request.now,
        asked=tuple(dict(pod_set.requests) for pod_set in request.preemptor.pod_sets),
        created_at=request.preemptor.created_at,
        victim=example.victim,
        running=running,
    )


def why_no_rule(
    cluster: Cluster, preemptor: str, high: PriorityLevel, victim: str, low: PriorityLevel
) -> str:
    """By which rule and field no ground exists between two, whatever is in use."""
    queue = cluster.cluster_queues[preemptor]
    relation = "lower" if low.priority < high.priority else "equal" if low == high else "higher"
    within, reclaim = queue.within_cluster_queue, queue.reclaim_within_cohort
    if preemptor == victim:
        rule, path, written = "KQ-040", "withinClusterQueue", within.name
    else:
        rule, path, written = "KQ-330", "reclaimWithinCohort", reclaim.name
    value = written.replace("_", " ").title().replace(" ", "")
    says = f"{rule}: spec.preemption.{path} of ClusterQueue/{preemptor} is {value}"
    return says if value in ("Never", "Unset") else f"{says}, and the victim's priority is {relation}"


def matrix_lines(answer: MatrixAnswer) -> Iterator[str]:
    """The matrix as a table: the preemptors' ClusterQueues are rows, the victims' columns."""
    codes = _codes(answer.cells)
    groups = _groups(list(dict.fromkeys(preemptor for preemptor, _ in codes)), codes)
    names = [str(number) for number in range(1, len(groups) + 1)]
    width = max(3, len(names[-1]))
    yield f"Which workloads may ever preempt which others: scope {answer.scope}, reading {answer.reading}"
    yield ""
    yield "  ".join(["preemptor", *(name.rjust(width) for name in names), "others of its row  ClusterQueues"])
    for name, row in zip(names, groups, strict=True):
        cells = [codes[row[0], column[0]].rjust(width) for column in groups]
        among = codes[row[0], row[1]] if len(row) > 1 else ""
        yield "  ".join([name.rjust(9), *cells, among.rjust(17), ", ".join(row)])
    yield ""
    yield "Columns are the victims' ClusterQueues, by the number of their row. The three signs of an entry"
    yield "are about victims of lower, equal and higher priority than the preemptor:"
    yield f"  c can   . never   ? not known   {SOME} not the same for all such priorities"
    yield ""
    counts = answer.counts
    total = counts.never + counts.can + counts.unknown
    proved = " and ".join(f"{name} {version}" for name, version in answer.solvers.items())
    yield f"{total} cells: {counts.can} can, {counts.never} never, {counts.unknown} not known"
    yield f"can is shown by examples, {answer.states} random states among them; never is proved by {proved}"
    yield from (f"assumed: {premise}" for premise in answer.premises)
    unknown = dict.fromkeys(cell.why for cell in answer.cells if cell.verdict == CellVerdict.UNKNOWN.value)
    yield from (f"not known: {why}" for why in unknown)
    yield "about one cell: --explain QUEUE/PRIORITY QUEUE/PRIORITY"


def _codes(cells: Iterable[MatrixCell]) -> dict[tuple[str, str], str]:
    """Three signs for each pair: about victims of lower, equal and higher priority."""
    found: dict[tuple[str, str], tuple[set[str], set[str], set[str]]] = {}
    for cell in cells:
        one, other = cell.preemptor, cell.victim
        place = 0 if other.priority < one.priority else 1 if other.priority == one.priority else 2
        signs = found.setdefault((one.cluster_queue, other.cluster_queue), (set(), set(), set()))
        signs[place].add(MARKS[cell.verdict])
    return {
        pair: "".join(" " if not marks else SOME if len(marks) > 1 else min(marks) for marks in signs)
        for pair, signs in found.items()
    }


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


def cell_lines(cell: MatrixCell) -> Iterator[str]:
    """One cell in words: by which rule and field never, or its example."""
    sides = (cell.preemptor, cell.victim)
    one, other = (f"{side.cluster_queue}/{side.priority_class}" for side in sides)
    yield f"{one} preempts {other}: {cell.verdict}"
    if cell.why:
        yield f"  {cell.why}"
    for reason in cell.reasons:
        yield f"  {reason.reason}: {reason.verdict}, {reason.why}"
        if reason.example is not None:
            side = cell.preemptor
            lines = state_lines(side.cluster_queue, side.priority, reason.example)
            yield from (f"    {line}" for line in lines)


def state_lines(queue: str, priority: int, example: MatrixExample) -> Iterator[str]:
    """A state in words.

    Args:
        queue, priority: of the pending workload.
        example: the state.
    """
    yield f"at {format_instant(example.now)} these run:"
    for workload in example.running:
        usage = ", ".join(held_words(at, amount) for at, amount in workload.usage.items())
        gone = ": is preempted" if workload.preempted else ""
        since = "" if workload.quota_reserved_at is None else format_instant(workload.quota_reserved_at)
        yield (
            f"  {workload.workload} of {workload.cluster_queue}, priority {workload.priority}, "
            f"since {since}, holds {usage}{gone}"
        )
    asked = "; ".join(
        ", ".join(f"{format_amount(name, amount)} {name}" for name, amount in requests.items())
        for requests in example.asked
    )
    yield (
        f"and a workload of {queue}, priority {priority}, created "
        f"{format_instant(example.created_at)}, asks for {asked}"
    )


def held_words(at: str, amount: Amount) -> str:
    """An amount of a flavor and resource, such as `4 f/cpu`."""
    resource = at.partition("/")[2]
    return f"{format_amount(resource, amount)} {at}"

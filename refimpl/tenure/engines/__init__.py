"""Who decides: the reference, or the optimized core where it can; the result is the same record."""

from tenure.choices import Engine
from tenure.engines.batch import Batch
from tenure.engines.choice import Detail, WrongClaimError, parse_engine, require_core, would_be_faster
from tenure.engines.memo import Searches
from tenure.model import Assignment, Cluster, Instant, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.decide import decide as decide_by_reference
from tenure.readings import Reading

__all__ = [
    "Batch",
    "Detail",
    "Engine",
    "Searches",
    "WrongClaimError",
    "decide",
    "parse_engine",
    "require_core",
    "would_be_faster",
]


def decide(
    engine: Engine,
    cluster: Cluster,
    preemptor: Workload,
    queue_name: str,
    now: Instant,
    reading: Reading,
    assignment: Assignment | None = None,
    detail: Detail = Detail.CANDIDATES,
) -> Decision:
    """Decide for one pending workload by an engine; see also `tenure.oracle.decide.decide`.

    Args:
        engine: the engine to use; `Decision.engine` is the one used, `Decision.left` why not the core.
        detail: the parts of the decision that are needed.

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
    if engine != Engine.FAST:
        return decide_by_reference(cluster, preemptor, queue_name, now, reading, assignment)
    return Batch(engine, cluster, now, reading, detail=detail).decide(preemptor, queue_name, assignment)

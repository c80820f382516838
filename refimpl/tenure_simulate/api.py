"""`tenure.simulate`: settings of queues compared on a trace of jobs, as `tenure simulate --trace` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tenure.answer import Answer
from tenure.engines import require_core
from tenure.manifests import read_objects
from tenure.model import MINUTE, SECOND
from tenure.pools import Hands

if TYPE_CHECKING:
    from tenure_simulate.answer_types import SimulateAnswer
    from tenure_simulate.figures import Counting
    from tenure_simulate.traces import TraceColumns


def simulate(
    queues: str | Path | Sequence[str | Path],
    trace: str | Path,
    *,
    sweep: Sequence[str] = (),
    reading: str = "guaranteed",
    other_queue: str | None = None,
    columns: TraceColumns | None = None,
    counting: Counting | None = None,
    jobs: int = 1,
) -> Answer[SimulateAnswer]:
    """Waits, preemptions, lost and unused quota of a trace of jobs under each setting.

    Jobs keep their progress, pods of a preempted one take 30 s to end, and the simulation goes on for an
    hour after the last submission.

    Args:
        queues: files or folders with the ClusterQueues and what belongs to them.
        trace: a CSV file of jobs, `*.csv` or `*.csv.gz`.
        sweep: settings to compare, such as `minAdmitDuration=off,1h,4h`.
        reading: its name, unless a sweep names others.
        other_queue: the ClusterQueue of rows whose queue is no ClusterQueue; None refuses such rows.
        columns: the names of the columns; None for those of the documentation.
        counting: what counts, and at which price; None for everything.
        jobs: processes.

    Raises:
        InputError: what is wrong with the queues, the trace or the settings; `tenure[fast]` is not installed.
        BrokenProcessPool: a process was killed.
    """
    require_core()
    from tenure_simulate.figures import Counting
    from tenure_simulate.parallel import simulated
    from tenure_simulate.run import TraceCourse
    from tenure_simulate.summary import outline_of
    from tenure_simulate.sweep import parse_sweep, settings_of
    from tenure_simulate.traces import TraceColumns, read_trace

    paths = [queues] if isinstance(queues, str | Path) else queues
    course = TraceCourse(
        objects=read_objects([str(path) for path in paths]),
        trace=read_trace(Path(trace), columns or TraceColumns()),
        other_queue=other_queue,
        reading=reading,
        eviction=30 * SECOND,
        after=60 * MINUTE,
        keeps=True,
        counting=counting or Counting(),
    )
    settings = settings_of([parse_sweep(text) for text in sweep])
    answer = simulated(course, settings, lambda *_: None, hands=Hands(jobs))
    return Answer("simulate-trace", answer, outline_of(answer, None), "settings")

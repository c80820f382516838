"""Jobs of KAI-Scheduler in the short form of a scenario file."""

from __future__ import annotations

from collections.abc import Callable

from tenure.errors import InputError
from tenure.kai import Job, Pod, PodStatus, SubGroup
from tenure.kai.model import DEFAULT_SUB_GROUP
from tenure.manifests import Place
from tenure.model import Instant
from tenure.timeline.kai.shapes import JobShape


def short_job(shape: JobShape, field: str, place: Place, instant: Callable[[str, str], Instant]) -> Job:
    """A job of the short form; its pods are called `train-0`, or by their sub-group `train-leader-0`.

    Args:
        shape: what the file says; a name without namespace is in `default`.
        field: its path in the scenario.
        place: the scenario, for problems.
        instant: reads a time of the scenario, given its text and its field.

    Raises:
        InputError: pods and sub-groups at once, or a start of a job that does not run.

    >>> shape = JobShape(name="train", queue="vision", pods=2, running=True)
    >>> [pod.name for _, pod in short_job(shape, "jobs[0]", Place(), lambda text, field: 0).pods()]
    ['train-0', 'train-1']
    """
    if shape.sub_groups is not None and (shape.pods is not None or shape.min_available is not None):
        said = "pods" if shape.pods is not None else "minAvailable"
        raise InputError([place.problem(f"{field}.{said}", "this", "nothing beside subGroups")])
    if shape.since is not None and shape.running is False:
        raise InputError([place.problem(f"{field}.since", "this", "nothing of a job that does not run")])
    name = shape.name if "/" in shape.name else f"default/{shape.name}"
    groups = {each: (group.pods, group.min_available) for each, group in (shape.sub_groups or {}).items()}
    groups = groups or {DEFAULT_SUB_GROUP: (shape.pods or 1, shape.min_available)}
    runs = bool(shape.running) or shape.since is not None
    started = None if shape.since is None else instant(shape.since, f"{field}.since")
    return Job(name, shape.queue, started, tuple(_group(name, each, *groups[each], runs) for each in groups))


def _group(job: str, name: str, count: int, least: int | None, runs: bool) -> SubGroup:
    short = job.partition("/")[2]
    stem = short if name == DEFAULT_SUB_GROUP else f"{short}-{name}"
    status = PodStatus.RUNNING if runs else PodStatus.PENDING
    pods = tuple(Pod(f"{stem}-{number}", status) for number in range(count))
    return SubGroup(name, count if least is None else least, pods)

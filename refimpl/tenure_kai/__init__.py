"""KAI-Scheduler's MinRuntime plugin: which jobs are protected from preemption and reclaim, until when, why.

Read the objects of a cluster (`load_scene`, `scene_of_objects`), open a `Session` at an instant, resolve
the runtime that protects a job, and answer as the plugin's functions do (`filter_answer`,
`validate_answer`, `resolve_answer`).

>>> from tenure_kai import Action, Session, filter_answer, load_scene
>>> from tenure.model import MINUTE
>>> from tenure.resources import bundled
>>> scene = load_scene([bundled("examples", "kai-departments")])
>>> job = scene.jobs["vision/pretrain"]
>>> session = Session(scene, now=job.started_at + 5 * MINUTE)
>>> filter_answer(session, "serving/checkout", ["vision/pretrain"]).victims[0].verdict
"protected until 14:05:00 by queue platform's reclaimMinRuntime 10m, the common ancestor"
>>> session.resolve(Action.RECLAIM, "serving", "vision").step
'research'
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenure.model import Action, ResolveMethod
    from tenure_kai.answers import filter_answer, resolve_answer, validate_answer
    from tenure_kai.arguments import PluginConfiguration, configure
    from tenure_kai.call import answer_min_runtime
    from tenure_kai.intake import load_scene, scene_of_objects
    from tenure_kai.model import Arguments, Job, Pod, PodStatus, Queue, Scene, SubGroup, Victim
    from tenure_kai.resolver import Resolution, path_of, resolve
    from tenure_kai.session import (
        Filtered,
        GroupLoss,
        JobLoss,
        Protection,
        Session,
        Validated,
        job_is_elastic,
    )

__all__ = [
    "Action",
    "Arguments",
    "Filtered",
    "GroupLoss",
    "Job",
    "JobLoss",
    "PluginConfiguration",
    "Pod",
    "PodStatus",
    "Protection",
    "Queue",
    "Resolution",
    "ResolveMethod",
    "Scene",
    "Session",
    "SubGroup",
    "Validated",
    "Victim",
    "answer_min_runtime",
    "configure",
    "filter_answer",
    "job_is_elastic",
    "load_scene",
    "path_of",
    "resolve",
    "resolve_answer",
    "scene_of_objects",
    "validate_answer",
]


_PLACES = {
    "tenure.model": (
        "Action",
        "ResolveMethod",
    ),
    "tenure_kai.arguments": (
        "PluginConfiguration",
        "configure",
    ),
    "tenure_kai.call": ("answer_min_runtime",),
    "tenure_kai.model": (
        "Arguments",
        "Job",
        "Pod",
        "PodStatus",
        "Queue",
        "Scene",
        "SubGroup",
        "Victim",
    ),
    "tenure_kai.resolver": (
        "Resolution",
        "path_of",
        "resolve",
    ),
    "tenure_kai.session": (
        "Filtered",
        "GroupLoss",
        "JobLoss",
        "Protection",
        "Session",
        "Validated",
        "job_is_elastic",
    ),
    "tenure_kai.answers": (
        "filter_answer",
        "resolve_answer",
        "validate_answer",
    ),
    "tenure_kai.intake": (
        "load_scene",
        "scene_of_objects",
    ),
}


def __getattr__(name: str) -> object:
    # Late: the oracle reads no files, and the help of the command answers nothing.
    from tenure.registration import late

    return late(__name__, _PLACES, name)

"""Which numbers of pods were tried: all of them, then what partial admission tries."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.oracle.decide import Decision
from tenure.oracle.partial import Trial


@dataclass(frozen=True, slots=True)
class PodCount:
    """A number of pods of a pod set."""

    pod_set: str
    """Its name."""
    count: int
    """How many."""


@dataclass(frozen=True, slots=True)
class CountTrial:
    """Numbers of pods that were tried: all of them first, then what partial admission tries."""

    pods: tuple[PodCount, ...]
    """How many of each pod set."""
    served: bool
    """Whether they fit, alone or with targets."""
    text: str
    """What came of it."""


def count_trials(decision: Decision) -> tuple[CountTrial, ...]:
    """The numbers of pods that were tried, in order: the first all of them, the others by partial admission.

    Args:
        decision: one whose flavors were derived; where the ClusterQueue is inactive nothing was tried.

    Source: KQ-600, KQ-610.
    """
    return tuple(_count_trial(decision, trial) for trial in decision.trials)


def _count_trial(decision: Decision, trial: Trial) -> CountTrial:
    asked = zip(decision.preemptor.pod_sets, trial.counts, strict=True)
    tried = tuple(PodCount(pods.name, count) for pods, count in asked)
    return CountTrial(tried, trial.is_served, _text(trial))


def _text(trial: Trial) -> str:
    selection = trial.selection
    if not trial.assignment.fits:
        return "no flavor serves it"
    if selection is None:
        return "fits"
    if selection.kept:
        return f"fits when {len(selection.kept)} leave{'s' if len(selection.kept) == 1 else ''}"
    return "those who may be taken are not enough"

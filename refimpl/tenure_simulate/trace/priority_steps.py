"""Which priorities jobs have as they age, as the rules of KEP-754 compute them, in tables."""

from __future__ import annotations

import numpy as np

from tenure.model import Duration, Workload
from tenure.oracle.snapshot import with_effective_priority
from tenure.readings import Reading
from tenure.rules.dynamic_priority import next_step_at
from tenure_play.scenario import Scenario
from tenure_simulate.core.uncovered import Uncovered
from tenure_simulate.trace.jobs import PriorityKind, TracedJobs
from tenure_simulate.trace.tables import NO_JOB, Lines, Members, Table

MOST_STEPS = 2**16
"""Priorities that take more steps in a play are left to `play`."""
MOST_GROUPS = 2**21
"""More jobs of different pods and priorities are left to it too."""
_NO_GROUP = -1


def course_of(
    kind: PriorityKind, longest: Duration, scenario: Scenario, reading: Reading
) -> list[tuple[Duration, int]]:
    """From which age on a job has which priority, each other than the one before.

    Args:
        kind: of the job.
        longest: the age at which the play ends.
        scenario, reading: of the play.

    Raises:
        InputError: a class that the reading refuses.
        Uncovered: more steps than are counted here; one that is not seen unless the play looks just then.
    """
    name, boost = kind
    policy = scenario.cluster.growing[name].policy
    job = Workload("", "", "", priority=0, created_at=0, priority_class=name, priority_boost=boost)

    def priority_at(age: Duration) -> int:
        return with_effective_priority(job, scenario.cluster, age, reading).priority

    found = [(0, priority_at(0))]
    while policy is not None:
        age = next_step_at(job, policy, found[-1][0], reading.priority_steps)
        if age > longest:
            break
        priority = priority_at(age)
        if priority == found[-1][1]:
            if priority_at(longest) != priority:
                raise Uncovered("a class whose priority falls from above its max")
            break
        if len(found) == MOST_STEPS:
            raise Uncovered("a class whose priority takes more steps than are counted")
        found.append((age, priority))
    return found


def _courses(scenario: Scenario, reading: Reading, jobs: TracedJobs) -> list[list[tuple[Duration, int]]]:
    """The course of each kind, and one for each priority that stays."""
    if jobs.ages is None:
        return []
    found = []
    for number, kind in enumerate(jobs.kinds):
        born = jobs.ages[jobs.ages[:, 0] == number, 1]
        found.append(course_of(kind, max(0, scenario.end - int(born.min())), scenario, reading))
    return [*found, *([(0, priority)] for priority in _fixed(jobs).tolist())]


def _fixed(jobs: TracedJobs) -> Table:
    """The priorities of jobs whose priority stays, in order."""
    priorities = jobs.rows.priority
    return np.unique(priorities if jobs.ages is None else priorities[jobs.ages[:, 0] < 0])


def levels_of(scenario: Scenario, reading: Reading, jobs: TracedJobs) -> Table:
    """The priorities that jobs have, or come to, in order."""
    if not jobs.kinds:
        return _fixed(jobs)
    courses = _courses(scenario, reading, jobs)
    return np.unique(np.array([priority for course in courses for _, priority in course], np.int64))


def lines_of(scenario: Scenario, reading: Reading, jobs: TracedJobs, queues: int) -> Lines:
    """Where the jobs of a trace wait, before any has joined.

    Args:
        scenario, reading: of the play.
        jobs: some have a class whose priority grows.
        queues: how many ClusterQueues have room.

    Raises:
        InputError: as `course_of`.
        Uncovered: as `course_of`; more kinds of jobs than are distinguished.
    """
    courses = _courses(scenario, reading, jobs)
    levels = np.unique(np.array([priority for course in courses for _, priority in course], np.int64))
    groups = (int(jobs.rows.shape_id.max(initial=0)) + 1) * len(levels)
    if groups > MOST_GROUPS:
        raise Uncovered("more priorities and kinds of pods than are distinguished")
    members = Members(*np.zeros((len(Members._fields), len(jobs.names)), np.int64))
    members.child[:] = members.next[:] = members.before[:] = NO_JOB
    assert jobs.ages is not None
    fixed = len(jobs.kinds) + np.searchsorted(_fixed(jobs), jobs.rows.priority)
    members.course[:] = np.where(jobs.ages[:, 0] < 0, fixed, jobs.ages[:, 0])
    members.born[:] = jobs.ages[:, 1]
    ages, gives = np.array([step for course in courses for step in course], np.int64).T.copy()
    return Lines(
        members=members,
        top=np.full((groups, 2), NO_JOB, np.int64),
        many=np.zeros((groups, 2), np.int64),
        later=np.full((groups, 2), _NO_GROUP, np.int64),
        earlier=np.full((groups, 2), _NO_GROUP, np.int64),
        parked_at=np.zeros(groups, np.int64),
        first=np.full((queues, 2), _NO_GROUP, np.int64),
        woken_at=np.zeros(queues, np.int64),
        forgot_at=np.zeros(queues, np.int64),
        age=ages,
        gives=gives,
        level=np.searchsorted(levels, gives),
        spans=np.cumsum([0, *map(len, courses)], dtype=np.int64),
        steps=np.zeros((len(jobs.names) + 1, 4), np.int64),
        counts=np.zeros(2, np.int64),
        levels=len(levels),
    )

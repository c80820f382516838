"""Usage of 2^63 - 1 and more: what is decided all the same, and what is refused with the object's name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from tenure.choices import Engine, Outcome
from tenure.engines import Batch, decide
from tenure.errors import ErrorCode, InputError, Problem
from tenure.model import UNLIMITED, Cluster, ClusterQueue, Settings
from tenure.oracle.decide import Decision
from tenure.readings import preset
from tests import clusters
from tests.tenure.clusters import GPU, NOW, queue, running, waiting

HALF = 2**62
FAIR = Settings(fair_sharing=())
ENGINES = pytest.mark.parametrize("engine", [Engine.REFERENCE, Engine.FAST])


def asked(engine: Engine, queue: ClusterQueue, *usage: int, request: int = 1, fair: bool = False) -> Outcome:
    """What is decided for a workload of higher priority; alone, and among the workloads of a batch."""
    held = tuple(running(f"w{index}", amount, 0) for index, amount in enumerate(usage))
    settings = FAIR if fair else Settings()
    cluster = Cluster({"q": queue}, held, settings=settings)
    preemptor, reading = waiting(request, priority=200), preset("released")
    together = Batch(engine, cluster, NOW, reading)
    by_itself = said(lambda: decide(engine, cluster, preemptor, "q", NOW, reading))
    assert said(lambda: together.decide(preemptor, "q")) == by_itself
    if isinstance(by_itself, tuple):
        raise InputError(by_itself)
    return by_itself


def said(decided: Callable[[], Decision]) -> Outcome | tuple[Problem, ...]:
    """What is decided, or what is wrong."""
    try:
        return decided().outcome
    except InputError as error:
        return error.problems


def refused(engine: Engine, queue: ClusterQueue, *usage: int, request: int = 1, fair: bool = False) -> str:
    """The object of the one problem."""
    with pytest.raises(InputError) as error:
        asked(engine, queue, *usage, request=request, fair=fair)
    (problem,) = error.value.problems
    assert problem.code == ErrorCode.NOT_MODELLED
    assert problem.field == "usage of nvidia.com/gpu on a100"
    return problem.object


def lending(nominal: int, limit: int) -> ClusterQueue:
    """A ClusterQueue that keeps some of its quota for itself."""
    made = clusters.queue("q", "c", {GPU.flavor: {GPU.resource: (nominal, None, limit)}})
    return dataclasses.replace(queue(cohort="c"), resource_groups=made.resource_groups)


@ENGINES
def test_a_search_around_one_workload_without_bound_is_refused(engine: Engine) -> None:
    assert refused(engine, queue(nominal={GPU: 1}), UNLIMITED, 1) == "ClusterQueue/q"
    assert refused(engine, queue(nominal={GPU: 1}, cohort="c"), UNLIMITED, 1) == "Cohort/c"


@ENGINES
def test_what_needs_no_search_is_decided(engine: Engine) -> None:
    assert asked(engine, queue(nominal={GPU: 1}), UNLIMITED, request=2) == Outcome.NO_FIT
    assert asked(engine, queue(nominal={GPU: UNLIMITED}), HALF, request=UNLIMITED, fair=True) == Outcome.FIT


@ENGINES
def test_usage_that_is_without_bound_together_matters_under_fair_sharing_alone(engine: Engine) -> None:
    some = queue(nominal={GPU: HALF})
    assert asked(engine, some, HALF, HALF) == Outcome.NO_CANDIDATES
    assert refused(engine, some, HALF, HALF, fair=True) == "ClusterQueue/q"


@ENGINES
def test_under_fair_sharing_the_request_counts(engine: Engine) -> None:
    some = queue(nominal={GPU: UNLIMITED - 1})
    assert asked(engine, some, HALF, request=HALF) == Outcome.PREEMPT
    assert refused(engine, some, HALF, request=HALF, fair=True) == "ClusterQueue/q"
    assert asked(engine, some, HALF, HALF - 4, request=1, fair=True) == Outcome.FIT


@ENGINES
def test_a_queue_that_keeps_quota_for_itself_is_refused_whatever_is_asked(engine: Engine) -> None:
    assert refused(engine, lending(4, 1), HALF, HALF) == "ClusterQueue/q"
    assert asked(engine, lending(4, 1), HALF, HALF - 2) == Outcome.PREEMPT

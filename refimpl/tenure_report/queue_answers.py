"""The answers of `analyze` about the ClusterQueues of a picture, made before anyone looks.

They are about a whole configuration, and no clock in this process can end a solver. So they are found in
other processes, while this one answers about jobs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, suppress
from functools import partial
from html import escape
from typing import TypeAlias

from tenure.api import Loaded
from tenure.errors import InputError, Problem
from tenure.outline import Item, Outline, Part, TitledList
from tenure.pools import Pool, pool
from tenure.readings import Reading
from tenure_check.analysis.answer_cache import need_the_solvers
from tenure_check.analysis.guarantee_answer import GuaranteesAnswer, guarantees_outline
from tenure_check.analysis.matrix import Effort
from tenure_check.analysis.matrix_answer import MatrixAnswer
from tenure_check.analysis.matrix_text import nominal_words, sentences_of
from tenure_check.analysis.sanity import sanity_answer
from tenure_check.analysis.two_configurations import Configuration
from tenure_check.answers import (
    configuration_in,
    guarantees_found,
    guarantees_of_one,
    kept_answers,
    matrix_answer,
)
from tenure_check.api import loops
from tenure_play.drawing.cluster_page import QUESTIONS, QueueAnswers

_Found: TypeAlias = MatrixAnswer | GuaranteesAnswer
_GIVES_WAY = 10
"""So much nicer than the process that asks."""


class QueueAnalysis:
    """The questions about the ClusterQueues of a cluster, which other processes answer; a context manager.

    They go on from one picture to the next while neither the queues nor the priorities change, and end with
    the context, whatever they are doing.
    """

    def __init__(self) -> None:
        self._configured: Configuration | None = None
        self._pool: AbstractContextManager[Pool] | None = None
        self._found: list[Future[_Found]] = []

    def __enter__(self) -> QueueAnalysis:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            # What ends the processes at once.
            ended = _Ended()
            with suppress(_Ended):
                self._pool.__exit__(_Ended, ended, None)
            self._pool = None

    def begin(self, loaded: Loaded, reading: Reading) -> tuple[Problem, ...]:
        """Ask about a cluster, unless these questions are asked already; why they have no answer.

        Args:
            loaded: the cluster, with its objects.
            reading: see `tenure.readings`.
        """
        try:
            need_the_solvers()
            configured = configuration_in(loaded, reading)
        except InputError as error:
            return error.problems
        if configured != self._configured:
            self.__exit__()
            self._configured = configured
            self._found = [
                self._begun(configured, *each)
                for each in zip(QUESTIONS, kept_answers(configured), strict=True)
            ]
        return ()

    def _begun(self, configured: Configuration, question: str, kept: _Found | None) -> Future[_Found]:
        if kept is not None:
            known: Future[_Found] = Future()
            known.set_result(kept)
            return known
        if self._pool is None:
            self._pool = pool(len(QUESTIONS))
            self._workers = self._pool.__enter__()
        return self._workers.begin(partial(_answered, configured), question)

    def found(self, within: float) -> list[_Found | None]:
        """The answers in the order of `QUESTIONS`, None where one is open.

        Args:
            within: seconds that are waited at most.

        Raises:
            InputError: the questions have no answer.
        """
        wait(self._found, max(0.0, within))
        return [each.result() if each.done() else None for each in self._found]


class _Ended(Exception):  # noqa: N818 - no error
    """Nothing more is awaited."""


def queue_answers(
    analysis: QueueAnalysis, loaded: Loaded, reading: Reading, problems: tuple[Problem, ...], within: float
) -> QueueAnswers:
    """What is known about ClusterQueues.

    Args:
        analysis: which was asked about them.
        loaded: the cluster, with its objects.
        reading: see `tenure.readings`.
        problems: why there is no answer of the analysis.
        within: seconds that are waited for it at most.
    """
    queues = loaded.cluster.cluster_queues
    found: list[_Found | None] = []
    if not problems:
        try:
            found = analysis.found(within)
        except InputError as error:
            problems = error.problems
    lines: dict[str, list[str]] = {name: _paragraphs(problems) for name in queues}
    for answer in (each for each in found if each is not None):
        for name in queues:
            lines[name].extend(_outline(answer, loaded, name).html_lines())
    with suppress(InputError):  # which `problems` has already
        notices = sanity_answer(loaded, reading).notices
        for name in queues:
            mine = [notice.item for notice in notices if notice.object == f"ClusterQueue/{name}"]
            parts: list[Part] = [TitledList("Found", mine)] if mine else ["None found."]
            lines[name].extend(Outline("Fields without effect", parts).html_lines())
    return QueueAnswers(
        {name: "\n".join(each) for name, each in lines.items()},
        tuple(name for name, answer in zip(QUESTIONS, found, strict=False) if answer is None),
        "\n".join(_loops(loaded, reading)),
    )


def _loops(loaded: Loaded, reading: Reading) -> Iterator[str]:
    try:
        yield from loops(loaded, reading=reading).outline.html_lines()
    except InputError as error:
        yield from _paragraphs(error.problems)


def _answered(configured: Configuration, question: str) -> _Found:
    if hasattr(os, "nice"):
        # Answers about jobs come first, where the processors are few.
        os.nice(_GIVES_WAY)
    if question == "matrix":
        return matrix_answer(configured, Effort(), jobs=1)
    return guarantees_found(configured, Effort())


def _outline(found: _Found, loaded: Loaded, name: str) -> Outline:
    """The part of an answer about a ClusterQueue."""
    if isinstance(found, GuaranteesAnswer):
        return guarantees_outline(guarantees_of_one(found, name), details=True, premises=False)
    nominal = {each: nominal_words(queue) for each, queue in loaded.cluster.cluster_queues.items()}
    preempted = [cell for cell in found.cells if cell.victim.cluster_queue == name]
    preempting = [cell for cell in found.cells if cell.preemptor.cluster_queue == name]
    sentences = [
        *sentences_of(preempted, nominal, victim=name),
        *sentences_of(preempting, nominal, preemptor=name),
    ]
    return Outline(
        "Which workloads can ever preempt which", [TitledList("In words", [*map(Item, sentences)])]
    )


def _paragraphs(problems: Iterable[Problem]) -> list[str]:
    return [f"<p>{escape(str(problem))}</p>" for problem in problems]

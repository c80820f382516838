"""The answers of `analyze` about the ClusterQueues of a picture, made before anyone looks.

They are about a whole configuration, and no clock in this process can end a solver. So they are found in
other processes, while this one answers about jobs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from typing import TypeAlias

from tenure.api import Loaded
from tenure.errors import InputError, Problem
from tenure.manifests import SourcedObject
from tenure.outline import Item, Outline, Part, TitledList
from tenure.pools import pool
from tenure.readings import Reading
from tenure_check.analysis.answer_cache import need_the_solvers
from tenure_check.analysis.guarantee_answer import GuaranteesAnswer, guarantees_outline
from tenure_check.analysis.matrix import Effort
from tenure_check.analysis.matrix_answer import MatrixAnswer
from tenure_check.analysis.matrix_text import nominal_words, sentences_of
from tenure_check.analysis.priority_levels import classes_of
from tenure_check.analysis.sanity import sanity_answer
from tenure_check.analysis.scopes import GUARANTEES_STATES, MATRIX_STATES
from tenure_check.analysis.two_configurations import Configuration
from tenure_check.answers import configuration_in, guarantees_found, guarantees_of_one, matrix_answer
from tenure_check.api import loops
from tenure_play.drawing.cluster_page import QUESTIONS, QueueAnswers

_Found: TypeAlias = MatrixAnswer | GuaranteesAnswer


@dataclass(slots=True)
class QueueInquiry:
    """The questions about the ClusterQueues of a cluster, which other processes answer.

    Args:
        loaded: the cluster, with its objects.
        reading: see `tenure.readings`.
        problems: why they have no answer.
    """

    loaded: Loaded
    reading: Reading
    problems: tuple[Problem, ...] = ()
    _found: Iterator[_Found] = field(default_factory=lambda: iter(()))

    def answers(self) -> QueueAnswers:
        """What is found; waits until the seconds of `asked_about` are over."""
        queues = self.loaded.cluster.cluster_queues
        lines: dict[str, list[str]] = {name: [] for name in queues}
        answered: list[_Found] = []
        try:
            answered.extend(self._found)
        except TimeoutError:
            pass
        except InputError as error:
            self.problems = error.problems
        for found in answered:
            for name in queues:
                lines[name].extend(_outline(found, self.loaded, name).html_lines())
        with suppress(InputError):  # which `problems` has already
            notices = sanity_answer(self.loaded.objects, self.reading).notices
            for name in queues:
                mine = [notice.item for notice in notices if notice.object == f"ClusterQueue/{name}"]
                parts: list[Part] = [TitledList("Found", mine)] if mine else ["None found."]
                lines[name].extend(Outline("Fields without effect", parts).html_lines())
        problems = _paragraphs(self.problems)
        return QueueAnswers(
            {name: "\n".join([*problems, *found]) for name, found in lines.items()},
            () if self.problems else QUESTIONS[len(answered) :],
            "\n".join(self._loops()),
        )

    def _loops(self) -> Iterator[str]:
        try:
            yield from loops(self.loaded, reading=self.reading).outline.html_lines()
        except InputError as error:
            yield from _paragraphs(error.problems)


@contextmanager
def asked_about_queues(
    loaded: Loaded, objects: Sequence[SourcedObject], reading: Reading, budget: float
) -> Iterator[QueueInquiry]:
    """Ask what `analyze matrix` and `analyze guarantees` answer; whatever is open at the end is given up.

    Args:
        loaded: the cluster.
        objects: of it, as they were read.
        reading: see `tenure.readings`.
        budget: seconds from now until nothing more is awaited.
    """
    loaded = replace(loaded, objects=tuple(objects))
    asked = QueueInquiry(loaded, reading)
    try:
        need_the_solvers()
        configured = configuration_in(loaded, classes_of(loaded.objects), reading)
    except InputError as error:
        asked.problems = error.problems
        yield asked
        return
    with suppress(_GivenUp), pool(len(QUESTIONS)) as workers:
        asked._found = workers.run(partial(_answered, configured), QUESTIONS, within=budget)
        yield asked
        raise _GivenUp  # ends the processes, whatever they are doing


class _GivenUp(Exception):  # noqa: N818 - no error
    """Nothing more is awaited."""


def _answered(configured: Configuration, question: str) -> _Found:
    if question == "matrix":
        return matrix_answer(configured, Effort.of_states(MATRIX_STATES), jobs=1)
    return guarantees_found(configured, Effort.of_states(GUARANTEES_STATES))


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

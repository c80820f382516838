"""What several questions have in common: formulas, and answers to the very same question."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tenure_proofs.bridge import LiftReport, check_call
from tenure_proofs.solvers import Question
from tenure_proofs.trusted.claim import Call, Traces

_Answer = TypeVar("_Answer")


@dataclass(slots=True)
class Shared:
    """Shared between obligations and presets in one process, for as long as no rule's code changes.

    Where a claim does not depend on a reading, every preset asks the same question, term for term.

    Args:
        traces: formulas by function and arguments.
    """

    traces: Traces = field(default_factory=dict)
    _answers: dict[Hashable, tuple[Question, Any]] = field(default_factory=dict)
    _checked: dict[int, tuple[Call, LiftReport]] = field(default_factory=dict)

    def once(self, how: Hashable, question: Question, ask: Callable[[], _Answer]) -> _Answer:
        """The answer to a question; asked once, however often it comes.

        Args:
            how: everything beside the question that the answer depends on.
            question: what is asked. The solver gives equal terms the same number.
            ask: asks it.
        """
        key = how, question.budget, tuple(fact.get_id() for fact in question.facts)
        if key not in self._answers:
            # The question is kept, so that the numbers of its terms stay theirs.
            self._answers[key] = (question, ask())
        answer: _Answer = self._answers[key][1]
        return answer

    def checked(self, call: Call) -> LiftReport:
        """Whether both lifters give one formula of a claim's call; asked once, however often it is used."""
        if id(call) not in self._checked:
            # The call is kept, so that its id stays its own.
            self._checked[id(call)] = (call, check_call(call))
        return self._checked[id(call)][1]

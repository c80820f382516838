"""What is kept of lifted functions, verdicts, mutants and whole decisions, and under which hash."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from tenure.as_json import Shape
from tenure.readings import preset_names
from tenure_proofs.answer import CounterexampleShape
from tenure_proofs.bounded.postconditions import POSTCONDITIONS
from tenure_proofs.bounded.trial import Part, Tried
from tenure_proofs.bridge import LiftReport
from tenure_proofs.cache import Cache
from tenure_proofs.counterexamples import Counterexample
from tenure_proofs.fingerprints import key_of
from tenure_proofs.mutants.hunt import Hunted, all_mutants, concerns, of_theorems, theorems_about
from tenure_proofs.mutants.mutant import Mutant
from tenure_proofs.mutants.signed import signed_by_hand
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.pool import lifted_function
from tenure_proofs.registry import Obligation, Verdict
from tenure_proofs.report import example_shape
from tenure_proofs.runner import Result
from tenure_proofs.solvers import seed_name

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")


class Kept(Generic[_Task, _Done]):
    """One kind of answers that are kept.

    Args:
        cache: where.
        asked: the question that a task is.
        form: the answer as JSON; None for one that must not be kept.
        read: the answer to a task from that. It raises ValueError where no run can have kept that.
    """

    def __init__(
        self,
        cache: Cache,
        asked: Callable[[_Task], tuple[object, ...]],
        form: Callable[[_Done], Any],
        read: Callable[[_Task, Any], _Done],
    ) -> None:
        self._cache = cache
        self._asked = asked
        self._form = form
        self._read = read
        self.found = 0

    def run(
        self, tasks: Sequence[_Task], ask: Callable[[Sequence[_Task]], Iterator[_Done]]
    ) -> Iterator[_Done]:
        """The answers in the order of the tasks; only those that are not kept are asked for."""
        keys = [key_of(*self._asked(task)) for task in tasks]
        known = [self._known(task, key) for task, key in zip(tasks, keys, strict=True)]
        self.found = sum(item is not None for item in known)
        fresh = ask([task for task, item in zip(tasks, known, strict=True) if item is None])
        for key, item in zip(keys, known, strict=True):
            yield self._remember(key, next(fresh)) if item is None else item

    def _known(self, task: _Task, key: str) -> _Done | None:
        value = self._cache.get(key)
        if value is None:
            return None
        try:
            done = self._read(task, value)
            wrong = "" if _text(self._form(done)) == _text(value) else "more than an answer"
        except ValueError as error:
            wrong = _words(error)
        if wrong:
            self._cache.refuse(key, wrong)
            return None
        return done

    def _remember(self, key: str, done: _Done) -> _Done:
        value = self._form(done)
        if value is not None:
            self._cache.put(key, value)
        return done


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _words(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the answer'}: {first['msg']}"


def lifts(cache: Cache, examples: int, random_seed: int) -> Kept[str, LiftReport]:
    """Of functions, by what stands for them."""

    def read(name: str, value: Any) -> LiftReport:
        return read_lifting(lifted_function(name).__name__, examples, value)

    return Kept(cache, lambda name: ("lifting", name, examples, random_seed), lifting_form, read)


def verdicts(cache: Cache, with_cvc5: bool, seeds: int) -> Kept[tuple[str, str], Result]:
    """Of obligations and presets, by their names."""
    solvers = (*map(seed_name, range(seeds)), *(["cvc5"] if with_cvc5 else []))

    def read(asked: tuple[str, str], value: Any) -> Result:
        return read_verdict(OBLIGATIONS[asked[0]], asked[1], solvers, value)

    return Kept(cache, lambda asked: ("verdict", *asked, with_cvc5, seeds), verdict_form, read)


def fates(cache: Cache) -> Kept[str, Hunted]:
    """Of mutants, by their identifiers, when every obligation is asked under every preset."""
    return Kept(cache, lambda mutant: ("mutant", mutant), mutant_form, read_mutant)


def bounded_parts(cache: Cache) -> Kept[Part, Tried]:
    """Of whole decisions, by the parts of the families."""
    return Kept(cache, lambda part: ("bounded", part), dataclasses.asdict, read_part)


def lifting_form(report: LiftReport) -> dict[str, Any] | None:
    """A comparison that found no difference."""
    return None if report.problem else dataclasses.asdict(report)


_LIFTING = TypeAdapter(LiftReport)


def read_lifting(function: str, examples: int, value: Any) -> LiftReport:
    """The same again.

    Raises:
        ValueError: it is no such comparison.
    """
    report = _LIFTING.validate_json(json.dumps(value), strict=True)
    if (report.function, report.examples, report.problem) != (function, examples, ""):
        raise ValueError(f"it is about {report.function}, {report.examples} times")
    return report


def mutant_form(hunted: Hunted) -> dict[str, Any] | None:
    """A mutant that is done with; one that survived is tried again."""
    return None if hunted.outcome == "survived" else dataclasses.asdict(hunted)


_HUNTED = TypeAdapter(Hunted)


def read_mutant(identifier: str, value: Any) -> Hunted:
    """The same again.

    Raises:
        ValueError: it is about another mutant, or nothing that is known has noticed it.
    """
    hunted = _HUNTED.validate_json(json.dumps(value), strict=True)
    mutant = all_mutants()[identifier]
    if (hunted.id, hunted.rule, hunted.before, hunted.after) != (identifier, *mutant.change):
        raise ValueError(f"it is about {hunted.id}")
    match hunted.outcome:
        case "killed" | "unreadable":
            by = OBLIGATIONS.get(hunted.by.partition(" ")[0])
            noticed = (by is not None and concerns(by, mutant)) or _broke_a_theorem(hunted, mutant)
        case "signed":
            noticed = hunted.by == signed_by_hand().get(mutant.change)
        case outcome:
            noticed = outcome == "equivalent" and not hunted.by
    if not noticed:
        raise ValueError(f"{hunted.outcome} by {hunted.by!r}")
    return hunted


def _broke_a_theorem(hunted: Hunted, mutant: Mutant) -> bool:
    return mutant.rule in of_theorems() and hunted.by.partition(":")[0] in theorems_about(mutant.rule)


_TRIED = TypeAdapter(Tried)


def read_part(part: Part, value: Any) -> Tried:
    """What whole decisions came to.

    Raises:
        ValueError: they were other decisions, or not all of them were judged.
    """
    tried = _TRIED.validate_json(json.dumps(value), strict=True)
    if tried.family != part.family or not tried.decisions >= tried.clusters >= 0:
        raise ValueError(f"{tried.decisions} decisions about {tried.clusters} clusters of {tried.family}")
    tallies = {(claim, preset): one for claim, row in tried.tallies.items() for preset, one in row.items()}
    if tallies.keys() != {(claim, preset) for claim in POSTCONDITIONS for preset in preset_names()}:
        raise ValueError("other postconditions were judged")
    for name, tally in tallies.items():
        found = tally.first is not None and tally.first % part.of == part.number
        if not tally.claimed >= tally.broken >= 0 or (tally.broken > 0) != found:
            raise ValueError(f"{name}: {tally}")
    return tried


class KeptVerdict(Shape):
    """How an obligation ended under one column; under a preset also beside it."""

    reading: str
    verdict: Literal["proved", "refuted"]
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    solvers: dict[str, str]
    detail: str
    counterexample: CounterexampleShape | None
    beside: tuple[KeptVerdict, ...]


SAYS = {"proved": "unsat", "refuted": "sat"}
"""What every solver has said of facts and not goal where a claim ended so."""


def verdict_form(result: Result) -> dict[str, Any] | None:
    """A verdict; what has none, or an error, is asked again."""
    if any(column.verdict not in (Verdict.PROVED, Verdict.REFUTED) for column in (result, *result.beside)):
        return None
    return _kept(result).model_dump(mode="json")


def _kept(result: Result) -> KeptVerdict:
    return KeptVerdict(
        reading=result.reading,
        verdict="proved" if result.verdict == Verdict.PROVED else "refuted",
        seconds=result.seconds,
        solvers=result.solvers,
        detail=result.detail,
        counterexample=example_shape(result.counterexample),
        beside=tuple(map(_kept, result.beside)),
    )


def read_verdict(obligation: Obligation, preset: str, solvers: Sequence[str], value: Any) -> Result:
    """The same again.

    Args:
        obligation: which.
        preset: under which, and the further columns beside it.
        solvers: who must have answered.
        value: what is kept.

    Raises:
        ValueError: not all of these solvers have said of each of these columns what is concluded.
    """
    kept = KeptVerdict.model_validate_json(json.dumps(value))
    every = (kept, *kept.beside)
    columns = (preset, *obligation.columns_beside(preset))
    if tuple(verdict.reading for verdict in every) != columns or any(
        verdict.beside for verdict in kept.beside
    ):
        raise ValueError(f"it is about {', '.join(verdict.reading for verdict in every)}")
    for verdict in every:
        if verdict.solvers != dict.fromkeys(solvers, SAYS[verdict.verdict]):
            raise ValueError(
                f"{verdict.verdict} under {verdict.reading}, where the solvers say {verdict.solvers}"
            )
        if (verdict.counterexample is None) != (verdict.verdict == "proved"):
            raise ValueError(f"{verdict.verdict} under {verdict.reading}, and a counterexample or none")
    return dataclasses.replace(
        _result(obligation, kept), beside=tuple(_result(obligation, verdict) for verdict in kept.beside)
    )


def _result(obligation: Obligation, kept: KeptVerdict) -> Result:
    example = kept.counterexample
    return Result(
        obligation,
        kept.reading,
        Verdict(kept.verdict),
        seconds=kept.seconds,
        solvers=kept.solvers,
        detail=kept.detail,
        counterexample=None
        if example is None
        else Counterexample(dict(example.values), tuple(example.story), example.scenario, ""),
    )

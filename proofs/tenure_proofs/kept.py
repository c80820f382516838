"""What is kept of lifted functions, verdicts, mutants and whole decisions, and under which hash."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from importlib.metadata import version
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from tenure.readings import preset_names
from tenure_proofs.bounded.postconditions import POSTCONDITIONS
from tenure_proofs.bounded.trial import Part, Tried, read_tried, tried_form
from tenure_proofs.bridge import LiftReport
from tenure_proofs.cache import Cache
from tenure_proofs.counterexamples import Counterexample, shown
from tenure_proofs.fingerprints import (
    UnknownCodeError,
    digest,
    modules_behind,
    modules_digest,
    package_digest,
)
from tenure_proofs.mutants.hunt import LOOPS, Hunted, all_mutants, concerns, theorems_about
from tenure_proofs.mutants.mutant import Mutant
from tenure_proofs.mutants.signed import signed_by_hand
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.pool import lifted_function
from tenure_proofs.registry import Obligation, Verdict, reading_of
from tenure_proofs.runner import Result, unknown_rules
from tenure_proofs.solvers import seed_name, solver_versions

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")

ASKS = ("tenure.rules", "tenure_proofs.runner", "tenure_proofs.cvc5_worker")
"""Behind every verdict: all rules, also those that a registry hands out by name, and what asks about them."""

REPLAYS = ("tenure.conformance.protocol",)
"""The whole oracle; it counts where a counterexample went through it."""


class Kept(Generic[_Task, _Done]):
    """One kind of answers that are kept.

    Args:
        cache: where.
        key_of: the hash of all that the answer to a task depends on.
        form: the answer as JSON; None for one that must not be kept.
        read: the answer to a task from that, or None when it is no answer any more. It raises ValueError
            where no run can have kept that.
    """

    def __init__(
        self,
        cache: Cache,
        key_of: Callable[[_Task], str],
        form: Callable[[_Done], Any],
        read: Callable[[_Task, Any], _Done | None],
    ) -> None:
        self._cache = cache
        self._key_of = key_of
        self._form = form
        self._read = read
        self.found = 0

    def run(
        self, tasks: Sequence[_Task], ask: Callable[[Sequence[_Task]], Iterator[_Done]]
    ) -> Iterator[_Done]:
        """The answers in the order of the tasks; only those that are not kept are asked for."""
        keys = [self._key(task) for task in tasks]
        known = [self._known(task, key) for task, key in zip(tasks, keys, strict=True)]
        self.found = sum(item is not None for item in known)
        fresh = ask([task for task, item in zip(tasks, known, strict=True) if item is None])
        for key, item in zip(keys, known, strict=True):
            yield self._remember(key, next(fresh)) if item is None else item

    def _key(self, task: _Task) -> str | None:
        try:
            return self._key_of(task)
        except UnknownCodeError:
            return None

    def _known(self, task: _Task, key: str | None) -> _Done | None:
        value = None if key is None else self._cache.get(key)
        if key is None or value is None:
            return None
        try:
            done = self._read(task, value)
            wrong = "" if done is None or _text(self._form(done)) == _text(value) else "more than an answer"
        except ValueError as error:
            wrong = _words(error)
        if wrong:
            self._cache.refuse(key, wrong)
            return None
        return done

    def _remember(self, key: str | None, done: _Done) -> _Done:
        value = self._form(done)
        if key is not None and value is not None:
            self._cache.put(key, value)
        return done


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _words(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the answer'}: {first['msg']}"


class Keys:
    """Hashes of all that answers depend on."""

    def of_lifting(self, function: Callable[..., Any], examples: int, random_seed: int) -> str:
        """Of a comparison of both lifters with each other and with plain execution."""
        code = _code(function.__module__, "tenure_proofs.bridge")
        versions = (self._versions, version("hypothesis"))
        return digest("lifting", function.__qualname__, code, versions, examples, random_seed)

    def of_verdict(self, obligation: Obligation, preset: str, with_cvc5: bool, seeds: int) -> str:
        """Of an obligation under a preset and the further columns beside it."""
        columns = (preset, *obligation.columns_beside(preset))
        asked = [(column, _choices(column), obligation.expected_under(column)) for column in columns]
        return digest("verdict", self._stated(obligation), asked, with_cvc5, seeds)

    def of_mutant(self, identifier: str, obligations: Sequence[Obligation], readings: Sequence[str]) -> str:
        """Of what becomes of a mutant, which may have met every obligation about its rule."""
        mutant = all_mutants()[identifier]
        code = _code(mutant.function.__module__, "tenure_proofs.mutants.hunt")
        wrong = mutant.function.__qualname__, mutant.place, mutant.before, mutant.after
        concerned = [
            (
                self._stated(obligation),
                obligation.rules,
                [(reading, obligation.expect[reading]) for reading in readings],
            )
            for obligation in obligations
            if concerns(obligation, mutant)
        ]
        asked = [(name, _choices(name)) for name in readings]
        signed = [(*place, reason) for place, reason in signed_by_hand().items()]
        return digest("mutant", identifier, mutant.rule, code, wrong, concerned, asked, signed)

    def of_part(self, part: Part) -> str:
        """Of whole decisions about some clusters: all the code that makes, decides and judges them counts."""
        code = modules_digest(modules_behind("tenure_proofs.bounded.trial"))
        readings = [(preset_name, _choices(preset_name)) for preset_name in preset_names()]
        return digest("bounded", part.family, part.size, part.number, part.of, code, readings, sys.version)

    def _stated(self, obligation: Obligation) -> str:
        code = _code(obligation.statement.__module__)
        asked = (
            obligation.id,
            obligation.statement.__qualname__,
            obligation.rules,
            dict(obligation.irrespective_of),
            dataclasses.astuple(obligation.budget),
            unknown_rules(obligation),
        )
        return digest(asked, code, self._versions)

    @cached_property
    def _versions(self) -> dict[str, str]:
        return {**solver_versions(), "python": sys.version}


@cache
def _code(*modules: str) -> str:
    return modules_digest(modules_behind(*modules, *ASKS, without=REPLAYS))


def _choices(column: str) -> dict[str, str]:
    return reading_of(column).choices()


def lifts(cache: Cache, keys: Keys, examples: int, random_seed: int) -> Kept[str, LiftReport]:
    """Of functions, by what stands for them."""

    def key_of(name: str) -> str:
        return keys.of_lifting(lifted_function(name), examples, random_seed)

    def read(name: str, value: Any) -> LiftReport:
        return read_lifting(lifted_function(name).__name__, examples, value)

    return Kept(cache, key_of, lifting_form, read)


def verdicts(cache: Cache, keys: Keys, with_cvc5: bool, seeds: int) -> Kept[tuple[str, str], Result]:
    """Of obligations and presets, by their names."""
    solvers = (*map(seed_name, range(seeds)), *(["cvc5"] if with_cvc5 else []))

    def key_of(asked: tuple[str, str]) -> str:
        return keys.of_verdict(OBLIGATIONS[asked[0]], asked[1], with_cvc5, seeds)

    def read(asked: tuple[str, str], value: Any) -> Result | None:
        return read_verdict(OBLIGATIONS[asked[0]], asked[1], solvers, value)

    return Kept(cache, key_of, verdict_form, read)


def fates(cache: Cache, keys: Keys) -> Kept[str, Hunted]:
    """Of mutants, by their identifiers, when every obligation is asked under every preset."""

    def key_of(mutant: str) -> str:
        return keys.of_mutant(mutant, tuple(OBLIGATIONS.values()), preset_names())

    return Kept(cache, key_of, mutant_form, read_mutant)


def bounded_parts(cache: Cache, keys: Keys) -> Kept[Part, Tried]:
    """Of whole decisions, by the parts of the families."""
    return Kept(cache, keys.of_part, tried_form, read_part)


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
    return mutant.rule in LOOPS and hunted.by.partition(":")[0] in theorems_about(mutant.rule)


def read_part(part: Part, value: Any) -> Tried:
    """What whole decisions came to.

    Raises:
        ValueError: they were other decisions, or not all of them were judged.
    """
    tried = read_tried(value)
    if tried.family != part.family or not tried.decisions >= tried.clusters >= 0:
        raise ValueError(f"{tried.decisions} decisions about {tried.clusters} clusters of {tried.family}")
    if tried.tallies.keys() != {
        (postcondition, preset) for postcondition in POSTCONDITIONS for preset in preset_names()
    }:
        raise ValueError("other postconditions were judged")
    for name, tally in tried.tallies.items():
        found = tally.first is not None and tally.first % part.of == part.number
        if not tally.claimed >= tally.broken >= 0 or (tally.broken > 0) != found:
            raise ValueError(f"{name}: {tally}")
    return tried


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class KeptExample(_Strict):
    """A counterexample, and a hash of the oracle that it went through, if it did."""

    values: dict[str, str]
    story: tuple[str, ...]
    scenario: dict[str, JsonValue] | None
    oracle: str | None


class KeptVerdict(_Strict):
    """How an obligation ended under one column; under a preset also beside it."""

    reading: str
    verdict: Literal["proved", "refuted"]
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    solvers: dict[str, str]
    detail: str
    counterexample: KeptExample | None
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
        counterexample=None if result.counterexample is None else _kept_example(result.counterexample),
        beside=tuple(map(_kept, result.beside)),
    )


def _kept_example(example: Counterexample) -> KeptExample:
    return KeptExample(
        values={name: shown(value) for name, value in example.values.items()},
        story=example.story,
        scenario=example.scenario,
        oracle=None if example.scenario is None else package_digest("tenure"),
    )


def read_verdict(obligation: Obligation, preset: str, solvers: Sequence[str], value: Any) -> Result | None:
    """The same again; None where a counterexample went through another oracle than the present one.

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
    if any(_is_of_another_oracle(verdict.counterexample) for verdict in every):
        return None
    return dataclasses.replace(
        _result(obligation, kept), beside=tuple(_result(obligation, verdict) for verdict in kept.beside)
    )


def _is_of_another_oracle(example: KeptExample | None) -> bool:
    return example is not None and example.scenario is not None and example.oracle != package_digest("tenure")


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
        else Counterexample(dict(example.values), example.story, example.scenario, ""),
    )

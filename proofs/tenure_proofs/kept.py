"""What is kept of lifted functions, verdicts and mutants, and under which hash."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any, Generic, TypeVar

from tenure.readings import preset_names
from tenure_proofs.bounded.trial import Part, Tried, read_tried, tried_form
from tenure_proofs.bridge import LiftReport
from tenure_proofs.cache import Cache
from tenure_proofs.counterexamples import Counterexample, shown
from tenure_proofs.fingerprints import (
    Reached,
    UnknownCodeError,
    digest,
    modules_behind,
    modules_digest,
    package_digest,
)
from tenure_proofs.mutants.hunt import Hunted, all_mutants, concerns
from tenure_proofs.mutants.signed import signed_by_hand
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.pool import lifted_function
from tenure_proofs.registry import Obligation, Verdict, reading_of
from tenure_proofs.runner import Result, unknown_rules
from tenure_proofs.solvers import solver_versions

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")

FUNCTION_BY_FUNCTION = (
    "tenure.conformance.protocol",
    "tenure.rules.eligibility",
    "tenure.rules.hero_targets",
    "tenure.oracle.door",
)
"""Rules count as a statement reaches them, and the oracle where a counterexample went through it."""


class Kept(Generic[_Task, _Done]):
    """One kind of answers that are kept.

    Args:
        cache: where.
        key_of: the hash of all that the answer to a task depends on.
        form: the answer as JSON; None for one that must not be kept.
        read: the answer to a task from that; None when it is no answer any more.
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
        self.found = sum(each is not None for each in known)
        fresh = ask([task for task, each in zip(tasks, known, strict=True) if each is None])
        for key, each in zip(keys, known, strict=True):
            yield self._remember(key, next(fresh)) if each is None else each

    def _key(self, task: _Task) -> str | None:
        try:
            return self._key_of(task)
        except UnknownCodeError:
            return None

    def _known(self, task: _Task, key: str | None) -> _Done | None:
        value = None if key is None else self._cache.get(key)
        return None if value is None else self._read(task, value)

    def _remember(self, key: str | None, done: _Done) -> _Done:
        value = self._form(done)
        if key is not None and value is not None:
            self._cache.put(key, value)
        return done


class Keys:
    """Hashes of all that answers depend on; every function is looked at once."""

    def __init__(self) -> None:
        self._reached = Reached()

    def of_lifting(self, function: Callable[..., Any], examples: int, random_seed: int) -> str:
        """Of a comparison of both lifters; the second reads the file, so that the file counts."""
        files = modules_digest(self._reached.modules(function))
        lifters = modules_digest(modules_behind("tenure_proofs.bridge"))
        versions = (self._versions, version("hypothesis"))
        return digest(
            "lifting", self._reached.digest(function), files, lifters, versions, examples, random_seed
        )

    def of_verdict(self, obligation: Obligation, preset: str, with_cvc5: bool, seeds: int) -> str:
        """Of an obligation under a preset and the further columns beside it."""
        columns = (preset, *obligation.columns_beside(preset))
        asked = [(each, _choices(each), obligation.expected_under(each)) for each in columns]
        return digest("verdict", self._stated(obligation), asked, with_cvc5, seeds)

    def of_mutant(self, identifier: str, obligations: Sequence[Obligation], readings: Sequence[str]) -> str:
        """Of what becomes of a mutant, which may have met every obligation about its rule."""
        mutant = all_mutants()[identifier]
        right = self._reached.digest(mutant.function)
        wrong = mutant.place, mutant.before, mutant.after
        concerned = [
            (self._stated(each), each.rules, [(reading, each.expect[reading]) for reading in readings])
            for each in obligations
            if concerns(each, mutant)
        ]
        asked = [(each, _choices(each)) for each in readings]
        signed = [(*place, reason) for place, reason in signed_by_hand().items()]
        return digest("mutant", identifier, mutant.rule, right, wrong, concerned, asked, signed, self._hunt)

    def of_part(self, part: Part) -> str:
        """Of whole decisions about some clusters: all the code that makes, decides and judges them counts."""
        code = modules_digest(modules_behind("tenure_proofs.bounded.trial"))
        readings = [(each, _choices(each)) for each in preset_names()]
        return digest("bounded", part.family, part.size, part.number, part.of, code, readings, sys.version)

    def _stated(self, obligation: Obligation) -> str:
        reached = self._reached.digest(obligation.statement)
        asked = (
            obligation.id,
            obligation.rules,
            dict(obligation.irrespective_of),
            reached,
            dataclasses.astuple(obligation.budget),
            unknown_rules(obligation),
        )
        return digest(asked, self._machinery, self._versions)

    @cached_property
    def _machinery(self) -> str:
        begin = ("tenure_proofs.runner", "tenure_proofs.cvc5_worker")
        return modules_digest(modules_behind(*begin, without=FUNCTION_BY_FUNCTION))

    @cached_property
    def _hunt(self) -> str:
        return modules_digest(modules_behind("tenure_proofs.mutants.hunt", without=FUNCTION_BY_FUNCTION))

    @cached_property
    def _versions(self) -> dict[str, str]:
        return {**solver_versions(), "python": sys.version}


def _choices(column: str) -> dict[str, str]:
    return reading_of(column).choices()


def lifts(cache: Cache, keys: Keys, examples: int, random_seed: int) -> Kept[str, LiftReport]:
    """Of functions, by what stands for them."""

    def key_of(name: str) -> str:
        return keys.of_lifting(lifted_function(name), examples, random_seed)

    return Kept(cache, key_of, lifting_form, read_lifting)


def verdicts(cache: Cache, keys: Keys, with_cvc5: bool, seeds: int) -> Kept[tuple[str, str], Result]:
    """Of obligations and presets, by their names."""

    def key_of(asked: tuple[str, str]) -> str:
        return keys.of_verdict(OBLIGATIONS[asked[0]], asked[1], with_cvc5, seeds)

    def read(asked: tuple[str, str], value: Any) -> Result | None:
        return read_verdict(OBLIGATIONS[asked[0]], value)

    return Kept(cache, key_of, verdict_form, read)


def fates(cache: Cache, keys: Keys) -> Kept[str, Hunted]:
    """Of mutants, by their identifiers, when every obligation is asked under every preset."""

    def key_of(mutant: str) -> str:
        return keys.of_mutant(mutant, tuple(OBLIGATIONS.values()), preset_names())

    return Kept(cache, key_of, mutant_form, read_mutant)


def bounded_parts(cache: Cache, keys: Keys) -> Kept[Part, Tried]:
    """Of whole decisions, by the parts of the families."""
    return Kept(cache, keys.of_part, tried_form, lambda _, value: read_tried(value))


def lifting_form(report: LiftReport) -> dict[str, Any] | None:
    """A comparison that found no difference."""
    return None if report.problem else dataclasses.asdict(report)


def read_lifting(_: object, value: Any) -> LiftReport:
    """The same again."""
    return LiftReport(**value)


def mutant_form(hunted: Hunted) -> dict[str, Any] | None:
    """A mutant that is done with; one that survived is tried again."""
    return None if hunted.outcome == "survived" else dataclasses.asdict(hunted)


def read_mutant(_: object, value: Any) -> Hunted:
    """The same again."""
    return Hunted(**value)


def verdict_form(result: Result) -> dict[str, Any] | None:
    """A verdict; what has none, or an error, is asked again."""
    if any(each.verdict not in (Verdict.PROVED, Verdict.REFUTED) for each in (result, *result.beside)):
        return None
    return _verdict_form(result)


def _verdict_form(result: Result) -> dict[str, Any]:
    example = result.counterexample
    return {
        "reading": result.reading,
        "verdict": result.verdict,
        "seconds": result.seconds,
        "solvers": result.solvers,
        "detail": result.detail,
        "counterexample": None if example is None else _example_form(example),
        "beside": [_verdict_form(each) for each in result.beside],
    }


def _example_form(example: Counterexample) -> dict[str, Any]:
    values = {name: shown(value) for name, value in example.values.items()}
    oracle = None if example.scenario is None else package_digest("tenure")
    return {"values": values, "story": list(example.story), "scenario": example.scenario, "oracle": oracle}


def read_verdict(obligation: Obligation, value: Any) -> Result | None:
    """The same again; None where a counterexample went through another oracle than the present one."""
    beside = [read_verdict(obligation, each) for each in value["beside"]]
    example = value["counterexample"]
    if None in beside or (example and example["oracle"] not in (None, package_digest("tenure"))):
        return None
    return Result(
        obligation,
        value["reading"],
        Verdict(value["verdict"]),
        seconds=value["seconds"],
        solvers=value["solvers"],
        detail=value["detail"],
        counterexample=None
        if example is None
        else Counterexample(example["values"], tuple(example["story"]), example["scenario"], ""),
        beside=tuple(each for each in beside if each is not None),
    )

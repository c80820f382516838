"""Expectations on decisions: who gets in, who is preempted, who never is, and whether manifests are valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Final

from tenure.api import Decision, Loaded, decide, decide_all, doubts, refuse_doubts
from tenure.errors import InputError
from tenure.explanation.groups import names_text
from tenure.explanation.summary import summarize
from tenure.manifests import Place, SourcedObject, build, parse_instant
from tenure.manifests.files import STDIN_TWICE
from tenure.manifests.naming import WorkloadState, workload_key
from tenure.manifests.releases import AS_WRITTEN, AsIf, TargetKueue
from tenure.model import Workload
from tenure.readings import Reading, parse_reading
from tenure.units import counted
from tenure.validation import validate
from tenure.validation.checks import notice_text
from tenure.validation.released import refused_by
from tenure_check.expectations.causes import AsExpected, cause_lines
from tenure_check.expectations.check import Check, CheckResult, judged
from tenure_check.expectations.expectation_file import ABOUT_ALL_STATES, DecisionsShape, ExpectedShape
from tenure_check.expectations.manifest_sources import ManifestSources
from tenure_play.scenario_file import checked

_KINDS: Final = ("expect", "neverPreempted", "validate", *ABOUT_ALL_STATES)


def decision_checks(
    raw: object,
    place: Place,
    *,
    strict: bool = False,
    as_if: AsIf = AS_WRITTEN,
    kept: bool = False,
    sources: ManifestSources | None = None,
) -> list[Check]:
    """What a document expects of decisions.

    Args:
        raw: the document, untrusted.
        place: how problems name it; its file's folder is where files are looked for.
        strict: whether what would be warned of is refused.
        as_if: how the manifests count otherwise than they were written.
        kept: whether what earlier runs found out about every state counts.
        sources: where its manifests come from; without it no renderer may run.

    Raises:
        InputError: everything in which it deviates from its shape.

    >>> checks = decision_checks({"manifests": [], "validate": "clean"}, Place("Test/a", "a.tenure.yaml"))
    >>> [check.name for check in checks]
    ['the manifests are valid without a warning']
    """
    shape = checked(DecisionsShape, raw, place, name="expectations")
    situation = GivenManifests(shape, place, strict=strict, as_if=as_if, sources=sources or ManifestSources())
    found = [*_checks(shape, situation, place), *_asserted(shape, situation, place, kept=kept)]
    if not found:
        raise place.error("", "nothing that is expected", f"one of {', '.join(_KINDS)}")
    return found


def _checks(shape: DecisionsShape, situation: GivenManifests, place: Place) -> Iterator[Check]:
    if shape.validation is not None:
        clean = shape.validation == "clean"
        name = f"the manifests are valid{' without a warning' if clean else ''}"
        yield Check(name, "validate", partial(situation.valid, clean=clean))
    for number, expected in enumerate(shape.expect or ()):
        field = f"expect[{number}]"
        one = list(_expected(expected, field, situation))
        if not one:
            raise place.error(field, "a workload alone", "decision, preempted or kept too")
        yield from one
    for number, name in enumerate(shape.never_preempted or ()):
        field = f"neverPreempted[{number}]"
        yield Check(
            f"{name} is never preempted", field, situation.warned(partial(situation.never, name, field))
        )


def _asserted(
    shape: DecisionsShape, situation: GivenManifests, place: Place, *, kept: bool
) -> Iterator[Check]:
    if any((shape.never, shape.keeps, shape.no_loop, shape.reaches)):
        # What looks at every state is imported only where a file needs it.
        from tenure_check.expectations.assertions import assertion_checks

        yield from assertion_checks(shape, situation, place, kept=kept)


def _expected(expected: ExpectedShape, field: str, situation: GivenManifests) -> Iterator[Check]:
    who = expected.workload
    if expected.decision is not None:
        yield Check(
            f"{who}: {expected.decision}",
            f"{field}.decision",
            situation.warned(partial(situation.decision, expected, field)),
        )
    if expected.preempted is not None:
        notice_text = (
            f"preempts {_names(expected.preempted)}" if expected.preempted else "preempts no workload"
        )
        find = situation.warned(partial(situation.preempted, expected, field))
        yield Check(f"{who}: {notice_text}", f"{field}.preempted", find)
    if expected.kept is not None:
        yield Check(
            f"{who}: spares {_names(expected.kept)}",
            f"{field}.kept",
            situation.warned(partial(situation.kept, expected, field)),
        )


class GivenManifests:
    """The manifests of a document under its clock and reading; read and decided on first use."""

    def __init__(
        self, shape: DecisionsShape, place: Place, *, strict: bool, as_if: AsIf, sources: ManifestSources
    ) -> None:
        self._shape = shape
        self._sources = sources
        self._place = place
        self._strict = strict
        self._as_if = as_if
        self._kueue = TargetKueue.of(as_if.kueue)
        self._decisions: dict[tuple[str, str | None], Decision] = {}

    def warned(self, find: Callable[[], CheckResult]) -> Callable[[], CheckResult]:
        """The same question, answered with the warnings about the manifests."""
        return lambda: replace(find(), warnings=self._warnings)

    def valid(self, *, clean: bool) -> CheckResult:
        """Whether the manifests are valid; `clean` allows no warnings either."""
        report = refused_by(self._kueue, validate(self.objects, reading=self.reading))
        wrong = [*report.errors, *(report.warnings if clean else ())]
        found = f"{_counted(report.errors, 'error')}, {_counted(report.warnings, 'warning')}"
        wanted = "neither errors nor warnings" if clean else "no errors"
        return judged(
            not wrong, wanted, found, lambda: (f"{notice.object}: {notice_text(notice)}" for notice in wrong)
        )

    def decision(self, expected: ExpectedShape, field: str) -> CheckResult:
        """Whether the decision is the expected one."""
        decision = self._decided(expected, field)

        wanted = AsExpected(outcome=str(expected.decision))
        found = next(iter(summarize(decision)))
        holds = wanted.is_granted(decision, decision)
        return judged(holds, str(expected.decision), found, lambda: cause_lines(decision, wanted, ()))

    def preempted(self, expected: ExpectedShape, field: str) -> CheckResult:
        """Whether exactly the expected ones are preempted, in any order."""
        decision = self._decided(expected, field)
        names = enumerate(expected.preempted or ())
        wanted = [self._running(name, f"{field}.preempted[{number}]") for number, name in names]
        leaving = _leaving(decision)
        keys = frozenset(workload.key for workload in wanted)
        missing = [workload for workload in wanted if workload.key not in leaving]
        differing = [*missing, *(self._by_key[key] for key in leaving if key not in keys)]

        def explain() -> Iterator[str]:
            return cause_lines(decision, AsExpected(preempted=keys), differing)

        return judged(not differing, _names(sorted(keys)), _names(sorted(leaving)), explain)

    def kept(self, expected: ExpectedShape, field: str) -> CheckResult:
        """Whether all of these are left alone."""
        decision = self._decided(expected, field)
        names = enumerate(expected.kept or ())
        wanted = [self._running(name, f"{field}.kept[{number}]") for number, name in names]
        leaving = _leaving(decision)
        taken = [workload for workload in wanted if workload.key in leaving]
        found = f"{_names([workload.key for workload in taken])} preempted" if taken else "all of them kept"
        text = f"{_names([workload.key for workload in wanted])} kept"
        as_expected = AsExpected(kept=frozenset(workload.key for workload in wanted))
        return judged(not taken, text, found, lambda: cause_lines(decision, as_expected, taken))

    def never(self, name: str, field: str) -> CheckResult:
        """Whether no pending workload would preempt this one."""
        victim = self._running(name, field)
        every = list(decide_all(self.loaded, now=self._now, reading=self.reading))
        decisions = [
            pending_decision.decision for pending_decision in every if pending_decision.decision is not None
        ]
        taking = [decision for decision in decisions if victim.key in _leaving(decision)]
        found = (
            f"preempted for {_names([decision.preemptor.key for decision in taking])}" if taking else "never"
        )
        kept = AsExpected(kept=frozenset([victim.key]))
        return judged(not taking, "never", found, lambda: cause_lines(taking[0], kept, [victim]))

    def _decided(self, expected: ExpectedShape, field: str) -> Decision:
        name = self._key(expected.workload, WorkloadState.PENDING, f"{field}.workload")
        key = name, expected.cluster_queue
        if key not in self._decisions:
            self._decisions[key] = decide(
                self.loaded, name, now=self._now, reading=self.reading, cluster_queue=expected.cluster_queue
            )
        return self._decisions[key]

    def _running(self, name: str, field: str) -> Workload:
        return self._by_key[self._key(name, WorkloadState.RUNNING, field)]

    def _key(self, name: str, wanted: WorkloadState, field: str) -> str:
        loaded = self.loaded
        try:
            return workload_key(loaded, name, (wanted,), field=field)
        except InputError as error:
            problem = error.problems[0]
            raise self._place.error(field, problem.found, problem.expected) from None

    @cached_property
    def objects(self) -> tuple[SourcedObject, ...]:
        """Its manifests, as they are written or changed.

        Raises:
            InputError: a file that cannot be read, or a command that fails or may not run.
        """
        entries = self._shape.manifests
        if entries.count("-") > 1:
            second = entries.index("-", entries.index("-") + 1)
            raise self._place.error(f"manifests[{second}]", STDIN_TWICE, "it once")
        found = [
            sourced
            for number, entry in enumerate(entries)
            for sourced in self._sources.objects(entry, f"manifests[{number}]", self._place)
        ]
        return tuple(self._as_if.change(found, self._kueue))

    @cached_property
    def loaded(self) -> Loaded:
        """Their words.

        Raises:
            InputError: everything that is wrong with them.
        """
        return self._kueue.stamped(build(self.objects, strict=self._strict))

    @cached_property
    def _warnings(self) -> tuple[str, ...]:
        """What a command about decisions would warn of.

        Raises:
            InputError: there is such, and it is refused.
        """
        found = list(doubts(self.loaded, self._now))
        if self._strict:
            refuse_doubts(self.loaded, found)
        return tuple(dict.fromkeys((*self.loaded.warnings, *(text for text, _ in found))))

    @cached_property
    def _by_key(self) -> dict[str, Workload]:
        return {workload.key: workload for workload in self.loaded.cluster.admitted}

    @cached_property
    def _now(self) -> int:
        if self._shape.now is None:
            expected = "a time, RFC 3339: what is decided depends on it"
            raise self._place.error("now", "nothing", expected)
        return parse_instant(self._shape.now, field="now")

    @cached_property
    def reading(self) -> Reading:
        """The reading that it is about.

        Raises:
            InputError: there is no such.
        """
        return parse_reading(self._shape.reading)


def _leaving(decision: Decision) -> list[str]:
    return [target.workload.key for target in decision.targets]


def _names(names: list[str]) -> str:
    return names_text(names) or "none"


def _counted(found: Sequence[object], what: str) -> str:
    return counted(len(found), what)

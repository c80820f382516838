"""The table of docs/explanation/scenarios.md: what the scenarios expect, in words, behind each verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tenure.readings import preset_names
from tenure.resources import bundled
from tenure.simulation import AnyScenario, KaiScenario, load_scenario
from tenure.simulation.scenario import Between, Expectation, LoopExpected, WorkloadExpected
from tenure.units import format_duration
from tests.docs.blocks import ROOT

PAGE = ROOT / "docs" / "explanation" / "scenarios.md"
VERDICTS = ("kept", "broken")
_ROW = re.compile(r"^\| [^|]+ \| `(?P<scenario>[a-z0-9-]+)` \|(?P<cells>.*)\|$")


def rows(page: str) -> list[tuple[str, list[str]]]:
    """The scenario of each row, with the cells behind it: what is expected, and last the reasons."""
    found = [_ROW.match(line) for line in page.splitlines()]
    return [(row["scenario"], [cell.strip() for cell in row["cells"].split(" | ")]) for row in found if row]


def cells(name: str) -> list[str]:
    """What a scenario expects under each preset; once where no reading touches it."""
    scenario = load_scenario(bundled("spec", "vectors", "scenarios", f"{name}.yaml"))
    if isinstance(scenario, KaiScenario):
        return [", ".join(_answers(scenario))]
    return [", ".join(_facts(scenario, reading)) for reading in preset_names()]


def written(page: str) -> str:
    """The page with what the scenarios expect behind each verdict."""
    lines = []
    for line in page.splitlines():
        if row := _ROW.match(line):
            old = row["cells"].strip().split(" | ")
            said = [
                f"{cell.split(':')[0]}: {fact}"
                for cell, fact in zip(old, cells(row["scenario"]), strict=False)
            ]
            line = f"{line[: row.start('cells')]} {' | '.join([*said, old[-1].strip()])} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def _facts(scenario: AnyScenario, reading: str) -> list[str]:
    """Of the whole play if anything is said of that, else of the instants; this preset's own first."""
    spoken = [
        expectation
        for expectation in scenario.expectations
        if not expectation.readings or reading in expectation.readings
    ]
    whole = [fact for expectation in spoken if expectation.at is None for fact in _whole(expectation)]
    own = [expectation for expectation in spoken if expectation.at is not None and expectation.readings]
    instants = own or [expectation for expectation in spoken if expectation.at is not None][-2:]
    at_once = (
        []
        if whole
        else [f"{_after(scenario, expectation)}: {'; '.join(_at(expectation))}" for expectation in instants]
    )
    return list(dict.fromkeys(whole or at_once))


def _answers(scenario: KaiScenario) -> Iterator[str]:
    """Who may be preempted at the last four instants of which that is said; then what of the whole play."""
    asked = [
        expectation
        for expectation in scenario.expectations
        if expectation.kept or expectation.may_be_preempted
    ]
    for at in sorted({expectation.at for expectation in asked if expectation.at is not None})[-4:]:
        spoken = [expectation for expectation in asked if expectation.at == at]
        said = "; ".join(fact for expectation in spoken for fact in _answer(expectation))
        yield f"{_after(scenario, spoken[0])}: {said}"
    yield from (
        fact
        for expectation in scenario.expectations
        if expectation.at is None
        for fact in _whole(expectation)
    )


def _answer(expected: Expectation) -> Iterator[str]:
    by = "" if expected.asker is None else f" by {_short(expected.asker)}"
    for keys, words in ((expected.kept, "not preempted"), (expected.may_be_preempted, "may be preempted")):
        if keys:
            yield f"{' '.join(map(_short, keys))} {words}{by}"


def _after(scenario: AnyScenario, expected: Expectation) -> str:
    return f"at {format_duration((expected.at or 0) - scenario.start)}"


def _at(expected: Expectation) -> Iterator[str]:
    for what in ("running", "waiting", "evicted", "parked"):
        keys = getattr(expected, what)
        if keys:
            yield f"{what} {' '.join(map(_short, keys))}"
    yield from (f"{_short(key)} has {value}" for key, value in expected.priority.items())


def _whole(expected: Expectation) -> Iterator[str]:
    if expected.preemptions is not None:
        yield f"{_counted(expected.preemptions)} preempted"
    if expected.cut_short is not None:
        yield f"cut short by {_time(expected.cut_short)}"
    if expected.loop is not None:
        yield _loop(expected.loop)
    shares = [(_short(key), share) for key, share in expected.workloads.items()]
    for who, share in [*shares, *([("every workload", expected.every)] if expected.every else [])]:
        yield f"{who} {' and '.join(_share(share))}"


def _loop(expected: LoopExpected) -> str:
    if not expected.exists:
        return "no loop"
    return "a loop" if expected.period is None else f"a loop of {_time(expected.period)}"


def _share(share: WorkloadExpected) -> Iterator[str]:
    for name, words in (("ran", "runs {}"), ("kept", "keeps {}"), ("longest_wait", "waits {}")):
        bounds: Between | None = getattr(share, name)
        if bounds is not None:
            yield words.format(_time(bounds))
    if share.runs is not None:
        yield f"is admitted {_times(share.runs)}"
    if share.preempted is not None:
        yield f"is preempted {_times(share.preempted)}"
    if share.finished is not None:
        yield "finishes" if share.finished else "does not finish"


def _counted(bounds: Between) -> str:
    return "none" if bounds.at_most == 0 else _between(bounds, str)


def _times(bounds: Between) -> str:
    """How often.

    >>> _times(Between(at_most=0)), _times(Between(1, 1)), _times(Between(at_least=2))
    ('never', 'once', 'at least 2 times')
    """
    exact: dict[tuple[int | None, int | None], str] = {(0, 0): "never", (None, 0): "never", (1, 1): "once"}
    return exact.get((bounds.at_least, bounds.at_most), f"{_between(bounds, str)} times")


def _time(bounds: Between) -> str:
    return _between(bounds, format_duration)


def _between(bounds: Between, words: Callable[[int], str]) -> str:
    if bounds.at_least is not None and bounds.at_least == bounds.at_most:
        return words(bounds.at_least)
    parts = []
    if bounds.at_least is not None:
        parts.append(f"at least {words(bounds.at_least)}")
    if bounds.at_most is not None:
        parts.append(f"at most {words(bounds.at_most)}")
    return " and ".join(parts)


def _short(key: str) -> str:
    return key.rpartition("/")[2]


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

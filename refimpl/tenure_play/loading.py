"""Scenario files: YAML to what is played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

from tenure.api import ahead_of_clock, refuse_doubts, set_aside_text, undecided
from tenure.errors import InputError, Problem
from tenure.manifests import Place, did_you_mean, printable, show
from tenure.manifests.files import below, read_file, read_standard_input
from tenure.manifests.other_inputs import OF_KAI, SCENARIO, ask_instead, what_it_is
from tenure.manifests.premises import order_by_usage, unused_weights
from tenure.manifests.releases import AS_WRITTEN, AsIf, TargetKueue
from tenure.manifests.selectable import KIND as PREEMPTION_CONFIG
from tenure.manifests.selectable import selectable_of
from tenure.manifests.showing import sort_of
from tenure.manifests.structure import Document
from tenure.manifests.yaml_text import parse_yaml
from tenure.model import Duration, Instant, Workload
from tenure.oracle.unmodelled import over_time, refuse_unmodelled
from tenure.resources import is_folder
from tenure.units import END_OF_TIME
from tenure_play.kai.loading import parse_kai_scenario
from tenure_play.kai.scenario import KaiScenario
from tenure_play.objects import Maker, Objects, without_workloads
from tenure_play.parsing import Expectations, Times, in_order, key_of
from tenure_play.scenario import (
    CYCLES_CEILING,
    MOST_EVENTS,
    ClockJump,
    Delete,
    Edit,
    Event,
    Finish,
    QueueGates,
    Restart,
    Scenario,
    Submission,
    Submit,
    Tick,
    Timing,
    with_gates,
)
from tenure_play.scenario_file import (
    Defaults,
    EventShape,
    GatesShape,
    RestartShape,
    ScenarioShape,
    SubmitShape,
    TimingShape,
    WorkShape,
    checked,
)

AnyScenario: TypeAlias = Scenario | KaiScenario
"""A scenario of Kueue or of KAI-Scheduler."""

_KINDS = ("submit", "finish", "delete", "tick", "restart", "clock", "edit")


def load_scenario(path: str | Path) -> AnyScenario:
    """The scenario of a file that holds one.

    Args:
        path: the file, or `-` for standard input.

    Raises:
        InputError: everything that is wrong in it; several scenarios, or none.

    Source: `spec/schemas/scenario.schema.json`.

    >>> from tenure.resources import bundled
    >>> load_scenario(bundled("spec", "vectors", "scenarios", "tbp-it-1-two-equals.yaml")).name
    'tbp-it-1-two-equals'
    """
    found = list(load_scenarios([path]))
    if len(found) != 1:
        raise InputError([Problem("", f"{len(found)} scenarios", "one scenario", file=str(path))])
    return found[0]


def load_scenarios(
    paths: list[str | Path], *, strict: bool = False, as_if: AsIf = AS_WRITTEN
) -> Iterator[AnyScenario]:
    """The scenarios of files and folders, one for each YAML document, in the order of their names.

    Args:
        paths: files, folders (searched for `*.yaml` and `*.yml`), or `-` for standard input.
        strict, as_if: as for `parse_scenario`.

    Raises:
        InputError: everything that is wrong in one of them.
    """
    for path in paths:
        folder = Path(path)
        if str(path) != "-" and is_folder(path):
            problems: list[Problem] = []
            named = (path for path in folder.rglob("*") if path.suffix in (".yaml", ".yml"))
            files = below(named, folder, problems)
            if not files and not problems:
                problems.append(Problem("", "no file named *.yaml or *.yml", "scenarios", file=str(path)))
            if problems:
                raise InputError(problems)
            for file in files:
                yield from _load_file(file, strict=strict, as_if=as_if)
        else:
            yield from _load_file(path, strict=strict, as_if=as_if)


def _load_file(path: str | Path, *, strict: bool, as_if: AsIf) -> Iterator[AnyScenario]:
    file = "stdin" if str(path) == "-" else str(path)
    written = read_documents(path, file, "a scenario")
    for number, document in enumerate(written):
        stem = Path(file).stem if len(written) == 1 else f"{Path(file).stem}-{number + 1}"
        yield parse_any_scenario(document, file=file, name=stem, strict=strict, as_if=as_if)


def read_documents(path: str | Path, file: str, what: str) -> list[object]:
    """The documents of a file that are not empty.

    Args:
        path: the file, or `-` for standard input.
        file: what problems call it, `stdin` for standard input.
        what: what is expected there.

    Raises:
        InputError: it cannot be read, is no YAML, or holds nothing.
    """
    problems: list[Problem] = []
    raw = read_standard_input(problems) if file == "stdin" else read_file(path, file, problems)
    documents: list[Document] = []
    if raw is not None:
        try:
            documents, found = parse_yaml(raw.decode("utf-8-sig"), file)
            problems.extend(found)
        except UnicodeDecodeError:
            problems.append(Problem("", "bytes that are no text", "text in UTF-8", file=file))
    if problems:
        raise InputError(problems)
    written = [document.content for document in documents if document.content is not None]
    if not written:
        raise InputError([Problem("", "no document", what, file=file)])
    return written


def parse_any_scenario(
    raw: object, *, file: str, name: str, strict: bool = False, as_if: AsIf = AS_WRITTEN
) -> AnyScenario:
    """A scenario of Kueue or of KAI-Scheduler from what a YAML document holds.

    Args:
        raw, file, name, strict, as_if: as for `parse_scenario`; no object of KAI-Scheduler is left out, and
            no release of Kueue concerns one.

    Raises:
        InputError: everything that is wrong in it.

    >>> parse_any_scenario({"scheduler": "kai", "until": "1h"}, file="", name="idle").name
    'idle'
    """
    what = what_it_is(raw)
    if what not in ("", SCENARIO):
        raise Place("", file).error("", what, f"a scenario, a map with until{ask_instead(what)}")
    scheduler = raw.get("scheduler", "kueue") if isinstance(raw, dict) else "kueue"
    if not isinstance(raw, dict) or scheduler == "kueue":
        return parse_scenario(raw, file=file, name=name, strict=strict, as_if=as_if)
    called = str(raw.get("scenario", name))
    place = Place(f"Scenario/{called}", file)
    if scheduler != "kai":
        raise place.error("scheduler", show(scheduler), "kueue or kai")
    return parse_kai_scenario(raw, place, called, as_if)


def parse_scenario(
    raw: object,
    *,
    file: str = "",
    name: str = "scenario",
    strict: bool = False,
    as_if: AsIf = AS_WRITTEN,
) -> Scenario:
    """A scenario of Kueue from what a YAML document holds.

    Args:
        raw: the document, untrusted.
        file: where it was read, for problems and for the files that it names.
        name: its default name.
        strict: whether objects that would be warned of are refused.
        as_if: how the objects at the start count otherwise than they were written.

    Raises:
        InputError: everything that is wrong in it.

    >>> parse_scenario({"until": "1h"}).end - parse_scenario({"until": "1h"}).start == 3600 * 10**9
    True
    >>> parse_scenario({"untl": "1h", "until": "1h"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tenure.errors.InputError: Scenario/scenario: untl: found '1h', expected no field ...; did you mean until?
    """
    called = raw.get("scenario", name) if isinstance(raw, dict) else name
    place = Place(f"Scenario/{called}", file)
    if not isinstance(raw, dict):
        raise place.error("", sort_of(raw), "a map with objects, events and expect")
    shape = checked(ScenarioShape, raw, place, name="scenario")
    return _Reader(shape, place, str(called), strict=strict, as_if=as_if).scenario()


class _Reader:
    def __init__(self, shape: ScenarioShape, place: Place, name: str, *, strict: bool, as_if: AsIf) -> None:
        self.shape = shape
        self.place = place
        self.name = name
        self.times = Times(shape.start, shape.until, place)
        self.end = self.times.end
        self.objects = Objects(place.file, strict=strict, kueue=TargetKueue.of(as_if.kueue))
        self.objects.take(shape.objects or [], shape.files or [])
        self.objects.raw = list(as_if.change(self.objects.raw, self.objects.kueue))
        self._refuse_kai()
        loaded = self.objects.loaded()
        if loaded.over_time:
            raise InputError(loaded.over_time)
        refuse_unmodelled(over_time(loaded.cluster))
        self.by_usage = loaded.by_usage
        self.gates = loaded.gates
        self.shown = self.objects.shown()
        self.given = loaded.cluster
        # Whoever is in back-off joins the play, and is queued when it is over.
        aside = undecided(loaded, END_OF_TIME)
        self.aside = {row.workload for row in aside}
        ahead = ahead_of_clock(loaded, self.times.start)
        found: list[tuple[str, tuple[Problem, ...]]] = [(str(problem), (problem,)) for problem in ahead]
        found += [(set_aside_text(row), row.problems) for row in aside]
        if strict:
            refuse_doubts(loaded, found)
        warnings = (*loaded.warnings, *unused_weights(loaded), *(text for text, _ in found))
        self.warnings = tuple(dict.fromkeys(warnings))
        # An event may let a ClusterQueue name one of them, or bring one.
        brought = (event.edit.get("kind") for event in shape.events or () if event.edit is not None)
        kinds = chain((found.object.get("kind") for found in self.objects.raw), brought)
        configs = PREEMPTION_CONFIG in kinds
        self.maker = Maker(self.objects, loaded.cluster, shape.defaults or Defaults(), place, configs)

    def scenario(self) -> Scenario:
        cycles = self.shape.max_cycles
        if cycles is not None and cycles > CYCLES_CEILING:
            raise self.place.error("maxCycles", str(cycles), f"at most {CYCLES_CEILING}")
        present = tuple(self._present())
        events = list(islice(chain(self._generated(), self._events()), MOST_EVENTS + 1))
        if len(events) > MOST_EVENTS:
            expected = f"at most {MOST_EVENTS}, those of generate included"
            raise self.place.error("events", f"more than {MOST_EVENTS} events", expected)
        events.sort(key=lambda event: event.at)
        workloads = [submission.workload for submission in present]
        workloads += [event.submission.workload for event in events if isinstance(event, Submit)]
        self._refuse_twice([workload.key for workload in workloads])
        self._refuse_by_usage(present, events)
        keys = [workload.key for workload in workloads]
        expectations = Expectations(keys, self.place, self.times.within)
        return Scenario(
            name=self.name,
            title=self.shape.title or "",
            start=self.times.start,
            end=self.end,
            cluster=without_workloads(self.given),
            present=present,
            events=tuple(self._resolved(event, keys) for event in events),
            expectations=tuple(expectations.read(self.shape.expect or [])),
            timing=_timing(self.shape.timing or TimingShape()),
            gates=_gates(self.shape.gates or GatesShape(), self.gates),
            max_cycles=cycles,
            source=self.shape.source or "",
            warnings=self.warnings,
            file=self.place.file,
            objects=self.shown,
        )

    def _refuse_by_usage(self, present: Iterable[Submission], events: Iterable[Event]) -> None:
        """Refuse workloads that Kueue orders by what their LocalQueues have used."""
        submitted = (event.submission for event in events if isinstance(event, Submit))
        taking_part = ((found.queue, found.workload) for found in chain(present, submitted))
        problem = order_by_usage(self.by_usage, taking_part)
        if problem is not None:
            raise InputError([problem])

    def _refuse_kai(self) -> None:
        """Objects that were written here to be played; in the files beside it both schedulers' may be."""
        for found_object in self.objects.raw:
            if found_object.file == self.place.file and what_it_is(found_object.object) == OF_KAI:
                kind = printable(str(found_object.object.get("kind")))
                scheduler = self.shape.scheduler or "nothing"
                raise self.place.error("scheduler", scheduler, f"kai: {kind} is an object of KAI-Scheduler")

    def _present(self) -> Iterator[Submission]:
        """The workloads among the objects, pending ones first joined by those that hold quota."""
        shapes = dict(self.shape.work or {})
        known = [workload for workload in self._known() if workload.key not in self.aside]
        short = {name: key_of(name, [workload.key for workload in known]) for name in shapes}
        for name, key in short.items():
            if key is None:
                raise self.place.error(f"work[{name}]", show(name), "a Workload among the objects")
        work = {str(short[name]): shape for name, shape in shapes.items()}
        for workload in known:
            shape = work.get(workload.key, WorkShape())
            queue = workload.cluster_queue or self.maker.queue_of(workload, f"objects[{workload.key}]")
            asking = workload if workload.cluster_queue is None else self.objects.asking(workload)
            manifest = self.objects.workload(workload)
            if self.maker.has_configs and asking.selectable is None:
                asking = replace(asking, selectable=selectable_of(manifest, asking))
            yield Submission(asking, queue, shape.work, shape.progress != "lost", shape.eviction, manifest)

    def _known(self) -> Iterator[Workload]:
        """Those that wait, and those that hold quota of a queue that there is: others use nothing of any."""
        queues = self.given.cluster_queues
        yield from (workload for workload in self.given.admitted if workload.cluster_queue in queues)
        yield from self.given.pending

    def _generated(self) -> Iterator[Event]:
        for number, shape in enumerate(self.shape.generate or []):
            path = f"generate[{number}]"
            start = self.times.after_start(shape.start or "0s", f"{path}.from")
            end = self.end if shape.until is None else self.times.after_start(shape.until, f"{path}.until")
            yield from self.maker.generated(shape, start, end, path)

    def _events(self) -> Iterator[Event]:
        for shape, at, path, _ in in_order(self.shape.events or [], _KINDS, self.times, self.place):
            yield from self._event(shape, at, path)

    def _event(self, shape: EventShape, at: Instant, path: str) -> Iterator[Event]:
        if shape.submit is not None:
            several = shape.submit if isinstance(shape.submit, list) else [shape.submit]
            for number, raw in enumerate(several):
                inner = f"{path}.submit[{number}]" if isinstance(shape.submit, list) else f"{path}.submit"
                found = checked(SubmitShape, raw, self.place, inner)
                yield Submit(at, self.maker.submission(found, at, inner))
        yield from (Finish(at, name) for name in shape.finish or ())
        yield from (Delete(at, name) for name in shape.delete or ())
        if shape.tick:
            yield Tick(at)
        if shape.restart is not None:
            down: Duration = 0
            if shape.restart is not True:
                down = checked(RestartShape, shape.restart, self.place, f"{path}.restart").down or 0
            yield Restart(at, down)
        if shape.clock is not None:
            yield ClockJump(at, shape.clock)
        if shape.edit is not None:
            text, cluster = self.objects.edited(shape.edit, f"{path}.edit")
            refuse_unmodelled(over_time(cluster))
            kind, name = shape.edit.get("kind"), (shape.edit.get("metadata") or {}).get("name")
            queues = (str(name),) if kind == "ClusterQueue" else ()
            yield Edit(at, text, cluster, queues, self.objects.shown())

    def _resolved(self, event: Event, keys: list[str]) -> Event:
        """The event with the full name of its workload."""
        if not isinstance(event, Finish | Delete):
            return event
        key = key_of(event.workload, keys)
        if key is None:
            expected = f"a workload of the scenario{did_you_mean(event.workload, keys)}"
            raise self.place.error("events", show(event.workload), expected)
        return type(event)(event.at, key)

    def _refuse_twice(self, keys: list[str]) -> None:
        seen: set[str] = set()
        for key in keys:
            if key in seen:
                raise self.place.error("events", f"{key} a second time", "each workload once")
            seen.add(key)


def _timing(shape: TimingShape) -> Timing:
    default = Timing()
    return Timing(
        eviction=default.eviction if shape.eviction is None else max(0, shape.eviction),
        cycle=default.cycle if shape.cycle is None else max(1, shape.cycle),
        retry=default.retry if shape.retry is None else max(0, shape.retry),
    )


def _gates(shape: GatesShape, configured: Mapping[str, bool]) -> QueueGates:
    """The gates that a scenario sets, above those of the Configuration among its objects."""
    default = with_gates(QueueGates(), configured)
    gates = shape.scheduling_equivalence_hashing, shape.recompute, shape.preemptors_first
    known = default.equivalence, default.recompute, default.preemptors_first
    return QueueGates(*(old if new is None else new for new, old in zip(gates, known, strict=True)))

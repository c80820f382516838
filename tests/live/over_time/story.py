"""One cluster's story: steps, forecasts, and what became of them."""

from __future__ import annotations

import copy
import json
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random

import pytest

from tests.command_line import tenure
from tests.live.over_time.compare import Course, differences, forecast, happened, repeats_as
from tests.live.over_time.draws import CLASSES, State, Step, draw, draw_step
from tests.live.over_time.faults import FAULTS
from tests.live.over_time.ledger import Ledger, condition, is_finished, job_of
from tests.live.over_time.pulse import Pulse
from tests.live.over_time.races import Situation, explained
from tests.live.server import ApiError, Object, Server

QUIET = (1.0, 1)
"""A cluster in which nothing has changed for so many seconds and beats of the pulse has settled, if it is as
forecast; else `PATIENCE`."""
PATIENCE = (6.0, 4)
MOST_S = 60.0
"""A cluster that goes on changing for so long repeats itself."""


@dataclass
class Difference:
    """Where Kueue did otherwise than forecast.

    Args:
        cluster: its name.
        step: what happened.
        found: in words.
        race: the race of controllers that explains it; empty for none.
    """

    cluster: str
    step: str
    found: list[str]
    race: str


@dataclass
class Tally:
    """What all stories come to.

    Args:
        counts: how often what happened.
        differences: between forecast and cluster.
        noticed: by the name of a fault of `faults.py` the first step at which the forecast with it was wrong.
    """

    counts: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)
    noticed: dict[str, str] = field(default_factory=dict)

    @property
    def unexplained(self) -> list[Difference]:
        """Those that no race explains."""
        return [one for one in self.differences if not one.race]


@dataclass
class Story:
    """A cluster and what happens in it.

    Args:
        name: of the cluster.
        seed: what everything is drawn from.
        fair: whether Kueue runs with fair sharing.
        server: the API server.
        ledger: what it shows.
        pulse: how far Kueue has come.
        tally: takes what is found.
        config_map: with Kueue's Configuration, part of every dump.
        keep: the folder for dumps of differences; None for none.
    """

    name: str
    seed: str
    fair: bool
    server: Server
    ledger: Ledger
    pulse: Pulse
    tally: Tally
    config_map: Object
    keep: Path | None = None
    _seen: int = 0

    def play(self) -> Iterator[Callable[[], bool]]:
        """Play it; yields what has to hold before it goes on."""
        chance = Random(self.seed)
        drawn = draw(self.name, chance, fair=self.fair)
        self.server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}})
        for one in drawn.objects:
            self.server.create(one)
        yield lambda: self._settled(len(drawn.objects))
        for number in range(chance.choice([11, 12, 13])):
            state = self._state()
            step = draw_step(drawn, number, state, self.server, chance)
            ahead = copy.deepcopy(state.dump)
            step.effect(ahead)
            for one in ahead:
                one["metadata"].setdefault("creationTimestamp", _now())
                one["metadata"].setdefault("uid", "new")
            said = forecast(ahead, step.evicts)
            if not (yield from self._step(step, said, ahead)):
                break
            self._why()
        self.tally.counts["clusters"] += 1
        yield self.ledger.clear(self.name)

    def _step(
        self, step: Step, said: Course, ahead: list[Object]
    ) -> Generator[Callable[[], bool], None, bool]:
        """Make a step and compare; whether the story goes on."""
        counts, began = self.tally.counts, time.monotonic()
        try:
            step.make(self.server)
        except ApiError as error:
            counts[f"steps that a webhook refuses: {error}"] += 1
            return True
        counts["steps"] += 1
        for wait in (QUIET, PATIENCE):
            yield partial(self._is_over, said, *wait, began)
            real = self._real()
            if repeats_as(said, real):
                counts["preemption loops, as forecast"] += 1
                return False
            found = differences(said, real)
            if not found:
                break
        goes_on = self._goes_on(began)
        self._count(real)
        counts["steps as forecast"] += not found
        if found:
            self._differs(step, said, real, ahead, found)
        elif len(said.preempted) + max(map(len, said.heads), default=0) > 1:
            self._try_faults(step, real, ahead)
        return not goes_on

    def _try_faults(self, step: Step, real: Course, ahead: list[Object]) -> None:
        for name, fault in FAULTS.items():
            if name in self.tally.noticed:
                continue
            with pytest.MonkeyPatch.context() as patched:
                fault(patched)
                found = differences(forecast(ahead, step.evicts), real)
            if found:
                self.tally.noticed[name] = f"{self.name}, {step.what}: {'; '.join(found)}"

    def _is_over(self, said: Course, seconds: float, beats: int, began: float) -> bool:
        """Whether nothing happens any more, or a forecast loop has begun."""
        return self._is_quiet(seconds, beats, began) or (said.repeats and repeats_as(said, self._real()))

    def _is_quiet(self, seconds: float, beats: int, began: float) -> bool:
        """Whether nothing has changed for so long since the step, or for too long something always has."""
        since = max(began, self.ledger.changed_at(self.name))
        is_quiet = time.monotonic() - since > seconds and self.pulse.since(since) >= beats
        return is_quiet or self._goes_on(began)

    def _goes_on(self, began: float) -> bool:
        """Whether changes have not ended for so long that they will not."""
        now = time.monotonic()
        return now - began > MOST_S and now - self.ledger.changed_at(self.name) < QUIET[0]

    def _count(self, real: Course) -> None:
        counts = self.tally.counts
        counts["preemptions"] += len(real.preempted)
        counts["evictions otherwise"] += len(real.evicted)
        for _, _, reason, _ in real.preempted:
            counts[f"preemptions: {reason}"] += 1

    def _differs(self, step: Step, said: Course, real: Course, ahead: list[Object], found: list[str]) -> None:
        race = explained(real, Situation(ahead, step.evicts, step.drained, step.replaced))
        self.tally.differences.append(Difference(self.name, step.what, found, race))
        self.tally.counts[f"steps otherwise: {race or 'unexplained'}"] += 1
        if self.keep:
            named = self.keep / f"{self.name}-{len(self.tally.differences)}"
            _write(named.with_suffix(".before.json"), ahead)
            _write(named.with_suffix(".drained.json"), list(step.drained.values()))
            _write(named.with_suffix(".after.json"), self._dump())
            text = "\n".join([step.what, *found, race, f"forecast: {said}", f"cluster: {real}", ""])
            named.with_suffix(".txt").write_text(text)

    def _real(self) -> Course:
        changes = self.ledger.changes(self.name)
        dump = self.ledger.objects(self.name)
        jobs = {one["metadata"]["uid"]: job_of(one) for one in dump if one["kind"] == "Workload"}
        return happened(changes[self._seen :], dump, jobs)

    def _why(self) -> None:
        """What `tenure why` says of each preemption of the last step."""
        changes = self.ledger.changes(self.name)[self._seen :]
        self._seen += len(changes)
        dump = self._dump()
        workloads = {job_of(one): one for one in dump if one["kind"] == "Workload"}
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": dump}).encode()
        for change in changes:
            if change.what != "Preempted" or change.job not in workloads:
                continue
            victim = workloads[change.job]
            if condition(victim, "Preempted").get("message") != change.message:
                # It runs again, or was preempted once more.
                self.tally.counts["preemptions of which the victim's conditions no longer speak"] += 1
                continue
            key = f"{self.name}/{victim['metadata']['name']}"
            done = tenure("why", key, "-", "-o", "json", "--kueue", "0.19", stdin=text)
            self.tally.counts[
                f"why: {self._certainty(done.stdout, done.stderr, change.reason, change.message)}"
            ] += 1

    def _certainty(self, out: bytes, err: bytes, reason: str, message: str) -> str:
        if not out:
            return f"refused: {err.decode()[:200]}"
        answer = json.loads(out)
        uid = message.partition("UID: ")[2].partition(",")[0]
        named = (answer.get("preemptor") or "").rpartition("/")[2].removeprefix("job-").rpartition("-")[0]
        right = named == self.ledger.job_of(uid) and answer.get("reason") == reason
        said = f"{answer.get('certainty') or answer.get('schema')}"
        return said if right else f"{said}, and another preemptor or reason"

    def _settled(self, objects: int) -> bool:
        found = self.ledger.objects(self.name)
        active = all(
            any(one["type"] == "Active" and one["status"] == "True" for one in queue["status"]["conditions"])
            for queue in found
            if queue["kind"] == "ClusterQueue" and queue.get("status", {}).get("conditions")
        )
        return len(found) >= objects and active and self._is_quiet(*QUIET, 0.0)

    def _dump(self) -> list[Object]:
        return [*copy.deepcopy(self.ledger.objects(self.name)), *CLASSES, self.config_map]

    def _state(self) -> State:
        dump = self._dump()
        workloads = {job_of(one): one for one in dump if one["kind"] == "Workload" and not is_finished(one)}
        holding = {name: one for name, one in workloads.items() if "admission" in one.get("status", {})}
        pending = {name: one for name, one in workloads.items() if name not in holding}
        return State(dump, pending, holding)


def _write(path: Path, objects: list[Object]) -> None:
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=1))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

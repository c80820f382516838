"""Answers for the site's playground: a text of manifests, decided and explained while one types.

The page runs Tenure itself in the browser. Everything crosses as JSON text; a file system in memory takes the
manifests, so that what is wrong with them is said as the command line says it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from tenure.api import Loaded, decide, doubts
from tenure.as_json import as_json
from tenure.conformance.vectors import Vector
from tenure.disk import write_file
from tenure.edits import ManifestEdit, edited, edits_of
from tenure.errors import InputError, Problem
from tenure.explanation.answers import explained
from tenure.explanation.text import explained_lines
from tenure.explanation.verdicts import decision_lines
from tenure.manifests import SourcedObject, parse_instant
from tenure.manifests.configuration import DEFAULT_STRATEGY_NAMES
from tenure.manifests.load import load
from tenure.manifests.naming import pending_key
from tenure.model import Instant
from tenure.units import format_duration, format_instant

FILE = "cluster.yaml"
"""What messages call the text."""
HOUR = 3_600_000_000_000
_OBJECTS = (
    "clusterQueues",
    "cohorts",
    "resourceFlavors",
    "topologies",
    "workloadPriorityClasses",
    "preemptionConfigs",
    "preemptionLimits",
    "admitted",
)
"""Where a vector holds objects of a cluster, beside the pending workload."""
_MOST_TRIED = 100
"""Among so many pending workloads one is looked for that can be decided about."""
CONFIG_API = "config.kueue.x-k8s.io/v1beta2"

Watched: TypeAlias = Callable[[Iterator[SourcedObject]], Iterable[SourcedObject]]


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """A request of the page.

    Args:
        text: manifests, YAML or JSON.
        now: the clock, RFC 3339; empty for an hour after the last that happened in them.
        reading: a preset's name, or choices by name; empty for the default.
        workload: the pending workload; empty for the first by name that can be decided about. A text that no
            longer has it is another cluster: `of_text` drops what else speaks of the one before.
        cluster_queue: its ClusterQueue, if no LocalQueue has it; empty otherwise.
        assigned: changes of single fields, as `--set` takes them.
        counterfactuals: how many of the nearest counterfactuals are searched for.
    """

    text: str
    now: str = ""
    reading: str | dict[str, str] = ""
    workload: str = ""
    cluster_queue: str = ""
    assigned: tuple[str, ...] = ()
    counterfactuals: int = 3


@dataclass(frozen=True, slots=True)
class Waiting:
    """A pending workload that can be selected."""

    name: str
    """Namespace and name."""
    priority: int
    """Its `spec.priority`."""


@dataclass(frozen=True, slots=True)
class Explained:
    """What the page shows."""

    problems: tuple[str, ...] = ()
    """What is wrong with the text or the question; of the rest only `pending` is there then."""
    warnings: tuple[str, ...] = ()
    """What was assumed or ignored."""
    pending: tuple[Waiting, ...] = ()
    """The pending workloads, by name."""
    workload: str = ""
    """The one that was decided about."""
    cluster_queue: str = ""
    """Its ClusterQueue."""
    duration: str = ""
    """The ClusterQueue's minAdmitDuration; empty where it has none."""
    is_other: bool = False
    """Whether the text is another cluster than the one that the question is about: see `of_text`."""
    now: str = ""
    """The clock."""
    first: str = ""
    """The first instant at which anything of the cluster happened."""
    last: str = ""
    """The last one."""
    decision: str = ""
    """Fit, Preempt, NoCandidates or NoFit."""
    preempted: tuple[str, ...] = ()
    """Who is preempted, in order."""
    summary: tuple[str, ...] = ()
    """The decision in words."""
    lines: tuple[str, ...] = ()
    """The explanation, as `tenure decide --verbose` prints it."""
    rules: tuple[str, ...] = ()
    """The rules that found something about a running workload, in the order of their first finding."""


def answered(question: str) -> str:
    """A question of the page, answered.

    Args:
        question: JSON with the fields of `PageQuestion`.

    Returns:
        JSON with the fields of `Explained`, in camelCase. Bad input is an answer too: its `problems`.

    >>> answer = json.loads(answered('{"text": "kind: Pod", "counterfactuals": -1}'))
    >>> answer["problems"]
    ['counterfactuals: found -1, expected a number of at least 0']
    """
    try:
        explained = explain_text(TypeAdapter(PageQuestion).validate_json(question))
    except ValidationError as error:
        problems = tuple(f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}" for wrong in error.errors())
        explained = Explained(problems=problems)
    except InputError as error:
        explained = Explained(problems=tuple(map(str, error.problems)))
    return json.dumps(as_json(explained))


def explain_text(question: PageQuestion) -> Explained:
    """The decision about a pending workload of a text, explained.

    Args:
        question: the text, the clock, the reading, the changes.

    Raises:
        InputError: everything that is wrong with the objects or the changes. What is wrong with the question
            otherwise is in the answer, beside the workloads that can be selected.
    """
    if question.counterfactuals < 0:
        raise InputError(
            [Problem("counterfactuals", str(question.counterfactuals), "a number of at least 0")]
        )
    loaded = load_text(question.text, ())
    given, question = question, of_text(question, loaded)
    if question.assigned:
        loaded = load_text(question.text, question.assigned)
    pending = tuple(
        Waiting(one.key, one.priority) for one in sorted(loaded.cluster.pending, key=lambda one: one.key)
    )
    try:
        answer = _of_first(question, loaded, pending)
        return replace(answer, pending=pending, is_other=question is not given)
    except InputError as error:
        return Explained(problems=tuple(map(str, error.problems)), pending=pending)


def of_text(question: PageQuestion, loaded: Loaded) -> PageQuestion:
    """A question without what speaks of another cluster than the one that its text now has.

    Args:
        question: the text, and what the page remembers of the text before.
        loaded: the text, read.

    >>> text = "apiVersion: kueue.x-k8s.io/v1beta2\\nkind: ResourceFlavor\\nmetadata: {name: a}"
    >>> of_text(PageQuestion(text, now="2026-03-02T14:00:00Z", workload="a/b"), load_text(text, ())).now
    ''
    """
    with suppress(InputError):
        if not question.workload or pending_key(loaded, question.workload):
            return question
    return replace(question, now="", workload="", cluster_queue="", assigned=())


def _of_first(question: PageQuestion, loaded: Loaded, pending: tuple[Waiting, ...]) -> Explained:
    """The answer about the workload of a question; without one, about the first that can be decided about.

    Raises:
        InputError: there is none; what is wrong with the first.
    """
    if question.workload or not pending:
        return _explained(question, loaded)
    problems: list[Problem] = []
    for waiting in pending[:_MOST_TRIED]:
        try:
            return _explained(replace(question, workload=waiting.name), loaded)
        except InputError as error:
            problems = problems or list(error.problems)
    raise InputError(problems)


def _explained(question: PageQuestion, loaded: Loaded) -> Explained:
    happened = _instants(loaded)
    now = parse_instant(question.now, field="now") if question.now else max(happened, default=0) + HOUR
    decision = decide(
        loaded,
        question.workload or None,
        now=now,
        reading=question.reading or None,
        cluster_queue=question.cluster_queue or None,
        explained=True,
    )
    answer = explained(decision, question.counterfactuals)
    queue = loaded.cluster.cluster_queues[answer.decision.cluster_queue]
    found = (remark.rule for workload in answer.workloads for remark in workload.remarks)
    return Explained(
        warnings=(
            *loaded.warnings,
            *(text for text, _ in doubts(loaded, now, question.cluster_queue or None)),
        ),
        workload=answer.decision.workload,
        cluster_queue=queue.name,
        duration="" if queue.min_admit_duration is None else format_duration(queue.min_admit_duration),
        now=format_instant(now),
        first=format_instant(min(happened, default=now)),
        last=format_instant(max(happened, default=now)),
        decision=answer.decision.decision,
        preempted=tuple(victim.workload for victim in answer.decision.preempted),
        summary=answer.decision.summary,
        lines=(*decision_lines(decision), *explained_lines(answer)),
        rules=tuple(dict.fromkeys(found)),
    )


def load_text(text: str, assigned: tuple[str, ...], watched: Watched = iter) -> Loaded:
    """A text of the page, read as a file that is called `FILE`.

    Args:
        text: manifests, YAML or JSON.
        assigned: changes of single fields, as `--set` takes them.
        watched: sees every object, changes included.

    Raises:
        InputError: everything that is wrong with the objects or the changes.

    >>> text = "apiVersion: kueue.x-k8s.io/v1beta2\\nkind: ResourceFlavor\\nmetadata: {name: a}"
    >>> sorted(load_text(text, ()).cluster.flavors)
    ['a']
    """
    edits = edits_of(assigned)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE
        # Half of a pair of surrogates is refused where it is read, with its line.
        write_file(file, text.encode(errors="surrogatepass"), durable=False)
        try:
            loaded = _changed(file, edits, watched)
        except InputError as error:
            found = [replace(problem, file=problem.file and FILE) for problem in error.problems]
            raise InputError(found) from None
    return replace(loaded, warnings=tuple(text.replace(str(file), FILE) for text in loaded.warnings))


def _changed(file: Path, edits: tuple[ManifestEdit, ...], watched: Watched) -> Loaded:
    if not edits:
        return load([file], watched=watched)
    try:
        return load([file], watched=lambda objects: watched(iter(edited(objects, edits))))
    except InputError:
        # Problems of the text come before problems of changes.
        load([file])
        raise


def _instants(loaded: Loaded) -> list[Instant]:
    """When workloads were created and admitted."""
    workloads = (*loaded.cluster.admitted, *loaded.cluster.pending)
    stamps = (stamp for one in workloads for stamp in (one.created_at, one.quota_reserved_at))
    return [stamp for stamp in stamps if stamp is not None]


def opened(vector: Vector) -> PageQuestion | None:
    """A vector as the page opens it; None where manifests alone do not say it.

    Args:
        vector: a published case.
    """
    given = vector.data["input"]
    # Manifests do not say that there are no PreemptionConfigs.
    if given.get("preemptionConfigs") == []:
        return None
    if vector.data["call"] != "decide" or given.get("assignment") is not None or "jobs" in given:
        return None
    return opened_request(given, vector.data["reading"])


def opened_request(given: Mapping[str, Any], reading: str | dict[str, str]) -> PageQuestion:
    """The page request for a request of the protocol.

    Args:
        given: the `input` of call `decide`, without an assignment and without Jobs.
        reading: a preset's name, or choices by name.
    """
    objects = [listed for name in _OBJECTS for listed in given.get(name, ())]
    objects.append(given["incoming"])
    configured = _configured(given)
    if configured:
        objects.append({"apiVersion": CONFIG_API, "kind": "Configuration", **configured})
    incoming = given["incoming"]["metadata"]
    return PageQuestion(
        text=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=2),
        now=given["now"],
        reading=reading,
        workload=f"{incoming['namespace']}/{incoming['name']}",
        cluster_queue=given["targetCQ"],
    )


def _configured(given: Mapping[str, Any]) -> dict[str, Any]:
    """What of a request is Kueue's Configuration."""
    found = {name: given[name] for name in ("fairSharing", "featureGates") if given.get(name) is not None}
    if "fairSharing" in found and not found["fairSharing"].get("preemptionStrategies"):
        # A request may leave out the strategies that Kueue has by default; its Configuration may not.
        found["fairSharing"] = {**found["fairSharing"], "preemptionStrategies": [*DEFAULT_STRATEGY_NAMES]}
    if "preemptionProtection" in given:
        found["preemptionProtection"] = given["preemptionProtection"]
    if "requeuingTimestamp" in given:
        found["waitForPodsReady"] = {"requeuingStrategy": {"timestamp": given["requeuingTimestamp"]}}
    return found

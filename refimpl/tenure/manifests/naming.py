"""Workloads by the names that people have for them: the one place where a command's word becomes a workload.

A word is `namespace/name` of a Workload; or the Workload's name, its name without the five digits that
Kueue generates, or the name of the Job that owns it, each with or without its namespace; or `kind/name` of
that Job, as kubectl has it. `vision/job-detr-5ad32` is thus `job-detr-5ad32`, `vision/job-detr`,
`vision/detr`, `detr`, `job/detr`, `jobs.batch/detr` and `vision/job/detr`. A full name means its workload
whatever else is called so. Any other word must mean one of those that are wanted, and otherwise the error
names all that it may mean.

How to use it: `pending_key` and `running_key` for a command that takes one of these, `workload_key` for
another choice of `WorkloadState`; all return `namespace/name`, as JSON answers do. `workload_states` only
returns what a word may mean. `tenure.api.decide` calls it, and `tenure.cli.named` splits a command line
whose workloads and files may come in any order.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tenure.errors import bad_input
from tenure.manifests.showing import printable, shorten, some_of
from tenure.manifests.structure import dig, items

if TYPE_CHECKING:
    from tenure.manifests.load import Loaded


class WorkloadState(StrEnum):
    """What becomes of a workload at this moment."""

    PENDING = "pending"
    RUNNING = "running"
    OUT_OF_PLAY = "out of play"
    """It has finished, or is inactive."""


_WANTED: Final = {
    WorkloadState.PENDING: ("a pending workload", "pending workloads"),
    WorkloadState.RUNNING: ("a running workload", "workloads that hold quota"),
}
_INSTEAD: Final = {
    WorkloadState.PENDING: "is pending: `why-not {}` shows what it waits for",
    WorkloadState.RUNNING: "holds quota: `why {}` shows which workloads would preempt it",
}
_GENERATED: Final = re.compile(r"(([a-z]+)-(.+))-[0-9a-f]{5}")
"""Kueue's name of a Workload: its owner's kind and name, and a hash. Source: Kueue, jobframework."""
_OWN_KINDS: Final = ("workload", "workloads", "wl")
_MOST_ALIKE: Final = 5000
"""Names that are compared letter by letter; more would take longer than the hint is worth."""
_HINTS: Final = 3
_CUTOFF: Final = 0.75


LIVE: Final = (WorkloadState.RUNNING, WorkloadState.PENDING)
"""Those that hold quota or wait for it."""


class Home(NamedTuple):
    """Where names without a namespace are looked for.

    Args:
        namespace: the first place; empty for none.
        only: whether it is the only place.
    """

    namespace: str = ""
    only: bool = False


ANYWHERE: Final = Home()


def pending_key(loaded: Loaded, word: str, *, field: str = "workload") -> str:
    """The pending workload that a word means, also one that is set aside.

    Args:
        loaded: the cluster; its `home` is where a name without a namespace is looked for.
        word: what a person called it.
        field: what the error is about.

    Returns:
        `namespace/name`.

    Raises:
        InputError: none or several are called so, or it runs, has finished or is inactive.

    >>> from tenure.manifests.load import load
    >>> from tenure.resources import bundled
    >>> pending_key(load([bundled("examples", "two-teams")]), "job/eval-suite")
    'team-b/job-eval-suite-d739e'
    """
    return workload_key(loaded, word, (WorkloadState.PENDING,), field=field)


def running_key(loaded: Loaded, word: str, *, field: str = "workload", beside: str = "") -> str:
    """The workload that holds quota and that a word means; all else as `workload_key`."""
    return workload_key(loaded, word, (WorkloadState.RUNNING,), field=field, beside=beside)


def workload_key(
    loaded: Loaded,
    word: str,
    wanted: Collection[WorkloadState],
    *,
    field: str = "workload",
    beside: str = "",
    otherwise: Collection[str] = (),
) -> str:
    """The workload that a word means among those of some standing.

    Args:
        wanted: `WorkloadState.PENDING`, `WorkloadState.RUNNING` or both.
        otherwise: `namespace/name` of others that are meant where none of these is.
        loaded, word, field: as for `pending_key`.
        beside: what the word might have been besides, such as a file, for the error.

    Raises:
        InputError: none or several of the wanted ones are called so.
    """
    known = _workload_states(loaded)
    found = workloads_called(known, loaded.owners, word, loaded.home)
    fit = [key for key in found if known[key] in wanted] or [key for key in found if key in otherwise]
    if len(fit) == 1:
        return fit[0]
    if fit:
        expected = f"the full name of one of {some_of(fit, 'that are called so')}"
    elif found:
        others = "; ".join(_why_not_wanted(loaded, key, known[key]) for key in found[:_HINTS])
        expected = f"{_either(wanted, 0)}; {others}"
    else:
        either = f"{beside}, or one of" if beside else "one of"
        expected = (
            f"{either} {_names_of_wanted(known, wanted, loaded.home)}{_meant(loaded, word, known, wanted)}"
        )
    raise bad_input(field, word, expected)


def workload_states(loaded: Loaded, word: str) -> frozenset[WorkloadState]:
    """What a word may mean: the states of all workloads of that name; empty where nothing is.

    >>> from tenure.manifests.load import load
    >>> from tenure.resources import bundled
    >>> [str(state) for state in workload_states(load([bundled("examples", "two-teams")]), "eval-suite")]
    ['pending']
    """
    known = _workload_states(loaded)
    return frozenset(known[key] for key in workloads_called(known, loaded.owners, word, loaded.home))


def keys_called(loaded: Loaded, word: str) -> list[str]:
    """All workloads that a word may mean, `namespace/name`, whatever their standing.

    >>> from tenure.manifests.load import load
    >>> from tenure.resources import bundled
    >>> keys_called(load([bundled("examples", "two-teams")]), "eval-suite")
    ['team-b/job-eval-suite-d739e']
    """
    return workloads_called(_workload_states(loaded), loaded.owners, word, loaded.home)


def key_of_raw(raw: object) -> str:
    """The full name of a Workload; without a name it cannot be selected.

    >>> key_of_raw({"metadata": {"namespace": "ml", "name": "train"}}), key_of_raw([])
    ('ml/train', '/')
    """
    metadata = dig(raw, "metadata")
    return key_in(metadata) if isinstance(metadata, dict) else "/"


def key_in(metadata: Mapping[str, object]) -> str:
    """The full name of the object whose metadata these are, untrusted; as `key_of_raw`.

    >>> key_in({"namespace": "ml", "name": 3})
    'ml/'
    """
    namespace, name = metadata.get("namespace"), metadata.get("name")
    return f"{namespace if isinstance(namespace, str) else ''}/{name if isinstance(name, str) else ''}"


def finished_text(raw: Any) -> str:
    """Why a workload neither holds quota nor waits for it, as the end of a sentence about it.

    Args:
        raw: the Workload, untrusted, that has finished or is inactive.

    >>> ended = {"type": "Finished", "status": "True", "lastTransitionTime": "2026-03-02T14:00:00Z"}
    >>> finished_text({"status": {"conditions": [ended]}})
    'finished at 2026-03-02T14:00:00Z'
    >>> finished_text({"spec": {"active": False}})
    'is inactive: spec.active is false'
    """
    for condition in items(dig(raw, "status", "conditions")):
        if dig(condition, "type") == "Finished" and dig(condition, "status") == "True":
            at, message = dig(condition, "lastTransitionTime"), dig(condition, "message")
            when = f" at {printable(at)}" if isinstance(at, str) else ""
            why = f": {printable(message)}" if isinstance(message, str) and message else ""
            return f"finished{when}{why}"
    return "is inactive: spec.active is false"


def _workload_states(loaded: Loaded) -> dict[str, WorkloadState]:
    """All workloads that are known by name."""
    aside = (name.partition("/")[2] for name in loaded.set_aside if name.startswith("Workload/"))
    return {
        **dict.fromkeys(map(key_of_raw, loaded.out_of_play), WorkloadState.OUT_OF_PLAY),
        **{name if "/" in name else f"/{name}": WorkloadState.PENDING for name in aside},
        **{workload.key: WorkloadState.PENDING for workload in loaded.cluster.pending},
        **{workload.key: WorkloadState.RUNNING for workload in loaded.cluster.admitted},
    }


class _Sense(NamedTuple):
    """One meaning of a word: None for any."""

    namespace: str | None
    kind: str | None
    name: str

    def fits(self, key: str, owners: object) -> bool:
        namespace, _, name = key.partition("/")
        if self.namespace not in (None, namespace):
            return False
        if self.kind in (None, *_OWN_KINDS) and self.name in (name, _stem(name)):
            return True
        return any(owner == self.name and self._is_of(kind) for kind, owner in _owners(name, owners))

    def _is_of(self, kind: str) -> bool:
        """Whether an owner's kind is the given one, as kubectl takes it: job, jobs, jobs.batch."""
        kind_ = None if self.kind is None else self.kind.lower().partition(".")[0]
        return kind_ in (None, kind, f"{kind}s")


def _senses(word: str) -> list[_Sense]:
    parts = word.split("/")
    if len(parts) == 1:
        return [_Sense(None, None, word)]
    if len(parts) == 2:
        return [_Sense(parts[0], None, parts[1]), _Sense(None, parts[0], parts[1])]
    return [_Sense(*parts)] if len(parts) == 3 else []


def workloads_called(
    known: Iterable[str], owners: Mapping[str, object], word: str, home: Home = ANYWHERE
) -> list[str]:
    """All that a word may mean, by name.

    Args:
        known: workloads, `namespace/name`.
        owners: by `namespace/name`, their `metadata.ownerReferences`, untrusted.
        word: what a person called it.
        home: where a name without a namespace is looked for.

    >>> workloads_called(["ml/job-train-0a1b2", "ml/other"], {}, "ml/train")
    ['ml/job-train-0a1b2']
    """
    keys = list(known)
    if word in keys:
        return [word]
    found: set[str] = set()
    for sense in _senses(word):
        fit = [key for key in keys if sense.fits(key, owners.get(key))]
        if home.namespace and sense.namespace is None:
            near = [key for key in fit if key.startswith(f"{home.namespace}/")]
            fit = near if near or home.only else fit
        found.update(fit)
    return sorted(found)


def _stem(name: str) -> str:
    """A Workload's name without the hash at its end, where it has one.

    >>> _stem("job-detr-5ad32"), _stem("train")
    ('job-detr', 'train')
    """
    generated = _GENERATED.fullmatch(name)
    return generated[1] if generated else name


def _owners(name: str, owners: object) -> Iterator[tuple[str, str]]:
    """Kind, in small letters, and name of the owners; from the generated name where no owner is given.

    >>> list(_owners("job-detr-5ad32", None)), list(_owners("train", [{"kind": "RayJob", "name": "a"}]))
    ([('job', 'detr')], [('rayjob', 'a')])
    """
    if owners:
        for owner in items(owners):
            kind, owner_name = dig(owner, "kind"), dig(owner, "name")
            if isinstance(kind, str) and isinstance(owner_name, str):
                yield kind.lower(), owner_name
    elif generated := _GENERATED.fullmatch(name):
        yield generated[2], generated[3]


def _names_of_wanted(
    known: Mapping[str, WorkloadState], wanted: Collection[WorkloadState], home: Home
) -> str:
    """Those that are wanted, where they are looked for."""
    within, where = (f"{home.namespace}/", f" in namespace {home.namespace}") if home.only else ("", "")
    keys = [key for key, state in known.items() if state in wanted and key.startswith(within)]
    return some_of(keys, f"{_either(wanted, 1)}{where}")


def _either(wanted: Iterable[WorkloadState], number: int) -> str:
    return " or ".join(_WANTED[state][number] for state in wanted)


def _why_not_wanted(loaded: Loaded, key: str, state: WorkloadState) -> str:
    """Why a workload is not one of the wanted, and which command to use instead."""
    if state == WorkloadState.OUT_OF_PLAY:
        raw = next(raw for raw in loaded.out_of_play if key_of_raw(raw) == key)
        return f"{printable(key)} {finished_text(raw)}; it neither holds quota nor waits for it"
    return f"{printable(key)} {_INSTEAD[state].format(printable(key))}"


def _meant(
    loaded: Loaded, word: str, known: Mapping[str, WorkloadState], wanted: Collection[WorkloadState]
) -> str:
    """The end of a sentence: workloads whose names look like a word, others only where none is wanted."""
    for those in (True, False):
        by_name: dict[str, str] = {}
        for key in (key for key in known if (known[key] in wanted) == those):
            for name in _names(key, loaded.owners.get(key), with_namespace="/" in word):
                by_name.setdefault(name, key)
        keys = list(dict.fromkeys(by_name[name] for name in _alike(shorten(word), by_name)))[:_HINTS]
        if keys:
            names = [f"{printable(key)}{'' if those else f' ({known[key]})'}" for key in keys]
            return f"; did you mean {' or '.join(names)}?"
    return ""


def _names(key: str, owners: object, *, with_namespace: bool) -> Iterator[str]:
    namespace, _, name = key.partition("/")
    before = f"{namespace}/" if with_namespace else ""
    yield f"{before}{name}"
    yield f"{before}{_stem(name)}"
    for kind, owner in _owners(name, owners):
        yield f"{before}{owner}"
        if with_namespace:
            yield f"{kind}/{owner}"


def _alike(word: str, names: Collection[str]) -> list[str]:
    """Names that hold the word, else those that look like it; of very many only with the same letters."""
    holding = [name for name in names if word and word.lower() in name.lower()]
    if holding:
        return sorted(holding, key=len)
    letters = set(word)
    near = names if len(names) <= _MOST_ALIKE else [name for name in names if len(letters ^ set(name)) <= 2]
    return difflib.get_close_matches(word, list(near)[:_MOST_ALIKE], n=_HINTS, cutoff=_CUTOFF)

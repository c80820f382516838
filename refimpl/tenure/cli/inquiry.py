"""What a command about decisions is given: the cluster, its settings, the clock, the reading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tenure.api import Loaded, assumed_queue, doubts, refuse_doubts
from tenure.cli.inputs import load_input, print_warnings
from tenure.cli.options import (
    ClusterOptions,
    SchedulerFlags,
    instant_of,
    parse_gates,
)
from tenure.cli.relevant_warnings import concerning
from tenure.cli.terminal import log_as_hints
from tenure.errors import InputError, Problem, bad_input
from tenure.inquiry import Inquiry
from tenure.manifests import RECLAIMABLE_PODS, Place, SourcedObject, gate_problems, strategies_of
from tenure.manifests.configuration import NEWEST, FairSharingSource, configuration_in
from tenure.manifests.feature_gates import SETTING_OF_GATE, over_time_problems
from tenure.manifests.given import given
from tenure.manifests.kueue_api import gates_of_fields, without_gated
from tenure.manifests.releases import gates_problems
from tenure.manifests.showing import about_object
from tenure.model import FairStrategy, Instant, RequeuingTimestamp
from tenure.readings import Reading


def with_flags(loaded: Loaded, flags: SchedulerFlags) -> Loaded:
    """What was loaded, under other settings.

    Args:
        loaded: the cluster, with the settings of Kueue's Configuration where the files hold one.
        flags: what is above that.

    Raises:
        InputError: a gate that Kueue does not have or that would bring in what is not modelled, or a word
            that is none of these.

    >>> from tenure.model import Cluster
    >>> with_flags(Loaded(Cluster({})), SchedulerFlags("PriorityBoost=true")).cluster.settings.priority_boost
    True
    """
    fair = loaded.cluster.settings.fair_sharing
    if flags.fair_sharing is not None:
        fair = _strategies(flags.fair_sharing)
    gates = _checked_gates(flags, loaded, fair_sharing=fair is not None)
    changes: dict[str, Any] = {
        SETTING_OF_GATE[gate]: on for gate, on in gates.items() if gate in SETTING_OF_GATE
    }
    if flags.requeuing_timestamp is not None:
        changes["requeuing_timestamp"] = _timestamp(flags.requeuing_timestamp)
    if flags.fair_sharing is not None:
        changes["fair_sharing"] = fair
        later = over_time_problems(loaded.gates, Place("Configuration"), fair_sharing=fair is not None)
        over_time = tuple(dict.fromkeys((*loaded.over_time, *later)))
        loaded = replace(loaded, fair_sharing=FairSharingSource.GIVEN, over_time=over_time)
    settings = replace(loaded.cluster.settings, **changes)
    cluster = without_gated(replace(loaded.cluster, settings=settings), gates)
    return replace(loaded, cluster=cluster, flag_gates=gates)


def _checked_gates(flags: SchedulerFlags, loaded: Loaded, *, fair_sharing: bool) -> Mapping[str, bool]:
    """The gates of the command line; those that are no setting of the scheduler change no decision, or bring
    in what is not modelled.
    """
    gates = parse_gates(flags.feature_gates)
    problems = gate_problems(gates, Place(), "--feature-gates", fair_sharing=fair_sharing)
    # What decided nothing in the Configuration may do so with what the command line switches on.
    problems += gate_problems(loaded.gates, Place("Configuration"), fair_sharing=fair_sharing, newer=[])
    release = loaded.cluster.settings.release
    problems += gates_problems([(Place(), gates)], release, "--feature-gates")
    if RECLAIMABLE_PODS in gates:
        where = "the Configuration among the files: it decides how workloads are read"
        problems.append(Problem("--feature-gates", RECLAIMABLE_PODS, where))
    problems += [
        Problem(f"--feature-gates.{gate}", "True", "false, as the Configuration among the files has it")
        for gate in gates_of_fields()
        if gates.get(gate) and loaded.gates.get(gate) is False
    ]
    if problems:
        raise InputError(problems)
    return gates


def _timestamp(text: str) -> RequeuingTimestamp:
    known = RequeuingTimestamp.labelled()
    if text not in known:
        raise bad_input("--requeuing-timestamp", text, " or ".join(known))
    return known[text]


def _strategies(text: str) -> tuple[FairStrategy, ...] | None:
    if text == "off":
        return None
    problems: list[Problem] = []
    words = [] if text == "default" else text.split(",")
    strategies = strategies_of(words, Place(), "--fair-sharing", problems, may_be_empty=True)
    if problems:
        expected = f"default, off, {problems[0].expected}"
        raise InputError([Problem("--fair-sharing", repr(text), expected)])
    return strategies


def with_fair_sharing(objects: Iterable[SourcedObject], text: str | None) -> list[SourcedObject]:
    """The objects with a Configuration that has of fair sharing what the command line has.

    Args:
        objects: as they were read.
        text: as `--fair-sharing` has it; None changes nothing.

    Raises:
        InputError: no such strategies; a ConfigMap whose Configuration cannot be read.

    >>> (added,) = with_fair_sharing([], "off")
    >>> added.object["kind"], "fairSharing" in added.object
    ('Configuration', False)
    """
    if text is None:
        return [*objects]
    found = _strategies(text)
    kept = []
    content: dict[str, Any] = {"apiVersion": NEWEST, "kind": "Configuration"}
    for sourced in objects:
        read = configuration_in(sourced.object)
        if read is None:
            kept.append(sourced)
        else:
            content |= read
    content.pop("fairSharing", None)
    if found is not None:
        content["fairSharing"] = {
            "enable": True,
            "preemptionStrategies": [strategy.label for strategy in found],
        }
    if content["apiVersion"] == NEWEST:
        content.get("fairSharing", {}).pop("enable", None)
    return [*kept, SourcedObject("--fair-sharing", content)]


ASSUMED = "no LocalQueue is given; the only ClusterQueue is used"


def inquire(
    paths: Sequence[str],
    cluster: ClusterOptions,
    flags: SchedulerFlags | None = None,
    cluster_queue: str | None = None,
    *,
    keeps: bool = False,
    queued_by: Instant | None = None,
    about: Sequence[str | None] = (),
) -> Inquiry:
    """What the shared options of `tenure.cli.options` are about, as the command line has them.

    Args:
        paths: files and folders.
        cluster, flags: see there; without flags the objects' own configuration decides.
        cluster_queue: the ClusterQueue that is named, if one is.
        keeps: whether the cluster has its objects, where they are needed again.
        queued_by: as `tenure.api.doubts` has it.
        about: names of the workloads in question; without any, all are.

    Raises:
        InputError: a malformed option, or everything that is wrong in the manifests.

    >>> two_teams = inquire([], ClusterOptions(example="two-teams", now="2026-03-02T14:00:00Z"))
    >>> str(two_teams.decided("team-b/job-eval-suite-d739e").outcome)
    'Preempt'
    """
    if keeps:
        log_as_hints()
    # A wrong command line is reported before a large dump is read; without --now the clock is read after the
    # objects: nothing of theirs happened later.
    instant = None if cluster.now is None else instant_of(cluster.now)
    chosen, kueue = cluster.interpretation.chosen(), cluster.interpretation.target_kueue(flags)
    edits, strict = cluster.edits.edits(), cluster.strict
    loaded = load_input(paths, cluster.example, strict=strict, edits=edits, kueue=kueue, keeps=keeps)
    flagged = with_flags(loaded, flags or SchedulerFlags())
    clock = instant_of(None) if instant is None else instant
    return inquiry_about(
        flagged, clock, chosen, cluster_queue, queued_by=queued_by, strict=strict, about=about
    )


def inquiry_about(
    loaded: Loaded,
    now: Instant,
    reading: Reading,
    cluster_queue: str | None = None,
    *,
    queued_by: Instant | None = None,
    strict: bool = False,
    about: Sequence[str | None] = (),
) -> Inquiry:
    """The same about a cluster that has been read; its warnings are printed.

    Args:
        loaded, now, reading, cluster_queue: as `tenure.inquiry.Inquiry` has them.
        queued_by: as `tenure.api.doubts` has it.
        strict: whether what would be warned of is refused, whatever it concerns.
        about: as `inquire` has it.

    Raises:
        InputError: there is such, and `strict`.
    """
    loaded = loaded.submitted_at(now)
    found = list(doubts(loaded, now, cluster_queue, queued_by))
    assumed = cluster_queue is None and assumed_queue(loaded) is not None
    others = [ASSUMED] if assumed else []
    if strict:
        refuse_doubts(loaded, found, (*given().warnings, *others))
    warnings = [*loaded.warnings, *(_of_object(text, problems) for text, problems in found), *others]
    words = [word for word in (*about, cluster_queue) if word is not None]
    printed = print_warnings(concerning(loaded, warnings, words))
    return Inquiry(replace(loaded, warnings=tuple(printed)), now, reading, cluster_queue)


def _of_object(text: str, problems: Sequence[Problem]) -> str:
    """A warning about the object that has these problems."""
    return about_object(text, problems[0].object) if problems else text

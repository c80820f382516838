"""The options that commands about decisions share."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.choices import Engine
from tenure.cli.completion import (
    complete_example,
    complete_override,
    complete_reading,
    complete_workload,
)
from tenure.cli.named import NAME_HELP
from tenure.errors import bad_input
from tenure.readings import Reading, default_preset, parse_reading, preset_names

if TYPE_CHECKING:
    from tenure.edits import ManifestEdit
    from tenure.manifests.releases import AsIf, TargetKueue
    from tenure.model import Instant

DEFAULT_READING = default_preset()

Paths = Annotated[
    list[str] | None,
    typer.Argument(help="Files or folders of Kueue manifests; - reads standard input.", show_default=False),
]
"""Manifests."""

Example = Annotated[
    str | None,
    typer.Option(
        help="Use a bundled example instead of files; see `tenure example`.", autocompletion=complete_example
    ),
]
"""A bundled example instead of manifests."""

Pending = Annotated[
    str | None,
    typer.Option(
        "--workload",
        "-w",
        help=f"The pending workload: {NAME_HELP}.",
        show_default=False,
        autocompletion=complete_workload,
    ),
]
"""A pending workload."""

Words = Annotated[
    list[str] | None,
    typer.Argument(
        help=f"The pending workload, as -w has it: {NAME_HELP}; files, folders, or - for standard input. In "
        "any order.",
        metavar="[WORKLOAD] [PATHS]...",
        show_default=False,
    ),
]
"""A pending workload, and manifests."""

Now = Annotated[str | None, typer.Option(help="The cycle's clock, RFC 3339.", show_default="this moment")]
"""The clock."""

ReadingName = Annotated[
    str,
    typer.Option(
        "--reading", help=f"The reading: {', '.join(preset_names())}.", autocompletion=complete_reading
    ),
]
"""A reading."""

Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--override",
        metavar="KEY=CHOICE",
        help="One choice other than the reading's; repeatable.",
        autocompletion=complete_override,
    ),
]
"""Choices other than the reading's."""

ClusterQueueName = Annotated[
    str | None,
    typer.Option("--cluster-queue", help="The ClusterQueue.", show_default="where its LocalQueue points"),
]
"""The ClusterQueue."""

FeatureGates = Annotated[
    str, typer.Option(metavar="GATE=BOOL,...", help="As Kueue's own flag, e.g. PriorityBoost=true.")
]
"""Feature gates."""

Timestamp = Annotated[
    str | None,
    typer.Option(
        help="waitForPodsReady.requeuingStrategy.timestamp: Eviction or Creation.",
        show_default="as configured, else Eviction",
    ),
]
"""Where a workload queues from that was evicted before its pods were ready."""

FairSharing = Annotated[
    str | None,
    typer.Option(
        metavar="STRATEGIES",
        help="default, off, or a list of strategies, e.g. LessThanInitialShare.",
        show_default="as configured, else off",
    ),
]
"""Fair sharing."""

ENGINE_HELP = (
    "What decides: the reference; fast, the optimized core, which leaves to the reference what it does not "
    "cover; or auto, which is fast where many decisions are made."
)

EngineName = Annotated[Engine, typer.Option("--engine", help=ENGINE_HELP)]
"""The engine."""

Counterfactuals = Annotated[
    int,
    typer.Option(
        "--counterfactuals",
        metavar="COUNT",
        min=0,
        help="How many changes to name that would change the answer; 0 for none.",
    ),
]
"""How many changes that would alter the answer."""


Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Show how it came about too: what is short and where, what was tried, what would change the "
        "answer, and what each rule found about every workload.",
    ),
]
"""How much of an answer."""


NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Decide everything about every state again, and keep nothing."),
]

Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Refuse input that would be warned of, such as what is set aside, not looked at, or stale.",
    ),
]
"""Whether a warning about the input is an error."""


Assigned = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KIND/NAME.PATH=VALUE",
        help="As if a field had this value: "
        "clusterqueue/a.spec.preemption.withinClusterQueueConfig.minAdmitDuration=4h; repeatable.",
        show_default=False,
    ),
]
"""Fields that are set."""

UnsetFields = Annotated[
    list[str] | None,
    typer.Option(
        "--unset",
        metavar="KIND/NAME.PATH",
        help="As if a field were not set; repeatable.",
        show_default=False,
    ),
]
"""Fields that are removed."""

Patches = Annotated[
    list[str] | None,
    typer.Option(
        "--patch",
        metavar="FILE",
        help="As if partial objects were merged, as `kubectl patch --type merge` does; repeatable.",
        show_default=False,
    ),
]
"""Partial objects."""


ExpectationPaths = Annotated[
    list[str] | None,
    typer.Argument(help="Files, or folders that are searched for *.tenure.yaml.", show_default=False),
]


@dataclass(frozen=True, slots=True)
class EditOptions:
    """Changes of the objects that are read; nothing is written."""

    assigned: Assigned = None
    unset: UnsetFields = None
    patch: Patches = None

    def edits(self) -> tuple[ManifestEdit, ...]:
        """The changes.

        Raises:
            InputError: one that has not the form, or that no object can have.
        """
        if not (self.assigned or self.unset or self.patch):
            return ()
        from tenure.edits import edits_of

        return edits_of(self.assigned or (), self.unset or (), self.patch or ())

    def as_if(self, kueue: str | None = None) -> AsIf:
        """The changes, and the target Kueue, for objects that are read elsewhere.

        Args:
            kueue: as `--kueue` has it.

        Raises:
            InputError: as `edits`; a release that is not known.
        """
        from tenure.cli.inputs import changed
        from tenure.manifests.releases import AsIf, TargetKueue

        TargetKueue.of(kueue)
        edits = self.edits()
        return AsIf(kueue, lambda objects, target: changed(objects, edits, target))


KueueRelease = Annotated[
    str | None,
    typer.Option(
        "--kueue",
        metavar="RELEASE",
        help="Only what this release of Kueue has: 0.19; 0.20, from its text and its tests, not run; or "
        "objects, the release of Kueue's Deployment among the objects. Without it, what KEP-8522, KEP-8826 "
        "and KEP-754 propose is there too.",
        show_default=False,
    ),
]
"""The target Kueue."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Which Kueue, under which reading."""

    reading: ReadingName = DEFAULT_READING
    override: Overrides = None
    kueue: KueueRelease = None

    def target_kueue(self, flags: SchedulerFlags | None = None) -> TargetKueue:
        """The target Kueue of a cluster: a new one for each cluster, which notes what it lacks.

        Args:
            flags: with its feature gates, above those of the objects.

        Raises:
            InputError: a release that is not known; a gate that is neither true nor false.
        """
        from tenure.manifests.releases import TargetKueue

        return TargetKueue.of(self.kueue, None if flags is None else parse_gates(flags.feature_gates))

    def chosen(self) -> Reading:
        """The reading.

        Raises:
            InputError: there is no such preset, key or choice.

        >>> Interpretation("as-written", ["wake=at_expiry"]).chosen().name
        'as-written+wake=at_expiry'
        """
        return parse_reading({"preset": self.reading, **overrides_of(self.override)})


@dataclass(frozen=True, slots=True)
class SchedulerFlags:
    """The scheduler's configuration, above the one among the objects."""

    feature_gates: FeatureGates = ""
    requeuing_timestamp: Timestamp = None
    fair_sharing: FairSharing = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """A cluster besides its files, with changes, at an instant, for a Kueue and a reading."""

    example: Example = None
    strict: Strict = False
    edits: EditOptions = EditOptions()
    now: Now = None
    interpretation: Interpretation = Interpretation()


def instant_of(now: str | None) -> Instant:
    """The clock as `--now` gives it, ns since the epoch; this moment where it is not given.

    Raises:
        InputError: it is no RFC 3339 time.

    >>> instant_of("1970-01-01T00:00:01Z")
    1000000000
    """
    from tenure.manifests import parse_instant

    return time.time_ns() if now is None else parse_instant(now, field="now")


def overrides_of(parts: Sequence[str] | None) -> dict[str, str]:
    """Choices as `--override` gives them.

    Raises:
        InputError: one without an equals sign.

    >>> overrides_of(["newer_than=queue_order"])
    {'newer_than': 'queue_order'}
    """
    overrides = {}
    for part in parts or ():
        key, separator, choice = part.partition("=")
        if not separator:
            raise bad_input("--override", part, "KEY=CHOICE, such as same_priority_gate=either")
        overrides[key] = choice
    return overrides


def parse_gates(text: str) -> dict[str, bool]:
    """Feature gates as `--feature-gates` gives them; whether Kueue has them is not looked at.

    Raises:
        InputError: one that is set to neither true nor false.

    >>> parse_gates("PriorityBoost=true,PartialAdmission=False")
    {'PriorityBoost': True, 'PartialAdmission': False}
    """
    gates = {}
    for part in filter(None, text.split(",")):
        gate, _, value = part.partition("=")
        if value.lower() not in ("true", "false"):
            raise bad_input("--feature-gates", part, "GATE=true or GATE=false")
        gates[gate] = value.lower() == "true"
    return gates


@dataclass(frozen=True, slots=True)
class Workers:
    """Who decides them."""

    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes on this machine.")] = 1
    scheduler: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Run on the workers of this Dask scheduler, such as tcp://10.0.0.1:8786.",
            show_default=False,
        ),
    ] = ""

"""Readings: one choice at every place where a source is ambiguous.

The choices and presets are data, `spec/readings.toml`; the enums here are the same choices as rules
compare them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum
from functools import cache
from typing import Any, TypeAlias

from tenure.errors import InputError, Problem, close_name
from tenure.resources import bundled


class SamePriorityGate(IntEnum):
    """Key `same_priority_gate` of `spec/readings.toml`."""

    EITHER = 0
    EXPIRED_ONLY = 1


class NewerThan(IntEnum):
    """Key `newer_than` of `spec/readings.toml`."""

    RESERVED_AFTER_CREATED = 0
    QUEUE_ORDER = 1


class RequeueOrder(IntEnum):
    """Key `requeue_order` of `spec/readings.toml`."""

    CREATION = 0
    EVICTION = 1


class PrioritySteps(IntEnum):
    """Key `priority_steps` of `spec/readings.toml`."""

    CEIL = 0
    FLOOR = 1


class HeroScope(IntEnum):
    """Key `hero_scope` of `spec/readings.toml`."""

    BRANCH = 0
    TREE = 1


class HeroPrecedence(IntEnum):
    """Key `hero_precedence` of `spec/readings.toml`."""

    EITHER = 0
    RANK_FIRST = 1


class HeroBilling(IntEnum):
    """Key `hero_billing` of `spec/readings.toml`."""

    WHOLE = 0
    EXCESS = 1


class AccessibleRounding(IntEnum):
    """Key `accessible_rounding` of `spec/readings.toml`; EXACT is for proofs only."""

    EXACT = 0
    FLOOR = 1
    CUMULATIVE = 2


class HeroLending(IntEnum):
    """Key `hero_lending` of `spec/readings.toml`."""

    IGNORE = 0
    HONOUR = 1


class HeroClamp(IntEnum):
    """Key `hero_clamp` of `spec/readings.toml`."""

    NOMINAL_PLUS_LIMIT = 0
    LIMIT = 1


class InvalidClass(IntEnum):
    """Key `invalid_class` of `spec/readings.toml`."""

    COMPUTE = 0
    REFUSE = 1


class Wake(IntEnum):
    """Key `wake` of `spec/readings.toml`."""

    EVENTS = 0
    AT_EXPIRY = 1


class ConfiguredCandidates(IntEnum):
    """Key `configured_candidates` of `spec/readings.toml`."""

    APPENDED = 0
    MERGED = 1


class AlwaysTrigger(IntEnum):
    """Key `always_trigger` of `spec/readings.toml`."""

    WHEN_INSUFFICIENT = 0
    UNCONDITIONAL = 1


class InvalidSelector(IntEnum):
    """Key `invalid_selector` of `spec/readings.toml`."""

    STOPS = 0
    PASSED_OVER = 1


class FairSharingRepair(IntEnum):
    """Key `fair_sharing_repair` of `spec/readings.toml`."""

    NONE = 0
    POST_CHECK = 1
    SHARE_LOCKING = 2
    POST_CHECK_THEN_LOCKING = 3
    OFFENDER_PRUNING = 4
    LEVEL_LOCKED = 5
    GUARDED_FILL_BACK = 6
    REEVALUATION = 7
    VERIFIED_REEVALUATION = 8


class RepairStrategy(IntEnum):
    """Key `repair_strategy` of `spec/readings.toml`."""

    ANY = 0
    SAME = 1


class RepairWithinNominal(IntEnum):
    """Key `repair_within_nominal` of `spec/readings.toml`."""

    EXEMPT = 0
    CHECKED = 1


class ExecutionStart(IntEnum):
    """Key `execution_start` of `spec/readings.toml`."""

    ADMITTED = 0
    QUOTA_RESERVED = 1


class LimitSearch(IntEnum):
    """Key `limit_search` of `spec/readings.toml`."""

    WHOLE = 0
    EACH = 1


class BackoffDeadline(IntEnum):
    """Key `backoff_deadline` of `spec/readings.toml`."""

    REPLACED = 0
    LATEST = 1


class KaiVersion(IntEnum):
    """Key `kai_version` of `spec/readings.toml`."""

    MARCH_2026 = 0
    V0_17 = 1


CHOICES: Mapping[str, type[IntEnum]] = {
    "same_priority_gate": SamePriorityGate,
    "newer_than": NewerThan,
    "requeue_order": RequeueOrder,
    "wake": Wake,
    "priority_steps": PrioritySteps,
    "hero_scope": HeroScope,
    "hero_precedence": HeroPrecedence,
    "hero_billing": HeroBilling,
    "accessible_rounding": AccessibleRounding,
    "hero_lending": HeroLending,
    "hero_clamp": HeroClamp,
    "invalid_class": InvalidClass,
    "configured_candidates": ConfiguredCandidates,
    "always_trigger": AlwaysTrigger,
    "invalid_selector": InvalidSelector,
    "fair_sharing_repair": FairSharingRepair,
    "repair_strategy": RepairStrategy,
    "repair_within_nominal": RepairWithinNominal,
    "execution_start": ExecutionStart,
    "limit_search": LimitSearch,
    "backoff_deadline": BackoffDeadline,
    "kai_version": KaiVersion,
}
"""The enum of every key."""

PROOFS_ONLY: Mapping[str, IntEnum] = {"accessible_rounding": AccessibleRounding.EXACT}
"""Choices that no decision is made under: amounts are whole numbers everywhere but in proofs."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One choice at every ambiguous place.

    Args:
        same_priority_gate, newer_than, requeue_order, wake, priority_steps, hero_scope, hero_precedence,
            hero_billing, accessible_rounding, hero_lending, hero_clamp, invalid_class, configured_candidates,
            always_trigger, invalid_selector, fair_sharing_repair, repair_strategy, repair_within_nominal,
            execution_start, limit_search, backoff_deadline, kai_version: see `spec/readings.toml`.
        name: the preset's name, followed by `+key=choice` for each override; takes no part in equality.

    >>> preset("released").newer_than.name
    'QUEUE_ORDER'
    """

    same_priority_gate: SamePriorityGate
    newer_than: NewerThan
    requeue_order: RequeueOrder
    wake: Wake
    priority_steps: PrioritySteps
    hero_scope: HeroScope
    hero_precedence: HeroPrecedence
    hero_billing: HeroBilling
    accessible_rounding: AccessibleRounding
    hero_lending: HeroLending
    hero_clamp: HeroClamp
    invalid_class: InvalidClass
    configured_candidates: ConfiguredCandidates
    always_trigger: AlwaysTrigger
    invalid_selector: InvalidSelector
    fair_sharing_repair: FairSharingRepair
    repair_strategy: RepairStrategy
    repair_within_nominal: RepairWithinNominal
    execution_start: ExecutionStart
    limit_search: LimitSearch
    backoff_deadline: BackoffDeadline
    kai_version: KaiVersion
    name: str = field(default="custom", compare=False)

    def choices(self) -> dict[str, str]:
        """Every key with its choice, in the words of `spec/readings.toml`.

        >>> preset("as-written").choices()["same_priority_gate"]
        'either'
        """
        return {key: getattr(self, key).name.lower() for key in CHOICES}

    def written(self) -> str | dict[str, str]:
        """The reading as a request may write it: a preset's name, or every choice.

        >>> preset("released").written()
        'released'
        >>> parse_reading({"newer_than": "reserved_after_created"}).written()["newer_than"]
        'reserved_after_created'
        """
        return self.name if self.name in preset_names() else self.choices()


@cache
def readings_file() -> Mapping[str, Any]:
    """The parsed `spec/readings.toml`."""
    return tomllib.loads(bundled("spec", "readings.toml").read_text(encoding="utf-8"))


def preset_names() -> tuple[str, ...]:
    """The presets' names, in the file's order.

    >>> preset_names()
    ('as-written', 'released', 'guaranteed')
    """
    return tuple(readings_file()["presets"])


def default_preset() -> str:
    """The name of the preset that is used by default.

    >>> default_preset()
    'guaranteed'
    """
    return str(readings_file()["default"])


@cache
def preset(name: str) -> Reading:
    """A preset by name.

    Raises:
        InputError: there is no such preset (field `reading`).

    >>> preset("guaranteed").same_priority_gate.name
    'EXPIRED_ONLY'
    """
    presets = readings_file()["presets"]
    if name not in presets:
        raise _unknown("reading", name, tuple(presets), "a preset")
    chosen: dict[str, Any] = {key: _choice(key, presets[name][key]) for key in CHOICES}
    return Reading(name=name, **chosen)


ReadingLike: TypeAlias = "str | Mapping[str, object] | Reading | None"
"""A reading as a user writes it, or one that is made already."""


def parse_reading(value: ReadingLike, *, for_proofs: bool = False) -> Reading:
    """A reading as a user writes it.

    Args:
        value: a preset's name; an object of overrides with an optional `preset`; None for the default; a
            reading for itself.
        for_proofs: whether choices are allowed that no decision is made under.

    Raises:
        InputError: unknown preset (field `reading` or `reading.preset`), key or choice (`reading.<key>`); a
            choice that is for proofs only.

    >>> parse_reading({"preset": "released", "same_priority_gate": "expired_only"}).name
    'released+same_priority_gate=expired_only'
    """
    if isinstance(value, Reading):
        return value
    if value is None:
        return preset(default_preset())
    if isinstance(value, str):
        return preset(value)
    if not isinstance(value, Mapping):
        raise InputError(
            [
                Problem(
                    field="reading", found=repr(value), expected="a preset's name or an object of overrides"
                )
            ]
        )
    return _overridden(value, for_proofs)


def _overridden(value: Mapping[str, object], for_proofs: bool) -> Reading:
    base_name = value.get("preset", default_preset())
    if not isinstance(base_name, str) or base_name not in preset_names():
        raise _unknown("reading.preset", base_name, preset_names(), "a preset")
    base = preset(base_name)
    overrides = {key: chosen for key, chosen in value.items() if key != "preset"}
    for key in overrides:
        if key not in CHOICES:
            raise _unknown(f"reading.{key}", key, tuple(CHOICES), "a reading key")
    parsed: dict[str, Any] = {key: _choice(key, chosen, for_proofs) for key, chosen in overrides.items()}
    suffix = "".join(f"+{key}={overrides[key]}" for key in CHOICES if key in overrides)
    return replace(base, name=base.name + suffix, **parsed)


def _choice(key: str, chosen: object, for_proofs: bool = False) -> IntEnum:
    withheld = None if for_proofs else PROOFS_ONLY.get(key)
    names = tuple(member.name.lower() for member in CHOICES[key] if member != withheld)
    if not isinstance(chosen, str) or chosen not in names:
        raise _unknown(f"reading.{key}", chosen, names, "a choice")
    return CHOICES[key][chosen.upper()]


def _unknown(place: str, found: object, known: tuple[str, ...], what: str) -> InputError:
    close = close_name(found, known)
    hint = f"; did you mean {close!r}?" if close else ""
    return InputError(
        [Problem(field=place, found=repr(found), expected=f"{what}: one of {', '.join(known)}{hint}")]
    )


assert tuple(CHOICES) == tuple(f.name for f in fields(Reading) if f.name != "name")

"""The plugin's arguments, from the scheduler's ConfigMap or from a SchedulingShard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.kai.arguments import DEFAULT_PREEMPT, DEFAULT_RECLAIM
from tenure.kai.intake.notes import Notes
from tenure.manifests import Place, show
from tenure.manifests.structure import dig, entries
from tenure.manifests.yaml_text import parse_yaml

PLUGIN = "minruntime"
KEY = "config.yaml"

Texts = dict[str, str]

_SHARD_FIELDS = (("preemptMinRuntime", DEFAULT_PREEMPT), ("reclaimMinRuntime", DEFAULT_RECLAIM))


def read_config_map(raw: object, place: Place, notes: Notes) -> Texts | None:
    """The plugin's arguments in the scheduler's ConfigMap; None for a ConfigMap of something else.

    Args:
        raw: the ConfigMap, untrusted.
        place: the object, for what is said about it.
        notes: gets what is wrong, a configuration without the plugin included.

    Source: KAI-Scheduler, MinRuntime Plugin, Plugin Configuration.

    >>> text = "tiers: [{plugins: [{name: minruntime, arguments: {reclaimResolveMethod: queue}}]}]"
    >>> read_config_map({"data": {"config.yaml": text}}, Place(), Notes())
    {'reclaimResolveMethod': 'queue'}
    """
    text = dig(raw, "data", KEY)
    if not isinstance(text, str) or "tiers" not in text:
        return None
    inner = Place(place.object, place.file, f"data[{KEY}]")
    documents, wrong = parse_yaml(text, place.file)
    notes.problems += [inner.problem(each.field, each.found, each.expected) for each in wrong]
    found = [document.content for document in documents if document.content is not None]
    if wrong or not found:
        return None
    return _of_tiers(found[0], inner, notes)


def _of_tiers(configuration: object, place: Place, notes: Notes) -> Texts | None:
    for index, tier in entries(dig(configuration, "tiers")):
        for number, plugin in entries(tier.get("plugins")):
            if plugin.get("name") == PLUGIN:
                at = f"tiers[{index}].plugins[{number}].arguments"
                return _texts(plugin.get("arguments"), at, place, notes)
    _refuse_absence(place, "tiers", notes)
    return None


def read_shard(raw: object, place: Place, notes: Notes) -> Texts | None:
    """The plugin's arguments as the operator writes them for a SchedulingShard.

    Args:
        raw: the SchedulingShard, untrusted.
        place: the object, for what is said about it.
        notes: gets what is wrong. Arguments under `plugins` replace those of `minRuntime`: a warning.

    Source: KAI-Scheduler, SchedulingShard.

    >>> read_shard({"spec": {"minRuntime": {"reclaimMinRuntime": "10m"}}}, Place(), Notes())
    {'defaultReclaimMinRuntime': '10m'}
    """
    given = _texts(dig(raw, "spec", "minRuntime"), "spec.minRuntime", place, notes)
    override = dig(raw, "spec", "plugins", PLUGIN)
    if dig(override, "enabled") is False:
        _refuse_absence(place, f"spec.plugins.{PLUGIN}.enabled", notes)
    made = {argument: given[field] for field, argument in _SHARD_FIELDS if field in given}
    if dig(override, "arguments") is None:
        return made
    if made:
        notes.warn(place, f"spec.plugins.{PLUGIN}.arguments replaces spec.minRuntime, which has no effect")
    return _texts(dig(override, "arguments"), f"spec.plugins.{PLUGIN}.arguments", place, notes)


def _texts(found: Any, path: str, place: Place, notes: Notes) -> Texts:
    if not isinstance(found, Mapping | None):
        notes.refuse(place, path, show(found), "a map of texts")
        return {}
    made: Texts = {}
    for name, value in (found or {}).items():
        if isinstance(name, str) and isinstance(value, str):
            made[name] = value
        elif value is not None:
            notes.refuse(place, f"{path}.{name}", show(value), "a text, in quotes")
    return made


def _refuse_absence(place: Place, path: str, notes: Notes) -> None:
    found = f"no plugin {PLUGIN} that runs"
    notes.refuse(
        place, path, found, "the plugin: without it nobody is protected, and there is nothing to ask"
    )

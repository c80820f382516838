"""Fields of the PreemptionConfig of the pending workload's ClusterQueue that a change may change."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tenure.explanation.counterfactuals.situation import Listed, Situation, Value
from tenure.model import (
    ApiEnum,
    CandidateScope,
    Cluster,
    Comparison,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    Trigger,
)
from tenure.oracle.decide import Decision

_NOT_TRIED: Final = "labels, numeric labels and names of priority classes of PreemptionConfigs"


def not_tried(decision: Decision) -> tuple[str, ...]:
    """What a PreemptionConfig reads and what limits it, where that is not searched.

    Args:
        decision: the decision whose answer is to change.
    """
    if decision.queue.preemption_config is None:
        return ()
    cluster = decision.snapshot.cluster
    minimums = ("minExecutionDuration",) if cluster.execution_minimums else ()
    return (_NOT_TRIED, *minimums, *(("PreemptionLimits",) if cluster.limits_in_force else ()))


@dataclass(frozen=True, slots=True)
class ConfigField(Listed):
    """A word in a PreemptionConfig.

    Args:
        config: its name.
        path: of the field in the manifest.
        rule: the place of its rule.
        selector: the place of its candidate selector; None for a field of the rule itself.
        attribute: of the model.
        choices: the words that are tried.
    """

    config: str
    path: str
    rule: int
    selector: int | None
    attribute: str
    choices: tuple[ApiEnum, ...]

    @property
    def object(self) -> str:
        return f"PreemptionConfig/{self.config}"

    @property
    def field(self) -> str:
        return self.path

    @property
    def kind(self) -> tuple[str, str]:
        """One of its own: two selectors are not alike."""
        return self.path, ""

    def read(self, situation: Situation) -> Value:
        rule = _config(situation.cluster, self.config).rules[self.rule]
        found: object = rule if self.selector is None else rule.candidates[self.selector]
        value = getattr(found, self.attribute)
        assert isinstance(value, int)
        return value

    def write(self, situation: Situation, value: Value) -> Situation:
        config = _config(situation.cluster, self.config)
        rule = _with(config.rules[self.rule], self.selector, {self.attribute: value})
        rules = (*config.rules[: self.rule], rule, *config.rules[self.rule + 1 :])
        configs = dict(situation.cluster.preemption_configs or {})
        configs[self.config] = dataclasses.replace(config, rules=rules)
        return situation.with_cluster(preemption_configs=configs)

    def show(self, value: Value) -> str:
        assert isinstance(value, ApiEnum)
        return value.label

    def values(self, decision: Decision) -> Iterator[Value]:
        """Every word."""
        del decision
        yield from self.choices


def _config(cluster: Cluster, name: str) -> PreemptionConfig:
    return (cluster.preemption_configs or {})[name]


def _with(rule: PreemptionRule, selector: int | None, change: dict[str, Any]) -> PreemptionRule:
    if selector is None:
        return dataclasses.replace(rule, **change)
    changed = dataclasses.replace(rule.candidates[selector], **change)
    return dataclasses.replace(
        rule, candidates=(*rule.candidates[:selector], changed, *rule.candidates[selector + 1 :])
    )


def config_knobs(situation: Situation) -> Iterator[ConfigField]:
    """The scopes, comparisons, modes and triggers of the PreemptionConfig that the ClusterQueue names.

    Args:
        situation: where; none where there is no such PreemptionConfig.
    """
    name = situation.cluster.cluster_queues[situation.queue].preemption_config
    config = None if name is None else (situation.cluster.preemption_configs or {}).get(name)
    for place, rule in enumerate(() if config is None else config.rules):
        assert config is not None
        where = f"spec.rules[{place}]"
        triggers = (Trigger.ALWAYS, Trigger.INSUFFICIENT_QUOTA)
        yield ConfigField(config.name, f"{where}.activationPolicy.trigger", place, None, "trigger", triggers)
        for number, selector in enumerate(rule.candidates):
            own = f"{where}.candidateSelectors[{number}]"
            yield ConfigField(config.name, f"{own}.scope", place, number, "scope", (*CandidateScope,))
            if selector.comparison is None:
                continue
            path, compared = f"{own}.priority.comparison", (*Comparison,)
            yield ConfigField(config.name, path, place, number, "comparison", compared)
            if situation.cluster.settings.priority_boost:
                path, modes = f"{own}.priority.mode", (*PriorityMode,)
                yield ConfigField(config.name, path, place, number, "mode", modes)

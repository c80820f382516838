"""The cluster of a play at an instant, on standard output."""

from __future__ import annotations

from collections.abc import Sequence

from tenure.apps.cli.output import Output, print_answer
from tenure.errors import bad_input
from tenure.manifests import parse_duration, parse_instant
from tenure.model import Instant
from tenure.readings import Reading
from tenure.timeline import AnyScenario, Scenario
from tenure.timeline.export import cluster_at
from tenure.units import format_instant


def print_objects(
    scenarios: Sequence[AnyScenario], readings: Sequence[Reading], at: str, output: Output
) -> None:
    """Print the cluster of one play at an instant.

    Args:
        scenarios, readings: of the command line; there must be one of each.
        at: the instant, a time or a duration after the start.
        output: as JSON, one List; else YAML.

    Raises:
        InputError: several plays, or one of KAI-Scheduler; an instant that is not in the play.
    """
    if len(scenarios) * len(readings) != 1:
        raise bad_input("--objects", "several plays", "one scenario and one reading")
    scenario, reading = scenarios[0], readings[0]
    if not isinstance(scenario, Scenario):
        raise bad_input("--objects", "a play of KAI-Scheduler", "one of Kueue")
    objects, clock = cluster_at(scenario, reading, instant_within(scenario, at, "--at"))
    if output == Output.JSON:
        print_answer(output, {"apiVersion": "v1", "kind": "List", "items": objects}, ())
        return
    import yaml

    print(f"# {scenario.name} under {reading.name}; decide with --now {format_instant(clock)}")
    print(yaml.safe_dump_all(objects, sort_keys=False, allow_unicode=True), end="")


def instant_within(scenario: AnyScenario, text: str, option: str) -> Instant:
    """An instant of a play.

    Args:
        scenario: what is played.
        text: a time, or a duration after the start.
        option: the option that says it.

    Raises:
        InputError: no such time, or one before the start or after the end.
    """
    if "T" in text:
        found = parse_instant(text, field=option)
    else:
        found = scenario.start + parse_duration(text, field=option)
    if not scenario.start <= found <= scenario.end:
        raise bad_input(option, text, f"a time within the play of {scenario.name}")
    return found

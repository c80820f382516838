"""A PreemptionConfig where only a number of pods is short: quota fits, as triggers see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import tenure

FILE = Path(__file__).parents[1] / "recorded" / "preemption-config.yaml"
NOW = ("--now", "2026-09-01T10:00:00Z")
TOPOLOGY = "QuotaFeasibleAndInsufficientTopology"


def printed(*words: str) -> str:
    done = tenure(*words)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The hero's ClusterQueue has quota for one pod and 9 cpu; its rule takes from its own workloads."""
    text = FILE.read_text().replace(
        "{coveredResources: [cpu], flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]}",
        "{coveredResources: [cpu, pods], flavors: [{name: default, "
        "resources: [{name: cpu, nominalQuota: 9}, {name: pods, nominalQuota: 1}]}]}",
    )
    text = text.replace("WithinParentCohort", "WithinClusterQueue")
    text = text.replace(
        "flavors: {cpu: default}, resourceUsage: {",
        "flavors: {cpu: default, pods: default}, resourceUsage: {pods: 1, ",
    )
    copy = tmp_path / "cluster.yaml"
    copy.write_text(text)
    return str(copy)


def trigger(name: str) -> tuple[str, str]:
    return ("--set", f"preemptionconfig/hero-config.spec.rules[name=any].activationPolicy.trigger={name}")


def test_a_new_workload_could_preempt_by_a_topology_trigger(file: str) -> None:
    text = printed("why", "hero/a1", file, *NOW, *trigger(TOPOLOGY))
    assert "1 of 3 pending workloads preempts hero/a1, each decided alone: hero/incoming" in text
    assert "could preempt hero/a1 (priority 0) now with any priority in hero" in text


def test_a_trigger_about_quota_is_the_obstacle(file: str) -> None:
    text = printed("why-not", "hero/incoming", file, *NOW, *trigger("InsufficientQuota"))
    assert "activationPolicy.trigger of PreemptionConfig hero-config is InsufficientQuota" in text
    assert "it is not tried where only a number of pods is short" in text


def test_what_a_tier_found_is_as_it_was_tried(file: str) -> None:
    text = printed("decide", "-w", "hero/incoming", file, "-v", *NOW, *trigger("InsufficientQuota"))
    assert "tier InsufficientQuota: not tried, because the request fits by quota" in text
    text = printed("decide", "-w", "hero/incoming", file, "-v", *NOW, *trigger(TOPOLOGY))
    assert f"tier {TOPOLOGY}: 1 tried, after the candidates of spec.preemption" in text


def test_a_topology_trigger_is_not_warned_of(file: str, tmp_path: Path) -> None:
    (tmp_path / "changed.yaml").write_text(Path(file).read_text().replace("Always", TOPOLOGY))
    assert "never applies" not in printed("validate", str(tmp_path / "changed.yaml"))

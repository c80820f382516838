"""Decisions and forecasts follow a PreemptionConfig; analyses name the one that their answer rests on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import tenure
from tools import libyaml

FILE = Path(__file__).parents[1] / "recorded" / "preemption-config.yaml"
NOW = ("--now", "2026-09-01T10:00:00Z")
SAID = "not known: "
GATE = ("--feature-gates", "ConfigurablePreemptions=false")


def said(*words: str, code: int = 0, file: Path = FILE) -> str:
    """What a command prints, on both streams."""
    done = tenure(*words, str(file))
    assert done.returncode == code, done.stderr.decode()
    return (done.stdout + done.stderr).decode()


def read(*words: str, code: int = 0, file: Path = FILE) -> Any:
    done = tenure(*words, str(file), "-o", "json")
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout)


def changed(folder: Path, kind: str, change: Any) -> Path:
    """A copy in which one object is changed; None leaves it out."""
    objects = [raw for raw in libyaml.load_all(FILE.read_text()) if raw]
    kept = [change(raw) if raw["kind"] == kind else raw for raw in objects]
    copy = folder / "cluster.yaml"
    copy.write_text(libyaml.dump_all([raw for raw in kept if raw]))
    return copy


def test_a_workload_of_the_queue_is_decided_and_says_from_what() -> None:
    text = said("decide", "-w", "hero/incoming", *NOW)
    assert "preempt b/b1  ConfigurablePreemption  by PCF-070, PCF-080" in text
    assert "gate ConfigurablePreemptions on, which v0.20 has off by default" in text
    assert "PreemptionConfigs from the text of Kueue v0.20 and its tests, not run" in text
    on = said("decide", "-w", "hero/incoming", *NOW, "--feature-gates", "ConfigurablePreemptions=true")
    assert "off by default" not in on
    assert "from the text of Kueue v0.20" in said("why", "b/b1", "-w", "hero/incoming", *NOW)


def test_no_decision_is_made_without_the_objects(tmp_path: Path) -> None:
    file = changed(tmp_path, "PreemptionConfig", without)
    text = said("decide", "-w", "hero/incoming", *NOW, code=2, file=file)
    assert "not known: PreemptionConfig hero-config of ClusterQueue hero is not given: add it" in text


def test_a_config_that_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    def later(raw: Any) -> Any:
        raw["spec"]["rules"][0]["candidateSelectors"][0]["scope"] = "WithinRegion"
        return raw

    file = changed(tmp_path, "PreemptionConfig", later)
    text = said("decide", "-w", "hero/incoming", *NOW, code=2, file=file)
    assert "ClusterQueue hero cannot be read: spec.rules[0].candidateSelectors[0].scope" in text
    assert read("decide", "-w", "b/waits", *NOW, file=file)["decision"] == "NoCandidates"


def test_flavors_with_a_topology_are_not_known(tmp_path: Path) -> None:
    file = changed(tmp_path, "ResourceFlavor", lambda raw: {**raw, "spec": {"topologyName": "racks"}})
    text = said("decide", "-w", "hero/incoming", *NOW, code=2, file=file)
    assert (
        "not known: PreemptionConfig hero-config of ClusterQueue hero is not modelled for flavors with"
        in text
    )


def test_a_missing_config_and_an_invalid_selector_are_warnings(tmp_path: Path) -> None:
    file = changed(tmp_path, "PreemptionConfig", lambda raw: {**raw, "metadata": {"name": "hero-confg"}})
    text = said("decide", "-w", "hero/incoming", *NOW, file=file)
    assert "NoCandidates" in text
    assert "PreemptionConfig hero-config does not exist, and counts as none; there is hero-confg" in text

    def misspelt(raw: Any) -> Any:
        wrong = {"key": "tier", "operator": "Notin", "values": ["low"]}
        raw["spec"]["rules"][0]["candidateSelectors"][0]["labelSelector"] = {"matchExpressions": [wrong]}
        return raw

    file = changed(tmp_path, "PreemptionConfig", misspelt)
    text = said("decide", "-w", "hero/incoming", *NOW, file=file)
    assert "labelSelector: operator Notin of label tier is none; did you mean NotIn?" in text
    assert "an invalid selector stops PreemptionConfig hero-config (rule any: operator Notin" in text


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_all_are_decided(engine: str) -> None:
    rows = read("decide", "-a", "--engine", engine, *NOW)["pending"]
    found = {row["workload"]: row["decision"] for row in rows}
    assert found == {"apart/fits": "Fit", "b/waits": "NoCandidates", "hero/incoming": "Preempt"}
    (configured,) = (row for row in rows if row["workload"] == "hero/incoming")
    assert configured["preempted"][0]["reason"] == "ConfigurablePreemption"
    assert "leftToReference" not in configured


def test_the_coming_cycles_follow_it() -> None:
    text = said("next", *NOW)
    assert "hero/incoming (hero): preempts b/b1 ConfigurablePreemption" in text
    assert SAID not in text
    asked = said("next", "hero/incoming", *NOW)
    assert "preempts b/b1 ConfigurablePreemption" in asked
    assert "hero/incoming is admitted in cycle" in asked


def test_next_sets_the_tree_aside_where_the_config_is_not_given_and_goes_on_with_the_others(
    tmp_path: Path,
) -> None:
    file = changed(tmp_path, "PreemptionConfig", without)
    missing = "not known: PreemptionConfig hero-config of ClusterQueue hero is not given: add it"
    text = said("next", *NOW, file=file)
    assert missing in text
    assert "1 admitted" in text
    assert missing in said("next", "b/waits", *NOW, code=2, file=file)


def two_configs(raw: Any) -> Any:
    annotations = {"kueue.x-k8s.io/preemption-config-name": f"{raw['metadata']['name']}-config"}
    if raw["metadata"]["name"] in ("hero", "apart"):
        raw["metadata"]["annotations"] = annotations
    return raw


def test_a_tree_with_a_config_is_followed_beside_one_that_is_set_aside(tmp_path: Path) -> None:
    file = changed(tmp_path, "ClusterQueue", two_configs)
    topology = {"spec": {"topologyName": "racks"}, "apiVersion": "kueue.x-k8s.io/v1beta2"}
    racks = {**topology, "kind": "ResourceFlavor", "metadata": {"name": "racks"}}
    text = file.read_text().replace("name: default", "name: racks") + "---\n" + libyaml.dump(racks)
    before, _, after = text.partition("  name: apart")
    file.write_text(before.replace("name: racks", "name: default") + "  name: apart" + after)
    found = said("next", *NOW, file=file)
    assert "ClusterQueue apart is not modelled for flavors with a topology" in found
    assert "preempts b/b1 ConfigurablePreemption" in found


def test_a_scenario_is_played_with_it(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(FILE.read_text())
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(libyaml.dump({"until": "1m", "files": ["cluster.yaml"], "start": NOW[1]}))
    text = said("simulate", file=scenario)
    assert "preempted for hero/incoming" in text
    assert "ConfigurablePreemption" in text


def test_a_trace_is_refused(tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text("job_id,queue,submit_s,duration_s,cpus,priority\n1,b,0,60,1,0\n")
    done = tenure("simulate", str(FILE), "--trace", str(trace), "--size-column", "cpus")
    assert done.returncode == 2
    assert (
        "ClusterQueue/hero: metadata.annotations[kueue.x-k8s.io/preemption-config-name]: found 'hero-config'"
        ", expected none: --trace does not follow PreemptionConfigs, a scenario file does"
    ) in done.stderr.decode()


def test_a_difference_of_decisions_follows_it() -> None:
    text = said("diff", str(FILE), *NOW)
    assert SAID not in text
    assert "no decision changes" in text


def test_cells_follow_the_config() -> None:
    answer = read("analyze", "matrix", "--no-cache")
    verdicts = {
        (cell["preemptor"]["clusterQueue"], cell["victim"]["clusterQueue"]): cell["verdict"]
        for cell in answer["cells"]
    }
    assert {pair for pair, verdict in verdicts.items() if verdict == "can"} == {
        ("hero", "hero"),
        ("hero", "b"),
    }
    assert set(verdicts.values()) == {"can", "never"}
    (cell, *_) = (cell for cell in answer["cells"] if cell["verdict"] == "can")
    (reason,) = cell["reasons"]
    assert reason["reason"] == "ConfigurablePreemption"


def without(raw: Any) -> None:
    return None


def reaching_anywhere(raw: Any) -> Any:
    raw["spec"]["rules"][0]["candidateSelectors"][0]["scope"] = "AnyClusterQueue"
    return raw


@pytest.mark.parametrize(("change", "code", "verdict"), [(without, 5, "?"), (reaching_anywhere, 0, "can")])
def test_a_config_of_any_reach_touches_all_trees(
    change: Any, code: int, verdict: str, tmp_path: Path
) -> None:
    """A victim of another tree frees no quota."""
    file = changed(tmp_path, "PreemptionConfig", change)
    answer = read("analyze", "matrix", "--no-cache", code=code, file=file)
    mine = [cell for cell in answer["cells"] if cell["preemptor"]["clusterQueue"] == "hero"]
    found = {cell["victim"]["clusterQueue"]: cell["verdict"] for cell in mine}
    assert found == {"hero": verdict, "b": verdict, "apart": "never"}
    answer = read("analyze", "loops", code=5, file=file)
    known = {tree["tree"]: bool(tree["notKnown"]) for tree in answer["trees"]}
    assert known == {"cohort all": verdict == "?", "apart": False}


def test_guarantees_follow_the_config() -> None:
    text = said("analyze", "guarantees", "--no-cache")
    assert "hero (any priority)" in text
    assert "always get their nominal quota: apart, hero" in text


def test_no_loop_is_excluded() -> None:
    text = said("analyze", "loops", code=5)
    assert "PreemptionConfig/hero-config spec.rules[0].candidateSelectors[0]: any victim" in text
    tree = next(part for part in text.split("\n\n") if "cohort all" in part)
    assert "no loop" not in tree


def test_a_comparison_of_configurations_follows_the_config() -> None:
    assert SAID not in said("analyze", "diff", "--no-cache", str(FILE))


def test_what_is_asserted_of_every_state_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(FILE.read_text())
    asserted = {
        "manifests": ["cluster.yaml"],
        "never": [{"preemptor": {"clusterQueue": "hero"}, "victim": {"clusterQueue": "b"}}],
        "noLoop": {"upTo": 2},
        "reaches": {"clusterQueue": "hero", "nominal": True},
    }
    file = tmp_path / "all.tenure.yaml"
    file.write_text(libyaml.dump(asserted))
    text = said("analyze", "check", "--no-cache", code=1, file=file)
    assert "PASS" not in text
    assert "ConfigurablePreemption" in text


def test_validation_finds_nothing_wrong_unless_the_server_refuses() -> None:
    assert "ClusterQueue/hero" not in said("validate")
    assert "kind: Kueue 0.19 does not serve this kind" in said("validate", "--kueue", "0.19", code=1)


@pytest.mark.parametrize("words", [GATE, ("--kueue", "0.19")])
def test_without_the_gate_it_decides_nothing(words: tuple[str, ...]) -> None:
    answer = read("decide", "-w", "hero/incoming", *NOW, *words)
    assert answer["decision"] == "NoCandidates"


def test_the_configuration_switches_it_off(tmp_path: Path) -> None:
    configured = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "featureGates": {"ConfigurablePreemptions": False},
    }
    file = tmp_path / "cluster.yaml"
    file.write_text(f"{FILE.read_text()}---\n{libyaml.dump(configured)}")
    assert read("decide", "-w", "hero/incoming", *NOW, file=file)["decision"] == "NoCandidates"
    assert SAID not in said("analyze", "loops", file=file)
    assert "false, as the Configuration" in said(
        "decide", "-a", *NOW, "--feature-gates", "ConfigurablePreemptions=true", code=2, file=file
    )


def with_quotas(raw: Any) -> Any:
    if raw["metadata"]["name"] == "b":
        raw["status"] = {"effectiveQuotas": {"resourceGroups": []}}
    raw["metadata"].pop("annotations", None)
    return raw


def test_quotas_of_a_status_touch_the_whole_tree(tmp_path: Path) -> None:
    file = changed(tmp_path, "ClusterQueue", with_quotas)
    quotas = "not known: status.effectiveQuotas of ClusterQueue b is not modelled"
    for words in (("decide", "-w", "hero/incoming"), ("decide", "-w", "b/waits"), ("show",)):
        option = ("-f",) if words == ("show",) else ()
        assert quotas in said(*words, *NOW, *option, code=2, file=file)
    assert read("decide", "-w", "apart/fits", *NOW, file=file)["decision"] == "Fit"
    answer = read("analyze", "matrix", "--no-cache", code=5, file=file)
    known = {cell["verdict"] for cell in answer["cells"] if cell["preemptor"]["clusterQueue"] == "apart"}
    assert known == {"never"}


def test_gates_of_fair_sharing_are_refused_where_the_command_line_switches_that_on(tmp_path: Path) -> None:
    def file(gate: str) -> Path:
        configured = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "kind": "Configuration",
            "featureGates": {gate: True},
        }
        copy = tmp_path / f"{gate}.yaml"
        copy.write_text(f"{FILE.read_text()}---\n{libyaml.dump(configured)}")
        return copy

    again, refill = file("FairSharingReevaluatePreemptionCandidates"), file("FairSharingRefill")
    asked = ("-w", "b/waits", *NOW)
    for found in (again, refill):
        assert read("decide", *asked, file=found)["decision"] == "NoCandidates"
    assert "a second run of the first strategy" in said(
        "decide", *asked, "--fair-sharing", "default", code=2, file=again
    )
    assert read("decide", *asked, "--fair-sharing", "default", file=refill)["decision"] == "NoCandidates"
    assert "joins the cycle" in said("next", *NOW, "--fair-sharing", "default", code=2, file=refill)

"""A finding as a report to those who maintain its source: manifests, what is expected, what happens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from docs.gen.elsewhere import documents, source_of_finding
from docs.gen.markdown import Pages, folded
from docs.gen.sources import ROOT, vectors
from tenure.conformance.vectors import Vector
from tenure.pages import Page
from tools.lints.pages import findings

_KAI: Final = "https://github.com/kai-scheduler/KAI-Scheduler"
SHIPPED: Final = ("shipped", "fixed")
"""The status of findings about what a released scheduler does, or did."""
_LISTS: Final = ("resourceFlavors", "cohorts", "clusterQueues", "workloadPriorityClasses", "admitted")
_WIDTH: Final = 118


def first_findings() -> list[Page]:
    """The findings that matter first to those who maintain the sources, in their order."""
    return sorted(
        (page for page in findings(ROOT) if "first" in page.front), key=lambda page: page.front["first"]
    )


def reports() -> Pages:
    """The reports as files of the site."""
    return {path_of(page): report(page) for page in first_findings()}


def path_of(page: Page) -> str:
    """Where a report is, below `docs/`."""
    return f"findings/upstream/{page.id}.txt"


def reported(page: Page) -> Iterator[str]:
    """The part of a finding that has the text of the report."""
    if "first" not in page.front:
        return
    proposal = documents().get(str(page.front["source"]).partition(",")[0])
    where = f"[the issue of the proposal]({proposal})" if proposal else f"[an issue]({_KAI}/issues/new)"
    said = f"A text for {where}, also [as a file](upstream/{page.id}.txt):"
    yield folded("Report it", [said, f"~~~~markdown\n{report(page).rstrip()}\n~~~~"])


def report(page: Page) -> str:
    """The text of an issue, in the form that both projects ask for."""
    vector = next(vector for vector in vectors() if vector.id == page.front["vectors"][0])
    words, address = source_of_finding(page)
    given = vector.data["input"]
    parts = [
        f"**{page.title}**",
        f"About {words}: {address}",
        f"**What happened**:\n\n{page.front['actual']}",
        f"**What you expected to happen**:\n\n{page.front['expected']}",
        f"**How to reproduce it (as minimally and precisely as possible)**:\n\nAt {given['now']}:",
        f"```yaml\n{_manifests(given)}```",
        f"Replayed by `{command_of(vector)}`, with these manifests as `report.yaml`.",
        *_shown(page),
    ]
    return "\n\n".join(parts) + "\n"


def command_of(vector: Vector) -> str:
    """The command that answers from the manifests of a report what its vector says."""
    given = vector.data["input"]
    if vector.data["call"] == "minruntime":
        jobs = (
            f"-w default/{given['preemptor']} --victim default/{given['victim']} --action {given['action']}"
        )
        return f"tenure kai filter report.yaml {jobs} --now {given['now']}"
    asked = f"--now {given['now']} --reading {vector.data['reading']}"
    if vector.data["call"] == "accessible":
        return f"tenure show -f report.yaml {asked}"
    pending = given["incoming"]["metadata"]
    return f"tenure decide report.yaml -w {pending['namespace']}/{pending['name']} {asked}"


def _shown(page: Page) -> Iterator[str]:
    """How the scheduler itself shows it, where it ships it."""
    if page.front["status"] in SHIPPED:
        yield (
            "Shown by the plugin's own code, from a checkout, among the answers of "
            "`make peers-kai KAI_CHECKOUT=folder` in Tenure's repository (`tests/peers/shipped`)."
        )


def _manifests(given: Mapping[str, Any]) -> str:
    objects = [item for name in _LISTS for item in given.get(name) or ()]
    objects += [given["incoming"]] if "incoming" in given else []
    objects += list(_kai(given)) if "queues" in given else []
    return "---\n".join(yaml.safe_dump(_filled(item), sort_keys=False, width=_WIDTH) for item in objects)


def _filled(manifest: dict[str, Any]) -> dict[str, Any]:
    """A manifest without the fields that say nothing."""
    kept = {name: value for name, value in manifest.items() if value not in ({"conditions": []}, {}, None)}
    return {name: value for name, value in kept.items() if value != ""}


def _kai(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Queues, PodGroups and Pods of KAI-Scheduler, from a case of the plugin."""
    for queue in given["queues"]:
        spec = {
            "parentQueue": queue["parent"],
            **{name: queue[name] for name in _RUNTIMES if queue[name] is not None},
        }
        yield {
            "apiVersion": "scheduling.run.ai/v2",
            "kind": "Queue",
            "metadata": {"name": queue["name"]},
            "spec": _filled(spec),
        }
    for job in given["jobs"]:
        started = {"kai.scheduler/last-start-timestamp": job["lastStart"]} if job["lastStart"] else {}
        yield {
            "apiVersion": "scheduling.run.ai/v2alpha2",
            "kind": "PodGroup",
            "metadata": _filled({"name": job["name"], "annotations": started}),
            "spec": {
                "queue": job["queue"],
                "minMember": sum(group["minAvailable"] for group in job["subGroups"]),
            },
        }
        for pod in (pod for group in job["subGroups"] for pod in group["pods"]):
            yield {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"{job['name']}-{pod['name']}",
                    "annotations": {"pod-group-name": job["name"]},
                },
                "status": {"phase": pod["status"]},
            }


_RUNTIMES: Final = ("preemptMinRuntime", "reclaimMinRuntime")

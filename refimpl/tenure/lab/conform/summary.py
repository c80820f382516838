"""A scenario and what was said about it, for a person to read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tenure.lab.conform.compare import Compared

Object = dict[str, Any]


def both_answers(compared: Compared) -> Iterator[str]:
    """What came of it, and what both sides say."""
    yield f"verdict  {compared.verdict}"
    yield f"ours     {_said(compared.ours)}"
    yield f"theirs   {_said(compared.theirs)}"


def summary(compared: Compared) -> Iterator[str]:
    """Both answers, then a drawn scenario: a line for each object."""
    scenario = compared.scenario
    yield from both_answers(compared)
    for key in ("fairSharing", "featureGates", "requeuingTimestamp"):
        yield f"  {key}: {scenario.get(key)}"
    for cohort in scenario["cohorts"]:
        yield f"  cohort {_queue(cohort)}"
    for queue in scenario["clusterQueues"]:
        mark = "  <- target" if queue["metadata"]["name"] == scenario["targetCQ"] else ""
        yield f"  queue  {_queue(queue)}{mark}"
    for flavor in scenario["resourceFlavors"]:
        yield f"  flavor {flavor['metadata']['name']} {flavor['spec'] or ''}"
    for workload in scenario["admitted"]:
        yield f"  holds  {_workload(workload)}"
    yield f"  asks   {_workload(scenario['incoming'])}"


def _said(answer: Object) -> str:
    if "error" in answer:
        error = answer["error"]
        return f"error {error.get('code')} at {error.get('field')!r}: {error.get('message')}"
    output = answer["output"]
    if not isinstance(output, dict) or "decision" not in output:
        return json.dumps(output, ensure_ascii=False)
    return " | ".join(_output(each) for each in output.get("variants") or [output])


def _output(output: Object) -> str:
    taken = [
        ":".join([each["workload"], each["reason"], *each.get("rules", ())])
        for each in output.get("preempted") or ()
    ]
    return " ".join([output["decision"], *taken])


def _queue(raw: Object) -> str:
    spec = raw["spec"]
    parent = spec.get("cohortName") or spec.get("parentName")
    quotas = [
        f"{flavor['name']}/{quota['name']}={quota['nominalQuota']}"
        f"{_limit('+', quota.get('borrowingLimit'))}{_limit('-', quota.get('lendingLimit'))}"
        for group in spec.get("resourceGroups") or ()
        for flavor in group["flavors"]
        for quota in flavor["resources"]
    ]
    more = [f"{key}={spec[key]}" for key in ("preemption", "flavorFungibility", "fairSharing") if key in spec]
    return " ".join([raw["metadata"]["name"], f"in {parent}" if parent else "root", *quotas, *more])


def _limit(sign: str, limit: str | None) -> str:
    return "" if limit is None else f"{sign}{limit}"


def _workload(raw: Object) -> str:
    metadata, status = raw["metadata"], raw.get("status") or {}
    admission = status.get("admission") or {}
    amounts = [
        f"{assigned['flavors'].get(resource)}/{resource}={amount}"
        for assigned in admission.get("podSetAssignments") or ()
        for resource, amount in assigned["resourceUsage"].items()
    ]
    asked = [_pod_set(each) for each in raw["spec"]["podSets"]] if not admission else []
    conditions = [
        f"{each['type']}={each['status']}/{each.get('reason')}@{each['lastTransitionTime'][11:19]}"
        for each in status.get("conditions") or ()
    ]
    extra = [f"{key}={status[key]}" for key in ("reclaimablePods",) if key in status]
    extra += [str(metadata["annotations"])] if metadata.get("annotations") else []
    return " ".join(
        [
            f"{metadata['namespace']}/{metadata['name']} uid={metadata.get('uid')}",
            f"priority={raw['spec'].get('priority')} created={metadata.get('creationTimestamp', '')[11:19]}",
            *([f"in {admission['clusterQueue']}"] if admission else []),
            *amounts,
            *asked,
            *conditions,
            *extra,
        ]
    )


def _pod_set(raw: Object) -> str:
    spec = raw["template"]["spec"]
    requests = [each["resources"]["requests"] for each in spec["containers"]]
    ties = {key: spec[key] for key in ("nodeSelector", "affinity", "tolerations") if key in spec}
    least = f" min {raw['minCount']}" if "minCount" in raw else ""
    return f"{raw['count']}x{requests}{least} {ties or ''}".rstrip()

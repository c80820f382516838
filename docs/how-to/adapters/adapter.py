import json
import sys


class NotModelledError(Exception):
    """What this scheduler has no notion of."""


def one(items, what):
    if len(items) != 1:
        raise NotModelledError(f"{len(items)} {what}")
    return items[0]


def quantity(written):
    text = str(written)
    if text.isdigit():
        return 1000 * int(text)
    if text.endswith("m") and text[:-1].isdigit():
        return int(text[:-1])
    raise NotModelledError(f"quantity {text}")


def condition(workload, kind):
    for found in workload["status"].get("conditions") or ():
        if found["type"] == kind and found["status"] == "True":
            return found
    return None


def running(workload):
    admission = one(workload["status"]["admission"]["podSetAssignments"], "pod sets")
    reserved = condition(workload, "QuotaReserved")
    if reserved is None or condition(workload, "Evicted"):
        raise NotModelledError("a workload that is leaving, or has no reservation")
    return {
        "name": f"{workload['metadata']['namespace']}/{workload['metadata']['name']}",
        "queue": workload["status"]["admission"]["clusterQueue"],
        "uid": workload["metadata"]["uid"],
        "priority": workload["spec"].get("priority", 0),
        "reserved": reserved["lastTransitionTime"],
        "amount": quantity(one(list(admission["resourceUsage"].values()), "resources")),
    }


def read(given):
    queue = one(given["clusterQueues"], "ClusterQueues")
    preemption = queue["spec"].get("preemption") or {}
    if queue["spec"].get("cohortName") or preemption.get("withinClusterQueue") != "LowerPriority":
        raise NotModelledError("a cohort, or another policy")
    if any((given.get("featureGates") or {}).get(gate) for gate in ("PriorityBoost",)):
        raise NotModelledError("priority boosts")
    flavor = one(one(queue["spec"].get("resourceGroups") or (), "resource groups")["flavors"], "flavors")
    for defined in given.get("resourceFlavors") or ():
        if defined.get("spec"):
            raise NotModelledError("labels and taints of a flavor")
    pods = one(given["incoming"]["spec"]["podSets"], "pod sets")
    requests = one(pods["template"]["spec"]["containers"], "containers")["resources"].get("requests") or {}
    resource, request = one(list(requests.items()), "requests")
    quota = one(flavor["resources"], "quotas")
    if "minCount" in pods or resource != quota["name"] or quantity(request) == 0:
        raise NotModelledError("fewer pods, a request of nothing or of something else")
    if given["incoming"].get("status", {}).get("reclaimablePods"):
        raise NotModelledError("pods that are done")
    return {
        "nominal": quantity(quota["nominalQuota"]),
        "request": pods["count"] * quantity(request),
        "priority": given["incoming"]["spec"].get("priority", 0),
        "running": [running(workload) for workload in given["admitted"]],
    }


def decide(nominal, request, priority, running):
    """The scheduler: which workloads are preempted, in which order."""
    if request > nominal:
        return "NoFit", []
    free = nominal - sum(workload["amount"] for workload in running)
    if request <= free:
        return "Fit", []
    lower = [victim for victim in running if victim["priority"] < priority and victim["amount"]]
    lower.sort(key=lambda victim: victim["uid"])
    lower.sort(key=lambda victim: victim["reserved"], reverse=True)
    lower.sort(key=lambda victim: victim["priority"])
    leaving = []
    for victim in lower:
        if request <= free:
            break
        leaving.append(victim)
        free += victim["amount"]
    if request > free:
        return "NoCandidates", []
    return "Preempt", leaving


def answer(asked):
    if asked["call"] == "version":
        return {"output": {"adapter": "0.1"}}
    try:
        decision, leaving = decide(**read(asked["input"]))
    except NotModelledError as reason:
        return {"error": {"code": "not-modelled", "message": str(reason), "field": ""}}
    preempted = [
        {"workload": victim["name"], "clusterQueue": victim["queue"], "reason": "InClusterQueue"}
        for victim in leaving
    ]
    return {"output": {"decision": decision, "preempted": preempted}}


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], **answer(asked)}), flush=True)

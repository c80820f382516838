"""What is in a scenario: predicates on the `input` alone, for histograms and for tuning.

None of them asks the oracle: they say how often a campaign visits ties and boundaries, so they must not
depend on what the oracle makes of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tenure.lab.strategies.amounts import PODS, read
from tenure.lab.strategies.ledger import Ledger, Node, Place, depth, is_reserved, quotas_of, usage_of
from tenure.model import Amount

Object = dict[str, Any]


def is_fair(scenario: Object) -> bool:
    """Whether fair sharing decides.

    >>> is_fair({"fairSharing": {"preemptionStrategies": []}})
    True
    """
    return scenario.get("fairSharing") is not None


def levels(scenario: Object) -> int:
    """How many cohorts are above the target; 0 for one that stands alone.

    >>> levels({"clusterQueues": [{"metadata": {"name": "q"}, "spec": {}}], "cohorts": [], "targetCQ": "q"})
    0
    """
    ledger = Ledger(scenario["clusterQueues"], scenario["cohorts"])
    return depth(ledger.queues[scenario["targetCQ"]])


def has_flavor_choice(scenario: Object) -> bool:
    """Whether the target has a resource group of several flavors.

    >>> group = {"coveredResources": [], "flavors": [{"name": "f0", "resources": []}]}
    >>> queue = {"metadata": {"name": "q"}, "spec": {"resourceGroups": [group]}}
    >>> has_flavor_choice({"clusterQueues": [queue], "targetCQ": "q"})
    False
    """
    return any(len(group["flavors"]) > 1 for group in _target(scenario)["spec"]["resourceGroups"])


def has_tie(scenario: Object) -> bool:
    """Whether two workloads, or the preemptor and a workload, are told apart by their uid or name at most.

    Two workloads that hold the same needed flavor-resource, of equal priority, eviction and reservation; a
    workload of the target of the preemptor's priority and creation time; or two queues of the target's
    tree with equal weight and equal usage beyond their nominal quota, whose shares are therefore equal.

    Source: Kueue, CandidatesOrdering; queue-order timestamp; DominantResourceShare.

    >>> alike = {"spec": {"priority": 1}, "metadata": {"creationTimestamp": "t"}}
    >>> is_candidate_tie([alike | {"status": {"conditions": []}}] * 2)
    True
    """
    near = _near(scenario)
    return (
        is_candidate_tie(near)
        or any(_equals_preemptor(scenario, each) for each in near)
        or (is_fair(scenario) and _has_equal_shares(scenario))
    )


def is_candidate_tie(workloads: list[Object]) -> bool:
    """Whether two of these workloads come equal in the order of candidates, up to their uids.

    >>> is_candidate_tie([])
    False
    """
    seen = Counter((_priority(each), _since(each, "QuotaReserved"), _is_evicted(each)) for each in workloads)
    return any(number > 1 for number in seen.values())


def has_boundary(scenario: Object) -> bool:
    """Whether a quantity stands exactly at, or one unit beside, a limit that decides.

    Of a flavor-resource of the target that the incoming workload asks for: the target uses exactly its
    nominal quota; or the request is, up to one unit, what is available, what the nominal quota leaves, or
    what could ever be had. A unit is a milli-CPU for cpu, else a base unit. A limit of zero is no boundary.

    >>> queue = {"metadata": {"name": "q"}, "spec": {"resourceGroups": []}}
    >>> pods = {"spec": {"podSets": []}}
    >>> empty = {"clusterQueues": [queue], "cohorts": [], "targetCQ": "q", "admitted": [], "incoming": pods}
    >>> has_boundary(empty)
    False
    """
    ledger = charged(scenario)
    target = ledger.queues[scenario["targetCQ"]]
    asked = requests_of(scenario["incoming"])
    return any(_is_exact(target, place, asked[place[1]]) for place in target.nominal if asked.get(place[1]))


def charged(scenario: Object) -> Ledger:
    """The quota tree of a scenario with everything charged that holds quota.

    >>> queue = {"metadata": {"name": "q"}, "spec": {}}
    >>> charged({"clusterQueues": [queue], "cohorts": [], "admitted": []}).queues["q"].usage
    {}
    """
    ledger = Ledger(scenario["clusterQueues"], scenario["cohorts"])
    for each in scenario["admitted"]:
        ledger.charge(each)
    return ledger


def requests_of(workload: Object) -> Counter[str]:
    """What a pending workload of plain containers asks for: milli-CPU for cpu, else base units, per resource.

    >>> resources = {"requests": {"cpu": "1500m"}}
    >>> template = {"spec": {"containers": [{"resources": resources}]}}
    >>> dict(requests_of({"spec": {"podSets": [{"count": 2, "template": template}]}}))
    {'cpu': 3000, 'pods': 2}
    """
    total: Counter[str] = Counter()
    for pod_set in workload["spec"]["podSets"]:
        for container in pod_set["template"]["spec"]["containers"]:
            for resource, text in container["resources"]["requests"].items():
                total[resource] += read(text, resource) * pod_set["count"]
        total[PODS] += pod_set["count"]
    return total


def _is_exact(target: Node, place: Place, asked: Amount) -> bool:
    nominal, usage = target.nominal[place], target.usage.get(place, 0)
    limits = (target.available(place), nominal - usage, target.potential(place))
    return 0 < usage == nominal or any(limit > 0 and abs(asked - limit) <= 1 for limit in limits)


def _has_equal_shares(scenario: Object) -> bool:
    ledger = charged(scenario)
    root = _root(ledger.queues[scenario["targetCQ"]])
    weights = {each["metadata"]["name"]: _weight(each) for each in scenario["clusterQueues"]}
    seen: Counter[object] = Counter()
    for name, node in ledger.queues.items():
        beyond = {
            place: node.usage.get(place, 0) - nominal
            for place, nominal in node.nominal.items()
            if node.usage.get(place, 0) > nominal
        }
        if beyond and _root(node) is root:
            parent = node.parent.name if node.parent else ""
            seen[parent, weights[name], tuple(sorted(beyond.items()))] += 1
    return any(number > 1 for number in seen.values())


def _weight(queue: Object) -> str:
    return str((queue["spec"].get("fairSharing") or {}).get("weight", "1"))


def _near(scenario: Object) -> list[Object]:
    """The workloads of the target's tree that hold something that the incoming workload needs."""
    ledger = Ledger(scenario["clusterQueues"], scenario["cohorts"])
    root = _root(ledger.queues[scenario["targetCQ"]])
    asked = requests_of(scenario["incoming"])
    places = {place for place, _ in quotas_of(_target(scenario)["spec"]) if asked.get(place[1])}
    return list(_holders(scenario, ledger, root, places))


def _holders(scenario: Object, ledger: Ledger, root: Node, places: set[Place]) -> Iterator[Object]:
    for each in scenario["admitted"]:
        queue = ledger.queues.get(each["status"]["admission"]["clusterQueue"])
        if (
            queue is not None
            and _root(queue) is root
            and is_reserved(each)
            and places & usage_of(each).keys()
        ):
            yield each


def _equals_preemptor(scenario: Object, workload: Object) -> bool:
    incoming = scenario["incoming"]
    return (
        workload["status"]["admission"]["clusterQueue"] == scenario["targetCQ"]
        and _priority(workload) == _priority(incoming)
        and workload["metadata"].get("creationTimestamp") == incoming["metadata"].get("creationTimestamp")
    )


def _target(scenario: Object) -> Object:
    found: Object = next(
        each for each in scenario["clusterQueues"] if each["metadata"]["name"] == scenario["targetCQ"]
    )
    return found


def _root(node: Node) -> Node:
    *_, root = node.chain()
    return root


def _priority(workload: Object) -> int:
    return int(workload["spec"].get("priority") or 0)


def _since(workload: Object, kind: str) -> str | None:
    for each in workload["status"].get("conditions") or ():
        if each["type"] == kind and each["status"] == "True":
            return str(each["lastTransitionTime"])
    return None


def _is_evicted(workload: Object) -> bool:
    return _since(workload, "Evicted") is not None

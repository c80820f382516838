"""Random clusters, and random steps of their story."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from tests.live.server import Object, Server

API = "kueue.x-k8s.io/v1beta2"
PRIORITIES = {"p0": 0, "p10": 10, "p100": 100}
QUEUE_LABEL, CLASS_LABEL = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"
COMPLETIONS = 4
"""Of every Job: its parallelism, which is less, may be changed."""
CLASSES: list[Object] = [
    {"apiVersion": API, "kind": "WorkloadPriorityClass", "metadata": {"name": name}, "value": value}
    for name, value in PRIORITIES.items()
]


@dataclass
class Drawn:
    """A cluster.

    Args:
        name: of its namespace; the names of its other objects begin with it.
        objects: in the order in which they are created.
        resources: that its Jobs ask for.
        taints: the taint keys of its flavors.
        queues: how many ClusterQueues, each with one LocalQueue.
    """

    name: str
    objects: list[Object]
    resources: list[str]
    taints: list[str]
    queues: int


def draw(name: str, chance: Random, *, fair: bool) -> Drawn:
    """A cluster of up to four ClusterQueues, alone, in a cohort or in a tree of cohorts."""
    flavors = [f"{name}-f{i}" for i in range(chance.choice([1, 2, 2, 3]))]
    resources = chance.choice([["example.com/gpu"], ["example.com/gpu"], ["cpu", "example.com/gpu"]])
    count = chance.choice([1, 2, 2, 3, 3, 4])
    shape = chance.choice(["flat", "tree", "tree"]) if count > 1 else "none"
    tainted = [flavor for flavor in flavors[1:] if chance.random() < 0.3]
    objects = [_flavor(flavor, flavor in tainted) for flavor in flavors]
    cohorts = {
        "none": [""],
        "flat": [f"{name}-co"],
        "tree": [f"{name}-left", f"{name}-right", f"{name}-root"],
    }[shape]
    if shape == "tree":
        objects += _cohorts(cohorts, flavors, resources, chance, fair=fair)
    for i in range(count):
        own = flavors if chance.random() < 0.8 else chance.sample(flavors, len(flavors))
        objects.append(
            _cluster_queue(f"{name}-q{i}", chance.choice(cohorts), own, resources, chance, fair=fair)
        )
    objects += [_local_queue(name, i) for i in range(count)]
    return Drawn(name, objects, resources, tainted, count)


def _flavor(name: str, tainted: bool) -> Object:
    taints = [{"key": name, "value": "true", "effect": "NoSchedule"}]
    spec = {"nodeTaints": taints} if tainted else {}
    return {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": spec}


def _local_queue(namespace: str, i: int) -> Object:
    return {
        "apiVersion": API,
        "kind": "LocalQueue",
        "metadata": {"namespace": namespace, "name": f"lq{i}"},
        "spec": {"clusterQueue": f"{namespace}-q{i}"},
    }


def _cohorts(
    names: Sequence[str], flavors: Sequence[str], resources: list[str], chance: Random, *, fair: bool
) -> list[Object]:
    *sides, root = names
    made = []
    for name in (*sides, root):
        spec: Object = {} if name == root else {"parentName": root}
        if chance.random() < 0.4:
            bounded = name != root and chance.random() < 0.6
            spec["resourceGroups"] = [_group(flavors, resources, chance, [0, 1, 2], bounded=bounded)]
        if fair and chance.random() < 0.4:
            spec["fairSharing"] = {"weight": chance.choice(["500m", "1", "2"])}
        made.append({"apiVersion": API, "kind": "Cohort", "metadata": {"name": name}, "spec": spec})
    return made


def _group(
    flavors: Sequence[str], resources: list[str], chance: Random, nominal: list[int], *, bounded: bool
) -> Object:
    return {
        "coveredResources": resources,
        "flavors": [
            {
                "name": flavor,
                "resources": [_quota(resource, chance, nominal, bounded=bounded) for resource in resources],
            }
            for flavor in flavors
        ],
    }


def _quota(resource: str, chance: Random, nominal: list[int], *, bounded: bool) -> Object:
    amount = chance.choice(nominal)
    quota: Object = {"name": resource, "nominalQuota": str(amount)}
    if bounded and chance.random() < 0.4:
        quota["borrowingLimit"] = str(chance.choice([0, 1, 2, 4]))
    if bounded and chance.random() < 0.4:
        quota["lendingLimit"] = str(chance.choice([limit for limit in (0, 1, 2) if limit <= amount]))
    return quota


def _cluster_queue(
    name: str, cohort: str, flavors: Sequence[str], resources: list[str], chance: Random, *, fair: bool
) -> Object:
    spec: Object = {
        "namespaceSelector": {},
        "queueingStrategy": chance.choice(["BestEffortFIFO", "BestEffortFIFO", "StrictFIFO"]),
        "preemption": _preemption(cohort, chance, fair=fair),
        "resourceGroups": [_group(flavors, resources, chance, [0, 1, 2, 3, 4, 4, 6], bounded=bool(cohort))],
    }
    if len(flavors) > 1 and chance.random() < 0.5:
        spec["flavorFungibility"] = {
            "whenCanBorrow": chance.choice(["MayStopSearch", "TryNextFlavor"]),
            "whenCanPreempt": chance.choice(["MayStopSearch", "TryNextFlavor"]),
        }
    if cohort:
        spec["cohortName"] = cohort
    if fair and chance.random() < 0.5:
        spec["fairSharing"] = {"weight": chance.choice(["500m", "1", "2"])}
    return {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}


def _preemption(cohort: str, chance: Random, *, fair: bool) -> Object:
    equals = "LowerOrNewerEqualPriority"
    preemption: Object = {
        "withinClusterQueue": chance.choice(["Never", "LowerPriority", "LowerPriority", equals, equals])
    }
    if not cohort:
        return preemption
    reclaim = chance.choice(["Never", "LowerPriority", "LowerPriority", "Any", "Any", "Any"])
    preemption["reclaimWithinCohort"] = reclaim
    if reclaim != "Never" and chance.random() < 0.4 and not fair:
        preemption["borrowWithinCohort"] = {"policy": "LowerPriority"}
        if chance.random() < 0.5:
            preemption["borrowWithinCohort"]["maxPriorityThreshold"] = chance.choice([0, 10])
    return preemption


# ---- steps


@dataclass
class Step:
    """Something that happens from outside.

    Args:
        what: in words.
        make: has the API server make it.
        effect: on the objects of a dump: what the step, and controllers other than the scheduler, change.
        evicts: workloads that it evicts otherwise than by preemption, with the reason, by the Job's name.
        drained: these workloads, as they were.
        replaced: the Job whose workload is deleted and created again; empty for none.
    """

    what: str
    make: Callable[[Server], object]
    effect: Callable[[list[Object]], object]
    evicts: dict[str, str] = field(default_factory=dict)
    drained: dict[str, Object] = field(default_factory=dict)
    replaced: str = ""


@dataclass
class State:
    """What a step is drawn from.

    Args:
        dump: the objects.
        pending: the Jobs whose workload waits, by name, with the workload.
        holding: those whose workload holds quota.
    """

    dump: list[Object]
    pending: dict[str, Object]
    holding: dict[str, Object]


def draw_step(drawn: Drawn, number: int, state: State, server: Server, chance: Random) -> Step:
    """A step: half of them submit a Job."""
    choices: list[tuple[float, Callable[[], Step | None]]] = [
        (0.52, lambda: _submit(drawn, number, server, chance)),
        (0.10, lambda: _finish(drawn, state, chance)),
        (0.07, lambda: _delete(drawn, state, chance)),
        (0.06, lambda: _resize(drawn, state, chance)),
        (0.07, lambda: _change_priority(drawn, state, chance)),
        (0.09, lambda: _edit_quota(state, chance)),
        (0.06, lambda: _stop(drawn, state, chance)),
        (0.03, lambda: _hold(state, chance)),
    ]
    weights = [weight for weight, _ in choices]
    drawing = (
        chance.choices([draw_one for _, draw_one in choices], weights)[0] if number > 3 else choices[0][1]
    )
    return drawing() or _submit(drawn, number, server, chance)


def _submit(drawn: Drawn, number: int, server: Server, chance: Random) -> Step:
    name, queue = f"w{number}", f"lq{chance.randrange(drawn.queues)}"
    early = number < 4
    priority = chance.choice(["p0", "p0", "p10"] if early else ["p0", "p10", "p100", "p100"])
    requests = {resource: str(chance.choice([1, 1, 2, 2, 3, 4])) for resource in drawn.resources}
    count = chance.choice([1, 1, 2, 3])
    tolerations = [
        {"key": key, "operator": "Exists", "effect": "NoSchedule"}
        for key in drawn.taints
        if chance.random() < 0.6
    ]
    template = pods_of(requests, tolerations)
    metadata: Object = {
        "namespace": drawn.name,
        "name": name,
        "labels": {QUEUE_LABEL: queue, CLASS_LABEL: priority},
    }
    pod_set: Object = {
        "name": "main",
        "count": count,
        "template": template,
        "topologyRequest": {"podIndexLabel": "batch.kubernetes.io/job-completion-index"},
    }
    if count > 1 and chance.random() < 0.5:
        metadata["annotations"] = {"kueue.x-k8s.io/job-min-parallelism": "1"}
        pod_set["minCount"] = 1
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {
            "parallelism": count,
            "completions": COMPLETIONS,
            "suspend": True,
            "template": template,
        },
    }
    workload = {
        "apiVersion": API,
        "kind": "Workload",
        "metadata": {"namespace": drawn.name, "name": f"job-{name}-00000"},
        "spec": {
            "queueName": queue,
            "priority": PRIORITIES[priority],
            "priorityClassRef": {
                "group": "kueue.x-k8s.io",
                "kind": "WorkloadPriorityClass",
                "name": priority,
            },
            "podSets": [pod_set],
        },
    }
    made = server.create(workload, dry_run=True)
    return Step(
        f"Job {name} of {count} pods, {requests} each, {priority}, to {queue}",
        lambda server: server.create(job),
        lambda dump: dump.append(made),
    )


def pods_of(requests: Mapping[str, str], tolerations: Sequence[Object] = ()) -> Object:
    """A template of pods that ask for so much each."""
    resources = {"requests": requests, "limits": requests}
    return {
        "spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "c", "image": "none", "resources": resources}],
            "tolerations": list(tolerations),
        }
    }


def _finish(drawn: Drawn, state: State, chance: Random) -> Step | None:
    if not state.holding:
        return None
    name = chance.choice(sorted(state.holding))
    workload = state.holding[name]
    at = workload["metadata"]["creationTimestamp"]
    conditions = [
        {"type": kind, "status": "True", "reason": "Done", "message": "", "lastTransitionTime": at}
        for kind in ("SuccessCriteriaMet", "Complete")
    ]
    status = {
        "startTime": at,
        "completionTime": at,
        "succeeded": COMPLETIONS,
        "conditions": conditions,
    }
    path = f"/apis/batch/v1/namespaces/{drawn.name}/jobs/{name}/status"
    return Step(
        f"Job {name} finishes",
        lambda server: server.patch(path, {"status": status}),
        lambda dump: dump.remove(_found(dump, workload)),
    )


def _delete(drawn: Drawn, state: State, chance: Random) -> Step | None:
    """A Job is deleted, and its workload, as the garbage collector would."""
    those = {**state.pending, **state.holding}
    if not those:
        return None
    name = chance.choice(sorted(those))
    workload = those[name]

    def make(server: Server) -> None:
        server.delete(f"/apis/batch/v1/namespaces/{drawn.name}/jobs/{name}?propagationPolicy=Orphan")
        server.delete(server.path_of(workload))

    return Step(f"Job {name} is deleted", make, lambda dump: dump.remove(_found(dump, workload)))


def _resize(drawn: Drawn, state: State, chance: Random) -> Step | None:
    """A Job asks for another number of pods: its workload follows, or is replaced if it holds quota."""
    those = {
        name: workload
        for name, workload in {**state.pending, **state.holding}.items()
        # Kueue's webhook refuses the change of a Job that runs with fewer pods than it asks for.
        if name in state.pending or "minCount" not in workload["spec"]["podSets"][0]
    }
    if not those:
        return None
    name = chance.choice(sorted(those))
    workload = those[name]
    old = workload["spec"]["podSets"][0]["count"]
    count = chance.choice([one for one in (1, 2, 3) if one != old])
    path = f"/apis/batch/v1/namespaces/{drawn.name}/jobs/{name}"

    def effect(dump: list[Object]) -> None:
        found = _found(dump, workload)
        found["spec"]["podSets"][0]["count"] = count
        if name in state.holding:
            found.pop("status")
            found["metadata"].pop("creationTimestamp")

    return Step(
        f"Job {name} is resized from {old} to {count} pods",
        lambda server: server.patch(path, {"spec": {"parallelism": count}}),
        effect,
        replaced=name if name in state.holding else "",
    )


def _change_priority(drawn: Drawn, state: State, chance: Random) -> Step | None:
    those = {**state.pending, **state.holding}
    if not those:
        return None
    name = chance.choice(sorted(those))
    workload = those[name]
    old = workload["spec"]["priorityClassRef"]["name"]
    new = chance.choice([one for one in PRIORITIES if one != old])
    path = f"/apis/batch/v1/namespaces/{drawn.name}/jobs/{name}"

    def effect(dump: list[Object]) -> None:
        spec = _found(dump, workload)["spec"]
        spec["priority"] = PRIORITIES[new]
        spec["priorityClassRef"]["name"] = new

    return Step(
        f"Job {name} goes from {old} to {new}",
        lambda server: server.patch(path, {"metadata": {"labels": {CLASS_LABEL: new}}}),
        effect,
    )


def _edit_quota(state: State, chance: Random) -> Step | None:
    those = [one for one in state.dump if one["kind"] in ("ClusterQueue", "Cohort")]
    those = [one for one in those if one["spec"].get("resourceGroups")]
    if not those:
        return None
    one = chance.choice(those)
    groups = copy.deepcopy(one["spec"]["resourceGroups"])
    flavor = chance.choice(groups[0]["flavors"])
    quota = chance.choice(flavor["resources"])
    old = quota["nominalQuota"]
    quota["nominalQuota"] = str(chance.choice([new for new in (0, 1, 2, 3, 4, 6) if str(new) != str(old)]))
    if int(quota.get("lendingLimit", 0)) > int(quota["nominalQuota"]):
        quota["lendingLimit"] = quota["nominalQuota"]
    what = f"{one['kind']} {one['metadata']['name']}: nominalQuota of {quota['name']} on {flavor['name']}"
    return _edit(one, {"resourceGroups": groups}, f"{what} from {old} to {quota['nominalQuota']}")


def _edit(one: Object, fields: Object, what: str) -> Step:
    return Step(
        what,
        lambda server: server.patch(server.path_of(one), {"spec": fields}),
        lambda dump: _found(dump, one)["spec"].update(copy.deepcopy(fields)),
    )


def _stop(drawn: Drawn, state: State, chance: Random) -> Step | None:
    """A ClusterQueue is held, held and drained, or goes on."""
    queue = chance.choice([one for one in state.dump if one["kind"] == "ClusterQueue"])
    stopped = queue["spec"].get("stopPolicy", "None") != "None"
    policy = "None" if stopped else chance.choice(["Hold", "HoldAndDrain"])
    name = queue["metadata"]["name"]
    step = _edit(queue, {"stopPolicy": policy}, f"ClusterQueue {name}: stopPolicy {policy}")
    if policy != "HoldAndDrain":
        return step
    held = [
        one["metadata"]["name"]
        for one in state.dump
        if one["kind"] == "LocalQueue" and one["spec"].get("stopPolicy", "None") != "None"
    ]
    drained = {
        job: workload
        for job, workload in state.holding.items()
        if workload["status"]["admission"]["clusterQueue"] == name
        # Kueue does not find the ClusterQueue of a workload whose LocalQueue is held.
        and workload["spec"]["queueName"] not in held
    }

    def effect(dump: list[Object]) -> None:
        _found(dump, queue)["spec"]["stopPolicy"] = policy
        for workload in drained.values():
            _found(dump, workload).pop("status")

    evicts = dict.fromkeys(drained, "ClusterQueueStopped")
    return Step(step.what, step.make, effect, evicts, copy.deepcopy(drained))


def _hold(state: State, chance: Random) -> Step:
    """A LocalQueue is held, or goes on."""
    queue = chance.choice([one for one in state.dump if one["kind"] == "LocalQueue"])
    policy = "None" if queue["spec"].get("stopPolicy", "None") != "None" else "Hold"
    return _edit(
        queue, {"stopPolicy": policy}, f"LocalQueue {queue['metadata']['name']}: stopPolicy {policy}"
    )


def _found(dump: list[Object], one: Object) -> Object:
    """The object of the same kind and name."""
    return next(other for other in dump if _key(other) == _key(one))


def _key(one: Object) -> tuple[str, str, str]:
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]

"""Inputs made to hurt: small to send, large or slow to take in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

API: Final = "kueue.x-k8s.io/v1beta2"


def _object(kind: str, name: str, spec: Any, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def _lines(objects: list[dict[str, Any]]) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}).encode()


def _alias_bomb(random: Random) -> bytes:
    width, layers = random.randint(2, 12), random.randint(3, 40)
    rows = ["a0: &a0 [x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * width)}]" for i in range(1, layers)]
    return "\n".join(rows).encode()


def _merge_bomb(random: Random) -> bytes:
    """Merged maps are copied, so that aliases of them cost memory."""
    rows = ["a0: &a0 {" + ", ".join(f"k{i}: 1" for i in range(200)) + "}"]
    for i in range(1, random.randint(5, 30)):
        parents = ", ".join([f"*a{i - 1}"] * 9)
        rows.append(f"a{i}: &a{i} {{<<: [{parents}], n{i}: *a{i - 1}}}")
    return "\n".join(rows).encode()


def _deep(random: Random) -> bytes:
    depth = random.choice((50, 199, 200, 201, 900, 990, 1000, 5000, 50_000))
    opening = random.choice(("[", '{"a":', "- ", "[{a: "))
    return (opening * depth).encode()


def _deep_json(random: Random) -> bytes:
    depth = random.choice((50, 199, 200, 201, 900, 960, 990, 1000, 5000, 50_000))
    return (
        b'{"apiVersion": "'
        + API.encode()
        + b'", "kind": "ClusterQueue", "metadata": {"name": "a"}, "spec": '
        + (b"[" * depth + b"]" * depth)
        + b"}"
    )


def _many_keys(random: Random) -> bytes:
    keys = {f"k{i}": i for i in range(random.choice((10, 5000)))}
    return json.dumps(_object("ClusterQueue", "a", keys)).encode()


def _same_keys(random: Random) -> bytes:
    body = ",".join('"a":1' for _ in range(random.choice((2, 5000, 20_000))))
    return b"{" + body.encode() + b"}"


def _same_keys_in_yaml(random: Random) -> bytes:
    return b"a: 1\n" * random.choice((2, 3000))


def _many_documents(random: Random) -> bytes:
    return b"---\n" * random.choice((10, 20_000))


def _cohort_ring(random: Random) -> bytes:
    length = random.choice((1, 2, 3, 2000))
    ring = [_object("Cohort", f"c{i}", {"parentName": f"c{(i + 1) % length}"}) for i in range(length)]
    return _lines(ring)


def _cohort_chain(random: Random) -> bytes:
    """A tree as deep as a list; every queue's root is at its end."""
    length = random.choice((10, 1500))
    chain = [_object("Cohort", f"c{i}", {"parentName": f"c{i + 1}"}) for i in range(length)]
    group = {
        "coveredResources": ["cpu"],
        "flavors": [{"name": "f", "resources": [{"name": "cpu", "nominalQuota": 1}]}],
    }
    queue = _object("ClusterQueue", "q", {"cohortName": "c0", "resourceGroups": [group]})
    local = _object("LocalQueue", "l", {"clusterQueue": "q"}, namespace="n")
    pods = [{"name": "main", "count": 1}]
    workload = _object("Workload", "w", {"queueName": "l", "podSets": pods}, namespace="n")
    hero = _object(
        "ClusterQueue",
        "h",
        {"cohortName": f"c{length - 1}", "preemption": {"rules": "UberClusterQueueRules"}},
    )
    return _lines([*chain, queue, local, workload, *([hero] if random.random() < 0.5 else [])])


def _duplicates(random: Random) -> bytes:
    count = random.choice((2, 500))
    return _lines([_object("ResourceFlavor", "same", {}) for _ in range(count)])


def _dangling(random: Random) -> bytes:
    local = _object("LocalQueue", "l", {"clusterQueue": "nobody"}, namespace="n")
    workload = _object("Workload", "w", {"queueName": "nowhere", "podSets": []}, namespace="n")
    return _lines([local, workload])


def _long_names(random: Random) -> bytes:
    return _lines([_object("ClusterQueue", "x" * random.choice((1000, 10**6)), {})])


def _huge_numbers(random: Random) -> bytes:
    digits = "9" * random.choice((40, 41, 400, 4299, 4301, 100_000))
    text = random.choice((digits, "-" + digits, digits + ".5", "1e" + digits, "0x" + digits))
    return f"apiVersion: {API}\nkind: WorkloadPriorityClass\nmetadata:\n  name: a\nvalue: {text}\n".encode()


def _nested_lists(random: Random) -> bytes:
    inner: Any = {"apiVersion": "v1", "kind": "List", "items": []}
    doublings = random.choice((0, 0, 10))
    for level in range(random.choice((3, 60, 90))):
        items = [inner, inner] if level < doublings else [inner]
        inner = {"apiVersion": "v1", "kind": "List", "items": items}
    return json.dumps(inner).encode()


def _configuration_in_config_map(random: Random) -> bytes:
    text = random.choice(
        (
            "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfeatureGates: {A: &a 1, B: *a}",
            "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: [",
            "config.kueue.x-k8s.io",
            "--- config.kueue.x-k8s.io\n" * 50,
            "config.kueue.x-k8s.io: " + "[" * 500,
        )
    )
    data = {"controller_manager_config.yaml": text}
    found = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config"},
        "data": data,
    }
    return json.dumps(found).encode()


def _regex_food(random: Random) -> bytes:
    text = random.choice(
        ("1_" * 20_000, "0" * 30_000 + "x", "'" + "''" * 20_000, '"' + "\\\\" * 20_000, "+" * 30_000)
    )
    return f"kind: List\nitems:\n- a: {text}\n  b: {text}\n".encode()


def _spaces(random: Random) -> bytes:
    return random.choice((b" ", b"\n", b"\t", b"\r\n", b"#\n", b"\xef\xbb\xbf")) * random.choice((1, 100_000))


def _random_bytes(random: Random) -> bytes:
    return random.randbytes(random.choice((0, 1, 2, 10, 300, 5000)))


def _random_yaml(random: Random) -> bytes:
    alphabet = "ab:-[]{},&*!|>'\"#\n \t?<~%@0.\u00e9"
    return "".join(random.choices(alphabet, k=random.choice((5, 50, 500)))).encode()


STRUCTURES: Final[Mapping[str, Callable[[Random], bytes]]] = {
    "alias bomb": _alias_bomb,
    "merge bomb": _merge_bomb,
    "deep nesting": _deep,
    "deep JSON": _deep_json,
    "many keys": _many_keys,
    "same keys": _same_keys,
    "same keys in YAML": _same_keys_in_yaml,
    "many documents": _many_documents,
    "cohort ring": _cohort_ring,
    "cohort chain": _cohort_chain,
    "duplicates": _duplicates,
    "dangling names": _dangling,
    "long names": _long_names,
    "huge numbers": _huge_numbers,
    "nested lists": _nested_lists,
    "embedded configuration": _configuration_in_config_map,
    "food for patterns": _regex_food,
    "blank": _spaces,
    "random bytes": _random_bytes,
    "random YAML": _random_yaml,
}
"""By name; each makes another input from each random state."""

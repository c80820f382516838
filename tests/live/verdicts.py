"""What a live API server with Kueue's webhooks accepts, against `tenure validate --kueue 0.19`.

    python -m tests.live.verdicts --creates 2000 --updates 1000 --configurations 60 --seed 1

Objects with one random change each are created and updated by dry run; nothing is kept but the few objects
that are updated. Every difference is printed; those of `SIGNED` are meant, all others fail.
"""

from __future__ import annotations

import argparse
import copy
import http.client
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final

from tenure.cli.validate_run import answer_of
from tenure.manifests.files import iterate_objects
from tenure.manifests.releases import TargetKueue
from tenure.validation import validate
from tenure.validation.released import refused_by
from tests.live.configurations import configurations
from tests.live.mutants import DRAWN, NAMESPACE, PLURALS, change, mutant, spec_of, thing
from tests.live.plane import Plane, control_plane
from tests.live.server import ApiError, Object, Server

RELEASE: Final = "0.19"
CRASH: Final = "CRASH"
_DRY: Final = "?dryRun=All&fieldValidation=Strict"

SIGNED: Final = (
    # What Tenure accepts, what the server says of it, and why that stays so.
    (
        r"expected int, got float64 evaluating rule|cannot unmarshal number \d+\.0 ",
        "1.0 for a whole number: kubectl makes 1 of it in YAML",
    ),
    (
        r"status\.conditions\[\d+\]\.(message|reason|status|type|lastTransitionTime): Required value",
        "what a test or a dump leaves out of a condition decides nothing",
    ),
    (
        r"spec\.podSets\.\d+: Invalid value: .*field is immutable",
        "an empty map, false or 0 that is written out where nothing was: most of them are the same for Go",
    ),
    (r"status\.(clusterName|nominatedClusterNames|admissionChecks)", "what MultiKueue and checks write"),
    (r"cipher suites|curve preferences", "which Go knows changes with its release"),
    (r"^multiKueue|^metrics\.customLabels|deviceClassMappings", "sections that decide nothing about quota"),
    (r"topologyAssignment", "what Kueue writes of a topology: not modelled"),
)
"""Differences that are meant: what the server says, and the reason. None is a false error."""


@dataclass(frozen=True)
class Verdict:
    """Both verdicts about one object.

    Args:
        what: create, update or status, and the kind; or a Configuration.
        changed: the random change, in words.
        refused: what the server, or Kueue at its start, refuses; empty where it is accepted.
        errors: of Tenure, each with field and message.
        new, old: the objects.
    """

    what: str
    changed: str
    refused: str
    errors: tuple[tuple[str, str], ...]
    new: Mapping[str, Any]
    old: Mapping[str, Any] | None = None

    @property
    def outcome(self) -> str:
        """Whether the two agree, and on what."""
        if any(where == CRASH for where, _ in self.errors):
            return "crash"
        if bool(self.refused) == bool(self.errors):
            return "refused" if self.refused else "accepted"
        if not self.refused:
            return "false error"
        return "signed" if self.reason else "false acceptance"

    @property
    def reason(self) -> str:
        """Why the difference is meant; empty where none is signed."""
        found = (why for said, why in SIGNED if re.search(said, self.refused, re.DOTALL))
        return next(found, "") if self.refused and not self.errors else ""

    def __str__(self) -> str:
        lines = [
            f"{self.outcome}: {self.what} {self.changed}",
            f"  server: {self.refused[:300] or 'accepts'}",
        ]
        return "\n".join([*lines, *(f"  tenure: {where}: {said[:160]}" for where, said in self.errors[:2])])


def ours(new: object, old: object = None) -> tuple[tuple[str, str], ...]:
    """The errors of `tenure validate --kueue 0.19`, of an update with `--old`."""
    with tempfile.TemporaryDirectory() as folder:
        read = {}
        for name, content in (("new", new), ("old", old)):
            asked = TargetKueue(RELEASE)
            file = Path(folder, f"{name}.json")
            file.write_text(json.dumps(content), encoding="utf-8")
            read[name] = asked, [] if content is None else list(asked.passing(iterate_objects([file], [])))
        asked, objects = read["new"]
        try:
            found = refused_by(asked, validate(objects, old=read["old"][1]))
        except Exception as error:  # noqa: BLE001 - no input may do that: it is a difference of its own
            return ((CRASH, repr(error)),)
    return tuple((error.field, error.message) for error in answer_of(found, RELEASE).errors)


def creates(server: Server, number: int, seed: int) -> Iterator[Verdict]:
    """So many new objects."""
    chance, schemas = random.Random(seed), schemas_of(server)
    for i in range(number):
        kind = chance.choice(DRAWN)
        made, changed = mutant(kind, f"m{i}", schemas, chance)
        yield created(server, made, changed)


def created(server: Server, made: Object, changed: str = "") -> Verdict:
    """The verdicts about a new object."""
    metadata = {"name": "any", "namespace": NAMESPACE}
    path = server.path_of({**made, "metadata": metadata}, named=False)
    return Verdict(f"create {made['kind']}", changed, _refused(server, "POST", path, made), ours(made), made)


def updates(server: Server, number: int, seed: int) -> Iterator[Verdict]:
    """So many updates of objects that are there, and of the status of workloads."""
    chance, schemas = random.Random(seed), schemas_of(server)
    before = list(_stored(server, chance))
    for _ in range(number):
        path, held = chance.choice(before)
        old = server.get(path)
        kind = old["kind"]
        old["metadata"].pop("managedFields", None)
        new = copy.deepcopy(old)
        part = "status" if kind == "Workload" and chance.random() < 0.3 else ""
        changed = change(new, schemas[kind], chance, part)
        refused = _refused(server, "PUT", f"{path}/{part}".rstrip("/"), new)
        what = f"update {held}{kind} {part}".rstrip()
        yield Verdict(what, changed, refused, ours(new, old), new, old)


def _refused(server: Server, method: str, path: str, body: Object) -> str:
    try:
        server.request(method, path + _DRY, body)
    except ApiError as error:
        if error.code >= http.client.INTERNAL_SERVER_ERROR:
            raise
        return str(error.answer.get("message") or error)
    return ""


def schemas_of(server: Server) -> dict[str, Any]:
    """The schemas of Kueue's objects, as the server has them."""
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    found = {}
    for kind, plural in PLURALS.items():
        versions = server.get(f"{crds}/{plural}.kueue.x-k8s.io")["spec"]["versions"]
        version = next(one for one in versions if one["name"] == "v1beta2")
        found[kind] = version["schema"]["openAPIV3Schema"]
    return found


def _stored(server: Server, chance: random.Random) -> Iterator[tuple[str, str]]:
    """The paths of objects that are there, three of each kind, and of workloads that hold quota (`held `)."""
    for kind in PLURALS:
        for i in range(3):
            yield _made(server, thing(kind, f"updated-{i}", spec_of(kind, chance))), ""
    resources = ["cpu", "memory"]
    quotas = [{"name": name, "nominalQuota": "100Gi"} for name in resources]
    group = {"coveredResources": resources, "flavors": [{"name": "held", "resources": quotas}]}
    _made(server, thing("ResourceFlavor", "held", {}))
    _made(server, thing("ClusterQueue", "held", {"namespaceSelector": {}, "resourceGroups": [group]}))
    _made(server, thing("LocalQueue", "held", {"clusterQueue": "held"}))
    for i in range(4):
        spec = spec_of("Workload", chance) | {"queueName": "held"}
        spec.pop("preemptionGates", None)
        for pod_set in spec["podSets"]:
            pod_set.pop("topologyRequest", None)
            # The flavor has no labels, and asks for none.
            for key in ("nodeSelector", "affinity"):
                pod_set["template"]["spec"].pop(key, None)
        path = _made(server, thing("Workload", f"held-{i}", spec))
        _wait_until_held(server, path)
        yield path, "held "


def _made(server: Server, made: Object) -> str:
    try:
        server.create(made)
    except ApiError as error:
        if error.code != http.client.CONFLICT:
            raise
    return server.path_of(made)


def _wait_until_held(server: Server, path: str) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = server.get(path)
        if found.get("status", {}).get("admission"):
            return
        time.sleep(0.1)
    raise RuntimeError(f"{path} is not admitted: {found.get('status')}")


def prepare(server: Server) -> None:
    """Create the namespace of all objects."""
    _made(server, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})


def report(verdicts: Iterable[Verdict]) -> tuple[list[Verdict], str]:
    """The differences that none has signed, and a table of all."""
    counted: Counter[tuple[str, str]] = Counter()
    apart = []
    for verdict in verdicts:
        counted[verdict.what, verdict.outcome] += 1
        if verdict.outcome not in ("accepted", "refused", "signed"):
            apart.append(verdict)
    return apart, "\n".join(f"{count:6} {what}: {how}" for (what, how), count in sorted(counted.items()))


def compared(plane: Plane, number: Mapping[str, int], seed: int) -> tuple[list[Verdict], str]:
    """The differences, and the table, of so many random creates, updates and configurations."""
    prepare(plane.server)
    drawn = chain(
        creates(plane.server, number["creates"], seed),
        updates(plane.server, number["updates"], seed),
        (
            Verdict("Configuration", changed, refused, ours(made), made)
            for made, changed, refused in configurations(number["configurations"], seed)
        ),
    )
    return report(drawn)


def main() -> int:
    """Compare, and print every difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("creates", 2000), ("updates", 1000), ("configurations", 60), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    with control_plane() as plane:
        apart, table = compared(plane, vars(arguments), arguments.seed)
    print(*apart, sep="\n")
    print(f"{table}\nseed {arguments.seed}: {len(apart)} differences")
    return bool(apart)


if __name__ == "__main__":
    sys.exit(main())

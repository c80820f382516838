"""Records bundled examples from a running Kueue.

    python -m tests.live.record_examples [NAME...]

The Jobs of a story are created one after another as batch Jobs; Kueue creates their Workloads, admits what
the story has running, and reports why the rest waits. In what kubectl prints, only what cannot be chosen on a
live cluster is replaced: instants, uids and the ends of the Workloads' names.

While Jobs are created, no ClusterQueue preempts, since Kueue would make room for the waiting ones at once.
When all have been decided about, an admission policy refuses further changes of their status; then come the
story's preemption policies, and the Jobs that Kueue has made no decision about.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.live import programs
from tests.live.plane import Plane, control_plane
from tests.live.retold import Key, Retold, add_fields, retell
from tests.live.server import Object
from tests.live.stories import STORIES, Job, Story, key_of

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "examples"
QUEUES: Final = "cohorts,clusterqueues,resourceflavors,localqueues,workloadpriorityclasses"
CONFIG_MAP: Final = ("ConfigMap", "kueue-system", "kueue-manager-config")
SECONDS: Final = 120.0
"""After so long without an event a recording fails; nothing else is meant by it."""
ATTEMPTS: Final = 20

_FROZEN: Final = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: frozen}
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: [kueue.x-k8s.io]
      apiVersions: ["*"]
      operations: [UPDATE]
      resources: [workloads/status]
  validations: [{expression: "false", message: the story stands still}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: frozen}
spec: {policyName: frozen, validationActions: [Deny]}
"""


def until(holds: Callable[[], bool], what: str, seconds: float = SECONDS) -> None:
    """Wait for an event of which there is no notice.

    Raises:
        TimeoutError: it did not come.
    """
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"it never came to this: {what}")
        time.sleep(0.1)


def without_preemption(queue: Object) -> Object:
    """A queue that preempts nothing."""
    if queue["kind"] != "ClusterQueue":
        return queue
    return {**queue, "spec": {key: value for key, value in queue["spec"].items() if key != "preemption"}}


@dataclass(frozen=True, slots=True)
class Stage:
    """A cluster with nothing on it but one story."""

    story: Story
    plane: Plane

    def play(self) -> None:
        """Bring the cluster into the story's state."""
        self.clear()
        story = self.story
        names = sorted({one["metadata"].get("namespace", "") for one in story.queues} - {""})
        self.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in names])
        if not story.jobs:
            self.apply(story.queues)
        else:
            self.apply([without_preemption(one) for one in story.queues])
            for job in story.jobs:
                if not job.unseen:
                    self.run_or_wait(job)
            self.freeze()
            self.apply(story.queues)
        self.create_unseen()

    def clear(self) -> None:
        """Delete what a story has; namespaces stay, since no controller empties them."""
        for kind in ("validatingadmissionpolicybindings", "validatingadmissionpolicies"):
            self.plane.kubectl("delete", f"{kind}/frozen", "--ignore-not-found")
        for kind in ("jobs.batch", "workloads", "localqueues"):
            self.plane.kubectl("delete", kind, "--all", "-A", "--timeout", f"{SECONDS:.0f}s")
        for kind in ("clusterqueues", "cohorts", "resourceflavors", "workloadpriorityclasses"):
            self.plane.kubectl("delete", kind, "--all", "--timeout", f"{SECONDS:.0f}s")

    def apply(self, objects: list[Object]) -> None:
        """Apply objects, as a user with files does."""
        if objects:
            listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
            how = ["--server-side"] if self.story.managed_fields else []
            self.plane.kubectl("apply", *how, "-f", "-", stdin=listed)

    def create(self, job: Job) -> None:
        """Create a Job, and wait for its Workload."""
        local_queue, _ = self.story.queue_of(job)
        self.plane.kubectl("create", "-f", "-", stdin=json.dumps(job.manifest(local_queue)))
        until(lambda: bool(self.workload(job)), f"a Workload for {job.job}")

    def workload(self, job: Job) -> Object:
        """The Workload that Kueue made of a Job; empty as long as there is none."""
        listed = json.loads(self.plane.kubectl("get", "workloads", "-n", job.namespace, "-o", "json"))
        for one in listed["items"]:
            if one["metadata"]["ownerReferences"][0]["name"] == job.job:
                return dict(one)
        return {}

    def has(self, job: Job, of_type: str, status: str) -> bool:
        """Whether a Job's Workload has a condition with this status."""
        conditions = self.workload(job).get("status", {}).get("conditions", [])
        return any((one["type"], one["status"]) == (of_type, status) for one in conditions)

    def run_or_wait(self, job: Job) -> None:
        """Create a Job, and wait until Kueue has decided as the story has it."""
        self.create(job)
        decided = "True" if job.admitted else "False"
        until(lambda: self.has(job, "QuotaReserved", decided), f"QuotaReserved of {job.job} {decided}")
        if job.admitted:
            self.start(job)

    def start(self, job: Job) -> None:
        """Report the pods of an admitted Job as a job controller does, and wait for Kueue to see them."""
        (assigned,) = self.workload(job)["status"]["admission"]["podSetAssignments"]
        if set(assigned["flavors"].values()) != {job.flavor}:
            raise RuntimeError(
                f"{job.namespace}/{job.job}: found {assigned['flavors']}, expected {job.flavor}"
            )
        named = ("job", job.job, "-n", job.namespace)
        suspended = ("-o", "jsonpath={.spec.suspend}")
        until(lambda: self.plane.kubectl("get", *named, *suspended) == "false", f"{job.job} runs")
        running = job.pods - job.succeeded
        status = {
            "active": running,
            "ready": running,
            "succeeded": job.succeeded,
            "startTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "uncountedTerminatedPods": {},
        }
        patch = ("--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
        self.plane.kubectl("patch", *named, *patch)
        until(lambda: self.has(job, "PodsReady", "True"), f"the pods of {job.job} are ready")
        if job.succeeded:
            until(lambda: "reclaimablePods" in self.workload(job)["status"], f"pods of {job.job} ended")

    def freeze(self) -> None:
        """Let no status of a Workload change any more."""
        self.plane.kubectl("apply", "-f", "-", stdin=_FROZEN)
        some = self.story.jobs[0]
        named = ("workload", self.workload(some)["metadata"]["name"], "-n", some.namespace)
        patch = ("--subresource=status", "--type=merge", "-p", '{"status": {"requeueState": {"count": 1}}}')

        def refused() -> bool:
            try:
                self.plane.kubectl("patch", *named, *patch, "--dry-run=server")
            except RuntimeError as error:
                return "stands still" in str(error)
            return False

        until(refused, "the policy refuses changes of status")

    def create_unseen(self) -> None:
        """Create the Jobs that Kueue has made no decision about."""
        unseen = [job for job in self.story.jobs if job.unseen]
        for _ in range(ATTEMPTS):
            for job in unseen:
                self.create(job)
            try:
                until(self.counted, "the queues count the story's workloads", seconds=2)
            except TimeoutError:
                # While Kueue tries to admit a workload it does not count it as pending, and what it writes
                # then stays. No garbage collector runs here.
                for job in unseen:
                    name = self.workload(job)["metadata"]["name"]
                    self.plane.kubectl("delete", "job", job.job, "-n", job.namespace)
                    self.plane.kubectl("delete", "workload", name, "-n", job.namespace)
            else:
                return
        raise TimeoutError("the queues never counted the story's workloads")

    def counted(self) -> bool:
        """Whether the queues' status has the story's workloads."""
        listed = json.loads(self.plane.kubectl("get", "clusterqueues,localqueues", "-A", "-o", "json"))
        return all(self._counts(queue) for queue in listed["items"])

    def _counts(self, queue: Object) -> bool:
        jobs = self.story.jobs_of(*key_of(queue))
        running = sum(bool(job.admitted) for job in jobs)
        status = queue.get("status", {})
        found = [status.get(f"{what}Workloads") for what in ("reserving", "admitted", "pending")]
        return found == [running, running, len(jobs) - running]

    def record(self) -> dict[str, str]:
        """The example's files: what kubectl prints, with the story's instants, uids and names."""
        retold = self.retold()
        return {
            file: self.head(file) + "---\n".join(self.told(file, text, retold) for text in texts)
            for file, texts in self.dumps().items()
        }

    def retold(self) -> dict[Key, Retold]:
        """What becomes of each recorded object."""
        story = self.story
        retold = {key: story.retold(*key) for key in map(key_of, story.queues)}
        if story.configuration:
            retold[CONFIG_MAP] = story.retold(*CONFIG_MAP)
        for job in story.jobs:
            workload = self.workload(job)
            if job.unseen and "conditions" in workload.get("status", {}):
                raise RuntimeError(f"Kueue has decided about {job.namespace}/{job.job} already")
            retold[key_of(workload)] = job.retold()
        return retold

    def dumps(self) -> dict[str, list[str]]:
        """What kubectl prints, by file."""
        story, dumps = self.story, {}
        shown = ("-o", "yaml", *(["--show-managed-fields"] if story.managed_fields else []))
        if story.queues:
            dumps["queues.yaml"] = [self.plane.kubectl("get", QUEUES, "-A", *shown)]
        for file, namespaces in story.files.items():
            dumps[file] = [self.plane.kubectl("get", "workloads", "-n", name, *shown) for name in namespaces]
        if story.configuration:
            _, namespace, name = CONFIG_MAP
            # What the running Kueue has there names ports and folders of this machine.
            patch = json.dumps({"data": {"controller_manager_config.yaml": story.configuration}})
            self.plane.kubectl("patch", "configmap", name, "-n", namespace, "-p", patch)
            dumps[f"{name}.yaml"] = [self.plane.kubectl("get", "configmap", name, "-n", namespace, *shown)]
        return dumps

    def told(self, file: str, text: str, retold: dict[Key, Retold]) -> str:
        """A printed list as the example has it."""
        text = retell(text, retold)
        for field in self.story.added if file == "queues.yaml" else []:
            text = add_fields(text, field["kind"], field["name"], field["at"], field["fields"])
        return text

    def head(self, file: str) -> str:
        """The comment with which a recorded file starts."""
        program, release = "tests/live/record_examples.py", programs.version_of("sigs.k8s.io/kueue")
        added = self.story.added if file == "queues.yaml" else []
        replaced = (
            "instants, uids and the ends of the Workloads' names" if self.story.jobs else "instants and uids"
        )
        lines = [
            f"Recorded from a running Kueue {release} by {program}, as kubectl prints it.",
            f"Replaced afterwards: {replaced}.",
            *(f"Added afterwards to {field['kind']}/{field['name']}: {field['why']}." for field in added),
        ]
        return "".join(f"# {line}\n" for line in lines)


def main(names: list[str]) -> None:
    """Record examples into `examples/`."""
    with control_plane() as plane:
        for name in names or sorted(path.stem for path in STORIES.glob("*.yaml")):
            story = Story.read(name)
            plane.configure(story.fair_sharing)
            stage = Stage(story, plane)
            stage.play()
            for file, text in stage.record().items():
                (EXAMPLES / name / file).write_text(text, encoding="utf-8")
            print(name)


if __name__ == "__main__":
    main(sys.argv[1:])

"""What is replaced in recorded text, and that the recorded examples are those of the stories."""

from __future__ import annotations

import pytest
import yaml

from tests.live.record_examples import CONFIG_MAP, EXAMPLES
from tests.live.retold import Instants, Retold, add_fields, retell
from tests.live.stories import STORIES, Story, key_of

RECORDED = """\
apiVersion: v1
items:
- kind: Workload
  metadata:
    creationTimestamp: "2026-11-27T22:16:27Z"
    name: job-w0-3437e
    namespace: s
    ownerReferences:
    - name: w0
      uid: a60bcac1-8bd5-43f4-8969-b3c5f43dbc4e
    uid: 23e04a2d-886a-4917-ae37-e2793d8fca14
  spec:
    priority: 1
    queueName: q
  status:
    conditions:
    - lastTransitionTime: "2026-11-27T22:16:27Z"
      message: 'couldn''t, for job-w0-3437e'
      type: QuotaReserved
kind: List
"""
STORY = Retold(
    name="job-w0-aaaaa",
    uid="00000000-0000-4000-8000-000000000001",
    owner="00000000-0000-4000-8000-000000000002",
    instants=Instants("2026-01-01T00:00:00Z", {"QuotaReserved": "2026-01-02T00:00:00Z"}, "", ""),
)


def test_only_instants_uids_and_names_are_replaced() -> None:
    expected = (
        RECORDED.replace("2026-11-27T22:16:27Z", "2026-01-01T00:00:00Z", 1)
        .replace("2026-11-27T22:16:27Z", "2026-01-02T00:00:00Z")
        .replace("3437e", "aaaaa")
        .replace("a60bcac1-8bd5-43f4-8969-b3c5f43dbc4e", "00000000-0000-4000-8000-000000000002")
        .replace("23e04a2d-886a-4917-ae37-e2793d8fca14", "00000000-0000-4000-8000-000000000001")
    )
    assert retell(RECORDED, {("Workload", "s", "job-w0-3437e"): STORY}) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("type: QuotaReserved", "type: Evicted"),
        ("name: job-w0-3437e", "name: job-other-3437e"),
        ("for job-w0-3437e", "for 11111111-8bd5-43f4-8969-b3c5f43dbc4e"),
    ],
)
def test_what_the_story_does_not_have_is_refused(old: str, new: str) -> None:
    with pytest.raises(KeyError):
        retell(RECORDED.replace(old, new), {("Workload", "s", "job-w0-3437e"): STORY})


def test_an_added_field_is_sorted_in() -> None:
    added = add_fields(RECORDED, "Workload", "job-w0-3437e", ["spec"], {"priorityClassRef": {"name": "p"}})
    after = "    priority: 1\n"
    assert added == RECORDED.replace(after, f"{after}    priorityClassRef:\n      name: p\n")
    with pytest.raises(KeyError):
        add_fields(RECORDED, "Workload", "other", ["spec"], {"priority": 2})


@pytest.mark.parametrize("name", sorted(path.stem for path in STORIES.glob("*.yaml")))
def test_an_example_is_that_of_its_story(name: str) -> None:
    story = Story.read(name)
    texts = "---\n".join(
        path.read_text(encoding="utf-8") for path in sorted((EXAMPLES / name).glob("*.yaml"))
    )
    items = [one for listed in yaml.safe_load_all(texts) for one in listed.get("items", [listed])]
    found = {key_of(one): one for one in items}
    queues = set(map(key_of, story.queues))
    workloads = {("Workload", job.namespace, job.retold().name): job for job in story.jobs}
    others = {CONFIG_MAP} if story.configuration else set()
    assert set(found) == queues | set(workloads) | others
    for key, job in workloads.items():
        metadata, status = found[key]["metadata"], found[key].get("status", {})
        assert (metadata["uid"], metadata["creationTimestamp"]) == (job.uid, job.created)
        reserved = [one for one in status.get("conditions", []) if one["type"] == "QuotaReserved"]
        expected = [] if job.unseen else [(str(bool(job.admitted)), job.admitted or job.created)]
        assert [(one["status"], one["lastTransitionTime"]) for one in reserved] == expected

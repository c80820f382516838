"""The core's store and its order: updates in place, memory, keys, and what is left to the reference."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from tenure.model import SECOND, Cluster, ClusterQueue, FlavorResource, Workload
from tenure_simulate.core import Arrays, Uncovered, load, uncovered
from tenure_simulate.core.sorting import ROOM, WIDE, make_keys, settle
from tenure_simulate.core.uncovered import refuse_unknown
from tests.clusters import queue

CPU = FlavorResource("default", "cpu")


def a_queue(name: str, cohort: str | None = None) -> ClusterQueue:
    """A queue of one flavor."""
    return queue(name, cohort, {"default": {"cpu": (8000, None, 3000)}})


def running(number: int, queue: str = "a", cpu: int = 1000, priority: int = 0) -> Workload:
    """A workload that holds quota."""
    return Workload(
        namespace="team-research",
        name=f"job-training-run-{number:06d}",
        uid=f"0a5cb0fe-6a4b-4f5e-9d3e-{number * 7919 % 99991:012d}",
        priority=priority,
        created_at=number * SECOND,
        quota_reserved_at=number * SECOND,
        cluster_queue=queue,
        usage={CPU: cpu},
    )


def a_cluster(*workloads: Workload) -> Cluster:
    """Two queues of a cohort, each lending a part."""
    return Cluster({name: a_queue(name, "both") for name in "ab"}, workloads)


def assert_same(arrays: Arrays, cluster: Cluster) -> None:
    """An updated store says what one says that is built again."""
    fresh = Arrays(cluster)
    assert len(arrays) == len(fresh)
    assert arrays.usage.tolist() == fresh.usage.tolist()


def test_updates_in_place_come_to_what_is_built_again() -> None:
    arrays = Arrays(a_cluster(running(1), running(2, "b", 9000)))
    arrays.add(running(3, "b", 500))
    assert_same(arrays, a_cluster(running(1), running(2, "b", 9000), running(3, "b", 500)))
    arrays.change(running(1, "b", 7000))
    assert_same(arrays, a_cluster(running(1, "b", 7000), running(2, "b", 9000), running(3, "b", 500)))
    arrays.remove(running(2).key)
    assert_same(arrays, a_cluster(running(1, "b", 7000), running(3, "b", 500)))


def test_ties_keep_the_order_of_uids_after_updates() -> None:
    workloads = [running(number) for number in range(40)]
    arrays = Arrays(a_cluster(*workloads[::2]))
    for workload in workloads[1::2]:
        arrays.add(workload)
    tie = arrays.columns.by["tie"][: arrays.columns.rows]
    by_tie = [arrays.columns.uids[int(row)] for row in np.argsort(tie)]
    assert by_tie == sorted(workload.uid for workload in workloads)


def test_what_is_unlimited_is_summed_again() -> None:
    most = 2**63 - 1
    arrays = Arrays(a_cluster(running(1, cpu=most), running(2, cpu=5)))
    arrays.remove(running(1).key)
    assert_same(arrays, a_cluster(running(2, cpu=5)))


def test_other_queues_leave_the_workloads() -> None:
    arrays = Arrays(a_cluster(running(1), running(2, "b")))
    other = Cluster({"0": a_queue("0"), "b": a_queue("b")})
    arrays.rearrange(other)
    moved = Cluster(other.cluster_queues, (running(1), running(2, "b")))
    assert_same(arrays, moved)


def test_a_name_stands_once_and_must_be_there_to_leave() -> None:
    arrays = Arrays(a_cluster(running(1)))
    with pytest.raises(ValueError, match="holds quota already"):
        arrays.add(running(1))
    with pytest.raises(KeyError):
        arrays.remove("team-research/nobody")


def test_a_workload_takes_less_than_200_bytes() -> None:
    count = 5000
    arrays = Arrays(a_cluster(*(running(number) for number in range(count))))
    assert arrays.nbytes < 200 * count


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    np.savez(path, nothing=np.zeros(1))
    with pytest.raises(ValueError, match=r"has not been written by this release of tenure_simulate\.core"):
        load(path)


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    for content in (b"", b"no archive", b"PK\x03\x04 cut off"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"other\.npz has not been written by this release"):
            load(path)
    np.savez(path, form=np.array([99]))
    with pytest.raises(ValueError, match=r"its form is \[99\], expected \['tenure-arrays/1'\]"):
        load(path)


@pytest.mark.parametrize("shape", [(2**40,), (2**62, 2**62), (3,)])
def test_a_shape_is_believed_only_where_so_many_bytes_stand(tmp_path: Path, shape: tuple[int, ...]) -> None:
    path = tmp_path / "huge.npz"
    head = {"descr": "<i8", "fortran_order": False, "shape": shape}
    with ZipFile(path, "w") as archive, archive.open("format.npy", "w") as part:
        np.lib.format.write_array_header_1_0(part, head)
        part.write(bytes(16))
    with pytest.raises(ValueError, match=r"huge\.npz is damaged: a part is not as long as its shape"):
        load(path)


def test_a_part_that_is_compressed_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, form=np.zeros(1000))
    with pytest.raises(ValueError, match=r"bomb\.npz is damaged"):
        load(path)


def test_an_archive_of_a_version_that_there_is_not_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    Arrays(a_cluster(running(1))).save(path)
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 6] = 160
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=r"other\.npz has not been written by this release"):
        load(path)


@pytest.mark.parametrize("name", ["at", "amount", "column.queue", "column.first", "column.tie", "uid_ends"])
@pytest.mark.parametrize("damage", ["missing", "shorter", "beyond", "type"])
def test_a_damaged_file_is_refused(tmp_path: Path, name: str, damage: str) -> None:
    if (name, damage) == ("amount", "beyond"):
        pytest.skip("any amount is one")
    path = tmp_path / "damaged.npz"
    Arrays(a_cluster(running(1), running(2, "b"))).save(path)
    with np.load(path) as file:
        found = {key: file[key] for key in file}
    whole = found.pop(name)
    if damage != "missing":
        changed = {"shorter": whole[:-1], "beyond": whole + 1000, "type": whole.astype(np.float32)}
        found[name] = changed[damage]
    np.savez(path, **found)
    with pytest.raises(ValueError, match=r"damaged\.npz is damaged"):
        load(path)


def test_free_rows_are_taken_out_before_they_are_too_many() -> None:
    workloads = [running(number, "ab"[number % 2], cpu=number + 1) for number in range(300)]
    arrays = Arrays(a_cluster(*workloads))
    for workload in workloads[:250]:
        arrays.remove(workload.key)
    assert arrays.columns.rows < 150
    assert_same(arrays, a_cluster(*workloads[250:]))
    arrays.compact()
    assert arrays.columns.rows == len(arrays) == 50
    names = [arrays.columns.names[row] for row in range(50)]
    assert names == [workload.key for workload in workloads[250:]]
    fresh = Arrays(a_cluster(*workloads[250:])).columns
    for name, column in fresh.by.items():
        assert arrays.columns.by[name].tolist() == column[:50].tolist()
    assert arrays.columns.amount.tolist() == fresh.amount.tolist()
    arrays.remove(workloads[299].key)
    assert_same(arrays, a_cluster(*workloads[250:299]))


def test_keys_too_wide_become_ranks_and_are_counted() -> None:
    counted: Counter[str] = Counter()
    priority = np.array([2**31, -(2**31), 0, 0])
    reserved = np.array([1, 5, 2**61 + 1, 7])
    keys, _ = make_keys(priority, reserved, np.arange(4, dtype=np.int32), counted)
    assert np.argsort(keys).tolist() == [1, 2, 3, 0]
    assert counted == {WIDE: 1}


def test_a_number_beyond_64_bits_is_left_to_the_reference() -> None:
    ancient = dataclasses.replace(running(1), created_at=-(2**70))
    with pytest.raises(Uncovered, match="a number beyond 64 bits"):
        Arrays(a_cluster(ancient))


def test_a_field_that_the_core_does_not_know_is_left_to_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = {"ClusterQueue": "name resource_groups", "Cohort": "", "Settings": ""}
    monkeypatch.setattr(uncovered, "_KNOWN", known)
    monkeypatch.setattr(uncovered, "_unknown", uncovered._unknown.__wrapped__)
    with pytest.raises(Uncovered, match=r"ClusterQueue\.cohort"):
        refuse_unknown(a_cluster())


@pytest.mark.parametrize("room", [1, 2, ROOM])
def test_sorting_stops_anywhere_and_needs_little_room(room: int) -> None:
    for count in (1, 24, 25, 500):
        keys = np.array(random.Random(8522).sample(range(10**6), count), np.int64)
        expected, rows = sorted(keys.tolist()), np.arange(count, dtype=np.int32)
        before, ends = keys.copy(), np.empty(room, np.int64)
        ends[0], top, settled = count, 0, 0
        for position in range(count):
            if position >= settled:
                top, settled = settle(keys, rows, ends, top, position)
            assert keys[position] == expected[position]
            assert before[rows[position]] == keys[position]

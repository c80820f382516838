"""Many untrusted objects to one cluster."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tenure.errors import Problem
from tenure.manifests.builder import Builder, Loaded
from tenure.manifests.yaml_files import SourcedObject, iterate_objects
from tenure.model import Settings

__all__ = ["Loaded", "build", "load"]


def load(
    paths: Sequence[str | Path],
    settings: Settings | None = None,
    *,
    watched: Callable[[Iterator[SourcedObject]], Iterable[SourcedObject]] = iter,
) -> Loaded:
    """A cluster from files, folders and standard input.

    Args:
        paths: files, folders (searched for `*.yaml`, `*.yml` and `*.json`), or `-` for standard input.
        settings: the scheduler's configuration; None takes Kueue's Configuration where the files hold it,
            and Kueue's defaults otherwise.
        watched: passes the objects on while they are read, so that somebody may count them.

    Raises:
        InputError: everything that is wrong in any of the files and objects.

    Source: the output of `kubectl get -o yaml`; Kueue v1beta2 API.

    >>> load(["absent.yaml"])
    Traceback (most recent call last):
    tenure.errors.InputError: absent.yaml: found no such file or folder, expected a file or folder to read
    """
    unreadable: list[Problem] = []
    with _without_collector():
        return Builder(settings, unreadable).build(watched(iterate_objects(paths, unreadable)))


def build(objects: Iterable[SourcedObject], settings: Settings | None = None) -> Loaded:
    """A cluster from objects that have been read already.

    Args:
        objects: ClusterQueues, Cohorts, ResourceFlavors, LocalQueues, Workloads, WorkloadPriorityClasses and
            Kueue's Configuration; other kinds are ignored.
        settings: as for `load`.

    Raises:
        InputError: everything that is wrong with any of the objects.

    Source: Kueue v1beta2 API.

    >>> queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"}}
    >>> list(build([SourcedObject("a.yaml", queue)]).cluster.cluster_queues)
    ['a']
    """
    return Builder(settings, []).build(objects)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Loading makes millions of objects and no cycles; the collector would look at them over and over."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()

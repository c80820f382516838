"""Which objects of a repository are applied together: by its folders and kustomizations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from os.path import normpath
from pathlib import PurePath
from typing import Any, Final

from tenure.manifests.files import read_file
from tenure.manifests.structure import dig, items
from tenure.manifests.yaml_text import parse_yaml
from tenure.resources import is_there

_KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_INCLUDED: Final = ("resources", "bases", "components")
_PATCHES: Final = ("patches", "patchesStrategicMerge", "patchesJson6902")


class Repository:
    """The folders of a repository that contain the given files.

    A set is what is applied together. The files below a kustomization are one set, with those of the
    kustomizations that it includes. Without any, a folder is one set with the folders above and below it:
    `dev` and `prod` beside each other are two. What a kustomization names as a patch holds parts of objects.

    >>> repository = Repository()
    >>> repository.are_apart("queues/dev/a.yaml", "queues/prod/a.yaml")
    True
    >>> repository.are_apart("queues/a.yaml", "queues/dev/a.yaml")
    False
    """

    def __init__(self) -> None:
        self.root_of = cache(self._root_of)
        self._kustomization = cache(_kustomization)
        self._below = cache(self._reached)

    def are_apart(self, file: str, other: str) -> bool:
        """Whether an object of one file and the same of the other are never applied together.

        Args:
            file, other: as the user named them.
        """
        root, another = self.root_of(file), self.root_of(other)
        if root == another:
            return False
        if self._kustomization(root) or self._kustomization(another):
            return another not in self._below(root) and root not in self._below(another)
        return not (PurePath(root).is_relative_to(another) or PurePath(another).is_relative_to(root))

    def is_patch(self, file: str) -> bool:
        """Whether a kustomization above a file names it as a patch.

        Args:
            file: as the user named it.
        """
        return normpath(file) in _patched(self.root_of(file), self._kustomization(self.root_of(file)))

    def _root_of(self, file: str) -> str:
        """The nearest folder above a file that has a kustomization, else the file's own."""
        above = [str(folder) for folder in PurePath(normpath(file)).parents] or ["."]
        return next((folder for folder in above if self._kustomization(folder)), above[0])

    def _reached(self, root: str) -> frozenset[str]:
        """The folders that a kustomization includes, and those that these include."""
        reached: set[str] = set()
        waiting = [root]
        while waiting:
            folder = waiting.pop()
            for name in _INCLUDED:
                for entry in items(self._kustomization(folder).get(name)):
                    path = normpath(str(PurePath(folder) / entry)) if isinstance(entry, str) else folder
                    if path not in reached and path != root:
                        reached.add(path)
                        waiting.append(path)
        return frozenset(reached)


def _kustomization(folder: str) -> Mapping[str, Any]:
    """The kustomization of a folder; empty without a readable one."""
    for name in _KUSTOMIZATIONS:
        path = str(PurePath(folder) / name)
        if is_there(path):
            raw = read_file(path, path, [])
            documents = parse_yaml(raw.decode("utf-8-sig", "replace"), path)[0] if raw is not None else ()
            content = next((document.content for document in documents), None)
            return content if isinstance(content, dict) and content else {"resources": []}
    return {}


def _patched(root: str, kustomization: Mapping[str, Any]) -> Iterator[str]:
    """The files that a kustomization names as patches."""
    for name in _PATCHES:
        for entry in items(kustomization.get(name)):
            path = entry if isinstance(entry, str) else dig(entry, "path")
            if isinstance(path, str) and "\n" not in path:
                yield normpath(str(PurePath(root) / path))

"""YAML of tests and tools: by libyaml where there is, in a tenth of the time that Python takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def load(text: str | bytes) -> Any:
    """What a text of one document says."""
    return yaml.load(text, _Loader)


def load_all(text: str | bytes) -> Iterator[Any]:
    """What each document of a text says."""
    return yaml.load_all(text, _Loader)


def dump(content: object, **form: Any) -> str:
    """One document."""
    return dump_all([content], **form)


def dump_all(contents: Iterable[object], **form: Any) -> str:
    """Several documents."""
    return str(yaml.dump_all(contents, Dumper=_Dumper, **form))

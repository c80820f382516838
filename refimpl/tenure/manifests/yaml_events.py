"""All of YAML to plain objects, in one pass over PyYAML's events: what `yaml_text` leaves.

PyYAML's own composer recurses in C, so that a deeply nested file ends the process, and its constructors
turn times and fractions into types that lose what was written. Here nothing recurses, a key that appears
twice is reported instead of dropped, and aliases may not multiply a small file into a huge object. Which line
something is in is kept on demand: it is needed only for a file with problems.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import yaml

from tenure.errors import Problem
from tenure.manifests.limits import MAX_ALIASED, MAX_DEPTH, MAX_REPEATED_KEYS, MAX_VALUES
from tenure.manifests.showing import printable, show
from tenure.manifests.structure import Document
from tenure.manifests.yaml_scalars import resolve

_STANDARD: Final = "tag:yaml.org,2002:"
_PLAIN_TAGS: Final = frozenset(_STANDARD + name for name in ("null", "bool", "int", "float", "timestamp"))
_COLLECTION_TAGS: Final = frozenset((None, "!", _STANDARD + "map", _STANDARD + "seq"))

# libyaml where PyYAML was built with it, else the same parser in Python.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Lines: TypeAlias = dict[int, dict[str | int, int]]
"""By the `id` of a map or list, the line of each of its keys or indices, and of itself."""

ITSELF: Final = -1


def parse_events(text: str, file: str, lines: Lines | None = None) -> tuple[list[Document], list[Problem]]:
    """The documents of a YAML text, up to the first syntax error, and what is wrong with it.

    Args:
        text: one or more documents.
        file: what problems call the text.
        lines: gets the line of everything that is read; then as much as was read of a document that is wrong
            is among the documents too.

    >>> lines: Lines = {}
    >>> documents, problems = parse_events("a: 1\\nb: {a: 2, a: 3}", "a.yaml", lines)
    >>> print(problems[0])
    a.yaml: b.a: found the key 'a' a second time, in line 2, expected each key once
    >>> lines[id(documents[0].content)]
    {-1: 1, 'a': 1, 'b': 2}
    """
    builder = _Builder(file, lines)
    loader = _Loader(text)
    try:
        while loader.check_event():
            builder.take(loader.get_event())
    except _UnreadableError as error:
        builder.problems.append(Problem("", error.found, error.expected, file=file, line=error.line))
    except yaml.YAMLError as error:
        builder.problems.append(_syntax_error(error, file))
    finally:
        loader.dispose()
    if lines is not None:
        builder.keep_unfinished()
    return builder.documents, builder.problems


class _UnreadableError(Exception):
    def __init__(self, found: str, event: yaml.Event, expected: str) -> None:
        super().__init__(found)
        self.line = _line(event)
        self.found = f"{found} in line {self.line}"
        self.expected = expected


@dataclass(slots=True)
class _Frame:
    """A mapping or a sequence whose end has not been read yet; `size` counts values, aliases in full."""

    container: dict[str, object] | list[object]
    anchor: str | None
    key: str | None = None
    merged: list[dict[str, object]] = field(default_factory=list)
    size: int = 1

    def wants_key(self) -> bool:
        return isinstance(self.container, dict) and self.key is None


class _Builder:
    def __init__(self, file: str, lines: Lines | None) -> None:
        self.file = file
        self._lines = lines
        self.documents: list[Document] = []
        self.problems: list[Problem] = []
        self._frames: list[_Frame] = []
        self._anchors: dict[str, tuple[object, int]] = {}
        self._aliased = 0
        self._values = 0
        self._content: object = None
        self._line = 1

    def take(self, event: yaml.Event) -> None:
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            self._values += 1
            if self._values > 2 * MAX_VALUES:
                expected = f"at most {MAX_VALUES} values outside a List as kubectl writes it"
                raise _UnreadableError("more values", event, expected)
            handler(self, event)

    def start_document(self, event: Any) -> None:
        self._anchors = {}
        self._content = None
        self._line = _line(event)

    def end_document(self, _event: Any) -> None:
        self.documents.append(Document(self._content, self._line))

    def keep_unfinished(self) -> None:
        """What has been read of a document whose end has not."""
        for above, frame in zip(reversed(self._frames[:-1]), reversed(self._frames), strict=False):
            if isinstance(above.container, list):
                above.container.append(frame.container)
            elif above.key is not None:
                above.container[above.key] = frame.container
        if self._frames:
            self.documents.append(Document(self._frames[0].container, self._line))

    def scalar(self, event: Any) -> None:
        self._note(event)
        if self._frames and self._frames[-1].wants_key():
            self._key(event)
        else:
            self._value(_scalar(event), 1, event.anchor, event)

    def alias(self, event: Any) -> None:
        known = self._anchors.get(event.anchor)
        if known is None or (self._frames and self._frames[-1].wants_key()):
            raise _UnreadableError(
                f"the alias *{printable(event.anchor)}", event, "an alias of a value before it"
            )
        content, size = known
        self._note(event)
        self._aliased += size
        if self._aliased > MAX_ALIASED:
            raise _UnreadableError(
                "aliases of aliases", event, f"at most {MAX_ALIASED} values through aliases"
            )
        self._value(content, size, None, event)

    def start(self, event: Any) -> None:
        if len(self._frames) >= MAX_DEPTH:
            raise _UnreadableError("deeper nesting", event, f"at most {MAX_DEPTH} levels of nesting")
        if event.tag not in _COLLECTION_TAGS:
            raise _unknown_tag(event)
        if self._frames and self._frames[-1].wants_key():
            raise _UnreadableError("a map or list as key", event, "keys that are plain text")
        self._note(event)
        container: dict[str, object] | list[object] = {} if isinstance(event, yaml.MappingStartEvent) else []
        if self._lines is not None:
            self._lines[id(container)] = {ITSELF: _line(event)}
        self._frames.append(_Frame(container, event.anchor))

    def end(self, event: Any) -> None:
        frame = self._frames.pop()
        if isinstance(frame.container, dict) and frame.merged:
            own = dict(frame.container)
            for inherited in reversed(frame.merged):
                frame.container.update(inherited)
            frame.container.update(own)
        self._value(frame.container, frame.size, frame.anchor, event)

    def _note(self, event: Any) -> None:
        """The line of a key, or of an item of a list."""
        if self._lines is None or not self._frames:
            return
        frame = self._frames[-1]
        if isinstance(frame.container, list):
            self._lines[id(frame.container)][len(frame.container)] = _line(event)
        elif frame.key is None:
            self._lines[id(frame.container)][event.value] = _line(event)

    def _key(self, event: Any) -> None:
        frame = self._frames[-1]
        frame.key = event.value
        if isinstance(frame.container, dict) and event.value in frame.container:
            line = _line(event)
            found = f"the key {show(event.value)} a second time, in line {line}"
            self.problems.append(Problem(self._path(), found, "each key once", file=self.file, line=line))
            if len(self.problems) >= MAX_REPEATED_KEYS:
                raise _UnreadableError("more repeated keys", event, f"fewer than {MAX_REPEATED_KEYS}")

    def _path(self) -> str:
        path = ""
        for frame in self._frames:
            if isinstance(frame.container, list):
                path += f"[{len(frame.container)}]"
            elif frame.key is not None:
                path += f".{printable(frame.key)}"
        return path.removeprefix(".")

    def _value(self, value: object, size: int, anchor: str | None, event: Any) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, size)
        if not self._frames:
            self._content = value
            return
        frame = self._frames[-1]
        frame.size += size
        if isinstance(frame.container, list):
            frame.container.append(value)
        elif frame.key == "<<":
            frame.merged.extend(_mappings(value, event))
            frame.key = None
        elif frame.key is not None:
            frame.container[frame.key] = value
            frame.key = None


_HANDLERS: dict[type[yaml.Event], Callable[[_Builder, Any], None]] = {
    yaml.DocumentStartEvent: _Builder.start_document,
    yaml.DocumentEndEvent: _Builder.end_document,
    yaml.ScalarEvent: _Builder.scalar,
    yaml.AliasEvent: _Builder.alias,
    yaml.MappingStartEvent: _Builder.start,
    yaml.SequenceStartEvent: _Builder.start,
    yaml.MappingEndEvent: _Builder.end,
    yaml.SequenceEndEvent: _Builder.end,
}


def _mappings(value: object, event: Any) -> list[dict[str, object]]:
    parents = value if isinstance(value, list) else [value]
    maps = [parent for parent in parents if isinstance(parent, dict)]
    if len(maps) < len(parents):
        raise _UnreadableError("the merge key <<", event, "a map, or a list of maps, to merge")
    return maps


def _scalar(event: Any) -> object:
    text: str = event.value
    if event.tag in (None, "!"):
        return resolve(text) if event.implicit[0] else text
    if event.tag == _STANDARD + "str":
        return text
    if event.tag in _PLAIN_TAGS:
        return resolve(text)
    raise _unknown_tag(event)


def _unknown_tag(event: Any) -> _UnreadableError:
    return _UnreadableError(f"the tag {printable(event.tag)}", event, "values without a tag")


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _syntax_error(error: yaml.YAMLError, file: str) -> Problem:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or getattr(error, "reason", None)
    found = f"a syntax error ({printable(str(reason))})" if reason else "a syntax error"
    line = int(mark.line) + 1 if mark is not None else 0
    return Problem("", f"{found} in line {line}" if line else found, "YAML", file=file, line=line)

"""YAML text to plain objects: whole, or item by item where it is a long List as kubectl writes it.

What kubectl writes is read line by line here: one key or value a line, plain or quoted text. Text that it
folds over several lines, or keeps in its lines (`|`), is put into one line where reading fails without that.
A file that holds more of YAML, or is wrong, is left to `yaml_events`: what is read is the same, and only the
time differs. PyYAML with libyaml takes more than ten times as long for a dump of 10,000 workloads; and this
module needs nothing but Python, so that such dumps can be read where PyYAML is not installed.

Faster parsers were tried in November 2026. None of them can be given an untrusted file and be believed:

- py-yaml12 0.2 and yaml-rs 0.1 (Rust) end the process at 100,000 dashes in a line, py-yaml12 also at nested
  aliases. Both resolve scalars as in YAML 1.2, where kubectl follows YAML 1.1 (`0777` is 511, `yes` is true),
  and turn fractions into floats.
- rapidyaml 0.15 (C++) keeps the text of scalars, but hands it to Python one node at a time, which takes four
  times as long as this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

from tenure.errors import Problem
from tenure.manifests.limits import MAX_OBJECT, MAX_VALUES, too_large
from tenure.manifests.structure import Document, is_list_kind
from tenure.manifests.yaml_scalars import resolve

# Indentation, dash, key and value; or indentation, dash and a value alone.
# Keys of managedFields: `.`, `f:spec`, `k:{"type":"Active"}`, `v:"kueue.x-k8s.io/resource-in-use"`.
_LINE = re.compile(
    r"( *)(- )?(?:([A-Za-z][A-Za-z0-9_./-]*|\.|[fkv]:[A-Za-z0-9_./:{}\[\],\"-]+):(?: (\S.*))?|(\S.*))"
)
_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_.+(")
_DOUBLE = re.compile(r'"([^"\\]*(?:\\["\\][^"\\]*)*)"')
_SINGLE = re.compile(r"'([^']*(?:''[^']*)*)'")
_QUOTED: Final = {'"': _DOUBLE, "'": _SINGLE}
_ESCAPED = re.compile(r"\\(.)")
_EMPTY: Final[dict[str, type[Any]]] = {"{}": dict, "[]": list}
_DEEPEST: Final = 100
_ROOT: Final = "root"
_MOST_KNOWN: Final = 2**17

_Part: TypeAlias = tuple[int, bool, str, bool, type[Any] | None]
"""A line without its value: column, whether a dash precedes it, key; whether a new map or list is the value,
and of which type if that is empty, None where it is below. The key of a value alone is empty."""

_Step: TypeAlias = tuple[tuple[str, ...] | None, Callable[[Sequence[Any]], Iterable[Any]]]
"""How a map or a list is made: its keys, None for a list; and what finds its values among those of the lines
and, after them, the maps and lists that were made before."""

_Plan: TypeAlias = tuple[_Step, ...]
"""How what some lines hold is made, the inner maps and lists first."""

_Level: TypeAlias = tuple[int, bool, Any]
"""The column of a list's dashes or a map's keys, whether it is a list, and itself."""


class NotPlainError(Exception):
    """The text is more than the part of YAML that is read here, or it is wrong."""


class _Lines(dict[str, tuple[int, Any]]):
    """The number of each line's part, and its value; a line is read when it is first looked up.

    Args:
        parts: of these lines, by their numbers.
    """

    def __init__(self) -> None:
        self.parts: list[_Part] = []
        self._numbers: dict[_Part, int] = {}
        self._begins: dict[str, int] = {}
        """By what is before `: ` and a value: times differ, what is before them does not."""

    def __missing__(self, line: str) -> tuple[int, Any]:
        begin, _, text = line.partition(": ")
        number = self._begins.get(begin)
        if number is None or not text or text[0].isspace() or text in _EMPTY or not text.isprintable():
            found = _LINE.fullmatch(line)
            if found is None or not line.isprintable():
                raise NotPlainError
            indent, dash, key, value, alone = found.groups()
            text = value or alone
            new = not text or text in _EMPTY
            number = self.number((len(indent), bool(dash), key or "", new, _EMPTY.get(text)))
            if new:
                return self.setdefault(line, (number, None))
            if value:
                self._begins[begin] = number
        return self.setdefault(line, (number, _value(text)))

    def number(self, part: _Part) -> int:
        """The number of a part, a new one for one that no line had."""
        number = self._numbers.setdefault(part, len(self.parts))
        if number == len(self.parts):
            self.parts.append(part)
        return number


class PlainReader:
    """Reads the lines of one file, of which most are in it many times.

    >>> PlainReader().read(["- a: 1", "  b:", "  - x", "- c: {}"])
    [{'a': 1, 'b': ['x']}, {'c': {}}]
    """

    def __init__(self) -> None:
        self._lines = _Lines()
        self._plans: dict[tuple[int, ...], _Plan | None] = {}
        """By the parts of all lines; None of those that were read once."""

    def read(self, lines: Sequence[str]) -> Any:
        """The list or map of some lines, None for no line; blank lines and remarks are left out before.

        Most items of a long list have the same lines but for the values. From the second on it is looked up
        where each value goes.

        Raises:
            NotPlainError: they hold more than that.
        """
        if not lines:
            return None
        if len(self._lines) >= _MOST_KNOWN:
            self._lines, self._plans = _Lines(), {}
        parts, values = zip(*map(self._lines.__getitem__, lines), strict=True)
        plan = self._plans.get(parts)
        if plan is None:
            if parts not in self._plans:
                self._plans[parts] = None
                return self._nested(parts, values)
            plan = self._plans[parts] = _plan(self._nested(parts, range(len(parts))), len(parts))
        made = list(values)
        for keys, found in plan:
            # An argument `strict` takes longer than all the rest; the getter has a place for each key.
            made.append(list(found(made)) if keys is None else dict(zip(keys, found(made))))  # noqa: B905
        return made[-1]

    def _nested(self, parts: Sequence[int], values: Sequence[Any]) -> Any:
        """The values of some lines as their parts nest them.

        Raises:
            NotPlainError: they are no list or map.
        """
        inner: dict[str, Any] = {}
        whole = inner
        nest: list[_Level] = [(-1, False, inner)]
        here, below = -1, _ROOT
        for part, value in zip(parts, values, strict=True):
            column, dash, key, new, empty = self._lines.parts[part]
            if dash or column != here:
                found = _inner(nest, column, dash, below)
                here, below = column, ""
                if dash and not key:
                    found.append(empty() if empty else value)
                    here = -1
                    continue
                inner = found
                if dash:
                    inner, here = {}, column + 2
                    found.append(inner)
                    nest.append((here, False, inner))
            if not key or key in inner:
                raise NotPlainError
            below = key if new and not empty else ""
            inner[key] = empty() if empty else value
        return whole[_ROOT]

    def read_folded(self, lines: Sequence[str]) -> Any:
        """As `read`, where text may go over several lines; blank lines and remarks are still there.

        >>> PlainReader().read_folded(["a: 'one", "  two'", "b: three", "  four", "c: |", "  five", "  six"])
        {'a': 'one two', 'b': 'three four', 'c': 'five\\nsix\\n'}

        Raises:
            NotPlainError: they hold more than that.
        """
        return self.read([line for line in self.unfolded(lines) if line and line.lstrip(" ")[:1] != "#"])

    def unfolded(self, lines: Sequence[str]) -> list[str]:
        """The lines with each text in one of them; those that it was in before are empty.

        Raises:
            NotPlainError: a text is not as kubectl writes it.
        """
        found: list[str] = []
        while len(found) < len(lines):
            here = len(found)
            line_match = _LINE.fullmatch(lines[here])
            text = (line_match[4] or line_match[5] or "") if line_match else ""
            if line_match is None or not text:
                found.append(lines[here])
            elif text in ("|", "|-"):
                found += self._literal(lines, here, line_match)
            elif text[0] in _QUOTED and not _QUOTED[text[0]].fullmatch(text):
                found += _quoted(lines, here, line_match)
            elif line_match[5] and line_match[1] and not line_match[2] and text[0] != "#":
                if here and not lines[here - 1].strip():
                    raise NotPlainError
                _continue(found, line_match)
            else:
                found.append(lines[here])
        return found

    def _literal(self, lines: Sequence[str], here: int, line_match: re.Match[str]) -> list[str]:
        """A text that keeps its lines, known to this reader from now on by a line that nothing else has."""
        end, column = here + 1, _column(line_match)
        margin = _indent(lines[end]) if end < len(lines) else 0
        while end < len(lines) and _indent(lines[end]) >= margin > column:
            end += 1
        content = [line[margin:] for line in lines[here + 1 : end]]
        if not content or not all(line and line.isprintable() for line in content):
            raise NotPlainError
        if end < len(lines) and not lines[end].strip():
            raise NotPlainError
        value = "\n".join(content) + ("\n" if line_match[0].endswith("|") else "")
        known_as = f"{line_match[0]}\n{value}"
        part = len(line_match[1]), bool(line_match[2]), line_match[3] or "", False, None
        self._lines[known_as] = self._lines.number(part), value
        return [known_as, *[""] * len(content)]


def _plan(nested: Any, lines: int) -> _Plan:
    """How to make what some lines hold, of the same with the number of the line in place of each value."""
    steps: list[_Step] = []

    def place(content: Any) -> int:
        if isinstance(content, int):
            return content
        keys = tuple(content) if isinstance(content, dict) else None
        places = [place(value) for value in (content if keys is None else content.values())]
        # Of a single index a getter makes no tuple.
        alone = slice(places[0], places[0] + 1) if places else slice(0)
        steps.append((keys, itemgetter(*places) if len(places) > 1 else itemgetter(alone)))
        return lines + len(steps) - 1

    place(nested)
    return tuple(steps)


def _column(line_match: re.Match[str]) -> int:
    return len(line_match[1]) + 2 * bool(line_match[2])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _quoted(lines: Sequence[str], here: int, line_match: re.Match[str]) -> list[str]:
    """A quoted text whose quote is closed in a later line."""
    text = line_match[4] or line_match[5]
    whole, ended = _QUOTED[text[0]], here
    before = line_match[0].removesuffix(text)
    while not whole.fullmatch(text):
        ended += 1
        following = lines[ended] if ended < len(lines) else ""
        if not following.strip() or _indent(following) <= _column(line_match) or text.endswith("\\"):
            raise NotPlainError
        text = f"{text.rstrip(' ')} {following.strip(' ')}"
    return [before + text, *[""] * (ended - here)]


def _continue(found: list[str], line_match: re.Match[str]) -> None:
    """Put a line without a key behind the plain text that it continues."""
    last = len(found) - 1
    while last > 0 and not found[last]:
        last -= 1
    continued = _LINE.fullmatch(found[last]) if found else None
    text = (continued[4] or (continued[5] if continued[2] else "") or "") if continued else ""
    if (
        continued is None
        or text[:1] not in _PLAIN
        or text in _EMPTY
        or len(line_match[1]) <= _column(continued)
    ):
        raise NotPlainError
    found[last] = f"{found[last].rstrip(' ')} {line_match[5].rstrip(' ')}"
    found.append("")


def _inner(nest: list[_Level], column: int, dash: bool, below: str) -> Any:
    """The list of a dash in a column, or the map of a key there, with all that it ends closed.

    Args:
        nest: all that is open, the innermost last.
        column: from 0.
        dash: whether it is a list.
        below: the key of the innermost map that may still get its value.
    """
    here, listed, content = nest[-1]
    if below and (column > here or (dash and column == here)):
        found: Any = [] if dash else {}
        content[below] = found
        nest.append((column, dash, found))
        if len(nest) > _DEEPEST:
            raise NotPlainError
        return found
    while column < here or (column == here and dash != listed):
        nest.pop()
        here, listed, content = nest[-1]
    if column != here or dash != listed:
        raise NotPlainError
    return content


def plain_documents(text: str) -> list[tuple[object, int]] | None:
    """The documents of a text and the line in which each begins, or None where it is more than plain.

    >>> plain_documents("# first\\na: 1\\n---\\nb:\\n- 2\\n")
    [({'a': 1}, 2), ({'b': [2]}, 3)]
    >>> plain_documents("a: [1]")
    """
    # A line holds at most three values: a map in a list, its key and the key's value.
    if 3 * text.count("\n") > MAX_VALUES:
        return None
    try:
        try:
            return _documents(PlainReader(), text.split("\n"))
        except NotPlainError:
            reader = PlainReader()
            return _documents(reader, reader.unfolded(text.split("\n")))
    except NotPlainError:
        return None


def _documents(reader: PlainReader, lines: Sequence[str]) -> list[tuple[object, int]]:
    return [(reader.read(line_match), first) for first, line_match in _split(lines)]


def _split(lines: Sequence[str]) -> list[tuple[int, list[str]]]:
    """The lines of each document without remarks, and the number of its first."""
    documents: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines, 1):
        if line == "---":
            documents.append((number, []))
        elif (line_match := line.lstrip(" ")) and line_match[0] != "#":
            if not documents:
                documents.append((number, []))
            documents[-1][1].append(line)
        elif not line.isprintable():
            raise NotPlainError
    return documents


def _value(text: str) -> object:
    if text[0] in _PLAIN or (text[0] == "-" and text[1:2].strip()):
        if text[-1] == ":" or (" " in text and (": " in text or " #" in text or text[-1] == " ")):
            raise NotPlainError
        return resolve(text)
    if quoted := _DOUBLE.fullmatch(text):
        return _ESCAPED.sub(r"\1", quoted[1]) if "\\" in text else quoted[1]
    if quoted := _SINGLE.fullmatch(text):
        return quoted[1].replace("''", "'")
    raise NotPlainError


_NEXT: Final = "\n- "
_AFTER = re.compile(r"\n(?=[^ \-\n])")
_AROUND: Final = 10_000
"""Characters that may come before and after the items; kubectl writes less than two hundred."""


def parse_yaml(text: str, file: str) -> tuple[list[Document], list[Problem]]:
    """The documents of a YAML text, up to the first syntax error, and what is wrong with it.

    Args:
        text: one or more documents.
        file: what problems call the text.

    >>> documents, problems = parse_yaml("quota: 0.50", "a.yaml")
    >>> documents[0].content, problems
    ({'quota': 0.50}, [])
    >>> print(parse_yaml("a: 1\\nb: {a: 2, a: 3}", "a.yaml")[1][0])
    a.yaml: b.a: found the key 'a' a second time, in line 2, expected each key once
    """
    plain = plain_documents(text)
    if plain is not None:
        return [Document(content, line) for content, line in plain], []
    try:
        # Imported here: what kubectl writes needs no PyYAML, which is not everywhere where Python is.
        from tenure.manifests.yaml_events import parse_events
    except ModuleNotFoundError:
        found = "more of YAML than kubectl writes, or YAML that is wrong"
        return [], [Problem("", found, "one key or value a line, or PyYAML to be installed", file=file)]
    return parse_events(text, file)


def iterate_yaml_list(
    text: str, file: str, problems: list[Problem]
) -> Iterator[tuple[dict[str, Any], object]] | None:
    """As `json_text.iterate_list`, for a List in YAML.

    >>> found = iterate_yaml_list("items:\\n- a: 1\\n- b: [2]\\nkind: List\\n", "a.yaml", [])
    >>> [item for _, item in found or ()]
    [{'a': 1}, {'b': [2]}]
    """
    parts = _parts(text)
    if parts is None:
        return None
    around, start, end = parts
    return _items(text, file, problems, around, start, end)


def _parts(text: str) -> tuple[dict[str, Any], int, int] | None:
    """What is around the items, and where they begin and end."""
    head = re.search(r"^items:\n(?=- )", text[:_AROUND], re.MULTILINE)
    if head is None:
        return None
    tail = _AFTER.search(text, head.end())
    end = tail.end() if tail else len(text)
    # Another document may follow, and then what comes after the items is not about them.
    more = any(text.find(mark, head.end()) >= 0 for mark in ("\n---", "\n..."))
    if more or len(text) - end > _AROUND:
        return None
    documents, problems = parse_yaml(text[: head.start()] + text[end:], "")
    around = documents[0].content if len(documents) == 1 and not problems else None
    if not isinstance(around, dict) or "items" in around:
        return None
    return (around, head.end(), end) if is_list_kind(around.get("kind")) else None


def _items(
    text: str, file: str, problems: list[Problem], around: dict[str, Any], start: int, end: int
) -> Iterator[tuple[dict[str, Any], object]]:
    count = 0
    here, reader = start, PlainReader()
    while here < end:
        following = text.find(_NEXT, here, end) + 1 or end
        if following - here > MAX_OBJECT:
            problems.append(too_large("an object", MAX_OBJECT, file, f"items[{count}]"))
            return
        found_items = _read(reader, text[here:following], file)
        if len(found_items) != 1:
            yield from _rest(text, file, problems, around, count)
            return
        yield around, found_items[0]
        count += 1
        here = following


def _read(reader: PlainReader, text: str, file: str) -> list[Any]:
    """The one item that a text holds; none where it cannot be read by itself."""
    lines = text.removesuffix("\n").split("\n")
    try:
        try:
            content = reader.read(lines)
        except NotPlainError:
            content = reader.read_folded(lines)
    except NotPlainError:
        documents, wrong = parse_yaml(text, file)
        content = documents[0].content if len(documents) == 1 and not wrong else None
    return content if isinstance(content, list) else []


def _rest(
    text: str, file: str, problems: list[Problem], around: dict[str, Any], count: int
) -> Iterator[tuple[dict[str, Any], object]]:
    """The items that have not been read yet, from the whole text; its problems have the right lines."""
    documents, wrong = parse_yaml(text, file)
    problems.extend(wrong)
    for document in documents[:1]:
        items = document.content.get("items") if isinstance(document.content, dict) else None
        yield from ((around, item) for item in (items[count:] if isinstance(items, list) else ()))

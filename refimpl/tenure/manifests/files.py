"""Files, folders and standard input to the Kubernetes objects in them, each with where it came from."""

from __future__ import annotations

import os
import re
import shlex
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from tenure.disk import TooLargeError, read_bytes, root_of
from tenure.errors import InputError, Problem
from tenure.manifests.given import StandardInput, given, in_place_of_stdin
from tenure.manifests.json_text import iterate_list, parse_json
from tenure.manifests.limits import MAX_FILE, MAX_OBJECTS, MAX_PROBLEMS, too_large
from tenure.manifests.showing import Place, printable, show, sort_of
from tenure.manifests.structure import Document, is_list_kind
from tenure.manifests.yaml_text import iterate_yaml_list, parse_yaml
from tenure.resources import is_folder, is_there
from tenure.units import counted, format_names

_EXPECTED: Final = "a file or folder to read"


def read_file(path: str | Path, file: str, problems: list[Problem], most: int = MAX_FILE) -> bytes | None:
    """What a file or a pipe holds; None where it cannot be read, which is a problem.

    Args:
        path: the file.
        file: what problems call it.
        problems: gets what is wrong.
        most: bytes that are read.

    >>> problems = []
    >>> read_file("/dev/null", "/dev/null", problems), str(problems[0])
    (None, '/dev/null: found a device, expected a file or folder to read')
    """
    try:
        return read_bytes(path, most)
    except InputError as error:
        problems.extend(error.problems)
    except TooLargeError:
        problems.append(too_large("a file", most, file))
    except (OSError, ValueError) as error:
        problems.append(Problem("", reason(error), _EXPECTED, file=file))
    return None


def read_text(path: str | Path, most: int) -> str:
    """The text of a file in UTF-8.

    Args:
        path: the file.
        most: bytes that are read.

    Raises:
        InputError: it cannot be read, has more bytes, or is no text in UTF-8; the line is named.
    """
    problems: list[Problem] = []
    file = printable_path(path)
    raw = read_file(path, file, problems, most)
    text = None if raw is None else decoded(raw, file, problems)
    if text is None:
        raise InputError(problems)
    return text


def read_standard_input(problems: list[Problem]) -> bytes | None:
    """What standard input holds, or what is given in its place; None where that is a problem."""
    replacement = given()
    if replacement.read is not None:
        return _within_limit(replacement.read(), replacement.name, problems)
    if sys.stdin is None:
        problems.append(Problem("", "a closed standard input", "Kubernetes objects", file="stdin"))
        return None
    # A caller may have put a text buffer in place of the real standard input.
    buffer = getattr(sys.stdin, "buffer", None)
    try:
        raw = buffer.read(MAX_FILE + 1) if buffer is not None else sys.stdin.read(MAX_FILE + 1).encode()
    except (OSError, ValueError) as error:
        problems.append(Problem("", reason(error), "standard input to read", file="stdin"))
        return None
    return _within_limit(raw, "stdin", problems)


@contextmanager
def standard_input_once() -> Iterator[None]:
    """Let every document of a run that names `-` have the same standard input, which is read on first use."""

    @cache
    def read() -> bytes:
        problems: list[Problem] = []
        with in_place_of_stdin(StandardInput()):
            raw = read_standard_input(problems)
        if raw is None:
            raise InputError(problems)
        return raw

    if given().read is not None:
        yield
        return
    with in_place_of_stdin(StandardInput(read=read)):
        yield


def reason(error: OSError | ValueError) -> str:
    """Why something could not be read, in the words of the system."""
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    message = error.strerror if isinstance(error, OSError) else str(error)
    return printable((message or type(error).__name__).lower())


def _within_limit(raw: bytes, file: str, problems: list[Problem]) -> bytes | None:
    if len(raw) <= MAX_FILE:
        return raw
    problems.append(too_large("a file", MAX_FILE, file))
    return None


_SUFFIXES = (".yaml", ".yml", ".json")
EXPECTATIONS: Final = ".tenure.yaml"
"""The ending of files of expectations, which may be in the same folder."""
_STDIN = "-"
NOT_RENDERED: Final = "templates of queues or workloads are not looked at"
NOT_APPLIED: Final = "which are not applied"
"""What a note has about a folder that only a renderer can read whole."""
RENDERERS: Final = "helm template", "kubectl kustomize"
"""The commands that such a note names, each before a folder."""
STDIN_TWICE: Final = "standard input more than once"
"""What is wrong where `-` is named twice."""
JSON_PATCH, OTHER_TOOL = "a JSON patch", "of another tool"
TEMPLATE, TEMPLATE_OF_OURS, UNREADABLE = "a template", "a template of queues or workloads", "unreadable"
_PASSED_OVER: Final[Mapping[str, tuple[str, str]]] = {
    JSON_PATCH: ("JSON patch", "JSON patches"),
    OTHER_TOOL: ("of another tool", "of other tools"),
    TEMPLATE: ("Helm template", "Helm templates"),
    TEMPLATE_OF_OURS: ("Helm template", "Helm templates"),
    UNREADABLE: ("that cannot be parsed", "that cannot be parsed"),
}
"""What files without a Kubernetes object are: one of them, several of them."""
_NO_DOCUMENT: Final = "no document"
# Of what cannot be parsed. A label of Kueue on any other object makes no manifest of it.
_OURS = re.compile(r"apiVersion[\"']?\s*:\s*[\"']?(?:config\.)?(?:kueue\.x-k8s\.io|scheduling\.run\.ai)/")
_OF_KUBERNETES: Final = re.compile(r"^[ {-]*[\"']?(?:apiVersion|kind)[\"']?\s*:", re.MULTILINE)
_TEMPLATED: Final = re.compile(r"^[^#\n]*\{\{", re.MULTILINE)
_CHART: Final = "Chart.yaml"
KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml")
_AS_LISTED: Final = frozenset({"apiVersion", "kind", "metadata", "resources", "bases"})
"""The fields of a kustomization that changes none of its files."""
_MOST_NAMED: Final = 3
"""Files without a Kubernetes object that a note names."""


@dataclass(frozen=True, slots=True)
class SourcedObject:
    """A Kubernetes object as it was read, untrusted.

    Args:
        file: the file as the user named it, `stdin` for standard input; empty if it came from no file.
        object: the document, or one item of a List. Fractional numbers are `str` (`NumberText`).
        note: the files of its folder that hold no Kubernetes object, and kustomizations that are not applied,
            in one sentence; of the last object of a folder that has such files.
    """

    file: str
    object: dict[str, Any]
    note: str = ""


def noted(objects: Iterable[SourcedObject], kept: list[SourcedObject]) -> Iterator[SourcedObject]:
    """The same objects, each kept in a list when it is drawn.

    >>> kept: list[SourcedObject] = []
    >>> len(list(noted([SourcedObject("a.yaml", {})], kept))), len(kept)
    (1, 1)
    """
    for sourced in objects:
        kept.append(sourced)
        yield sourced


def read_objects(paths: Sequence[str | Path]) -> tuple[SourcedObject, ...]:
    """Every Kubernetes object in some files, with the items of a List one by one.

    Args:
        paths: files, folders (searched for `*.yaml`, `*.yml` and `*.json`, in the order of their names),
            or `-` for standard input, which may be YAML or JSON. Of a folder, files without a Kubernetes
            object (templates, values, JSON patches) are passed over, and counted in a note.

    Raises:
        InputError: all of the paths, files and documents that cannot be read.

    Source: the output of `kubectl get -o yaml` and `-o json`.

    >>> read_objects(["absent.yaml"])
    Traceback (most recent call last):
    tenure.errors.InputError: absent.yaml: found no such file or folder, expected a file or folder to read
    """
    problems: list[Problem] = []
    objects = tuple(iterate_objects(paths, problems))
    if problems:
        raise InputError(problems)
    return objects


def iterate_objects(paths: Sequence[str | Path], problems: list[Problem]) -> Iterator[SourcedObject]:
    """As `read_objects`, one object at a time, so that the caller need not hold all of them.

    Args:
        paths: as for `read_objects`.
        problems: gets what cannot be read, while the objects are drawn.
    """
    count = 0
    for path in paths:
        for found in _read_path(path, problems):
            count += 1
            if count > MAX_OBJECTS:
                expected = f"at most {MAX_OBJECTS} Kubernetes objects"
                problems.append(Problem("", "more objects", expected, file=found.file))
                return
            yield found


def _read_path(
    path: str | Path, problems: list[Problem], passed_over: dict[str, str] | None = None
) -> Iterator[SourcedObject]:
    """The objects of a path.

    Args:
        path: as for `read_objects`.
        problems: gets what cannot be read.
        passed_over: gets the file where it is one of a folder, and holds no Kubernetes object.
    """
    known_problems = len(problems)
    files = files_of(path, problems)
    beside: dict[str, str] | None = {} if _is_searched(path) else passed_over
    any_document = False
    last: SourcedObject | None = None
    for file, document in (found for name in files for found in _read_file(name, problems, beside)):
        any_document = True
        if len(problems) >= MAX_PROBLEMS:
            expected = f"fewer than {MAX_PROBLEMS} problems; the rest is not read"
            problems.append(Problem("", "more problems", expected, file=file))
            break
        if isinstance(document, SourcedObject):
            objects: Iterable[SourcedObject] = (document,)
        else:
            objects = _flatten(document, file, problems)
        for sourced in objects:
            if last is not None:
                yield last
            last = sourced
    if last is not None:
        notes = [passed_over_note(path, beside)] if beside and passed_over is None else []
        notes += filter(None, [overlay_note(files)]) if _is_searched(path) else []
        yield replace(last, note="; ".join(notes))
    elif beside and not any_document and passed_over is None:
        # Of a folder without any object, what is wrong with each file helps more than their number;
        # and of a chart, what its templates need.
        for name in [name for name, what in beside.items() if what == TEMPLATE_OF_OURS] or beside:
            yield from _read_path(name, problems)
    elif not any_document and not beside and len(problems) == known_problems:
        name = given().name if str(path) == _STDIN else printable_path(path)
        nothing = _NO_DOCUMENT if files else "no file named *.yaml, *.yml or *.json"
        problems.append(Problem("", nothing, "at least one Kubernetes object", file=name))


def passed_over_note(folder: str | Path, files: Mapping[str, str]) -> str:
    """The files of a folder that hold no Kubernetes object, in one sentence.

    Args:
        folder: as the user named it.
        files: what each of them is.

    >>> passed_over_note("q", {"q/values.yaml": OTHER_TOOL})
    'q: passed over 1 file without a Kubernetes object: 1 of another tool (q/values.yaml)'
    >>> passed_over_note("chart/queue.yaml", {"chart/queue.yaml": TEMPLATE})
    'chart/queue.yaml: passed over, a file without a Kubernetes object: Helm template'
    """
    if list(files) == [printable_path(folder)]:
        (what,) = files.values()
        sort = _PASSED_OVER[what][0]
        return f"{printable_path(folder)}: passed over, a file without a Kubernetes object: {sort}"
    sorts = Counter(_PASSED_OVER[what] for what in files.values())
    counted_sorts = ", ".join(f"{count} {names[count > 1]}" for names, count in sorted(sorts.items()))
    ours = sorted(file for file, what in files.items() if what == TEMPLATE_OF_OURS)
    named = format_names(ours or sorted(files), _MOST_NAMED)
    of_all = f"passed over {counted(len(files), 'file')} without a Kubernetes object: {counted_sorts}"
    note = f"{printable_path(folder)}: {of_all}"
    if not ours:
        return f"{note} ({named})"
    return f"{note}; {NOT_RENDERED} ({named}); {_render(ours[0])}"


def _render(template: str) -> str:
    """What to do about a template, with the folder of its chart."""
    folders = Path(template).parents
    chart = next((str(folder) for folder in folders if is_there(folder / _CHART)), "CHART")
    return f"render it first: {RENDERERS[0]} {shlex.quote(chart)} | tenure validate -"


def overlay_note(files: Iterable[str | Path]) -> str:
    """What to do about kustomizations that change their files, in one sentence; empty without any.

    Args:
        files: among which they are.

    >>> overlay_note(["queues.yaml"])
    ''
    """
    kustomizations = [Path(file) for file in files if Path(file).name in KUSTOMIZATIONS]
    overlays = sorted({printable_path(file.parent) for file in kustomizations if _changes_files(file)})
    if not overlays:
        return ""
    noun = "a kustomization" if len(overlays) == 1 else "kustomizations"
    return (
        f"{format_names(overlays, _MOST_NAMED)}: {noun} with patches or other changes, {NOT_APPLIED} "
        f"here; render first: {RENDERERS[1]} {shlex.quote(overlays[0])} | tenure validate -"
    )


def _changes_files(kustomization: Path) -> bool:
    raw = read_file(kustomization, str(kustomization), []) if is_there(kustomization) else None
    documents = parse_yaml(raw.decode("utf-8-sig", "replace"), "")[0] if raw is not None else []
    return any(
        isinstance(document.content, dict) and document.content.keys() - _AS_LISTED for document in documents
    )


def _is_searched(path: str | Path) -> bool:
    return str(path) != _STDIN and is_folder(path)


def printable_path(path: str | Path) -> str:
    """The path as the user named it; bytes that are no text are escaped.

    >>> printable_path("team-a/queue.yaml")
    'team-a/queue.yaml'
    """
    text = str(path)
    return text if text.isprintable() else ascii(text)[1:-1]


def files_of(path: str | Path, problems: list[Problem]) -> Sequence[str | Path]:
    """The files that a path means: those of a folder with manifests in order, or the path itself.

    Files of expectations, `*.tenure.yaml`, are no manifests.

    Args:
        path: a file, a folder, or `-`.
        problems: gets the folders that cannot be read.

    >>> files_of("queues.yaml", [])
    ['queues.yaml']
    """
    if not _is_searched(path):
        return [path]

    def refuse(error: OSError) -> None:
        folder = printable_path(error.filename or path)
        problems.append(Problem("", reason(error), "a folder to read", file=folder))

    found = (
        Path(parent, name)
        for parent, _, names in os.walk(path, onerror=refuse)
        for name in names
        if name.lower().endswith(_SUFFIXES) and not name.endswith(EXPECTATIONS)
    )
    return below(found, path, problems)


_BELOW: Final = "a file or folder below the current folder, or below its own where that is elsewhere"


def below(files: Iterable[Path], folder: str | Path, problems: list[Problem]) -> list[Path]:
    """The files that lie below a folder when links are followed, in the order of their names.

    Args:
        files: as they are found in the folder.
        folder: that is searched; see `root_of`.
        problems: gets the others, and the folder if its folders nest too deeply to be searched.
    """
    found: list[Path] = []
    try:
        ordered = sorted(files)
    except RecursionError:
        name = printable_path(folder)
        problems.append(Problem("", "folders nested too deeply", "some hundred levels at most", file=name))
        return found
    root = root_of(folder)
    for file in ordered:
        if _leads_out(file, root):
            problems.append(
                Problem("", "a link that leads out of the folder", _BELOW, file=printable_path(file))
            )
        else:
            found.append(file)
    return found


def read_referenced(names: Mapping[str, str], place: Place) -> tuple[SourcedObject, ...]:
    """The objects of the files and folders that another file names, relative to its folder, or of `-`.

    Args:
        names: by the path of the field that names it.
        place: the file that names them, for problems.

    Raises:
        InputError: one that leads out of `root_of` the file; standard input twice, or where it is the file;
            all that cannot be read.

    >>> read_referenced({"files[0]": "../../../etc/passwd"}, Place("Scenario/a"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tenure.errors.InputError: Scenario/a: files[0]: found '../../../etc/passwd', which leads out of ...
    """
    folder = Path() if place.file in ("", "stdin") else Path(place.file).parent
    root, problems = root_of(folder), []
    for number, (field, name) in enumerate(names.items()):
        if name == _STDIN and place.file == "stdin":
            problems.append(place.problem(field, "standard input, which has this document", "a file"))
        elif name == _STDIN and _STDIN in list(names.values())[:number]:
            problems.append(place.problem(field, STDIN_TWICE, "it once"))
        elif name != _STDIN and str(folder / name) == _STDIN:
            problems.append(place.problem(field, f"{show(name)}: standard input", _BELOW))
        elif name != _STDIN and _leads_out(folder / name, root):
            problems.append(place.problem(field, f"{show(name)}, which leads out of the folder", _BELOW))
    if problems:
        raise InputError(problems)
    return read_objects([_STDIN if name == _STDIN else folder / name for name in names.values()])


def _leads_out(path: Path, root: Path) -> bool:
    try:
        return not path.resolve().is_relative_to(root)
    except (OSError, RuntimeError, ValueError):
        # Reading reports why it is not a path.
        return False


def iterate_ours(
    paths: Sequence[str | Path],
    is_ours: Callable[[object], bool],
    problems: list[Problem],
    notes: list[str],
) -> Iterator[SourcedObject]:
    """As `iterate_objects`, of the files alone that hold an object that counts.

    Args:
        paths: as for `read_objects`.
        is_ours: whether an object counts.
        problems: gets what cannot be read: a path, and a file that holds or seems to hold such an object.
        notes: gets a sentence about the other files of a path that hold no object or cannot be read.

    >>> problems = []
    >>> list(iterate_ours(["absent.yaml"], bool, problems, [])), problems[0].file
    ([], 'absent.yaml')
    """
    for path in paths:
        passed_over: dict[str, str] = {}
        files = files_of(path, problems)
        notes.extend(filter(None, [overlay_note(files)]) if _is_searched(path) else ())
        for file in files:
            wrong: list[Problem] = []
            found = list(_read_path(file, wrong, passed_over if _is_searched(path) else None))
            if any(is_ours(sourced.object) for sourced in found) or (wrong and _seems_ours(file, is_ours)):
                problems.extend(wrong)
                yield from found
            elif any(problem.found != _NO_DOCUMENT for problem in wrong):
                is_template = any(problem.found.startswith(TEMPLATE) for problem in wrong)
                passed_over[printable_path(file)] = TEMPLATE if is_template else UNREADABLE
        if passed_over:
            notes.append(passed_over_note(path, passed_over))


def _seems_ours(file: str | Path, is_ours: Callable[[object], bool]) -> bool:
    """Whether a file that cannot be read as a whole may hold an object that counts, as kubectl reads it."""
    if str(file) == _STDIN or not Path(file).is_file():
        return True
    raw = read_file(file, str(file), [])
    if raw is None:
        return True
    text = raw.decode("utf-16" if raw[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig", "replace")
    # One document that is wrong hides no other.
    parts = re.split(r"^---", text, flags=re.MULTILINE)
    documents = (document for part in parts for document in parse_yaml(part, "")[0])
    contents = (found.object for document in documents for found in _flatten(document, "", []))
    return _OURS.search(text) is not None or any(map(is_ours, contents))


def _read_file(
    path: str | Path, problems: list[Problem], passed_over: dict[str, str] | None = None
) -> Iterator[tuple[str, Document | SourcedObject]]:
    """The documents of a file; none of one that is passed over, which is noted."""
    from_stdin = str(path) == _STDIN
    file = given().name if from_stdin else printable_path(path)
    raw = read_standard_input(problems) if from_stdin else read_file(path, file, problems)
    if raw is None:
        return
    text = decoded(raw, file, problems)
    # A dump may be large: the bytes and the text need not stay side by side.
    del raw
    if text is not None:
        suffix = Path(path).suffix.lower()
        for document in _documents(text, file, suffix, problems, passed_over):
            yield file, document


def _documents(
    text: str, file: str, suffix: str, problems: list[Problem], passed_over: dict[str, str] | None
) -> Iterator[Document | SourcedObject]:
    is_json = suffix == ".json" or (suffix not in _SUFFIXES and text.lstrip().startswith("{"))
    items = (iterate_list if is_json else iterate_yaml_list)(text, file, problems)
    if items is not None:
        # An empty list is a document too.
        yield Document({"kind": "List", "items": []}, 1)
        for index, (around, item) in enumerate(items):
            typed = _typed(item, around)
            if isinstance(typed, dict) and not _is_list(typed):
                yield SourcedObject(file, typed)
            else:
                yield Document(typed, 1, f"items[{index}]")
        return
    found, wrong = _parse(text, file, suffix, is_json=is_json)
    documents = [document for document in found if document.content is not None]
    what = "" if passed_over is None else _without_object(documents, wrong, text)
    if what and passed_over is not None:
        passed_over[file] = what
        return
    problems.extend(_as_template(problem, text) for problem in wrong)
    yield from documents


def _without_object(documents: Sequence[Document], wrong: Sequence[Problem], text: str) -> str:
    """What a file without a Kubernetes object is; empty for one that holds or seems to hold one."""
    if wrong:
        if _TEMPLATED.search(text):
            return TEMPLATE_OF_OURS if _OURS.search(text) else TEMPLATE
        return "" if _OF_KUBERNETES.search(text) else UNREADABLE
    contents = [document.content for document in documents]
    if not contents or any(map(_seems_object, contents)):
        return ""
    is_patch = all(isinstance(content, list) and _is_json_patch(content) for content in contents)
    return JSON_PATCH if is_patch else OTHER_TOOL


def _seems_object(content: object) -> bool:
    """Whether a document may be meant as a Kubernetes object, with whatever mistakes."""
    return isinstance(content, dict) and (
        "kind" in content
        or "metadata" in content
        or _OURS.match(f"apiVersion: {content.get('apiVersion')}") is not None
    )


def _is_json_patch(content: list[Any]) -> bool:
    return all(isinstance(entry, dict) and {"op", "path"} <= entry.keys() for entry in content)


def _as_template(problem: Problem, text: str) -> Problem:
    """What is wrong with a template is that it is one."""
    found = _TEMPLATED.search(text)
    if found is None:
        return problem
    line = text.count("\n", 0, found.end()) + 1
    expected = f"YAML; {_render(problem.file)}"
    return replace(problem, found=f"{TEMPLATE} in line {line}", expected=expected, line=line)


def decoded(raw: bytes, file: str, problems: list[Problem], first: int = 1) -> str | None:
    """Bytes as text; None where they are no UTF-8, which is a problem that names the line, from the first."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + first
        found = f"byte 0x{raw[error.start]:02x} in line {line}"
        problems.append(Problem("", found, "text in UTF-8", file=file, line=line))
        return None


def _parse(text: str, file: str, suffix: str, *, is_json: bool) -> tuple[list[Document], list[Problem]]:
    if is_json:
        documents, problems = parse_json(text, file)
        # Standard input may start with a brace, and then hold what is YAML and no JSON.
        if documents or suffix == ".json":
            return documents, problems
    return parse_yaml(text, file)


def _flatten(document: Document, file: str, problems: list[Problem]) -> Iterator[SourcedObject]:
    stack: list[tuple[str, object]] = [(document.path, document.content)]
    while stack:
        path, content = stack.pop()
        if not isinstance(content, dict):
            found = f"{sort_of(content)} in the document of line {document.line}"
            expected = "a Kubernetes object (a map)"
            problems.append(Problem(path, found, expected, file=file, line=document.line))
        elif _is_list(content):
            stack.extend(reversed(_items(path, content, file, problems)))
        else:
            yield SourcedObject(file, content)


def _is_list(content: dict[str, Any]) -> bool:
    kind = content.get("kind")
    return kind == "List" or (is_list_kind(kind) and "items" in content)


def _items(
    path: str, content: dict[str, Any], file: str, problems: list[Problem]
) -> list[tuple[str, object]]:
    items = content.get("items")
    inner = f"{path}.items" if path else "items"
    if items is None and "items" in content:
        return []
    if not isinstance(items, list):
        found = sort_of(items) if "items" in content else "nothing"
        problems.append(Problem(inner, found, "a list of Kubernetes objects", file=file))
        return []
    return [(f"{inner}[{index}]", _typed(item, content)) for index, item in enumerate(items)]


def _typed(item: object, container: dict[str, Any]) -> object:
    """The API server leaves kind and version out of the items of a typed list."""
    if not isinstance(item, dict) or container["kind"] == "List":
        return item
    inherited = {"apiVersion": container.get("apiVersion"), "kind": container["kind"].removesuffix("List")}
    return {**inherited, **item}

"""The published vectors: reading, checking, running, adding, formatting."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tenure.choices import Engine
from tenure.conformance.observing import observed_rules
from tenure.conformance.protocol import answer
from tenure.disk import write_file
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import decoded_json
from tenure.manifests.files import read_text
from tenure.manifests.limits import MAX_PROBLEMS, MAX_VECTORS
from tenure.resources import bundled, is_there
from tenure.rules.registry import all_rules
from tenure.versions import need_form

SCHEMA = "schema.json"
_SURROGATES = re.compile("[\ud800-\udfff]")
PLAYS = "plays.toml"
"""Rules of a play, which no single answer exercises, each with a scenario for each verdict."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One case of a vector file.

    Args:
        file: where it is.
        data: the case, as the schema describes it.
        flags: meaning of the file's flags.
    """

    file: Path
    data: dict[str, Any]
    flags: dict[str, str]

    @property
    def id(self) -> str:
        """Its identifier."""
        return str(self.data["id"])

    def request(self, *, explained: bool = False) -> dict[str, Any]:
        """The oracle request of the case."""
        given = {**self.data["input"], "reading": self.data["reading"], "explain": explained}
        return {"id": self.id, "call": self.data["call"], "input": given}


@dataclass(frozen=True, slots=True)
class Run:
    """A vector that was run.

    Args:
        vector: which.
        differences: what the answer has otherwise; empty when it passes.
    """

    vector: Vector
    differences: tuple[str, ...]


def vectors_folder() -> Path:
    """Where the published vectors are."""
    return bundled("spec", "vectors")


def load_vectors(folder: Path | None = None, *, checked: bool = True) -> tuple[Vector, ...]:
    """Every vector of a folder, by file and position.

    Args:
        folder: that of the published vectors if None.
        checked: whether the files may be wrong; what is wrong in them is found then.

    Raises:
        InputError: a file is no JSON object, or does not follow the schema.
    """
    vectors: list[Vector] = []
    problems: list[Problem] = []
    for path in vector_files(folder):
        try:
            vectors.extend(_read_file(path, checked))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return tuple(vectors)


def vector_files(folder: Path | None = None) -> list[Path]:
    """The vector files of a folder."""
    folder = folder or vectors_folder()
    return sorted(path for path in folder.glob("*.json") if path.name != SCHEMA)


def run_vector(vector: Vector, engine: Engine = Engine.REFERENCE) -> Run:
    """Answer a vector's request by an engine, unless it names one itself, and compare."""
    try:
        actual = answer(vector.request(), engine=engine)
    except Exception as error:  # noqa: BLE001 - a fault in one answer hides no other vector's difference
        return Run(vector, (f"expected an answer, got an internal error, {type(error).__name__}: {error}",))
    return Run(vector, tuple(differences(vector.data["expect"], actual)))


def differences(expect: dict[str, Any], actual: dict[str, Any]) -> Iterator[str]:
    """What an answer has otherwise than expected; only what the vector mentions is compared.

    >>> actual = {"output": {"decision": "NoFit", "preempted": []}}
    >>> list(differences({"decision": "Fit", "preempted": []}, actual))
    ["decision: expected 'Fit', got 'NoFit'"]
    """
    if "error" in expect or "error" in actual:
        yield from _error_differences(expect.get("error"), actual.get("error"))
        return
    output = actual["output"]
    if "output" not in expect:
        yield from _decision_differences(expect, output)
    elif (answered := _without_warnings(output, expect["output"])) != expect["output"]:
        yield f"output: expected {expect['output']}, got {answered}"


def _without_warnings(output: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """The output without its warnings, unless the answer consists of them."""
    if "warnings" in expected:
        return output
    return {name: value for name, value in output.items() if name != "warnings"}


def _decision_differences(expect: dict[str, Any], output: dict[str, Any]) -> Iterator[str]:
    if output["decision"] != expect["decision"]:
        yield f"decision: expected {expect['decision']!r}, got {output['decision']!r}"
    wanted = [victim["workload"] for victim in expect["preempted"]]
    got = [victim["workload"] for victim in output["preempted"]]
    if wanted != got:
        yield f"preempted: expected {wanted}, got {got}"
        return
    for mine, theirs in zip(expect["preempted"], output["preempted"], strict=True):
        for key in mine:
            if mine[key] != theirs[key]:
                yield f"{mine['workload']}.{key}: expected {mine[key]!r}, got {theirs[key]!r}"


def _error_differences(expect: dict[str, Any] | None, actual: dict[str, Any] | None) -> Iterator[str]:
    if expect is None:
        yield f"expected an answer, got error {actual and actual['message']!r}"
    elif actual is None:
        yield f"expected error {expect['code']} at {expect['field']}, got an answer"
    else:
        for key in expect:
            if expect[key] != actual[key]:
                yield f"error.{key}: expected {expect[key]!r}, got {actual[key]!r}"


def check_vectors(folder: Path | None = None) -> Iterator[str]:
    """Everything that is wrong with the vector files themselves.

    Schema, formatting, unique identifiers, flags defined and used, identifiers of rules that exist, the
    verdict against what the rules answer, and an accepting and a rejecting vector for every live rule; of a
    rule of a play, scenarios instead.
    """
    try:
        vectors = load_vectors(folder)
    except InputError as error:
        yield from (str(problem) for problem in error.problems)
        return
    for path in vector_files(folder):
        if read_text(path, MAX_VECTORS) != formatted(_parse(path)):
            yield f"{path.name}: not formatted; `tenure vectors format` does it"
    yield from _duplicates(vectors)
    yield from _flag_problems(vectors)
    for vector in vectors:
        yield from _verdict_problems(vector)
    yield from _coverage_problems(vectors, exercised_by_plays(folder))


def exercised_by_plays(folder: Path | None = None) -> Mapping[str, Mapping[str, str]]:
    """The scenario that exercises a rule of a play, by rule and verdict; empty without the file.

    >>> sorted(exercised_by_plays()["CYC-010"])
    ['accept', 'reject']
    """
    path = (folder or vectors_folder()) / PLAYS
    return tomllib.loads(read_text(path, MAX_VECTORS)) if is_there(path) else {}


def formatted(data: dict[str, Any]) -> str:
    """A vector file's one way of being written."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def format_files(folder: Path | None = None) -> list[Path]:
    """Rewrite every file in the one way; the files that changed."""
    changed = []
    for path in vector_files(folder):
        before = read_text(path, MAX_VECTORS)
        after = formatted(_parsed(before, path))
        if after != before:
            write_file(path, after, edits=True)
            changed.append(path)
    return changed


def add_vector(area: str, vector: dict[str, Any], folder: Path | None = None) -> Path:
    """Append a vector to the file of its area; without `expect`, the oracle's answer becomes it.

    Args:
        area: name of the file, without ending; it must exist, since it defines the flags.
        vector: the case, by the schema.
        folder: the vectors' folder.

    Raises:
        InputError: no such area, an identifier in use, or a case that does not follow the schema, whose flags
            the file does not define, or whose verdict is not what its rules find.
    """
    _need_encodable(vector, "", "vector")
    folder = folder or vectors_folder()
    path = folder / f"{area}.json"
    if not is_there(path):
        known = ", ".join(vector_file.stem for vector_file in vector_files(folder))
        raise bad_input("area", area, f"an area that has a file: {known}")
    if any(known.id == vector.get("id") for known in load_vectors(folder)):
        raise bad_input("id", vector.get("id"), "an identifier that is not in use")
    answerable = {"id", "reading", "call"} <= vector.keys() and isinstance(vector.get("input"), dict)
    if "expect" not in vector and answerable:
        vector = {**vector, "expect": expected_from(answer(Vector(path, vector, {}).request()))}
    data = _parse(path)
    data["vectors"].append(vector)
    _validate(data, path)
    added = Vector(path, vector, data["flags"])
    wrong = [*_undefined_flags(added), *_verdict_problems(added)]
    if wrong:
        raise InputError([Problem("", name, "a case that `tenure vectors check` accepts") for name in wrong])
    write_file(path, formatted(data), edits=True)
    return path


def expected_from(actual: dict[str, Any]) -> dict[str, Any]:
    """The part of an answer that a vector expects."""
    if "error" in actual:
        return {"error": {key: actual["error"][key] for key in ("code", "field")}}
    output = actual["output"]
    if "decision" not in output:
        return {"output": output}
    return {"decision": output["decision"], "preempted": output["preempted"]}


def _read_file(path: Path, checked: bool) -> Iterator[Vector]:
    if checked:
        data = _parse(path)
        need_form(data.get("schema"), "vectors", file=path.name)
        _validate(data, path)
    else:
        data = json.loads(path.read_bytes())
    for entry in data["vectors"]:
        yield Vector(path, entry, data["flags"])


def _parse(path: Path) -> dict[str, Any]:
    return _parsed(read_text(path, MAX_VECTORS), path)


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        data = decoded_json(text)
    except RecursionError:
        raise InputError([Problem("", "deeper nesting", "a JSON file", file=str(path))]) from None
    except ValueError as error:
        raise InputError([Problem("", str(error), "a JSON file", file=str(path))]) from error
    if not isinstance(data, dict):
        raise InputError([Problem("", type(data).__name__, "an object", file=str(path))])
    _need_encodable(data, str(path))
    return data


def _need_encodable(value: Any, file: str, field: str = "") -> None:
    """Refuse a text that UTF-8 cannot hold: JSON can spell half of a pair of surrogates.

    Raises:
        InputError: there is one; its field is named.
    """
    problems = [
        Problem(
            place, f"{ascii(text)[:80]}, which has half of a pair of surrogates", "text in UTF-8", file=file
        )
        for place, text in _texts(value, field)
        if _SURROGATES.search(text)
    ]
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])


def _texts(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield place, name
            yield from _texts(inner, f"{place}.{name}".removeprefix("."))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _texts(inner, f"{place}[{number}]")


@cache
def _validator() -> Any:
    # Imported here: validating against the schema is the only use, and its import is slow.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads((vectors_folder() / SCHEMA).read_text(encoding="utf-8")))


def _validate(data: dict[str, Any], path: Path) -> None:
    problems = [
        Problem(
            field=error.json_path,
            found=error.message,
            expected="a value that schema.json allows",
            file=path.name,
        )
        for error in sorted(_validator().iter_errors(data), key=lambda error: error.json_path)
    ]
    if data.get("area") != path.stem:
        problems.append(
            Problem("area", repr(data.get("area")), f"the file's name, {path.stem}", file=path.name)
        )
    if problems:
        raise InputError(problems)


def _duplicates(vectors: tuple[Vector, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for vector in vectors:
        if vector.id in seen:
            yield f"{vector.file.name}: {vector.id} appears twice"
        seen.add(vector.id)


def _flag_problems(vectors: tuple[Vector, ...]) -> Iterator[str]:
    for vector in vectors:
        yield from _undefined_flags(vector)
    for path in sorted({vector.file for vector in vectors}):
        mine = [vector for vector in vectors if vector.file == path]
        used = {flag for vector in mine for flag in vector.data["flags"]}
        for flag in sorted(mine[0].flags.keys() - used):
            yield f"{path.name}: flag {flag} is defined and never used"


def _undefined_flags(vector: Vector) -> Iterator[str]:
    for flag in vector.data["flags"]:
        if flag not in vector.flags:
            yield f"{vector.file.name}: {vector.id} has flag {flag}, which the file does not define"


def _verdict_problems(vector: Vector) -> Iterator[str]:
    if "error" in vector.data["expect"]:
        return
    with observed_rules() as seen:
        actual = answer(vector.request(explained=True))
    if "error" in actual:
        yield f"{vector.file.name}: {vector.id} is refused: {actual['error']['message']}"
        return
    wanted = vector.data["verdict"] == "accept"
    for rule in vector.data["rules"]:
        if not any(observation.rule == rule and observation.accepts == wanted for observation in seen):
            actual_verdict = vector.data["verdict"]
            yield f"{vector.file.name}: {vector.id} expects {actual_verdict}, but {rule} never gives it there"


def _coverage_problems(vectors: tuple[Vector, ...], plays: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    known = {entry.id for entry in all_rules()}
    covered = {(rule, vector.data["verdict"]) for vector in vectors for rule in vector.data["rules"]}
    covered |= {(rule, verdict) for rule, by_verdict in plays.items() for verdict in by_verdict}
    for rule, _ in sorted(covered):
        if rule not in known:
            yield f"a vector names rule {rule}, which does not exist"
    for rule in sorted(known):
        for verdict, words in (("accept", "accepting"), ("reject", "rejecting")):
            if (rule, verdict) not in covered:
                yield f"rule {rule} has no {words} vector"

"""What is stated in files: pages of rules and findings; obligations and theorems, which are read as text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tenure.claims import claim_words
from tenure.conformance.vectors import Vector
from tenure.pages import RULE, Page, joined, obligation_modules, pages_in, rules_of_obligations
from tenure.readings import preset_names
from tenure.resources import bundled


@dataclass(frozen=True, slots=True)
class StatedObligation:
    """An obligation as its module states it.

    Args:
        id: its identifier.
        claim: what is claimed, in words.
        title: the words of the matrix, for a headline invariant; else empty.
        source: where the claim comes from.
        rules: identifiers of the rules that it constrains.
        expected: `proved` or `refuted`, by preset and further column: `guaranteed+wake=events`.
        file: its module, from the root of the packages.
        line: where it begins, from 1.
        code: its source.
    """

    id: str
    claim: str
    title: str
    source: str
    rules: tuple[str, ...]
    expected: Mapping[str, str]
    file: str
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class StatedTheorem:
    """A theorem of any size as its module states it.

    Args:
        id: its identifier.
        claim: what is claimed, in words.
        text: what exactly, and where it comes from.
        about: the functions that are read.
        size: of what it holds.
        file: its module, from the root of the packages.
        line: where it begins, from 1.
        code: its source.
    """

    id: str
    claim: str
    text: str
    about: tuple[str, ...]
    size: str
    file: str
    line: int
    code: str


_PROVED: Final = dict.fromkeys(preset_names(), "proved")
"""What is expected where nothing else is said."""


@cache
def rule_pages() -> Mapping[str, Page]:
    """The page of every rule, by identifier.

    >>> rule_pages()["TBP-050"].title
    'When an equal may be preempted'
    """
    folder = bundled("spec", "rules")
    return {page.id: page for page in pages_in(folder, folder.parents[1])}


@cache
def finding_pages() -> Mapping[str, Page]:
    """The page of every finding, by identifier."""
    folder = bundled("spec", "findings")
    return {page.id: page for page in pages_in(folder, folder.parents[1])}


def findings_by_rule(findings: Sequence[Page], vectors: Sequence[Vector]) -> dict[str, list[Page]]:
    """By rule: the findings whose text names it, or one of whose vectors exercises it."""
    exercised = {vector.id: vector.data["rules"] for vector in vectors}
    named: dict[str, list[Page]] = {}
    for page in findings:
        cases = (rule for vector in page.front.get("vectors", ()) for rule in exercised.get(vector, ()))
        for rule in sorted({*cases, *RULE.findall(page.body)}):
            named.setdefault(rule, []).append(page)
    return named


@cache
def obligations(rule: str = "") -> Mapping[str, StatedObligation]:
    """Every obligation, by identifier.

    Args:
        rule: only those of modules with an obligation about this rule.

    >>> obligations()["PO-TBP-020"].claim
    'exactly at the threshold a workload is kept'
    """
    about = [identifier for identifier, rules in rules_of_obligations().items() if rule in rules]
    modules = (
        path for path in obligation_modules() if not rule or any(found in _text(path) for found in about)
    )
    stated = (obligation for path in modules for obligation in _stated_in(path))
    return {obligation.id: obligation for obligation in sorted(stated, key=lambda obligation: obligation.id)}


def _stated_in(path: Path) -> Iterator[StatedObligation]:
    names = _constants(path)
    for node, call in _registrations(path, "obligation", "defines"):
        given = {
            keyword.arg: _value(keyword.value, names)
            for keyword in call.keywords
            if keyword.arg in ("expect", "also", "title")
        }
        fields = _statement_fields(path, node, call)
        yield StatedObligation(
            **fields,
            title=given.get("title", ""),
            source=joined([ast.get_docstring(node) or ""]),
            rules=rules_of_obligations()[fields["id"]],
            expected={**given.get("expect", _PROVED), **(given.get("also") or {})},
        )


@cache
def theorems() -> Mapping[str, StatedTheorem]:
    """Every theorem of any size, by identifier.

    >>> theorems()["PO-ANY-060"].size
    'any number of attempts'
    """
    stated = (theorem for path in obligation_modules() for theorem in _theorems_in(path))
    return {theorem.id: theorem for theorem in sorted(stated, key=lambda theorem: theorem.id)}


def _theorems_in(path: Path) -> Iterator[StatedTheorem]:
    names = _constants(path)
    for node, call in _registrations(path, "theorem"):
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        yield StatedTheorem(
            **_statement_fields(path, node, call),
            text=ast.get_docstring(node) or "",
            about=_functions_of(given["about"], _module(path)[1])
            if "about" in given
            else tuple(map(ast.unparse, node.args.defaults)),
            size=_value(given["size"], names),
        )


def _functions_of(about: ast.expr, module: ast.Module) -> tuple[str, ...]:
    """The functions that a theorem is about, where it lists them or names a list of its module."""
    match about:
        case ast.Tuple(elts=functions):
            return tuple(map(ast.unparse, functions))
        case ast.Name(id=name):
            [listed] = [
                node.value
                for node in module.body
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
            ]
            return _functions_of(listed, module)
    raise TypeError(f"the functions of a theorem are {ast.unparse(about)}, expected a tuple or its name")


@cache
def _module(path: Path) -> tuple[str, ast.Module]:
    """The text of a module, and what it is parsed to."""
    return _text(path), ast.parse(_text(path))


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _registrations(path: Path, *registers: str) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    """The functions of a module that a decorator of such a name registers, each with the decorator's call."""
    for node in _module(path)[1].body:
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                match decorator:
                    case ast.Call(func=ast.Name(id=name)) if name in registers:
                        yield node, decorator


def _statement_fields(path: Path, node: ast.FunctionDef, call: ast.Call) -> dict[str, Any]:
    """Common fields of obligations and theorems: identifier, claim, place and source."""
    return {
        "id": _value(call.args[0], _constants(path)),
        "claim": claim_words(node.name),
        "file": "/".join(path.parts[-3:]),
        "line": call.lineno,
        "code": "\n".join(_module(path)[0].splitlines()[call.lineno - 1 : node.end_lineno]),
    }


@cache
def _constants(path: Path) -> Mapping[str, Any]:
    """The constants that the arguments of `@obligation` are written with, also those of modules beside it."""
    names: dict[str, Any] = {}
    for node in _module(path)[1].body:
        match node:
            case ast.ImportFrom(module=str() as module):
                beside = path.parent / f"{module.rpartition('.')[2]}.py"
                known = _constants(beside) if beside.exists() and beside != path else {}
                names |= {alias.name: known[alias.name] for alias in node.names if alias.name in known}
            case ast.Assign(targets=[target], value=value):
                names |= _assigned(target, value, names)
    return names


def _assigned(target: ast.expr, value: ast.expr, names: Mapping[str, Any]) -> dict[str, Any]:
    """What an assignment names; nothing where that is no verdict and no list of rules."""
    try:
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values):
                named = [(part.id, _value(made, names)) for part, made in zip(targets, values, strict=True)]  # type: ignore[attr-defined] # names alone stand there
                return dict(named)
            case ast.Name(id=name), _:
                return {name: _value(value, names)}
    except (KeyError, ValueError):
        return {}
    return {}


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """What an expression of constants is.

    Raises:
        KeyError: it is written with anything else.
        ValueError: so is a part of it.
    """
    match node:
        case ast.Name(id="PROVED" | "REFUTED" as verdict):
            return verdict.lower()
        case ast.Name(id=name):
            return names[name]
        case ast.List(elts=parts):
            return [value for part in parts for value in _values(part, names)]
        case ast.Dict(keys=keys, values=values):
            merged: dict[Any, Any] = {}
            for key, value in zip(keys, values, strict=True):
                merged |= {_value(key, names): _value(value, names)} if key else _value(value, names)
            return merged
        case ast.Call(func=ast.Name(id="everywhere"), args=[verdict]):
            return dict.fromkeys(preset_names(), _value(verdict, names))
        case ast.Call(func=ast.Name(id="proved_under"), args=presets):
            proved = {_value(preset, names) for preset in presets}
            return {preset: "proved" if preset in proved else "refuted" for preset in preset_names()}
        case ast.Call(func=ast.Attribute(attr="fromkeys"), args=[keys, verdict]):
            return dict.fromkeys(_value(keys, names), _value(verdict, names))
    return ast.literal_eval(node)


def _values(part: ast.expr, names: Mapping[str, Any]) -> list[Any]:
    return list(_value(part.value, names)) if isinstance(part, ast.Starred) else [_value(part, names)]

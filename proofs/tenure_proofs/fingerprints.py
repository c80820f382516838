"""What a verdict depends on, as a hash: the code that a statement reaches, and the modules that ask about it.

Of rules and statements every function counts by itself, by its compiled code: a comment changes nothing, an
operator does, and so does one in whatever is called. What asks, lifts and solves counts module by module.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType, ModuleType
from typing import Any

OURS = ("tenure", "tenure_proofs")
"""Packages whose code may change from one run to the next; of any other its version counts."""

_NAME = re.compile(r"[A-Za-z_]\w*")


class UnknownCodeError(Exception):
    """Something is reached of which nobody can say whether it has changed; a verdict about it is not kept."""


def digest(*parts: object) -> str:
    """A hash of texts, numbers, truth values, None, and tuples, lists and mappings of them.

    Raises:
        UnknownCodeError: a part is something else.

    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", "1"), digest("ab") == digest("a", "b")
    (True, False, False)
    """
    return hashlib.sha256(repr([_plain(part) for part in parts]).encode()).hexdigest()


def _plain(part: object) -> object:
    if part is None or type(part) in (str, bytes, int, float, bool):
        return part
    if isinstance(part, Enum):
        return (type(part).__qualname__, part.name)
    if isinstance(part, tuple | list):
        return [_plain(each) for each in part]
    if isinstance(part, Mapping):
        return sorted((repr(_plain(key)), _plain(value)) for key, value in part.items())
    raise UnknownCodeError(f"{part!r} has no fingerprint")


def code_digest(code: CodeType, doc: str | None = None) -> str:
    """A hash of what compiled code does; where it stands in its file is no part of it.

    Args:
        code: of a function or a module.
        doc: its docstring, which does nothing.

    >>> one = compile("a = 1 < 2", "one.py", "exec")
    >>> code_digest(one) == code_digest(compile("# why\\na = 1 < 2", "two.py", "exec"))
    True
    >>> code_digest(one) == code_digest(compile("a = 1 <= 2", "one.py", "exec"))
    False
    """
    constants = list(code.co_consts)
    if doc is not None and constants and constants[0] == doc:
        constants[0] = None
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return digest(
        code.co_name,
        counts,
        names,
        code.co_code,
        code.co_exceptiontable,
        [_constant(each) for each in constants],
    )


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return code_digest(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant, value))})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_constant, value)))}}}"
    return repr(value)


class Reached:
    """Functions and classes that functions reach by name: each is looked at once, for all who ask.

    A function whose code is exchanged is another one; so one of these serves mutants, too.
    """

    def __init__(self) -> None:
        self._looked_at: dict[tuple[int, int], tuple[Any, _Node]] = {}

    def digest(self, *begin: Any) -> str:
        """A hash of everything that is reached from here.

        Raises:
            UnknownCodeError: something reached cannot be told from a changed one.
        """
        return digest(*map(self.label, begin), *sorted({node.digest for node in self._walk(begin)}))

    def modules(self, *begin: Any) -> tuple[str, ...]:
        """The modules of everything that is reached from here."""
        return tuple(sorted({node.module for node in self._walk(begin)}))

    def functions(self, *begin: Any) -> frozenset[Any]:
        """All functions that are reached from here, themselves included."""
        return frozenset(thing for thing in self._things(begin) if isinstance(thing, FunctionType))

    def _walk(self, begin: Iterable[Any]) -> Iterator[_Node]:
        return map(self._node, self._things(begin))

    def _things(self, begin: Iterable[Any]) -> Iterator[Any]:
        seen: set[int] = set()
        rest = list(begin)
        while rest:
            thing = rest.pop()
            if id(thing) not in seen:
                seen.add(id(thing))
                yield thing
                rest.extend(self._node(thing).reaches)

    def label(self, thing: Any) -> str:
        """What tells a function or a class from another: its name, and its own code."""
        return self._node(thing).label

    def _node(self, thing: Any) -> _Node:
        key = (id(thing), id(getattr(thing, "__code__", None)))
        if key not in self._looked_at:
            # The thing and its code are kept, so that their numbers stay theirs.
            self._looked_at[key] = ((thing, getattr(thing, "__code__", None)), _node_of(thing))
        return self._looked_at[key][1]


@dataclasses.dataclass(frozen=True, slots=True)
class _Node:
    """A function or a class: its own code, and what it reaches by name."""

    module: str
    label: str
    digest: str
    reaches: tuple[Any, ...]


def _node_of(thing: Any) -> _Node:
    named = dict(_class_parts(thing) if isinstance(thing, type) else _function_parts(thing))
    label = _label(thing)
    reaches: list[Any] = []
    written = {name: _written(part, reaches) for name, part in named.items()}
    return _Node(thing.__module__, label, digest(label, written), tuple(reaches))


def _label(thing: Any) -> str:
    own = code_digest(thing.__code__, thing.__doc__) if isinstance(thing, FunctionType) else ""
    return f"{thing.__module__}.{thing.__qualname__} {own}"


def _function_parts(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Everything that a function's work may depend on beside its code, by name."""
    for position, value in enumerate(function.__defaults__ or ()):
        yield f"default {position}", value
    for name, value in (function.__kwdefaults__ or {}).items():
        yield f"default {name}", value
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield f"enclosed {name}", cell.cell_contents
    for name, hint in function.__annotations__.items():
        yield f"type of {name}", str(hint)
    mentioned = {*_names(function.__code__), *_hinted(function.__annotations__)}
    for name in sorted(mentioned & function.__globals__.keys()):
        yield name, function.__globals__[name]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _hinted(annotations: Mapping[str, Any]) -> Iterator[str]:
    """The names in annotations; a lifter reads them."""
    for hint in annotations.values():
        yield from _NAME.findall(str(hint))


def _class_parts(cls: type) -> Iterator[tuple[str, Any]]:
    if issubclass(cls, Enum):
        yield from ((f"member {name}", member.value) for name, member in cls.__members__.items())
    for position, base in enumerate(cls.__bases__):
        yield f"base {position}", base
    annotations = inspect.get_annotations(cls)
    yield from ((f"field {name}", str(hint)) for name, hint in annotations.items())
    module = vars(sys.modules[cls.__module__])
    for name in sorted({*_hinted(annotations)} & module.keys()):
        yield name, module[name]
    if dataclasses.is_dataclass(cls):
        for each in dataclasses.fields(cls):
            yield f"default of {each.name}", _default(each)
    yield from _methods(cls)


def _default(field: dataclasses.Field[Any]) -> Any:
    made = field.default if field.default_factory is dataclasses.MISSING else field.default_factory
    return "none" if made is dataclasses.MISSING else made


def _methods(cls: type) -> Iterator[tuple[str, Any]]:
    for name, value in cls.__dict__.items():
        for part in _functions_of(value):
            # What dataclasses and enums make of a class follows from its fields.
            if (
                getattr(part, "__module__", None) == cls.__module__
                and part.__code__.co_filename != "<string>"
            ):
                yield f"method {name}", part


def _functions_of(value: Any) -> Iterator[FunctionType]:
    if isinstance(value, property):
        yield from (part for part in (value.fget, value.fset) if isinstance(part, FunctionType))
    elif isinstance(value, staticmethod | classmethod):
        yield from _functions_of(value.__func__)
    elif isinstance(value, functools.cached_property):
        yield from _functions_of(value.func)
    elif isinstance(value, FunctionType):
        yield value


def _written(value: Any, reaches: list[Any]) -> object:
    """A value as a text; functions and classes of ours are reached as well."""
    if isinstance(value, Enum):
        return [_written(type(value), reaches), value.name]
    if value is None or type(value) in (str, bytes, int, float, bool):
        return value
    if isinstance(value, tuple | list):
        return [type(value).__name__, *(_written(each, reaches) for each in value)]
    if isinstance(value, set | frozenset):
        return ["set", *sorted(repr(_written(each, reaches)) for each in value)]
    if isinstance(value, Mapping):
        return {repr(_written(key, reaches)): _written(inner, reaches) for key, inner in value.items()}
    return _written_thing(value, reaches)


def _written_thing(value: Any, reaches: list[Any]) -> object:
    if isinstance(value, ModuleType):
        return ["module", module_digest(value.__name__) if _is_ours(value.__name__) else value.__name__]
    if isinstance(value, functools.partial):
        return ["partial", *(_written(part, reaches) for part in (value.func, value.args, value.keywords))]
    if (wrapped := getattr(value, "__wrapped__", None)) is not None and not isinstance(value, FunctionType):
        return ["wrapped", _written(wrapped, reaches)]
    if isinstance(value, FunctionType | type) and _is_looked_at(value.__module__):
        reaches.append(value)
        return _label(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        return [_written(type(value), reaches), _written(fields, reaches)]
    if hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    if type(value).__module__ in ("typing", "types", "re"):
        return repr(value)
    raise UnknownCodeError(f"{value!r} has no fingerprint")


def _is_looked_at(module: str | None) -> bool:
    """Whether a module's functions count one by one: rules and statements, also those that tests write."""
    if module is None:
        return False
    return module.startswith(("tenure.", "tests.", "tenure_proofs.obligations"))


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in OURS


@functools.cache
def module_digest(name: str) -> str:
    """A hash of a module's compiled code.

    Raises:
        UnknownCodeError: it has no source.
    """
    return code_digest(_loader(name).get_code(name) or compile("", name, "exec"))


def _loader(name: str) -> SourceFileLoader:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None or not found.origin.endswith(".py"):
        raise UnknownCodeError(f"{name} has no source")
    # Its source is the code that counts, also where a test runner rewrites what it loads.
    return SourceFileLoader(name, found.origin)


def modules_behind(*names: str, without: Iterable[str] = ()) -> tuple[str, ...]:
    """These modules of ours, and those that they import, and so on; of packages only what is asked for.

    Args:
        names: where to begin; a package stands for all its modules.
        without: modules that are not looked into, nor counted.
    """
    left_out = set(without)
    found: set[str] = set()
    rest = list(names)
    while rest:
        name = rest.pop()
        if name in found or name in left_out:
            continue
        found.add(name)
        rest.extend(_imported(name))
    return tuple(sorted(found))


@functools.cache
def _imported(name: str) -> tuple[str, ...]:
    """Modules of ours that a module's source imports, wherever in it."""
    tree = ast.parse(_loader(name).get_data(_loader(name).path))
    return tuple(dict.fromkeys(each for node in ast.walk(tree) for each in _of_import(node)))


def _of_import(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names if _is_ours(alias.name))
        case ast.ImportFrom(module=str(module), names=names, level=0) if _is_ours(module):
            below = [f"{module}.{alias.name}" for alias in names]
            modules = [each for each in below if _is_module(each)]
            yield from modules
            if len(modules) < len(below):
                yield module


@functools.cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def modules_digest(names: Iterable[str]) -> str:
    """A hash of the compiled code of several modules."""
    return digest({name: module_digest(name) for name in names})


@functools.cache
def package_digest(name: str) -> str:
    """A hash of the compiled code of every module of a package."""
    package = importlib.import_module(name)
    below = pkgutil.walk_packages(package.__path__, f"{name}.")
    return modules_digest(sorted(each.name for each in below if not each.name.endswith("__main__")))

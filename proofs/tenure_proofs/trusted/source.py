"""From a function to the source that is read in its place, and from a call to the values of the parameters.

What a function does is settled by its compiled code, the names that it sees and its defaults. A source is
believed only where compiling it gives that very code: neither decorator nor changed file comes between.
"""

from __future__ import annotations
import __future__

import ast
import dataclasses
import functools
import inspect
import typing
from collections.abc import Mapping, Sequence
from types import CodeType, FunctionType, MemberDescriptorType
from typing import Any

from tenure_proofs.trusted.domains import LiftError

OTHER_KINDS = (
    inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ITERABLE_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
    | inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
)
"""What returns something else than its return statements say, or takes any number of arguments."""


def body_of(function: FunctionType) -> list[ast.stmt]:
    """The statements of a plain function.

    Raises:
        LiftError: it is no plain function, or its source is not what runs.
    """
    if function.__closure__ or hasattr(function, "__wrapped__"):
        raise LiftError("it is made of another function, or sees its names")
    return _definition(function.__code__).body


@functools.cache
def _definition(code: CodeType) -> ast.FunctionDef:
    name = code.co_name
    if code.co_flags & OTHER_KINDS:
        raise LiftError("it is a generator, a coroutine, or takes any number of arguments")
    try:
        source = inspect.getsource(code)
        tree: Any = ast.parse(f"if True:\n{source}" if source[0].isspace() else source)
    except (OSError, SyntaxError) as error:
        raise LiftError(f"its source cannot be read: {error}") from error
    definition = tree.body[0].body[0] if source[0].isspace() else tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise LiftError("it is no plain function")
    for decorator in definition.decorator_list:
        match decorator:
            case ast.Call(func=ast.Name(id="rule")) | ast.Name(id="compiled" | "inlined"):
                continue
        raise LiftError(f"it is decorated by {ast.unparse(decorator)}, not by @rule")
    definition.decorator_list = []
    flags = code.co_flags & __future__.annotations.compiler_flag
    module = compile(tree, code.co_filename, "exec", flags=flags, dont_inherit=True)
    made = [_does(code) for code in module.co_consts if isinstance(code, CodeType) and code.co_name == name]
    if made != [_does(code)]:
        raise LiftError("the source that is read is not the code that runs")
    return definition


def _does(code: CodeType) -> tuple[Any, ...]:
    """All of compiled code that decides what it does; where it stands is no part of it."""
    return (
        code.co_code,
        code.co_exceptiontable,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount),
        code.co_flags & ~inspect.CO_NESTED,
        (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        [_does(const) if isinstance(const, CodeType) else repr(const) for const in code.co_consts],
    )


def parameters_given(
    function: FunctionType, positional: Sequence[Any], keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """The value of every parameter of a call, defaults included.

    Raises:
        LiftError: the call is not one that Python would make.
    """
    # A function of its own, so that nothing but code and defaults says what the parameters are.
    bare = FunctionType(function.__code__, {}, function.__name__, function.__defaults__, function.__closure__)
    bare.__kwdefaults__ = function.__kwdefaults__
    try:
        bound = inspect.signature(bare).bind(*positional, **keywords)
    except TypeError as error:
        raise LiftError(f"{function.__name__}: {error}") from error
    bound.apply_defaults()
    return dict(bound.arguments)


def fields_given(cls: type, positional: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every field of a record that a call constructs, defaults included.

    Raises:
        LiftError: see `check_record`.
    """
    check_record(cls)
    given = parameters_given(vars(cls)["__init__"], (None, *positional), keywords)
    return {field.name: given[field.name] for field in dataclasses.fields(cls)}


@functools.cache
def check_record(cls: Any) -> None:
    """Whether a class is a plain frozen dataclass: its fields are what it was constructed with.

    Raises:
        LiftError: it is not.
    """
    check_fields(cls)
    made: Any = vars(cls).get("__init__")
    plain = (
        cls.__dataclass_params__.frozen
        and getattr(getattr(made, "__code__", None), "co_filename", "") == "<string>"
        and cls.__new__ is object.__new__
        and not hasattr(cls, "__post_init__")
        and all(field.init for field in dataclasses.fields(cls))
        and type(cls).__call__ is type.__call__
    )
    if not plain:
        raise LiftError(f"{cls.__name__} is no plain frozen dataclass")


@functools.cache
def check_fields(cls: Any) -> None:
    """Whether a class is a dataclass whose fields, read, are what was stored there.

    Raises:
        LiftError: it is not.
    """
    stored = (
        isinstance(cls, type)
        and dataclasses.is_dataclass(cls)
        and cls.__getattribute__ is object.__getattribute__
        and all(_is_stored(cls, field.name) for field in dataclasses.fields(cls))
    )
    if not stored:
        raise LiftError(f"{cls!r} is no dataclass whose fields are stored")


def _is_stored(cls: type, field: str) -> bool:
    """Whether an attribute is what was put there, and computed by nothing."""
    found = inspect.getattr_static(cls, field, None)
    return isinstance(found, MemberDescriptorType) or not hasattr(type(found), "__get__")


types_of = functools.cache(typing.get_type_hints)
"""The declared types of a class's fields, or of a function's parameters and result."""

"""TNL010 and TNL011: a target of preemption is made by the door, and nothing gets around it.

The class refuses whoever calls it (`tenure.model.Target`), by whatever name. So what is looked for here are
the ways to make or change an object without a call of its class, and the class where it is more than a type.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.lints.problem import Problem
from tools.lints.source import MODEL, ORACLE, Module, all_nodes, dotted_name, imports, modules

_CLASS = "Target"
_MAKER = "_make_target"
_DOOR = (ORACLE / "door.py").as_posix()
_PROVERS = (
    "refimpl/tenure_check/analysis/symbolic_execution.py",
    "refimpl/tenure_check/analysis/parallel.py",
)
"""They make functions that solvers are asked about, and names of questions: no decision comes of them."""
_ADVICE = f"only {_DOOR} may; take one from take_target, which asks for the evidence"


def door(root: Path) -> Iterator[Problem]:
    """TNL010: the class Target used as a value anywhere but in the door."""
    for folder in (Path("refimpl"), Path("proofs")):
        for module in modules(root, folder):
            if module.path != _DOOR:
                yield from _built_outside(module)


def _built_outside(module: Module) -> Iterator[Problem]:
    visitor = _ValueUses(_names_of_the_class(module))
    visitor.visit(module.tree)
    for node in visitor.found:
        shown = ast.unparse(node)
        yield Problem(
            module.path,
            node.lineno,
            "TNL010",
            f"a target built outside the door: {module.name} uses the class in `{shown}`; {_ADVICE}",
        )


def _names_of_the_class(module: Module) -> set[str]:
    names = {
        _CLASS if local == "*" else local
        for name, local, statement in imports(module.tree, package="tenure")
        if isinstance(statement, ast.ImportFrom)
        and name.split(".")[0].startswith("tenure")
        and name.split(".")[-1] in {_CLASS, "*"}
    }
    return names | {_CLASS} if module.path == MODEL.as_posix() else names


class _ValueUses(ast.NodeVisitor):
    """Collects the expressions in which the class is a value, and leaves annotations alone."""

    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.found: list[ast.expr] = []

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in (*node.decorator_list, *_defaults(node.args), *node.body):
            self.visit(part)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - ast's name for it

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        # A type built from the class, `tuple[Target, ...]`, cannot make one; a bare alias can.
        names_a_type = (dotted_name(node.annotation) or "").endswith("TypeAlias")
        if node.value is not None and not (names_a_type and isinstance(node.value, ast.Subscript)):
            self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.names:
            self.found.append(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr == _CLASS:
            self.found.append(node)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=value), *_]):
                if value == _CLASS:
                    self.found.append(node)
        self.generic_visit(node)


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *(default for default in arguments.kw_defaults if default is not None)]


_MAKING = {"__new__", "__set__", "__setattr__", "__delattr__", "__setstate__", "__reduce__", "__reduce_ex__"}
_MAKING |= {"__class__", _MAKER}
"""Attributes by which an object is made or changed past its class, and the door's own maker."""
_READING = {"pickle", "copyreg", "dill", "cloudpickle", "ctypes"}
"""Modules that make objects of bytes."""
_CALLED = {"exec", "eval", "setattr", "delattr", _MAKER}
"""Functions that do what can be read nowhere, and the maker."""


def around_the_door(root: Path) -> Iterator[Problem]:
    """TNL011: ways to make or change an object without calling its class."""
    for module in modules(root, Path("refimpl")):
        if module.path not in (_DOOR, MODEL.as_posix(), *_PROVERS):
            for node in all_nodes(module.tree):
                for way in _ways_around(node):
                    yield Problem(
                        module.path,
                        getattr(node, "lineno", 1),
                        "TNL011",
                        f"{module.name} uses {way}: it may get around the door; build the object by its "
                        "class, a target by take_target",
                    )


def _ways_around(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(value=owner, attr=name, ctx=context):
            if name in _MAKING or (not isinstance(context, ast.Load) and _of_a_class(owner, name)):
                yield ast.unparse(node)
        case ast.Constant(value=str(text)) if text in _MAKING or text == "__init__":
            yield repr(text)
        case ast.Name(id=name) if name in _CALLED:
            yield name
        case ast.FunctionDef(name=name) if name in _MAKING:
            yield f"def {name}"
        case ast.Import() | ast.ImportFrom():
            yield from _imported_ways(node)


def _of_a_class(owner: ast.expr, name: str) -> bool:
    """Whether what is assigned is a class's: whoever changes a class changes what it refuses."""
    asked_for = isinstance(owner, ast.Call) and dotted_name(owner.func) == "type"
    return asked_for or (name.startswith("__") and name.endswith("__"))


def _imported_ways(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        origin = getattr(node, "module", None) or alias.name
        if origin.partition(".")[0] in _READING or alias.name == _MAKER:
            yield ast.unparse(node)

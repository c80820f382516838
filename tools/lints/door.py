"""TNL010 and TNL011: a target of preemption is made by the door, and nothing gets around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.lints.problem import Problem
from tools.lints.source import MODEL, ORACLE, Module, dotted_name, imports, modules

_CLASS = "Target"
_DOOR = (ORACLE / "door.py").as_posix()
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
        and name.split(".")[0] == "tenure"
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


_COPIES = {"dataclasses.replace", "copy.replace"}
_BACK_DOORS = {"__new__", "__replace__", "__setattr__"}


def around_the_door(root: Path) -> Iterator[Problem]:
    """TNL011: ways in the oracle to make or change an object without calling its class."""
    for module in modules(root, ORACLE):
        bound = {local: name for name, local, _ in imports(module.tree)}
        for node in ast.walk(module.tree):
            way = _way_around(node, bound)
            if way is not None and isinstance(node, ast.expr):
                yield Problem(
                    module.path,
                    node.lineno,
                    "TNL011",
                    f"{module.name} uses {way}: it gets around the door; build the object by its class, "
                    "a target by take_target",
                )


def _way_around(node: ast.AST, bound: dict[str, str]) -> str | None:
    if isinstance(node, ast.Attribute) and node.attr in _BACK_DOORS:
        return ast.unparse(node)
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    head, dot, rest = (dotted_name(node) or "").partition(".")
    name = bound.get(head, head) + dot + rest
    return name if name in _COPIES else None

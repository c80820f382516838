"""TNL050: obligations state their claims without the rules' help."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.lints.problem import Problem
from tools.lints.source import OBLIGATIONS, Module, all_nodes, imports, modules

_HELPERS = ("tenure.rules.", "tenure.oracle.")


def no_helpers(root: Path) -> Iterator[Problem]:
    """TNL050: what is imported from rules and oracle is lifted, and used in no other way."""
    for module in modules(root, OBLIGATIONS):
        names = {local for name, local, _ in imports(module.tree) if f"{name}.".startswith(_HELPERS)}
        allowed = set(_lifted(module.tree)) | set(_annotated(module.tree))
        for node in all_nodes(module.tree):
            if isinstance(node, ast.Name) and node.id in names and id(node) not in allowed:
                yield _used(module, node)


def _used(module: Module, node: ast.Name) -> Problem:
    return Problem(
        module.path,
        node.lineno,
        "TNL050",
        f"{module.name} uses {node.id} other than as claim.lift({node.id}): "
        "statements import no helper of the rules; write the claim from the source",
    )


def _lifted(tree: ast.Module) -> Iterator[int]:
    """The names in the argument of a call of `lift`, or in the second one of a definition's decorator."""
    for node in all_nodes(tree):
        match node:
            case (
                ast.Call(func=ast.Attribute(attr="lift"), args=[argument, *_])
                | ast.Call(func=ast.Name(id="defines"), args=[_, argument, *_])
            ):
                yield from _chain(argument)


def _chain(node: ast.expr) -> Iterator[int]:
    """The name at the root of `name` or `name.attribute`; no part of any other expression."""
    while isinstance(node, ast.Attribute):
        node = node.value
    if isinstance(node, ast.Name):
        yield id(node)


def _annotated(tree: ast.Module) -> Iterator[int]:
    """The names in annotations: a type helps to state nothing."""
    for node in all_nodes(tree):
        for annotation in _annotations(node):
            yield from (id(part) for part in ast.walk(annotation))


def _annotations(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
            return [annotation]
        case ast.FunctionDef(returns=ast.expr() as returns):
            return [returns]
    return []

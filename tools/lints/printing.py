"""TNL110: what is printed goes through `tenure.apps.cli.terminal`, which escapes what is not printable."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.lints.problem import Problem
from tools.lints.source import all_nodes, modules

_FOLDERS = (Path("refimpl/tenure"), Path("proofs/tenure_proofs"))
_ALLOWED = {
    "refimpl/tenure/apps/cli/terminal.py": "the one place",
    "refimpl/tenure/apps/cli/app.py": "flushes, and prints nothing",
    "refimpl/tenure/timeline/chart/__main__.py": "a tool of the repository",
    "proofs/tenure_proofs/base.py": "a tool of the repository",
    "proofs/tenure_proofs/costs.py": "a tool of the repository",
    "proofs/tenure_proofs/cvc5_worker.py": "answers a process of Tenure's in JSON",
}
_STREAMS = ("stdout", "stderr", "__stdout__", "__stderr__")


def printing(root: Path) -> Iterator[Problem]:
    """TNL110: a call of print, of an echo, or of a standard stream's write, outside the one place."""
    for folder in _FOLDERS:
        for module in modules(root, folder):
            if module.path not in _ALLOWED:
                for node in all_nodes(module.tree):
                    if isinstance(node, ast.Call) and _prints(node.func):
                        text = "prints past the escapes: call print_lines, print_text or complain of terminal"
                        yield Problem(module.path, node.lineno, "TNL110", text)


def _prints(called: ast.expr) -> bool:
    match called:
        case ast.Name(id="print" | "echo" | "secho"):
            return True
        case ast.Attribute(attr="echo" | "secho"):
            return True
        case ast.Attribute(value=ast.Attribute(attr=stream), attr="write" | "writelines"):
            return stream in _STREAMS
    return False

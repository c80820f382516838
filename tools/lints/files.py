"""TNL120: files are opened in `tenure.disk` alone, which reads within a bound and replaces what it writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tools.lints.problem import Problem
from tools.lints.source import all_nodes, dotted_name, modules

_FOLDERS = (Path("refimpl/tenure"), Path("proofs/tenure_proofs"))
_OWN: Final = "reads Tenure's own files"
_ALLOWED: Final = {
    "proofs/tenure_proofs/base.py": _OWN,
    "proofs/tenure_proofs/budgets.py": _OWN,
    "proofs/tenure_proofs/cache.py": "reads what the user alone can have written, within a bound",
    "proofs/tenure_proofs/fingerprints.py": _OWN,
    "proofs/tenure_proofs/mutants/signed.py": _OWN,
    "refimpl/tenure/apps/cli/bundled.py": _OWN,
    "refimpl/tenure/apps/cli/examples.py": "copies Tenure's own files into a new folder",
    "refimpl/tenure/apps/cli/terminal.py": "opens the null device",
    "refimpl/tenure/apps/lookup/stated.py": _OWN,
    "refimpl/tenure/conformance/vectors.py": _OWN,
    "refimpl/tenure/disk.py": "the one place",
    "refimpl/tenure/fast/arrays.py": "opens the parts of an archive that is open",
    "refimpl/tenure/fast/machine_code.py": _OWN,
    "refimpl/tenure/lab/campaigns.py": _OWN,
    "refimpl/tenure/lab/divergences.py": _OWN,
    "refimpl/tenure/manifests/kueue_api.py": _OWN,
    "refimpl/tenure/manifests/served.py": _OWN,
    "refimpl/tenure/pages.py": _OWN,
    "refimpl/tenure/readings.py": _OWN,
    "refimpl/tenure/timeline/budget.py": "reads /proc",
}
"""Other files that may read, by why; none of them may write but by the functions of `_COPIES`."""
_READS: Final = ("read_text", "read_bytes")
_WRITES: Final = ("write_text", "write_bytes", "touch", "symlink_to", "hardlink_to")
_COPIES: Final = ("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move")
_OPENS: Final = ("open", "io.open", "os.open", "os.fdopen", "gzip.open", "bz2.open", "lzma.open")
_TEMPORARY: Final = ("NamedTemporaryFile", "mkstemp")
_NUMPY: Final = ("np.save", "np.savez", "np.savez_compressed", "np.savetxt", "np.fromfile", "np.loadtxt")


def files(root: Path) -> Iterator[Problem]:
    """TNL120: a call that opens, reads or writes a file, outside the one place."""
    for folder in _FOLDERS:
        for module in modules(root, folder):
            for node in all_nodes(module.tree):
                if isinstance(node, ast.Call) and _is_wrong(node, module.path):
                    text = (
                        f"{ast.unparse(node.func)} goes past tenure.disk: call read_bytes or write_file there"
                    )
                    yield Problem(module.path, node.lineno, "TNL120", text)


def _is_wrong(call: ast.Call, path: str) -> bool:
    if path == "refimpl/tenure/disk.py":
        return False
    name = dotted_name(call.func) or ""
    attribute = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    writes = (
        attribute in _WRITES
        or name.split(".")[-1] in _TEMPORARY
        or _mode(call, attribute, name)
        or _saves(call, name)
    )
    reads = attribute in _READS or name in (*_OPENS, *_COPIES) or attribute == "open"
    return writes or (reads and path not in _ALLOWED)


def _mode(call: ast.Call, attribute: str, name: str) -> bool:
    """Whether a file is opened for more than reading."""
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    modes = [node.value for node in given if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return (attribute in ("open", "fdopen") or name == "open") and any(
        set(mode) <= set("rwaxbt+") and set(mode) & set("wax+") for mode in modes
    )


def _saves(call: ast.Call, name: str) -> bool:
    """Whether NumPy opens the file itself; one that is open already may be given to it."""
    return name in _NUMPY and not (
        call.args and isinstance(call.args[0], ast.Name) and call.args[0].id == "file"
    )

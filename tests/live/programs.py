"""Builds the programs of a control plane from the Go module proxy, as go.mod pins them.

    python -m tests.live.programs   builds what is missing or older than go.sum

The first build takes a quarter of an hour of processor time, later ones seconds from Go's cache.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILT = ROOT / "build" / "live"
PACKAGES = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kueue": "sigs.k8s.io/kueue/cmd/kueue",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
}


def missing() -> str:
    """What this machine lacks to build and start a control plane, or nothing."""
    absent = [name for name in ("go", "openssl") if shutil.which(name) is None]
    return f"no {' and no '.join(absent)} here" if absent else ""


def built() -> dict[str, Path]:
    """The programs by name; builds those that are missing or older than go.sum.

    The machine's kubectl is used where there is one.
    """
    BUILT.mkdir(parents=True, exist_ok=True)
    with (BUILT / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return {name: _program(name) for name in PACKAGES}


def _program(name: str) -> Path:
    found = shutil.which(name) if name == "kubectl" else None
    path = Path(found) if found else BUILT / name
    if not path.exists() or (not found and path.stat().st_mtime < (HERE / "go.sum").stat().st_mtime):
        _go(
            *("build", "-mod=readonly", "-trimpath", "-p", "2"),
            *(f"-ldflags=-s -w {_released()}", "-o", str(path), PACKAGES[name]),
        )
        path.touch()
    return path


def _released() -> str:
    """Linker flags with the releases: a server of an unnamed release makes Kueue end."""
    kubernetes = version_of("k8s.io/kubernetes")
    variables = {
        "k8s.io/component-base/version.gitVersion": kubernetes,
        "k8s.io/component-base/version.gitMajor": "1",
        "k8s.io/component-base/version.gitMinor": kubernetes.split(".")[1],
        "sigs.k8s.io/kueue/pkg/version.GitVersion": version_of("sigs.k8s.io/kueue"),
    }
    return " ".join(f"-X {name}={value}" for name, value in variables.items())


def version_of(module: str) -> str:
    """The release of a module that go.mod pins."""
    return _go("list", "-m", "-f", "{{.Version}}", module).strip()


def source_of(module: str) -> Path:
    """The folder of a module's source in Go's module cache."""
    _go("mod", "download", module)
    return Path(_go("list", "-m", "-f", "{{.Dir}}", module).strip())


def _go(*words: str) -> str:
    environment = {**os.environ, "CGO_ENABLED": "0"}
    done = subprocess.run(
        ["go", *words], cwd=HERE, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"go {words[0]} failed:\n{done.stderr[-4000:]}")
    return done.stdout


if __name__ == "__main__":
    for program in built().values():
        print(program)

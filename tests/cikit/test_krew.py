"""The archives of `kubectl tenure`, and krew's manifest of them; pip's part of it is left out."""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path

import pytest

from tools import krew, libyaml


def test_the_manifest_names_archives_that_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "library"
    (library / "tenure").mkdir(parents=True)
    (library / "tenure" / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(krew, "libraries", lambda *_: library)
    dist = tmp_path / "dist"
    dist.mkdir()
    krew.main([str(dist / "tenure-0.1.0-py3-none-any.whl"), "--url", "https://a.example/v0.1.0"])
    spec = libyaml.load((dist / "tenure.yaml").read_text(encoding="utf-8"))["spec"]
    assert spec["version"] == "v0.1.0"
    named = []
    for platform in spec["platforms"]:
        address, _, name = platform["uri"].rpartition("/")
        file = dist / name
        assert address == "https://a.example/v0.1.0"
        assert platform["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
        with tarfile.open(file) as tar:
            assert tar.getmember(platform["bin"]).mode == 0o755
            assert {"LICENSE", "lib/tenure/__init__.py"} < set(tar.getnames())
        named.append("-".join(platform["selector"]["matchLabels"].values()))
    assert named == list(krew.PLATFORMS)

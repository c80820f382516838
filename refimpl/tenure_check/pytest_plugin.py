"""The pytest plugin: collects `*.tenure.yaml`, each expectation as an item.

It imports nothing of Tenure before such a file is collected, and leaves every other file alone.
`-p no:tenure` switches it off.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tenure.manifests.source_lines import SourceLines
    from tenure_check.expectations import Check, CheckResult, ExpectationDocument

_SUFFIX = ".tenure.yaml"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> TenureFile | None:
    """Collect a file of expectations; None for any other file."""
    if not file_path.name.endswith(_SUFFIX):
        return None
    return TenureFile.from_parent(parent, path=file_path)


class TenureFile(pytest.File):
    """A file of expectations."""

    def collect(self) -> Iterator[pytest.Item]:
        """Its expectations; what is wrong with the file is shown without a traceback."""
        from tenure.errors import InputError, safe
        from tenure_check.expectations import load_documents

        try:
            documents = load_documents(_shown(self.path))
        except InputError as error:
            raise self.CollectError("\n".join(map(str, error.problems))) from None
        for document in documents:
            for check in document.checks:
                name = check.name if len(documents) == 1 else f"{document.name}: {check.name}"
                yield ExpectationItem.from_parent(self, name=safe(name), document=document, check=check)

    @cached_property
    def lines(self) -> SourceLines:
        """Finds lines of the file."""
        from tenure.manifests.source_lines import SourceLines

        return SourceLines()


class ExpectationItem(pytest.Item):
    """One expectation."""

    def __init__(self, *, document: ExpectationDocument, check: Check, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._document = document
        self._check = check

    def runtest(self) -> None:
        """Check it.

        Raises:
            UnexpectedError: it does not hold, or cannot be found out.
        """
        from tenure.errors import safe
        from tenure_check.expectations import Status

        result = self._check.run()
        for text in result.warnings:
            self.warn(ManifestWarning(safe(text)))
        if result.status == Status.EXCEPTED:
            pytest.xfail(safe(f"{result.text()}; {result.lines[0]}"))
        if result.status != Status.HOLDS:
            raise UnexpectedError(result)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """Why: what the rules found, in place of a traceback."""
        if not isinstance(excinfo.value, UnexpectedError):
            return super().repr_failure(excinfo, style)
        from tenure.errors import safe

        result = excinfo.value.result
        where = f"{self._document.file}:{self._line()}: {self._check.field}: {result.text()}"
        return "\n".join(map(safe, (where, "", *result.why)))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it is; pytest counts lines from 0."""
        return self.path, self._line() - 1, self.name

    def _line(self) -> int:
        file = self.parent
        assert isinstance(file, TenureFile)
        return max(1, file.lines.in_document(self._document.file, self._document.number, self._check.field))


class ManifestWarning(pytest.PytestWarning):
    """Something of the manifests takes no part.

    `-W error::tenure_check.pytest_plugin.ManifestWarning` refuses it.
    """


class UnexpectedError(Exception):
    """An expectation that does not hold, or cannot be found out."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.text())
        self.result = result


def _shown(path: Path) -> Path:
    """The path as people know it: below the current folder where it is there."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path

"""The published schema of the answer: `python -m tenure.apps.testing.schemas spec/schemas` writes it anew."""

from __future__ import annotations

import sys
from pathlib import Path

from tenure.apps.testing.results import checks_schema
from tenure.telling.answers.written import write_schema

if __name__ == "__main__":
    write_schema(Path(sys.argv[1]), "test", checks_schema())

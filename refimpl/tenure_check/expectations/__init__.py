"""Expectations in files: `*.tenure.yaml`, checked by `tenure test` and by the pytest plugin.

A document is a scenario, as `tenure simulate` takes it, or manifests with expectations on decisions.
"""

from tenure_check.expectations.check import Check, CheckResult, Status
from tenure_check.expectations.documents import SUFFIX, ExpectationDocument, expectation_files, load_documents
from tenure_check.expectations.results import Checked, checks_of, run

__all__ = [
    "SUFFIX",
    "Check",
    "CheckResult",
    "Checked",
    "ExpectationDocument",
    "Status",
    "checks_of",
    "expectation_files",
    "load_documents",
    "run",
]

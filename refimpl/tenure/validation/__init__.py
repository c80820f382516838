"""Whether objects are what Kueue, its webhooks and the proposals accept, and what they hardly mean."""

from tenure.validation.check import validate
from tenure.validation.faults import ErrorType, Source, WarningType
from tenure.validation.report import Notice, Report
from tenure.validation.requests import answer_validate, render

__all__ = [
    "ErrorType",
    "Notice",
    "Report",
    "Source",
    "WarningType",
    "answer_validate",
    "render",
    "validate",
]

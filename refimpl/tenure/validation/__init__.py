"""Whether objects are what Kueue, its webhooks and the proposals accept, and what they hardly mean."""

from tenure.validation.check import answer_validate, render, validate
from tenure.validation.faults import ErrorType, Notice, Report, Source, WarningType

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

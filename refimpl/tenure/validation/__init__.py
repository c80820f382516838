"""Whether objects are what Kueue, its webhooks and the proposals accept, and what they hardly mean."""

from tenure.validation.check import validate
from tenure.validation.faults import ErrorType, Notice, Source, ValidationReport, WarningType

__all__ = [
    "ErrorType",
    "Notice",
    "Source",
    "ValidationReport",
    "WarningType",
    "validate",
]

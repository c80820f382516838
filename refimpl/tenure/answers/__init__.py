"""Answers to *why* and *why not*: what the findings, the explanation and the nearest flips say together.

The dataclasses of `shapes` are what the commands print as JSON; `lines` says the same in sentences.
"""

from tenure.answers.decision import explain_answer
from tenure.answers.lines import explain_lines, why_lines, why_not_lines
from tenure.answers.shapes import ExplainAnswer, WhyAnswer, WhyNotAnswer
from tenure.answers.why import why_answer
from tenure.answers.why_not import why_not_answer
from tenure.answers.written import written

__all__ = [
    "ExplainAnswer",
    "WhyAnswer",
    "WhyNotAnswer",
    "explain_answer",
    "explain_lines",
    "why_answer",
    "why_lines",
    "why_not_answer",
    "why_not_lines",
    "written",
]

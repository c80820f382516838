"""What a command found, in the forms that continuous integration reads: JUnit, SARIF, annotations."""

from tenure.reports.content import (
    Case,
    FileLine,
    Report,
    RuleText,
    Severity,
    Suite,
    Trouble,
    report_of_problems,
)
from tenure.reports.forms import (
    FORMS,
    ReportTarget,
    github_lines,
    junit_lines,
    parse_targets,
    report_text,
    summary_lines,
    to_gitlab,
    to_sarif,
    write_reports,
)

__all__ = [
    "FORMS",
    "Case",
    "FileLine",
    "Report",
    "ReportTarget",
    "RuleText",
    "Severity",
    "Suite",
    "Trouble",
    "github_lines",
    "junit_lines",
    "parse_targets",
    "report_of_problems",
    "report_text",
    "summary_lines",
    "to_gitlab",
    "to_sarif",
    "write_reports",
]

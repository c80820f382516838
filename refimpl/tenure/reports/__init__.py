"""What a command found, in the forms that continuous integration reads: JUnit, SARIF, annotations."""

from tenure.reports.files import FORMS, Target, parse_targets, report_text, write_reports
from tenure.reports.github import github_lines
from tenure.reports.junit import junit_lines
from tenure.reports.problems import report_of_problems
from tenure.reports.report import Case, Level, Place, Report, RuleText, Suite, Trouble
from tenure.reports.sarif import to_sarif

__all__ = [
    "FORMS",
    "Case",
    "Level",
    "Place",
    "Report",
    "RuleText",
    "Suite",
    "Target",
    "Trouble",
    "github_lines",
    "junit_lines",
    "parse_targets",
    "report_of_problems",
    "report_text",
    "to_sarif",
    "write_reports",
]

"""The report as JUnit XML, which continuous integration shows."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as ET

from tenure.conform.report import DRAWN, Conformance, Count
from tenure.conform.verdicts import FAILURES

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_text(conformance: Conformance) -> str:
    """One suite for the vectors, one for the random scenarios; a test for each failure that is told.

    >>> good = Conformance("adapter", "", "victims", "", True, (Count("agree", 2),), None, ())
    >>> print(junit_text(good))  # doctest: +ELLIPSIS
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites ...
    """
    root = ET.Element("testsuites", name=f"tenure conform {conformance.mode}")
    drawn = conformance.drawn.verdicts if conformance.drawn else ()
    for title, counted, mine in (
        ("vectors", conformance.vectors, False),
        ("random scenarios", drawn, True),
    ):
        told = [each for each in conformance.disagreements if each.case.startswith(DRAWN) is mine]
        suite = ET.SubElement(
            root,
            "testsuite",
            name=title,
            tests=str(sum(each.count for each in counted)),
            failures=str(sum(each.count for each in counted if not _is_good(each))),
        )
        for each in counted:
            if _is_good(each):
                ET.SubElement(suite, "testcase", classname=title, name=f"{each.count} {each.what}")
        for failure in told:
            case = ET.SubElement(suite, "testcase", classname=title, name=failure.case)
            element = ET.SubElement(case, "failure", message=xml_text(f"{failure.verdict}: {failure.about}"))
            element.text = xml_text("\n".join((*failure.lines, failure.request)))
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{text}"


def _is_good(count: Count) -> bool:
    return not count.what.startswith(FAILURES)


def xml_text(text: str) -> str:
    """A text without what XML may not hold.

    >>> xml_text("a" + chr(0) + "b")
    'a?b'
    """
    return _NOT_XML.sub("?", text)

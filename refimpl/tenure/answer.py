"""An answer of the Python API: its record, and its forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_type_hints

from tenure.errors import bad_input
from tenure.outline import Outline

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R", bound="DataclassInstance")


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Generic[R]):
    """An answer.

    Args:
        name: of the schema of its JSON, as `tenure schema` lists them.
        record: the answer.
        outline: the answer in words.
        table: the field of the record that is a table, a record for each row; empty where none is.
        picture: SVG, which a notebook shows below the words; empty where there is none.

    >>> from tenure.explanation.shapes import WorkloadWithReason
    >>> Answer("why", WorkloadWithReason("ml/old", "InClusterQueue"), Outline("Why", ["Because.", "So."]))
    <why: Because.>
    """

    name: str
    record: R
    outline: Outline
    table: str = ""
    picture: str = ""

    def __repr__(self) -> str:
        first = next(self.outline.text_lines(), "")
        return f"<{self.name}: {first}>"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        words = "\n".join(self.outline.html_lines())
        # Notebooks put the text of cells on the right, and may be light where the reader's system is dark.
        for cell in ("td", "th"):
            words = words.replace(f"<{cell}>", f'<{cell} style="text-align: left">')
        return words + self.picture.replace("<svg ", '\n<svg style="background: var(--paper)" ', 1)

    @property
    def text(self) -> str:
        """As the command prints it."""
        return "\n".join(self.outline.text_lines())

    @property
    def markdown(self) -> str:
        """As the command prints it with `-o markdown`."""
        return "\n".join(self.outline.markdown_lines())

    def json(self) -> Any:
        """As the command prints it with `-o json`: dictionaries, lists, strings and numbers."""
        from tenure.as_json import as_json

        return as_json(self.record)

    def to_frame(self) -> Any:
        """The table of the answer as a DataFrame of pandas; what is nested in a row has a dotted column.

        An answer of one kind always has the same columns, without rows too.

        Raises:
            InputError: the answer has no table; pandas, of the extra `frames`, is not installed.
        """
        if not self.table:
            raise bad_input("answer", self.name, "one with a table, such as that of tenure.matrix")
        try:
            import pandas
        except ImportError as error:
            hint = "pandas: pip install 'tenure[frames]'"
            raise bad_input("environment", f"no module {error.name}", hint) from None
        from tenure.as_json import as_json, columns_of

        frame = pandas.json_normalize([as_json(row) for row in getattr(self.record, self.table)])
        row, *_ = get_args(get_type_hints(type(self.record))[self.table])
        columns = [*columns_of(row)]
        more = [name for name in frame.columns if not any(f"{it}.".startswith(f"{name}.") for it in columns)]
        return frame.reindex(columns=[*columns, *more])

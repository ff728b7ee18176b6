"""LimeSurvey's tab-separated structure (.txt): a row a group, question, subquestion or answer, once a language."""

from collections.abc import Sequence

from sotto_author.errors import FormError
from sotto_author.forms.asking import ELSE
from sotto_author.forms.limesurvey.structure import Group, Nested, Question, Structure, Texts
from sotto_author.forms.table import TableRow, read_table

_CELLS = (
    *("id", "related_id", "class", "type/scale", "name", "relevance", "text", "help", "language", "encrypted"),
    *("default", "same_default", "same_script"),
)
"""Columns that are no attributes, or have a place of their own."""
_OTHERS = {"AS": "assessments", "QTA": "quotas", "QTALS": "quotas", "QTAM": "quotas"}


def is_tsv(columns: Sequence[str]) -> bool:
    """Whether these are the columns of a structure."""
    return {"class", "type/scale", "name", "text"} <= set(columns)


def read_tsv(text: str) -> Structure:
    """Return the structure. Raises FormError."""
    rows = read_table(text, {})
    own = [row["text"] for row in rows if row["class"] == "S" and row["name"] == "language"]
    reader = _AllRows(Structure((own or [row["language"] for row in rows if row["language"]] or [""])[0]))
    for row in rows:
        reader.take(row)
    return reader.structure


class _AllRows:
    """It goes through the rows. A further language repeats them in the same order."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self._groups: list[Group] = []
        self._n_groups: dict[str, int] = {}
        self._by_code: dict[str, Question] = {}
        self._question: Question | None = None

    def take(self, row: TableRow) -> None:
        """Put a row where it belongs. Raises FormError."""
        kind, language = row["class"], row["language"] or self.structure.own
        if kind == "S":
            return
        if kind == "SL":
            self.structure.settings.setdefault(row["name"], Texts()).add(language, row["text"])
        elif kind == "G":
            self._group(row, language)
        elif kind == "Q":
            self._ask(row, language)
        elif kind in ("SQ", "A"):
            self._choice(row, language)
        elif kind == "C" and self._question is not None:
            self._question.depends_on.append(ELSE)
        elif kind in _OTHERS:
            self.structure.staying.append(_OTHERS[kind])
        else:
            raise FormError(f"line {row.line}: the class {kind[:60]!r} must be S, SL, G, Q, SQ or A.")

    def _group(self, row: TableRow, language: str) -> None:
        index = self._n_groups.get(language, 0)
        self._n_groups[language] = index + 1
        if index == len(self._groups):
            self._groups.append(Group(row["relevance"], random_group=row["random_group"]))
            self.structure.groups.append(self._groups[-1])
        self._groups[index].titles.add(language, row["name"])
        self._groups[index].descriptions.add(language, row["text"])

    def _ask(self, row: TableRow, language: str) -> None:
        code = row["name"]
        if code not in self._by_code:
            group = self._groups[max(0, self._n_groups.get(language, 0) - 1)] if self._groups else Group()
            made = Question(f"line {row.line}", code, row["type/scale"], group, row["relevance"])
            made.cells = {name: cell for name, cell in row.cells.items() if cell and name not in _CELLS}
            made.cells["default"] = row["default"]
            self._by_code[code] = made
            self.structure.questions.append(made)
            if row["id"]:
                self.structure.ids[row["id"]] = code
        self._question = self._by_code[code]
        self._question.texts.add(language, row["text"])
        self._question.helps.add(language, row["help"])

    def _choice(self, row: TableRow, language: str) -> None:
        if self._question is None:
            raise FormError(f"line {row.line}: stands before the first question (class Q).")
        of = self._question.answers if row["class"] == "A" else self._question.subquestions
        key = (row["type/scale"] or "0", row["name"])
        if key not in of:
            of[key] = Nested(row["name"], key[0], relevance="" if row["class"] == "A" else row["relevance"])
        of[key].texts.add(language, row["text"])

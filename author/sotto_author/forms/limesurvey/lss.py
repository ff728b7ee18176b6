"""LimeSurvey's structure in XML (.lss), read without entities, documents beside it or a network."""

from collections import defaultdict
from typing import NoReturn
from xml.parsers import expat

from sotto_author.errors import FormError
from sotto_author.forms.asking import ELSE
from sotto_author.forms.limesurvey.structure import Group, Nested, Question, Structure, Texts

_MAX_TAGS = 600_000
_MAX_DEPTH = 16
_ROW_DEPTH = 4
"""document, a table, rows, row."""
_STAYING = {"quota": "quotas", "assessments": "assessments", "defaultvalues": "default answers"}
Row = dict[str, str]


def read_lss(content: bytes) -> Structure:
    """Return the structure. Raises FormError."""
    tables = _Tables(content)
    if tables.kind != "Survey":
        raise FormError("is no survey structure of LimeSurvey: export the survey as .lss, not a group or a question.")
    settings = next(iter(tables.rows["surveys"]), {})
    structure = Structure(settings.get("language") or next(iter(tables.languages), ""))
    for row in tables.rows["surveys_languagesettings"]:
        for name, text in row.items():
            structure.settings.setdefault(name, Texts()).add(row.get("surveyls_language", structure.own), text)
    structure.staying = [what for name, what in _STAYING.items() if tables.rows[name]]
    _take_questions(tables, structure)
    return structure


def _take_questions(tables: "_Tables", structure: Structure) -> None:
    groups: dict[str, Group] = {}
    group_rows = tables.rows["groups"]
    for row in group_rows:
        group = groups.setdefault(row.get("gid", ""), Group(row.get("grelevance", "")))
        group.random_group = row.get("randomization_group", "")
    for row in (*tables.rows["group_l10ns"], *group_rows):
        if row.get("gid", "") in groups:
            language = row.get("language", structure.own)
            groups[row["gid"]].titles.add(language, row.get("group_name", ""))
            groups[row["gid"]].descriptions.add(language, row.get("description", ""))
    structure.groups = list(groups.values())
    order = {row.get("gid", ""): _number(row.get("group_order", "")) for row in group_rows}
    by_id: dict[str, Question] = {}
    rows = [row for row in tables.rows["questions"] if row.get("parent_qid", "0") in ("", "0")]
    for row in sorted(rows, key=lambda row: (order.get(row.get("gid", ""), 0), _number(row.get("question_order", "")))):
        _take_question(row, groups, structure, by_id)
    texts: dict[str, Texts] = defaultdict(Texts)
    nested = [row for row in tables.rows["questions"] if row.get("parent_qid", "0") not in ("", "0")]
    subquestions = [*tables.rows["subquestions"], *nested]
    for row in (*tables.rows["question_l10ns"], *tables.rows["subquestion_l10ns"], *rows, *subquestions):
        name, language = row.get("qid", ""), row.get("language", structure.own)
        texts[name].add(language, row.get("question", ""))
        if name in by_id:
            by_id[name].helps.add(language, row.get("help", ""))
            by_id[name].cells |= {"script": row["script"]} if row.get("script") else {}
    for name, question in by_id.items():
        question.texts = texts[name]
    for row in sorted(subquestions, key=lambda row: _number(row.get("question_order", ""))):
        if parent := by_id.get(row.get("parent_qid", "")):
            code, scale = row.get("title", ""), row.get("scale_id") or "0"
            made = Nested(code, scale, texts[row.get("qid", "")], row.get("relevance", ""))
            parent.subquestions.setdefault((scale, code), made)
    _take_answers(tables, structure, by_id)
    for row in tables.rows["question_attributes"]:
        if row.get("qid", "") in by_id and row.get("value"):
            by_id[row["qid"]].cells.setdefault(row.get("attribute", ""), row["value"])
    for row in tables.rows["conditions"]:
        if row.get("qid", "") in by_id:
            by_id[row["qid"]].depends_on.append(structure.ids.get(row.get("cqid", ""), ELSE))


def _take_question(row: Row, groups: dict[str, Group], structure: Structure, by_id: dict[str, Question]) -> None:
    name = row.get("qid", "")
    if name in by_id:
        return  # a further language
    group = groups.get(row.get("gid", ""), Group())
    relevance = row.get("relevance", "")
    made = Question(f"question {name[:20]}", row.get("title", ""), row.get("type", ""), group, relevance)
    made.cells = {cell: row[cell] for cell in ("mandatory", "other", "preg") if row.get(cell)}
    by_id[name] = made
    structure.ids[name] = made.code
    structure.questions.append(made)


def _take_answers(tables: "_Tables", structure: Structure, by_id: dict[str, Question]) -> None:
    by_aid: dict[str, Nested] = {}
    rows = sorted(tables.rows["answers"], key=lambda row: _number(row.get("sortorder", "")))
    for row in rows:
        if question := by_id.get(row.get("qid", "")):
            code, scale = row.get("code", ""), row.get("scale_id") or "0"
            choice = question.answers.setdefault((scale, code), Nested(code, scale))
            choice.texts.add(row.get("language", structure.own), row.get("answer", ""))
            by_aid.setdefault(row.get("aid", ""), choice)
    for row in tables.rows["answer_l10ns"]:
        if known := by_aid.get(row.get("aid", "")):
            known.texts.add(row.get("language", structure.own), row.get("answer", ""))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


class _Tables:
    """The rows of each table, the languages, and what kind of document it is."""

    def __init__(self, content: bytes) -> None:
        self.rows: dict[str, list[Row]] = defaultdict(list)
        self.languages: list[str] = []
        self.kind = ""
        self._path: list[str] = []
        self._text: list[str] = []
        self._n_tags = 0
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text.append
        try:
            parser.Parse(content, True)
        except expat.ExpatError as fault:
            said = expat.errors.messages.get(fault.code, "")
            raise FormError(
                f"line {fault.lineno}: is no XML that can be read ({said}): export the survey anew."
            ) from None
        except (LookupError, ValueError):
            raise FormError("is no XML that can be read: it must be UTF-8.") from None

    def _refuse(self, *_: object) -> NoReturn:
        raise FormError("must not have a document type (<!DOCTYPE), as LimeSurvey writes none: export the survey anew.")

    def _start(self, name: str, _: object) -> None:
        self._n_tags += 1
        self._path.append(name)
        if self._n_tags > _MAX_TAGS or len(self._path) > _MAX_DEPTH:
            raise FormError(f"has more than {_MAX_TAGS:,} elements, or elements in more than {_MAX_DEPTH} others.")
        if len(self._path) == _ROW_DEPTH and name == "row":
            self.rows[self._path[1]].append({})
        self._text.clear()

    def _end(self, name: str) -> None:
        depth = len(self._path)
        if depth == _ROW_DEPTH + 1 and self._path[3] == "row":
            self.rows[self._path[1]][-1].setdefault(name, "".join(self._text).strip())
        elif self._path[1:] == ["LimeSurveyDocType"]:
            self.kind = "".join(self._text).strip()
        elif self._path[1:] == ["languages", "language"]:
            self.languages.append("".join(self._text).strip())
        self._path.pop()
        self._text.clear()

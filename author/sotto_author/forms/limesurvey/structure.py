"""What both files of a LimeSurvey structure say: groups, questions, their subquestions and answers, by language."""

from dataclasses import dataclass, field

from sotto_author.forms.languages import FormText


@dataclass(slots=True)
class Texts:
    """A text by language."""

    by_language: dict[str, str] = field(default_factory=dict)

    def add(self, language: str, text: str) -> None:
        """Add a text, unless there is one in this language."""
        if text:
            self.by_language.setdefault(language, text)

    def read(self, own: str) -> FormText:
        """Return it in the survey's own language, and in the others."""
        others = {name: text for name, text in self.by_language.items() if name != own}
        return FormText(self.by_language.get(own, ""), others)


@dataclass(slots=True)
class Nested:
    """A subquestion, or an answer. `scale`: "0" or "1", of two."""

    code: str
    scale: str
    texts: Texts = field(default_factory=Texts)
    relevance: str = ""


@dataclass(slots=True)
class Group:
    """A group of questions."""

    relevance: str = ""
    titles: Texts = field(default_factory=Texts)
    descriptions: Texts = field(default_factory=Texts)
    random_group: str = ""


@dataclass(slots=True)
class Question:
    """A question. `place`: where it stands in the file. `cells`: mandatory, other, preg; and its attributes."""

    place: str
    code: str
    type: str
    group: Group
    relevance: str = ""
    texts: Texts = field(default_factory=Texts)
    helps: Texts = field(default_factory=Texts)
    cells: dict[str, str] = field(default_factory=dict)
    subquestions: dict[tuple[str, str], Nested] = field(default_factory=dict)
    answers: dict[tuple[str, str], Nested] = field(default_factory=dict)
    depends_on: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f'{self.place} ({self.type[:60] or "no type"} "{self.code[:60]}")'


@dataclass(slots=True)
class Structure:
    """A survey. `ids`: the codes of questions by their numbers. `settings`: its texts by their names."""

    own: str
    questions: list[Question] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    settings: dict[str, Texts] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    staying: list[str] = field(default_factory=list)

"""What a reader reads: the product's words in their language, and the survey's texts in one that it has."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from sotto_estimator.views.figure_section import section_of
from sotto_protocol import Question, Survey
from sotto_protocol.language import Language, direction, language
from sotto_protocol.questions.translation import SurveyWords


@dataclass(frozen=True)
class Spoken:
    """The language of the words around the survey's texts, `say`, and these texts as they are read."""

    say: Language
    survey: Survey
    words: SurveyWords

    @classmethod
    def of(cls, survey: Survey, lang: str = "") -> Self:
        """Return both in a language of the survey, "" for its own. Raises ValueError where it has no such one."""
        words = survey.words(lang)
        return cls(language(words.lang), survey, words)

    @property
    def attributes(self) -> dict[str, str]:
        """What an element that holds one of the survey's texts says of it: its language, and how it is written."""
        tag = self.words.lang
        lang = {} if tag == self.say.tag else {"lang": tag}
        # A survey of one language may not say which, and then it is English by name alone.
        return lang | {"dir": "auto" if self.survey.languages == ("en",) else direction(tag)}

    def text(self, question: Question) -> str:
        """Return a question's text."""
        return self.words.questions[question.id].text

    def unit(self, question: Question) -> str:
        """Return what a question's numbers are counted in."""
        return self.words.questions[question.id].unit

    def labels(self, question: Question) -> dict[str, str]:
        """Return how answers are shown: options as they are read, a yes in the page's words."""
        part = section_of(question)
        return part.labels(question, self.words.questions[question.id].options, self.say) if part else {}

    def labelled(self, question: Question, figures: Sequence[Any]) -> list[Any]:
        """Return figures with their answers, where these have names, as they are shown."""
        labels, part = self.labels(question), section_of(question)
        has_names = part is not None and part.has_names
        return (
            [replace(one, answer=labels.get(one.answer, one.answer)) for one in figures] if has_names else list(figures)
        )

"""What a reader reads: the page's words and numbers in their language, and the survey's texts in one that it has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

from sotto_estimator.page.choices import Choices
from sotto_estimator.page.figure_page import page_of
from sotto_estimator.page.number_chart import quantile_label
from sotto_estimator.results.axis import shortest
from sotto_estimator.results.percents import OUTSIDE, mark_of, n_decimals_of, percent_digits
from sotto_estimator.shares.estimates import Estimate
from sotto_estimator.views.numbers import value_words
from sotto_protocol import Question, Survey
from sotto_protocol.language import Language, direction
from sotto_protocol.language_names import own_name
from sotto_protocol.questions.translation import SurveyWords

_UNGROUPED = 6
"""A number of so many characters has no groups in any language: -99.99."""


class PageLanguage(NamedTuple):
    """A language that the survey can be read in, by the name that its speakers have for it, and the page's address."""

    tag: str
    name: str
    direction: str
    address: str


@dataclass(frozen=True)
class Spoken:
    """The language of the page's own words, `say`, and the survey's texts as they are read."""

    say: Language
    survey: Survey
    words: SurveyWords

    @property
    def attributes(self) -> dict[str, str]:
        """What an element that holds one of the survey's texts says of it: its language, and how it is written."""
        tag = self.words.lang
        lang = {} if tag == self.say.tag else {"lang": tag}
        # A survey of one language may not say which, and then it is English by name alone.
        return lang | {"dir": "auto" if self.survey.languages == ("en",) else direction(tag)}

    def tongues(self, choices: Choices) -> list[PageLanguage]:
        """Return the languages to choose from; none where there is one."""
        tags = self.survey.languages if len(self.survey.languages) > 1 else ()
        return [PageLanguage(tag, own_name(tag), direction(tag), f"results{choices.query_in(tag)}") for tag in tags]

    def text(self, question: Question) -> str:
        """Return a question's text."""
        return self.words.questions[question.id].text

    def unit(self, question: Question) -> str:
        """Return what a question's numbers are counted in."""
        return self.words.questions[question.id].unit

    def labels(self, question: Question) -> dict[str, str]:
        """Return how answers are shown: options as they are read, a yes in the page's words."""
        part = page_of(question)
        return part.labels(question, self.words.questions[question.id].options, self.say) if part else {}

    def labelled(self, question: Question, figures: Sequence[Any]) -> list[Any]:
        """Return figures with their answers, where these have names, as they are shown."""
        labels, part = self.labels(question), page_of(question)
        has_names = part is not None and part.has_names
        return [replace(one, answer=labels[one.answer]) for one in figures] if has_names else list(figures)

    def share(self, row: Estimate) -> str:
        """Return an unbiased share in per cent, marked where it is not possible."""
        n_decimals = n_decimals_of(row)
        return mark_of(row.share, n_decimals) + self.percent(row.share, n_decimals)

    def mean(self, mean: Any) -> str:
        """Return an unbiased mean, or another number in a unit, marked where it is not possible."""
        return f"{OUTSIDE * mean.is_outside}{self.number(mean.value, mean.standard_error)}"

    def percent(self, share: float, n_decimals: int = 2) -> str:
        """Return a share in per cent."""
        digits = percent_digits(share, n_decimals)
        if len(digits) > _UNGROUPED:
            return self.say.percent(digits)
        return digits.replace(".", self.say.decimal) + self.say.percent_sign  # thousands of cells: what `percent` does

    def signed_percent(self, shift: float) -> str:
        """Return a difference of shares in per cent with two decimals and its sign, where it has one."""
        return _with_sign(f"{100 * shift:+.2f}", self.say.percent)

    def number(self, value: float, error: float) -> str:
        """Return a number with as many decimals as show two digits of its error."""
        return self.say.number(value_words(value, error).replace(",", ""))

    def signed_number(self, value: float) -> str:
        """Return a number of three digits with its sign."""
        return _with_sign(f"{Decimal(f'{value:.3g}'):+f}", self.say.number)

    def shortest(self, value: float) -> str:
        """Return a number with no more digits than it has, of at most twelve."""
        return shortest(value, self.say)

    def quantile(self, prob: float) -> str:
        """Return what a quantile is called."""
        return quantile_label(prob, self.say)


def _with_sign(digits: str, write: Callable[[str], str]) -> str:
    """Return signed digits in a language; a zero has no sign."""
    if not digits.strip("+-0."):
        return write(digits[1:])
    return f"+{write(digits[1:])}" if digits[0] == "+" else write(digits)

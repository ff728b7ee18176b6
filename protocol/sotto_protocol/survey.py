"""A survey: compiled questions, one canonical text, one fingerprint. Nobody edits it; every side agrees on it."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

from numpy.typing import ArrayLike

from sotto_protocol.bounds import add_above
from sotto_protocol.coins import Coins
from sotto_protocol.documents import Fields, canonical_json, load_json
from sotto_protocol.drawn import draw_questions
from sotto_protocol.errors import AnswerError, SurveyError
from sotto_protocol.language import language
from sotto_protocol.mechanisms.checks import check_integer
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.members import LENGTHS, MAX_COUNTS, MAX_QUESTIONS, REPORTS, Settings, read_id, read_settings
from sotto_protocol.questions.document import question_document, read_question
from sotto_protocol.questions.item import Item
from sotto_protocol.questions.joint import Joint
from sotto_protocol.questions.question import Question
from sotto_protocol.questions.translation import SurveyWords, read_translations, translation_document
from sotto_protocol.record import HEAD, WAVE, RecordLayout
from sotto_protocol.words import counted, epsilon_above

FORMAT = "sottovoce-survey-1"
MAX_SURVEY_BYTES = 2**20
_N_SURVEYS_KEPT = 16  # read ones, by their text: reading is pure, and every report needs its survey


@dataclass(frozen=True)
class Survey(Settings):
    """A compiled survey. Make one with `compile_survey` (an author's definition) or `Survey.from_canonical`.

    For `waves`, `invited`, `public_results`, `min_reports` and other settings see `Settings`. The counts of all
    questions, times the waves, times the strata, are at most 2^22. `translations` has its words in languages other than
    `lang`, sorted by their tags. `people` is the number that its author expects to answer. It is not published. Raises
    SurveyError.
    """

    id: str
    title: str
    questions: tuple[Question, ...]
    translations: tuple[SurveyWords, ...] = ()
    people: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= len(self.questions) <= MAX_QUESTIONS:
            raise SurveyError("$.questions", f"must be 1 to {MAX_QUESTIONS} questions.")
        if len({question.id for question in self.questions}) < len(self.questions):
            raise SurveyError("$.questions", "must not have two questions of the same id.")
        self._check_items()
        if self.draw >= len(self.questions):
            domain = f"in [1, {len(self.questions) - 1}]: fewer than there are questions"
            raise SurveyError(
                "$.draw", f"must be {domain if len(self.questions) > 1 else 'left out: there is one question'}."
            )
        self._check_stages()

    def _check_stages(self) -> None:
        """Raise SurveyError where some answers would get lasting noise in the waves that a device is asked in."""
        two = [question.id for question in self.questions if question.mechanism.has_two_stages]
        if self.asked_in == 1 and two:
            raise SurveyError(
                "$.asked_in",
                f"does not go with epsilon_forever at 1: a device reports each answer once (question {two[0]}).",
            )
        if self.asked_in and two and len(two) < len(self.questions):
            raise SurveyError(
                "$.asked_in",
                f"goes with epsilon_forever in every question or in none: {', '.join(two)} and others differ.",
            )

    def _check_items(self) -> None:
        """Raise SurveyError where an id stands for two items, or for an item and a question of several.

        Also where a device would report one item twice: its two reports depend on one another.
        """
        joint = [question for question in self.questions if isinstance(question.kind, Joint)]
        items = [item for question in self.questions for item in question.items]
        known = {item.id: item for item in items}
        if any(known[item.id] != item for item in items) or any(question.id in known for question in joint):
            raise SurveyError("$.questions", "must not have two questions of the same id.")
        if len(known) < len(items) and self.n_drawn > 1:
            twice = next(key for key, n in Counter(item.id for item in items).items() if n > 1)
            raise SurveyError(
                "$.draw",
                f"must be 1: question {twice} is in several groups that are asked together, and estimates take each of "
                "its answers for another device's.",
            )

    def __repr__(self) -> str:
        said = f"{counted(len(self.questions), 'question')}, epsilon {epsilon_above(self.epsilon)}"
        return f"<Survey {self.id}: {said}, fingerprint {self.fingerprint[:8]}..>"

    def check_size(self) -> None:
        """Raise SurveyError above MAX_COUNTS. Use it before publishing: a published survey stays valid."""
        n_counts = sum(math.prod(question.mechanism.counts_shape) for question in self.questions)
        if n_counts > MAX_COUNTS:
            raise SurveyError("$.questions", f"must have at most {MAX_COUNTS} counts; they have {n_counts}.")
        if self.n_strata * n_counts > MAX_COUNTS:
            raise SurveyError(
                "$.strata",
                f"must be at most {MAX_COUNTS // n_counts}, not {self.n_strata}: the questions have {n_counts} counts, "
                f"and all strata together may have {MAX_COUNTS}.",
            )
        of_strata = f" in {self.n_strata} strata" if self.strata else ""
        if self.waves * self.n_strata * n_counts > MAX_COUNTS:
            raise SurveyError(
                "$.waves",
                f"must be at most {MAX_COUNTS // n_counts // self.n_strata}, not {self.waves}: the questions have "
                f"{n_counts} counts{of_strata}, and all waves together may have {MAX_COUNTS}.",
            )

    @cached_property
    def epsilon(self) -> Decimal:
        """The most epsilon of one report: the sum of the declared ones (basic composition), with `draw` of the largest.

        The drawn questions do not depend on any answer. So a report never takes more than the drawn questions take.
        """
        return add_above(*self.most_of(question.epsilon for question in self.questions))

    @cached_property
    def epsilon_forever(self) -> Decimal:
        """The epsilon of all reports of a device together, if the answers stay the same. With one report, `epsilon`.

        If no noise lasts (`keeps_noise`), it is that of any answers.
        """
        return add_above(*self.most_of(self.epsilon_of(question, self.max_reports) for question in self.questions))

    @cached_property
    def keeps_noise(self) -> bool:
        """Whether a device's reports of an answer share their permanent noise, over the waves.

        Not in a survey with `asked_in`, unless it has `epsilon_forever`: there each report has noise of its own.
        """
        return self.max_reports > 1 and (not self.asked_in or self.questions[0].mechanism.has_two_stages)

    def epsilon_of(self, question: Question, n_reports: int) -> Decimal:
        """Return the epsilon of `n_reports` reports of a device to a question, if the answer stays the same."""
        if n_reports > 1 and not self.keeps_noise:
            return add_above(*[question.epsilon] * n_reports)
        return question.epsilon_of(n_reports)

    def most_of(self, epsilons: Iterable[Decimal]) -> list[Decimal]:
        """Return the largest of the questions' epsilons, as many as a device answers questions."""
        return sorted(epsilons, reverse=True)[: self.n_drawn]

    @property
    def languages(self) -> tuple[str, ...]:
        """The tags of the survey's languages, its own first."""
        return (self.lang, *(words.lang for words in self.translations))

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """What stands on a form, each item once, in order: those of questions that are asked together, too."""
        return tuple({item.id: item for question in self.questions for item in question.items}.values())

    def words(self, lang: str = "") -> SurveyWords:
        """Return what respondents read in one of its languages, by default its own. Raises ValueError for others."""
        found = {words.lang: words for words in (self.item_words, *self.translations)}
        if (lang or self.lang) not in found:
            raise ValueError(f"lang ({lang}) must be one of {', '.join(self.languages)}.")
        words = found[lang or self.lang]
        joint = {
            question.id: question.kind.words_in(words.questions, language(words.lang))
            for question in self.questions
            if isinstance(question.kind, Joint)
        }
        return replace(words, questions={**words.questions, **joint}) if joint else words

    @cached_property
    def item_words(self) -> SurveyWords:
        """What is read of its items, in its own language."""
        texts = (self.title, self.introduction, self.controller, self.contact)
        return SurveyWords(self.lang, *texts, {item.id: item.words for item in self.items})

    @property
    def n_drawn(self) -> int:
        """How many questions a device answers: all of them, unless the survey has `draw`."""
        return self.draw or len(self.questions)

    @property
    def n_asked(self) -> tuple[int, int]:
        """How many questions a respondent is asked, and of how many, where each drawn question has as many items."""
        sizes = {len(question.items) for question in self.questions}
        n_items = sizes.pop() if len(sizes) == 1 else 1
        return n_items * self.n_drawn, len(self.items) if n_items > 1 else len(self.questions)

    @cached_property
    def canonical(self) -> bytes:
        """The canonical JSON that is published."""
        document = {
            "epsilon": self.epsilon,
            "format": FORMAT,
            "id": self.id,
            "questions": [question_document(question) for question in self.questions],
            "title": self.title,
        }
        if self.translations:
            document["translations"] = {words.lang: translation_document(words) for words in self.translations}
        return canonical_json(document | self.unusual())  # what is usual is left out: old fingerprints stay

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the canonical JSON, 64 hexadecimal digits."""
        return hashlib.sha256(self.canonical).hexdigest()

    @cached_property
    def layout(self) -> RecordLayout:
        """Where everything stands in a packed report."""
        return RecordLayout(self.questions, {name: getattr(self, member) for name, member in HEAD.items()}, self.draw)

    @property
    def n_strata(self) -> int:
        """In how many groups people are invited; 1 where there are no strata."""
        return len(self.strata) or 1

    def cells(self, wave: int | None = None, stratum: int | None = None) -> list[int] | None:
        """Return the cells of a wave, of a stratum, or of both; None where all are meant.

        A collector keeps counts by cell. A cell is one wave of one stratum, with the number wave + waves (stratum - 1).
        Without strata it is the wave's.
        """
        if wave is None and stratum is None:
            return None
        waves = range(1, self.waves + 1) if wave is None else [wave]
        strata = range(1, self.n_strata + 1) if stratum is None else [stratum]
        return [self.cell_of(number, place) for place in strata for number in waves]

    def cell_of(self, wave: int, stratum: int) -> int:
        """Return the cell of a wave of a stratum."""
        return wave + self.waves * (stratum - 1)

    def token_key(self, wave: int, stratum: int) -> str:
        """Return the public key of the tokens of a wave of a stratum."""
        return self.token_keys[self.cell_of(wave, stratum) - 1]

    def wave_of(self, cell: int) -> int:
        """Return the wave that a cell is of."""
        return (cell - 1) % self.waves + 1

    def say_cell(self, cell: int) -> str:
        """Return in words which cell it is."""
        of = f" of stratum {self.strata[(cell - 1) // self.waves]}" if self.strata else ""
        return f"wave {self.wave_of(cell)}{of}"

    @property
    def keeps_reports(self) -> bool:
        """Whether a collector keeps the reports themselves: else none can be erased, recounted, exported or joined."""
        return self.keep == REPORTS

    @staticmethod
    def from_canonical(text: bytes) -> "Survey":
        """Read a published survey, trusting nothing: thresholds, epsilons and the text's form are checked.

        Raises SurveyError where a question takes more epsilon than it declares.
        """
        return _read_canonical(text)

    def perturb(self, answers: Mapping[str, ArrayLike], coins: Coins, wave: int = 1) -> Bytes:
        """Perturb n people's answers, shape (n, layout.n_bytes), by question id as the mechanisms take them.

        For simulations; a device perturbs each question with coins of its own. With `draw` everybody's questions are
        drawn first, and answers to the others dropped. Raises AnswerError.
        """
        ids = [question.id for question in self.questions]
        if answers.keys() != {*ids}:
            raise AnswerError("$", f"answers must have exactly the members {', '.join(ids)}.")
        columns = [_perturb_column(question, answers[question.id], coins) for question in self.questions]
        if len({len(column) for column in columns}) > 1:
            raise AnswerError("$", "answers must be for the same number of people in every question.")
        n = len(columns[0])
        numbers = {
            name: [number] * n for name, number in (dict.fromkeys(HEAD, 1) | {WAVE: self.check_wave(wave)}).items()
        }
        if not self.draw:
            return self.layout.join(columns, numbers)
        drawn = draw_questions(len(columns), self.draw, coins, n)
        return self.layout.join([column[has] for column, has in zip(columns, drawn.T, strict=True)], numbers, drawn)

    def check_wave(self, wave: int) -> int:
        """Return wave if it is one of this survey: an integer in [1, waves]. Raises ValueError."""
        return check_integer("wave", wave, 1, self.waves)


def _perturb_column(question: Question, answers: ArrayLike, coins: Coins) -> Bytes:
    try:
        return question.mechanism.perturb(answers, coins)
    except AnswerError as bad:
        raise AnswerError(question.id, bad.problem) from None


@lru_cache(maxsize=_N_SURVEYS_KEPT)
def _read_canonical(text: bytes) -> Survey:
    if len(text) > MAX_SURVEY_BYTES:
        raise SurveyError("$", f"must have at most {MAX_SURVEY_BYTES} bytes.")
    survey = _read_survey(load_json(text, SurveyError))
    if survey.canonical != text:
        raise SurveyError("$", "must be in canonical form, its epsilon the sum of its questions'.")
    return survey


def _read_survey(document: Any) -> Survey:
    fields = Fields(document, "$", SurveyError)
    fields.one_of("format", [FORMAT])
    survey_id = read_id(fields)
    title = fields.text("title", LENGTHS["title"])
    fields.take("epsilon", "a number", lambda v: isinstance(v, Decimal | int))
    listed = fields.take("questions", "a list", lambda v: isinstance(v, list))
    settings = read_settings(fields)
    questions = tuple(read_question(question, f"$.questions[{index}]") for index, question in enumerate(listed))
    survey = Survey(survey_id, title, questions, **settings)
    if survey.is_oblivious and not survey.gateway_key:
        raise SurveyError("$.gateway_key", "is needed in a published survey that is delivered obliviously.")
    translations = read_translations(fields, survey.item_words)
    fields.finish()
    return replace(survey, translations=translations) if translations else survey

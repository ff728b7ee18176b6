"""A survey in two pages for works councils, ethics boards and data protection officers, in any language of the product.

What the letter quotes, participants read before they answer. The rest is said here, of participants.
"""

from dataclasses import dataclass
from decimal import Decimal

from sotto_protocol.datasheet import letter_words
from sotto_protocol.datasheet.sheet import Blank
from sotto_protocol.explain import Explanation, QuestionExplanation, explain
from sotto_protocol.language import ENGLISH, Language, language
from sotto_protocol.protection import PRIOR
from sotto_protocol.questions.joint import Joint
from sotto_protocol.questions.question import Question
from sotto_protocol.questions.translation import SurveyWords
from sotto_protocol.survey import Survey
from sotto_protocol.words import whole_percent_above

FORMAT = "sottovoce-letter-1"


@dataclass(frozen=True, slots=True)
class LetterPart:
    """A heading with sentences, or with a table: `heads`, and `rows` of as many cells."""

    id: str
    name: str
    statements: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Letter:
    """A survey for people who decide on it. `spoken`: the language of the words; `lang`: that of the survey's texts.

    Epsilons are in nats, as in an `Explanation`.
    """

    survey_id: str
    title: str
    about: str
    fingerprint: str
    epsilon: Decimal
    epsilon_forever: Decimal
    parts: tuple[LetterPart, ...]
    blanks: str
    to_be_filled_in: tuple[Blank, ...]
    spoken: str
    direction: str
    lang: str


def make_letter(survey: Survey, spoken: Language = ENGLISH, lang: str = "") -> Letter:
    """Return the letter about a survey; languages as in `explain`. Its figures are those of `explain`."""
    explanation, words = explain(survey, spoken, lang), survey.words(lang)
    tenth = spoken.gettext("Someone who was %(prior)s sure can become at most", prior=spoken.percent(PRIOR))
    heads = (spoken.gettext("Question"), spoken.gettext("What participants read about it"), tenth)
    asked = tuple(
        (_say_question(question, words), said.what_happens, _say_tenth(said, spoken))
        for question, said in zip(survey.questions, explanation.questions, strict=True)
    )
    who = [spoken.gettext("Who asks: %(controller)s", controller=words.controller)] * bool(words.controller)
    who += [spoken.gettext("Contact: %(contact)s", contact=words.contact)] * bool(words.contact)
    parts = [
        _say("short", spoken.gettext("In short"), [*letter_words.in_short(survey, spoken), *map(_plain, who)]),
        LetterPart("asked", spoken.gettext("What is asked?"), heads=heads, rows=asked),
        _say("read", spoken.gettext("What participants also read"), _also_read(explanation)),
        _say(
            "find_out",
            spoken.gettext("What can anybody find out about one person?"),
            letter_words.find_out(survey, explanation, spoken),
        ),
        LetterPart(
            "who_learns",
            spoken.gettext("Who learns what?"),
            heads=(spoken.gettext("Who"), spoken.gettext("Learns")),
            rows=tuple(letter_words.who_learns(survey, spoken)),
        ),
        _say("stored", spoken.gettext("What is stored, and for how long?"), letter_words.stored(survey, spoken)),
        LetterPart(
            "broken_words",
            spoken.gettext("Who would have to break their word?"),
            heads=(spoken.gettext("So that this becomes known"), spoken.gettext("These would have to be dishonest")),
            rows=tuple(letter_words.broken_words(survey, spoken)),
        ),
        _say("law", spoken.gettext("Anonymous or pseudonymous?"), letter_words.of_law(survey, spoken)),
        _say("not_possible", spoken.gettext("What is not possible?"), letter_words.not_possible(spoken)),
        _say("checks", spoken.gettext("How can this be checked?"), letter_words.checks(survey, spoken)),
    ]
    return Letter(
        survey.id,
        spoken.gettext("About the survey “%(title)s”", title=words.title),
        spoken.gettext(
            "For works councils, ethics boards and data protection officers. The program sottovoce wrote this page "
            "from the survey file, and computed its figures from that file. It is no legal advice."
        ),
        survey.fingerprint,
        survey.epsilon,
        survey.epsilon_forever,
        tuple(part for part in parts if part.statements or part.rows),
        spoken.gettext("To be filled in: the survey file cannot know this"),
        tuple(map(Blank, letter_words.blanks(survey, spoken))),
        spoken.tag,
        spoken.direction,
        words.lang,
    )


def _say(id_: str, name: str, statements: list[str]) -> LetterPart:
    return LetterPart(id_, name, tuple(statements))


def _plain(words: str) -> str:
    return words.replace("`", "'")  # an author's backtick begins no code


def _also_read(explanation: Explanation) -> list[str]:
    said = [explanation.drawing(), explanation.changes, *explanation.promises()]
    return [_plain(each) for each in said if each]


def _say_question(question: Question, words: SurveyWords) -> str:
    """Return a question with its options, in the survey's words; those asked together one after the other."""
    items = question.kind.items if isinstance(question.kind, Joint) else (question,)
    comma = language(words.lang).joined
    read = [words.questions[item.id] for item in items]
    return " ".join(f"{each.text} ({comma(each.options)})" if each.options else each.text for each in read)


def _say_tenth(question: QuestionExplanation, spoken: Language) -> str:
    tenth = next(each for each in question.suspicions_forever if each.prior * 100 == PRIOR)
    return whole_percent_above(tenth.highest, spoken)

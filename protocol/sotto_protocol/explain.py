"""What anyone could learn from a report, in plain words and before answering: numbers first, sentences made of them."""

from dataclasses import dataclass
from decimal import Decimal
from textwrap import wrap

from sotto_protocol.language import ENGLISH, Language, language, mark
from sotto_protocol.members import Settings
from sotto_protocol.promises import A_REPORT_A_WAVE, ONE_REPORT, say_changes, say_drawing, say_promises
from sotto_protocol.protection import say_little
from sotto_protocol.questions.question import Question
from sotto_protocol.questions.translation import QuestionWords
from sotto_protocol.readings import (
    SAID_LEVEL,
    Accusation,
    Crowd,
    SeenReport,
    Suspicion,
    accusations,
    accusations_together,
    crowd,
    seen_reports,
    suspicions,
)
from sotto_protocol.survey import Survey
from sotto_protocol.told_apart import of_epsilon
from sotto_protocol.words import epsilon_above, percent_above


@dataclass(frozen=True, slots=True)
class QuestionExplanation:
    """One question: `what_happens` to an answer, and what reports of it tell, in three readings.

    `epsilon` (nats), `suspicions` and `accusations` are of one report; with `_forever` of all reports of one answer,
    however many. `accusations` are of the mechanism itself, of the two answers that it tells apart best, as
    `seen_reports` are; `accusations_by_epsilon` of any mechanism that takes as much. `suspicions_of_neighbours`, of a
    question that asks for a number: by one report, that it is a number rather than the next one.
    """

    id: str
    text: str
    type: str
    mechanism: str
    epsilon: Decimal
    epsilon_forever: Decimal
    in_short: str
    what_happens: str
    suspicions: tuple[Suspicion, ...]
    suspicions_forever: tuple[Suspicion, ...]
    crowd: Crowd
    accusations: tuple[Accusation, ...]
    accusations_by_epsilon: tuple[Accusation, ...]
    accusations_forever: tuple[Accusation, ...]
    seen_reports: tuple[SeenReport, ...]
    suspicions_of_neighbours: tuple[Suspicion, ...]
    spoken: str

    def __str__(self) -> str:
        say, once = language(self.spoken).gettext, epsilon_above(self.epsilon, language(self.spoken))
        if self.epsilon_forever == self.epsilon:
            head = say("Epsilon %(epsilon)s. What a suspicion becomes:", epsilon=once)
        else:
            head = say("One report: epsilon %(epsilon)s. What a suspicion becomes:", epsilon=once)
        lines = [f"{self.id}: {self.text}", *_wrap(self.what_happens), f"  {head}"]
        lines += [*_bounds(self.suspicions, self.spoken), *_wrap(self.others_and_tests())]
        if self.epsilon_forever != self.epsilon:
            head = say(
                "All reports of one answer, however many: epsilon %(epsilon)s. What a suspicion becomes:",
                epsilon=epsilon_above(self.epsilon_forever, language(self.spoken)),
            )
            lines += [f"  {head}", *_bounds(self.suspicions_forever, self.spoken)]
            lines += _wrap(said(self.accusations_forever).say(language(self.spoken)))
        return "\n".join(lines)

    def readings(self) -> tuple[str, ...]:
        """Return what a report tells in plain sentences: to who suspects an answer, of others, to who would accuse."""
        speech = language(self.spoken)
        even = self.suspicions[-1]
        suspected = speech.gettext(
            "Whoever is %(prior)s sure of your answer is at most %(highest)s sure of it after seeing what you send.",
            prior=percent_above(even.prior, speech),
            highest=percent_above(even.highest, speech),
        )
        in_all = speech.gettext(
            "After all that you send of the same answer, however often, at most %(highest)s.",
            highest=percent_above(self.suspicions_forever[-1].highest, speech),
        )
        is_once = self.epsilon_forever == self.epsilon
        first = speech.text([suspected, "" if is_once else in_all, self._say_neighbours()])
        return first, self.crowd.said, said(self.accusations).say(speech)

    def others_and_tests(self) -> str:
        """Return the other two readings of one report, in sentences."""
        speech = language(self.spoken)
        return speech.text([self.crowd.said, said(self.accusations).say(speech), self._say_neighbours()])

    def _say_neighbours(self) -> str:
        """Return how numbers near each other are told apart; nothing of what is no number, or where it is no less."""
        if not self.suspicions_of_neighbours:
            return ""
        speech, even = language(self.spoken), self.suspicions_of_neighbours[-1]
        highest = percent_above(even.highest, speech)
        if highest == percent_above(self.suspicions[-1].highest, speech):
            return ""
        return speech.gettext(
            "Numbers near each other are told apart less: between two that are one step apart, a suspicion of "
            "%(prior)s becomes at most %(highest)s.",
            prior=percent_above(even.prior, speech),
            highest=highest,
        )


@dataclass(frozen=True, slots=True)
class Explanation(Settings):
    """A whole survey: its questions, and what all answers together can give away.

    `epsilon` (nats), `suspicions` and `accusations` are of one report, with `_forever` of the reports of all waves, if
    the answers stay the same. `protected_little`: that they are, in a sentence; "" where they are not. `changes`: what
    no epsilon bounds, where there are several waves; else nothing. `spoken`: the language of what is said. What is set
    of the survey: see `Settings`.
    """

    survey_id: str
    title: str
    fingerprint: str
    epsilon: Decimal
    epsilon_forever: Decimal
    questions: tuple[QuestionExplanation, ...]
    suspicions: tuple[Suspicion, ...]
    suspicions_forever: tuple[Suspicion, ...]
    accusations: tuple[Accusation, ...]
    accusations_forever: tuple[Accusation, ...]
    protected_little: str
    changes: str
    spoken: str

    def __str__(self) -> str:
        speech = language(self.spoken)
        whole = [*_wrap(self.together(), ""), *_bounds(self.suspicions, self.spoken)]
        whole += _wrap(said(self.accusations).say(speech))
        if self.waves > 1:
            whole += [*_wrap(self.in_all_waves(), ""), *_bounds(self.suspicions_forever, self.spoken)]
            whole += _wrap(said(self.accusations_forever).say(speech))
        whole += _wrap(speech.gettext(A_REPORT_A_WAVE if self.waves > 1 else ONE_REPORT), "")
        more = ["\n".join(_wrap(text, "")) for text in [self.changes, *self.promises()] if text]
        drawn = ["\n".join(_wrap(text, "")) for text in [self.drawing()] if text]
        little = ["\n".join(_wrap(text, "")) for text in [self.protected_little] if text]
        return "\n\n".join([self.title, *little, *map(str, self.questions), *drawn, "\n".join(whole), *more])

    def drawing(self) -> str:
        """Return that only some of the questions are asked; nothing where all are."""
        return say_drawing(self, len(self.questions), language(self.spoken))

    def promises(self) -> list[str]:
        """Return who takes part, and what is given out: what the collector has to be taken at its word for."""
        return [*say_promises(self, language(self.spoken), is_little=bool(self.protected_little))]

    def together(self) -> str:
        """Return what stands above the suspicions about all answers together."""
        speech = language(self.spoken)
        epsilon = epsilon_above(self.epsilon, speech)
        if self.draw:
            return _say_drawn(self.draw, epsilon, speech, in_waves=self.waves > 1)
        message = mark("All answers together: epsilon %(epsilon)s. What any suspicion about them becomes:")
        if self.waves > 1:
            message = mark(
                "All answers together in one wave: epsilon %(epsilon)s. What any suspicion about them becomes:"
            )
        return speech.gettext(message, epsilon=epsilon)

    def in_all_waves(self) -> str:
        """Return what stands above the suspicions that the reports of all waves allow."""
        speech = language(self.spoken)
        message = mark("In all %(n)s waves, if they stay the same: epsilon %(epsilon)s. What a suspicion becomes:")
        if self.draw:
            message = mark(
                "In all %(n)s waves, if they stay the same: epsilon at most %(epsilon)s. What a suspicion becomes:"
            )
        return speech.gettext(message, n=self.waves, epsilon=epsilon_above(self.epsilon_forever, speech))


def _say_drawn(n: int, epsilon: str, spoken: Language, *, in_waves: bool) -> str:
    if in_waves:
        return spoken.ngettext(
            "Whichever is drawn, in one wave: epsilon at most %(epsilon)s. What any suspicion about it becomes:",
            "Whichever %(n)s are drawn, in one wave: epsilon at most %(epsilon)s. What any suspicion about them "
            "becomes:",
            n,
            epsilon=epsilon,
        )
    return spoken.ngettext(
        "Whichever is drawn: epsilon at most %(epsilon)s. What any suspicion about it becomes:",
        "Whichever %(n)s are drawn: epsilon at most %(epsilon)s. What any suspicion about them becomes:",
        n,
        epsilon=epsilon,
    )


def explain(survey: Survey, spoken: Language = ENGLISH, lang: str = "") -> Explanation:
    """Explain a survey: for every question and in total, what happens to an answer and what it can give away.

    `spoken`: the language of what is said; `lang`: that of the questions, one of the survey's, by default its own.

    By Bayes' theorem a suspicion p of anything about one's answers stays in [p / (p + (1 - p) e^epsilon),
    p e^epsilon / (p e^epsilon + 1 - p)] whatever the report says (Dwork & Roth 2014, 2.3); bounds are rounded outward.
    How good a test of an answer can be: see `told_apart`.

    >>> from sotto_protocol import compile_toml
    >>> survey = compile_toml('''
    ... id = "lunch"
    ... title = "Lunch"
    ... [[questions]]
    ... id = "paid"
    ... type = "yes-no"
    ... text = "Did you pay?"
    ... prob_truth = "3/4"
    ... ''')
    >>> print(explain(survey).questions[0])
    paid: Did you pay?
      Your yes is reported as yes 3 times in 4; your no is reported as yes 1 time in 4.
      Epsilon 1.0987. What a suspicion becomes:
          1 % before: at most 3 %, at least 0.3 % after
         10 % before: at most 25 %, at least 3.5 % after
         50 % before: at most 75 %, at least 25 % after
      Of 100 people whose answer is no, 25 say yes by chance too. Whoever accuses falsely in at most 5 %
      of the cases is right about at most 15 % of the true ones.
    """
    words = survey.words(lang)
    return Explanation(
        survey.id,
        words.title,
        survey.fingerprint,
        survey.epsilon,
        survey.epsilon_forever,
        tuple(_explain_question(question, words.questions[question.id], spoken) for question in survey.questions),
        suspicions(survey.epsilon),
        suspicions(survey.epsilon_forever),
        accusations_together(survey),
        accusations_together(survey, in_all_waves=True),
        say_little(survey, spoken),
        say_changes(survey, spoken, has_number=any(map(_of_neighbours, survey.questions))),
        spoken.tag,
        **survey.settings(),
    )


def said(tests: tuple[Accusation, ...]) -> Accusation:
    """Return that of the tests that is put into words."""
    return next(test for test in tests if test.level == SAID_LEVEL)


def _bounds(bounds: tuple[Suspicion, ...], lang: str) -> list[str]:
    return [f"    {suspicion.say(language(lang))}" for suspicion in bounds]


def _wrap(text: str, indent: str = "  ") -> list[str]:
    return wrap(text, 100, initial_indent=indent, subsequent_indent=indent)


def _explain_question(question: Question, words: QuestionWords, spoken: Language) -> QuestionExplanation:
    outcomes = question.mechanism.told_apart()
    return QuestionExplanation(
        question.id,
        words.text,
        question.type,
        question.mechanism.name,
        question.epsilon,
        question.epsilon_forever,
        question.mechanism.in_short(spoken),
        spoken.text([question.mechanism.what_happens(spoken), _skipped(question, words, spoken)]),
        suspicions(question.epsilon),
        suspicions(question.epsilon_forever),
        crowd(question, spoken),
        accusations(outcomes),
        accusations(of_epsilon(question.epsilon)),
        accusations(of_epsilon(question.epsilon_forever)),
        seen_reports(outcomes),
        _of_neighbours(question),
        spoken.tag,
    )


def _of_neighbours(question: Question) -> tuple[Suspicion, ...]:
    epsilon = question.mechanism.epsilon_of_neighbours
    return () if epsilon is None else suspicions(epsilon)


def _skipped(question: Question, words: QuestionWords, spoken: Language) -> str:
    if question.skip is None:
        return ""
    return spoken.gettext(
        "Leaving it out counts as “%(skip)s”, and is perturbed like any other answer.",
        skip=question.say(question.skip, words, spoken),
    )

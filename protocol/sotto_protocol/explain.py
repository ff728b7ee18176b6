"""What anyone could learn from a report, in plain words and before answering: numbers first, sentences made of them."""

from dataclasses import dataclass
from decimal import Decimal
from textwrap import wrap

from sotto_protocol.language import ENGLISH, Language, language, mark
from sotto_protocol.members import COUNTS, Settings
from sotto_protocol.promises import (
    A_REPORT_A_WAVE,
    ONE_REPORT,
    PROGRAM,
    say_changes,
    say_drawing,
    say_moves,
    say_promises,
    say_waves,
)
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
from sotto_protocol.words import epsilon_above, whole_percent_above

_TENTH = 0.1
"""The suspicion that is looked at in short."""


@dataclass(frozen=True, slots=True)
class QuestionExplanation:
    """One question: `what_happens` to an answer, and what reports of it tell, in three readings.

    `epsilon` (nats), `suspicions` and `accusations` are for one report. With `_forever` they are for all reports of one
    answer, however many. `accusations` and `seen_reports` are those of this mechanism, for the two answers that it
    separates best. `accusations_by_epsilon` bounds any mechanism with this epsilon. `suspicions_of_neighbours` is for
    questions about numbers: a suspicion, after one report, of one number rather than the next.
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
            head = say("How sure somebody can become (epsilon %(epsilon)s):", epsilon=once)
        else:
            head = say("How sure somebody can become from one report (epsilon %(epsilon)s):", epsilon=once)
        lines = [f"{self.id}: {self.text}", *_wrap(self.what_happens), f"  {head}"]
        lines += [*_bounds(self.suspicions, self.spoken), *_wrap(self.others_and_tests())]
        if self.epsilon_forever != self.epsilon:
            head = say(
                "How sure somebody can become from all reports of one answer (epsilon %(epsilon)s):",
                epsilon=epsilon_above(self.epsilon_forever, language(self.spoken)),
            )
            lines += [f"  {head}", *_bounds(self.suspicions_forever, self.spoken)]
            lines += _wrap(said(self.accusations_forever).say(language(self.spoken)))
        return "\n".join(lines)

    def readings(self) -> tuple[str, ...]:
        """Return three plain sentences on a report: about suspicions, about other people, and about accusations."""
        speech = language(self.spoken)
        even = self.suspicions[-1]
        suspected = speech.gettext(
            "Suppose someone is %(prior)s sure of your answer. After seeing what you send, they can be at most "
            "%(highest)s sure.",
            prior=whole_percent_above(even.prior, speech),
            highest=whole_percent_above(even.highest, speech),
        )
        in_all = speech.gettext(
            "After seeing all that you ever send for the same answer, they can be at most %(highest)s sure.",
            highest=whole_percent_above(self.suspicions_forever[-1].highest, speech),
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
        highest = whole_percent_above(even.highest, speech)
        if highest == whole_percent_above(self.suspicions[-1].highest, speech):
            return ""
        return speech.gettext(
            "It is even harder to tell your number from the next one. There, someone who was %(prior)s sure can "
            "become at most %(highest)s sure.",
            prior=whole_percent_above(even.prior, speech),
            highest=highest,
        )


@dataclass(frozen=True, slots=True)
class Explanation(Settings):
    """A whole survey: its questions, and what all answers together can give away.

    `epsilon` (nats), `suspicions` and `accusations` are for one report. With `_forever` they are for the reports of all
    waves, if answers stay the same or no noise lasts. `protected_little` is a sentence that
    warns of little protection, or "". `changes` says what no epsilon bounds if noise lasts over several waves, or is
    "". `spoken` is the language of the words. `n_asked` is how many questions a device asks, and of how many. For the
    survey's settings see `Settings`.
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
    n_asked: tuple[int, int]

    def __str__(self) -> str:
        speech = language(self.spoken)
        whole = [*_wrap(self.together(), ""), *_bounds(self.suspicions, self.spoken)]
        whole += _wrap(said(self.accusations).say(speech))
        if self.max_reports > 1:
            whole += [*_wrap(self.in_all_waves(), ""), *_bounds(self.suspicions_forever, self.spoken)]
            whole += _wrap(said(self.accusations_forever).say(speech))
        whole += _wrap(speech.gettext(A_REPORT_A_WAVE if self.max_reports > 1 else ONE_REPORT), "")
        whole += _wrap(speech.gettext(PROGRAM), "")
        more = ["\n".join(_wrap(text, "")) for text in [self.changes, *self.promises()] if text]
        drawn = ["\n".join(_wrap(text, "")) for text in [self.drawing()] if text]
        little = ["\n".join(_wrap(text, "")) for text in [self.protected_little] if text]
        short = "\n".join(line for asked, told in self.in_short() for line in (asked, *_wrap(told)))
        measure = speech.gettext(
            "Below, epsilon measures how much a report can give away. At epsilon 0, it gives away nothing."
        )
        top = [self.title, *little, short, "\n".join(_wrap(measure, ""))]
        return "\n\n".join([*top, *map(str, self.questions), *drawn, "\n".join(whole), *more])

    def in_short(self) -> tuple[tuple[str, str], ...]:
        """Return the four questions that people ask first, each with its answer, which all the rest is behind."""
        speech = language(self.spoken)
        sent = mark("It sends the answers after these changes, and a random number. Some answers may be unchanged.")
        if self.invited:
            sent = mark(
                "It sends the answers after these changes, a random number and your invitation. Some answers may "
                "be unchanged."
            )
        if self.is_blind:
            sent = mark(
                "First it trades your invitation for a token. Later it sends the answers after these changes, and the "
                "token. Nobody can tell from the token whose invitation it was. Some answers may be unchanged."
            )
        later = mark("You get a receipt. With the receipt, you can have your report erased.")
        if self.keep == COUNTS:
            later = mark("You get a receipt. But the report is counted and not kept, so nobody can take it out again.")
        return (
            (
                speech.gettext("What happens to my answers?"),
                speech.gettext("Your device changes your answers at random before it sends anything."),
            ),
            (
                speech.gettext("What can anybody find out?"),
                speech.text(
                    [
                        self._say_unsure(speech),
                        self._say_tenth(speech),
                        speech.gettext("This is true as long as your device runs the published program."),
                    ]
                ),
            ),
            (speech.gettext("What does my device send?"), speech.gettext(sent)),
            (speech.gettext("What can I do later?"), speech.gettext(later)),
        )

    def _say_unsure(self, speech: Language) -> str:
        if self.protected_little:
            return ""
        return speech.gettext("Nobody can be sure what you answered, not even the people who run this survey.")

    def _say_tenth(self, speech: Language) -> str:
        tenth = next(suspicion for suspicion in self.suspicions_forever if suspicion.prior == _TENTH)
        message = mark("Someone who was %(prior)s sure can become at most %(highest)s sure (rounded up).")
        if self.changes:
            message = mark(
                "Someone who was %(prior)s sure can become at most %(highest)s sure (rounded up), if your answers "
                "stay the same."
            )
        return speech.gettext(
            message,
            prior=whole_percent_above(tenth.prior, speech),
            highest=whole_percent_above(tenth.highest, speech),
        )

    def drawing(self) -> str:
        """Return that only some of the questions are asked, or in some of the waves; nothing where all are."""
        speech = language(self.spoken)
        return speech.text([say_drawing(*self.n_asked, speech), say_waves(self, speech)])

    def promises(self) -> list[str]:
        """Return who takes part, and what is given out: what the collector has to be taken at its word for."""
        return [*say_promises(self, language(self.spoken), is_little=bool(self.protected_little))]

    def together(self) -> str:
        """Return the heading of the suspicions about all answers together."""
        speech = language(self.spoken)
        epsilon = epsilon_above(self.epsilon, speech)
        if self.draw:
            return _say_drawn(self.draw, epsilon, speech, in_waves=self.max_reports > 1)
        message = mark("How sure somebody can become from all answers together (epsilon %(epsilon)s):")
        if self.max_reports > 1:
            message = mark("How sure somebody can become from all answers of one wave (epsilon %(epsilon)s):")
        return speech.gettext(message, epsilon=epsilon)

    def in_all_waves(self) -> str:
        """Return the heading of the suspicions that the reports of all waves allow."""
        speech = language(self.spoken)
        if not self.changes:
            return speech.gettext(
                "How sure somebody can become from all %(n)s reports that your device sends (epsilon at most "
                "%(epsilon)s):",
                n=self.max_reports,
                epsilon=epsilon_above(self.epsilon_forever, speech),
            )
        message = mark(
            "How sure somebody can become from all %(n)s waves, if your answers stay the same (epsilon %(epsilon)s):"
        )
        if self.draw:
            message = mark(
                "How sure somebody can become from all %(n)s waves, if your answers stay the same (epsilon at "
                "most %(epsilon)s):"
            )
        return speech.gettext(message, n=self.max_reports, epsilon=epsilon_above(self.epsilon_forever, speech))


def _say_drawn(n: int, epsilon: str, spoken: Language, *, in_waves: bool) -> str:
    if in_waves:
        return spoken.ngettext(
            "How sure somebody can become from the question picked, in one wave (epsilon at most %(epsilon)s):",
            "How sure somebody can become from the %(n)s questions picked, in one wave (epsilon at most %(epsilon)s):",
            n,
            epsilon=epsilon,
        )
    return spoken.ngettext(
        "How sure somebody can become from the question picked (epsilon at most %(epsilon)s):",
        "How sure somebody can become from the %(n)s questions picked (epsilon at most %(epsilon)s):",
        n,
        epsilon=epsilon,
    )


def explain(survey: Survey, spoken: Language = ENGLISH, lang: str = "") -> Explanation:
    """Explain what happens to each answer, and what each and all together can give away.

    `spoken` is the language of the words, `lang` that of the questions: one of the survey's, by default its own.

    Let p be a suspicion of anything about somebody's answers. By Bayes' theorem, after any report it stays in this
    interval (Dwork & Roth 2014, 2.3):

        [p / (p + (1 - p) e^epsilon), p e^epsilon / (p e^epsilon + 1 - p)]

    Bounds are rounded outward. For how good a test of an answer can be, see `told_apart`.

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
      If you say yes, your device sends yes 3 times in 4. If you say no, it sends yes 1 time in 4.
      How sure somebody can become (epsilon 1.0987):
        Someone who was 1 % sure can become at most 3 % sure.
        Someone who was 10 % sure can become at most 25 % sure.
        Someone who was 50 % sure can become at most 75 % sure.
      By chance, 25 of every 100 people who say no also send yes. Suppose someone accuses people because
      of their reports, and wrongs at most 5 of every 100 innocent people. They would catch at most 15
      of every 100 people whose answer really is the one they look for.
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
        say_changes(survey, spoken, [say_moves(of, words.questions[of.id].text, spoken) for of in survey.questions]),
        spoken.tag,
        survey.n_asked,
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
        question.kind.in_short(question.mechanism, spoken),
        spoken.text([question.kind.what_happens(question.mechanism, spoken), _skipped(question, words, spoken)]),
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
        "If you skip it, that counts as “%(skip)s”. Your device may change that at random too.",
        skip=question.say(question.skip, words, spoken),
    )

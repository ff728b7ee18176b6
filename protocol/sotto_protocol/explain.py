"""What anyone could learn from a report, in plain words and before answering: numbers first, sentences made of them."""

from dataclasses import dataclass
from decimal import Decimal
from textwrap import wrap

from sotto_protocol.mechanisms.window import WindowResponse
from sotto_protocol.members import COUNTS, Settings
from sotto_protocol.questions.question import Question
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

_WHOLE = (
    "The report is made on your device, once; asking again brings nothing new. This holds for anyone who sees the "
    "report, whatever else they know, and even if the collector is dishonest."
)
_WAVES = (
    "One report a wave is made on your device; asking again within a wave brings nothing new. This holds for anyone "
    "who sees all the reports, whatever else they know, and even if the collector is dishonest."
)
_CHANGES = (
    "If you change an answer: what anyone learns of which answers you gave is bounded, but a changed answer takes its "
    "epsilon anew. Whether you changed an answer, and in which wave, is protected by no epsilon at all: the noise that "
    "is drawn once changes with the answer, your reports can be told to be from one device, and over the waves the "
    "change can be seen. If that alone would tell something about you, do not take part."
)
_MOVES = (
    " Nor does any epsilon bound what is seen of how far a number moved: the farther, the likelier is a change that "
    "shows."
)
_INVITED = (
    "Only who was invited takes part. Your invitation is sent beside the report{of_waves}, and the collector promises "
    "to keep nothing that ties the two together{but_group}. Nobody can check that from outside: whoever runs the "
    "collector could note both as they come, and who knows to whom an invitation was given would then know which "
    "report is yours. The noise protects your answers all the same."
)
_STRATA = (
    "Whoever runs the survey invites people in groups: {strata}. Your device does not say which one is yours; your "
    "invitation tells the collector, which counts every group by itself{kept}. Results are given by group. So your "
    "report is one of its group's, not of everybody's, and in a small group few others have sent one like it. The "
    "noise protects your answers all the same, in a group of one too."
)
_DRAW = (
    "Of these {n_questions} questions only {n_drawn} {are} asked of you, which your device draws as by lot: once, "
    "before it knows any answer, and for good. What it draws is sent in clear, and tells nothing of your answers."
)
_MIN_REPORTS = (
    "The collector promises to give out no counts of fewer than {min_reports:,} reports, and none that differ by fewer "
    "from those that it gave out before."
)
_COUNTS = (
    "The collector adds your report to its counts and does not keep it; so it cannot be taken out again. What stays of "
    "it is its random number, so that it is counted once. That is the collector's promise, and nobody can check it "
    "from outside. The noise protects your answers all the same."
)
_PUBLIC = "Everybody may see the estimates of all answers together, and so how many people take part."
_ONE_BY_ONE = " Whoever looks again after every report sees each one by itself, as noisy as it was sent."
_BY_OWN_REPORTS = " Whoever can send reports of their own may still see another's by itself, as noisy as it was sent."
_NEAR = (
    " Numbers near each other are told apart less: between two that are one step apart, a suspicion of 50 % becomes at "
    "most {highest}."
)
_SKIPPED = " Leaving it out counts as “{skip}”, and is perturbed like any other answer."


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
    what_happens: str
    suspicions: tuple[Suspicion, ...]
    suspicions_forever: tuple[Suspicion, ...]
    crowd: Crowd
    accusations: tuple[Accusation, ...]
    accusations_by_epsilon: tuple[Accusation, ...]
    accusations_forever: tuple[Accusation, ...]
    seen_reports: tuple[SeenReport, ...]
    suspicions_of_neighbours: tuple[Suspicion, ...]

    def __str__(self) -> str:
        is_once = self.epsilon_forever == self.epsilon
        once = "Epsilon" if is_once else "One report: epsilon"
        lines = [f"{self.id}: {self.text}", *_wrap(self.what_happens)]
        lines += [f"  {once} {epsilon_above(self.epsilon)}. A suspicion of", *_bounds(self.suspicions)]
        lines += _wrap(self.others_and_tests())
        if not is_once:
            forever = "  All reports of one answer, however many: "
            forever += f"epsilon {epsilon_above(self.epsilon_forever)}. A suspicion of"
            lines += [forever, *_bounds(self.suspicions_forever), *_wrap(str(said(self.accusations_forever)))]
        return "\n".join(lines)

    def others_and_tests(self) -> str:
        """Return the other two readings of one report, in sentences."""
        near = "".join(_NEAR.format(highest=percent_above(even.highest)) for even in self.suspicions_of_neighbours[-1:])
        return f"{self.crowd} {said(self.accusations)}{near}"


@dataclass(frozen=True, slots=True)
class Explanation(Settings):
    """A whole survey: its questions, and what all answers together can give away.

    `epsilon` (nats), `suspicions` and `accusations` are of one report, with `_forever` of the reports of all waves, if
    the answers stay the same. `changes`: what no epsilon bounds, where there are several waves; else
    nothing. What is set of the survey: see `Settings`.
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
    changes: str

    def __str__(self) -> str:
        scope = f"Whichever {self.draw} are drawn" if self.draw else "All answers together"
        scope += " in one wave" if self.waves > 1 else ""
        most = "at most " if self.draw else ""
        whole = [
            f"{scope}: epsilon {most}{epsilon_above(self.epsilon)}. Whatever one may suspect about them, "
            "a suspicion of",
            *_bounds(self.suspicions),
            *_wrap(str(said(self.accusations))),
        ]
        if self.waves > 1:
            forever = f"In all {self.waves} waves, if they stay the same: "
            forever += f"epsilon {most}{epsilon_above(self.epsilon_forever)}. A suspicion of"
            whole += [forever, *_bounds(self.suspicions_forever), *_wrap(str(said(self.accusations_forever)))]
        whole += _wrap(_WAVES if self.waves > 1 else _WHOLE, indent="")
        more = ["\n".join(_wrap(text, indent="")) for text in [self.changes, *self.promises()] if text]
        drawn = ["\n".join(_wrap(text, indent="")) for text in [self.drawing()] if text]
        return "\n\n".join([self.title, *map(str, self.questions), *drawn, "\n".join(whole), *more])

    def drawing(self) -> str:
        """Return that only some of the questions are asked; nothing where all are."""
        if not self.draw:
            return ""
        are = "is" if self.draw == 1 else "are"
        return _DRAW.format(n_questions=len(self.questions), n_drawn=self.draw, are=are)

    def promises(self) -> list[str]:
        """Return who takes part, and what is given out: what the collector has to be taken at its word for."""
        but_group = ", but which group it is of" if self.strata and self.keep != COUNTS else ""
        of_waves = ", the same one in every wave" if self.waves > 1 else ""
        invited = _INVITED.format(of_waves=of_waves, but_group=but_group)
        few = _MIN_REPORTS.format(min_reports=self.min_reports)
        alone = _ONE_BY_ONE if self.min_reports == 1 else _BY_OWN_REPORTS * (not self.invited)
        public = [_PUBLIC + alone] * self.public_results
        kept = "" if self.keep == COUNTS else ", and keeps with your report which one it is of"
        strata = _STRATA.format(strata=", ".join(self.strata), kept=kept)
        taking_part = [invited] * self.invited + [strata] * bool(self.strata)
        return taking_part + [few] * (self.min_reports > 1) + [_COUNTS] * (self.keep == COUNTS) + public


def explain(survey: Survey) -> Explanation:
    """Explain a survey: for every question and in total, what happens to an answer and what it can give away.

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
      Epsilon 1.0987. A suspicion of
          1 % before: at most 3 %, at least 0.3 % after
         10 % before: at most 25 %, at least 3.5 % after
         50 % before: at most 75 %, at least 25 % after
      Of 100 people whose answer is no, 25 say yes by chance too. Whoever accuses falsely in at most 5 %
      of the cases is right about at most 15 % of the true ones.
    """
    return Explanation(
        survey.id,
        survey.title,
        survey.fingerprint,
        survey.epsilon,
        survey.epsilon_forever,
        tuple(_explain_question(question) for question in survey.questions),
        suspicions(survey.epsilon),
        suspicions(survey.epsilon_forever),
        accusations_together(survey),
        accusations_together(survey, in_all_waves=True),
        _say_changes(survey),
        **survey.settings(),
    )


def said(tests: tuple[Accusation, ...]) -> Accusation:
    """Return that of the tests that is put into words."""
    return next(test for test in tests if test.level == SAID_LEVEL)


def _bounds(bounds: tuple[Suspicion, ...]) -> list[str]:
    return [f"    {suspicion}" for suspicion in bounds]


def _wrap(text: str, indent: str = "  ") -> list[str]:
    return wrap(text, 100, initial_indent=indent, subsequent_indent=indent)


def _explain_question(question: Question) -> QuestionExplanation:
    outcomes = question.mechanism.told_apart()
    return QuestionExplanation(
        question.id,
        question.text,
        question.type,
        question.mechanism.name,
        question.epsilon,
        question.epsilon_forever,
        question.mechanism.what_happens() + _skipped(question),
        suspicions(question.epsilon),
        suspicions(question.epsilon_forever),
        crowd(question.mechanism, question.kind.others),
        accusations(outcomes),
        accusations(of_epsilon(question.epsilon)),
        accusations(of_epsilon(question.epsilon_forever)),
        seen_reports(outcomes),
        _of_neighbours(question),
    )


def _of_neighbours(question: Question) -> tuple[Suspicion, ...]:
    mechanism = question.mechanism
    return suspicions(mechanism.epsilon_of_neighbours) if isinstance(mechanism, WindowResponse) else ()


def _say_changes(survey: Survey) -> str:
    has_number = any(isinstance(question.mechanism, WindowResponse) for question in survey.questions)
    return (_CHANGES + _MOVES * has_number) * (survey.waves > 1)


def _skipped(question: Question) -> str:
    return "" if question.skip is None else _SKIPPED.format(skip=question.kind.say(question.skip))

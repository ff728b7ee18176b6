"""What anyone could learn from a report, in plain words and before answering: numbers first, sentences made of them."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from textwrap import wrap

from sotto_client.words import after_report, percent_above, percent_below, what_happens
from sotto_protocol import Question, Survey

PRIORS = (0.01, 0.10, 0.50)
_WHOLE = (
    "The report is made on your device, once; asking again brings nothing new. This holds for anyone who sees the "
    "report, whatever else they know, and even if the collector is dishonest."
)
_UP = Context(prec=40, rounding=ROUND_CEILING)
_DOWN = Context(prec=40, rounding=ROUND_FLOOR)
_PLACES = Decimal("1e-12")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What an observer's suspicion can become: `prior` before the report; in [`lowest`, `highest`] after it."""

    prior: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        return (
            f"{percent_above(self.prior):>5} before: at most {percent_above(self.highest)}, "
            f"at least {percent_below(self.lowest)} after"
        )


@dataclass(frozen=True, slots=True)
class QuestionExplanation:
    """One question: `epsilon` in nats, `what_happens` to an answer, and how far suspicions can move."""

    id: str
    text: str
    type: str
    mechanism: str
    epsilon: Decimal
    what_happens: str
    suspicions: tuple[Suspicion, ...]

    def __str__(self) -> str:
        lines = [f"{self.id}: {self.text}", *_wrap(self.what_happens), f"  Epsilon {self.epsilon:f}. A suspicion of"]
        return "\n".join(lines + [f"    {suspicion}" for suspicion in self.suspicions])


@dataclass(frozen=True, slots=True)
class Explanation:
    """A whole survey: its questions, and what all answers together can give away."""

    survey_id: str
    title: str
    fingerprint: str
    epsilon: Decimal
    questions: tuple[QuestionExplanation, ...]
    suspicions: tuple[Suspicion, ...]

    def __str__(self) -> str:
        whole = [
            f"All answers together: epsilon {self.epsilon:f}. Whatever one may suspect about them, a suspicion of",
            *(f"    {suspicion}" for suspicion in self.suspicions),
            *_wrap(_WHOLE, indent=""),
        ]
        return "\n\n".join([self.title, *map(str, self.questions), "\n".join(whole)])


def explain(survey: Survey) -> Explanation:
    """Explain a survey: for every question and in total, what happens to an answer and what it can give away.

    By Bayes' theorem a suspicion p of anything about one's answers stays in [p / (p + (1 - p) e^epsilon),
    p e^epsilon / (p e^epsilon + 1 - p)] whatever the report says (Dwork & Roth 2014, 2.3); bounds are rounded outward.

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
      Your yes is reported as yes 3 times in 4; your no is reported as yes 1 time in 4. Whoever thought
      yes as likely as no takes you for a yes with 75 % after a reported yes, with 25 % after a reported
      no.
      Epsilon 1.098612288669. A suspicion of
          1 % before: at most 3 %, at least 0.3 % after
         10 % before: at most 25 %, at least 3.5 % after
         50 % before: at most 75 %, at least 25 % after
    """
    return Explanation(
        survey.id,
        survey.title,
        survey.fingerprint,
        survey.epsilon,
        tuple(_explain_question(question) for question in survey.questions),
        suspicions(survey.epsilon),
    )


def suspicions(epsilon: Decimal) -> tuple[Suspicion, ...]:
    """Return the bounds for suspicions of 1 %, 10 % and 50 % after reports of this epsilon."""
    return tuple(Suspicion(prior, _lowest(prior, epsilon), _highest(prior, epsilon)) for prior in PRIORS)


def _wrap(text: str, indent: str = "  ") -> list[str]:
    return wrap(text, 100, initial_indent=indent, subsequent_indent=indent)


def _explain_question(question: Question) -> QuestionExplanation:
    words = what_happens(question) + after_report(question)
    mechanism = question.mechanism.name
    bounds = suspicions(question.epsilon)
    return QuestionExplanation(question.id, question.text, question.type, mechanism, question.epsilon, words, bounds)


def _highest(prior: float, epsilon: Decimal) -> float:
    """p e^epsilon / (p e^epsilon + 1 - p) = 1 / (1 + (1 - p) / (p e^epsilon)), each step rounded up."""
    share = Decimal(str(prior))
    odds_against = _DOWN.divide(1 - share, _UP.multiply(share, _UP.next_plus(epsilon.exp(_UP))))
    highest = _UP.divide(Decimal(1), _DOWN.add(Decimal(1), odds_against))
    return float(highest.quantize(_PLACES, ROUND_CEILING))


def _lowest(prior: float, epsilon: Decimal) -> float:
    """p / (p + (1 - p) e^epsilon): one minus the highest suspicion of the contrary."""
    return float(1 - Decimal(str(_highest(1 - prior, epsilon))))

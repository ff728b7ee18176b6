"""Three readings of what a report tells: what a suspicion becomes, how good any test is, what others send by chance.

Each is of the two answers that are told apart best, so it bounds what is learnt of any two. Shares are rounded towards
the side that protects less.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from sotto_protocol.bounds import float_above
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.questions.question import Question
from sotto_protocol.survey import Survey
from sotto_protocol.told_apart import Outcomes, alike_either_way, of_epsilon, powers, powers_together
from sotto_protocol.words import of_people, people_above, whole_percent_above

PRIORS = (0.01, 0.10, 0.50)
LEVELS = (0.01, 0.05, 0.10)
SAID_LEVEL = 0.05
"""Of the levels, the one that is put into words."""
_UP = Context(prec=40, rounding=ROUND_CEILING)
_DOWN = Context(prec=40, rounding=ROUND_FLOOR)
_PLACES = Decimal("1e-12")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """An observer's suspicion: `prior` before the report, and in [`lowest`, `highest`] after it."""

    prior: float
    lowest: float
    highest: float

    def say(self, language: Language) -> str:
        """Return in a sentence what it becomes at most, in whole percent, rounded up."""
        return language.gettext(
            "Someone who was %(prior)s sure can become at most %(highest)s sure.",
            prior=whole_percent_above(self.prior, language),
            highest=whole_percent_above(self.highest, language),
        )


@dataclass(frozen=True, slots=True)
class Accusation:
    """The best test for an answer that accuses at most the share `level` of innocent people.

    `power` is the share of the others that it catches, at most.
    """

    level: float
    power: float

    def say(self, language: Language = ENGLISH) -> str:
        """Return it in two sentences."""
        n, n_people = people_above(self.power)
        return language.gettext(
            "Suppose someone accuses people because of their reports, and wrongs at most %(level)s of every 100 "
            "innocent people. They would catch at most %(n)s of every %(people)s people whose answer really is the "
            "one they look for.",
            level=round(100 * self.level),
            n=n,
            people=n_people,
        )


@dataclass(frozen=True, slots=True)
class Crowd:
    """How often a report speaks for an answer that was given, and how often by chance for another. `said` in words."""

    prob_if_true: float
    prob_if_other: float
    said: str


@dataclass(frozen=True, slots=True)
class SeenReport:
    """Something that a report can be: its probability under either of two answers, and what it makes of suspicions.

    `posteriors`: exactly what a suspicion that it is the one answer, and not the other, becomes, by `PRIORS`.
    """

    prob_if_one: float
    prob_if_other: float
    posteriors: tuple[float, ...]


def suspicions(epsilon: Decimal, priors: Iterable[float] = PRIORS) -> tuple[Suspicion, ...]:
    """Return the bounds for suspicions of 1 %, 10 % and 50 % after reports of this epsilon; or for others."""
    return tuple(Suspicion(prior, _lowest(prior, epsilon), _highest(prior, epsilon)) for prior in priors)


def accusations(outcomes: Outcomes, levels: Sequence[float] = LEVELS) -> tuple[Accusation, ...]:
    """Return the best tests of one report, by level: of the two answers that it tells apart best."""
    found = powers(outcomes, [Fraction(str(level)) for level in levels])
    return tuple(Accusation(level, float_above(power)) for level, power in zip(levels, found, strict=True))


def accusations_together(
    survey: Survey, *, in_all_waves: bool = False, levels: Sequence[float] = LEVELS
) -> tuple[Accusation, ...]:
    """Return bounds for the best tests of all that a device answers, by level: in one wave, or in all of them."""
    found = powers_together(_reports_of(survey, survey.max_reports if in_all_waves else 1), levels).tolist()
    return tuple(Accusation(level, power) for level, power in zip(levels, found, strict=True))


def _reports_of(survey: Survey, n_reports: int) -> list[Outcomes]:
    """Return what so many reports to each question are; where they are not known, coins of their epsilon.

    With `draw` coins of the largest: a coin bounds whatever takes no more.
    """
    epsilons = [survey.epsilon_of(question, n_reports) for question in survey.questions]
    if survey.draw:
        return [of_epsilon(epsilon) for epsilon in survey.most_of(epsilons)]
    return [
        of_epsilon(epsilon)
        if n_reports > 1 and (question.mechanism.has_two_stages or not survey.keeps_noise)
        else alike_either_way(question.mechanism.told_apart(), epsilon)
        for question, epsilon in zip(survey.questions, epsilons, strict=True)
    ]


def crowd(question: Question, language: Language) -> Crowd:
    """Return how many others send by chance what speaks for an answer."""
    true, other = question.mechanism.speaks_for_answer()
    return Crowd(true, other, question.kind.say_others(*of_people(other), language))


def seen_reports(outcomes: Outcomes) -> tuple[SeenReport, ...]:
    """Return what a report can be, the most telling first; those that tell as much are one."""
    seen: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for one, other in outcomes:
        before = seen.get(one / other, (Fraction(0), Fraction(0)))
        seen[one / other] = before[0] + one, before[1] + other
    return tuple(
        SeenReport(float(one), float(other), tuple(_posterior(prior, ratio) for prior in PRIORS))
        for ratio, (one, other) in sorted(seen.items(), reverse=True)
    )


def _posterior(prior: float, ratio: Fraction) -> float:
    share = Fraction(str(prior))
    return float(share * ratio / (share * ratio + 1 - share))


def _highest(prior: float, epsilon: Decimal) -> float:
    """p e^epsilon / (p e^epsilon + 1 - p) = 1 / (1 + (1 - p) / (p e^epsilon)), each step rounded up."""
    share = Decimal(str(prior))
    odds_against = _DOWN.divide(1 - share, _UP.multiply(share, _UP.next_plus(epsilon.exp(_UP))))
    highest = _UP.divide(Decimal(1), _DOWN.add(Decimal(1), odds_against))
    return float(highest.quantize(_PLACES, ROUND_CEILING))


def _lowest(prior: float, epsilon: Decimal) -> float:
    """p / (p + (1 - p) e^epsilon): one minus the highest suspicion of the contrary."""
    return float(1 - Decimal(str(_highest(1 - prior, epsilon))))

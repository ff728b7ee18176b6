"""How many reports a question needs before anything of it is shown, where its survey promises a least number."""

from dataclasses import dataclass
from fractions import Fraction

from sotto_protocol.blind import FEW_TOKENS
from sotto_protocol.cohorts import likely_reports
from sotto_protocol.survey import Survey
from sotto_protocol.words import counted

_FEW_INVITED = 20
"""Of fewer people in a stratum whoever invites them is warned."""


@dataclass(frozen=True, slots=True)
class Need:
    """The reports that a question needs, of a wave: of fewer than `least` nothing of it is shown.

    `likely`: among so many there are enough in every cohort, but for one time in 20 at most. `is_drawn`: not every
    report answers it.
    """

    question: str
    n_cohorts: int
    least: int
    likely: int
    is_drawn: bool = False

    @property
    def is_chance(self) -> bool:
        """Whether chance says how many reports it has, or each of its cohorts."""
        return self.is_drawn or self.n_cohorts > 1


def needs_of(survey: Survey) -> dict[str, Need]:
    """Return what each question needs, by its id, in the survey's order: one report, where no minimum is promised."""
    needs = {}
    for question in survey.questions:
        by_cohort = question.mechanism.has_cohorts and survey.min_reports > 1
        n_cohorts = question.mechanism.counts_shape[0] if by_cohort else 1
        share = Fraction(survey.n_drawn, len(survey.questions))
        n_asked = question.mechanism.n_asked if by_cohort else 1
        likely = likely_reports(n_cohorts, survey.min_reports, share * n_asked)
        least = -(-n_cohorts * survey.min_reports // n_asked)
        needs[question.id] = Need(question.id, n_cohorts, least, likely, bool(survey.draw))
    return needs


def say_needs(survey: Survey) -> list[str]:
    """Return in words from how many reports each question is shown; nothing where no least number is promised."""
    if survey.min_reports == 1:
        return []
    needs = needs_of(survey).values()
    at_once = [need.question for need in needs if not need.is_chance]
    lines = [f"shown from {survey.min_reports:,} reports{of_a_wave(survey)}: {', '.join(at_once)}"] if at_once else []
    return lines + [
        f"shown from {need.least:,} reports{of_a_wave(survey)} at the earliest: {need.question} needs "
        f"{survey.min_reports:,}{which_of(survey, need)}. {need.likely:,} reports are enough in 19 of 20 surveys"
        for need in needs
        if need.is_chance
    ]


def say_few(stratum: str, n_invited: int) -> list[str]:
    """Return in words what so few people in a stratum mean for them; nothing where they are not few."""
    if n_invited >= _FEW_INVITED:
        return []
    return [
        f"stratum {stratum} has {counted(n_invited, 'invitation')}. The collector counts each stratum separately, so "
        "its reports are known to be from these few people. The noise protects them as it does everybody. Larger "
        "groups would hide them as well."
    ]


def say_few_tokens(survey: Survey, n_invited: int, stratum: str | None = None) -> list[str]:
    """Return in words that blind invitations hide little among so few people; nothing where they are not few."""
    if not survey.is_blind or n_invited >= FEW_TOKENS:
        return []
    of = f"stratum {stratum} has" if stratum else "there are" if n_invited != 1 else "there is"
    return [
        f"{of} {counted(n_invited, 'invitation')}. Blind invitations hide whose report is whose among the people of a "
        f"wave of a stratum. With fewer than {FEW_TOKENS} they hide little."
    ]


def which_of(survey: Survey, need: Need) -> str:
    """Return in words, with a blank before, of which reports a question needs `min_reports`; nothing where of all."""
    cohorts = f" in each of its {need.n_cohorts:,} cohorts" if need.n_cohorts > 1 else ""
    return cohorts + (f" that answer it, as {survey.draw} of {len(survey.questions)} do" if need.is_drawn else "")


def of_a_wave(survey: Survey) -> str:
    """Return in words, with a blank before, of whose reports a least number must come; nothing where of all."""
    return " of a wave" * (survey.waves > 1) + " of a stratum" * bool(survey.strata)

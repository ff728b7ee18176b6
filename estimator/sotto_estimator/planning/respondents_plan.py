"""How many respondents a survey needs, where nobody has said how many there are."""

import os
from dataclasses import dataclass
from pathlib import Path

from sotto_estimator.errors import DomainError
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.precision_goals import PrecisionGoal, wishes_at
from sotto_estimator.results.result import Result
from sotto_protocol import Survey


@dataclass(frozen=True, slots=True)
class RespondentsPlan(Result):
    """How many respondents give what is wanted of each question, at the survey's epsilons."""

    survey: Survey
    wishes: tuple[PrecisionGoal, ...]
    options: PlanOptions
    title: str = ""

    @property
    def named(self) -> str:
        """What the survey is called."""
        return self.title or self.survey.title

    def __str__(self) -> str:
        """Return one line: the survey, and what is planned."""
        return f"{self.named}: respondents needed"


def plan_respondents(
    survey: Survey | str | os.PathLike[str], *, half_width: float | None = None, options: PlanOptions | None = None
) -> RespondentsPlan:
    """Return how many respondents reach the targets of each question of a survey, or of a survey file.

    `half_width` is the target of shares whose question has no `want`. The survey says whom the plan is about, unless
    `options` are given. Raises SourceError for a file that is no survey, DomainError where there is no target.
    """
    of = survey if isinstance(survey, Survey) else Draft.read(Path(survey)).survey
    options = (options or PlanOptions()).of(of)
    wishes = wishes_at(of, options, half_width)
    if not wishes:
        raise DomainError("there is no target: give half_width, or write `want` into a question.")
    return RespondentsPlan(of, tuple(wishes), options)

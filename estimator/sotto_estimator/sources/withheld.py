"""What a tally withholds of a question, whose survey promises a least number of reports; or what nobody answered."""

from dataclasses import dataclass

from sotto_protocol import Tally
from sotto_protocol.minimum import needs_of, of_a_wave
from sotto_protocol.words import counted


@dataclass(frozen=True, slots=True)
class Withheld:
    """Of `n_reports` reports, only `n_counted` are counted to a question; none until `n_missing` or more have come.

    Each of the question's `n_cohorts` cohorts needs `min_reports` before anything of it is given, and so many more each
    time: of a wave, of a stratum, as `of` says. `is_drawn`: only some of the reports answer it, and nobody is told how
    many more there are.
    """

    question: str
    n_counted: int
    n_reports: int
    n_cohorts: int
    min_reports: int
    is_drawn: bool = False
    of: str = ""

    @property
    def n_missing(self) -> int:
        """How many reports are missing at least before anything is given; 0 where something is."""
        if self.n_counted:
            return 0
        return 1 if self.is_drawn else max(1, self.n_cohorts * self.min_reports - self.n_reports)

    def __str__(self) -> str:
        cohorts = f"each of its {self.n_cohorts:,} cohorts" if self.n_cohorts > 1 else "it"
        if self.is_drawn and self.min_reports == 1:
            return f"{self.question}: none of these {self.n_reports:,} reports answers it"
        if self.is_drawn:
            return f"{self.question}: withheld until {cohorts} has {self.min_reports:,} reports{self.of} that answer it"
        if self.n_counted:
            return (
                f"{self.question}: {self.n_counted:,} of these {self.n_reports:,} reports are counted; the others are "
                f"withheld until {cohorts} has {self.min_reports:,} more{self.of}"
            )
        until = f"{self.question}: withheld until {cohorts} has {self.min_reports:,} reports{self.of}"
        if self.of:  # nobody knows here how many of these are of the wave, or of the stratum, that has the most
            return until
        return f"{until}; beside these {self.n_reports:,} at least {self.n_missing:,} more must come"


def withheld_of(tally: Tally) -> tuple[Withheld, ...]:
    """Return what is withheld, by question, in the survey's order."""
    needs, least, of = needs_of(tally.survey), tally.survey.min_reports, of_a_wave(tally.survey)
    return tuple(
        Withheld(key, n_counted, tally.n_reports, need.n_cohorts, least, need.is_drawn, of)
        for key, need in needs.items()
        if key in tally.behind and not ((n_counted := tally.counted(key).n_reports) and need.is_drawn)
    )


def say_nothing_counted(tally: Tally) -> str:
    """Return why no question of a tally can be estimated: there are no reports, or too few that answer one."""
    n, least = tally.n_reports, tally.survey.min_reports
    if not n:
        return "the tally holds no reports; an estimate needs at least one."
    if least == 1:
        return f"the tally has {counted(n, 'report')}, but none answers a question that has estimates."
    return (
        f"no question has {least:,} reports{of_a_wave(tally.survey)} that answer it yet ({counted(n, 'report')} so "
        "far). The survey promises to show no question before that. Wait for more reports, if it is open."
    )

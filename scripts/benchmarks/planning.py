"""Plan a survey of 30 different questions, with all that would help, and tests of many people; against SciPy alone."""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from bars import Bar, compare
from scipy import special

from sotto_estimator.channel.channel import Channel
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.power import respondents_for_power
from sotto_estimator.planning.power_groups import GroupsTest
from sotto_estimator.planning.power_share import ShareTest
from sotto_estimator.planning.remedies import helps_of
from sotto_estimator.planning.survey import plan_survey

N_QUESTIONS = 30
SIZES = 1_000, 1_000_000
N_ROUNDS = 3
N_TAILS = 1_000_000
"""Tails of binomials, which a plan is made of: SciPy computes so many in about a second."""
NOISE = Channel.warner_of_epsilon(1)
TESTS = {"exact test of a share": ShareTest(NOISE, 0.1, 0.103), "Fisher's of groups": GroupsTest(NOISE, 0.3, 0.233)}
KINDS = (
    'type = "yes-no"',
    'type = "one-of"\noptions = {options}',
    'type = "any-of"\noptions = {options}',
    'type = "number"\nminimum = 0\nmaximum = {most}',
    'type = "text"',
)


def survey_text() -> str:
    """Return a survey file of questions of every type, no two alike."""
    questions = []
    for number in range(N_QUESTIONS):
        options = [f"option {place}" for place in range(3 + number)]
        kind = KINDS[number % len(KINDS)].format(options=options, most=10 + number)
        epsilon = f"epsilon = {0.5 + number / 20:.2f}"
        questions.append(f'[[questions]]\nid = "q{number}"\ntext = "?"\n{kind}\n{epsilon}\n')
    return 'id = "bench"\ntitle = "Bench"\n' + "\n".join(questions)


def cpu_s(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def plan(draft: Draft, n: int) -> None:
    """Plan n respondents, with what would help, from a file that is read."""
    helps_of(Draft(draft.document, draft.survey), plan_survey(draft.survey, n, PlanOptions()))


def tails() -> None:
    """Compute the tails of binomials of all sizes."""
    n = np.geomspace(2, 1e6, N_TAILS).round()
    k = (0.3 * n).round()
    special.betainc(k + 1, n - k, 0.3)


def bar(name: str, work: Callable[[], object]) -> Bar:
    return compare(
        name,
        lambda: cpu_s(work),
        lambda: cpu_s(tails),
        least=1,
        reference=f"SciPy's betainc, {N_TAILS:,} times",
        unit="s",
        rounds=N_ROUNDS,
    )


def measure() -> list[Bar]:
    """Of few respondents every question needs help, of many none does."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "survey.toml"
        path.write_text(survey_text())
        draft = Draft.read(path)
    return [
        *(
            bar(f"people for a test: {name}", lambda test=test: respondents_for_power(test, 0.8))
            for name, test in TESTS.items()
        ),
        *(bar(f"plan of {N_QUESTIONS} questions, n = {n:,}", lambda n=n: plan(draft, n)) for n in SIZES),
    ]

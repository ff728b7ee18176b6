"""Plan a survey of 30 different questions, with all that would help, and tests of many people: limits of CPU time."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bars import Bar, of_pairs

from sotto_estimator.channel.channel import Channel
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.helps import helps_of
from sotto_estimator.planning.outlook import Reach
from sotto_estimator.planning.power import PlannedTest, respondents_for_power
from sotto_estimator.planning.power_groups import GroupsTest
from sotto_estimator.planning.power_share import ShareTest
from sotto_estimator.planning.survey import plan_survey

N_QUESTIONS = 30
LIMIT_S = 1.0
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


def cpu_s(draft: Draft, n: int) -> float:
    """Return the CPU time of a plan of n respondents, with what would help, from a file that is read."""
    started = time.process_time()
    plan = plan_survey(draft.survey, n, Reach())
    helps_of(Draft(draft.document, draft.survey), plan)
    return time.process_time() - started


def measure() -> list[Bar]:
    """Of few respondents every question needs help, of many none does."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "survey.toml"
        path.write_text(survey_text())
        draft = Draft.read(path)
    return [
        *(_of_test(name, test) for name, test in TESTS.items()),
        *_of_surveys(draft),
    ]


def _of_test(name: str, test: PlannedTest) -> Bar:
    started = time.process_time()
    n = respondents_for_power(test, 0.8)
    spent = time.process_time() - started
    return of_pairs(f"{name}, n = {n:,}", [(spent, LIMIT_S)], least=1, reference="limit", unit="s")


def _of_surveys(draft: Draft) -> list[Bar]:
    return [
        of_pairs(
            f"plan of {N_QUESTIONS} questions, n = {n:,}",
            [(cpu_s(draft, n), LIMIT_S) for _ in range(3)],
            least=1,
            reference="limit",
            unit="s",
        )
        for n in (1_000, 1_000_000)
    ]

"""The main job on real answers: a collector, a survey, 6,366 devices, and estimates beside the truth."""

import argparse
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import demo_emoji as emoji
from sotto_client import SurveyClient
from sotto_protocol import Question, Survey, Tally, compile_toml
from sotto_protocol.tables import align

if TYPE_CHECKING:
    from sotto_estimator import Estimates

DEFINITION = Path(__file__).with_name("affairs.toml")
SOTTO = Path(sys.executable).with_name("sotto")
N_PEOPLE = 6366
N_PROCESSES = 2
N_THREADS = 4  # in each process: a device mostly waits for the collector
DEVICES_A_TASK = 60
N_ROWS_SHOWN = 4
MAX_EPSILON = 16
"""So much a device lets the demo take, and a browser: it asks seven questions at once."""

Answers = dict[str, Any]


def main() -> int:
    """Run the demo; return 0 unless a simultaneous 99.9 % interval misses the truth or a report was lost."""
    parser = argparse.ArgumentParser(description="The main job on real answers.")
    parser.add_argument("--people", type=int, default=N_PEOPLE, help="let only so many answer [default: %(default)s]")
    parser.add_argument("--serve", action="store_true", help="leave the collector running, and its pages open")
    options = parser.parse_args()
    n_people = options.people
    if not 1 <= n_people <= N_PEOPLE:
        parser.error(f"--people ({n_people}) must be in [1, {N_PEOPLE}].")
    from sotto_estimator import fetch_tally  # not on top: the devices' processes need no SciPy

    started = time.monotonic()
    survey = compile_toml(DEFINITION.read_text())
    people = load_people(survey)[:: N_PEOPLE // n_people][:n_people]  # spread: the data set is sorted
    with tempfile.TemporaryDirectory(prefix="sotto-demo-") as folder:
        database = Path(folder, "collector.db")
        admin, analyst = make_database(database), make_token(database, "analyst")
        with collector(database) as url:
            run_sotto("publish", str(DEFINITION), url, "--yes", SOTTO_TOKEN=admin)  # devices here give as much
            say(f"Collector at {url} (SQLite), survey {survey.id}, fingerprint {survey.fingerprint[:16]}..")
            answer_all(url, survey.id, people, Path(folder, "devices"))
            tally = fetch_tally(url, survey.id, analyst)
        show_rows(database)  # where they lie when the collector has ended: in the order of their random ids
        n_missed = show_estimates(tally, people) + show_emoji(tally, [person["emoji"] for person in people])
        n_lost = len(people) - tally.n_reports
        say(f"\n{tally.n_reports:,} of {len(people):,} reports counted, in {time.monotonic() - started:.0f} s.")
        say(f"\nThe survey as a web page:  {url}/s/{survey.id}")
        say(f"Its results:               {url}/s/{survey.id}/results")
        if options.serve:
            leave_open(database, url, analyst)
        else:
            say("scripts/demo --serve leaves them open.")
    return 1 if n_missed or n_lost else 0


def leave_open(database: Path, url: str, analyst: str) -> None:
    """Run the collector once more, under the address that it had, until somebody ends the demo."""
    ends = {signal.SIGINT, signal.SIGTERM}
    with collector(database, port=url.rpartition(":")[2]):
        say(f"All surveys:               {url}/s  (any user name; password {analyst})")
        say("Ctrl-C ends it.")
        signal.pthread_sigmask(signal.SIG_BLOCK, ends)  # after the collector has begun: it must not inherit that
        signal.sigwait(ends)


def show_estimates(tally: Tally, people: Sequence[Answers]) -> int:
    """Print estimates beside the truth; return how many of the intervals that hold all together miss it."""
    from sotto_estimator import IntervalOptions, estimate_tally
    from sotto_estimator.results.words import interval_words

    truth = true_shares(tally.survey, people)
    years = sum(person["years"] for person in people) / len(people)
    say("\n" + comparison(tally.survey, estimate_tally(tally, IntervalOptions(target="respondents")), truth, years))
    strict = estimate_tally(tally, IntervalOptions(level=0.999, simultaneous=True, target="respondents"))
    held = [row.low <= share <= row.high for row, share in zip(strict.rows, truth, strict=True)]
    held += [mean.low <= years <= mean.high for mean in strict.means]
    say(f"\n{interval_words(strict.options)}: {sum(held)} of {len(held)} hold the truth.")
    return len(held) - sum(held)


def show_emoji(tally: Tally, used: Sequence[str]) -> int:
    """Print and draw the emoji that were found; return how many of their intervals, all together, miss the truth."""
    from sotto_estimator.strings.decode import DecodeOptions
    from sotto_estimator.strings.question import decode_tally

    candidates = list(emoji.frequencies())
    truth = {text: count / len(used) for text, count in Counter(used).items()}
    decoded = decode_tally(tally, "emoji", candidates)
    say("\n" + emoji.comparison(decoded, truth))
    emoji.plot(decoded, truth, emoji.PLOT)
    say(f"True and estimated shares are drawn in {emoji.PLOT}.")
    rows = decode_tally(tally, "emoji", candidates, DecodeOptions(level=0.999, simultaneous=True)).rows
    n_held = sum(row.low <= truth.get(row.string, 0.0) <= row.high for row in rows)
    say(f"\n99.9 % intervals of the emoji, all together: {n_held} of {len(rows)} hold the truth.")
    return len(rows) - n_held


def load_people(survey: Survey) -> list[Answers]:
    """Return every respondent's true answers (Fair 1978, "A theory of extramarital affairs"), from statsmodels.

    That has them "with permission of the author": a permission to statsmodels, by which we may not pass them on.
    The emoji, which nobody asked for in 1974, is drawn in proportion to today's use.
    """
    from statsmodels.datasets import fair

    people = fair.load_pandas().data
    used = emoji.draw_answers(len(people))
    options = {question.id: question.options for question in survey.questions}
    facts = zip(people.children > 0, people.educ >= 16, people.yrs_married > 10, strict=True)
    return [
        {
            "affair": bool(affairs > 0),
            "rating": options["rating"][int(rating) - 1],
            "religious": options["religious"][int(religious) - 1],
            "occupation": options["occupation"][int(occupation) - 1],
            "years": float(years),
            "facts": [option for option, holds in zip(options["facts"], held, strict=True) if holds],
            "emoji": favourite,
        }
        for affairs, rating, religious, occupation, years, held, favourite in zip(
            people.affairs,
            people.rate_marriage,
            people.religious,
            people.occupation,
            people.yrs_married,
            facts,
            used,
            strict=True,
        )
    ]


def true_shares(survey: Survey, people: Sequence[Answers]) -> list[float]:
    """Return the share of people with each value, in the order of the estimates."""
    asked = [question for question in survey.questions if question.labels]
    chosen = {question.id: [answer_labels(question, person[question.id]) for person in people] for question in asked}
    return [
        sum(label in labels for labels in chosen[question.id]) / len(people)
        for question in asked
        for label in question.labels
    ]


def answer_labels(question: Question, answer: Any) -> list[str]:
    """Return the values that an answer has, by their labels."""
    if isinstance(answer, bool):
        return list(question.labels) if answer else []
    return [answer] if isinstance(answer, str) else answer


def answer_all(url: str, survey_id: str, people: Sequence[Answers], states: Path) -> None:
    """Let every person answer on a device of their own: own state file, own secret, own connection."""
    states.mkdir()
    tasks = [
        (url, survey_id, people[i : i + DEVICES_A_TASK], states / str(i)) for i in range(0, len(people), DEVICES_A_TASK)
    ]
    n_done = 0
    with ProcessPoolExecutor(N_PROCESSES, mp_context=get_context("spawn")) as pool:
        for finished in as_completed([pool.submit(answer_some, *task) for task in tasks]):
            n_done += finished.result()
            show_progress(n_done, len(people))


def answer_some(url: str, survey_id: str, people: Sequence[Answers], states: Path) -> int:
    """Let some people answer; return how many reports were delivered."""
    states.mkdir()

    def answer_one(index: int) -> bool:
        with closing(SurveyClient(url, survey_id, state=":memory:", max_epsilon=MAX_EPSILON)) as device:
            device.answer(people[index])
            return device.flush(60)

    with ThreadPoolExecutor(N_THREADS) as pool:
        return sum(pool.map(answer_one, range(len(people))))


@contextmanager
def collector(database: Path, port: str = "0") -> Iterator[str]:
    """Run `sotto serve`, on a free port; yield its address, and stop it cleanly."""
    command = [SOTTO, "serve", "--db", database, "--port", port, "--page-max-epsilon", str(MAX_EPSILON)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        started = server.stdout.readline()
        if not started:  # it has said why on stderr
            sys.exit("the collector did not start.")
        url = started.split()[-1]
        try:
            yield url
        finally:
            server.send_signal(signal.SIGTERM)


def make_database(database: Path) -> str:
    """Make it; return its admin's token."""
    return run_sotto("db", "init", "--db", str(database)).strip()


def make_token(database: Path, role: str) -> str:
    return run_sotto("token", "create", "--db", str(database), "--role", role).strip()


def run_sotto(*arguments: str, **environment: str) -> str:
    return subprocess.run(
        [SOTTO, *arguments], env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def show_progress(n_done: int, n_all: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if n_done == n_all else ""
        print(f"\r{n_done:,} of {n_all:,} devices have answered", end=end, file=sys.stderr, flush=True)
    elif n_done == n_all or n_done % 600 < DEVICES_A_TASK:
        print(f"{n_done:,} of {n_all:,} devices have answered", file=sys.stderr, flush=True)


def show_rows(database: Path) -> None:
    """Print raw rows of the collector's reports, as they lie in its file."""
    what = "a byte for each question, then a cohort and 64 bits"
    say(f"\nWhat the collector stored ({N_ROWS_SHOWN} rows of its table reports; {what}):")
    connection = sqlite3.connect(database)
    rows = connection.execute("SELECT report_id, packed FROM reports LIMIT ?", (N_ROWS_SHOWN,)).fetchall()
    connection.close()
    for report_id, packed in rows:
        say(f"  id {report_id.hex()}  noisy answers {packed.hex(' ')}")


def comparison(survey: Survey, estimates: "Estimates", truth: Sequence[float], years: float) -> str:
    """Return the table of true and estimated shares, and of the mean; and each question's epsilon."""
    from sotto_estimator.results.percents import percent
    from sotto_estimator.results.words import interval_words

    rows = [["question", "answer", "true", "estimate", "low", "high", "holds"]]
    for row, share in zip(estimates.rows, truth, strict=True):
        holds = "yes" if row.low <= share <= row.high else "NO"
        rows.append([row.question, row.answer, *map(percent, (share, row.share, row.low, row.high)), holds])
    for mean in estimates.means:
        holds = "yes" if mean.low <= years <= mean.high else "NO"
        numbers = [f"{number:.2f}" for number in (years, mean.mean, mean.low, mean.high)]
        rows.append([mean.question, f"mean, in {mean.unit}", *numbers, holds])
    mechanisms = [
        [question.id, question.mechanism.name, f"{float(question.epsilon):.4f}"] for question in survey.questions
    ]
    mechanisms.append(["in total", "", f"{float(survey.epsilon):.4f}"])
    return "\n".join(
        [
            f"n = {estimates.n_reports:,}; {interval_words(estimates.options)}",
            align(rows, n_left=2),
            "",
            align([["question", "mechanism", "epsilon"], *mechanisms], n_left=2),
        ]
    )


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())

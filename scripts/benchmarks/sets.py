"""Sets of options: subset selection and projective geometry against unary encoding, k-ary response and a peer."""

import os
from decimal import Decimal

import numpy as np
from bars import Bar, compare, rate
from ingest import ours
from mechanisms import compare_with_peer

from sotto_client import os_coins
from sotto_client.reporting import report_answer
from sotto_protocol import Mechanism, Report, Survey, batch_body, compile_survey

N_SINGLE = 200
N_SETS, N_POINTS, N_COUNTED, N_ARRIVING = 50_000, 1_000_000, 200_000, 60_000
N_WIDE_OPTIONS = 4096
SECRET, FINGERPRINT = bytes(range(32)), "0" * 64


def survey_of(mechanism: str, n_options: int) -> Survey:
    asked = {"id": "bench", "type": "one-of", "text": "?", "options": [str(number) for number in range(n_options)]}
    chosen = {"mechanism": mechanism, "epsilon": Decimal(1)}
    return compile_survey({"id": "bench", "title": "Bench", "questions": [asked | chosen]})


def made_of(mechanism: str, n_options: int, n_answers: int) -> tuple[Mechanism, np.ndarray]:
    return survey_of(mechanism, n_options).questions[0].mechanism, np.random.default_rng(1).integers(
        0, n_options, n_answers
    )


def on_a_device(mechanism: str, n_options: int) -> float:
    """Reports a second, one by one, by the permanent coins of a device."""
    [asked], coins = survey_of(mechanism, n_options).questions, os_coins()
    encoded = [asked.encode(str(number % n_options)) for number in range(N_SINGLE)]
    return rate(lambda: [report_answer(asked, one, SECRET, FINGERPRINT, coins) for one in encoded], N_SINGLE)


def in_bulk(mechanism: str, n_options: int, n_answers: int) -> float:
    made, answers = made_of(mechanism, n_options, n_answers)
    return rate(lambda: made.perturb(answers, os_coins()), n_answers)


def counted(mechanism: str, n_options: int) -> float:
    made, answers = made_of(mechanism, n_options, N_COUNTED)
    reports = made.perturb(answers, os_coins())
    return rate(lambda: made.count_support(reports), N_COUNTED)


def ingested(mechanism: str) -> float:
    """Reports a second that a collector counts, in batches of 1,000, of 4,096 options."""
    survey = survey_of(mechanism, N_WIDE_OPTIONS)
    records = survey.perturb({"bench": np.arange(N_ARRIVING) % N_WIDE_OPTIONS}, os_coins())
    reports = [Report(os.urandom(16), record.tobytes()) for record in records]
    bodies = [batch_body(survey, reports[start : start + 1000]) for start in range(0, len(reports), 1000)]
    return 1000 * ours(survey, bodies, 8).requests_per_s


def against_a_peer() -> Bar:
    return compare_with_peer(
        "multi-freq-subset",
        "subset-128 in bulk",
        lambda: in_bulk("subset", 128, N_SETS),
        least=3,
        reference="multi-freq-ldpy SS_Client, whose sets leak the truth",
    )


def measure() -> list[Bar]:
    singles = [
        compare(
            f"subset-{n_options}, one report at a time",
            lambda n=n_options: on_a_device("subset", n),
            lambda n=n_options: on_a_device("oue", n),
            least=0.5,
            reference="OUE of as many options",
        )
        for n_options in (16, 128, 512)
    ]
    points = compare(
        "geometry-4096 in bulk",
        lambda: in_bulk("geometry", N_WIDE_OPTIONS, N_POINTS),
        lambda: in_bulk("k-ary", N_WIDE_OPTIONS, N_POINTS),
        least=0.1,
        reference="k-ary response",
    )
    counting = compare(
        "subset-128, counting",
        lambda: counted("subset", 128),
        lambda: counted("oue", 128),
        least=0.8,
        reference="OUE",
    )
    arriving = compare(
        "geometry-4096, ingest of 1,000-report batches",
        lambda: ingested("geometry"),
        lambda: ingested("oue"),
        least=0.8,
        reference="OUE of as many options",
        rounds=3,
    )
    return [*singles, against_a_peer(), points, counting, arriving]

"""Ingest over HTTP against a bare server, and single posts against a commit per report; also on a slower disk."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import numpy as np
import requests
from bars import Bar, compare, of_pairs
from load import Load, send_all

from sotto_client import os_coins
from sotto_protocol import Report, Survey, batch_body, compile_survey

HERE = Path(__file__).parent
SOTTO = Path(sys.executable).with_name("sotto")
N_ROUNDS = 3
N_SMALL, N_LARGE = 300, 60
N_SINGLES, N_SINGLES_SLOW = 4000, 1000
N_TURNS = 8
"""The collector gets so many times as many as the bare server: it tidies every five seconds, and that shall count."""
SLOW_FSYNC_MS = 2


def small_survey() -> Survey:
    options = ["very poor", "poor", "fair", "good", "very good"]
    return compile_survey(
        {
            "id": "bench",
            "title": "Bench",
            "questions": [
                {"id": "affair", "type": "yes-no", "text": "?", "epsilon": Decimal(1)},
                {"id": "rating", "type": "one-of", "text": "?", "options": options, "epsilon": Decimal(1)},
                {
                    "id": "facts",
                    "type": "any-of",
                    "mechanism": "bit-flips",
                    "text": "?",
                    "options": options[:3],
                    "epsilon": Decimal(2),
                },
            ],
        }
    )


def make_bodies(survey: Survey, n_bodies: int, n_reports: int) -> list[bytes]:
    n = n_bodies * n_reports
    answers = {"affair": np.zeros(n, int), "rating": np.arange(n) % 5, "facts": np.zeros((n, 3), int)}
    records = survey.perturb(answers, os_coins())
    reports = [Report(os.urandom(16), record.tobytes()) for record in records]
    return [batch_body(survey, reports[i : i + n_reports]) for i in range(0, n, n_reports)]


@contextmanager
def server(command: Sequence[str | Path], **environment: str) -> Iterator[str]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | environment) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate()


@contextmanager
def collector(folder: Path, survey: Survey, **environment: str) -> Iterator[str]:
    database = folder / "collector.db"
    token = subprocess.run(
        [SOTTO, "db", "init", "--db", database], check=True, capture_output=True, text=True
    ).stdout.strip()
    with server([SOTTO, "serve", "--db", database, "--port", "0"], **environment) as url:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        requests.post(f"{url}/v1/surveys", survey.canonical, headers=headers, timeout=10).raise_for_status()
        yield url


def ours(survey: Survey, bodies: Sequence[bytes], n_connections: int, **environment: str) -> Load:
    with tempfile.TemporaryDirectory() as folder, collector(Path(folder), survey, **environment) as url:
        return send_all(url, "/v1/surveys/bench/reports", bodies, n_connections)


def bare(commits: str, bodies: Sequence[bytes], n_connections: int, **environment: str) -> Load:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, HERE / "bare_server.py", Path(folder, "bare.db"), commits]
        with server(command, **environment) as url:
            return send_all(url, "/v1/surveys/bench/reports", bodies, n_connections)


def batches(survey: Survey, n_bodies: int, n_reports: int) -> Bar:
    bodies = make_bodies(survey, n_bodies, n_reports)
    return compare(
        f"ingest of {n_reports:,}-report batches",
        lambda: n_reports * ours(survey, bodies, 8).requests_per_s,
        lambda: n_reports * bare("grouped", bodies, 8).requests_per_s,
        least=0.6,
        reference="bare server, grouped commits, no validation, no tally",
        rounds=N_ROUNDS,
    )


def singles(survey: Survey, name: str, n_posts: int, least: float, **environment: str) -> list[Bar]:
    """Return the bars against a commit each: posts a second, and the latency that 99 of 100 posts stay below."""
    bodies = make_bodies(survey, N_TURNS * n_posts, 1)
    loads = [
        (ours(survey, bodies, 64, **environment), bare("each", bodies[:n_posts], 64, **environment))
        for _ in range(N_ROUNDS)
    ]
    rates = [(mine.requests_per_s, other.requests_per_s) for mine, other in loads]
    latencies = [(mine.latency_ms(0.99), other.latency_ms(0.99)) for mine, other in loads]
    reference = "a commit per report, bare server"
    return [
        of_pairs(name, rates, least=least, reference=reference),
        of_pairs(f"{name}, 99 % within", latencies, least=0.5, reference=reference, unit="ms"),
    ]


def slow_disk(folder: Path) -> dict[str, str]:
    """Build a library that makes every fsync take longer, as on an ordinary disk; empty without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return {}
    library = folder / "slow_fsync.so"
    source = HERE / "slow_fsync.c"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, source, f"-DDELAY_MS={SLOW_FSYNC_MS}", "-ldl"], check=True
    )
    return {"LD_PRELOAD": str(library)}


def measure() -> list[Bar]:
    survey = small_survey()
    bars = [batches(survey, N_SMALL, 100), batches(survey, N_LARGE, 1000)]
    bars += singles(survey, "single posts, this disk", N_SINGLES, 1.5)
    with tempfile.TemporaryDirectory() as folder:
        if shim := slow_disk(Path(folder)):
            name = f"single posts, every fsync {SLOW_FSYNC_MS} ms slower"
            bars += singles(survey, name, N_SINGLES_SLOW, 5, **shim)
    return bars

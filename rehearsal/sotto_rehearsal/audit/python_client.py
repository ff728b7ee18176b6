"""The installed Python client as a program that is audited: `python -m sotto_rehearsal.audit.python_client`.

It makes each report as `SurveyClient` does, on a fresh device: a secret, drawn questions and waves, and an id from the
operating system, then `sotto_client.reporting`. After the first device it forks, where the system can: a child makes
the first half of the others, and what parent and child share would be there twice.
"""

import json
import os
import sys
from typing import Any

from sotto_client.blinding import draw_random
from sotto_client.draws import Seed
from sotto_client.entropy import os_coins
from sotto_client.permanent import SECRET_BYTES
from sotto_client.reporting import check_answers, make_report, noise_secret
from sotto_protocol import Report, Survey
from sotto_protocol.blind import report_id_of, token_message
from sotto_protocol.record import WAVE
from sotto_protocol.report import REPORT_ID_BYTES
from sotto_rehearsal.audit.design import MAX_WAVES
from sotto_rehearsal.audit.sample import WAVES


class _Device:
    """One device, with what it keeps over the waves."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._secret = os.urandom(SECRET_BYTES)
        seed = Seed(survey.fingerprint, survey.id, os.urandom(SECRET_BYTES))
        self._drawn = seed.drawn(survey) if survey.draw else [True] * len(survey.questions)
        self._asked = {WAVES: [*seed.waves(survey)]} if survey.asked_in else {}

    def answer(self, answers: dict[str, Any], wave: int) -> bytes:
        """Return a report as one line of JSON."""
        encoded = check_answers(self._survey, answers, self._drawn)
        secret = noise_secret(self._survey, self._secret, wave)
        _, record = make_report(self._survey, encoded, secret, {WAVE: wave}, os_coins())
        report_id = os.urandom(REPORT_ID_BYTES)
        if self._survey.is_blind:  # it is the hash of the token's message
            report_id = report_id_of(token_message(draw_random(), self._survey.fingerprint, wave))
        sent = Report(report_id, record).to_wire(self._survey)
        return json.dumps({**sent, **self._asked}).encode() + b"\n"


def answer_all(survey: Survey, lines: list[bytes]) -> None:
    """Print a report for each line; those of one device follow each other."""
    known, device = None, None
    for line in lines:
        asked = json.loads(line)
        if device is None or asked["device"] != known:
            known, device = asked["device"], _Device(survey)
        sys.stdout.buffer.write(device.answer(asked["answers"], asked["wave"]))
    sys.stdout.buffer.flush()


def main() -> None:
    """Read the survey and the answers, and print reports."""
    survey = Survey.from_canonical(sys.stdin.buffer.readline().rstrip(b"\n"))
    lines = sys.stdin.buffer.readlines()
    n_waves = 1 + sum(json.loads(line)["device"] == json.loads(lines[0])["device"] for line in lines[1:MAX_WAVES])
    middle = n_waves * (1 + (len(lines) // n_waves - 1) // 2)
    answer_all(survey, lines[:n_waves])
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            answer_all(survey, lines[n_waves:middle])
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            sys.exit(1)
        lines[n_waves:middle] = []
    answer_all(survey, lines[n_waves:])


if __name__ == "__main__":
    main()

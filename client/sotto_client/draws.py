"""What this device was drawn for: questions, where a survey has `draw`, and waves, where it has `asked_in`.

It is drawn once, without an answer, and for good.

A seed of the survey's own is drawn by the operating system when the device is first asked, before it has an answer, and
kept: after a report that was refused, in every wave, in every process that has the state, the questions are the same.
Whoever could have others drawn would choose what is learnt. The seed is no secret of the noise: the questions are sent
in clear, and so are the waves. Both are drawn from one seed, by coins of their own.
"""

import os
import sqlite3
from typing import NamedTuple

from sotto_client.database import expect, reading
from sotto_client.permanent import SECRET_BYTES, draw_coins, wave_coins
from sotto_protocol import Survey
from sotto_protocol.drawn import draw_questions, draw_waves


class Seed(NamedTuple):
    """What a device draws its questions of one version of a survey from."""

    fingerprint: str
    survey_id: str
    seed: bytes

    def drawn(self, survey: Survey) -> list[bool]:
        """Return of each question of the survey whether it was drawn."""
        if not survey.draw:
            return [True] * len(survey.questions)
        coins = draw_coins(self.seed, self.fingerprint)
        drawn: list[bool] = draw_questions(len(survey.questions), survey.n_drawn, coins)[0].tolist()
        return drawn

    def waves(self, survey: Survey) -> tuple[int, ...]:
        """Return the waves of the survey that were drawn, ascending; all where none had to be drawn."""
        if not survey.asked_in:
            return (*range(1, survey.waves + 1),)
        coins = wave_coins(self.seed, self.fingerprint)
        return tuple((draw_waves(survey.waves, survey.asked_in, coins)[0].nonzero()[0] + 1).tolist())


class Draws:
    """The seeds of a state, read and written inside one of its transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, survey: Survey) -> list[bool]:
        """Return of each question whether this device answers it; what it had to draw for that is written down."""
        return self._seed_of(survey).drawn(survey) if survey.draw else [True] * len(survey.questions)

    def waves_of(self, survey: Survey) -> tuple[int, ...]:
        """Return the waves in which this device is asked, ascending; what it had to draw for that is written down."""
        return self._seed_of(survey).waves(survey) if survey.asked_in else (*range(1, survey.waves + 1),)

    def _seed_of(self, survey: Survey) -> Seed:
        known = [seed for seed in self.seeds() if seed.fingerprint == survey.fingerprint]
        if not known:
            known = [Seed(survey.fingerprint, survey.id, os.urandom(SECRET_BYTES))]
            self._connection.execute("INSERT INTO draws (fingerprint, survey_id, seed) VALUES (?, ?, ?)", known[0])
        return known[0]

    def seeds(self) -> list[Seed]:
        """Return all seeds, by survey."""
        rows = self._connection.execute(
            "SELECT fingerprint, survey_id, seed FROM draws ORDER BY survey_id, fingerprint"
        )
        with reading("draws"):
            return [_seed(row) for row in rows]


def _seed(row: tuple[str, str, bytes]) -> Seed:
    expect(row, str, str, bytes)
    if len(row[2]) != SECRET_BYTES:
        raise ValueError("a seed has another length.")
    return Seed(*row)

"""Reports as they should be: by the published thresholds, in bulk, of devices that give the same answers."""

import numpy as np

from sotto_client import os_coins
from sotto_protocol.drawn import draw_questions
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.sample import Sample

_MOST_TIMES = 64
_MOST_COINS = 2**27


def repeat_design(design: Design) -> Design:
    """Return the same devices several times over: so many that their rates are known far better, if memory allows."""
    n_coins = sum(max(8, question.mechanism.n_values) for question in design.survey.questions)
    times = int(np.clip(_MOST_COINS // (n_coins * design.n_devices), 1, _MOST_TIMES))
    repeated = np.tile(design.choices, (times, 1)), np.tile(design.profile, times)
    return Design(design.survey, design.answers, *repeated, design.n_waves)


def make_reference(design: Design) -> Sample:
    """Return what devices report that give these answers, without ids."""
    survey, coins, n = design.survey, os_coins(), design.n_devices
    every = range(len(survey.questions))
    columns = [_report(design, index) for index in every]
    waves = tuple(tuple(columns[index][wave] for index in every) for wave in range(design.n_waves))
    has = draw_questions(len(every), survey.draw, coins, n) if survey.draw else np.ones((n, len(every)), np.bool_)
    return Sample(waves, has, np.empty((0, 16), np.uint8))


def _report(design: Design, index: int) -> list[Bytes]:
    """Return one question's rows of all devices, wave by wave, by permanent responses that stay."""
    mechanism, coins = design.survey.questions[index].mechanism, os_coins()
    settled = mechanism.settle(design.encoded(index)[design.choices[:, index]], coins)
    permanent = mechanism.respond_permanently(settled, mechanism.draw_group(len(settled), coins), coins)
    return [mechanism.report(permanent, coins) for _ in range(design.n_waves)]

"""Reports as they should be: by the published thresholds, in bulk, of devices that give the same answers."""

from dataclasses import replace

import numpy as np

from sotto_client import os_coins
from sotto_protocol.drawn import draw_questions, draw_waves
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.sample import Sample

_MOST_TIMES = 64
_MOST_COINS = 2**27


def repeat_design(design: Design) -> Design:
    """Return the same devices several times over: so many that their rates are known far better, if memory allows.

    In two waves at most, or three where answers change: honestly, any others have what these have.
    """
    return replace(repeat(design), waves=design.waves[: 2 if design.changed is None else 3])


def repeat(design: Design) -> Design:
    """Return the same devices in all their waves, several times over, if memory allows."""
    n_coins = sum(max(8, question.mechanism.n_values) for question in design.survey.questions)
    return design.repeat(int(np.clip(_MOST_COINS // (n_coins * design.n_devices), 1, _MOST_TIMES)))


def make_reference(design: Design) -> Sample:
    """Return what devices report that give these answers, without ids."""
    survey, coins, n = design.survey, os_coins(), design.n_devices
    every = range(len(survey.questions))
    columns = [_report(design, index) for index in every]
    waves = tuple(tuple(columns[index][wave] for index in every) for wave in range(design.n_waves))
    has = draw_questions(len(every), survey.draw, coins, n) if survey.draw else np.ones((n, len(every)), np.bool_)
    asked = draw_waves(survey.waves, survey.asked_in, coins, n) if survey.asked_in else None
    return Sample(waves, has, np.empty((0, 16), np.uint8), asked)


def _report(design: Design, index: int) -> list[Bytes]:
    """Return one question's rows of all devices, wave by wave, by permanent responses that stay with their answer."""
    mechanism, coins = design.survey.questions[index].mechanism, os_coins()
    group = mechanism.draw_group(design.n_devices, coins)
    permanent = []
    for choices in (design.choices, *([] if design.changed is None else [design.changed])):
        settled = mechanism.settle(design.encoded(index)[choices[:, index]], coins)
        permanent.append(mechanism.respond_permanently(settled, group, coins))
    return [mechanism.report(permanent[wave % len(permanent)], coins) for wave in range(design.n_waves)]

"""Scores: what a report says of each answer, without bias."""

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.design import Design
from sotto_estimator.errors import DomainError
from sotto_estimator.table.reported import Reported

_ROUNDING = 1e-6


def scores_of(reported: Reported) -> Floats:
    """Return each row's scores, shape (n, n_shown), of all labels, or of two the first: the other's are the rest.

    Their mean is 1 for the person's answer, 0 for others. Raises `DomainError` for a design whose reports alone do not
    tell every answer's share.
    """
    n_labels, n_reports = len(reported.designs[0].labels), max(len(design.reports) for design in reported.designs)
    table = np.zeros((len(reported.designs), n_reports, n_labels if n_labels > 2 else 1))
    for arm, design in enumerate(reported.designs):
        table[arm, : len(design.reports)] = design_scores(design)[:, : table.shape[2]]
    scores: Floats = table[reported.arms, reported.reports]
    return scores


def design_scores(design: Design) -> Floats:
    """Return the scores of every report, shape (n_reports, n_labels): the least noisy where answers are as common.

    Of a binary design they are (report - prob_support_if_other) / contrast; of one that has scores of its own, those.
    """
    design.check_independent()
    if design.scores:
        own = np.array(design.scores)
        return np.stack([own, 1 - own], axis=-1)
    likely = design.matrix.mean(axis=1)
    root = np.sqrt(likely, where=likely > 0, out=np.ones_like(likely))
    is_own = np.array([[answer == label for label in design.labels] for answer in design.answers], np.float64)
    found: Floats = np.linalg.lstsq((design.matrix / root[:, None]).T, is_own, rcond=None)[0] / root[:, None]
    if not np.allclose(design.matrix.T @ found, is_own, rtol=0, atol=_ROUNDING):
        raise DomainError(f"{design.name}: its reports alone cannot give the shares, so weights cannot be used.")
    return found

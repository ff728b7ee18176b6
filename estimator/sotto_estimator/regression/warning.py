"""What is wrong with a fit, said by name: separation, or nearly so, no signal, no convergence."""

from collections.abc import Callable, Sequence

import numpy as np

from sotto_estimator.regression.fitting import Fitted

_VAGUE = 3.0
"""A standard error of the log odds over one standard deviation of the terms, from which on anything may be true."""
_CLEAR = 0.001
"""A P-value of terms that tell the answer so well that a vague coefficient is one whose shares are nearly 0 or 1."""


def warnings_of(
    fitted: Fitted,
    labels: Sequence[tuple[str, str]],
    null: Fitted,
    answers: Sequence[str],
    p_value_of: Callable[[int], float],
    *,
    has_ratios: bool = True,
) -> list[str]:
    """Return what to say of a fit, of its coefficients' equations and names, and of the fit without terms.

    `p_value_of` a coefficient's place: that of a likelihood ratio test of the terms which it stands for. `has_ratios`:
    whether such tests are shown.
    """
    hold = "likelihood ratio tests hold, " if has_ratios else ""
    if len(null.separated):
        places = sorted({int(place) for place in null.separated})
        listed = ", ".join(answers[place] for place in places if place < len(answers) - 1) or answers[-1]
        return [
            f"no signal: the estimate is at a boundary, where the share of {listed} or of all other answers is 0; no "
            "coefficient can be estimated"
        ]
    said = []
    if len(fitted.separated):
        of = ", ".join(" of ".join(reversed(labels[place])) for place in fitted.separated.tolist())
        said.append(
            f"separation: by the terms, an answer of some people has probability 0 or 1, so estimates are infinite: "
            f"{of}; {hold}Wald's do not{'' if hold else ' hold'}"
        )
    elif fitted.largest_error > _VAGUE:
        vague = int(np.diag(fitted.covariance).argmax())
        of = " of ".join(reversed(labels[vague]))
        said.append(
            "nearly separated: for some people the probability of an answer is hardly different from 0 or 1, by the "
            f"coefficient of {of} first; {hold}Wald's tests and intervals do not{'' if hold else ' hold'}"
            if p_value_of(vague) < _CLEAR
            else f"no signal: there is too much noise to estimate the coefficients, above all that of {of}; it takes "
            "more reports, or a design with less noise"
        )
    if not fitted.maximum.converged:
        said.append(f"not converged after {fitted.maximum.n_iterations} iterations: the estimates are not final")
    return said

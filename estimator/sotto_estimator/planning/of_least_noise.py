"""How far a mechanism's noise is above the least of all mechanisms of its epsilon."""

from decimal import Decimal

from sotto_estimator.planning.least_noise import least_noise_of_options, noise_of_options
from sotto_estimator.planning.least_noise_of_selections import least_noise_of_selections
from sotto_protocol.mechanisms.mechanism import PureMechanism


def of_least_noise(mechanism: PureMechanism, epsilon: Decimal) -> float | None:
    """Return the mean variance of a report's noise over the least that there is, 1 or more; None where not known.

    Of the two answers to a yes-no question, or of options that are equally common; of any-of as `report_variance`.
    """
    if mechanism.takes_rows:
        noise = mechanism.report_variance
        least = least_noise_of_selections(float(epsilon), mechanism.n_values, mechanism.max_selected)
    else:
        k = max(2, mechanism.n_values)
        noise = float(noise_of_options(mechanism.prob_support_if_true, mechanism.prob_support_if_other, k))
        least = least_noise_of_options(float(epsilon), k)
    return None if least is None else max(1.0, noise / least)  # thresholds are rounded towards privacy

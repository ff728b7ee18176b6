"""What an author asks of a mechanism, in a question of a survey file: epsilons, or probabilities."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sotto_protocol.documents import MAX_DECIMALS, Fields, is_decimal
from sotto_protocol.errors import LocatedError
from sotto_protocol.mechanisms.thresholds import MAX_EPSILON, MIN_EPSILON, Stages

_FRACTION = re.compile(r"([0-9]{1,9})/([1-9][0-9]{0,8})")
_DECIMAL = re.compile(rf"[01]?\.[0-9]{{1,{MAX_DECIMALS}}}")
_EPSILON_DOMAIN = f"a number in [{MIN_EPSILON}, {MAX_EPSILON}] of at most {MAX_DECIMALS} decimals"


@dataclass(frozen=True, slots=True)
class Asked:
    """The members that a mechanism may take, and what is known already: the options, and epsilon.

    `epsilon` is that of one report, `epsilon_forever` that of all reports of one answer; None where it is left out.
    `min_reports`: the least number of reports that the survey promises. `people`: how many its author expects to answer
    the question (of a stratum, where there are some); None where that is not said.
    """

    fields: Fields
    n_options: int
    epsilon: Decimal | None
    epsilon_forever: Decimal | None = None
    min_reports: int = 1
    people: int | None = None

    def has(self, key: str) -> bool:
        """Whether a member is given."""
        return self.fields.has(key)

    def fail(self, key: str, problem: str) -> LocatedError:
        """Return the error for a member, to be raised."""
        return self.fields.fail(key, problem)

    def require_epsilon(self) -> Decimal:
        """Return epsilon. Raises the fields' error where it is left out."""
        if self.epsilon is None:
            raise self.fail("epsilon", f"is missing; expected {_EPSILON_DOMAIN}.")
        return self.epsilon

    def integer(self, key: str, low: int, high: int, default: int) -> int:
        """Return an integer in [low, high]."""
        return self.fields.integer(key, low, high) if self.has(key) else default

    def most_selected(self) -> int:
        """Return `max_selected`, how many options a person may select: all of them, where it is left out."""
        return self.integer("max_selected", 1, self.n_options, self.n_options)

    def flag(self, key: str) -> bool:
        """Return true or false; false where it is left out."""
        return self.has(key) and bool(self.fields.take(key, "true or false", lambda v: isinstance(v, bool)))

    def probs(self, *keys: str) -> list[Fraction]:
        """Return probabilities, each a decimal or a fraction."""
        expected = f'a probability: a decimal of at most {MAX_DECIMALS} places, or a fraction like "2/3"'
        return [Fraction(self.fields.take(key, expected, _is_prob)) for key in keys]

    def stages(self, n_differences: int) -> Stages:
        """Return RAPPOR's stages: by epsilon and epsilon_forever, or by its probabilities f, q and p."""
        if not self.has("prob_noise"):
            return Stages.of_epsilons(n_differences, self.require_epsilon(), self.epsilon_forever)
        if (self.epsilon, self.epsilon_forever) != (None, None):
            raise ValueError("must not have both epsilons and prob_noise.")
        if self.has("prob_if_one") or self.has("prob_if_zero"):
            return Stages.of_probs(*self.probs("prob_noise", "prob_if_one", "prob_if_zero"))
        return Stages.of_probs(*self.probs("prob_noise"))


def read_epsilon(fields: Fields, key: str) -> Decimal | None:
    """Return an epsilon that an author asks for, in nats; None where it is left out."""
    if not fields.has(key):
        return None
    return Decimal(fields.take(key, _EPSILON_DOMAIN, lambda v: is_decimal(v, MIN_EPSILON, MAX_EPSILON)))


def _is_prob(value: Any) -> bool:
    if isinstance(value, str):
        return any(form.fullmatch(value) for form in (_FRACTION, _DECIMAL)) and 0 <= Fraction(value) <= 1
    return is_decimal(value, Decimal(0), Decimal(1))

"""The receipt: what a respondent keeps of a report."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the respondent keeps: `id` (32 hexadecimal digits) names the report, `epsilon` in nats is what it took.

    If an answer was given in an earlier wave too, `epsilon` is what this report took beyond the earlier ones. If
    `is_summed`, `epsilon` is the total of this survey's reports of all waves: the device has forgotten the single ones.
    `keys` is known once a report of an oblivious survey is delivered. It is the SHA-256, in hexadecimal digits, of the
    gateway's keys for which it was encrypted. Everybody's are the same until the gateway has new ones.
    """

    id: str
    survey_id: str
    fingerprint: str
    epsilon: Decimal
    wave: int = 1
    is_summed: bool = False
    keys: str = ""

    def __str__(self) -> str:
        return self.id

"""sottovoce on the respondent's device: answers are perturbed here, and only noise leaves.

from sotto_client import SurveyClient

with SurveyClient("https://collector.example", "lunch") as device:
    receipt = device.answer({"paid": True})
"""

from typing import TYPE_CHECKING

from sotto_client.client import SurveyClient
from sotto_client.errors import (
    AlreadyAnswered,
    BudgetExceeded,
    ClientError,
    DeliveryError,
    InvitationError,
    ParticipationEnded,
    StateError,
    SurveyRefused,
    SurveyUnavailable,
)
from sotto_client.outbox import Rejected
from sotto_client.receipt import Receipt
from sotto_protocol import AnswerError, SottoError, __version__
from sotto_protocol.lazy import load_on_demand

if TYPE_CHECKING:
    from sotto_client.entropy import os_coins
    from sotto_protocol.explain import Explanation, QuestionExplanation, explain
    from sotto_protocol.readings import Accusation, Crowd, SeenReport, Suspicion

__all__ = [
    "Accusation",
    "AlreadyAnswered",
    "AnswerError",
    "BudgetExceeded",
    "ClientError",
    "Crowd",
    "DeliveryError",
    "Explanation",
    "InvitationError",
    "ParticipationEnded",
    "QuestionExplanation",
    "Receipt",
    "Rejected",
    "SeenReport",
    "SottoError",
    "StateError",
    "SurveyClient",
    "SurveyRefused",
    "SurveyUnavailable",
    "Suspicion",
    "__version__",
    "explain",
    "os_coins",
]

if not TYPE_CHECKING:  # else mypy would believe any name to be there
    __getattr__ = load_on_demand(
        __name__,
        {
            "sotto_client.entropy": "os_coins",
            "sotto_protocol.explain": "Explanation QuestionExplanation explain",
            "sotto_protocol.readings": "Accusation Crowd SeenReport Suspicion",
        },
    )


def __dir__() -> list[str]:
    return __all__

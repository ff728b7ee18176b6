"""sottovoce on the respondent's device: answers are perturbed here, and only noise leaves.

from sotto_client import SurveyClient

with SurveyClient("https://collector.example", "lunch") as device:
    receipt = device.answer({"paid": True})
"""

from sotto_client.client import SurveyClient
from sotto_client.entropy import os_coins
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
from sotto_protocol import AnswerError, SottoError
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
    "explain",
    "os_coins",
]

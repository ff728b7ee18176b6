"""sottovoce on the respondent's device: answers are perturbed here, and only noise leaves.

from sotto_client import SurveyClient

with SurveyClient("https://collector.example", "lunch") as device:
    receipt = device.answer({"paid": True})
"""

from typing import TYPE_CHECKING

from sotto_client.client import SurveyClient as SurveyClient
from sotto_client.errors import (
    AlreadyAnswered as AlreadyAnswered,
    BudgetExceeded as BudgetExceeded,
    ClientError as ClientError,
    DeliveryError as DeliveryError,
    InvitationError as InvitationError,
    NotAsked as NotAsked,
    ParticipationEnded as ParticipationEnded,
    StateError as StateError,
    SurveyRefused as SurveyRefused,
    SurveyUnavailable as SurveyUnavailable,
)
from sotto_client.outbox import Rejected as Rejected
from sotto_client.receipt import Receipt as Receipt
from sotto_protocol import AnswerError as AnswerError, SottoError as SottoError, __version__ as __version__
from sotto_protocol.lazy import load_on_demand

if TYPE_CHECKING:
    from sotto_client.entropy import os_coins as os_coins
    from sotto_protocol.explain import (
        Explanation as Explanation,
        QuestionExplanation as QuestionExplanation,
        explain as explain,
    )
    from sotto_protocol.readings import (
        Accusation as Accusation,
        Crowd as Crowd,
        SeenReport as SeenReport,
        Suspicion as Suspicion,
    )

if not TYPE_CHECKING:  # else mypy would believe any name to be there
    __getattr__, __dir__, __all__ = load_on_demand(
        __name__,
        {
            "sotto_client.client": "SurveyClient",
            "sotto_client.entropy": "os_coins",
            "sotto_client.errors": "AlreadyAnswered BudgetExceeded ClientError DeliveryError InvitationError"
            " NotAsked ParticipationEnded StateError SurveyRefused SurveyUnavailable",
            "sotto_client.outbox": "Rejected",
            "sotto_client.receipt": "Receipt",
            "sotto_protocol": "AnswerError SottoError",
            "sotto_protocol.explain": "Explanation QuestionExplanation explain",
            "sotto_protocol.readings": "Accusation Crowd SeenReport Suspicion",
        },
    )

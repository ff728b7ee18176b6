"""What can go wrong on the device: catch `ClientError` (or `SottoError`), raise a leaf. No message holds an answer.

SottoError
└── ClientError
    ├── SurveyRefused       a survey that this device will not answer: untruthful, too expensive, or not the pinned one
    ├── SurveyUnavailable   there is no survey: the collector has none or cannot be reached, and no copy may be used
    ├── BudgetExceeded      answering would take more epsilon than is left
    │   └── AlreadyAnswered     this device has answered this wave, and cannot tell that it was with these answers
    ├── NotAsked            the survey asks this device in other waves than this one
    ├── ParticipationEnded  this device has forgotten the secret of its noise, and makes no more reports of the survey
    ├── InvitationError     the survey needs an invitation and there is none, or needs none and there is one
    ├── StateError          the state file cannot be used
    └── DeliveryError       one exchange with the collector brought no reply (background delivery handles it)

The names without `Error` read as what happened; apps catch them, so they stay.
"""

from decimal import Decimal
from typing import TYPE_CHECKING

from sotto_client.receipt import Receipt
from sotto_protocol.errors import SottoError

if TYPE_CHECKING:
    from sotto_protocol.survey import Survey


def without_frames(fault: BaseException) -> BaseException:
    """Return an error, with its causes, as it is without the frames that it came through.

    Their variables hold answers, secrets and invitations, and programs that collect errors read them.
    """
    link: BaseException | None = fault
    while link is not None:
        link.__context__ = link.__traceback__ = None
        link = link.__cause__
    return fault


class ClientError(SottoError):
    """The base of what the client raises on purpose."""


class SurveyRefused(ClientError):  # noqa: N818  # reads as what happened
    """The device will not answer this survey; nothing was perturbed."""


class SurveyUnavailable(ClientError):  # noqa: N818  # reads as what happened
    """No survey is available now.

    `code` is the problem that the collector named, "unexpected" for any other reply, and empty if there was no reply.
    """

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class BudgetExceeded(ClientError):  # noqa: N818  # reads as what happened
    """Answering would spend more than is left. Nothing was charged or sent.

    `needed` and `left` are in nats. `limit` is the name of the limit that refuses.
    """

    def __init__(self, message: str, *, needed: Decimal, left: Decimal, limit: str) -> None:
        super().__init__(message)
        self.needed = needed
        self.left = left
        self.limit = limit


class AlreadyAnswered(BudgetExceeded):
    """This device has answered, as far as it knows with other answers. `receipt` is the first one."""

    def __init__(self, receipt: Receipt, survey: "Survey") -> None:
        wave = f"wave {receipt.wave} of " if survey.waves > 1 else ""
        super().__init__(
            f"this device has answered {wave}survey {survey.id!r} before (receipt {receipt.id}), whether or not that "
            f"report was counted. Another report would take epsilon {float(survey.epsilon):.4g} again.",
            needed=survey.epsilon,
            left=Decimal(0),
            limit="one report per wave" if wave else "one report per survey",
        )
        self.receipt = receipt


class NotAsked(ClientError):  # noqa: N818  # reads as what happened
    """The survey asks this device in other waves. Nothing was charged or sent. `waves`: those in which it is asked."""

    def __init__(self, survey: "Survey", wave: int, waves: tuple[int, ...]) -> None:
        listed = ", ".join(map(str, waves))
        super().__init__(f"survey {survey.id!r} does not ask this device in wave {wave}, but in {listed}.")
        self.wave = wave
        self.waves = waves


class ParticipationEnded(ClientError):  # noqa: N818  # reads as what happened
    """This device forgot the secret of its noise, so it answers no more waves. Nothing was charged or sent."""


class InvitationError(ClientError):
    """An invitation is missing, or was given for a survey that is open to all. Nothing was perturbed or charged."""


class StateError(ClientError):
    """The state file cannot be opened, read or written; the message names it."""


class DeliveryError(ClientError):
    """No whole reply came from the collector."""

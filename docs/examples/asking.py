"""Who answers on which device. A window asks them for the next respondent's, and knows nothing else of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sotto_client import AlreadyAnswered, SurveyClient

FINGERPRINT = "36b6e5840204e2a31d396bdc90af80ccc584ef3707d97e675073b34a62fca04e"


def open_device(url: str, state: Path | str) -> SurveyClient:
    """Return a respondent's device. Raises SottoError."""
    return SurveyClient(url, "lunch-page", state=state, fingerprint=FINGERPRINT, max_epsilon=6, timeout_s=5)


def answer(device: SurveyClient, answers: Mapping[str, Any]) -> str:
    """Answer, and return what to tell the respondent. Raises SottoError, in whose message no answer is."""
    try:
        return f"Thank you. Your receipt: {device.answer(answers)}"
    except AlreadyAnswered as again:
        return f"This device has answered before. Your receipt: {again.receipt}"


class OwnMachine:
    """One respondent's own machine: one device, which a file remembers."""

    idle_s = None

    def __init__(self, url: str, state: Path | str) -> None:
        self._device = open_device(url, state)

    def next_device(self) -> SurveyClient:
        return self._device

    def close(self) -> int:
        """Try to deliver for five seconds more; what is left waits in the file. Return how many are lost: none."""
        self._device.flush(5)
        self._device.close()
        return 0


class Kiosk:
    """One machine for all: a device in memory for each respondent, which is let go when its report is delivered."""

    idle_s = 120

    def __init__(self, url: str) -> None:
        self._url = url
        self._devices: list[SurveyClient] = []

    def next_device(self) -> SurveyClient:
        for device in [device for device in self._devices if not device.pending]:
            self._devices.remove(device)
            device.close()
        self._devices.append(open_device(self._url, ":memory:"))
        return self._devices[-1]

    def close(self) -> int:
        """Give every report that waits a last try; return how many are lost with this process's memory."""
        n_lost = sum(not device.flush(2) for device in self._devices)
        for device in self._devices:
            device.close()
        return n_lost

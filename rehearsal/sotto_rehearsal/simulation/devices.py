"""Many devices at once, wave after wave: of one question, what each has for good, and what it reports.

The same as `sotto_client.reporting.report_answer` does for one device, by the same functions of the mechanism. There
the coins of the group, of settling and of each permanent response come of the device's secret; here they are drawn
when they are first needed, and kept.
"""

import numpy as np

from sotto_protocol import Coins
from sotto_protocol.mechanisms.mechanism import Bytes, Mechanism
from sotto_rehearsal.simulation.answers import Encoded
from sotto_rehearsal.simulation.randomness import remembered


class Devices:
    """So many devices that answer one question, so often under the same noise; if once, each report has its own."""

    def __init__(self, mechanism: Mechanism, n_devices: int, n_waves: int, coins: Coins) -> None:
        self._mechanism, self._coins = mechanism, coins
        self._is_asked_again = n_waves > 1
        self.group = mechanism.draw_group(n_devices, coins)
        self._settling = remembered(coins)
        self._is_first = True
        self._known: list[tuple[Encoded, Bytes]] = []

    def report(self, answers: Encoded) -> Bytes:
        """Return each device's report of its answer, shape (n, n_bytes), by fresh coins."""
        if not (self._is_first or self._is_asked_again):
            self.group = self._mechanism.draw_group(len(answers), self._coins)
        self._is_first = False
        coins = self._settling() if self._is_asked_again else self._coins
        settled = self._mechanism.settle(answers, coins)
        if not self._is_asked_again:
            return self._mechanism.perturb_by_stages(settled, self.group, self._coins, self._coins)
        return self._mechanism.report(self._respond(settled), self._coins)

    def _respond(self, settled: Encoded) -> Bytes:
        """Return the permanent responses: an answer that a device has reported before has the same as then."""
        response = np.empty((len(settled), self._mechanism.n_bytes), np.uint8)
        is_new = np.ones(len(settled), np.bool_)
        for earlier, known in self._known:
            same = is_new & (settled == earlier).reshape(len(settled), -1).all(axis=1)
            response[same] = known[same]
            is_new &= ~same
        if is_new.any() or not self._known:
            response[is_new] = self._mechanism.respond_permanently(settled[is_new], self.group[is_new], self._coins)
            self._known.append((settled, response))
        return response

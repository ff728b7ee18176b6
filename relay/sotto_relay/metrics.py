"""What is counted, as Prometheus reads it. No time stands in it, no address and no size: only how many."""

from collections import Counter
from dataclasses import dataclass, field

TYPE = "text/plain; version=0.0.4"


@dataclass(slots=True)
class Metrics:
    """Counts since the relay started."""

    answered: Counter[str] = field(default_factory=Counter)
    """Requests by what became of them: passed_on, key_unknown, unreached, late, full, refused."""

    def text(self, *, n_waiting: int, n_batches: int, n_refused_keys: int, epoch: int) -> str:
        """Return all counts in Prometheus' text format."""
        outcomes = [f'sotto_relay_requests_total{{outcome="{name}"}} {n}' for name, n in sorted(self.answered.items())]
        lines = [
            "# HELP sotto_relay_requests_total Requests, by what became of them.",
            "# TYPE sotto_relay_requests_total counter",
            *outcomes,
            *_one("batches_total", "counter", "Batches that were passed on.", n_batches),
            *_one("waiting", "gauge", "Requests that wait for a batch or for their reply.", n_waiting),
            *_one(
                "refused_keys_total", "counter", "Key configurations that contradict an earlier one.", n_refused_keys
            ),
            *_one("keys_epoch", "gauge", "Epoch of the keys that devices are given; 0, none.", epoch),
        ]
        return "\n".join([*lines, ""])


def _one(name: str, kind: str, said: str, value: int) -> list[str]:
    name = f"sotto_relay_{name}"
    return [f"# HELP {name} {said}", f"# TYPE {name} {kind}", f"{name} {value}"]

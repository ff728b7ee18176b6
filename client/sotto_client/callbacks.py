"""What an app is told of its reports: by functions of its own, called as each is delivered, or refused for good."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from inspect import iscoroutine, iscoroutinefunction

from sotto_client.outbox import Rejected
from sotto_client.receipt import Receipt

_log = logging.getLogger("sottovoce")


@dataclass(frozen=True, slots=True)
class Callbacks:
    """An app's functions. They get what the device keeps, which holds no answer. Raises ValueError for what is none."""

    on_delivered: Callable[[Receipt], object] | None = None
    on_rejected: Callable[[Rejected], object] | None = None

    def __post_init__(self) -> None:
        for name in ("on_delivered", "on_rejected"):
            given = getattr(self, name)
            is_awaited = iscoroutinefunction(given) or iscoroutinefunction(type(given).__call__)
            if given is not None and (not callable(given) or is_awaited):
                raise ValueError(f"{name} must be a plain function, because nobody awaits what it returns.")

    def tell(self, outcome: Receipt | Rejected | None) -> None:
        """Call the function that goes with an outcome. What it raises is logged by its type, no more."""
        callback = self.on_delivered if isinstance(outcome, Receipt) else self.on_rejected
        if outcome is None or callback is None:
            return
        name = "on_delivered" if isinstance(outcome, Receipt) else "on_rejected"
        try:
            returned = callback(outcome)  # type: ignore[arg-type]  # the one that takes it
            if iscoroutine(returned):
                returned.close()
                _log.warning("%s returned a coroutine: nobody awaits it.", name)
        except BaseException as fault:  # SystemExit too: it would end the thread that delivers, and nothing else
            _log.warning("%s raised %s; delivery goes on.", name, type(fault).__name__)

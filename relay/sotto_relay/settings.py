"""What a relay is told: which gateway it serves, where it listens, and how it mixes."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from sotto_relay.errors import SettingError

MAX_BATCH = 10_000
MAX_WAIT_S = 20
"""A device waits for a reply for 30 seconds."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`gateway`: the collector's address. `batch`: a batch goes when it has so many requests, in [1, 10,000], or as
    many as can be passed on in time (`Mixer`); `wait`: or so many seconds after its first one came, in [0, 20].
    `max_body_bytes`, of one request; `max_waiting_bytes`, of all that wait. `metrics_port`: where metrics are served,
    on 127.0.0.1; None, nowhere. Raises SettingError.
    """

    gateway: str
    host: str = "127.0.0.1"
    port: int = 8100
    batch: int = 20
    wait: float = 5.0
    max_body_bytes: int = 2**16
    max_waiting_bytes: int = 2**26
    metrics_port: int | None = None

    def __post_init__(self) -> None:
        _check("batch", self.batch, 1, MAX_BATCH)
        _check("wait", self.wait, 0, MAX_WAIT_S)
        _check("max-body-bytes", self.max_body_bytes, 2**10, 2**24)
        _check("max-waiting-bytes", self.max_waiting_bytes, self.max_body_bytes, 2**34)
        object.__setattr__(self, "gateway", _check_gateway(self.gateway))


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise SettingError(f"{name} must be in [{low:,}, {high:,}].")


def _check_gateway(url: str) -> str:
    """Return the address without a trailing slash. Raises SettingError, which quotes nothing."""
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
        is_plain = is_plain and not parts.query and not parts.fragment and parts.port != 0
    except ValueError:
        is_plain = False
    if not is_plain or not url.isascii() or not url.isprintable() or " " in url:
        raise SettingError("gateway must be http:// or https://, a host, and no user, password, query or fragment.")
    return url.rstrip("/")

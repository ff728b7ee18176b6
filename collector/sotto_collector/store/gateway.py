"""The keys of the gateway: made, signed and erased. Two an epoch: X25519, and P-256 for browsers that lack it.

Devices encrypt with the newest for USED_DAYS. For OVERLAP_DAYS more the gateway decrypts what is still under way, then
the private part is erased: what anybody recorded of the traffic can never be read again.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from importlib.util import find_spec

from sqlalchemy import Connection, delete, insert, select, update

from sotto_collector.errors import GatewayError
from sotto_collector.store.schema import gateway_identity, gateway_keys
from sotto_collector.store.store import Store
from sotto_collector.store.transaction import Transaction
from sotto_protocol.extras import install_command
from sotto_protocol.gateway_keys import KEMS, X25519, KeyConfiguration, SignedKeys, write_keys

USED_DAYS = 30
OVERLAP_DAYS = 15
"""More than a device keeps a report back (a week) and then tries to send it without being told of new keys."""
N_IDS = 256
NEEDS_EXTRA = f"a gateway needs: {install_command('oblivious')}"


@dataclass(frozen=True, slots=True)
class GatewayKey:
    """A key pair; `private` is b"" once it was erased, and in a backup."""

    key_id: int
    kem: int
    private: bytes
    public: bytes
    epoch: int
    made_on: str
    used_until: str
    erase_on: str


def is_possible() -> bool:
    """Return whether what encrypts is installed."""
    return find_spec("pyhpke") is not None


def read_keys(connection: Connection) -> list[GatewayKey]:
    """Return all keys that are known, the newest first, of an epoch that of X25519 first."""
    rows = connection.execute(select(gateway_keys)).mappings()
    known = [GatewayKey(**{**row, **{name: bytes(row[name]) for name in ("private", "public")}}) for row in rows]
    return sorted(known, key=lambda key: (-key.epoch, KEMS.index(key.kem)))


def read_identity(connection: Connection) -> bytes | None:
    """Return the public key that surveys name; None before the first `make_keys`."""
    public = connection.scalar(select(gateway_identity.c.public))
    return None if public is None else bytes(public)


def usable(keys: Sequence[GatewayKey], today: str) -> list[GatewayKey]:
    """Return the keys that devices are given on a day: those of the newest epoch, unless their time is over."""
    return [key for key in keys if key.epoch == keys[0].epoch and key.private and key.used_until >= today]


def sign(connection: Connection, message: bytes) -> bytes:
    """Return the identity's signature; each kind of message begins with a line of its own. There is an identity."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = bytes(connection.execute(select(gateway_identity.c.private)).scalar_one())
    return Ed25519PrivateKey.from_private_bytes(private).sign(message)


def sign_keys(connection: Connection, keys: Sequence[GatewayKey]) -> SignedKeys:
    """Return the keys of one epoch as devices are given them, signed: the same bytes every time."""
    listed = write_keys(tuple(KeyConfiguration(key.key_id, key.kem, key.public) for key in keys))
    unsigned = SignedKeys(keys[0].epoch, listed, keys[0].used_until)
    return SignedKeys(unsigned.epoch, listed, unsigned.until, sign(connection, unsigned.signed))


def make_keys(store: Store, *, is_restored: bool = False) -> list[GatewayKey]:
    """Make the keys of a new epoch, and the identity where there is none; return them.

    `is_restored`: the store may not know the last epochs. Raises GatewayError without the extra, StoreUnavailableError.
    """
    if not is_possible():
        raise GatewayError(f"{NEEDS_EXTRA}.")
    return store.run(lambda transaction: _make(transaction, is_restored=is_restored))


def _make(transaction: Transaction, *, is_restored: bool) -> list[GatewayKey]:
    connection = transaction.connection
    transaction.lock_ids()  # two that make keys at once would give them one epoch
    if read_identity(connection) is None:
        connection.execute(
            insert(gateway_identity),
            dict(zip(("private", "public"), _draw_identity(), strict=True)) | {"identity_key": 1},
        )
    known, today = read_keys(connection), transaction.today()
    epoch = max(known[0].epoch + 1 if known else 1, (day := date.fromisoformat(today)).toordinal() - _UNIX_DAY)
    if known and (is_restored or not known[0].private):
        epoch = max(epoch, time.time_ns() // 1_000_000)  # a store that is restored twice must not use one epoch twice
    used_until = (day + timedelta(USED_DAYS)).isoformat()
    erase_on = (day + timedelta(USED_DAYS + OVERLAP_DAYS + 1)).isoformat()
    made = [
        GatewayKey(key_id, kem, *_draw(kem), epoch, today, used_until, erase_on)
        for key_id, kem in zip(_free_ids(known), KEMS, strict=False)
    ]
    connection.execute(delete(gateway_keys).where(gateway_keys.c.key_id.in_([key.key_id for key in made])))
    connection.execute(
        insert(gateway_keys), [{name: getattr(key, name) for name in GatewayKey.__slots__} for key in made]
    )
    return made


def _free_ids(known: Sequence[GatewayKey]) -> list[int]:
    """Return two ids that no private key has, those that were never used or longest ago first."""
    newest = {key.key_id: key.epoch for key in known if key.private}
    last = {key.key_id: key.epoch for key in known}
    free = sorted(
        (key_id for key_id in range(N_IDS) if key_id not in newest), key=lambda key_id: (last.get(key_id, 0), key_id)
    )
    if len(free) < len(KEMS):
        raise GatewayError(f"{N_IDS // len(KEMS)} epochs have keys: erase some first (sotto gateway key erase).")
    return free[: len(KEMS)]


_UNIX_DAY = date(1970, 1, 1).toordinal()


def erase_keys(transaction: Transaction, *, older_than: int | None = None) -> int:
    """Erase the private keys whose day has come, or of all epochs below `older_than`; return how many they were."""
    columns = gateway_keys.c
    these = columns.erase_on <= transaction.today() if older_than is None else columns.epoch < older_than
    held = [key.key_id for key in read_keys(transaction.connection) if key.private]
    gone = update(gateway_keys).where(these, columns.key_id.in_(held)).values(private=b"")
    return int(transaction.connection.execute(gone).rowcount)


def blank_keys(connection: Connection) -> None:
    """Erase all private keys but the identity's, of a copy that is a backup: it would outlive them."""
    connection.execute(update(gateway_keys).values(private=b""))


def has_due(store: Store) -> bool:
    """Return whether the day of a private key has come. Raises StoreUnavailableError."""
    with store.reader() as connection:
        return any(key.private and key.erase_on <= store.today() for key in read_keys(connection))


def renew_restored(store: Store) -> bool:
    """Make new keys in a restored store that had a gateway; return whether it did, and could."""
    with store.reader() as connection:
        has_identity = read_identity(connection) is not None
    if has_identity and is_possible():
        make_keys(store, is_restored=True)
    return has_identity and is_possible()


def _draw_identity() -> tuple[bytes, bytes]:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.generate()
    return private.private_bytes_raw(), private.public_key().public_bytes_raw()


def _draw(kem: int) -> tuple[bytes, bytes]:
    """Return a private key as its 32 bytes, and the public one as HPKE sends it."""
    from cryptography.hazmat.primitives.asymmetric import ec, x25519
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    if kem == X25519:
        private = x25519.X25519PrivateKey.generate()
        return private.private_bytes_raw(), private.public_key().public_bytes_raw()
    on_curve = ec.generate_private_key(ec.SECP256R1())
    number = on_curve.private_numbers().private_value.to_bytes(32, "big")
    return number, on_curve.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

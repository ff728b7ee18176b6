"""Where an archive is in an S3-compatible store: the address as it is typed, read strictly, never with a secret."""

import errno
import re
from dataclasses import dataclass

from sotto_protocol.errors import SottoError

SCHEME = "s3://"
_OPTIONS = ("endpoint_override", "region", "scheme")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_VALUE = re.compile(r"[A-Za-z0-9.:\[\]-]+")
_REASON = re.compile(r"AWS Error ([A-Z_]+)")
FORM = "s3://BUCKET/PREFIX, then perhaps ?endpoint_override=HOST:PORT&scheme=http&region=REGION"


class AddressError(SottoError):
    """An address is not one of a store."""


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """A prefix in a bucket. `options` are those of `pyarrow.fs.S3FileSystem`, which finds the credentials itself."""

    bucket: str
    prefix: str
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{SCHEME}{self.path()}"

    def path(self, name: str = "") -> str:
        """Return the path of an object under the prefix, or of the prefix itself, as the store has it."""
        return "/".join(filter(None, (self.bucket, self.prefix, name)))


def names_store(text: object) -> bool:
    """Return whether this is meant as a store's address."""
    return isinstance(text, str) and text.lower().startswith(SCHEME)


def read_address(text: str) -> StoreAddress:
    """Read an address. Raises AddressError, which never quotes what may be a secret."""
    place, mark, query = text.partition("?")
    bucket, _, path = place[len(SCHEME) :].partition("/")
    if "@" in bucket:
        raise AddressError(
            "the address of a store must have no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the "
            "environment."
        )
    if not place.startswith(SCHEME) or not _BUCKET.fullmatch(bucket):
        raise AddressError(f"the address of a store must be {FORM}.")
    prefix = path.strip("/")
    if prefix and {"", ".", ".."} & {*prefix.split("/")}:
        raise AddressError(f"{place} must have a prefix without empty steps, . and ..")
    return StoreAddress(bucket, prefix, _read_options(query) if mark else ())


def _read_options(query: str) -> tuple[tuple[str, str], ...]:
    given: dict[str, str] = {}
    for option in query.split("&"):
        name, _, value = option.partition("=")
        if name not in _OPTIONS:  # perhaps a secret's name: its value is not quoted
            raise AddressError(f"the address of a store has {name[:40]!r}; it may have {', '.join(_OPTIONS)}.")
        if name in given or not _VALUE.fullmatch(value):
            raise AddressError(f"{name} must be in the address of a store once, of letters, digits and . : - [ ].")
        given[name] = value
    if given.get("scheme", "https") not in ("http", "https"):
        raise AddressError(f"scheme ({given['scheme']}) must be http or https.")
    return tuple(sorted(given.items()))


def without_secrets(fault: OSError) -> OSError:
    """Return what a store's client raised with a reason in words alone: its own text may quote a request."""
    if isinstance(fault, FileNotFoundError):
        return FileNotFoundError(errno.ENOENT, "the store has no such file")
    found = _REASON.search(str(fault))
    return OSError(errno.EIO, f"the store says {found[1].lower().replace('_', ' ')}" if found else "the store failed")

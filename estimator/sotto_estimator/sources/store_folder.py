"""An archive's files in an S3-compatible store, to be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sotto_estimator.errors import SourceError
from sotto_estimator.results.data_frames import require_frames
from sotto_protocol.store_address import AddressError, StoreAddress, read_address, without_secrets

if TYPE_CHECKING:
    from pyarrow.fs import S3FileSystem


@dataclass(frozen=True)
class StorePath:
    """A prefix in a bucket, or with a `name` a file under it. As much of a `Path` as an archive's reader needs."""

    address: StoreAddress
    name: str = ""

    def __str__(self) -> str:
        return f"{self.address}/{self.name}" if self.name else str(self.address)

    def __truediv__(self, name: str) -> "StorePath":
        return StorePath(self.address, name)

    def read_bytes(self) -> bytes:
        """Return a file's content. Raises OSError, without what the store said word for word."""
        with _in_words(), _connect(self.address.options).open_input_file(self.address.path(self.name)) as source:
            return bytes(source.read())


def store_path(text: str) -> StorePath:
    """Return what a store's address names. Raises SourceError, and MissingExtra without pyarrow."""
    require_frames("an archive in a store", "pyarrow")
    try:
        return StorePath(read_address(text))
    except AddressError as fault:
        raise SourceError(str(fault)) from None


@lru_cache(maxsize=4)
def _connect(options: tuple[tuple[str, str], ...]) -> "S3FileSystem":
    """Return a store's client. Its credentials are those of the environment."""
    from pyarrow.fs import S3FileSystem

    return S3FileSystem(**dict(options))


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise without_secrets(fault) from None

"""Journals as earlier versions wrote them: their lines have no number."""

import hashlib
from pathlib import Path

import msgspec

from sotto_collector.journal import Act


def old_line(did: object) -> bytes:
    """Return a line of one."""
    written = msgspec.json.encode(did)
    return b'{"did":%s,"check":"%s"}\n' % (written, hashlib.sha256(written).hexdigest()[:16].encode())


def write_old_journal(path: Path, identity: bytes, *acts: Act) -> list[bytes]:
    """Write one of the store with this identity; return its lines."""
    head = {"format": "sottovoce-journal-1", "journal": "1" * 32, "store": identity.hex()}
    lines = [old_line(head), *map(old_line, acts)]
    path.write_bytes(b"".join(lines))
    return lines

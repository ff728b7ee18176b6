"""Where phones reach this machine."""

import ipaddress
import socket
from urllib.parse import urlsplit

from sotto_author.errors import AuthorError

_NOWHERE = ("192.0.2.1", 9)
"""Set aside for examples (RFC 5737). Nothing is sent there: the system only says from which address it would."""


def find_lan_address() -> str:
    """Return this machine's address in the local network. Raises AuthorError where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(_NOWHERE)
            found = str(asking.getsockname()[0])
        except OSError:
            found = "127.0.0.1"
    if ipaddress.ip_address(found).is_loopback:
        raise AuthorError("this machine is in no network. Join one, or give its address with --host.")
    return found


def is_this_machine(host: str) -> bool:
    """Whether only this machine reaches an address to listen on."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_everywhere(host: str) -> bool:
    """Whether an address means all addresses of this machine: then it leads nobody here."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def needs_help(url: str) -> bool:
    """Whether browsers lend a page at this address no cryptography: it comes by http from another machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts.scheme == "http" and not (is_this_machine(host) or host.endswith(".localhost"))

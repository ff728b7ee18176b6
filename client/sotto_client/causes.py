"""Why an exchange brought no reply: in words for people, and the system's own error, without what was sent."""

import errno
import socket
import ssl
from collections.abc import Callable, Iterator

from requests import RequestException
from urllib3.exceptions import ProxyError

from sotto_client.errors import DeliveryError, without_frames

_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN)
_KINDS: tuple[tuple[type[OSError], Callable[[OSError], str]], ...] = (  # the narrower ones first
    (ssl.SSLCertVerificationError, lambda f: f"its certificate is not trusted (TLS: {f.verify_message:.80})"),  # type: ignore[attr-defined]  # OpenSSL's words
    (ssl.SSLError, lambda _: "no TLS connection could be made; it may speak only http://"),
    (socket.gaierror, lambda _: "its name could not be looked up (DNS)"),
    (ConnectionRefusedError, lambda _: "the connection was refused, nothing listens there"),
    (TimeoutError, lambda _: "it took too long"),
    (ConnectionError, lambda _: "the connection was cut"),
    (OSError, lambda f: "there is no network, or no way to it" if f.errno in _NO_WAY else _name(f)),
)


def unanswered(fault: BaseException, asked: str = "collector") -> DeliveryError:
    """Return what is raised in the place of a library's fault, which holds the request, and so what was sent in it.

    `asked`: the collector, or a relay.

    Its cause is what the operating system or TLS said, if that is known; without frames, whose variables could be read.
    """
    chain = [*_chain_of(fault)]
    where = "the proxy: " if any(isinstance(link, ProxyError) for link in chain) else ""
    for kind, say in _KINDS:
        for link in chain:
            if isinstance(link, kind) and not isinstance(link, RequestException):  # which are OSErrors too
                failed = DeliveryError(f"no answer from the {asked}: {where}{say(link)}.")
                link.__cause__ = None
                failed.__cause__ = without_frames(link)
                return failed
    return DeliveryError(f"no answer from the {asked} ({type(fault).__name__}).")


def _name(fault: OSError) -> str:
    return f"{fault.strerror or type(fault).__name__:.80}"


def _chain_of(fault: BaseException) -> Iterator[BaseException]:
    """Yield an error and all that it came of, the ways that urllib3 keeps it included."""
    found, left = {id(fault)}, [fault]
    while left:
        link = left.pop(0)
        yield link
        for cause in (link.__cause__, link.__context__, getattr(link, "reason", None), *link.args):
            if isinstance(cause, BaseException) and id(cause) not in found:
                found.add(id(cause))
                left.append(cause)

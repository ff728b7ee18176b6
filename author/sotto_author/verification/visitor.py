"""Fetches what a visitor's browser would fetch, and tells the collector nothing else."""

import os
from dataclasses import dataclass

import requests
from urllib3.exceptions import HTTPError

from sotto_author.errors import Unreachable

USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
LANGUAGE = "en-US,en;q=0.5"
"""What it prefers, as an Accept-Language."""
DIRECT = "direct"
TIMEOUT_S = 30.0
MAX_BYTES = 2**24
_CHUNK_BYTES = 2**16
_PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response: its status, its headers by their names in lower case, all of its body."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who opens pages from one place: by a proxy, `http://`, `https://` or `socks5h://`, or directly."""

    place: str = DIRECT

    def open(self, address: str, *, is_page: bool = False) -> Fetched:
        """Return the response to a GET without cookie, token or cache; redirects are not followed.

        Raises Unreachable where no whole response came.
        """
        headers = {"User-Agent": USER_AGENT, "Accept": _PAGE if is_page else "*/*", "Accept-Language": LANGUAGE}
        proxies = {} if self.place == DIRECT else {"http": self.place, "https": self.place}
        try:
            with requests.Session() as session:
                session.trust_env = False  # neither a proxy of the environment's nor a password of ~/.netrc
                session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or True
                session.proxies = proxies
                asked = session.get(address, headers=headers, timeout=TIMEOUT_S, allow_redirects=False, stream=True)
                with asked as response:
                    body = b""
                    for chunk in response.iter_content(_CHUNK_BYTES):
                        body += chunk
                        if len(body) > MAX_BYTES:
                            raise Unreachable(f"{address} has more than {MAX_BYTES:,} bytes.")
                    return Fetched(response.status_code, _lower(response), body)
        except (requests.RequestException, HTTPError, ValueError) as fault:
            raise Unreachable(f"{address} could not be fetched {self.said}: {_reason(fault)}.") from fault

    @property
    def said(self) -> str:
        """In words, from where."""
        return "directly" if self.place == DIRECT else f"through {self.place}"


def _reason(fault: Exception) -> str:
    """Return why, in a few words: requests' own messages have addresses of memory in them."""
    if isinstance(fault, requests.exceptions.InvalidSchema):
        return "such a proxy needs: pip install pysocks"
    return type(fault).__name__


def _lower(response: requests.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}

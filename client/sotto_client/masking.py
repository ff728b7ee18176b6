"""Messages that people see, without the passwords that they typed into an address."""

import re

from sotto_protocol.words import escaped_lines

# One slash is enough: a URL that was taken for a path has lost the other.
_USER_OF_URL = re.compile(r"([a-z][a-z0-9+.-]*:/{1,2})(?:[^/\n]*|\S*)@", re.IGNORECASE)
_USER = re.compile(r"[^\s'\"/*]+:(?!/)[^\s'\"]+@")  # where no scheme was typed


def mask_passwords(text: str) -> str:
    """Return a message in which no URL has a user or a password any more.

    >>> mask_passwords("https://me:s3cret@example.org/x is not there")
    'https://***@example.org/x is not there'
    >>> mask_passwords("me:s3cret@example.org could not be reached")
    '***@example.org could not be reached'
    """
    return _USER.sub("***@", _USER_OF_URL.sub(r"\1***@", text))


def displayed(said: str) -> str:
    """Return a message without passwords, and with escapes for what would steer a terminal."""
    return escaped_lines(mask_passwords(said))

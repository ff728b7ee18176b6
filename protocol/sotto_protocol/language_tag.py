"""Language tags, as BCP 47 (RFC 5646) writes them: a language, and where they matter a script, a region, variants."""

import re
from typing import Any

USUAL_TAG = "en"
TAG_EXPECTED = "a language tag (BCP 47) such as en, pt-BR, zh-Hant or de-x-easy, its letters in the usual case"
MAX_TAG = 35
_TAG = re.compile(
    "[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-x(-[a-z0-9]{1,8})+)?"
)


def is_tag(value: Any) -> bool:
    """Whether value is a well-formed tag in the case that RFC 5646 recommends: so one language has one text.

    No variant is there twice (section 2.2.5); what follows x may be.

    >>> is_tag("pt-BR"), is_tag("pt-br"), is_tag("english"), is_tag("de-1901-1901")
    (True, False, False, False)
    """
    if not isinstance(value, str) or len(value) > MAX_TAG or _TAG.fullmatch(value) is None:
        return False
    subtags = value.partition("-x-")[0].split("-")
    return len(set(subtags)) == len(subtags)

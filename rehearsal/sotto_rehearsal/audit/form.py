"""Whether all lines of a program have one form: the same members in the same order, the same blanks, one way to write.

Blanks, the order of members, an escape in a string or a number with an exponent can carry an answer as well as a bit.
"""

import re
from collections.abc import Sequence

from sotto_protocol import Survey
from sotto_rehearsal.audit.checks import Check

_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*)"(\s*:)?|true|false|null|-?[0-9][0-9.eE+-]*')


def check_form(survey: Survey, lines: Sequence[bytes]) -> Check:
    """Return whether lines of JSON, each a report of the survey, are written alike; it needs no chance."""
    name = "lines of one form"
    order = [question.id for question in survey.questions]
    answer = re.compile(b'"(%b)"([ ]*:[ ]*(?:[a-z]|\\[[^\\]]*\\]))' % b"|".join(map(str.encode, order)))
    seen: dict[bytes, int] = {}
    of_answers: dict[bytes, bytes] = {}
    for number, line in enumerate(lines, 1):
        form = _TOKEN.sub(_hide, line)
        if survey.draw:  # which questions there are differs, so each is compared with itself
            sent = answer.findall(form)
            if [of_answers.setdefault(*each) for each in sent] != [written for _, written in sent]:
                return Check(name, False, f"line {number:,} has an answer that is written in another way than before")
            ids = [question_id.decode() for question_id, _ in sent]
            if ids not in (sorted(ids, key=order.index), sorted(ids)):
                return Check(name, False, f"line {number:,} has its answers in another order than the survey's")
            form = answer.sub(b"a", form)
        seen.setdefault(form, number)
    if len(seen) == 1:
        return Check(name, True, f"{len(lines):,} lines have the same members, in one order, and the same blanks")
    first, other = sorted(seen.values())[:2]
    said = f"{len(seen):,} forms: lines {first:,} and {other:,} differ in members, their order, blanks or ways to write"
    return Check(name, False, said)


def _hide(token: re.Match[bytes]) -> bytes:
    """Return a token without what it says: a name of a member stays, of a value only the way in which it is written."""
    text = token[0]
    if token[2] is not None:
        return text
    if text.startswith(b'"'):
        return b"e" if b"\\" in token[1] else b"s"
    if text in (b"true", b"false"):
        return b"b"
    return b"n" if text == b"null" else b"i" if text.lstrip(b"-").isdigit() else b"f"

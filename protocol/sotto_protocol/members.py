"""The members that an author's definition and a published survey have in common, and their domains.

What is set of a whole survey has one table, `Settings`: another member is another line of it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from sotto_protocol.blind import is_key
from sotto_protocol.documents import Fields, is_text, say_length, say_list, text_expected
from sotto_protocol.errors import SurveyError, together
from sotto_protocol.language_tag import TAG_EXPECTED, USUAL_TAG, is_tag

ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
MAX_QUESTIONS = 200
MAX_WAVES = 1000
MAX_PEOPLE = 10**9
CROWD = f"an integer in [1, {MAX_PEOPLE}]"
MAX_COUNTS = 2**22
"""Of a survey's tallies, all waves together: 32 MiB of 64-bit counts."""
MAX_MIN_REPORTS = 1_000_000
MAX_ERASE_AFTER = 3653
"""Days: ten years."""
REPORTS, COUNTS = KEEPS = ("reports", "counts")
"""What a collector may keep of a survey: every report, or the counts of them and their random ids."""
DIRECT, OBLIVIOUS = DELIVERIES = ("direct", "oblivious")
"""How devices reach a collector: by themselves, or through a relay of somebody else's, encrypted for the gateway."""
POPULATION, RESPONDENTS = TARGETS = ("population", "respondents")
"""Whom results may be about: all of whom those who answer are a sample, or these people alone."""
MAX_TEXT = 2000
LENGTHS = dict.fromkeys(("title", "introduction", "text"), MAX_TEXT) | {
    "controller": 200,
    "contact": 200,
    "section": 200,
    "unit": 40,
}
"""The most characters of each text that respondents read, but for options."""
PLAIN, BLIND = INVITATIONS = ("plain", "blind")
"""How an invitation admits a report: it is sent with it, or is traded for a token that nobody can join to it."""
MAX_TOKEN_KEYS = 64
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PORT = "6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}"
_RELAY = re.compile(
    rf"(https://[a-z0-9]([a-z0-9.\-]{{0,251}}[a-z0-9])?|http://(localhost|127\.0\.0\.1))(:({_PORT}))?(/[A-Za-z0-9._~\-]+)*"
)
RELAY_EXPECTED = "an address such as https://relay.example, without / at its end"
MAX_RELAY = 300
"""Characters of a relay's address."""
_GATEWAY_KEY = re.compile("[0-9a-f]{64}")
MAX_STRATA = 64
MAX_STRATUM = 40
"""Characters of a stratum's name."""


def read_id(fields: Fields) -> str:
    """Take the member `id`: of a survey or of a question."""
    value: str = fields.take(
        "id",
        "1 to 64 lower-case letters, digits, - or _, the first a letter or digit",
        lambda v: isinstance(v, str) and ID_PATTERN.fullmatch(v) is not None,
    )
    return value


def is_crowd(value: Any) -> bool:
    """Whether value is a number of people that an author may expect."""
    return type(value) is int and 1 <= value <= MAX_PEOPLE


def _setting(
    usual: Any, expected: str, accepts: Callable[[Any], bool], say_why: Callable[[Any], str] | None = None
) -> Any:
    return field(default=usual, metadata={"expected": expected, "accepts": accepts, "say_why": say_why})


def _integer(usual: int, low: int, high: int) -> Any:
    return _setting(usual, f"an integer in [{low}, {high}]", lambda v: type(v) is int and low <= v <= high)


def _flag() -> Any:
    return _setting(False, "true or false", lambda v: type(v) is bool)


def _word(words: tuple[str, ...]) -> Any:
    return _setting(words[0], "one of " + ", ".join(words), lambda v: type(v) is str and v in words)


def _strata() -> Any:
    expected = f"a list of 2 to {MAX_STRATA} different names, each of 1 to {MAX_STRATUM} characters, no blanks around"
    return _setting((), expected, _are_strata, partial(say_list, "Name", range(2, MAX_STRATA + 1), MAX_STRATUM))


def _are_strata(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and 2 <= len(value) <= MAX_STRATA
        and all(is_text(name, MAX_STRATUM) and name == name.strip(" ") for name in value)
        and len(set(value)) == len(value)
    )


def is_relay(value: Any) -> bool:
    """Whether value is a relay's address: https, or http on this machine."""
    return isinstance(value, str) and len(value) <= MAX_RELAY and _RELAY.fullmatch(value) is not None


def _gateway_key() -> Any:
    return _setting(
        "",
        "64 hexadecimal digits in lower case: the key of the collector's gateway (sotto publish writes it)",
        lambda v: isinstance(v, str) and _GATEWAY_KEY.fullmatch(v) is not None,
    )


def _token_keys() -> Any:
    expected = f"a list of 1 to {MAX_TOKEN_KEYS} different RSA moduli of 2,048 bits, in base64url without padding"
    return _setting((), expected, _are_token_keys)


def _are_token_keys(value: Any) -> bool:
    is_list = isinstance(value, list | tuple) and 1 <= len(value) <= MAX_TOKEN_KEYS
    return is_list and all(map(is_key, value)) and len(set(value)) == len(value)


def _text(name: str) -> Any:
    most = LENGTHS[name]
    return _setting("", text_expected(most), partial(is_text, max_length=most), partial(say_length, most))


def is_day(value: Any) -> bool:
    """Whether value is a day of the calendar, as 2026-12-31."""
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return False
    year, month, day = map(int, value.split("-"))
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    n_days = 28 + is_leap if month == 2 else 30 + (month in (1, 3, 5, 7, 8, 10, 12))
    return year >= 1 and 1 <= month <= 12 and 1 <= day <= n_days


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What is set of a whole survey: each with what it is where it is left out, and its domain where it is given.

    `waves` in [1, 1000]: how often it is asked. A device sends one report a wave, under the same permanent responses
    (but see `asked_in`).
    `invited`: every report comes with an invitation, which is good for one report a wave. `min_reports` in
    [1, 1,000,000]: a collector gives no counts of fewer reports, of a wave or a cohort either, and none that differ
    from earlier ones by fewer. `public_results`: everybody may see the estimates, not analysts alone. `keep`: whether
    a collector keeps the reports, or "counts" of them alone. `draw` in [1, 199], below the number of questions: so many
    of them are drawn on every device, once, and answered; 0, all are. `asked_in` in [1, waves - 1]: every device draws
    that many waves once, and answers only in these. Without `epsilon_forever` each of its reports then has noise of its
    own. 0: a device answers in every wave. `strata`: the names of the groups in which
    people are invited, 2 to 64 of them; results are given of each, too. Only with `invited`.
    `invitations`: "blind" if devices trade them for tokens, which nobody can join to them; only with `invited`.
    `token_keys`: the public keys of these tokens, one of each cell (`Survey.cells`). The collector makes them when such
    a survey is published.
    `lang`: the tag of the language that its texts are in, and its answers. `introduction`, `controller` (who asks)
    and `contact` (whom to ask) are for respondents to read; "" where left out. `closes`: the last day, in UTC, on
    which a collector takes reports, such as 2026-12-31; "" where there is none. `erase_after` in [1, 3653]: so many
    days after `closes` a collector erases the reports and keeps their counts; 0: it does not by itself. Only with
    `closes`, and where reports are kept.
    `delivery`: "direct", or "oblivious". Then devices send everything encrypted for the collector's gateway, through
    the `relay` at this address and never to the collector. `gateway_key` is the Ed25519 key that signs the gateway's
    keys: 64 hexadecimal digits, "" in an author's file that is not published yet.
    `about`: whom its results are about unless a reader asks otherwise, the "population" of which those who answer are a
    sample, or the "respondents" alone. Raises SurveyError.
    """

    waves: int = _integer(1, 2, MAX_WAVES)
    invited: bool = _flag()
    public_results: bool = _flag()
    min_reports: int = _integer(1, 1, MAX_MIN_REPORTS)
    keep: str = _word(KEEPS)
    draw: int = _setting(
        0, "an integer in [1, d - 1], of d questions", lambda v: type(v) is int and 1 <= v < MAX_QUESTIONS
    )
    asked_in: int = _setting(0, "an integer in [1, W - 1], of W waves", lambda v: type(v) is int and 1 <= v < MAX_WAVES)
    strata: tuple[str, ...] = _strata()
    invitations: str = _word(INVITATIONS)
    token_keys: tuple[str, ...] = _token_keys()
    lang: str = _setting(USUAL_TAG, TAG_EXPECTED, is_tag)
    introduction: str = _text("introduction")
    controller: str = _text("controller")
    contact: str = _text("contact")
    closes: str = _setting("", "a day such as 2026-12-31", is_day)
    erase_after: int = _setting(
        0, f"a whole number of days in [1, {MAX_ERASE_AFTER}]", lambda v: type(v) is int and 1 <= v <= MAX_ERASE_AFTER
    )

    about: str = _word(TARGETS)
    delivery: str = _word(DELIVERIES)
    relay: str = _setting("", RELAY_EXPECTED, is_relay)
    gateway_key: str = _gateway_key()

    def __post_init__(self) -> None:
        for setting in fields(Settings):
            value = getattr(self, setting.name)
            is_usual = type(value) is type(setting.default) and value == setting.default
            if not is_usual and not setting.metadata["accepts"](value):
                is_said = setting.metadata["accepts"](setting.default)
                or_usual = "" if is_said else f", or {setting.default!r}, as where it is left out"
                raise SurveyError(f"$.{setting.name}", f"must be {setting.metadata['expected']}{or_usual}.")
        if self.asked_in >= self.waves:
            domain = f"in [1, {self.waves - 1}]: fewer than there are waves"
            raise SurveyError("$.asked_in", f"must be {domain if self.waves > 1 else 'left out: there is one wave'}.")
        if self.strata and not self.invited:
            raise SurveyError("$.strata", "go with invited = true alone: an invitation says of which stratum one is.")
        self._check_blind()
        if self.erase_after and not self.closes:
            raise SurveyError("$.erase_after", "goes with closes alone: it counts the days after the last one.")
        if self.erase_after and self.keep == COUNTS:
            raise SurveyError("$.erase_after", 'does not go with keep = "counts": no report is kept.')
        _ = self.erase_on
        self._check_delivery()

    def _check_delivery(self) -> None:
        """Raise SurveyError where what oblivious delivery needs is missing, or given without it."""
        if self.is_oblivious and not self.relay:
            raise SurveyError("$.relay", f'is needed with delivery = "{OBLIVIOUS}": {RELAY_EXPECTED}.')
        for name in ("relay", "gateway_key"):
            if getattr(self, name) and not self.is_oblivious:
                raise SurveyError(f"$.{name}", f'goes with delivery = "{OBLIVIOUS}" alone.')

    @property
    def is_oblivious(self) -> bool:
        """Whether devices send everything through a relay, encrypted for the collector's gateway."""
        return self.delivery == OBLIVIOUS

    def _check_blind(self) -> None:
        if self.is_blind and not self.invited:
            raise SurveyError("$.invitations", '"blind" needs invited = true. Add that, or leave invitations out.')
        if self.token_keys and not self.is_blind:
            raise SurveyError("$.token_keys", 'go with invitations = "blind" alone.')
        if self.is_blind and self.n_cells > MAX_TOKEN_KEYS:
            raise SurveyError(
                "$.invitations",
                f'must be "plain", or there must be at most {MAX_TOKEN_KEYS} waves, times strata, not {self.n_cells}: '
                "each has a key.",
            )
        if self.token_keys and len(self.token_keys) != self.n_cells:
            raise SurveyError(
                "$.token_keys", f"must be {self.n_cells}, one of each wave of each stratum, not {len(self.token_keys)}."
            )

    @property
    def is_blind(self) -> bool:
        """Whether invitations are traded for tokens, which no one can join to them."""
        return self.invitations == BLIND

    @property
    def spends_invitations(self) -> bool:
        """Whether a report comes with its invitation, which it uses up."""
        return self.invited and not self.is_blind

    @property
    def n_cells(self) -> int:
        """How many cells a collector keeps counts for: every wave of every stratum (`Survey.cells`)."""
        return self.waves * (len(self.strata) or 1)

    @property
    def max_reports(self) -> int:
        """The most reports of one device: of every wave, or of as many as it is asked in."""
        return self.asked_in or self.waves

    @property
    def erase_on(self) -> str:
        """The first day, in UTC, on which the reports are to be gone, such as 2027-01-30; "" where there is none."""
        if not self.erase_after:
            return ""
        import numpy as np  # a device that only asks whether there is an outbox does without

        day = str(np.datetime64(self.closes, "D") + np.timedelta64(self.erase_after, "D"))
        if len(day) > len(self.closes):
            raise SurveyError("$.erase_after", "must lead to a day of the years up to 9999.")
        return day

    def settings(self) -> dict[str, Any]:
        """Return all that is set, by name."""
        return {setting.name: getattr(self, setting.name) for setting in fields(Settings)}

    def unusual(self) -> dict[str, Any]:
        """Return what is not as it would be if it were left out, by name."""
        usual = {setting.name: setting.default for setting in fields(Settings)}
        return {name: value for name, value in self.settings().items() if value != usual[name]}


def read_settings(document: Fields) -> dict[str, Any]:
    """Take what a file or a published survey sets of the whole, by name. Raises the fields' error, of all of them."""
    named = [setting for setting in fields(Settings) if document.has(setting.name)]
    taken = together(
        *(
            partial(document.take, row.name, *(row.metadata[name] for name in ("expected", "accepts", "say_why")))
            for row in named
        )
    )
    values = [tuple(value) if isinstance(value, list) else value for value in taken]
    return dict(zip((row.name for row in named), values, strict=True))


def right_settings(document: Any) -> dict[str, Any]:
    """Return what a file sets of the whole and is within its domain, by name, whatever else it holds."""
    given = document if isinstance(document, dict) else {}
    named = [setting for setting in fields(Settings) if setting.name in given]
    return {row.name: given[row.name] for row in named if row.metadata["accepts"](given[row.name])}

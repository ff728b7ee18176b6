"""Compares what visitors of a collector get with what its release and its survey make, byte by byte."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from sotto_author.errors import AuthorError, Unreachable
from sotto_author.verification.published import check_release
from sotto_author.verification.verified import CONTENT, DIFFERS, NOT_FETCHED, SAME, Compared, Verified
from sotto_author.verification.visitor import DIRECT, LANGUAGE, Fetched, Visitor
from sotto_client.exchange import check_survey_id, check_url
from sotto_client.relays import NEEDS_EXTRA, is_possible
from sotto_protocol import Survey, SurveyError, __version__
from sotto_protocol.errors import KeysError
from sotto_protocol.gateway_keys import SignedKeys
from sotto_protocol.negotiation import choose_language
from sotto_protocol.oblivious import SIGNED_PATH

if TYPE_CHECKING:
    from sotto_collector.pages.survey import PageSettings

USUAL_EPSILON = 8
FINGERPRINT = re.compile("[0-9a-f]{64}")
UNWANTED = (
    *("clear-site-data", "content-security-policy-report-only", "link", "location", "nel", "refresh", "report-to"),
    *("reporting-endpoints", "service-worker-allowed", "set-cookie", "sourcemap", "speculation-rules"),
)
"""Headers by which a browser loads, tells, keeps or deletes something. No collector sends them, and no proxy should."""
_OF_PAGE = ("/static/able.js", "/static/icon.svg")
_PAGE_OF = re.compile(r"(https?://.+?)/s/([a-z0-9][a-z0-9_-]{0,63})/?")
_PLACE = re.compile(rf"{DIRECT}|(https?|socks5h?|socks4a?)://[^\s/]+/?")
_SETTINGS = re.compile(rb'<main [^>]* data-max-epsilon="(\d{1,9})"(?: data-resend-days="(\d{1,9})")?([^>]*)>')
_SIGNS = re.compile(rb'<code class="fingerprint" data-signs>([0-9a-f]{64})</code>')


def verify(
    url: str,
    survey: str = "",
    *,
    fingerprint: str = "",
    places: Sequence[str] = (DIRECT,),
    manifest: str = "",
    is_whole: bool = False,
) -> Verified:
    """Fetch what a visitor gets from a collector, and compare every byte with what this release makes.

    `url` is the collector's, or that of a survey's page. `fingerprint`: the survey's, from elsewhere. `places`: direct,
    or proxies. `manifest`: file or address of the hashes that a release published; it must be the one installed here.
    `is_whole`: compare every file that the release has, not only pages, bundles, and what pages load. Of an oblivious
    survey the gateway's keys are compared too: what the relay gives with what the collector gives.
    Raises AuthorError for an argument outside its domain.
    """
    url, survey = _split(url, survey)
    wanted = re.sub(r"\s", "", fingerprint).lower()
    if wanted and not (survey and FINGERPRINT.fullmatch(wanted)):
        raise AuthorError("fingerprint must be 64 hexadecimal digits, and of a survey that is named.")
    if bad := [place for place in places if not _PLACE.fullmatch(place)]:
        raise AuthorError(f"place ({bad[0]}) must be direct, or a proxy such as socks5h://127.0.0.1:9050.")
    served = _served_files()
    if manifest:
        check_release(manifest, served)
    kept = {name: body for name, body in served.items() if is_whole or name in _OF_PAGE or name.endswith(".min.js")}
    epochs: dict[int, str] = {}
    visits = [_Visit(url, survey, Visitor(place), kept, epochs) for place in places]
    compared: list[Compared] = []
    found: dict[str, None] = {}
    for visit in visits:
        compared += visit.compare(wanted or next(iter(found), ""))  # without a fingerprint, all places have to agree
        found |= {visit.fingerprint: None} if visit.fingerprint else {}
    settings = dict.fromkeys(note for visit in visits for note in visit.notes)
    notes = [*_say_fingerprint(survey, wanted, [*found]), *settings]
    return Verified(url, survey, __version__, next(iter(found), ""), tuple(compared), tuple(notes), bool(wanted))


def _split(url: str, survey: str) -> tuple[str, str]:
    """Return the collector's address, and the survey's id, which the address of a page has too. Raises AuthorError."""
    if not survey and (found := _PAGE_OF.fullmatch(url.partition("#")[0].partition("?")[0])):
        url, survey = found.groups()
    try:
        return check_url(url), check_survey_id(survey) if survey else ""
    except ValueError as fault:
        raise AuthorError(str(fault)) from fault


def _served_files() -> dict[str, bytes]:
    from sotto_collector.pages.release import served_files

    return served_files()


def _say_fingerprint(survey: str, wanted: str, found: Sequence[str]) -> Iterator[str]:
    if not survey:
        yield "No survey was named: no page and no survey was compared, only the program."
    elif wanted:
        has = "has" if [*found] == [wanted] else "should have"
        yield f"Survey {survey} {has} the fingerprint {wanted}, as you said."
    elif found:
        yield (
            f"Survey {survey} has the fingerprint {' and '.join(found)}. Compare it with the one in the invitation or "
            "on a poster, or give --fingerprint. Without it nobody can tell whether this survey was announced."
        )


@dataclass(slots=True)
class _Visit:
    """One visitor's look at a collector."""

    url: str
    survey_id: str
    visitor: Visitor
    files: Mapping[str, bytes]
    epochs: dict[int, str]
    """Hashes of the gateway's keys by their epoch, as they were first seen: by any visitor, from relay or collector."""
    fingerprint: str = ""
    notes: list[str] = field(default_factory=list)

    def compare(self, wanted: str) -> Iterator[Compared]:
        """Fetch in the order of a browser, and yield each comparison: page, files, survey, the page's other forms."""
        if not self.survey_id:
            yield from self._compare_files()
            return
        page, path = f"/s/{self.survey_id}", f"/v1/surveys/{self.survey_id}"
        first, files, survey = self._fetch(page, is_page=True), [*self._compare_files()], self._fetch(path)
        if isinstance(survey, Compared):
            yield from [first if isinstance(first, Compared) else self._lost(page), *files, survey]
            return
        self.fingerprint = hashlib.sha256(survey.body).hexdigest()
        try:
            asked = Survey.from_canonical(survey.body)
        except SurveyError as fault:
            yield from [*files, self._judge(path, "survey", "one that devices accept", str(fault), survey.body)]
            return
        yield from self._compare_page(asked, page, "", 1, first)
        yield from files
        yield from self._judge_headers(path, survey, {"content-type": "application/json"})
        yield self._judge(path, CONTENT, wanted or self.fingerprint, self.fingerprint, survey.body)
        for address, tag, wave in _other_pages(asked):
            yield from self._compare_page(asked, address, tag, wave, self._fetch(address, is_page=True))
        if asked.is_oblivious:
            yield from self._compare_keys(asked, SIGNED_PATH, self._fetch(SIGNED_PATH))
            yield from self._compare_keys(asked, asked.relay + SIGNED_PATH, self._fetch(SIGNED_PATH, asked.relay))

    def _compare_keys(self, survey: Survey, path: str, fetched: "Fetched | Compared") -> Iterator[Compared]:
        """Yield whether the gateway's keys are signed as the survey says, and are those that others got."""
        if isinstance(fetched, Compared):
            yield replace(fetched, path=path)
            return
        if not is_possible():
            raise AuthorError(NEEDS_EXTRA)
        from sotto_client.sealing import is_signed

        try:
            keys = SignedKeys.from_json(fetched.body)
        except KeysError as fault:
            yield self._judge(path, "keys", "signed keys of a gateway", str(fault), fetched.body)
            return
        signer = survey.gateway_key if is_signed(keys, survey.gateway_key) else "another"
        yield self._judge(path, "signature", survey.gateway_key, signer, fetched.body)
        if signer == survey.gateway_key:
            expected = self.epochs.setdefault(keys.epoch, keys.digest)
            yield self._judge(path, f"keys of epoch {keys.epoch}", expected, keys.digest, fetched.body)
            self.notes.append(f"The gateway's keys of epoch {keys.epoch} have the hash {keys.digest}.")

    def _compare_files(self) -> Iterator[Compared]:
        kinds = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
        for path, expected in self.files.items():
            match self._fetch(path):
                case Compared() as lost:
                    yield lost
                case fetched:
                    of_type = f"{kinds[path.rpartition('.')[2]]}; charset=utf-8"
                    yield from self._judge_headers(
                        path, fetched, {"content-type": of_type, "x-content-type-options": "nosniff"}
                    )
                    yield self._judge_bytes(path, expected, fetched.body)

    def _compare_page(
        self, survey: Survey, path: str, tag: str, wave: int, fetched: "Fetched | Compared"
    ) -> Iterator[Compared]:
        from sotto_collector.pages.alone import page_headers

        if isinstance(fetched, Compared):
            yield fetched
            return
        expected = {name.lower(): value for name, value in page_headers(survey).items()}
        yield from self._judge_headers(path, fetched, expected)
        yield self._judge_bytes(path, self._expect_page(survey, tag, wave, fetched.body), fetched.body)

    def _expect_page(self, survey: Survey, tag: str, wave: int, body: bytes) -> bytes:
        """Return the page that is expected, with the operator's settings and the state that the one fetched states."""
        from sotto_collector.pages.alone import render_alone
        from sotto_collector.pages.survey import PageSettings

        found = _SETTINGS.search(body)
        signs = _SIGNS.search(body) if survey.keeps_reports else None  # else none of its reports can be erased
        settings = PageSettings(
            int(found[1]) if found else USUAL_EPSILON,
            int(found[2] or 0) if found else 0,
            signs[1].decode() if signs else "",
        )
        is_closed = found is not None and b"data-closed" in found[3]
        self._note(settings, is_closed=is_closed)
        chosen = choose_language(survey.languages, tag, LANGUAGE)
        pages = [
            render_alone(
                survey, chosen, wave=wave, settings=settings, is_open=not is_closed, is_erased=is_erased
            ).encode()
            for is_erased in ((False, True) if is_closed else (False,))
        ]
        return body if body in pages else pages[0]

    def _note(self, settings: "PageSettings", *, is_closed: bool) -> None:
        said = (
            f"page_max_epsilon {settings.max_epsilon} (usual: {USUAL_EPSILON}), "
            f"page_resend_days {settings.resend_days} (usual: 0)"
        )
        state = "closed" if is_closed else "open"
        self.notes.append(f"Settings of the operator that the page states: {said}. The survey is {state}.")
        if settings.signs:
            self.notes.append(f"Certificates of erasure are signed with the key {settings.signs}.")

    def _fetch(self, path: str, of: str = "", *, is_page: bool = False) -> "Fetched | Compared":
        """Return the response of the collector, or `of` its relay; or what is said where it is none of theirs."""
        address = (of or self.url) + quote(path, safe="/?=&-_.~")
        try:
            fetched = self.visitor.open(address, is_page=is_page)
        except Unreachable as fault:
            return self._lost(path, str(fault))
        if fetched.status == 200:
            return fetched
        if 300 <= fetched.status < 400:
            to = fetched.headers.get("location", "")
            return self._judge(path, "redirect", "", f"{fetched.status} to {to}", fetched.body)
        return self._lost(path, f"HTTP {fetched.status}")

    def _lost(self, path: str, why: str = "its survey could not be fetched") -> Compared:
        return Compared(path, CONTENT, self.visitor.place, NOT_FETCHED, got=why)

    def _judge_bytes(self, path: str, expected: bytes, got: bytes) -> Compared:
        return self._judge(path, CONTENT, hashlib.sha256(expected).hexdigest(), hashlib.sha256(got).hexdigest(), got)

    def _judge_headers(self, path: str, fetched: Fetched, expected: Mapping[str, str]) -> Iterator[Compared]:
        """Yield a comparison for each header that differs, and none if all are the same."""
        for name, value in {**dict.fromkeys(UNWANTED, ""), **expected}.items():
            if (got := fetched.headers.get(name, "")) != value:
                yield self._judge(path, f"header {name}", value, got, fetched.body)

    def _judge(self, path: str, what: str, expected: str, got: str, body: bytes) -> Compared:
        verdict = SAME if expected == got else DIFFERS
        return Compared(path, what, self.visitor.place, verdict, expected, got, body)


def _other_pages(survey: Survey) -> Iterator[tuple[str, str, int]]:
    """Yield the addresses of a survey's page in each language and wave, with both; not that without any."""
    for wave in range(1, survey.waves + 1):
        for tag in survey.languages:
            asked = ({"lang": tag} if len(survey.languages) > 1 else {}) | ({"wave": wave} if wave > 1 else {})
            if asked:
                yield f"/s/{survey.id}?{urlencode(asked)}", tag, wave

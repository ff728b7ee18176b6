"""Where an export's reports come from: a collector's database, or a collector at a URL. Both give parts of a survey."""

from collections.abc import Iterator
from typing import Protocol

from sqlalchemy.exc import SQLAlchemyError

from sotto_collector.errors import RemoteError, StoreError, StoreUnavailableError
from sotto_collector.remote import RemoteCollector, survey_path
from sotto_collector.store import Part, Store
from sotto_collector.store.records import MAX_PARTS
from sotto_protocol import SottoError, Survey
from sotto_protocol.survey import MAX_SURVEY_BYTES


class Source(Protocol):
    """A survey, about how many reports there are, and the packed reports themselves, part by part."""

    survey: Survey
    n_reports: int

    def read(self, part: Part) -> Iterator[bytes]:
        """Yield the packed reports of a part, joined, some at a time, cut anywhere. Raises CollectorError."""
        ...


class StoreSource:
    """A survey in a database."""

    def __init__(self, store: Store, survey_id: str) -> None:
        """Raises StoreError where the database has no such survey, NotKeptError where it has none of its reports."""
        stored = store.find_survey(survey_id)
        if stored is None:
            raise StoreError(f"db ({store.dialect.name}) has no survey {survey_id}.")
        stored.require_reports()
        self._store, self._stored = store, stored
        self.survey = stored.survey
        self.n_reports = store.count_tallied(stored.key)

    def read(self, part: Part) -> Iterator[bytes]:
        """Yield a part's packed reports, of one state of the database."""
        try:
            with self._store.open_records(self._stored, None, part) as records:
                yield from records.chunks()
        except SQLAlchemyError as fault:
            reason = self._store.dialect.reason(fault)
            raise StoreUnavailableError(f"the store cannot be read now: {reason}.") from fault


class HttpSource:
    """A survey at a collector, asked with an analyst's token."""

    def __init__(self, collector: RemoteCollector, survey_id: str) -> None:
        """Read the survey. Raises RemoteError, which quotes the collector where it refuses."""
        self._collector = collector
        self._path = survey_path(survey_id, "/records")
        self.survey = self._ask_survey(survey_id)
        self.n_reports = self._count(survey_id)

    def read(self, part: Part) -> Iterator[bytes]:
        """Yield a part's packed reports, of one state of the collector's store."""
        with self._collector.stream(f"{self._path}?part={part.index}/{part.n_parts}") as (n_bytes, chunks):
            yield from self._check_length(n_bytes, self._cut_survey(chunks))

    def _ask_survey(self, survey_id: str) -> Survey:
        """Return the survey, which is sent before the reports: a refusal comes here, before anything is written."""
        with self._collector.stream(f"{self._path}?part=0/{MAX_PARTS}") as (_, chunks):
            try:
                survey = Survey.from_canonical(next(_lines(chunks)))
            except SottoError as fault:
                raise self._fail("it did not respond with reports") from fault
        if survey.id != survey_id:
            raise self._fail("it responded with another survey's records")
        return survey

    def _count(self, survey_id: str) -> int:
        listed = self._collector.ask("GET", "/v1/surveys").get("surveys")
        for entry in listed if isinstance(listed, list) else ():
            if isinstance(entry, dict) and entry.get("id") == survey_id and type(entry.get("n_reports")) is int:
                return int(entry["n_reports"])
        raise self._fail("it does not say how many reports the survey has")

    def _cut_survey(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        lines = _lines(chunks)
        if next(lines) != self.survey.canonical:
            raise self._fail("it responded with another survey's records")
        yield from lines

    def _check_length(self, n_bytes: int, chunks: Iterator[bytes]) -> Iterator[bytes]:
        n_left = n_bytes - len(self.survey.canonical) - 1
        for chunk in chunks:
            n_left -= len(chunk)
            yield chunk
        if n_left:
            raise self._fail("its response ended too early")

    def _fail(self, problem: str) -> RemoteError:
        return RemoteError(f"{self._collector.url}{self._path} must be a collector, but {problem}.")


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the first line, without its line feed, then the rest as it comes."""
    head = b""
    for chunk in chunks:
        head += chunk
        line, feed, rest = head.partition(b"\n")
        if feed:
            yield line
            yield rest
            yield from chunks
            return
        if len(head) > MAX_SURVEY_BYTES:
            break
    yield head[:MAX_SURVEY_BYTES]

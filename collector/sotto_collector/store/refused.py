"""Surveys that a store refuses: what was done to them is gone, and would be forgotten if they began anew."""

from collections.abc import Iterable

from sqlalchemy import Connection, insert, select

from sotto_collector.errors import SurveyExistsError
from sotto_collector.store.schema import refused_surveys
from sotto_protocol import Survey


def refuse_surveys(connection: Connection, fingerprints: Iterable[str]) -> None:
    """Let surveys of these fingerprints never be published again."""
    known = set(connection.execute(select(refused_surveys.c.fingerprint)).scalars())
    if new := sorted({*fingerprints} - known):
        connection.execute(insert(refused_surveys), [{"fingerprint": fingerprint} for fingerprint in new])


def check_not_refused(connection: Connection, survey: Survey) -> None:
    """Raise SurveyExistsError where a survey may not be published."""
    this = refused_surveys.c.fingerprint == survey.fingerprint
    if connection.execute(select(refused_surveys).where(this)).first() is not None:
        raise SurveyExistsError(
            f"survey {survey.id} was published before, and was then erased, or its history was lost; give it a new id."
        )

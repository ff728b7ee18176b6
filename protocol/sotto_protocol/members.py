"""The members that an author's definition and a published survey have in common, and their domains."""

import re

from sotto_protocol.documents import Fields

ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
MAX_QUESTIONS = 200
MAX_WAVES = 1000
MAX_COUNTS = 2**22
"""Of a survey's tallies, all waves together: 32 MiB of 64-bit counts."""
MAX_MIN_REPORTS = 1_000_000
REPORTS, COUNTS = KEEPS = ("reports", "counts")
"""What a collector may keep of a survey: every report, or the counts of them and their random ids."""
MAX_TEXT = 2000


def read_id(fields: Fields) -> str:
    """Take the member `id`: of a survey or of a question."""
    value: str = fields.take(
        "id",
        "1 to 64 lower-case letters, digits, - or _, the first a letter or digit",
        lambda v: isinstance(v, str) and ID_PATTERN.fullmatch(v) is not None,
    )
    return value


def read_waves(fields: Fields) -> int:
    """Take the member `waves`: how often the survey is asked; once where it is left out."""
    return fields.integer("waves", 2, MAX_WAVES) if fields.has("waves") else 1


def read_invited(fields: Fields) -> bool:
    """Take the member `invited`: whether only who was invited takes part; everybody where it is left out."""
    return fields.has("invited") and bool(fields.take("invited", "true or false", lambda v: isinstance(v, bool)))


def read_public_results(fields: Fields) -> bool:
    """Take the member `public_results`: whether everybody may see the estimates; not where it is left out."""
    return fields.has("public_results") and bool(
        fields.take("public_results", "true or false", lambda v: isinstance(v, bool))
    )


def read_keep(fields: Fields) -> str:
    """Take the member `keep`: what the collector keeps, reports or counts alone; reports where it is left out."""
    return fields.one_of("keep", KEEPS) if fields.has("keep") else REPORTS


def read_min_reports(fields: Fields) -> int:
    """Take the member `min_reports`: of how many reports a tally is given at least; one where it is left out."""
    return fields.integer("min_reports", 1, MAX_MIN_REPORTS) if fields.has("min_reports") else 1


def read_settings(fields: Fields) -> tuple[int, bool, int, bool, str]:
    """Take what is set of a whole survey: waves, invited, min_reports, public_results, keep."""
    crowd = read_waves(fields), read_invited(fields), read_min_reports(fields)
    return *crowd, read_public_results(fields), read_keep(fields)

"""The endings of files that commands write: a file's name and its content are to say the same form."""

import re

from sotto_protocol.errors import SottoError

_TABLES = frozenset({".csv", ".tsv", ".xls", ".xlsx", ".ods", ".parquet", ".arrow", ".feather", ".dta", ".sav"})
_TEXTS = frozenset({".json", ".jsonl", ".toml", ".yaml", ".yml", ".xml", ".html", ".htm", ".md", ".tex"})
_FORMS = _TABLES | _TEXTS | {".pdf", ".png", ".svg", ".gz", ".zip"}
"""Endings that programs open by. Another ending, or none, says no form: a file of any form may have it."""


def says_another_form(path: object, *endings: str) -> bool:
    """Whether a path, in words, ends as one of a form that is none of these.

    >>> [says_another_form(name, ".json") for name in ("a.json", "a.CSV", "b.csv/a", "a.2026", "a", ".csv")]
    [False, True, False, False, False, False]
    """
    name = re.split(r"[/\\\\]", str(path))[-1]
    ending = re.sub(r"^.+(?=\.)", "", name).lower() if "." in name[1:] else ""
    return ending in _FORMS and ending not in endings


def check_ending(what: str, path: object | None, *endings: str, error: type[SottoError]) -> None:
    """Raise `error` for a file's name that promises another form than the one that is written.

    `what`: what the file is called. `endings`: what its name may end in instead. None: no file is written.
    """
    if path is not None and says_another_form(path, *endings):
        raise error(f"{what} ({path}) must end in {' or '.join(endings)}: no other form is written.")

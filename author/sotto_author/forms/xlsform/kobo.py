"""What KoboToolbox adds to XLSForms and no other program reads: its matrices, rankings and scores."""

import re

from sotto_author.forms.xlsform.workbook import Rows

NO_XLSFORM = (
    "is of KoboToolbox's own and no XLSForm: ask every row with a select_one of its own, or leave it out "
    "(--skip-unsupported)."
)
_EDGE = re.compile(r"(begin|end)[ _]((?:kobo)?matrix|score|rank)", re.IGNORECASE)


def take_out_matrices(rows: Rows) -> tuple[Rows, list[str]]:
    """Return the rows with those between begin_kobomatrix and its end empty, and what each of these is called.

    The first row is row 2. Rankings and scores of KoboToolbox are taken out likewise.
    """
    kept: Rows = []
    found: list[str] = []
    opened = ""
    for number, row in enumerate(rows, 2):
        edge = _EDGE.fullmatch(" ".join(row.get("type", "").split()))
        if edge and edge[1].lower() == "begin" and not opened:
            opened = edge[2].lower()
            name = row.get("name") or row.get("$autoname", "")
            found.append(f'survey, row {number} (begin_{opened} "{name[:60]}")')
        kept.append({} if opened or edge else row)
        if edge and edge[1].lower() == "end" and edge[2].lower() == opened:
            opened = ""
    return kept, found

"""Cases of a what-if: for people, as members for programs, and as a picture."""

from dataclasses import asdict
from typing import Any

from sotto_estimator.designs.asked import words_of
from sotto_estimator.intervals.contradiction import p_at_most
from sotto_estimator.misfit.model import MODELS
from sotto_estimator.misfit.what_if import Case, WhatIf
from sotto_estimator.results.document import Cell, Column, Lines, Part, Table, marks
from sotto_estimator.results.figure import Bar, Panel, bar_panels
from sotto_estimator.results.percents import percent
from sotto_estimator.results.view import View
from sotto_estimator.results.words import NO_INTERVAL, interval_words
from sotto_protocol.words import counted, epsilon_above

_COLUMNS = [
    Column("if that many do", "share"),
    Column("share", "estimate"),
    Column("std. error", "share"),
    Column("low", "share"),
    Column("high", "share"),
    Column("", "word"),
]


def parts(found: WhatIf) -> list[Part]:
    """Return what is asked, and a table of the cases."""
    return [Part("What if", [Lines(_caption(found)), _table(found)])]


def _table(found: WhatIf) -> Table:
    return Table(_COLUMNS, [_cells(case) for case in found.cases])


def _caption(found: WhatIf) -> list[str]:
    """Return what the numbers mean, a line for each thing to know."""
    share, part = MODELS[found.way].readings
    n = counted(found.n_reports, "report")
    return [
        f"what if people {part.words}? the share of {share.words}",
        f"{found.title}: n = {n}, epsilon {epsilon_above(found.epsilon)} a report",
        *words_of(found.designs),
        f"{interval_words(found.options)}, if that many do",
        *marks([_table(found)]).lines,
    ]


def members(found: WhatIf) -> dict[str, Any]:
    """Return the members of its JSON object."""
    of = {"title": found.title, "designs": [asdict(one) for one in found.designs]}
    return _heading(found) | of | {"cases": [asdict(case) for case in found.cases]}


def records(found: WhatIf) -> list[dict[str, Any]]:
    """Return the rows of its CSV: a case each, with n, epsilon, method and level."""
    return [asdict(case) | _heading(found) for case in found.cases]


def panels(found: WhatIf) -> tuple[str, list[Panel]]:
    """Return a picture: a bar with its interval for every case."""
    title = "\n".join(_caption(found))
    told = [(case, case.share) for case in found.cases if case.share is not None]
    if not told:
        return title, []
    return bar_panels([Bar(percent(case.part), share, *_ends(case)) for case, share in told], title)


def _ends(case: Case) -> tuple[float, float]:
    nan = float("nan")
    return (nan, nan) if case.low is None or case.high is None else (case.low, case.high)


def _heading(found: WhatIf) -> dict[str, Any]:
    options = found.options
    about = {"level": options.level, "method": options.method, "target": options.about}
    return {"what_if": found.way, "n_reports": found.n_reports, "epsilon": found.epsilon} | about


def _cells(case: Case) -> list[Cell]:
    if case.share is None or case.standard_error is None:
        return [case.part, *[None] * 4, f"the counts contradict it ({p_at_most(case.p_value or 0)})"]
    ends = [NO_INTERVAL if end is None else end for end in (case.low, case.high)]
    return [case.part, case.share, case.standard_error, *ends, ""]


VIEW: View[WhatIf] = View(parts=parts, members=members, records=records, panels=panels)

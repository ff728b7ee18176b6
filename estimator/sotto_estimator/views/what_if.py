"""Cases of a what-if for people, as JSON and CSV for programs, and as a picture: the same numbers in all."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sotto_estimator.designs.asked import words_of
from sotto_estimator.misfit.model import MODELS
from sotto_estimator.misfit.what_if import Case, WhatIf
from sotto_estimator.results.html import said_html, table_html
from sotto_estimator.results.percents import NOTHING, OUTSIDE_WORDS, mark_of, percent, share_percent
from sotto_estimator.results.view import View
from sotto_estimator.results.words import NO_INTERVAL, interval_words
from sotto_protocol.tables import align
from sotto_protocol.words import counted, epsilon_above

if TYPE_CHECKING:
    from sotto_estimator.results.panels import Panel

_COLUMNS = ["if so many do", "share", "std. error", "low", "high", ""]


def table(found: WhatIf) -> str:
    """Return what is asked, and an aligned table of the cases; shares in per cent."""
    return f"{caption(found)}\n\n{align([_COLUMNS, *map(_cells, found.cases)], n_left=0)}"


def caption(found: WhatIf) -> str:
    """Return what the numbers mean, a line for each thing to know."""
    share, part = MODELS[found.way].readings
    n = counted(found.n_reports, "report")
    lines = [
        f"what if people {part.words}? the share of {share.words}",
        f"{found.title}: n = {n}, epsilon {epsilon_above(found.epsilon)} a report",
        *words_of(found.designs),
        f"{interval_words(found.options)}, if so many do",
        *[OUTSIDE_WORDS] * any(case.share is not None and mark_of(case.share) for case in found.cases),
    ]
    return "\n".join(lines)


def members(found: WhatIf) -> dict[str, Any]:
    """Return the members of its JSON object."""
    of = {"title": found.title, "designs": [asdict(one) for one in found.designs]}
    return _heading(found) | of | {"cases": [asdict(case) for case in found.cases]}


def records(found: WhatIf) -> list[dict[str, Any]]:
    """Return the rows of its CSV: a case each, with n, epsilon, method and level."""
    return [asdict(case) | _heading(found) for case in found.cases]


def html_parts(found: WhatIf) -> list[str]:
    """Return what a notebook shows."""
    return [said_html(caption(found).split("\n")), table_html([_COLUMNS, *map(_cells, found.cases)])]


def panels(found: WhatIf) -> "tuple[str, list[Panel]]":
    """Return a picture: a bar with its interval for every case."""
    from sotto_estimator.results.panels import Bar, bar_panels  # matplotlib takes a second to load

    told = [(case, case.share) for case in found.cases if case.share is not None]
    if not told:
        return caption(found), []
    return bar_panels([Bar(percent(case.part), share, *_ends(case)) for case, share in told], caption(found))


def _ends(case: Case) -> tuple[float, float]:
    nan = float("nan")
    return (nan, nan) if case.low is None or case.high is None else (case.low, case.high)


def _heading(found: WhatIf) -> dict[str, Any]:
    options = found.options
    about = {"level": options.level, "method": options.method, "target": options.about}
    return {"what_if": found.way, "n_reports": found.n_reports, "epsilon": found.epsilon} | about


def _cells(case: Case) -> list[str]:
    if case.share is None or case.standard_error is None:
        return [percent(case.part), *[NOTHING] * 4, f"the counts contradict it (P <= {case.p_value:.1e})"]
    ends = [NO_INTERVAL if end is None else percent(end) for end in (case.low, case.high)]
    return [percent(case.part), share_percent(case.share), percent(case.standard_error), *ends, ""]


VIEW: View[WhatIf] = View(table=table, members=members, records=records, panels=panels, html_parts=html_parts)

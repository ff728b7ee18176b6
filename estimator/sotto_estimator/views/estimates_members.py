"""Estimates for programs: the members of their JSON, and the rows of their CSV; shares as fractions."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.designs.asked import MAX_LISTED
from sotto_estimator.shares.estimates import STRATUM, Estimates
from sotto_estimator.sources.quality import Quality
from sotto_estimator.sources.withheld import Withheld
from sotto_estimator.views.figure_view import views_of
from sotto_estimator.views.verdict import verdict_members
from sotto_protocol.strata import level_of, parents_of


def json_members(estimates: Estimates) -> dict[str, Any]:
    """Return the members of the estimates' JSON object."""
    heading = {"title": estimates.title, "n_reports": estimates.n_reports, "epsilon": estimates.epsilon}
    heading |= _whose(estimates, list(estimates.waves)) | (asdict(estimates.parent) if estimates.parent else {})
    missing = {key: list(of.missing) for key, of in estimates.counted_in.items()}
    heading |= {"missing_strata": missing} if missing else {}
    heading |= {"n_by_wave": {str(wave): n for wave, n in estimates.n_by_wave.items()}} if estimates.n_by_wave else {}
    heading |= {"text_questions": list(estimates.text_questions)} if estimates.text_questions else {}
    heading |= {"asked": list(estimates.asked)} if estimates.asked else {}
    heading |= {"designs": [asdict(of) for of in estimates.designs]} if estimates.designs else {}
    heading |= {"fit": estimates.fit.members} if estimates.fit else {}
    heading |= {"withheld": [_withheld_members(of) for of in estimates.withheld]} if estimates.withheld else {}
    found: dict[str, Any] = {
        "quality": [asdict(quality) for quality in estimates.quality],
        "contradictions": [asdict(contradiction) for contradiction in estimates.contradictions],
        "estimates": [],
    }
    found |= {view.member: view.members(estimates) for view in views_of(estimates)}
    said = {"verdicts": [verdict_members(of) for of in estimates.verdicts]} if estimates.verdicts else {}
    return heading | _option_members(estimates) | said | found


def csv_records(several: Sequence[Estimates]) -> list[dict[str, Any]]:
    """Return the rows of the CSV of one survey's estimates, or of several of its strata's: all of the same members."""
    return _alike([record for estimates in several for record in _records(estimates)])


def _records(estimates: Estimates) -> list[dict[str, Any]]:
    whose = _whose(estimates, " ".join(map(str, estimates.waves)))
    quality = {known.question: known for known in estimates.quality}
    p_values = {found.question: found.p_value for found in estimates.contradictions}
    rows = [record for view in views_of(estimates) for record in view.records(estimates)]
    return [
        row
        | _option_members(estimates)
        | quality_members(quality.get(row["question"]))
        | {"contradiction_p_value": p_values.get(row["question"])}
        | whose
        | _asked_by(estimates)
        for row in _alike(rows)
    ]


def _whose(estimates: Estimates, waves: object) -> dict[str, Any]:
    """Return the members that say which reports these are, where they are not all of a survey of one wave."""
    is_stratum = estimates.by == STRATUM
    group = {STRATUM: estimates.stratum} if is_stratum else {"by": estimates.by, "group": estimates.stratum}
    found = {} if estimates.stratum is None else group
    found |= _place_in_tree(estimates)
    found |= estimates.file_rows.members if estimates.file_rows else {}
    return found | ({"waves": waves} if estimates.waves else {})


def _place_in_tree(estimates: Estimates) -> dict[str, Any]:
    """Return the members that say where in a tree of strata a group is; nothing where there is no tree."""
    if estimates.stratum is None or not (estimates.survey and parents_of(estimates.survey.strata)):
        return {}
    return {"tree_level": level_of(estimates.stratum), "is_parent": estimates.parent is not None}


def _asked_by(estimates: Estimates) -> dict[str, str | float | None]:
    """Return the members that say how people were asked, of a survey on paper, and how well its samples fit."""
    written = dict.fromkeys(map(str, estimates.designs[:MAX_LISTED]))
    fit = {f"fit_{name}": value for name, value in estimates.fit.members.items()} if estimates.fit else {}
    return ({"designs": " | ".join(written)} if written else {}) | fit


def _alike(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return records that all have the members of each, None where one had it not."""
    empty = dict.fromkeys(name for record in records for name in record)
    return [empty | record for record in records]


def quality_members(quality: Quality | None) -> dict[str, int | None]:
    """Return a question's quality for a row of CSV; empty where every report is plausible."""
    names = ("n_implausible", "most_if_honest")
    return {name: None if quality is None else getattr(quality, name) for name in names}


def _withheld_members(withheld: Withheld) -> dict[str, Any]:
    members = asdict(withheld) | {"n_missing": withheld.n_missing}
    del members["is_drawn"], members["of"]  # the survey says that
    return members


def _option_members(estimates: Estimates) -> dict[str, Any]:
    options = estimates.options
    more: dict[str, Any] = {} if options.population_size is None else {"population_size": options.population_size}
    more |= {"consistent_errors": "approximate"} if options.consistent else {}
    return {
        "level": options.level,
        "simultaneous": options.simultaneous,
        "method": options.method,
        "target": options.about,
    } | more

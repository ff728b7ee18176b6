"""Whom `sotto test` is pointed at: groups that are strata, waves, files, counts, or what a column of a table says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from sotto_estimator.channel.channel import Target
from sotto_estimator.commands.counts_options import CountsInput, DesignInput
from sotto_estimator.commands.data_options import DataOptions
from sotto_estimator.commands.options import warn
from sotto_estimator.commands.sources import read_source, tally_of
from sotto_estimator.comparing.group_estimates import (
    GroupEstimate,
    People,
    people_of,
    sides_of_arms,
    sides_of_data,
    sides_of_tally,
)
from sotto_estimator.comparing.group_misfits import misfits_by_group, misfits_of_arms, misfits_of_data
from sotto_estimator.designs.asked import MAX_LISTED, AskedBy, words_of
from sotto_estimator.designs.design import Arm
from sotto_estimator.intervals.group_misfit import GroupMisfit
from sotto_estimator.intervals.intervals import target_of
from sotto_estimator.microdata.microdata import Data
from sotto_estimator.results.result import GIVEN
from sotto_estimator.shares.estimates import STRATUM
from sotto_estimator.sources.fetch import read_tallies
from sotto_estimator.sources.kinds import REPORTS
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import Source
from sotto_protocol import Tally


@dataclass(frozen=True, slots=True)
class TestInput:
    """What was typed: a collector or files, which of their waves and strata, a table, counts, and which shares."""

    sources: tuple[str, ...]
    token: str
    chosen_waves: tuple[int, ...]
    chosen_strata: tuple[str, ...]
    question: str
    answer: str
    asked: DesignInput
    paper: CountsInput | None
    data: DataOptions


@dataclass(frozen=True, slots=True, eq=False)
class TestedGroups:
    """The groups in their order. `scores`: where their names are numbers; `people`: who they may be, if not told.

    `contradictions`: of groups whose counts contradict their designs. `reading`: how counts were read, a line a group.
    `target`: whom shares are about. `by`: what they are groups of, where their names don't say it.
    """

    title: str
    groups: Mapping[str, Sequence[GroupEstimate]]
    people: People = "other"
    scores: tuple[float, ...] = ()
    contradictions: tuple[GroupMisfit, ...] = ()
    reading: tuple[str, ...] = ()
    target: Target = "population"
    by: str = ""


def find_groups(place: TestInput, target: Target | None) -> TestedGroups:
    """Return the groups that are meant, about whom their surveys say where no target is asked for.

    Raises UsageError, SourceError, FetchError, DomainError.
    """
    _check_one(place)
    if place.paper:
        found = _of_counts(place.paper, target or "population")
    elif place.data:
        found = _of_csv(place, target or "population")
    else:
        found = _of_tallies(place, target)
    return replace(found, groups={name: _asked_for(sides, place) for name, sides in found.groups.items()})


def find_one(place: TestInput, target: Target) -> TestedGroups:
    """Return one group alone. Raises as `find_groups`."""
    _check_one(place)
    if place.data.by or len(place.chosen_waves) > 1 or len(place.chosen_strata) > 1:
        raise click.UsageError("A share is tested of one group: several are of `sotto test groups`.")
    if place.paper:
        arms = place.paper.arms()
        sides = _asked_for(sides_of_arms(arms, target), place)
        return TestedGroups(
            GIVEN, {"": sides}, contradictions=misfits_of_arms({"": arms}), reading=_reading({"": arms})
        )
    if place.data:
        found = _read(place)
        arms = found.reported.counts()
        sides = _asked_for(sides_of_arms(arms, target, place.data.column), place)
        return TestedGroups(_title(found), {"": sides}, contradictions=misfits_of_arms({"": arms}, place.data.column))
    wave, stratum = next(iter(place.chosen_waves), None), next(iter(place.chosen_strata), None)
    tally = tally_of(read_source(place.sources, place.token), Selection(wave, stratum))
    sides = _asked_for(sides_of_tally(tally, target), place)
    return TestedGroups(tally.survey.title, {"": sides}, contradictions=misfits_by_group({"": tally}))


def _check_one(place: TestInput) -> None:
    if sum([bool(place.paper), bool(place.data), bool(place.sources and not place.data)]) != 1:
        raise click.UsageError("Give a collector's URL and a survey, tally files, counts, or a table (--column).")
    if not place.data:
        place.data.check_absent()
    if place.asked.specs and not (place.paper or place.data):
        raise click.UsageError("--design and its like go with counts (--yes, --n ..), or with a table (--column ..).")
    if (place.chosen_waves or place.chosen_strata) and (place.paper or place.data):
        raise click.UsageError("--wave and --stratum go with a collector's URL.")


def _asked_for(sides: Sequence[GroupEstimate], place: TestInput) -> list[GroupEstimate]:
    """Return those of the question and the answer that are asked for."""
    found = [side for side in sides if place.question in ("", side.question) and place.answer in ("", side.answer)]
    if not found:
        known = ", ".join(dict.fromkeys(f"{side.question}: {side.answer}".strip(": ") for side in sides))
        raise click.UsageError(f"--question and --answer must be among those with reports: {known or 'none'}.")
    return found


def _of_counts(paper: CountsInput, target: Target) -> TestedGroups:
    """Return a group for each counts; one design may be that of all."""
    specs = paper.asked.specs
    if any(len(spec.samples()) > 1 for _, spec in specs):
        raise click.UsageError(
            "A design of several samples is of one group: give each group as a table's (--by, and --arm its samples)."
        )
    if len(specs) == 1 and len(specs[0][1].samples()) == 1:
        paper = replace(paper, asked=replace(paper.asked, specs=specs * len(paper.counts)))
    arms = {f"group {at}": [arm] for at, arm in enumerate(paper.arms(), 1)}
    groups = {name: sides_of_arms(of, target) for name, of in arms.items()}
    return TestedGroups(GIVEN, groups, contradictions=misfits_of_arms(arms), reading=_reading(arms), target=target)


def _reading(groups: Mapping[str, Sequence[Arm]]) -> tuple[str, ...]:
    """Return how the counts of each group were read; of many groups, nothing."""
    if len(groups) > MAX_LISTED:
        return ()
    said = {name: words_of([*map(AskedBy.of, arms)]) for name, arms in groups.items()}
    return tuple(": ".join(filter(None, [name, line])) for name, lines in said.items() for line in lines)


def _read(place: TestInput) -> Data:
    data = place.data.read(place.sources, place.asked)
    if data.sampling.names:
        raise click.UsageError("Tests take people who were drawn simply: --weights, --strata and their like don't go.")
    return data


def _title(data: Data) -> str:
    return "; ".join(filter(None, [data.table.name, data.table.left_out]))


def _of_csv(place: TestInput, target: Target) -> TestedGroups:
    found = _read(place)
    if found.groups is None:
        raise click.UsageError("--by says which column of the table has the groups.")
    groups = sides_of_data(found, target)
    scores = tuple(map(float, groups)) if found.groups.is_number else ()
    return TestedGroups(
        _title(found), groups, scores=scores, contradictions=misfits_of_data(found), target=target, by=found.groups.name
    )


def _of_tallies(place: TestInput, asked: Target | None) -> TestedGroups:
    source = read_source(place.sources, place.token)
    tallies = _of_parts(source, place) if source.gives(REPORTS) else _of_files(place)
    known = list(tallies.values())
    target = asked or target_of(*(tally.survey for tally in known))
    scores = tuple(map(float, place.chosen_waves)) if len(place.chosen_waves) > 1 else ()
    groups = {name: sides_of_tally(tally, target) for name, tally in tallies.items()}
    by = STRATUM if len(place.chosen_strata) > 1 else ""
    return TestedGroups(
        known[0].survey.title, groups, people_of(known), scores, misfits_by_group(tallies), target=target, by=by
    )


def _of_parts(source: Source, place: TestInput) -> dict[str, Tally]:
    if (len(place.chosen_waves) > 1) == (len(place.chosen_strata) > 1):
        raise click.UsageError("Name the groups: --wave, or --stratum, twice or more; the other one once at most.")
    wave, stratum = next(iter(place.chosen_waves), None), next(iter(place.chosen_strata), None)
    if len(place.chosen_waves) > 1:
        return {f"wave {of}": tally_of(source, Selection(of, stratum)) for of in place.chosen_waves}
    return {of: tally_of(source, Selection(wave, of)) for of in place.chosen_strata}


def _of_files(place: TestInput) -> dict[str, Tally]:
    if place.chosen_waves or place.chosen_strata:
        raise click.UsageError("--wave and --stratum go with a collector's URL, or with one file of packed reports.")
    if len({*place.sources}) < max(2, len(place.sources)):
        raise click.UsageError("Give two tally files or more, each a group, and none twice.")
    return {name: read_tallies([Path(name)], warn) for name in place.sources}

"""Whom `sotto test` is pointed at: groups that are strata, waves, files, counts, or what a column of a table says."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import click

from sotto_estimator.channel.channel import Target
from sotto_estimator.commands.counts_options import CountsInput, DesignInput
from sotto_estimator.commands.data_options import DataOptions
from sotto_estimator.commands.sources import read_source, tally_of
from sotto_estimator.comparing.tested_groups import TestedGroups
from sotto_estimator.designs.design import Arm
from sotto_estimator.errors import DomainError
from sotto_estimator.microdata.microdata import Data
from sotto_estimator.shares.estimates import STRATUM
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


def find_groups(place: TestInput, target: Target | None) -> TestedGroups:
    """Return the groups that are meant, about whom their surveys say where no target is asked for.

    Raises UsageError, SourceError, FetchError, DomainError.
    """
    _check_one(place)
    if place.paper:
        return _asked_for(TestedGroups.of(_of_counts(place.paper), target), place)
    if place.data:
        found = _read(place)
        if found.groups is None:
            raise click.UsageError("Add --by, the column of the table that has the groups.")
        return _asked_for(TestedGroups.of_data(found, target), place)
    return _asked_for(_of_tallies(place, target), place)


def find_shares(place: TestInput) -> TestedGroups:
    """Return one group alone, or several where a column, waves or strata are named. Raises as `find_groups`."""
    _check_one(place)
    if place.data.by or len(place.chosen_waves) > 1 or len(place.chosen_strata) > 1:
        return find_groups(place, "population")
    if place.data:
        return _asked_for(TestedGroups.of_data(_read(place), "population"), place)
    of: Tally | list[Arm] = place.paper.arms() if place.paper else _one_tally(place)
    return _asked_for(TestedGroups.of({"": of}, "population"), place)


def _one_tally(place: TestInput) -> Tally:
    wave, stratum = next(iter(place.chosen_waves), None), next(iter(place.chosen_strata), None)
    return tally_of(read_source(place.sources, place.token), Selection(wave, stratum))


def _check_one(place: TestInput) -> None:
    if sum([bool(place.paper), bool(place.data), bool(place.sources and not place.data)]) != 1:
        raise click.UsageError("Give a collector's URL and a survey, tally files, counts, or a table (--column).")
    if not place.data:
        place.data.check_absent()
    if not (place.paper or place.data):
        place.asked.check_absent()
    if (place.chosen_waves or place.chosen_strata) and (place.paper or place.data):
        raise click.UsageError("--wave and --stratum go with a collector's URL.")


def _asked_for(found: TestedGroups, place: TestInput) -> TestedGroups:
    """Return those of the question and the answer that are asked for."""
    with refusing_unasked():
        return found.only(place.question, place.answer)


@contextmanager
def refusing_unasked() -> Iterator[None]:
    """Raise UsageError for a question and an answer that there are not."""
    try:
        yield
    except DomainError as fault:
        if not str(fault).startswith("question and answer"):
            raise
        raise click.UsageError(str(fault)) from fault


def _of_counts(paper: CountsInput) -> dict[str, list[Arm]]:
    """Return a group for each counts; one design may be that of all."""
    specs = paper.asked.specs
    if any(len(spec.samples()) > 1 for _, spec in specs):
        raise click.UsageError(
            "Counts of a design with several samples make one group. Give the groups in a table: --by has the groups, "
            "--arm the samples."
        )
    if len(specs) == 1 and len(specs[0][1].samples()) == 1:
        paper = replace(paper, asked=replace(paper.asked, specs=specs * len(paper.counts)))
    return {f"group {at}": [arm] for at, arm in enumerate(paper.arms(), 1)}


def _read(place: TestInput) -> Data:
    data = place.data.read(place.sources, place.asked)
    if data.sampling.names:
        raise click.UsageError(
            "Tests take simple random samples, without --weights, --strata, --clusters and --post-stratify."
        )
    return data


def _of_tallies(place: TestInput, asked: Target | None) -> TestedGroups:
    source = read_source(place.sources, place.token)
    tallies = _of_parts(source, place) if source.gives(REPORTS) else _of_files(place)
    scores = tuple(map(float, place.chosen_waves)) if len(place.chosen_waves) > 1 else ()
    by = STRATUM if len(place.chosen_strata) > 1 else ""
    return replace(TestedGroups.of(tallies, asked, by), scores=scores)


def _of_parts(source: Source, place: TestInput) -> dict[str, Tally]:
    if (len(place.chosen_waves) > 1) == (len(place.chosen_strata) > 1):
        raise click.UsageError(
            "Name the groups: give --wave or --stratum twice or more, and the other one at most once."
        )
    wave, stratum = next(iter(place.chosen_waves), None), next(iter(place.chosen_strata), None)
    if len(place.chosen_waves) > 1:
        return {f"wave {of}": tally_of(source, Selection(of, stratum)) for of in place.chosen_waves}
    tallies = {of: tally_of(source, Selection(wave, of)) for of in place.chosen_strata}
    _check_apart(tallies)
    return tallies


def _check_apart(tallies: Mapping[str, Tally]) -> None:
    """Raise UsageError where one of these strata is in another, a parent: a test needs different people."""
    seen: dict[str, str] = {}
    for name, tally in tallies.items():
        for stratum in Selection(stratum=name).strata(tally.survey):
            if stratum in seen:
                raise click.UsageError(
                    f"--stratum {seen[stratum]} and --stratum {name} share people. Give groups apart."
                )
            seen[stratum] = name


def _of_files(place: TestInput) -> dict[str, Tally]:
    if place.chosen_waves or place.chosen_strata:
        raise click.UsageError("--wave and --stratum go with a collector's URL, or with one file of packed reports.")
    if len({*place.sources}) < max(2, len(place.sources)):
        raise click.UsageError("Give two or more different files, one for each group.")
    return {name: read_source([name], "").tally(Selection()) for name in place.sources}

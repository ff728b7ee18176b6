"""`sotto associate`."""

from dataclasses import replace
from pathlib import Path

import click

from sotto_estimator.association.associate import associate as find_association
from sotto_estimator.commands.options import chosen_options, level_option
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.sources import read_source
from sotto_estimator.sources.records import save_records
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import names_collector
from sotto_estimator.strings.candidates import read_candidates


@click.command(epilog="Example:  sotto associate reports.bin paid dish --candidates dish=list.txt")
@click.argument("sources", nargs=-1, metavar="URL SURVEY | RECORDS  QUESTION QUESTION [QUESTION]")
@click.option(
    "--candidates",
    multiple=True,
    metavar="QUESTION=FILE",
    help="Strings of a text question, one a line; all others are one category. May be given for each.",
)
@chosen_options("Of a survey of several waves: whose reports.")
@level_option
@click.option("--token", envvar="SOTTO_TOKEN", default="", help="The analyst's token for URL [env: SOTTO_TOKEN].")
@click.option(
    "--save-records",
    "kept",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the noisy reports in this file.",
)
@output_options
def associate(
    sources: tuple[str, ...],
    candidates: tuple[str, ...],
    chosen: Selection,
    level: float,
    token: str,
    kept: Path | None,
    output: Output,
) -> None:
    """Estimate how two or three answers go together, and test for independence.

    From a collector's noisy reports (URL and SURVEY), a file of them, or the folder of an archive. QUESTION:OPTION is
    one option of an any-of question.
    """
    n_named = 2 if names_collector(sources) else 1
    place, questions = sources[:n_named], sources[n_named:]
    if len(questions) not in (2, 3):
        raise click.UsageError("Give a collector's URL and a survey, or a file of records, and two or three questions.")
    strings = _candidates(candidates)
    survey, records = read_source(place, token).records(chosen)
    association = find_association(survey, chosen.of(survey, records), questions, strings, level=level)
    association = replace(association, chosen=chosen)
    if kept:
        save_records(survey, records, kept)
    output.show(association)


def _candidates(given: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    read = {}
    for text in given:
        question, sign, path = text.partition("=")
        if not (question and sign and path):
            raise click.UsageError("--candidates takes QUESTION=FILE.")
        if question in read:
            raise click.UsageError(f"--candidates is given twice for {question}.")
        read[question] = read_candidates(Path(path))
    return read

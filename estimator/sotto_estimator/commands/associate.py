"""`sotto associate`."""

from dataclasses import replace
from pathlib import Path

import click

from sotto_estimator.association.associate import associate as find_association
from sotto_estimator.commands.options import chosen_options, level_option, token_option
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.sections import INTERVALS, QUESTIONS, SURVEY, SectionedCommand, in_section
from sotto_estimator.commands.sources import read_source
from sotto_estimator.errors import SourceError
from sotto_estimator.sources.records import save_records
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import names_collector
from sotto_estimator.strings.candidates import read_candidates
from sotto_protocol.file_endings import check_ending
from sotto_protocol.words import examples

(_CANDIDATES,) = in_section(
    QUESTIONS,
    click.option(
        "--candidates",
        multiple=True,
        metavar="QUESTION=FILE",
        help="Candidates of a text question, one per line. All other texts become one category. May be repeated.",
    ),
)
(_SAVE_RECORDS,) = in_section(
    SURVEY,
    click.option(
        "--save-records",
        "kept",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Save the noisy reports to this file.",
    ),
)
(_LEVEL,) = in_section(INTERVALS, level_option)
_EXAMPLES = (
    "sotto associate reports.bin paid dish --candidates dish=list.txt",
    "sotto associate reports.bin paid dish --candidates dish=list.txt --plot table.png",
)


@click.command(cls=SectionedCommand, epilog=examples(*_EXAMPLES))
@click.argument("sources", nargs=-1, metavar="URL SURVEY | RECORDS  QUESTION QUESTION [QUESTION]")
@_CANDIDATES
@token_option
@chosen_options("Use one wave of the survey, by number  [default: all].")
@_SAVE_RECORDS
@_LEVEL
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

    The noisy reports come from a collector (URL SURVEY) or from RECORDS. RECORDS is a file of packed reports, or the
    folder of an archive. Name one option of an any-of question as QUESTION:OPTION.
    """
    check_ending("--save-records", kept, ".bin", error=SourceError)
    n_named = 2 if names_collector(sources) else 1
    place, questions = sources[:n_named], sources[n_named:]
    if len(questions) not in (2, 3):
        raise click.UsageError(
            "Give a collector's URL and a survey, or a file of packed reports, and two or three questions."
        )
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

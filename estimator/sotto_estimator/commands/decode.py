"""`sotto decode`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import click

from sotto_estimator.commands.options import chosen_options, grouped, level_option, refuse_token, token_option, warn
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.sections import FORMAT, INTERVALS, TEXTS, SectionedCommand, in_section
from sotto_estimator.commands.sources import check_chosen, read_source, tally_of
from sotto_estimator.errors import SourceError
from sotto_estimator.sources.kinds import TALLY
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import FileSource
from sotto_estimator.sources.withheld import withheld_of
from sotto_estimator.strings.candidates import read_candidates, read_strings
from sotto_estimator.strings.decode import CORRECTIONS, DECODE_METHODS, Decoded, DecodeOptions
from sotto_estimator.strings.google import RESULT_LEVEL, decode_files, write_rappor
from sotto_estimator.strings.question import decode_tally, text_question
from sotto_estimator.strings.subject import subject_of_tally
from sotto_estimator.strings.unknown import ALPHABET
from sotto_estimator.strings.unlisted import decode_unlisted
from sotto_protocol.file_endings import check_ending
from sotto_protocol.words import examples

_QUESTION = " and one question's"
_FILE = click.Path(path_type=Path, dir_okay=False)


@dataclass(frozen=True, slots=True)
class _Listed:
    """Where candidates are listed: a file, and the column of it if it is a table."""

    candidates: Path | None
    column: str | None

    def __post_init__(self) -> None:
        if self.column is not None and self.candidates is None:
            raise click.UsageError("--column goes with --candidates.")

    def read(self, reader: Callable[[Path, str | None], tuple[str, ...]] = read_candidates) -> tuple[str, ...]:
        if self.candidates is None:
            raise click.UsageError("--candidates is needed.")
        return reader(self.candidates, self.column)


@dataclass(frozen=True, slots=True)
class _GoogleFiles:
    """google/rappor's parameters, counts and map."""

    params: Path | None
    counts: Path | None
    map_path: Path | None

    def __bool__(self) -> bool:
        return any((self.params, self.counts, self.map_path))


_UNKNOWN, _ALPHABET, _ALL, _LIMIT = in_section(
    TEXTS,
    click.option("--unknown", "is_unknown", is_flag=True, help="Find common texts without a list of candidates."),
    click.option(
        "--alphabet", help="The characters that texts may have, with --unknown  [default: a-z, 0-9, blank and - . ']."
    ),
    click.option("--all", "keep_all", is_flag=True, help="Also bound the shares of candidates that were not detected."),
    click.option("--limit", type=click.IntRange(min=1), help="Print only the N most common texts  [default: all]."),
)
(_RAPPOR_CSV,) = in_section(
    FORMAT,
    click.option(
        "--rappor-csv", type=_FILE, help="Write google/rappor's result columns into this file. It needs --level 0.95."
    ),
)
_EXAMPLES = (
    "sotto decode http://127.0.0.1:8000 my-survey dish --candidates list.txt",
    "sotto decode tally.json dish --candidates list.txt --limit 10",
)


@click.command(cls=SectionedCommand, epilog=examples(*_EXAMPLES))
@click.argument("sources", nargs=-1, metavar="URL SURVEY QUESTION | FILE ... QUESTION")
@grouped(
    "listed",
    _Listed,
    *in_section(
        TEXTS,
        click.option(
            "--candidates", type=_FILE, help="File of candidates, the texts to look for: UTF-8, one per line."
        ),
        click.option("--column", help="Read the candidates from this column of a table (docs/data.md)."),
    ),
)
@_UNKNOWN
@_ALPHABET
@_ALL
@_LIMIT
@chosen_options("Decode one wave of the survey, by number  [default: all].")
@token_option
@grouped(
    "google",
    _GoogleFiles,
    *in_section(
        FORMAT,
        click.option(
            "--params", type=_FILE, help="google/rappor's parameters: a CSV file with the header k,h,m,p,q,f."
        ),
        click.option(
            "--counts", type=_FILE, help="google/rappor's counts: one row per cohort, with its total and k bit counts."
        ),
        click.option(
            "--map", "map_path", type=_FILE, help="google/rappor's map: one row per string, with its m h bit numbers."
        ),
    ),
)
@grouped(
    "options",
    DecodeOptions,
    *in_section(
        INTERVALS,
        click.option(
            "--method",
            type=click.Choice(DECODE_METHODS),
            default="normal",
            show_default=True,
            help="Method of the confidence intervals.",
        ),
        level_option,
        click.option(
            "--correction",
            type=click.Choice(CORRECTIONS),
            default="fdr",
            show_default=True,
            help="What --fdr bounds: the false discovery rate (Benjamini-Hochberg), or the risk of any (Bonferroni).",
        ),
        click.option(
            "--fdr",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            default=0.05,
            show_default=True,
            help="Bound on false discoveries, between 0 and 1; see --correction.",
        ),
        click.option(
            "--simultaneous",
            is_flag=True,
            help="Widen the intervals so that all hold together at the level (Bonferroni).",
        ),
    ),
)
@_RAPPOR_CSV
@output_options
def decode(
    sources: tuple[str, ...],
    listed: _Listed,
    is_unknown: bool,
    alphabet: str | None,
    chosen: Selection,
    token: str,
    google: _GoogleFiles,
    options: DecodeOptions,
    keep_all: bool,
    limit: int | None,
    rappor_csv: Path | None,
    output: Output,
) -> None:
    """Find which texts are common among the answers to a text question.

    Give --candidates, the texts to look for, or --unknown. The reports come from one of three sources:

    \b
    URL SURVEY     a collector, and the id of its survey
    FILE ...       tallies, packed reports, or folders of archives; several are merged
    google/rappor  --params and --counts, with --map or --candidates

    Candidates for google/rappor's files are hashed as google/rappor hashes them. --unknown reads a tally where devices
    report beginnings of texts. Where devices report n-grams, it reads packed reports: a collector's, or one file.
    """
    check_ending("--rappor-csv", rappor_csv, ".csv", error=SourceError)
    if rappor_csv and options.level != RESULT_LEVEL:
        raise click.UsageError(f"--rappor-csv has columns of level {RESULT_LEVEL}: leave out --level.")
    if alphabet is not None and not is_unknown:
        raise click.UsageError("--alphabet goes with --unknown.")
    if is_unknown:
        if google or listed.candidates:
            raise click.UsageError("--unknown goes without --candidates, --params, --counts and --map.")
        if keep_all:
            raise click.UsageError("--all goes with a list of candidates, not with --unknown.")
        found = _decode_unknown(sources, token, chosen, ALPHABET if alphabet is None else alphabet, options)
    else:
        if google and (sources or chosen):
            raise click.UsageError("Give a collector, tally files, or google/rappor's files: one of the three.")
        if google:
            found = _from_google(google, listed, options, keep_all)
        else:
            found = _from_tally(sources, token, chosen, listed, options, keep_all)
    if rappor_csv:
        write_rappor(found, rappor_csv)
    output.show(replace(found, limit=limit), whole=found)


def _from_google(google: _GoogleFiles, listed: _Listed, options: DecodeOptions, keep_all: bool) -> Decoded:
    refuse_token()
    if google.params is None or google.counts is None or (google.map_path is None) == (listed.candidates is None):
        raise click.UsageError("google/rappor's files need --params, --counts, and one of --map and --candidates.")
    candidates = google.map_path or listed.read(read_strings)
    return decode_files(google.params, google.counts, candidates, options, keep_all=keep_all)


def _from_tally(
    sources: tuple[str, ...], token: str, chosen: Selection, listed: _Listed, options: DecodeOptions, keep_all: bool
) -> Decoded:
    if len(sources) < 2 or listed.candidates is None:
        raise click.UsageError("Give URL, SURVEY and QUESTION, or tally files and QUESTION, and --candidates.")
    *place, question_id = sources
    tally = tally_of(read_source(place, token, then=_QUESTION), chosen)
    question = text_question(tally.survey, question_id)
    for withheld in withheld_of(tally):
        if withheld.question == question_id and withheld.n_counted:
            warn(f"{withheld}.")
    decoded = decode_tally(tally, question_id, listed.read(), options, keep_all=keep_all)
    return replace(decoded, subject=replace(subject_of_tally(tally, question), stratum=chosen.stratum))


def _decode_unknown(
    sources: tuple[str, ...], token: str, chosen: Selection, alphabet: str, options: DecodeOptions
) -> Decoded:
    if len(sources) < 2:
        raise click.UsageError(
            "Give URL, SURVEY and QUESTION, tally files and QUESTION, or a file of packed reports and QUESTION."
        )
    *place, question_id = sources
    source = read_source(place, token, then=_QUESTION)
    if source.gives(TALLY):
        check_chosen(source, chosen)
    elif isinstance(source, FileSource) and len(source.paths) > 1:
        raise click.UsageError("--unknown takes one file of packed reports.")
    return decode_unlisted(source, question_id, chosen, alphabet, options)

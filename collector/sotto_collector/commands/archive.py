"""`sotto export`, `tally`: noisy reports as an archive of Parquet files, and its tally, on one machine or many."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sotto_collector.durable_files import write_durably
from sotto_collector.errors import ArchiveError, CollectorError
from sotto_collector.remote import RemoteCollector
from sotto_collector.store import Store
from sotto_protocol import Survey, Tally
from sotto_protocol.extras import install_command
from sotto_protocol.file_endings import check_ending, says_another_form
from sotto_protocol.store_address import names_store
from sotto_protocol.words import counted, examples

if TYPE_CHECKING:  # these load Arrow
    from sotto_collector.archive.source import Source
    from sotto_protocol.archive import Manifest

_EXTRAS = {
    "distributed": (" --scheduler", "cluster"),
    "pyspark": (" --spark", "spark"),
    "py4j": (" --spark", "spark"),
}
"""By the package that is missing: which option needs it, and what installs it. All else is of `scale`."""
_NOTICE = "Receipts are not exported. If a report is erased later, it stays in what you export now."
_NOISY = "The columns reported_.. are noisy, as they were sent: a share counted in one is no estimate.\n"


@click.command(
    epilog=examples(
        "sotto export survey.db my-survey --to archive",
        "sotto export http://127.0.0.1:8000 my-survey --to reports.csv --labels",
    )
)
@click.argument("source")
@click.argument("survey")
@click.option(
    "--to",
    "target",
    required=True,
    help="Folder for the archive, or s3://BUCKET/PREFIX. With --labels, a new file: .parquet, .csv, .arrow, .feather, "
    ".dta, .sav or .xlsx.",
)
@click.option("--labels", is_flag=True, help="Write one file in the survey's words, for people. It cannot be counted.")
@click.option(
    "--token",
    envvar="SOTTO_TOKEN",
    show_envvar=True,
    show_default="none",
    help="Analyst's token. You need it if SOURCE is a URL.",
)
@click.option(
    "--parts", type=click.IntRange(1, 4096), help="Cut the archive into this many files  [default: about 16 MB each]."
)
def export(source: str, survey: str, target: str, token: str | None, parts: int | None, labels: bool) -> None:
    """Write the noisy reports of a survey to Parquet files.

    SOURCE is a collector's URL, or its database: a file, or postgresql://... The files are an archive, which `sotto
    tally` counts again. Reports may arrive meanwhile: each file has those that were there when it was written. If the
    export is cut short, run the same command again: it goes on from there.

    With --labels the reports become one file, with the texts of the options. The ending of its name says the form:
    Parquet, CSV, Arrow, Stata, SPSS or Excel. Where a report supports several options, each option has a column of yes
    or no. The reports are as noisy there: the column of question ID is reported_ID.
    """
    _check_target(target, Path(target), labels, parts)
    with _scale("export"):
        from sotto_collector.archive.export import export as write_archive
        from sotto_collector.archive.labelled import export_labelled
        from sotto_collector.archive.labelled_forms import form_of
    if labels:
        form_of(Path(target))
    with _open_source(source, survey, token) as opened:
        _warn(opened.survey, "file" if labels else "archive")
        if labels:
            n_reports, rest = export_labelled(opened, Path(target), _show_progress, _note), "in the survey's words"
        else:
            manifest, n_kept = write_archive(opened, target, parts, _show_parts)
            kept = f", {n_kept} of them there already" if n_kept else ""
            n_reports, rest = manifest.n_reports, f"{counted(manifest.n_parts, 'part')}{kept}"
    _end_line()
    place = target.partition("?")[0] if names_store(target) else Path(target)
    click.echo(f"{counted(n_reports, 'report')} in {place}: {rest}")
    click.echo(_NOISY + _NOTICE if labels else _NOTICE, err=True)


def _check_target(given: str, target: Path, labels: bool, parts: int | None) -> None:
    if names_store(given):
        if labels:
            raise click.UsageError("--labels writes a file of this machine: give the name of one.")
        return
    if labels and parts is not None:
        raise click.UsageError("--parts does not go with --labels, which writes one file.")
    if labels and os.path.lexists(target):
        raise ArchiveError(f"{target} must be a new file; there is one already.")
    if not labels and target.exists() and not target.is_dir():
        raise ArchiveError(f"{target} must be a folder; --labels writes a file.")
    if not labels and not target.exists() and says_another_form(target):
        raise ArchiveError(f"{target} would be a folder: give it another name, or add --labels to write a file.")


@click.command(epilog=examples("sotto tally archive --save counted.json", "sotto tally archive --wave 1"))
@click.argument("folder")
@click.option(
    "--save", type=click.Path(path_type=Path, dir_okay=False), help="New file for the tally  [default: print it]."
)
@click.option("--wave", type=click.IntRange(min=1), help="Count this wave only  [default: all waves].")
@click.option("--workers", type=click.IntRange(min=1), help="Processes that count  [default: one for each core].")
@click.option(
    "--scheduler", help='Dask scheduler, "local" or an address such as tcp://10.0.0.1:8786  [default: no Dask].'
)
@click.option("--spark", help="Spark master, such as local[2] or spark://10.0.0.1:7077  [default: no Spark].")
def tally(
    folder: str, wave: int | None, workers: int | None, scheduler: str | None, spark: str | None, save: Path | None
) -> None:
    """Count an archive, and write the tally that `sotto estimate` reads.

    The command checks the digest of every file. If a file is missing or damaged, it names the file and counts nothing.
    FOLDER may also be s3://BUCKET/PREFIX. With --scheduler a Dask cluster counts the files, with
    --spark a Spark cluster. Its workers must see FOLDER under the same path.
    """
    if spark is not None and (workers is not None or scheduler is not None):
        raise click.UsageError("--spark goes without --workers and --scheduler.")
    if scheduler not in (None, "local") and workers is not None:
        raise click.UsageError('--workers is for this machine: leave out --scheduler, or give "local".')
    if scheduler not in (None, "local") and not scheduler.startswith(("tcp://", "tls://")):
        raise ArchiveError(
            f'--scheduler ({scheduler}) must be "local", or an address that begins with tcp:// or tls://.'
        )
    check_ending("--save", save, ".json", error=ArchiveError)
    if save is not None and os.path.lexists(save):  # before the work
        raise ArchiveError(f"{save} must be a new file; there is one already.")
    with _scale("tally"):
        tally = _count(folder, wave, workers, scheduler, spark)
    _end_line()
    if save is None:
        click.echo(tally.to_json())
        return
    try:
        write_durably(save, tally.to_json())
    except OSError as fault:
        raise ArchiveError(f"{save} cannot be written: {fault.strerror}.") from fault
    click.echo(f"{counted(tally.n_reports, 'report')} counted into {save}")


def _count(folder: str, wave: int | None, workers: int | None, scheduler: str | None, spark: str | None) -> Tally:
    from sotto_collector.archive.recount import recount

    if spark is not None:
        from sotto_collector.archive.spark import recount_on_spark

        return recount_on_spark(folder, spark, wave, progress=_show_files)
    if scheduler is None:
        return recount(folder, wave, n_workers=workers, progress=_show_files)
    from sotto_collector.archive.cluster import recount_on_cluster

    return recount_on_cluster(folder, scheduler, wave, n_workers=workers, progress=_show_files)


@contextmanager
def _scale(command: str) -> Iterator[None]:
    """Say which extra is needed where the libraries are not there."""
    try:
        yield
    except ModuleNotFoundError as fault:
        name = fault.name or ""
        if name.startswith("sotto"):
            raise
        option, extra = _EXTRAS.get(name.partition(".")[0], ("", "scale"))
        raise ArchiveError(f"sotto {command}{option} needs: {install_command(extra)}") from fault


@contextmanager
def _open_source(source: str, survey: str, token: str | None) -> "Iterator[Source]":
    from sotto_collector.archive.source import HttpSource, StoreSource

    if source.startswith(("http:", "https:")):
        if token is None:
            raise click.UsageError("A collector's URL needs an analyst's token: give --token, or set SOTTO_TOKEN.")
        yield HttpSource(RemoteCollector(source, token), survey)
        return
    if not source:
        raise CollectorError("SOURCE must be a collector's URL, or a database; it is empty.")
    with closing(Store(source, create=False)) as store:
        yield StoreSource(store, survey)


def _warn(survey: Survey, what: str) -> None:
    if survey.min_reports > 1:
        click.echo(
            f"The survey promises that only counts of {survey.min_reports} reports or more are shown. This {what} has "
            "every single report: protect it as you protect the database.",
            err=True,
        )


def _note(text: str) -> None:
    click.echo(text, err=True)


def _show_parts(manifest: "Manifest") -> None:
    _show_progress(len(manifest.parts), manifest.n_parts, manifest.n_reports)


def _show_progress(n_done: int, n_parts: int, n_reports: int) -> None:
    _show(f"part {n_done} of {n_parts}, {n_reports:,} reports")


def _show_files(n_done: int, n_files: int) -> None:
    _show(f"file {n_done} of {n_files}")


def _show(line: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{line}", nl=False, err=True)


def _end_line() -> None:
    if sys.stderr.isatty():
        click.echo(err=True)

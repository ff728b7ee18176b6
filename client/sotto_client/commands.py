"""The respondent's commands: `sotto explain`, `outbox`."""

import json
import re
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sotto_client.delivery import Delivery
from sotto_client.errors import ClientError
from sotto_client.exchange import check_survey_id, check_url
from sotto_client.explain_plot import draw_explanation
from sotto_client.inventory import Inventory, Kept, take_inventory
from sotto_client.source import fetch_survey
from sotto_client.state import State
from sotto_protocol import Survey, SurveyError, read_survey
from sotto_protocol.curves import curves
from sotto_protocol.datasheet import letter as letters, letter_render, render as sheet_render, sheet as sheets
from sotto_protocol.explain import explain as explain_survey
from sotto_protocol.language import ENGLISH, LANGUAGES, Language
from sotto_protocol.language_tag import TAG_EXPECTED
from sotto_protocol.negotiation import choose_language, match
from sotto_protocol.survey_source import MAX_FILE_BYTES
from sotto_protocol.tables import align
from sotto_protocol.words import epsilon_above, examples, printable

_TIMEOUT_S = 10.0
_TAG = re.compile("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", re.ASCII)
_WRITTEN = (".md", ".html")
"""How a datasheet or a letter is written, by how a file's name ends."""
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


@click.command(
    epilog=examples(
        "sotto explain survey.toml --lang de",
        "sotto explain survey.toml --letter --lang fr --to letter.html",
    )
)
@click.argument("source")
@click.argument("survey_id", metavar="[SURVEY]", required=False)
@_as_json
@click.option(
    "--lang",
    default="en",
    show_default=True,
    metavar="TAG",
    help="Language, as a BCP 47 tag such as de. If it is missing, the language that the survey's page would use.",
)
@click.option("--datasheet", is_flag=True, help="Print one page about the survey for people who decide on it.")
@click.option("--letter", is_flag=True, help="Write a letter of two pages about the survey, in the language of --lang.")
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    help="File for --datasheet or --letter, .md or .html  [default: print it].",
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the curves into this SVG file  [default: none].")
@click.option(
    "--timeout-s",
    default=_TIMEOUT_S,
    show_default=True,
    type=click.FloatRange(0.1),
    help="Seconds to wait for a collector.",
)
def explain(
    source: str,
    survey_id: str | None,
    as_json: bool,
    lang: str,
    plot: Path | None,
    datasheet: bool,
    letter: bool,
    target: Path | None,
    timeout_s: float,
) -> None:
    """Explain in plain words what a report gives away.

    SOURCE is a survey file. It may also be a collector's URL: then SURVEY is the survey's id there.

    You learn three things about each question. How sure can somebody become of an answer? How good is the best test for
    an answer? How many other people send the same by chance? With --datasheet you get a page for an ethics board. It
    says who sees what, and has blanks to fill in. With --letter you get two pages for a works council, in any language
    of the product.
    """
    if datasheet and letter:
        raise click.UsageError("--datasheet does not go with --letter: they are two pages about the same.")
    _check_files(plot, target, is_page=datasheet or letter, as_json=as_json)
    _check_language(lang, datasheet=datasheet)
    survey = _find(source, survey_id, timeout_s)
    if plot is not None:
        _write(plot, draw_explanation(survey))
    if datasheet:
        _give(sheets.make_datasheet(survey), sheets.FORMAT, sheet_render, target, as_json=as_json)
        return
    tag, spoken = _languages(lang, survey)
    if letter:
        _give(letters.make_letter(survey, spoken, tag), letters.FORMAT, letter_render, target, as_json=as_json)
        return
    explanation = explain_survey(survey, spoken, tag)
    if as_json:
        drawn = {"curves": [asdict(curve) for curve in curves(survey)]}
        echo(json.dumps(asdict(explanation) | drawn, default=float, indent=2))
    else:
        echo(str(explanation))


def _check_language(lang: str, *, datasheet: bool) -> None:
    """Raise UsageError for what is no language, or goes with no datasheet."""
    if _TAG.fullmatch(lang) is None:
        raise click.UsageError(f"--lang ({lang:.40}) must be {TAG_EXPECTED}.")
    if datasheet and match(lang, [*LANGUAGES]) != ENGLISH.tag:
        raise click.UsageError("--lang does not go with --datasheet, which is in English.")


def _languages(lang: str, survey: Survey) -> tuple[str, Language]:
    """Return the survey's language and the product's: where one lacks what is asked for, as the page falls back.

    Says on stderr where the product's is another.
    """
    chosen = choose_language(survey.languages, lang)
    spoken = LANGUAGES.get(match(lang, [*LANGUAGES]), chosen.language)
    if not match(lang, [spoken.tag]):
        echo(f"Note: sottovoce does not speak {lang}. Its own words are in {spoken.name}.", is_error=True)
    return chosen.tag, spoken


def _check_files(plot: Path | None, target: Path | None, *, is_page: bool, as_json: bool) -> None:
    """Raise UsageError for files that would not be written."""
    if plot is not None and plot.suffix.lower() != ".svg":
        raise click.UsageError(f"--plot ({plot}) must end in .svg, the only kind of picture that is drawn.")
    if target is None:
        return
    if not is_page or as_json:
        raise click.UsageError("--to needs --datasheet or --letter, and does not go with --json.")
    if target.suffix.lower() not in _WRITTEN:
        raise click.UsageError(f"--to ({target}) must end in {' or '.join(_WRITTEN)}.")


def _find(source: str, survey_id: str | None, timeout_s: float) -> Survey:
    if survey_id is not None:
        return fetch_survey(*_address(source, survey_id), timeout_s=timeout_s)
    if "://" in source:
        raise click.UsageError("SOURCE is a collector's URL: give the survey's id after it.")
    return read_file(Path(source))


def _give(page: Any, form: str, render: Any, target: Path | None, *, as_json: bool) -> None:
    """Print a datasheet or a letter, or write it into a file, as its module `render` has it."""
    if as_json:
        echo(json.dumps({"format": form} | asdict(page), default=float, indent=2))
    elif target is None:
        echo(render.to_markdown(page).rstrip())
    else:
        _write(target, render.to_html(page) if target.suffix.lower() == ".html" else render.to_markdown(page))


@click.command(epilog=examples("sotto outbox device.db", "sotto outbox device.db --send --skip-delay"))
@click.argument("state_file", metavar="[STATE]", required=False, type=click.Path(path_type=Path))
@click.option("--state", "state_option", type=click.Path(path_type=Path), help="The state file, instead of STATE.")
@_as_json
@click.option("--send", is_flag=True, help="First try to deliver the reports that wait.")
@click.option(
    "--timeout-s",
    default=_TIMEOUT_S,
    show_default=True,
    type=click.FloatRange(0.1),
    help="Seconds that --send may take.",
)
@click.option("--skip-delay", is_flag=True, help="With --send, do not wait for the reports' random delays.")
def outbox(
    state_file: Path | None, state_option: Path | None, as_json: bool, send: bool, timeout_s: float, skip_delay: bool
) -> None:
    """Show what a device has spent, and which reports it must still send.

    STATE is the device's state file. If you leave it out, it is the user's own. The command also shows the noisy
    reports that a collector refused.
    """
    if state_file is not None and state_option is not None:
        raise click.UsageError("Give STATE or --state, not both.")
    with closing(State.open(state_file or state_option, create=False)) as state:
        if send:
            _send(state, timeout_s, skip_delay)
        inventory = take_inventory(state)
    echo(json.dumps(asdict(inventory), default=str, indent=2) if as_json else _describe(inventory))


def read_file(path: Path) -> Survey:
    """Return a survey from an author's TOML or JSON, or from canonical JSON. Raises ClientError with the path."""
    try:
        with path.open("rb") as file:
            return read_survey(file.read(MAX_FILE_BYTES + 1), is_json=path.suffix == ".json")
    except OSError as fault:
        raise ClientError(f"{path}: {fault.strerror}") from fault
    except SurveyError as fault:
        raise ClientError(f"{path}: {fault}") from fault


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise ClientError(f"{path}: {fault.strerror}") from fault


def _address(url: str, survey_id: str) -> tuple[str, str]:
    try:
        return check_url(url), check_survey_id(survey_id)
    except ValueError as fault:
        raise click.UsageError(str(fault)) from fault


def _send(state: State, timeout_s: float, skip_delay: bool) -> None:
    delivery = Delivery(state, timeout_s=timeout_s)
    try:
        is_empty = delivery.flush(timeout_s, skip_delay=skip_delay)
    finally:
        delivery.close(timeout_s)
    click.echo("no report waits" if is_empty else "some reports still wait", err=True)


def _describe(inventory: Inventory) -> str:
    spent = [["answered", "survey", "wave", "epsilon", "receipt"]]
    for e in inventory.ledger:
        epsilon = epsilon_above(e.epsilon) + (" in all waves" if e.is_summed else "")
        spent.append([e.day, e.survey_id, str(e.wave), epsilon, e.receipt])
    parts = [align(spent) if inventory.ledger else "nothing answered"]
    for asked in inventory.drawn:
        waves = f"  in {'wave' if len(asked.waves) == 1 else 'waves'} {', '.join(map(str, asked.waves))}"
        parts.append(
            f"asked: {asked.survey_id}  {', '.join(asked.questions) or asked.fingerprint}{waves * bool(asked.waves)}"
        )
    for keys in inventory.gateways:
        other = f"  and in the same epoch {keys.other}" if keys.other else ""
        parts.append(f"gateway: {keys.gateway_key}  epoch {keys.epoch}  keys {keys.digest}{other}")
    for report in inventory.waiting:
        parts.append(f"waiting: {_name(report)}  attempts {report.n_attempts}")
        parts += [f"  {line}" for line in report.lines()]
    for report in inventory.rejected:
        parts.append(f"refused: {_name(report)}  {report.reason}")
        parts += [f"  {line}" for line in report.lines()]
    for report in inventory.sent:
        parts.append(f"delivered: {_name(report)}  kept for {report.days_left} more day{'s'[: report.days_left != 1]}")
        parts += [f"  {line}" for line in report.lines()]
    return "\n".join(parts)


def _name(report: Kept) -> str:
    return f"{report.receipt}  {report.survey_id} wave {report.wave}  {report.url}"


def echo(text: Any, *, is_error: bool = False) -> None:
    """Print, but for what could steer a terminal: a survey's and a collector's texts are not trusted."""
    click.echo("\n".join(map(printable, str(text).split("\n"))), err=is_error)

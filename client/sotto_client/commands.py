"""The respondent's and the author's commands: `sotto check`, `explain`, `outbox`."""

import json
from contextlib import closing
from dataclasses import asdict
from decimal import Decimal
from math import sqrt
from pathlib import Path
from typing import Any

import click

from sotto_client.delivery import Delivery
from sotto_client.errors import ClientError
from sotto_client.exchange import check_survey_id, check_url
from sotto_client.explain_plot import draw_explanation
from sotto_client.inventory import Inventory, Kept, take_inventory
from sotto_client.ledger import MAX_EPSILON, MAX_PERIOD_EPSILON, PERIOD_DAYS
from sotto_client.source import fetch_survey
from sotto_client.state import State
from sotto_protocol import Survey, SurveyError, read_survey
from sotto_protocol.curves import curves
from sotto_protocol.datasheet.render import to_html, to_markdown
from sotto_protocol.datasheet.sheet import FORMAT, Datasheet, make_datasheet
from sotto_protocol.explain import explain as explain_survey
from sotto_protocol.mechanisms.asked_option import AskedOption
from sotto_protocol.minimum import needs_of, say_needs
from sotto_protocol.tables import align
from sotto_protocol.words import epsilon_above, epsilon_below

_TIMEOUT_S = 10.0
_ASKED = 'a device is asked one option: how options go together cannot be told (mechanism = "bit-flips" keeps that)'
_SHEETS = {".md": to_markdown, ".html": to_html}
"""How a datasheet is written, by how a file's name ends."""
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text; off by default.")


@click.command(epilog="Example:  sotto check survey.toml")
@click.argument("survey_file", type=click.Path(path_type=Path))
@click.option("--canonical", is_flag=True, help="Print the canonical JSON that is published; off by default.")
@_as_json
def check(survey_file: Path, canonical: bool, as_json: bool) -> None:
    """Check a survey file and print what it takes.

    SURVEY_FILE is TOML, JSON or canonical JSON; every epsilon is in nats. It is held against the limits that a device
    has unless its app sets others.
    """
    survey = read_file(survey_file)
    if canonical and as_json:
        raise click.UsageError("Give --canonical or --json, one of the two.")
    if canonical:
        click.echo(survey.canonical)
        return
    if as_json:
        _echo(json.dumps(_summarise(survey), default=float, indent=2))
        return
    _echo(align(_tabulate(survey)))
    if survey.waves > 1:
        _echo(f"waves {survey.waves}, of the same answers together epsilon {epsilon_above(survey.epsilon_forever)}")
    if survey.draw:
        _echo(_say_drawn(survey))
    if asked := [question.id for question in survey.questions if isinstance(question.mechanism, AskedOption)]:
        _echo(f"asked-option {', '.join(asked)}, {_ASKED}")
    if survey.invited:
        _echo("invited, one report" + (" a wave" if survey.waves > 1 else "") + " for each invitation")
    if survey.strata:
        _echo(f"strata {', '.join(survey.strata)}, an invitation is of one, and results are of each")
    if survey.public_results:
        _echo(f"public results, everybody may see the estimates{_alone(survey)}")
    if survey.min_reports > 1:
        _echo(f"min_reports {survey.min_reports}, no tally of fewer")
        for line in say_needs(survey):
            _echo(line)
    if not survey.keeps_reports:
        _echo(f"keep {survey.keep}, no report is kept: none can be erased, recounted, exported or associated")
    for line in _room(survey):
        _echo(line)
    _echo(f"fingerprint {survey.fingerprint}")


@click.command(epilog="Example:  sotto explain survey.toml")
@click.argument("source")
@click.argument("survey_id", metavar="[SURVEY]", required=False)
@_as_json
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the curves into this file, SVG; off by default.")
@click.option("--datasheet", is_flag=True, help="Print the survey on one page, for who decides; off by default.")
@click.option(
    "--to", "target", type=click.Path(path_type=Path), help="File for --datasheet, .md or .html; by default stdout."
)
@click.option(
    "--timeout-s", default=_TIMEOUT_S, show_default=True, type=click.FloatRange(0.1), help="Wait for URL, in seconds."
)
def explain(
    source: str,
    survey_id: str | None,
    as_json: bool,
    plot: Path | None,
    datasheet: bool,
    target: Path | None,
    timeout_s: float,
) -> None:
    """Say in plain words what a report gives away.

    SOURCE is a survey file, or the URL of a collector that has SURVEY. What a suspicion becomes, how good any test of
    an answer is, and how many others send the same by chance. --datasheet: for an ethics board, with who sees what and
    blanks to be filled in.
    """
    _check_files(plot, target, datasheet=datasheet, as_json=as_json)
    survey = _find(source, survey_id, timeout_s)
    if plot is not None:
        _write(plot, draw_explanation(survey))
    if datasheet:
        _give_datasheet(make_datasheet(survey), target, as_json=as_json)
    elif as_json:
        drawn = {"curves": [asdict(curve) for curve in curves(survey)]}
        _echo(json.dumps(asdict(explain_survey(survey)) | drawn, default=float, indent=2))
    else:
        _echo(str(explain_survey(survey)))


def _check_files(plot: Path | None, target: Path | None, *, datasheet: bool, as_json: bool) -> None:
    """Raise UsageError for files that would not be written."""
    if plot is not None and plot.suffix.lower() != ".svg":
        raise click.UsageError(f"--plot ({plot}) must end in .svg: no other kind of picture is drawn.")
    if target is None:
        return
    if not datasheet or as_json:
        raise click.UsageError("--to goes with --datasheet, and without --json.")
    if target.suffix.lower() not in _SHEETS:
        raise click.UsageError(f"--to ({target}) must end in {' or '.join(_SHEETS)}.")


def _find(source: str, survey_id: str | None, timeout_s: float) -> Survey:
    if survey_id is not None:
        return fetch_survey(*_address(source, survey_id), timeout_s=timeout_s)
    if "://" in source:
        raise click.UsageError("A collector's URL is followed by a survey's id.")
    return read_file(Path(source))


def _give_datasheet(sheet: Datasheet, target: Path | None, *, as_json: bool) -> None:
    if as_json:
        _echo(json.dumps({"format": FORMAT} | asdict(sheet), default=float, indent=2))
    elif target is None:
        _echo(to_markdown(sheet).rstrip())
    else:
        _write(target, _SHEETS[target.suffix.lower()](sheet))


@click.command(epilog="Example:  sotto outbox device.db")
@click.argument("state_file", metavar="[STATE]", required=False, type=click.Path(path_type=Path))
@_as_json
@click.option("--send", is_flag=True, help="Try to deliver what waits, first; off by default.")
@click.option(
    "--timeout-s",
    default=_TIMEOUT_S,
    show_default=True,
    type=click.FloatRange(0.1),
    help="Time for --send, in seconds.",
)
@click.option("--skip-delay", is_flag=True, help="With --send, end the reports' random delays; off by default.")
def outbox(state_file: Path | None, as_json: bool, send: bool, timeout_s: float, skip_delay: bool) -> None:
    """Show what a device has spent, and what waits.

    STATE is the device's state file, by default the user's. Noisy reports that were refused are shown too.
    """
    with closing(State.open(state_file, create=False)) as state:
        if send:
            _send(state, timeout_s, skip_delay)
        inventory = take_inventory(state)
    _echo(json.dumps(asdict(inventory), default=str, indent=2) if as_json else _describe(inventory))


def read_file(path: Path) -> Survey:
    """Return a survey from an author's TOML or JSON, or from canonical JSON. Raises ClientError with the path."""
    try:
        return read_survey(path.read_bytes(), is_json=path.suffix == ".json")
    except OSError as fault:
        raise ClientError(f"{path}: {fault.strerror}") from fault
    except SurveyError as fault:
        raise ClientError(f"{path}: {fault}") from fault


def _summarise(survey: Survey) -> dict[str, Any]:
    """Return what a survey takes, for programs: every epsilon in nats, and the reports from which it is shown."""
    needs = needs_of(survey)
    questions = [
        {
            "id": question.id,
            "type": question.type,
            "mechanism": question.mechanism.name,
            "epsilon": question.epsilon,
            "epsilon_forever": question.epsilon_forever,
            "least_reports": needs[question.id].least,
            "likely_reports": needs[question.id].likely,
        }
        for question in survey.questions
    ]
    named = {"id": survey.id, "title": survey.title, "fingerprint": survey.fingerprint}
    epsilons = {"epsilon": survey.epsilon, "epsilon_forever": survey.epsilon_forever}
    return named | survey.settings() | epsilons | {"questions": questions}


def _say_drawn(survey: Survey) -> str:
    """Return what a draw takes, and what it does to intervals: each question has fewer reports."""
    n = len(survey.questions)
    return (
        f"draw {survey.draw} of {n} questions on every device, in total the epsilon of the largest {survey.draw}; each "
        f"question has {survey.draw} of {n} reports, its intervals {sqrt(n / survey.draw):.2f} times as wide as of all"
    )


def _alone(survey: Survey) -> str:
    """Return who could see a single report by the results, which is as noisy as it was sent."""
    if survey.min_reports == 1:
        return "; without min_reports each new report by itself too"
    return "" if survey.invited else "; who also sends reports can single one out, unless the survey is invited"


def _room(survey: Survey) -> list[str]:
    """Return what the limits of a device leave, as they are by default: the survey's own, and that of all surveys."""
    most = "all waves of the same answers" if survey.waves > 1 else "one report"
    return [
        _left("max_epsilon", MAX_EPSILON, "", survey.epsilon_forever, most),
        _left("max_period_epsilon", MAX_PERIOD_EPSILON, f" in {PERIOD_DAYS} days", survey.epsilon, "one report"),
    ]


def _left(name: str, limit: float, period: str, taken: Decimal, taking: str) -> str:
    left = Decimal(str(limit)) - taken
    room = (
        f"{epsilon_below(left)} left after {taking}"
        if left >= 0
        else f"too low for the {epsilon_above(taken)} of {taking}"
    )
    return f"{name} {limit:g}{period} by default, {room}"


def _tabulate(survey: Survey) -> list[list[str]]:
    """Return a row a question; what all reports of an answer take has a column where it is more than one takes."""
    has_forever = any(question.epsilon_forever != question.epsilon for question in survey.questions)
    rows = [["question", "type", "mechanism", "epsilon", *["epsilon_forever"] * has_forever, "expected"]]
    for question in survey.questions:
        epsilons = [epsilon_above(question.epsilon), *[epsilon_above(question.epsilon_forever)] * has_forever]
        rows.append([question.id, question.type, question.mechanism.name, *epsilons, question.expected])
    return [*rows, ["total", "", "", epsilon_above(survey.epsilon), *[""] * has_forever, ""]]


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
    click.echo("nothing waits" if is_empty else "some reports still wait", err=True)


def _describe(inventory: Inventory) -> str:
    spent = [["answered", "survey", "wave", "epsilon", "receipt"]]
    for e in inventory.ledger:
        epsilon = epsilon_above(e.epsilon) + (" in all waves" if e.is_summed else "")
        spent.append([e.day, e.survey_id, str(e.wave), epsilon, e.receipt])
    parts = [align(spent) if inventory.ledger else "nothing answered"]
    for asked in inventory.drawn:
        parts.append(f"drawn: {asked.survey_id}  {', '.join(asked.questions) or asked.fingerprint}")
    for report in inventory.waiting:
        parts.append(f"waiting: {_name(report)}  attempts {report.n_attempts}")
        parts += [f"  {line}" for line in report.lines()]
    for report in inventory.rejected:
        parts.append(f"refused: {_name(report)}  {report.reason}")
        parts += [f"  {line}" for line in report.lines()]
    return "\n".join(parts)


def _name(report: Kept) -> str:
    return f"{report.receipt}  {report.survey_id} wave {report.wave}  {report.url}"


def _echo(text: Any) -> None:
    """Print, but for what could steer a terminal: a survey's and a collector's texts are not trusted."""
    click.echo("".join(c if c.isprintable() or c == "\n" else "?" for c in text))

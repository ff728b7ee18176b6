"""`sotto survey import`: a form of another program as a survey file."""

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from sotto_author.answer_types import types
from sotto_author.errors import AuthorError, FormError
from sotto_author.forms.asking import ImportedForm, Terms, listed, question_id
from sotto_author.forms.programs import MAX_BYTES, import_file
from sotto_author.forms.surveyjs import Imported
from sotto_author.survey_toml import check_new, write_new
from sotto_client import ledger
from sotto_protocol import Survey, SurveyError, compile_survey
from sotto_protocol.documents import MAX_DECIMALS, decimal_text, is_decimal, parse_decimal
from sotto_protocol.mechanisms.thresholds import MAX_EPSILON, MIN_EPSILON
from sotto_protocol.members import ID_PATTERN
from sotto_protocol.survey_source import load_toml
from sotto_protocol.words import counted, epsilon_above, epsilon_below, examples, printable

_MOST_BY_DEFAULT = Decimal(str(ledger.MAX_EPSILON))
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,12})?")
_IMPORT = "sotto survey import form.json --to imported.toml"


class Epsilon(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on, and we take 8.2
    """A question's epsilon, exact."""

    name = "nats"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            number = parse_decimal(value)
        except ValueError:
            number = Decimal(0)
        if not is_decimal(number, MIN_EPSILON, MAX_EPSILON):
            expected = f"a number in [{MIN_EPSILON}, {MAX_EPSILON}] of at most {MAX_DECIMALS} decimals"
            self.fail(f"must be {expected}.", param, ctx)
        return number


class SkippedNumber(click.ParamType):  # type: ignore[type-arg]
    """A number, and the name of what it is for before it: "" where it is for all."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int | Decimal]:
        name, _, said = value.rpartition("=")
        if not _NUMBER.fullmatch(said):
            self.fail(f"{value!r} must be a number such as 0, or NAME=0 for one question.", param, ctx)
        number = Decimal(said)
        return name, int(number) if number == number.to_integral_value() else number


@click.group(epilog=examples(_IMPORT, "sotto survey types survey.toml"))
def survey() -> None:
    """Convert forms of other programs to survey files, and write types for your own."""


survey.add_command(types)


@survey.command("import", epilog=examples(_IMPORT, "sotto survey import form.json --epsilon 2 --id team-lunch"))
@click.argument("form_file", metavar="FORM", type=click.Path(path_type=Path))
@click.option("--epsilon", type=Epsilon(), default="1", show_default=True, help="Epsilon of every question, in nats.")
@click.option("--id", "survey_id", help="The survey's id  [default: made from FORM's name].")
@click.option("--to", "target", type=click.Path(path_type=Path), help="New file for the survey  [default: print it].")
@click.option("--skip-unsupported", is_flag=True, help="Leave out questions that have no mechanism.")
@click.option(
    "--leave-out",
    metavar="NAME",
    multiple=True,
    help="Leave out the question NAME, whose answer is no secret. Can be repeated.",
)
@click.option(
    "--skip-number",
    "skip_numbers",
    type=SkippedNumber(),
    metavar="[NAME=]NUMBER",
    multiple=True,
    help="Let people skip numbers, of the question NAME or of all. Skipping counts as NUMBER. Can be repeated.",
)
@click.option(
    "--ask-everybody",
    is_flag=True,
    help="Ask everybody the questions that the form asks only after some answers. Other people can skip them.",
)
def import_(
    form_file: Path,
    survey_id: str | None,
    target: Path | None,
    leave_out: tuple[str, ...],
    skip_numbers: tuple[tuple[str, int | Decimal], ...],
    **terms: Any,
) -> None:
    """Turn a form of another program into a survey file (TOML).

    \b
    SurveyJS                           .json
    ODK, KoboToolbox, Safely Report    .xlsx (an XLSForm)
    REDCap                             .csv (the data dictionary)
    Qualtrics                          .qsf
    LimeSurvey                         .lss, or .txt with tabs

    Some questions have no mechanism, such as a ranking or a file. Others are asked only after some answers, so that a
    report without them would give those answers away. The command refuses such questions, and lists them all at once.
    If a question is not required, people can skip it: it gets "No answer", which is noisy like any other answer.
    """
    survey_id = survey_id or question_id(form_file.stem)
    if not ID_PATTERN.fullmatch(survey_id):
        raise click.UsageError("--id must be 1 to 64 lower-case letters, digits, - or _, the first a letter or digit.")
    if target is not None:
        check_new(target)
    agreed = Terms(**terms, leave_out=frozenset(leave_out), skip_numbers=skip_numbers)
    content = _read(form_file)
    try:
        imported = import_file(content, form_file.name, survey_id, agreed)
    except (FormError, SurveyError) as fault:
        raise AuthorError(f"{form_file}:\n  {fault}") from fault
    text = imported.to_toml()
    try:
        compiled = compile_survey(load_toml(text))
    except SurveyError as fault:
        raise AuthorError(f"{form_file}:\n  {fault}{_way_out(imported, fault)}") from fault
    if target is None:
        click.echo(text, nl=False)
    else:
        write_new(target, text)
    _tell(imported, compiled, agreed.epsilon)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise AuthorError(f"{path}: {fault.strerror}") from fault


def _way_out(imported: Imported | ImportedForm, fault: SurveyError) -> str:
    """Return what to do where the questions are too many together: texts take most counts."""
    asked = imported.definition["questions"]
    names = imported.names if isinstance(imported, ImportedForm) else [question["id"] for question in asked]
    texts = [name for name, question in zip(names, asked, strict=True) if question["type"] == "text"]
    if fault.where != "$.questions" or not texts:
        return ""
    return f" Leave some out (--leave-out NAME). Texts take most counts: {listed(texts)}."


def _tell(imported: Imported | ImportedForm, compiled: Survey, epsilon: Decimal) -> None:
    """Say on stderr what it takes, and what was not taken over."""
    n = len(compiled.questions)
    asked = zip(imported.definition["questions"], compiled.questions, strict=True)
    own = [f"{done.id} {epsilon_above(done.epsilon)}" for question, done in asked if "epsilon" not in question]
    besides = f" (but {', '.join(own)})" if own else ""
    each = f"epsilon {epsilon_above(epsilon)} each{besides}"
    _warn([f"{counted(n, 'question')}, {each}, {epsilon_above(compiled.epsilon)} in total"])
    if compiled.epsilon > _MOST_BY_DEFAULT:
        _warn([_say_too_much(compiled, n)])
    if not imported.has_title:
        _warn([f'the title is "{compiled.id}", from the file\'s name or --id, for the form has none: write one'])
    _warn(imported.notes)


def _say_too_much(compiled: Survey, n: int) -> str:
    """Return that devices refuse the survey, and how they do not."""
    largest = max(question.epsilon for question in compiled.questions)
    n_drawn, each = int(_MOST_BY_DEFAULT / largest), epsilon_below(_MOST_BY_DEFAULT / n)
    ways = [f"let each device answer only some (draw = {n_drawn})"] * (0 < n_drawn < n)
    ways.append(f"import with --epsilon {each} or less")
    return (
        f"more than {decimal_text(_MOST_BY_DEFAULT)} in total is refused by default, so no device would answer: "
        f"{', or '.join(ways)}, or leave questions out (--leave-out NAME)"
    )


def _warn(lines: Sequence[str]) -> None:
    for line in lines:
        click.echo(printable(line), err=True)

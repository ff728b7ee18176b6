"""The options of `sotto plan SURVEY_FILE`, and what it prints."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from sotto_estimator.commands.options import grouped
from sotto_estimator.commands.output import Output
from sotto_estimator.commands.sections import (
    NUMBERS,
    OUTPUT,
    PLAN_FILE,
    QUESTION,
    TEXT,
    in_section,
    refuse_sections,
    section_of,
    typed_of,
)
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.inference.marginal import estimated_of
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.needed import EPSILON_STEP
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.respondents_plan import plan_respondents
from sotto_estimator.planning.split import Split, SplitVerdict
from sotto_estimator.planning.survey import wish_of
from sotto_estimator.planning.survey_edit import write_document
from sotto_estimator.planning.survey_plan import plan_draft
from sotto_estimator.results.forms.text import wrapped
from sotto_protocol.documents import MAX_DECIMALS, decimal_text, is_decimal, parse_decimal
from sotto_protocol.mechanisms.thresholds import MAX_EPSILON
from sotto_protocol.members import MAX_QUESTIONS

_MOST_TOTAL = MAX_EPSILON * MAX_QUESTIONS


class _TotalEpsilon(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on, and we take 8.2
    """The epsilon of a whole report, exact."""

    name = "nats"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            number = parse_decimal(value)
        except ValueError:
            number = Decimal(0)
        if not is_decimal(number, EPSILON_STEP, _MOST_TOTAL):
            expected = f"a number in [{EPSILON_STEP}, {_MOST_TOTAL}] of at most {MAX_DECIMALS} decimals"
            self.fail(f"must be {expected}.", param, ctx)
        return number


@dataclass(frozen=True, slots=True)
class SurveyAsk:
    """What is asked of a survey file, None where none is given."""

    survey_file: Path | None
    total_epsilon: Decimal | None
    is_written: bool
    together: tuple[str, ...] = ()
    smallest: int | None = None


def survey_plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add SURVEY_FILE and the options that go with it; the command gets `of_file`."""
    options = (
        click.option(
            "--total-epsilon",
            type=_TotalEpsilon(),
            help="Epsilon of a whole report, in nats, to split between the questions by their targets  "
            "[default: the file's].",
        ),
        click.option(
            "--write",
            "is_written",
            is_flag=True,
            help="Write the epsilons and `draw` that reach the targets into the file.",
        ),
        click.option(
            "--together",
            metavar="ID,ID[,ID]",
            callback=lambda _, __, value: tuple(filter(None, map(str.strip, (value or "").split(",")))),
            help="Compare: what these questions show if they are asked together, as one answer.",
        ),
        click.option(
            "--smallest",
            type=click.IntRange(min=1),
            metavar="PEOPLE",
            help="Number of people in the smallest stratum  [default: all strata are as large].",
        ),
    )
    argument = click.argument("survey_file", required=False, type=click.Path(path_type=Path))
    return grouped("of_file", SurveyAsk, argument, *in_section(PLAN_FILE, *options))(command)


def check_survey_options(ask: SurveyAsk) -> None:
    """Raise UsageError for an option that was typed and does not go with a survey file, or goes only with one."""
    if ask.survey_file is None:
        refuse_sections(PLAN_FILE)
        return
    for param in typed_of(QUESTION, NUMBERS, TEXT, OUTPUT):
        if param.name == "against" or (section_of(param) != OUTPUT and param.name != "n_candidates"):
            raise click.UsageError(
                f"{param.opts[0]} does not go with a survey file: it plans one question by its --epsilon."
            )


def plan_survey_file(
    output: Output,
    ask: SurveyAsk,
    path: Path,
    n: int | None,
    half_width: float | None,
    options: PlanOptions,
) -> None:
    """Show the plan of a survey file, and then write it. Raises UsageError and SourceError."""
    if half_width is not None and half_width > 0.5:
        raise click.BadParameter("must be at most 0.5: a wider interval says nothing.", param_hint="--half-width")
    draft = Draft.read(path)
    options = options.of(draft.survey)
    if not any(wish_of(question, half_width) for question in estimated_of(draft.survey)):
        _check_unwished(ask, n)
    try:
        if n is None:
            if ask.total_epsilon is not None or ask.is_written:
                raise click.UsageError("--total-epsilon and --write need --n.")
            if ask.together:
                raise click.UsageError("--together needs --n.")
            if ask.smallest:
                raise click.UsageError("--smallest needs --n.")
            output.show(plan_respondents(draft.survey, half_width=half_width, options=options))
            return
        plan = plan_draft(draft, n, options, half_width, ask.total_epsilon, ask.together, ask.smallest)
    except DomainError as fault:
        raise click.UsageError(str(fault)) from fault
    output.show(plan)
    if ask.is_written:
        _write(path, draft, plan.verdict)


def _check_unwished(ask: SurveyAsk, n: int | None) -> None:
    """Raise UsageError for what needs a wish, where there is none."""
    for what, is_asked in (
        ("--total-epsilon", ask.total_epsilon is not None),
        ("--write", ask.is_written),
        ("A plan without --n", n is None),
    ):
        if is_asked:
            raise click.UsageError(f"{what} needs a target: `want` in a question, or --half-width.")


def _write(path: Path, draft: Draft, verdict: SplitVerdict | None) -> None:
    """Put the epsilons that reach what is wanted into the file. Raises SourceError where there are none."""
    if draft.is_final:
        raise SourceError(f"{path} was not changed: it is a published survey, which never changes.")
    if verdict is None or verdict.split is None or not verdict.is_reachable:
        raise SourceError(f"{path} was not changed: no plan reaches the targets.")
    changes = _say_changes(draft, verdict.split)
    if changes:
        write_document(path, draft.with_split(verdict.split.epsilons, verdict.split.n_drawn))
        said = f"was changed: {', '.join(changes)}. The plan above describes the file before the change."
    else:
        said = "was not changed: it has these epsilons already."
    click.echo(wrapped(f"{path} {said}"), err=True)


def _say_changes(draft: Draft, split: Split) -> list[str]:
    """Return which epsilons a file has now in place of which, and how many questions are drawn."""
    survey = draft.survey
    changes = [
        f"epsilon of {question.id} {decimal_text(question.epsilon)} -> {decimal_text(epsilon)}"
        for question, epsilon in zip(survey.questions, split.epsilons, strict=True)
        if epsilon is not None and epsilon != question.epsilon
    ]
    if split.n_drawn != survey.n_drawn:
        changes.append(f"questions drawn {survey.n_drawn} -> {split.n_drawn}")
    return changes

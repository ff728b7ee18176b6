"""`sotto plan`."""

from dataclasses import dataclass, replace

import click

from sotto_estimator.commands.options import grouped, interval_options, is_typed, plan_error
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.plan_number_options import NumberAsk, number_plan, number_plan_options
from sotto_estimator.commands.plan_survey_options import (
    SurveyAsk,
    check_survey_options,
    plan_survey_file,
    survey_plan_options,
)
from sotto_estimator.commands.plan_text_options import TextAsk, check_text_plan_options, text_plan, text_plan_options
from sotto_estimator.commands.sections import GOALS, OUTPUT, QUESTION, SectionedCommand, in_section
from sotto_estimator.planning.assurance import EXPECTED
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.share_plan import SharePlan, plan_shares
from sotto_estimator.planning.width_curves import AGAINST, Against
from sotto_estimator.results.result import Result
from sotto_protocol.words import examples

_OF_QUESTION = (
    click.option(
        "--epsilon",
        "epsilons",
        type=float,
        multiple=True,
        help="Epsilon of the question, in nats, 0.001 to 20. May be repeated  [required without SURVEY_FILE].",
    ),
    click.option(
        "--options",
        "n_options",
        type=click.IntRange(2, 4096),
        help="Number of options of a one-of question  [default: a yes-no question].",
    ),
    click.option(
        "--max-selected",
        type=click.IntRange(min=1),
        help="Plan an any-of question in which people select at most N options.",
    ),
    click.option(
        "--questions",
        "n_questions",
        type=click.IntRange(2, 200),
        help="Find how many of N such questions a device should draw. --epsilon is that of a whole report.",
    ),
    click.option(
        "--epsilon-forever",
        type=float,
        help="Epsilon of all reports of one answer, in nats, above --epsilon  [default: one report only].",
    ),
)


_SHARE = click.option(
    "--share",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="The expected true share. Widths by hoeffding hold for every share.",
)
_ASSURANCE = click.option(
    "--assurance",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=EXPECTED,
    show_default=True,
    help="Probability that a share's interval has the half-width, or a smaller one.",
)


@dataclass(frozen=True, slots=True)
class QuestionAsk:
    """The question that is planned by its epsilons, where no survey file is given."""

    epsilons: tuple[float, ...]
    n_options: int | None
    max_selected: int | None
    n_questions: int | None
    epsilon_forever: float | None

    def plan(self, n: int | None, half_width: float | None, options: PlanOptions) -> SharePlan:
        """Return the plan of a question of shares by each mechanism. Raises UsageError."""
        if self.max_selected is not None and (self.n_options is None or self.max_selected > self.n_options):
            raise click.UsageError("--max-selected goes with --options, and must be at most that number.")
        if half_width is not None and half_width > 1:
            raise click.BadParameter("must be a share, at most 1.", param_hint="--half-width")
        return plan_shares(
            self.epsilons,
            n=n,
            half_width=half_width,
            n_options=self.n_options or 0,
            max_selected=self.max_selected or 0,
            n_questions=self.n_questions,
            epsilon_forever=self.epsilon_forever,
            options=options,
        )


_N, _HALF_WIDTH = in_section(
    GOALS,
    click.option("--n", "n_reports", type=click.IntRange(min=1), help="Find the precision for N respondents."),
    click.option(
        "--half-width",
        type=click.FloatRange(0, min_open=True),
        help="Find how many respondents give this half-width: a share (0.02 is 2 points), or in the numbers' unit.",
    ),
)
(_AGAINST,) = in_section(
    OUTPUT,
    click.option(
        "--against",
        type=click.Choice(AGAINST),
        help="With --plot of one question, the x-axis of the half-widths  [default: n].",
    ),
)


@click.command(
    cls=SectionedCommand,
    epilog=examples("sotto plan survey.toml --n 300", "sotto plan --epsilon 1 --half-width 0.05"),
)
@grouped("of_question", QuestionAsk, *in_section(QUESTION, *_OF_QUESTION))
@_N
@_HALF_WIDTH
@interval_options(PlanOptions, *in_section(GOALS, _SHARE, _ASSURANCE))
@survey_plan_options
@_AGAINST
@number_plan_options
@text_plan_options
@output_options
def plan(
    of_file: SurveyAsk,
    of_question: QuestionAsk,
    of_numbers: NumberAsk,
    of_text: TextAsk,
    against: Against | None,
    n_reports: int | None,
    half_width: float | None,
    output: Output,
    options: PlanOptions,
) -> None:
    """Find how precise results will be, or how many people a precision needs.

    SURVEY_FILE is TOML, JSON or canonical JSON. With --n, the plan says for every question how wide the intervals will
    be. It also says which shares will not differ from zero, and which groups will not differ. The target of a
    question is its `want`, or --half-width. The plan finds the epsilon that reaches each target, and splits
    --total-epsilon between the questions. Without --n, it finds how many respondents reach the targets.

    Without SURVEY_FILE, it plans one question by its --epsilon: the half-width for --n respondents, or the n for a
    --half-width. It compares all mechanisms that can ask the question, a trusted curator's Laplace noise, and no
    privacy. More options change what is planned:

    \b
    --minimum --maximum  the mean of numbers in this range, in their unit
    --questions          a survey that draws one, two or more questions on every
                         device, or asks all
    --text               the smallest share that is detected, and the Bloom filter
                         for it, ready for the survey file
    --plot               curves of half-widths, and their points
    """
    check_survey_options(of_file)
    if of_file.survey_file:
        if of_text.n_candidates is not None:
            options = replace(options, n_candidates=of_text.n_candidates)
        plan_survey_file(output, of_file, of_file.survey_file, n_reports, half_width, options)
        return
    if not of_question.epsilons:
        raise click.UsageError("Give SURVEY_FILE or --epsilon.")
    is_of_numbers = of_numbers.check()
    check_text_plan_options(of_text.is_text)
    is_curve = _check_together(of_question, against, output, of_shares=not (of_text.is_text or is_of_numbers))
    if not of_text.is_text and (n_reports is None) == (half_width is None):
        raise click.UsageError("Give --n or --half-width, one of the two.")
    found: Result
    try:
        if of_text.is_text:
            found = text_plan(of_question.epsilons, of_question.epsilon_forever, n_reports, of_text)
        elif is_of_numbers:
            found = number_plan(
                of_numbers, of_question.epsilons, n_reports, half_width, options, of_question.epsilon_forever
            )
        else:
            found = of_question.plan(n_reports, half_width, options)
            found = found.curves(against or "n") if is_curve else found
    except ValueError as fault:
        raise plan_error(fault) from fault
    output.show(found)


def _check_together(ask: QuestionAsk, against: Against | None, output: Output, *, of_shares: bool) -> bool:
    """Return whether curves are drawn. Raises UsageError for what does not go with --questions or --against."""
    is_draw = ask.n_questions is not None
    if is_draw and (not of_shares or ask.epsilon_forever is not None):
        raise click.UsageError("--questions does not go with --text, --minimum or --epsilon-forever.")
    if is_draw and is_typed("assurance"):
        raise click.UsageError(
            "--assurance does not go with --questions: there, how many people are asked a question is random too."
        )
    has_curves = of_shares and not is_draw and ask.epsilon_forever is None
    if against and not (output.plot_path and has_curves):
        raise click.UsageError(
            "--against goes with --plot, and not with --questions, --text, --minimum or --epsilon-forever."
        )
    return bool(output.plot_path) and has_curves

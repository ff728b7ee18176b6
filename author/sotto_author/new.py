"""`sotto new`: a survey file that can work, of a few questions or a template."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from sotto_author.crowd import judge_definition
from sotto_author.crowd_words import say_outlook, say_points, say_useless, say_verdicts
from sotto_author.design import MIN_REPORTS, MOST_TOTAL, USUAL, Design, designs_of, proposed
from sotto_author.dialogue import ask_survey
from sotto_author.errors import AuthorError
from sotto_author.prompts import ask_whether, ask_whole
from sotto_author.survey_toml import check_new, to_toml, write_new
from sotto_author.templates import NAMES, read_template
from sotto_client.commands import echo
from sotto_protocol.language_tag import TAG_EXPECTED, is_tag
from sotto_protocol.members import MAX_PEOPLE, MAX_WAVES, POPULATION, TARGETS
from sotto_protocol.protection import warn_of_little
from sotto_protocol.readings import PRIORS, suspicions
from sotto_protocol.tables import align
from sotto_protocol.words import examples, percent_above

_SUSPICION = PRIORS.index(0.1)
_NOTES = {
    "id": "the page's address is URL/s/ID",
    "people": "how many people you ask; for sotto check, not published",
    "invited": "only people with an invitation can answer (sotto invite create)",
    "about": "whom results are about, only the respondents or a population",
    "waves": "how often you ask",
    "asked_in": "each device is asked in this many of the waves, drawn at random",
    "min_reports": "no results of fewer reports",
    "draw": "each device asks this many of the questions, chosen at random; more precise than asking all",
}
_SKIPPED = "If people leave it out, `skip` counts. That moves the mean. Without `skip` everybody must answer."
_UNSAID = {"controller": "who asks", "contact": "whom respondents can write to"}
_LANG = "Language that you write in, such as de or pt-BR. Templates are in English only."
_TEMPLATES = ". ".join(f"{name.capitalize()} is about {said}" for name, said in NAMES.items())


@click.command(
    epilog=examples(
        "sotto new first.toml --from staff --people 300",
        "sotto new monthly.toml --from staff --people 3000 --waves 12 --asked-in 1",
    )
)
@click.argument("survey_file", metavar="[FILE]", default="survey.toml", type=click.Path(path_type=Path))
@click.option(
    "--from", "template", type=click.Choice(list(NAMES)), help=f"Begin with a template. {_TEMPLATES}  [default: none]."
)
@click.option(
    "--people",
    type=click.IntRange(2, MAX_PEOPLE),
    help="Number of people you ask  [default: asked for, or the template's].",
)
@click.option(
    "--about",
    type=click.Choice(TARGETS),
    help="Whom results are about: only the respondents, or a population that they represent. "
    "In a template, the respondents if they are invited  [default: asked for].",
)
@click.option(
    "--epsilon",
    "total",
    type=click.FloatRange(0.01, float(MOST_TOTAL)),
    help=f"Epsilon of a whole report, in nats  [default: the least that shows something, at most {USUAL}].",
)
@click.option(
    "--skip/--no-skip",
    "may_skip",
    default=None,
    help='Let people leave questions out. Yes-no and one-of questions get an option "I\'d rather not say". A text '
    'then counts as "(no answer)". You choose which number counts. Templates do so  [default: asked for].',
)
@click.option(
    "--waves",
    type=click.IntRange(2, MAX_WAVES),
    help="Number of times you ask, such as 12 for every month of a year  [default: once].",
)
@click.option(
    "--asked-in",
    type=click.IntRange(min=1),
    help="In how many of the waves each device is asked. The device draws these at random. Goes with --waves  "
    "[default: in all].",
)
@click.option("--lang", default="en", show_default=True, help=_LANG)
def new(
    survey_file: Path,
    template: str | None,
    people: int | None,
    about: str | None,
    total: float | None,
    may_skip: bool | None,
    waves: int | None,
    asked_in: int | None,
    lang: str,
) -> None:
    """Write a survey file by answering a few questions.

    The command asks for your questions, and for the number of people. Or you give it a template. It chooses the
    epsilon, the number of questions for each device, and the least number of reports. With them, this number of people
    shows something. FILE must be new. If you leave it out, it is survey.toml. Nothing is published. At the end the
    command says what comes next.
    """
    if not is_tag(lang):
        raise click.BadParameter(f"must be {TAG_EXPECTED}.", param_hint="--lang")
    if template and lang != "en":
        raise click.UsageError(
            "--lang does not go with --from: templates are in English. Translate their texts, and set lang in the file."
        )
    repeated = _repeated(waves, asked_in)
    check_new(survey_file)
    if template:
        definition = read_template(template, about, may_skip=may_skip is not False)
    else:
        definition = ask_survey(people, lang, about, may_skip=may_skip)
    definition |= repeated
    n = people or int(definition["people"])
    designs = _lead(definition, n, Decimal(str(total)) if total else None, is_asked=not template)
    design = proposed(designs)
    if not template and len(designs) > 1:
        design = _choose(designs, design, n)
    crowd = judge_definition(design.definition, n)
    _write(survey_file, design, n)
    echo(say_verdicts(crowd))
    little = warn_of_little(crowd.survey)
    for line in [*say_useless(crowd), *filter(None, [little]), *_say_unguarded(design, n)]:
        echo(f"Warning: {line}", is_error=True)
    echo(f"\n{_say_next(survey_file, invited=crowd.survey.invited)}")


def _repeated(waves: int | None, asked_in: int | None) -> dict[str, int]:
    """Return the members of a survey that is asked several times. Raises UsageError."""
    if asked_in is not None and asked_in >= (waves or 1):
        raise click.UsageError("--asked-in goes with --waves, and must be less than the number of waves.")
    given = {"waves": waves, "asked_in": asked_in}
    return {name: value for name, value in given.items() if value is not None}


def _lead(definition: dict[str, Any], n: int, total: Decimal | None, *, is_asked: bool) -> list[Design]:
    """Return designs of which the proposed one is of use, of fewer questions where it must be; of `total`, if given.

    Asks before a question is left out, or says so. Where nothing is left, who `is_asked` keeps the last question;
    else raises AuthorError.
    """
    while True:
        designs = designs_of(definition, n, total)
        crowd = judge_definition(proposed(designs).definition, n)
        if crowd.is_usable:
            return designs
        worst, questions = crowd.worst.question.id, definition["questions"]
        if len(questions) == 1 and is_asked:  # what was typed is not lost: the file is written, and a warning given
            return designs
        if len(questions) == 1:
            ways = _say_ways(definition, proposed(designs))
            raise AuthorError(f"{n:,} people are too few. {worst}: {say_outlook(crowd.worst, crowd)}. {ways}")
        epsilon = f"epsilon {proposed(designs).total:f} a report"
        said = f"{worst}: {say_outlook(crowd.worst, crowd)}, with {n:,} people and {epsilon}."
        if is_asked and not ask_whether(f"\n{said} Leave it out?"):
            return designs
        echo(f"{said} It is left out.", is_error=True)
        definition = definition | {"questions": [one for one in questions if one["id"] != worst]}


def _say_ways(definition: dict[str, Any], design: Design) -> str:
    """Return what would let a template's last question show something."""
    ways = ["ask more people"]
    ways += ["ask about these people alone (--about respondents)"] * (definition["about"] == POPULATION)
    has_option = definition["questions"][0].get("skip") in definition["questions"][0].get("options", ())
    ways += ["let nobody skip questions (--no-skip)"] * has_option
    ways += [f"let a report tell more (--epsilon, above {design.total:f})"]
    return f"You can {', '.join(ways[:-1])}, or {ways[-1]}."


def _choose(designs: list[Design], usual: Design, n: int) -> Design:
    """Return the design that is chosen at the terminal, of how well each protects and what it shows."""
    head = ["", "a suspicion of 10 % becomes at most", f"the least precise question, of {n:,} people"]
    rows = [[str(place), _say_suspicion(one), _say_widest(one)] for place, one in enumerate(designs, 1)]
    click.echo("\nHow well is each person protected? More noise hides more, and shows less.", err=True)
    click.echo(align([head, *rows]), err=True)
    place = ask_whole("Which", designs.index(usual) + 1, 1, len(designs))
    return designs[place - 1]


def _say_suspicion(design: Design) -> str:
    return f"{percent_above(suspicions(design.total)[_SUSPICION].highest)}  (epsilon {design.total})"


def _say_widest(design: Design) -> str:
    points = f"+- {say_points(design.widest or 0)}"
    draw = design.definition.get("draw")
    drawn = f", each asked {draw} of {len(design.definition['questions'])} questions" if draw else ""
    return (points if design.is_usable else f"nothing useful: {points}") + drawn


def _write(path: Path, design: Design, n: int) -> None:
    """Write the survey file, with what its members mean. Raises AuthorError unless it is a new file."""
    head = (
        f"Written by sotto new. sotto check {path.name} says what {n:,} people will show, sotto preview {path.name}",
        "shows it as a page, and sotto publish makes it final. docs/survey-file.md lists all settings.",
    )
    missing = "".join(f'# {name} = ".."  # {said}\n' for name, said in _UNSAID.items() if name not in design.definition)
    comments = [_SKIPPED * (of["type"] == "number" and "skip" in of) for of in design.definition["questions"]]
    text = to_toml(design.definition, comments, notes=_NOTES, head=head).replace(
        "\npeople = ", f"\n{missing}people = ", 1
    )
    write_new(path, text)


def _say_unguarded(design: Design, n: int) -> list[str]:
    """Return that the results of any few people are shown, where no least number of reports could be set, and why."""
    if "min_reports" in design.definition:
        return []
    return [
        f"no min_reports is set: if half of {n:,} people answer, not every question is likely to have "
        f"{MIN_REPORTS[-1]} reports. So results of one or two people are shown, too, and in a small group others can "
        "guess whose they are. Ask more people, or nothing that could hurt them."
    ]


def _say_next(path: Path, *, invited: bool) -> str:
    steps = [f"sotto check {path}", f"sotto preview {path}", f"sotto publish {path} URL"]
    if invited:
        steps.append("sotto invite create URL SURVEY --count PEOPLE --to invitations.csv --page")
    return f"{path} is written. Next:\n" + "\n".join(f"  {step}" for step in steps)

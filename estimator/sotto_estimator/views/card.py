"""A card: one question's chart with its survey's title and its number of reports, as a picture for slides and chats."""

from pathlib import Path

from sotto_estimator.errors import SourceError
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.svg import whole_svg
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.views.section import sections_of, wrapped
from sotto_estimator.views.spoken import Spoken

_ENDINGS = (".svg", ".png")


def write_card(estimates: Estimates, question: str, path: Path | str, *, lang: str = "") -> None:
    """Draw one question of a survey's estimates into an SVG or PNG file: the same file for the same estimates.

    It has the question, the survey's title, the chart with its intervals, and the number of reports. `lang`: one of the
    survey's languages, "" for its own. Raises SourceError where nothing can be shown of the question, or the file
    cannot be written.
    """
    path = Path(path)
    check_card(path)
    drawing, caption = card_of(estimates, question, lang)
    if path.suffix.lower() == ".png":
        from sotto_estimator.results.forms.png import draw_png  # matplotlib takes half a second to load

        content = draw_png(drawing, caption)
    else:
        content = whole_svg(drawing, caption)
    try:
        path.write_bytes(content)
    except OSError as fault:
        raise SourceError(f"card ({path}) cannot be written: {fault.strerror}.") from fault


def check_card(path: Path) -> None:
    """Raise SourceError unless a card can have this name."""
    if path.suffix.lower() not in _ENDINGS:
        raise SourceError(f"card ({path.name}) must end in {' or '.join(_ENDINGS)}.")


def card_of(estimates: Estimates, question: str, lang: str = "") -> tuple[Drawing, list[str]]:
    """Return a question's chart, and the lines over it, as `write_card`."""
    if estimates.survey is None:
        raise SourceError("a card is of a question of a survey. These estimates are of a table, or of counts.")
    try:
        spoken = Spoken.of(estimates.survey, lang)
    except ValueError as fault:
        raise SourceError(f"lang ({lang}): {fault}") from fault
    sections = {section.key: section for section in sections_of(estimates, spoken)}
    if question not in sections:
        raise SourceError(f"question ({question}) must be one of {', '.join(sections)}.")
    section = sections[question]
    if not (section.part and section.rows and section.shows):
        why = next((line for line in section.notices), spoken.say.gettext("Too few reports to say."))
        raise SourceError(f"question {question} has no card. {why}")
    return section.charts[section.part.chart], wrapped([spoken.words.title, "; ".join(section.made_of)])

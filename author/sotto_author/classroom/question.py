"""The question that a lesson asks if its teacher brings none, in every language of the product."""

from decimal import Decimal

from sotto_author.survey_toml import to_toml
from sotto_protocol.language import LANGUAGES, mark

TITLE = mark("A question for this room")
TEXT = mark("Have you ever said that you read a book, although you hadn't?")
EPSILON = Decimal(2)
STEP = 5
"""The range moves after so many new reports: nobody sees the report of the one person who has just sent."""


def lesson_toml() -> str:
    """Return the survey file."""
    said = {name: {tag: of.gettext(name) for tag, of in LANGUAGES.items()} for name in (TITLE, TEXT)}
    return to_toml(
        {
            "id": "classroom",
            "lang": "en",
            "title": said[TITLE],
            "about": "respondents",
            "public_results": True,
            "min_reports": STEP,
            "questions": [{"id": "answer", "type": "yes-no", "text": said[TEXT], "epsilon": EPSILON}],
        }
    )

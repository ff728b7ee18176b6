"""A datasheet as Markdown, which is edited, and as HTML, which is printed: the same words."""

from html import escape

from sotto_protocol.datasheet.markup import document, mark, mark_line, one_line, table, tagged_list, tagged_table
from sotto_protocol.datasheet.sheet import Datasheet, QuestionLine
from sotto_protocol.words import counted, epsilon_above, percent_above

_BLANKS = "To be filled in: the survey file cannot know this"


def to_markdown(sheet: Datasheet) -> str:
    """Return a datasheet as Markdown, with blanks to be filled in. A survey's texts become no markup."""
    lines = [f"# Datasheet: {mark(sheet.title)}", "", mark(_describe(sheet)), ""]
    lines += table(_heads(sheet), [_cells(sheet, question) for question in sheet.questions])
    for section in sheet.sections:
        lines += [f"## {section.name}", "", *(f"- {mark_line(statement)}" for statement in section.statements), ""]
    lines += ["## Who sees what?", ""]
    lines += table(["who", "sees"], [[sight.party, sight.sees] for sight in sheet.who_sees_what])
    lines += [f"## {_BLANKS}", "", *(f"- {blank.asks}: ______" for blank in sheet.to_be_filled_in), ""]
    return "\n".join(lines)


def to_html(sheet: Datasheet) -> str:
    """Return a datasheet as one HTML document that loads nothing, for a page of A4. A survey's texts become no tags."""
    sections = [
        f"<section><h2>{section.name}</h2>{tagged_list(section.statements)}</section>" for section in sheet.sections
    ]
    title = f"Datasheet: {sheet.title}"
    blanks = tagged_list([blank.asks for blank in sheet.to_be_filled_in], ' class="columns blanks"')
    return document(
        title,
        f"<h1>{escape(one_line(title))}</h1>\n<p>{escape(one_line(_describe(sheet)))}</p>\n"
        f"{tagged_table(_heads(sheet), [_cells(sheet, question) for question in sheet.questions])}\n"
        f'<div class="columns">\n{chr(10).join(sections)}\n</div>\n<h2>Who sees what?</h2>\n'
        f"{tagged_table(['Who', 'Sees'], [[sight.party, sight.sees] for sight in sheet.who_sees_what])}\n"
        f"<h2>{_BLANKS}</h2>\n{blanks}\n",
    )


def _describe(sheet: Datasheet) -> str:
    """Return the survey in a sentence, and what is special about it."""
    special = [f"{sheet.draw} of them picked by every device"] * bool(sheet.draw)
    asked_in = f", {sheet.asked_in} of them picked by every device" * bool(sheet.asked_in)
    special += [f"{sheet.waves} waves{asked_in}"] * (sheet.waves > 1) + ["by invitation"] * sheet.invited
    special += [f"{len(sheet.strata)} groups of invited people"] * bool(sheet.strata)
    special += [f"counts of at least {sheet.min_reports:,} reports"] * (sheet.min_reports > 1)
    special += ["public results"] * sheet.public_results
    return (
        f"Survey {sheet.survey_id}, {', '.join([counted(len(sheet.questions), 'question'), *special])}. The "
        "respondent's own device changes every answer at random before it sends anything. Only noise leaves the device."
    )


def _heads(sheet: Datasheet) -> list[str]:
    forever = ["all waves' epsilon"] if _has_forever(sheet) else []
    return ["question", "mechanism", "epsilon", *forever, "someone 10 % sure can become", "what the device does"]


def _cells(sheet: Datasheet, question: QuestionLine) -> list[str]:
    forever = [epsilon_above(question.epsilon_forever)] if _has_forever(sheet) else []
    kind = f"{question.type}, {question.mechanism}"
    becomes = f"at most {percent_above(question.tenth_becomes)} sure"
    return [question.text, kind, epsilon_above(question.epsilon), *forever, becomes, question.in_short]


def _has_forever(sheet: Datasheet) -> bool:
    return any(question.epsilon_forever != question.epsilon for question in sheet.questions)

"""A datasheet as Markdown, which is edited, and as HTML, which is printed: the same words."""

import re
from html import escape

from sotto_protocol.datasheet.sheet import Datasheet, QuestionLine
from sotto_protocol.words import counted, epsilon_above, percent_above, printable

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_STYLE = """
@page { size: A4; margin: 10mm }
body { font: 9pt/1.3 sans-serif; max-width: 190mm; margin: 1em auto; padding: 0 1em; color: #111; background: #fff }
h1 { font-size: 15pt; margin: 0 } h2 { font-size: 10.5pt; margin: .8em 0 .2em }
.columns { columns: 2; column-gap: 8mm } section { break-inside: avoid-column; padding-bottom: .6em }
section h2 { margin-top: 0 }
table { border-collapse: collapse; width: 100%; margin: .5em 0 }
th, td { text-align: left; vertical-align: top; padding: .15em .5em .15em 0; border-bottom: 1px solid #bbb }
ul { margin: 0; padding-left: 1.2em } p { margin: .3em 0 } code { overflow-wrap: anywhere }
.blanks { list-style: none; padding: 0 }
.blanks li { break-inside: avoid; padding-bottom: 1.4em; border-bottom: 1px solid #555 }
@media (max-width: 40em) { .columns { columns: 1 } }
@media print { body { font-size: 7.5pt; line-height: 1.2; margin: 0; padding: 0; max-width: none } }
"""
_BLANKS = "To be filled in: the survey file cannot know this"


def to_markdown(sheet: Datasheet) -> str:
    """Return a datasheet as Markdown, with blanks to be filled in. A survey's texts become no markup."""
    lines = [f"# Datasheet: {_mark(sheet.title)}", "", _mark(_describe(sheet)), ""]
    lines += _table(_heads(sheet), [_cells(sheet, question) for question in sheet.questions])
    for section in sheet.sections:
        lines += [f"## {section.name}", "", *(f"- {_code(statement)}" for statement in section.statements), ""]
    lines += ["## Who sees what?", ""]
    lines += _table(["who", "sees"], [[sight.party, sight.sees] for sight in sheet.who_sees_what])
    lines += [f"## {_BLANKS}", "", *(f"- {blank.asks}: ______" for blank in sheet.to_be_filled_in), ""]
    return "\n".join(lines)


def to_html(sheet: Datasheet) -> str:
    """Return a datasheet as one HTML document that loads nothing, for a page of A4. A survey's texts become no tags."""
    questions = _rows([_cells(sheet, question) for question in sheet.questions])
    sections = [
        f"<section><h2>{section.name}</h2><ul>{''.join(f'<li>{_tags(line)}</li>' for line in section.statements)}</ul>"
        "</section>"
        for section in sheet.sections
    ]
    parties = _rows([[sight.party, sight.sees] for sight in sheet.who_sees_what])
    blanks = "".join(f"<li>{escape(blank.asks)}</li>" for blank in sheet.to_be_filled_in)
    title = f"Datasheet: {escape(_printable(sheet.title))}"
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n<body><main>\n'
        f"<h1>{title}</h1>\n<p>{escape(_printable(_describe(sheet)))}</p>\n"
        f"<table>{_head(_heads(sheet))}{questions}</table>\n"
        f'<div class="columns">\n{chr(10).join(sections)}\n</div>\n'
        f"<h2>Who sees what?</h2>\n<table>{_head(['Who', 'Sees'])}{parties}</table>\n"
        f'<h2>{_BLANKS}</h2>\n<ul class="columns blanks">{blanks}</ul>\n</main></body>\n</html>\n'
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


def _table(heads: list[str], rows: list[list[str]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *[[_mark(cell) for cell in row] for row in rows]]
    return [*(f"| {' | '.join(cells)} |" for cells in lines), ""]


def _head(heads: list[str]) -> str:
    return "<thead><tr>" + "".join(f'<th scope="col">{escape(head)}</th>' for head in heads) + "</tr></thead>"


def _rows(rows: list[list[str]]) -> str:
    cells = [
        f'<th scope="row">{escape(_printable(row[0]))}</th>'
        + "".join(f"<td>{escape(_printable(cell))}</td>" for cell in row[1:])
        for row in rows
    ]
    return f"<tbody>{''.join(f'<tr>{row}</tr>' for row in cells)}</tbody>"


def _printable(words: str) -> str:
    return printable(words, " ")


def _mark(words: str) -> str:
    return _MARKS.sub(r"\\\1", _printable(words))


def _code(statement: str) -> str:
    """Return a sentence of this program, whose backticks are meant."""
    return "".join(part if part.startswith("`") else _mark(part) for part in re.split("(`[^`]*`)", statement))


def _tags(statement: str) -> str:
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(statement))

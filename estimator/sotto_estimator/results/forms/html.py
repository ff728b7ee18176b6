"""Documents as pieces of HTML, every text escaped: for a notebook, a report, and the results page."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby

from sotto_estimator.results.document import (
    ISOLATE,
    ITEM,
    POP,
    Asked,
    AskedTexts,
    Caption,
    Cell,
    Column,
    Document,
    Heading,
    HeatMap,
    Known,
    Lines,
    PageBlock,
    Picture,
    Said,
    SurveyDocument,
    Table,
    Typed,
)
from sotto_estimator.results.svg import inline_svg
from sotto_protocol.words import escaped, escaped_lines

_ISOLATED = re.compile(f"{ISOLATE}([^{ISOLATE}{POP}]*){POP}")
_LRM = "\N{LEFT-TO-RIGHT MARK}"
"""It stands in some languages beside the per cent sign, and turns nothing."""
_AUTO = ' dir="auto"'


def notebook_html(document: Document) -> str:
    """Return what a notebook shows: the title, what is wrong, and what people read on a terminal."""
    title = f"<p><b>{text_html(document.line or document.title)}</b></p>"
    parts = "".join(blocks_html(part.blocks, texts=document.texts) for part in document.told())
    return f"<div>{title}{alarms_html(document.alarms)}{parts}</div>"


def survey_html(document: SurveyDocument) -> str:
    """Return what a notebook shows of a survey's results: all that their readers read, but pictures."""
    say, texts = document.say, attributes_html(document.texts)
    title = f"<p><b{texts}>{text_html(document.title)}</b>: {text_html(document.lead)}</p>"
    parts = "".join(f"<h3{texts}>{asked_heading(one)}</h3>{asked_html(one, document)}" for one in document.questions)
    lead = f"{title}{alarms_html(alarms_of(document))}{blocks_html(document.overview)}"
    return f'<div lang="{say.tag}" dir="{say.direction}">{lead}{parts}</div>'


def alarms_of(document: SurveyDocument) -> list[str]:
    """Return what is wrong with the data, each with the question that it is of."""
    return [f"{ISOLATE}{one.text}{POP}: {notice}" for one in document.questions for notice in one.notices]


def alarms_html(alarms: Iterable[str]) -> str:
    """Return what is wrong with the data, which stands before all else."""
    return "".join(f'<p class="notice">{text_html(alarm)}</p>' for alarm in alarms)


def asked_heading(one: Asked) -> str:
    """Return a question's text, its id beside it."""
    return f"{text_html(one.text)} <small><code>{text_html(one.key)}</code></small>"


def asked_html(one: Asked, document: SurveyDocument, key: str = "") -> str:
    """Return all there is of one question but its text."""
    numbers = [*one.numbers]
    opened = [Heading(document.say.gettext("The exact numbers")), *numbers] if numbers else []
    return blocks_html([*one.known, *one.shown, *opened], key)


def text_html(text: str) -> str:
    """Return a text as HTML shows it, with escapes for what would turn the direction of writing."""
    parts = [_LRM.join(map(escaped, part.split(_LRM))) for part in _ISOLATED.split(text)]
    return "".join(f"<bdi>{escape(part)}</bdi>" if at % 2 else escape(part) for at, part in enumerate(parts))


def attributes_html(attributes: Mapping[str, str]) -> str:
    """Return attributes of an element."""
    return "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())


def blocks_html(blocks: Iterable[PageBlock], key: str = "", texts: AskedTexts | None = None) -> str:
    """Return blocks, under ids that begin with `key`; without it tables have none, and pictures are left out.

    `texts`: what stands in place of the ids of questions, with these beside.
    """
    return "\n".join(filter(None, (_block(block, key, texts) for block in blocks)))


def _block(block: PageBlock, key: str, texts: AskedTexts | None) -> str:
    match block:
        case Table():
            return _table(block, key, texts)
        case Lines():
            return _lines(block, texts)
        case Typed(text):
            return f"<pre>{escape(escaped_lines(text))}</pre>"
        case Heading(text):
            return f'<h3 dir="auto">{text_html(text)}</h3>'
        case Known(findings):
            return f'<ul class="verdict">{"".join(_finding(*one) for one in findings)}</ul>' if findings else ""
        case Picture():
            return _picture(block, key) if key else ""
        case HeatMap():
            return _heat_map(block)


def _heat_map(of: HeatMap) -> str:
    """Return a table whose cells' colours say no more than their words."""
    heads = "".join(
        f'<th scope="col"><bdi>{text_html(text)}</bdi> <small>{text_html(figure)}</small></th>'
        for text, figure in of.heads
    )
    rows = "".join(
        f'<tr><th scope="row"{_AUTO}>{text_html(name)}</th>'
        + "".join(f'<td class="heat {cell.look}">{text_html(cell.words)}</td>' for cell in cells)
        + "</tr>"
        for name, cells in of.rows
    )
    said = "".join(f'<p class="small">{text_html(line)}</p>' for line in of.said[1:])
    title = text_html(of.title)
    return (
        f'<section class="overview"><h2>{title}</h2><div class="scroll" tabindex="0" role="region" '
        f'aria-label="{title}"><table><caption>{text_html(of.said[0])}</caption><thead><tr><th scope="col">'
        f"{text_html(of.corner)}</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{said}</section>"
    )


def _finding(name: str, words: str) -> str:
    named = f"<bdi>{text_html(name)}</bdi>: " if name else ""
    return f"<li>{named}<strong>{text_html(words)}</strong></li>"


def _picture(picture: Picture, key: str) -> str:
    said = "<br>".join(map(text_html, picture.caption))
    caption = f"<figcaption>{said}</figcaption>" if said else ""
    return f"<figure>{caption}{inline_svg(picture.drawing, f'{key}-{picture.key}')}</figure>"


def _lines(block: Lines, texts: AskedTexts | None) -> str:
    look = attributes_html(({"class": block.look} if block.look else {}) | _direction(block.lang))
    groups = groupby(block.lines, key=block.is_item)
    return "".join(
        _items(lines) if are_items else "".join(f"<p{look}>{_line(line, texts)}</p>" for line in lines)
        for are_items, lines in groups
    )


def _direction(lang: str) -> dict[str, str]:
    return {"lang": lang, "dir": "ltr"} if lang else {}


def _line(line: str, texts: AskedTexts | None) -> str:
    key, colon, rest = line.partition(": ")
    if texts and colon and key in texts.questions:
        return f"{_question(key, texts)}: {text_html(rest)}"
    return text_html(line)


def _items(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{text_html(line.removeprefix(ITEM))}</li>" for line in lines)
    return f"<ul>{items}</ul>"


def _table(table: Table, key: str, texts: AskedTexts | None) -> str:
    head = "".join(f'<th scope="col"{_kind(one, table)}>{text_html(one.name)}</th>' for one in table.columns)
    body = "".join(f"<tr>{''.join(_cells(table, row, texts))}</tr>" for row in table.rows)
    opened, caption = _captioned(table.caption, key) if table.caption else ('<div class="wide" tabindex="0">', "")
    return f"{opened}<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _captioned(of: Caption, key: str) -> tuple[str, str]:
    """Return what opens a table's box, which scrolls where it is too wide and has its caption for a name, and this."""
    region = {"id": f"{key}-{of.key}", "tabindex": "0", "role": "region", "aria-labelledby": f"{key}-{of.key}-caption"}
    named = {"id": f"{key}-{of.key}-caption"}
    unit = f" (<bdi>{text_html(of.unit)}</bdi>)" if of.unit else ""
    words = f"{text_html(of.words)}{unit} <code>{text_html(of.question)}</code>"
    box = attributes_html({"class": "scroll"} | (region if key else {}))
    return f"<div{box}>", f"<caption{attributes_html(named if key else {})}>{words}</caption>"


def _kind(column: Column, table: Table) -> str:
    """Return the class of a cell; in a table with a caption all are numbers but those that name their row."""
    return "" if column.is_left or table.caption else ' class="number"'


def _cells(table: Table, row: Sequence[Cell], texts: AskedTexts | None) -> Iterable[str]:
    for column, cell in zip(table.columns, row, strict=True):
        words = text_html(column.words(cell))
        if column.names:
            yield f'<th scope="row"{_AUTO * (column.kind == "text")}>{words}</th>'
        elif isinstance(cell, Said):
            yield f'<td><data value="{cell.number}">{words}</data></td>'
        else:
            is_question = texts is not None and column.name == "question" and cell in texts.questions
            yield f"<td{_kind(column, table)}>{_question(str(cell), texts) if texts and is_question else words}</td>"


def _question(key: str, texts: AskedTexts) -> str:
    text = f'<span lang="{text_html(texts.lang)}" dir="auto">{text_html(texts.questions[key])}</span>'
    return f"{text} <small><code>{text_html(key)}</code></small>"

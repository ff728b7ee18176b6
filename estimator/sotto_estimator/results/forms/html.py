"""A document as pieces of HTML, every text escaped: for a notebook, and for a report."""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

from sotto_estimator.results.document import ITEM, AskedTexts, Block, Document, Lines, Part, Table
from sotto_protocol.words import escaped, escaped_lines


def notebook_html(document: Document) -> str:
    """Return what a notebook shows: the title, what is wrong, and what people read on a terminal."""
    title = f"<p><b>{text_html(document.line or document.title)}</b></p>"
    parts = "".join(blocks_html(part, document.texts) for part in document.told())
    return f"<div>{title}{alarms_html(document)}{parts}</div>"


def alarms_html(document: Document) -> str:
    """Return what is wrong with the data, which stands before all else."""
    return "".join(f'<p class="warning">{text_html(alarm)}</p>' for alarm in document.alarms)


def text_html(text: str) -> str:
    """Return a text as HTML shows it, with escapes for what would turn the direction of writing."""
    return escape(escaped(text))


def blocks_html(part: Part, texts: AskedTexts | None = None) -> str:
    """Return a part without its heading. `texts`: what stands in place of the ids of questions, with these beside."""
    return "".join(_block(block, texts) for block in part.blocks)


def _block(block: Block, texts: AskedTexts | None) -> str:
    if isinstance(block, Table):
        return _table(block, texts)
    if isinstance(block, Lines):
        groups = groupby(block.lines, key=block.is_item)
        return "".join(
            _items(lines) if are_items else "".join(_line(line, texts) for line in lines) for are_items, lines in groups
        )
    return f"<pre>{escape(escaped_lines(block.text))}</pre>"


def _line(line: str, texts: AskedTexts | None) -> str:
    key, colon, rest = line.partition(": ")
    if texts and colon and key in texts.questions:
        return f"<p>{_question(key, texts)}: {text_html(rest)}</p>"
    return f"<p>{text_html(line)}</p>"


def _items(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{text_html(line.removeprefix(ITEM))}</li>" for line in lines)
    return f"<ul>{items}</ul>"


def _table(table: Table, texts: AskedTexts | None) -> str:
    header = _row("th", [text_html(name) for name in table.head], table)
    body = "".join(_row("td", _cells(table, cells, texts), table) for cells in table.cells)
    return f'<div class="wide"><table><thead>{header}</thead><tbody>{body}</tbody></table></div>'


def _cells(table: Table, cells: Sequence[str], texts: AskedTexts | None) -> list[str]:
    """Return the cells of a row, escaped; of a question and an answer what people read for them."""
    shown = [text_html(cell) for cell in cells]
    place = table.head.index("question") if "question" in table.head else None
    if texts is None or place is None or cells[place] not in texts.questions:
        return shown
    key = cells[place]
    shown[place] = _question(key, texts)
    if "answer" in table.head:
        at = table.head.index("answer")
        answer = texts.answers.get((key, cells[at]))
        shown[at] = shown[at] if answer is None else _read(answer, texts)
    return shown


def _question(key: str, texts: AskedTexts) -> str:
    return f"{_read(texts.questions[key], texts)} <small><code>{text_html(key)}</code></small>"


def _read(text: str, texts: AskedTexts) -> str:
    return f'<span lang="{text_html(texts.lang)}" dir="auto">{text_html(text)}</span>'


def _row(tag: str, cells: Iterable[str], table: Table) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    kinds = ["" if column.is_left else ' class="number"' for column in table.columns]
    listed = (f"<{tag}{scope}{kind}>{cell}</{tag}>" for cell, kind in zip(cells, kinds, strict=True))
    return f"<tr>{''.join(listed)}</tr>"

"""A letter as Markdown, which is edited, and as HTML, which is printed or sent: the same words."""

from html import escape

from sotto_protocol.datasheet.letter import Letter, LetterPart
from sotto_protocol.datasheet.markup import document, mark, mark_line, one_line, table, tagged_list, tagged_table


def to_markdown(letter: Letter) -> str:
    """Return a letter as Markdown, with blanks to be filled in. A survey's texts become no markup."""
    lines = [f"# {mark(letter.title)}", "", letter.about, ""]
    for part in letter.parts:
        lines += [f"## {part.name}", "", *(f"- {mark_line(statement)}" for statement in part.statements)]
        lines += table(part.heads, part.rows) if part.rows else [""]
    lines += [f"## {letter.blanks}", "", *(f"- {blank.asks}: ______" for blank in letter.to_be_filled_in), ""]
    return "\n".join(lines)


def to_html(letter: Letter) -> str:
    """Return a letter as one HTML document that loads nothing, for two pages of A4. A survey's texts become no tags."""
    parts = "\n".join(f"<h2>{escape(part.name)}</h2>{_tagged(part, letter.lang)}" for part in letter.parts)
    blanks = tagged_list([blank.asks for blank in letter.to_be_filled_in], ' class="columns blanks"')
    return document(
        letter.title,
        f"<h1>{escape(one_line(letter.title))}</h1>\n<p>{escape(letter.about)}</p>\n{parts}\n"
        f"<h2>{escape(letter.blanks)}</h2>\n{blanks}\n",
        lang=letter.spoken,
        direction=letter.direction,
    )


def _tagged(part: LetterPart, lang: str) -> str:
    texts = f' lang="{lang}" dir="auto"' if part.id == "asked" else ""
    return tagged_table(part.heads, part.rows, texts) if part.rows else tagged_list(part.statements)

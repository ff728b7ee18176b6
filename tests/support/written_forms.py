"""Documents as readers of Markdown and of LaTeX understand them: the cells of their tables, and no code."""

import re

from markdown_it import MarkdownIt

MOST_ROWS = 40
"""After so many rows, below the columns' names, a table in LaTeX goes on in another."""
Rows = list[list[str]]
_MARKUP = {"heading", "paragraph", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "strong", "fence"}
_MARKUP |= {"bullet_list", "list_item"}


def read_markdown(text: str) -> list[Rows]:
    """Return the rows of each table, the columns' names first; fails where a text is HTML, a link, a list or code."""
    tables: list[Rows] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        assert token.type == "inline" or token.type.removesuffix("_open").removesuffix("_close") in _MARKUP, token
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type in ("th_open", "td_open"):
            tables[-1][-1].append("")
        elif token.type == "inline":
            plain = [one for one in token.children or () if one.type in ("text", "text_special")]
            said = "".join(one.content for one in plain)
            assert len(plain) == len(token.children or ()) or said.startswith("Warning: "), token
            if token.level == 4:
                tables[-1][-1][-1] = said
    return tables


_TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|\\\n|[{}&$#^_~%]|[^\\{}&$#^_~%]+")
_SIGNS = {"\\textbackslash": "\\", "\\textasciitilde": "~", "\\textasciicircum": "^", "\\textless": "<"}
_SIGNS |= {"\\textgreater": ">", "\\textbar": "|", "\\textquotedbl": '"', **{f"\\{sign}": sign for sign in "{}$&#_%"}}
_COMMANDS = {"\\section*", "\\subsection*", "\\textbf", "\\noindent", "\\begin", "\\end", "\\ttfamily", "\\strut"}
_COMMANDS |= {"\\item", "\\ ", "\\\n", "\\\\"}


def read_latex(text: str) -> list[Rows]:
    """Return the rows of each `tabular`, the columns' names first; fails where LaTeX would stop, or see a command.

    It knows what documents are made of: groups, signs that are commands, and rows of cells.
    """
    remark, _, text = text.partition("\n")
    assert remark.startswith("% ")
    outside, *parts = re.split(r"\\begin\{tabular\}", text)
    _plain(outside)
    tables = []
    for part in parts:
        inside, end, after = part.partition("\\end{tabular}")
        sides, body = re.fullmatch(r"\{([lr]+)\}\n\\hline\n(.+)\\hline\n", inside, re.DOTALL).groups()  # type: ignore[union-attr]
        head, _, rows = body.partition("\\hline\n")
        lines = [line for line in (head + rows).split(" \\\\\n") if line]
        assert not [line for line in lines if line.startswith(("[", "*"))], "an option of the row's end before"
        tables.append([[_plain(cell).strip() for cell in re.split(r"(?<!\\)&", line)] for line in lines])
        assert end
        assert all(len(row) == len(sides) for row in tables[-1])
        _plain(after)
    return _whole(tables)


def _whole(pieces: list[Rows]) -> list[Rows]:
    """Return tables, of which those that go on from page to page are one again."""
    tables: list[Rows] = []
    n_before = 0
    for piece in pieces:
        if n_before > MOST_ROWS and tables[-1][0] == piece[0]:
            tables[-1] += piece[1:]
        else:
            tables.append(piece)
        n_before = len(piece)
    return tables


def _plain(text: str) -> str:
    """Return what is printed of a text; fails for a sign that LaTeX does not print, and a group that does not end."""
    depth, said = 0, ""
    for sign in _TOKEN.findall(text.replace("$-$", "-").replace("\\char34{}", "\\textquotedbl{}")):
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0, text
        if sign.startswith("\\"):
            assert sign in _SIGNS or sign in _COMMANDS, sign
            said += _SIGNS.get(sign, "")
        else:
            assert sign in ("{", "}") or not re.match("[&$#^_~%]", sign), sign
            said += "" if sign in ("{", "}") else sign
    assert depth == 0, text
    return said

"""Document: what a view says of a result, once; every form is written from it (`sotto_estimator.results.forms`).

`Document` is for analysts, in English; `SurveyDocument` for a survey's readers, in any language, as the page shows it.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, NamedTuple, Protocol, Self

from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.percents import NOTHING, OUTSIDE, OUTSIDE_WORDS, percent, share_percent, signed_percent
from sotto_protocol import Survey
from sotto_protocol.language import Language
from sotto_protocol.words import epsilon_above

Kind = Literal["text", "word", "share", "estimate", "points", "count", "epsilon", "p", "number"]
Number = int | float | Decimal


class Said(NamedTuple):
    """A number as it is written, with all its digits beside it."""

    text: str
    number: float


Cell = str | Number | Said | None
"""A number, which its column's kind writes; words where no number says it; None: nothing can be said."""

Look = Literal["", "verdict", "notice", "small"]
ITEM = "- "
ISOLATE, POP = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def isolated(text: str) -> str:
    """Return an author's text for a sentence around it, which may run the other way."""
    return f"{ISOLATE}{text}{POP}"


def number_words(number: float) -> str:
    """Return a number with four decimals; a small one with two digits after the first.

    >>> number_words(-1.23456), number_words(0.00012345)
    ('-1.2346', '1.23e-04')
    """
    return f"{number:.4f}" if number == 0 or abs(number) >= 0.001 else f"{number:.2e}"


_WRITTEN: dict[Kind, Callable[..., str]] = {
    "text": str,
    "word": str,
    "share": percent,
    "estimate": share_percent,
    "points": signed_percent,
    "count": lambda count: f"{count:,}",
    "epsilon": epsilon_above,
    "p": lambda p_value: f"{p_value:.3g}",
    "number": number_words,
}
"""How a number is written: a share from 0 to 1 in per cent; an unbiased estimate of one too, which is marked where it
is not possible; a difference of shares in per cent with its sign; a count; an epsilon; a P-value; any other number."""


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column. `kind`: "text", to the left; "word", or what a number is: to the right, unless `to_left`.

    `names`: its cells say what their row is of; an author's words are "text", the page's "word".
    """

    name: str
    kind: Kind = "text"
    to_left: bool = False
    names: bool = False

    @property
    def is_left(self) -> bool:
        """Whether its cells stand to the left."""
        return self.to_left or self.kind == "text"

    def words(self, cell: Cell) -> str:
        """Return what stands in a cell; a dash where there is nothing, or no finite number.

        >>> Column("share", "estimate").words(1.5), Column("n", "count").words(12345), Column("n", "count").words(None)
        ('*150.00 %', '12,345', '-')
        """
        if isinstance(cell, str):
            return cell
        if isinstance(cell, Said):
            return cell.text
        return NOTHING if cell is None or not math.isfinite(cell) else _WRITTEN[self.kind](cell)


class Caption(NamedTuple):
    """What a table of a question is called, and in which unit it is. `key`: its name among the question's tables."""

    key: str
    words: str
    question: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, as many as columns. `is_plain`: on a terminal its columns need no names."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    is_plain: bool = False
    caption: Caption | None = None

    @property
    def head(self) -> list[str]:
        """The columns' names."""
        return [column.name for column in self.columns]

    @property
    def cells(self) -> list[list[str]]:
        """The rows, in words."""
        return [[column.words(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    @property
    def without_empty(self) -> "Table":
        """The same without the columns in which every cell is ""."""
        kept = [any(cell != "" for cell in column) for column in zip(*self.rows, strict=True)]
        rows = [[cell for cell, is_kept in zip(row, kept, strict=True) if is_kept] for row in self.rows]
        columns = [column for column, is_kept in zip(self.columns, kept, strict=True) if is_kept]
        return Table(columns, rows, self.is_plain) if kept else self

    @property
    def is_marked(self) -> bool:
        """Whether an estimate is marked as impossible."""
        places = [place for place, column in enumerate(self.columns) if column.kind in ("estimate", "points")]
        return any(
            part.startswith(OUTSIDE) for row in self.cells for place in places for part in row[place].split(", ")
        )


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences, or what numbers mean, a line each.

    `indent`: of prose, which a terminal wraps; what follows a wrapped line's first is indented so. A line of prose that
    begins with "- " is an item of a list. `look`: how a page shows them; `lang`: their language, where it is another.
    """

    lines: Sequence[str]
    indent: str | None = None
    look: Look = ""
    lang: str = ""

    def is_item(self, line: str) -> bool:
        """Whether a line is an item of a list."""
        return self.indent is not None and line.startswith(ITEM)

    def but(self, known: Collection[str]) -> "Lines":
        """Return it without the lines that are known."""
        return replace(self, lines=[line for line in self.lines if line not in known])


@dataclass(frozen=True, slots=True)
class Typed:
    """Text that keeps its lines and blanks, in a typewriter's letters: a file's, for instance."""

    text: str


def title_lines(title: str) -> Lines:
    """Return a title that was given as a line; nothing where none was."""
    return Lines([title] if title else [])


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside of a question's part."""

    text: str


@dataclass(frozen=True, slots=True)
class Known:
    """What is known, a line each: of which answer or group, "" where that needs no name, and in words."""

    findings: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing under its name among those of a question, and what stands over it."""

    key: str
    drawing: Drawing
    caption: Sequence[str] = ()


class HeatCell(NamedTuple):
    """A cell in words, which say all; `look`: "high", "low", "none" where little is known, or "" for its colour."""

    words: str
    look: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Groups by questions: `heads` are a question's text and its figure each, `rows` a group's name and its cells.

    `corner`: what the names of rows are of. `said`: what its cells and marks mean, first of all cells.
    """

    title: str
    corner: str
    heads: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, Sequence[HeatCell]]]
    said: Sequence[str]


Block = Table | Lines | Typed
PageBlock = Block | Heading | Known | Picture | HeatMap
"""What is read of a question, which no terminal shows."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document. `is_background`: for a report; who sees a terminal or a notebook often knows it.

    `is_tight`: no empty line stands between its blocks on a terminal.
    """

    heading: str
    blocks: Sequence[Block]
    is_background: bool = False
    is_tight: bool = False


@dataclass(frozen=True, slots=True)
class AskedTexts:
    """What a survey's questions are called where it is answered, by id, in one of its languages."""

    lang: str
    questions: Mapping[str, str]

    @classmethod
    def of(cls, survey: Survey, lang: str = "") -> Self:
        """Return the texts in a language of the survey, "" for its own. Raises ValueError where it has no such one."""
        words = survey.words(lang)
        return cls(words.lang, {key: of.text for key, of in words.questions.items()})


class Asked(Protocol):
    """All there is to read of one question. `notices`: what has to be known before any of it is read.

    `known`: what is known, in words; `shown`: its pictures, and what they are made of; `numbers`: the exact ones.
    """

    @property
    def key(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def notices(self) -> Sequence[str]: ...
    @property
    def known(self) -> Sequence[PageBlock]: ...
    @property
    def shown(self) -> Sequence[PageBlock]: ...
    @property
    def numbers(self) -> Sequence[PageBlock]: ...


@dataclass(frozen=True, slots=True)
class SurveyDocument:
    """The results of a survey for its readers, in one language: `say` of the words, `texts` of the survey's texts.

    `texts`: attributes of an element that holds one. `lead`: of how many reports. `made`: how numbers are made.
    `overview`: of all questions, before them.
    """

    say: Language
    texts: Mapping[str, str]
    title: str
    lead: str
    questions: Sequence[Asked]
    made: Sequence[str]
    overview: Sequence[PageBlock] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """What there is to read. `line`: the result in a line, "" where the title says it; `alarms`: what is wrong.

    `texts`: what people read for the ids of questions; None of what no survey asks.
    """

    title: str
    line: str
    alarms: Sequence[str]
    parts: Sequence[Part]
    texts: AskedTexts | None = None

    def told(self, *, with_background: bool = False) -> list[Part]:
        """Return the parts that say something which the title does not."""
        known = {self.title, self.line}
        parts = []
        for part in self.parts:
            blocks = [one.but(known) if isinstance(one, Lines) else one for one in part.blocks]
            told = [one for one in blocks if not isinstance(one, Lines) or one.lines]
            if told and (with_background or not part.is_background):
                parts.append(replace(part, blocks=told))
        return parts


def marks(tables: Iterable[Table]) -> Lines:
    """Return what the mark of an impossible estimate means, where these tables have one."""
    return Lines([OUTSIDE_WORDS] if any(table.is_marked for table in tables) else [])

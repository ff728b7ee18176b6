"""Pages as a test reads them: every element with its attributes and its text, in the page's order."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br"}


@dataclass
class Element:
    """An element: its tag, its attributes (an empty text where they have no value), those within it, its words."""

    tag: str
    attributes: dict[str, str]
    inner: "list[Element]" = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All words within it, white space made one blank."""
        return " ".join("".join(self.words).split())

    def find(self, tag: str = "", **attributes: str) -> "list[Element]":
        """Return those within it of a tag and with these attributes: `type_` means `type`, `data_x` means `data-x`."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            element
            for element in self.inner
            if tag in ("", element.tag) and wanted.items() <= element.attributes.items()
        ]

    def one(self, tag: str = "", **attributes: str) -> "Element":
        """Return the only one of these."""
        (found,) = self.find(tag, **attributes)
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"{tag} has an attribute twice: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        for outer in self.open:
            outer.inner.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"{self.open[-1].tag} is closed by {tag}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for outer in self.open:
            outer.words.append(data)


def read_html(text: str) -> Element:
    """Return a page as the element that holds all others. Each must be closed, in order, where it has an end."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    (root,) = reader.open
    return root

"""How Sphinx makes the site of docs/, in the order of docs/README.md, and of what scripts/docs.py writes."""

import os
import re
from pathlib import Path, PurePosixPath

from sphinx.application import Sphinx

from sotto_protocol import __version__

project = "sottovoce"
copyright = "The sottovoce maintainers, Apache-2.0"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "reference/**"]
exclude_patterns = ["reference/typescript/README.md"]
html_theme = "furo"
html_title = "sottovoce"
html_static_path = ["static"]
html_js_files = [("scrollable.js", {"defer": "defer"})]
html_copy_source = False
html_show_sphinx = False
templates_path: list[str] = []
myst_heading_anchors = 6
suppress_warnings = ["myst.header"]
default_role = "code"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://github.com/sottovoce/sottovoce/tree/main"
REFERENCE = ["reference/commands", "reference/python", "reference/http", "reference/typescript/**"]
_LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")
_HEADING = re.compile(r"## ([^:]+)|\*(.+)\.\*")


def setup(app: Sphinx) -> None:
    """Let the first page list all others, and links to what is no page lead to the repository."""
    app.connect("source-read", read_page)


def read_page(app: Sphinx, name: str, content: list[str]) -> None:
    """Change what a page says, before it is read: `content` has one text."""
    folder = PurePosixPath(name).parent

    def link(found: re.Match[str]) -> str:
        path = Path(os.path.normpath(folder / found[1]))
        is_page = (Path(app.srcdir) / path).exists()
        return found[0] if is_page or not (ROOT / path).exists() else f"]({REPOSITORY}/{path}{found[2] or ''})"

    content[0] = _LINK.sub(link, content[0])
    if name == app.config.root_doc:
        content[0] += contents((Path(app.srcdir) / "docs" / "README.md").read_text(encoding="utf-8"))


def contents(listing: str) -> str:
    """Return the pages as docs/README.md lists them, under its headings, for the bar beside every page."""
    parts: dict[str, list[str]] = {"sottovoce": ["docs/README"]}
    for line in listing.splitlines():
        if found := _HEADING.match(line):
            parts[heading := found[1] or found[2]] = []
        elif line.startswith(("- ", "  ")):
            parts[heading] += [f"docs/{page}".replace("docs/../", "") for page, _ in _LINK.findall(line)]
    parts["Generated reference"] = REFERENCE
    trees = [
        "\n".join(
            [
                "```{toctree}",
                ":hidden:",
                ":glob:",
                f":caption: {caption}",
                "",
                *(page.removesuffix(".md") for page in pages),
                "```",
            ]
        )
        for caption, pages in parts.items()
        if pages
    ]
    return "\n\n" + "\n\n".join(trees) + "\n"

"""Plain English: which sentences of messages, help, errors, docs and public docstrings break its rules.

scripts/plain                 count what is found, by source
scripts/plain docs/plan.md    show what is found in this source; several may be named
"""

import ast
import importlib
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
from markdown_it import MarkdownIt

import catalogues
from sotto_client.cli import main as sotto

ROOT = Path(__file__).parents[1]
MAX_WORDS = 20
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "client/js/README.md", "docs/*.md")
"""CHANGELOG.md is not among them: what it says of earlier versions stays as it was published."""
PACKAGES = ("sotto_client", "sotto_protocol", "sotto_estimator", "sotto_rehearsal")

TURNS = {
    "who without a noun": r"\b(?:for|of|to|by|as|from|than|with) who\b|^Who (?![^?]*\?)|[;:] who\b|\b[Ww]hoever\b",
    "of at the head of a clause": r"(?:^|[:;] )[Oo]f (?!course\b)",
    "is said, is told": r"\b(?:is|are|was|were|be|been|being|not) (?:said|told)\b|\btold (?:from|apart)\b",
    "so many": r"\bso many\b",
    "likeliest": r"\blikeliest\b",
    "as by lot": r"\bas by lot\b",
    "at the least": r"\bat the (?:least|most)\b",
    "by itself": r"\bby (?:itself|themselves)\b",
    "of use": r"\bof (?:no |much |any )?use\b",
    "beyond reckoning": r"\bbeyond reckoning\b",
    "no share": r"\b(?:holds |is |in )?no share\b",
    "private metaphor": r"\b(?:void|voids|voided|tilt|tilted|outlook|likes of)\b",
    "stands": r"\b(?:stand|stands|stood) (?:in|for|here|there|beside|below|above|at|under)\b",
    "as there": r"\bas there\b|\bthan there\b",
    "at most, at least": r"\bat most [^.,;:]{1,30}, at least\b",
}
"""What docs/ and messages say no more: banned turns, each with a pattern."""
_TURNS = {name: re.compile(pattern) for name, pattern in TURNS.items()}
_END = re.compile(r"(?<=[.!?])[\")”]*\s+(?=[\"(“`]?[A-Z0-9`X])")
_FIELD = re.compile(r"%\(\w+\)s|%[sd]|\{[^{}]*\}")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”")
_TAG = re.compile(r"<[^>]+>")

EXCEPTIONS = {"Who asks: X": "a label, followed by a name"}
"""Sentences that may stay, each with its reason."""


class Finding(NamedTuple):
    """A sentence that breaks a rule."""

    rule: str
    sentence: str


def find(text: str, max_words: int = MAX_WORDS) -> Iterator[Finding]:
    """Yield what breaks a rule in a text of whole sentences. What it quotes is somebody else's words, or code."""
    for sentence in sentences(text):
        if sentence in EXCEPTIONS:
            continue
        own = _QUOTED.sub("X", sentence)
        if (n_words := len(own.split())) > max_words:
            yield Finding(f"{n_words} words", sentence)
        if len(re.findall(r"[:;](?= )", own)) > 1:
            yield Finding("a chain of colons and semicolons", sentence)
        for name, pattern in _TURNS.items():
            if pattern.search(own):
                yield Finding(name, sentence)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without tags, a field being a word."""
    return [found for found in _END.split(" ".join(_FIELD.sub("X", _TAG.sub(" ", text)).split())) if found]


def read_pages() -> Iterator[tuple[str, str, int]]:
    """Yield the paragraphs of the documentation: of a table's cells only the turns count, whatever their length."""
    reader = MarkdownIt("commonmark").enable("table")
    for path in [page for pattern in PAGES for page in sorted(ROOT.glob(pattern))]:
        is_table = False
        for token in reader.parse(path.read_text(encoding="utf-8")):
            is_table = token.type == "table_open" or (is_table and token.type != "table_close")
            if token.type == "inline":
                parts = [_read_inline(part.type, part.content) for part in token.children or ()]
                yield str(path.relative_to(ROOT)), "".join(parts), 10**6 if is_table else MAX_WORDS


def _read_inline(kind: str, content: str) -> str:
    return {"text": content, "code_inline": "X", "softbreak": " ", "hardbreak": " "}.get(kind, "")


def read_messages() -> Iterator[tuple[str, str, int]]:
    """Yield the messages that are translated: what respondents and readers see."""
    for path, messages in catalogues.read_sources().items():
        for message in messages:
            for text in (message,) if isinstance(message, str) else message:
                yield path, text, MAX_WORDS


def read_help() -> Iterator[tuple[str, str, int]]:
    """Yield the help of every command and of its options."""
    yield from _read_help(sotto, ("sotto",))


def _read_help(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, str, int]]:
    where = " ".join(words)
    yield from ((where, part, MAX_WORDS) for part in _prose(command.help or ""))
    for option in command.params:
        yield where, getattr(option, "help", "") or "", MAX_WORDS
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if below := command.get_command(context, name):
                yield from _read_help(below, (*words, name))


def _prose(text: str) -> list[str]:
    """Return the paragraphs of a help or a docstring without their examples."""
    parts = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return [part for part in parts if not part.startswith(("\b", ">>>", "    ", "$ "))]


def read_docstrings() -> Iterator[tuple[str, str, int]]:
    """Yield the docstrings of what is public in Python."""
    for package in map(importlib.import_module, PACKAGES):
        for name in package.__all__:
            public = getattr(package, name)
            if inspect.isclass(public) or callable(public):
                members = vars(public).items() if inspect.isclass(public) else ()
                shown = [value for member, value in members if not member.startswith("_") and _is_documented(value)]
                for part in [part for told in (public, *shown) for part in _prose(inspect.getdoc(told) or "")]:
                    yield f"{package.__name__}.{name}", part, MAX_WORDS


def _is_documented(value: object) -> bool:
    return callable(value) or isinstance(value, (property, classmethod, staticmethod))


def read_errors() -> Iterator[tuple[str, str, int]]:
    """Yield the sentences that the packages' code writes: errors, warnings, remarks; not its docstrings."""
    for path in sorted(ROOT.glob("*/sotto_*/**/*.py")):
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        skipped = {id(part) for node in nodes for part in _unread(node)}
        for node in nodes:
            text = _text_of(node) if id(node) not in skipped else ""
            if re.fullmatch(r"\s*[A-Z`{].*\s.*[.:?]\s*", text, re.S):
                yield str(path.relative_to(ROOT)), text, MAX_WORDS


def _unread(node: ast.AST) -> Iterable[ast.AST]:
    """Return what is no sentence of its own in a node: bare strings, which are docstrings, and parts of f-strings."""
    if isinstance(node, ast.Expr):
        return (node.value,)
    return node.values if isinstance(node, ast.JoinedStr) else ()


def _text_of(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)  # type: ignore[misc]  # texts
    return ""


READERS: tuple[Callable[[], Iterator[tuple[str, str, int]]], ...] = (
    read_pages,
    read_messages,
    read_help,
    read_docstrings,
    read_errors,
)
"""What is read: each yields sources, texts and how many words a sentence may have."""


def find_all() -> dict[str, list[Finding]]:
    """Return what is found, by source: a path, a command, or a public name."""
    found: dict[str, list[Finding]] = {}
    for reader in READERS:
        for source, text, max_words in reader():
            for finding in find(text, max_words):
                if finding not in found.setdefault(source, []):
                    found[source].append(finding)
    return {source: findings for source, findings in sorted(found.items()) if findings}


def main(sources: list[str]) -> None:
    found = find_all()
    for source in sources:
        for rule, sentence in found.get(source, ()):
            click.echo(f"{source}: {rule}: {sentence}")
    if not sources:
        for source, findings in found.items():
            click.echo(f"{len(findings):5} {source}")
        rules = Counter(rule if not rule.endswith(" words") else "too long" for of in found.values() for rule, _ in of)
        click.echo(", ".join(f"{rule} {n}" for rule, n in rules.most_common()))


if __name__ == "__main__":
    main(sys.argv[1:])

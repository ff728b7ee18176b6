"""Catalogues of the product's words: from the sources to .po files, which people translate, and from these to JSON.

scripts/catalogues extract   write every message of the sources into every .po file; translations stay
scripts/catalogues compile   write the JSON files, which the programs read; it takes npm
scripts/catalogues check     say what is not translated, or wrongly; exit 1 where anything is
"""

import json
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from gettext import c2py
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from sotto_protocol.language import ENGLISH, LANGUAGES, Language

ROOT = Path(__file__).parents[1]
CATALOGUES = ROOT / "protocol" / "sotto_protocol" / "catalogues"
SCRIPTS = CATALOGUES / "scripts.json"
COMPONENT = ROOT / "client" / "js" / "words"
"""What the web component loads: a module a language, of its own scripts' messages."""
PYTHON = {"gettext": None, "ngettext": (1, 2), "mark": None}
JINJA = {"_": None, "gettext": None, "ngettext": (1, 2)}
JAVASCRIPT = {"t": None, "t.n": (1, 2)}
_SOURCES = (
    ("python", PYTHON, {}, "*/sotto_*/**/*.py"),
    ("jinja2", JINJA, {"newstyle_gettext": "true", "trimmed": "true"}, "*/sotto_*/**/templates/**/*.html"),
    ("javascript", JAVASCRIPT, {}, "*/sotto_*/**/static/*.js"),
    ("javascript", JAVASCRIPT, {}, "client/js/form/*.js"),
    ("javascript", JAVASCRIPT, {}, "client/js/component/*.js"),
)
_OF_COMPONENT = ("client/js/form/", "client/js/component/")
_MESSAGES = 'import("../form/words.js").Messages'
_PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%|%")
_TAG = re.compile(r"</?\w+[^>]*>")
_THEN = datetime(2000, 1, 1, tzinfo=UTC)
_DATED = re.compile(rb'^"(?:POT-Creation-Date|PO-Revision-Date|Generated-By|Last-Translator|Language-Team): .*\n', re.M)


def messages_of(path: Path, method: str, keywords: dict[str, tuple[int, ...] | None], options: dict[str, str]) -> list:
    """Return the messages of a source: texts, or pairs of one and many."""
    if method == "python" and not any(word in path.read_text(encoding="utf-8") for word in keywords):
        return []  # as most modules have: to take them apart is slow
    return [found[1] for found in extract_from_file(method, path, keywords, (), options)]


@cache
def read_sources() -> dict[str, list[str | tuple[str, str]]]:
    """Return the messages by the paths of the sources, which are read once: that is slow."""
    found = {
        str(path.relative_to(ROOT)): messages_of(path, method, keywords, options)
        for method, keywords, options, pattern in _SOURCES
        for path in sorted(ROOT.glob(pattern))
        if not path.name.endswith(".min.js")
    }
    return {path: messages for path, messages in found.items() if messages}


def keys_of(messages: list[str | tuple[str, str]]) -> set[str]:
    """Return the keys that messages have in the JSON files: of plural forms the first."""
    return {message if isinstance(message, str) else message[0] for message in messages}


def make_template() -> Catalog:
    """Return all messages with the files that they stand in."""
    template = Catalog(project="sottovoce", creation_date=_THEN, revision_date=_THEN)
    for path, messages in read_sources().items():
        for message in messages:
            template.add(message, locations=[(path, None)])
    for message in template:
        message.locations.sort()  # as they are read from a file: extracting twice moves nothing
    return template


def read_catalogue(language: Language) -> Catalog:
    """Return the .po file of a language; an empty catalogue where there is none yet."""
    path = CATALOGUES / f"{language.tag}.po"
    source = path.read_bytes() if path.exists() else b""
    catalogue = read_po(BytesIO(source), locale=language.tag)
    catalogue.header_comment = f"# Sottovoce in {language.name}. See docs/languages.md."
    catalogue.fuzzy = False
    catalogue._num_plurals, catalogue._plural_expr = n_forms(language), language.plural
    return catalogue


def n_forms(language: Language) -> int:
    """Return how many plural forms a language has."""
    return len({*map(c2py(language.plural), range(1000))})


def as_po(catalogue: Catalog) -> bytes:
    """Return a catalogue as a .po file: the same for the same messages, whoever writes it, and when."""
    written = BytesIO()
    write_po(written, catalogue, width=100, sort_by_file=True, include_lineno=False, ignore_obsolete=True)
    return _DATED.sub(b"", written.getvalue())


def as_json(catalogue: Catalog) -> str:
    """Return the translations by message, a list where there are plural forms."""
    translated = {
        message.id[0] if message.pluralizable else message.id: message.string
        for message in catalogue
        if message.id and is_translated(message) and not message.fuzzy
    }
    said = {key: list(string) if isinstance(string, tuple | list) else string for key, string in translated.items()}
    return _dump(said)


def is_translated(message: Message) -> bool:
    """Whether every form of a message is there."""
    return all(message.string) if isinstance(message.string, tuple | list) else bool(message.string)


def as_scripts() -> str:
    """Return the messages of each script, by its folder and name."""
    found = {
        "/".join(Path(path).parts[-2:]): sorted(keys_of(messages))
        for path, messages in read_sources().items()
        if path.endswith(".js")
    }
    return _dump(found)


def as_component(language: Language, translations: str) -> str:
    """Return the module of those translations that the web component's scripts use.

    A bundler imports it. `component/languages.js` also reads it as a text, and takes what stands in braces as JSON.
    """
    known, used = json.loads(translations), set()
    for path, messages in read_sources().items():
        if path.startswith(_OF_COMPONENT):
            used |= keys_of(messages)
    said = _dump({message: said for message, said in known.items() if message in used})
    about = f"/** {language.name}. Written by scripts/catalogues. */"
    return f"{about}\nexport default /** @type {{{_MESSAGES}}} */ ({said.strip()});\n"


def as_integrity(files: dict[str, str]) -> str:
    """Return the module by which the web component takes these files alone, by language."""
    hashes = {tag: b64encode(sha256(text.encode()).digest()).decode() for tag, text in files.items()}
    lines = "".join(f'  {tag}: "sha256-{found}",\n' for tag, found in hashes.items())
    about = "/** What the files of words hold. Written by scripts/catalogues. */"
    return f"{about}\nexport const INTEGRITY = {{\n{lines}}};\n"


def as_modules(tags: Iterable[str]) -> str:
    """Return the module that imports each language's words when they are asked for: a bundler follows it."""
    lines = "".join(f'  {tag}: () => import("./{tag}.js"),\n' for tag in tags)
    about = "/** Where the words of each language are: bundlers follow these imports. Written by scripts/catalogues. */"
    typed = f"/** @type {{{{[lang: string]: () => Promise<{{default: {_MESSAGES}}}>}}}} */"
    return f"{about}\n\n{typed}\nexport const MODULES = {{\n{lines}}};\n"


def _dump(found: dict) -> str:
    return json.dumps(found, ensure_ascii=False, indent=0, sort_keys=True) + "\n"


def compiled() -> dict[Path, str]:
    """Return all files that programs read, by their paths."""
    made, of_component = {SCRIPTS: as_scripts()}, {}
    for language in translated_languages():
        made[CATALOGUES / f"{language.tag}.json"] = said = as_json(read_catalogue(language))
        of_component[language.tag] = made[COMPONENT / f"{language.tag}.js"] = as_component(language, said)
    made[COMPONENT / "integrity.js"] = as_integrity(of_component)
    made[COMPONENT / "modules.js"] = as_modules(of_component)
    return made


def translated_languages() -> list[Language]:
    """Return all languages but that of the source."""
    return [language for language in LANGUAGES.values() if language is not ENGLISH]


def faults_of(language: Language, template: Catalog) -> Iterator[str]:
    """Yield what is wrong with a catalogue, a line each."""
    catalogue = read_catalogue(language)
    asked = {message.id for message in template if message.id}
    there = {message.id for message in catalogue if message.id}
    yield from (f"not extracted: {id_!r}" for id_ in sorted(asked - there, key=str))
    yield from (f"not in the sources: {id_!r}" for id_ in sorted(there - asked, key=str))
    for message in catalogue:
        if message.id:
            yield from (f"{fault}: {message.id!r}" for fault in faults_of_message(message, language))


def faults_of_message(message: Message, language: Language) -> Iterator[str]:
    """Yield what is wrong with a translation."""
    if message.fuzzy:
        yield "fuzzy"
    if not is_translated(message):
        yield "not translated"
        return
    if not message.pluralizable:
        if marks(message.string) != marks(message.id):
            yield f"other placeholders or tags ({message.string!r})"
        return
    if len(message.string) != n_forms(language):
        yield f"{len(message.string)} plural forms of {n_forms(language)}"
        return
    for index, form in enumerate(message.string):
        allowed = [marks(message.id[1])]
        if counts_of(language, index) == 1:  # such as one: the word may say the number
            allowed.append([mark for mark in allowed[0] if mark != "%(n)s"])
        if marks(form) not in allowed:
            yield f"other placeholders or tags in form {index} ({form!r})"


def counts_of(language: Language, index: int) -> int:
    """Return how many numbers below a thousand a plural form is for."""
    return [*map(c2py(language.plural), range(1000))].count(index)


def marks(text: str) -> list[str]:
    """Return the placeholders and tags of a text, in one order; a lone per cent sign is one, too."""
    return sorted({found[0] for found in _PLACEHOLDER.finditer(text)} | {*_TAG.findall(text)})


def extract() -> None:
    """Write every message into every .po file."""
    template = make_template()
    for language in translated_languages():
        catalogue = read_catalogue(language)
        catalogue.update(template)
        for message in catalogue:
            if message.id and not is_translated(message):
                message.flags.discard("fuzzy")  # it was guessed from one that is not translated either
        (CATALOGUES / f"{language.tag}.po").write_bytes(as_po(catalogue))


def compile_all() -> None:
    """Write all these files, and the two bundles: each has words, and the web component the hashes of its own."""
    for path, text in compiled().items():
        path.write_text(text, encoding="utf-8")
    for bundle in ("bundle", "component"):
        subprocess.run(["npm", "run", "--silent", bundle], cwd=COMPONENT.parent, check=True)


def check() -> None:
    """Print all faults, and exit with 1 where there are any."""
    template = make_template()
    faults = [f"{each.tag}.po: {fault}" for each in translated_languages() for fault in faults_of(each, template)]
    stale = [str(path.relative_to(ROOT)) for path, text in compiled().items() if path.read_text("utf-8") != text]
    faults += [f"{path}: is not as its sources are; run scripts/catalogues compile" for path in stale]
    print(*faults or ["All catalogues are complete."], sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    tasks = {"extract": extract, "compile": compile_all, "check": check}
    if len(sys.argv) != 2 or sys.argv[1] not in tasks:
        sys.exit(str(__doc__))
    tasks[sys.argv[1]]()

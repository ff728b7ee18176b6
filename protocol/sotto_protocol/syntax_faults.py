"""What is wrong with a text that is no TOML or JSON, in an author's words: which line, and what to write there."""

import re

from sotto_protocol.documents import is_text
from sotto_protocol.errors import Fault
from sotto_protocol.members import is_day
from sotto_protocol.source_lines import SourceLines

WRITE_LESS = "ask fewer questions, or in fewer words or languages."
_PLACE = re.compile(r" ?\((?:at line (\d+), column (\d+)|at end of document)\)$")
_SLANTED = "“”„‟‘’‚‛«»"
_DIGITS = re.compile(r"[0-9][0-9_]{4300,}|0x[0-9A-Fa-f_]{3500,}")
_COMMA = re.compile(r"=\s*([-+]?\d+,\d+)\s*(?:#.*)?$")
_POINT = re.compile(r"=\s*[-+]?\.(\d+)\s*(?:#.*)?$")
_DAY = re.compile(r"=\s*(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})\b")
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_WORDS = re.compile(r"=\s*([^\W\d_][^\"'#=\[\]{},]*?)\s*(?:#.*)?$")
_COLON = re.compile(r"^\s*[\"']?([\w-]+)[\"']?\s*:\s")
_TRUTHS = {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}


def say_toml_fault(fault: Exception, text: str, lines: SourceLines) -> Fault:
    """Return what is wrong of a text that tomllib refuses."""
    said = str(fault)
    if isinstance(fault, RecursionError):
        return Fault("$", f"must be TOML, {_too_deep()}")
    if _is_of_digits(said):
        return _too_many_digits(text)
    place = _PLACE.search(said)
    line, column = int(place[1] or 0) if place else 0, int(place[2] or 0) if place else 0
    line = line or text.rstrip().count("\n") + 1
    if again := _twice(said, lines):
        return again
    what = _brackets(said) or _hint(said, _line_of(text, line), column)
    return Fault("$", f"must be TOML: {what}" if what else f"must be TOML ({_PLACE.sub('', said)[:120]}).", line)


def say_json_fault(problem: str, text: str, lines: SourceLines) -> Fault:
    """Return what is wrong of a text that was refused as JSON, for `problem`."""
    if again := _twice(problem, lines):
        return again
    if _is_of_digits(problem):
        return _too_many_digits(text)
    place = re.search(r"line (\d+) column (\d+)", problem)
    if place and _line_of(text, int(place[1]))[int(place[2]) - 1 : int(place[2])] in tuple(_SLANTED):
        return Fault("$", f"must be JSON: {_say_slanted(_line_of(text, int(place[1])))}", int(place[1]))
    return Fault("$", problem)


def _hint(said: str, line: str, column: int) -> str:
    """Return what a line should say where it is plain what was meant; "" where it is not."""
    is_slanted = line[column - 1 : column] in tuple(_SLANTED) if column else False
    ends_slanted = said.startswith(("Illegal character", "Unterminated")) and any(one in line for one in _SLANTED)
    if is_slanted or ends_slanted:
        return _say_slanted(line)
    if comma := _COMMA.search(line):
        decimal = comma[1].replace(",", ".")
        return f"{comma[1]} has a comma; decimals have a point, as in {decimal}, and thousands nothing between them."
    if point := _POINT.search(line):
        return f"a number begins with a digit: 0.{point[1]}"
    if day := _DAY.search(line):
        return _say_day(day[1])
    if words := _WORDS.search(line):
        return _say_words(words[1])
    if colon := _COLON.search(line):
        return f'put "=" between a name and its value, not ":": {colon[1]} = ..'
    return ""


def _say_slanted(line: str) -> str:
    found = next(one for one in line if one in _SLANTED)
    return f'{found} is a typographic quotation mark. Put texts between straight ones: "..".'


def _say_day(given: str) -> str:
    if is_day(given):
        return f"{given} is a day, and nothing may follow it in its line."
    is_like_ours = _ISO_DAY.fullmatch(given) is not None
    why = "no day of the calendar" if is_like_ours else "not the way to write a day"
    return f"{given} is {why}; days are written like 2026-12-31."


def _say_words(words: str) -> str:
    if words.lower() in _TRUTHS:
        return f"{words[:40]} is written {_TRUTHS[words.lower()]} here, without quotation marks."
    return f'texts stand between quotation marks: "{words[:40]}".'


def _twice(said: str, lines: SourceLines) -> Fault | None:
    """Return that a member is given twice; None where it is none of that."""
    if not lines.twice or not ("overwrite" in said or "Duplicate" in said or "same key twice" in said):
        return None
    path, line = next(iter(lines.twice.items()))
    first = lines.line_of(path)
    where = f"in line {first}" if first != line else "in the same line"
    return Fault(path if is_text(path, 200) else "$", f"is given twice, first {where}: take one away.", line)


def _brackets(said: str) -> str:
    """Return how questions are written, where it was tried in another way."""
    is_of_questions = "('questions'," in said and ("twice" in said or "mutate" in said)
    return (
        "write [[questions]], with two brackets, above each question, and nothing else of this name." * is_of_questions
    )


def _is_of_digits(said: str) -> bool:
    return "digits" in said and "limit" in said


def _too_many_digits(text: str) -> Fault:
    found = _DIGITS.search(text)
    if found is None:
        return Fault("$", "must not have a number of thousands of digits.")
    return Fault("$", f"must not have a number of {len(found[0]):,} digits.", text.count("\n", 0, found.start()) + 1)


def _too_deep() -> str:
    return "not nested this deep: a survey has questions, and these have lists of options."


def _line_of(text: str, line: int) -> str:
    return (text.split("\n")[line - 1 : line] or [""])[0]

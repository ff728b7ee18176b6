"""`sotto survey types`: what answers to a survey are, as a type of TypeScript or Python, for who programs with them."""

import json
import re
from pathlib import Path

import click

from sotto_client.commands import read_file
from sotto_protocol import Survey
from sotto_protocol.questions.control import Choice, NumberField, PickOne, PickSome
from sotto_protocol.questions.item import Item
from sotto_protocol.words import examples

_IMPORTS = {
    "collections.abc": ("Sequence", "Set"),
    "decimal": ("Decimal",),
    "typing": ("Literal", "NotRequired", "TypedDict"),
}
"""What a type of Python may be made of, by its module."""
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@click.command("types", epilog=examples("sotto survey types survey.toml", "sotto survey types survey.toml --python"))
@click.argument("survey_file", type=click.Path(path_type=Path))
@click.option("--python", "as_python", is_flag=True, help="Write a TypedDict for Python instead of TypeScript.")
def types(survey_file: Path, as_python: bool) -> None:
    """Write a survey's answers as a type, so that a type checker finds wrong answers in your program.

    SURVEY_FILE is TOML, JSON or canonical JSON. In TypeScript use it as `new SurveyClient<Answers>(url, id)`, in Python
    as `answers: Answers = {..}`.
    """
    click.echo((to_python if as_python else to_typescript)(read_file(survey_file)), nl=False)


def to_typescript(survey: Survey) -> str:
    """Return a module that exports the type `Answers`."""
    lines = [f"/** {_head(survey)} */", "export type Answers = {"]
    for item in survey.items:
        key = item.id if _NAME.fullmatch(item.id) else json.dumps(item.id)
        optional, more = ("?", " | null") if _may_lack(survey, item) else ("", "")
        lines.append(f"  /** {item.text.replace('*/', '* /')} */")
        lines.append(f"  {key}{optional}: {_typescript_of(item)}{more};")
    return "\n".join([*lines, "};", ""])


def to_python(survey: Survey) -> str:
    """Return a module that has the type `Answers`."""
    members = []
    for item in survey.items:
        said = _python_of(item)
        said = f"NotRequired[{said} | None]" if _may_lack(survey, item) else said
        members += [f"        # {item.text}", f"        {json.dumps(item.id)}: {said},"]
    written = "\n".join(["Answers = TypedDict(", '    "Answers",', "    {", *members, "    },", ")", ""])
    used = {module: [name for name in names if name in written] for module, names in _IMPORTS.items()}
    imports = [f"from {module} import {', '.join(names)}" for module, names in used.items() if names]
    return "\n".join([f'"""{_head(survey)}"""', "", *imports, "", written])


def _head(survey: Survey) -> str:
    return f"Answers to survey {survey.id} ({survey.fingerprint[:8]}..), by `sotto survey types`."


def _may_lack(survey: Survey, item: Item) -> bool:
    """Whether an app may leave an answer out: its question has `skip`, or may not be drawn."""
    return item.skip is not None or survey.draw > 0


def _typescript_of(item: Item) -> str:
    control = item.kind.control
    if isinstance(control, PickOne):
        return "boolean" if _is_yes_no(control.choices) else " | ".join(_literals(control.choices))
    if isinstance(control, PickSome):
        options = " | ".join(_literals(control.choices))
        return f"readonly ({options})[] | ReadonlySet<{options}>"
    return "number" if isinstance(control, NumberField) else "string"


def _python_of(item: Item) -> str:
    control = item.kind.control
    if isinstance(control, NumberField):
        return "int" if control.is_whole else "int | float | Decimal"
    if not isinstance(control, PickOne | PickSome):
        return "str"
    if _is_yes_no(control.choices):
        return "bool"
    options = f"Literal[{', '.join(_literals(control.choices))}]"
    return options if isinstance(control, PickOne) else f"Sequence[{options}] | Set[{options}]"


def _is_yes_no(choices: tuple[Choice, ...]) -> bool:
    return {choice.answer for choice in choices} == {True, False}


def _literals(choices: tuple[Choice, ...]) -> list[str]:
    """Return the answers as both languages write them."""
    return [json.dumps(choice.answer, ensure_ascii=False) for choice in choices]

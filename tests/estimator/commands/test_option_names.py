"""What commands refuse names their options; what Python's functions refuse, their arguments."""

import ast
import re
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import sotto_estimator
from sotto_client.cli import main
from sotto_estimator import EstimatorError, Group, SamplingColumns, share_test
from sotto_estimator.commands.option_names import with_options
from sotto_estimator.commands.sections import SectionedCommand

COUNTS = "--counts 120,280 --counts 90,290 --warner 3/4"
SHARE = "test share --yes 150 --n 400 --warner 3/4 --null .25"
NAMED = {
    f"test groups {COUNTS} --within 3 --not-lower-by 2": "--within and --not-lower-by do not go together",
    f"test groups {COUNTS} --simultaneous --fdr": "--simultaneous and --fdr do not go together",
    f"{SHARE} --within 2 --method blaker": "--within is by two one-sided tests: leave out --alternative and --method.",
    f"{SHARE} --within 2 --level .4": "--level (0.4) must be above 0.5 for a margin",
    "estimate x.csv --column a --design direct --replicates r*": "--replicates go with --weights and --repl",
    "estimate x.csv --column a --design direct --replicate-factors": "--replicate-factors go with --replicates",
    "plan --epsilon 1 --n 9 --epsilon-forever 1": "--epsilon-forever (1.0) must be above --epsilon (1.0)",
    "power share --epsilon 1 --share .2 --null .2 --n 9": "--share (0.2) must differ from --null (0.2)",
    "estimate --yes 5 --n 9 --warner .7 --population-size 3": "--population-size (3) must be at least the number of",
}


@pytest.mark.parametrize("typed", NAMED)
def test_a_refusal_names_the_options(typed: str) -> None:
    result = CliRunner().invoke(main, typed.split())
    assert result.exit_code in (1, 2)
    assert NAMED[typed] in result.stderr


def test_in_python_it_names_the_arguments() -> None:
    with pytest.raises(EstimatorError, match="within is by two one-sided tests: leave out alternative and method"):
        share_test(Group(150, 400, "warner(prob=3/4)"), null=0.25, within=2, method="blaker")
    with pytest.raises(EstimatorError, match="replicates go with weights and replicate_method"):
        SamplingColumns(replicates="r*")


def _commands(of: click.Command) -> Iterator[click.Command]:
    """Yield a command whose refusals name options, and those in a group."""
    for one in (of, *(of.commands.values() if isinstance(of, click.Group) else ())):
        if isinstance(one, SectionedCommand):
            yield one


def _messages() -> Iterator[str]:
    """Yield what every error of the estimator says, with 0 in place of values."""
    for path in Path(str(sotto_estimator.__file__)).parent.rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "Error(" in text else ():
            match node:
                case ast.Call(func=ast.Name("DomainError" | "SourceError" | "NoReportsError"), args=[said, *_]):
                    yield _text(said)


def _text(said: Any) -> str:
    match said:
        case ast.Constant(str(text)):
            return text
        case ast.JoinedStr(parts):
            return "".join(map(_text, parts))
        case ast.BinOp(left, ast.Add(), right):
            return _text(left) + _text(right)
    return "0"


def test_no_message_names_an_option_beside_an_argument() -> None:
    """Of every message, as each command says it: no list has both, and no argument of several words is left."""
    points = [of for of in entry_points(group="sotto.commands") if of.module.startswith("sotto_estimator")]
    commands = [of for point in points for of in _commands(point.load())]
    messages, odd = [*_messages()], []
    assert (len(commands) > 12, len(messages) > 400) == (True, True)
    for command in commands:
        context = click.Context(command)
        context.params = {str(of.name): 1 for of in command.params}
        names = {spelling[2:].replace("-", "_") for of in command.params for spelling in of.opts}
        for message in messages:
            said = with_options(message, context)
            beside = re.findall(r"--[a-z-]+(?:,| and| or) ([a-z_]+)", said)
            left = re.findall(r"(?<![\w'\"=.-])[a-z]+(?:_[a-z]+)+(?![\w'\"])", said)
            odd += [(command.name, said) for word in (*beside, *left) if word in names]
    assert odd == []


@pytest.mark.parametrize(
    ("typed", "points"),
    [("5", "5"), ("5%", "5"), ("5 %", "5"), ("0.05", "0.05"), ("0.5%", "0.5"), ("5x", ""), ("0", "")],
)
def test_points_may_have_a_sign_and_a_fraction_gets_a_hint(typed: str, points: str) -> None:
    result = CliRunner().invoke(main, [*SHARE.split(), "--within", typed])
    if not points:
        assert "must be percentage points above 0 and below 100, such as 5 or 5%." in result.stderr
        return
    assert f"within {points} points of 25 %" in result.stdout
    hint = "Warning: --within 0.05 means 0.05 percentage points. If you mean 5, type 5."
    assert (hint in result.stderr) is (typed == "0.05")

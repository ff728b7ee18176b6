"""The `sotto` command: it lists every side's subcommands and loads one only when it is called."""

from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec

import click
from click.shell_completion import CompletionItem

from sotto_client.command_help import SHORT_HELP, TASKS
from sotto_client.masking import displayed
from sotto_protocol import SottoError, __version__
from sotto_protocol.extras import EXTRAS, MissingExtra, install_command
from sotto_protocol.words import examples

MAX_WIDTH = 100
_OF_THE_HOUSE = {"sotto_client", "sotto_author", *EXTRAS}


class SideCommands(click.Group):
    """Subcommands from the entry points `sotto.commands`: a device with the client alone has a working command."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(point.name for point in entry_points(group="sotto.commands"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for point in entry_points(group="sotto.commands", name=cmd_name):
            return _load(point)
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each command, by task; those of the house are not imported for it."""
        described = _describe_all()
        others = sorted(described.keys() - SHORT_HELP.keys())
        for task, names in (*TASKS.items(), ("Other commands", others)):
            rows = [(name, described[name].get_short_help_str(MAX_WIDTH)) for name in names if name in described]
            if rows:
                with formatter.section(task):
                    formatter.write_dl(rows, col_spacing=2)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands, or options, that begin so; as for help, no command of the house is imported."""
        described = sorted(_describe_all().items())
        found = [(name, command) for name, command in described if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=command.get_short_help_str()) for name, command in found]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options before the subcommand; a refusal shows what was typed as `invoke` does."""
        try:
            return super().parse_args(ctx, args)
        except click.ClickException as fault:
            raise _shown(fault) from fault.__cause__

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand; a mistake of the user's is one line on stderr and exit code 1, never a traceback."""
        try:
            return super().invoke(ctx)
        except SottoError as fault:
            raise click.ClickException(displayed(str(fault))) from fault
        except click.ClickException as fault:
            raise _shown(fault) from fault.__cause__


def _shown(fault: click.ClickException) -> click.ClickException:
    """Return the same refusal as it may be shown: click quotes arguments that it does not understand."""
    said = fault.format_message()
    shown = displayed(said)
    if shown == said:
        return fault
    return click.UsageError(shown, fault.ctx) if isinstance(fault, click.UsageError) else click.ClickException(shown)


def _describe_all() -> dict[str, click.Command]:
    return {point.name: _describe(point) for point in entry_points(group="sotto.commands")}


def _describe(point: EntryPoint) -> click.Command:
    """Return a command with the help of that at an entry point: the command itself where its help is not known."""
    package = point.module.partition(".")[0]
    _, needed = EXTRAS.get(package, ("", ()))
    if package not in _OF_THE_HOUSE or point.name not in SHORT_HELP or not all(map(find_spec, needed)):
        return _load(point)
    return click.Command(point.name, help=SHORT_HELP[point.name])


def _load(point: EntryPoint) -> click.Command:
    try:
        command = point.load()
    except MissingExtra as fault:
        return _missing(point.name, fault.extra)
    assert isinstance(command, click.Command)  # noqa: S101  # our own entry points
    return command


def _missing(name: str, extra: str) -> click.Command:
    need = f"needs: {install_command(extra)}"

    def fail(**_: object) -> None:
        raise click.ClickException(f"sotto {name} {need}")

    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=fail, short_help=f"({need})", context_settings=settings, add_help_option=False)


@click.group(
    cls=SideCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": MAX_WIDTH},
    epilog=examples("sotto new --from staff", "sotto check survey.toml"),
)
@click.version_option(__version__)
def main() -> None:
    """Ask sensitive questions without learning anyone's answer."""

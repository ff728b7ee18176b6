"""The documentation as a site: the pages of docs/, and a reference of all that is public.

scripts/docs                  build it, and serve it on this machine until Ctrl-C
scripts/docs build [FOLDER]   write it into FOLDER (default: build/site)

Strict: a broken link, a page that docs/README.md does not list, or a public name without documentation is an error.
"""

import functools
import inspect
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from sphinx.cmd.build import build_main

from sotto_client.cli import main as sotto
from sotto_collector.api.openapi import describe_api
from sotto_collector.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = ("*.md", "docs/*.md", "docs/img/*.png")
"""What is written by hand. All else that a page links to is in the repository."""
PACKAGES = ("sotto_client", "sotto_estimator", "sotto_rehearsal", "sotto_protocol")
JS = ROOT / "client" / "js"
ENTRIES = {
    "sottovoce": "types/sottovoce.d.ts",
    "sottovoce/component": "component/index.d.ts",
    "sottovoce/react": "react/index.d.ts",
    "sottovoce/surveyjs": "types/surveyjs.d.ts",
}
"""What a program imports, and the file of its types."""
DOCUMENTED_KINDS = ("Class", "Function", "Interface", "Method", "TypeAlias", "Variable")


class UndocumentedError(Exception):
    """Public names have no documentation."""


def build(folder: Path) -> None:
    """Write the site into a folder, or raise `UndocumentedError` or `SystemExit`."""
    with tempfile.TemporaryDirectory(prefix="sotto-docs-") as made:
        sources = Path(made)
        for page in [page for pattern in PAGES for page in ROOT.glob(pattern)]:
            copied = sources / page.relative_to(ROOT)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(page, copied)
        reference = sources / "reference"
        reference.mkdir()
        (reference / "python.rst").write_text(describe_python(), encoding="utf-8")
        (reference / "commands.md").write_text(describe_commands(), encoding="utf-8")
        (reference / "http.md").write_text(describe_http(), encoding="utf-8")
        (reference / "openapi.json").write_text(json.dumps(describe_api(Settings()), indent=2), encoding="utf-8")
        describe_typescript(reference / "typescript")
        write_pages(sources, folder)


def write_pages(sources: Path, folder: Path) -> None:
    """Write the pages of a folder as a site, or raise `SystemExit` where Sphinx warns of anything."""
    arguments = [
        "-q",
        "-W",
        "--keep-going",
        "-j",
        "auto",
        "-d",
        str(sources / ".doctrees"),
        "-c",
        str(ROOT / "docs/site"),
    ]
    if code := build_main([*arguments, str(sources), str(folder)]):
        raise SystemExit(code)
    (folder / "index.html").write_text('<meta http-equiv="refresh" content="0; url=README.html">\n', encoding="utf-8")


def describe_python() -> str:
    """Return a page of every public name of the packages that programs import, by their docstrings and types."""
    missing = [name for package in PACKAGES for name in undocumented(import_module(package))]
    if missing:
        raise UndocumentedError(f"No docstring: {', '.join(missing)}.")
    parts = ["Python\n======\n"]
    for package in map(import_module, PACKAGES):
        name = package.__name__
        lent = [public for public in package.__all__ if not _is_of(package, public)]
        parts += [f"{name}\n{'-' * len(name)}\n", f".. automodule:: {name}\n   :members:\n   :imported-members:"]
        parts += (
            [f"   :exclude-members: {', '.join(lent)}\n\nFrom `sotto_protocol`: {', '.join(lent)}.\n"] if lent else [""]
        )
    return "\n".join(parts)


def _is_of(package: ModuleType, name: str) -> bool:
    """Tell whether a public name of a package is its own, and not one of sotto_protocol's that it hands on."""
    module = getattr(getattr(package, name), "__module__", "")
    return package.__name__ == "sotto_protocol" or not module.startswith("sotto_protocol.")


def undocumented(package: ModuleType) -> Iterator[str]:
    """Yield the public names of a package, and the methods and properties of its classes, that have no docstring."""
    for name in package.__all__:
        public = getattr(package, name)
        if not (inspect.isclass(public) or callable(public)):
            continue
        if not inspect.getdoc(public):
            yield f"{package.__name__}.{name}"
        for member, value in vars(public).items() if inspect.isclass(public) else ():
            function = value.fget if isinstance(value, property) else getattr(value, "func", value)
            if not member.startswith("_") and callable(function) and not inspect.getdoc(getattr(public, member)):
                yield f"{package.__name__}.{name}.{member}"


def describe_commands() -> str:
    """Return a page of the help of every command."""
    parts = ["# Commands", "The help of every command, as `sotto COMMAND --help` prints it."]
    for words, command in leaves(sotto, ("sotto",)):
        context = click.Context(command, info_name=" ".join(words), max_content_width=100)
        parts += [f"## {' '.join(words)}", f"```text\n{command.get_help(context)}\n```"]
    return "\n\n".join(parts) + "\n"


def leaves(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command of a group and of the groups in it, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, (*words, name))
        elif command and not command.hidden:
            yield (*words, name), command


def describe_http() -> str:
    """Return a page of the collector's routes, by its OpenAPI document."""
    document = describe_api(Settings())
    parts = ["# HTTP", document["info"]["description"]]
    parts += ["[The same in OpenAPI 3.1](openapi.json), as `GET /openapi.json` gives it."]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            parts += [f"## {method.upper()} {path}", operation["summary"]]
            parts += [*_described_request(operation), _table(("Status", "Meaning", "Body"), _responses(operation))]
    parts += ["## Schemas"]
    for name, schema in document["components"]["schemas"].items():
        parts += [f"### {name}", f"```json\n{json.dumps(schema, indent=2)}\n```"]
    return "\n\n".join(parts) + "\n"


def _described_request(operation: dict[str, Any]) -> Iterator[str]:
    roles = [role for need in operation.get("security", ()) for role in need]
    yield f"Who may: {', '.join(f'a token of the role {role}' for role in roles) or 'anyone'}."
    if operation["parameters"]:
        rows = [
            (f"`{of['name']}`", of["in"], of.get("description", ""), f"`{json.dumps(of['schema'])}`")
            for of in operation["parameters"]
        ]
        yield _table(("Parameter", "In", "What", "Schema"), rows)
    if "requestBody" in operation:
        yield f"Body: {_content(operation['requestBody'])}."


def _responses(operation: dict[str, Any]) -> list[tuple[str, ...]]:
    return [(status, of["description"], _content(of)) for status, of in operation["responses"].items()]


def _content(described: dict[str, Any]) -> str:
    """Return the schemas of a body, with links, or its media types."""
    found = []
    for media, content in described.get("content", {}).items():
        name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
        found.append(f"[{name}](#{name.lower()})" if name else f"`{media}`")
    return ", ".join(found)


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def describe_typescript(folder: Path) -> None:
    """Write a page for each module of the web client, by its types; it takes npm's packages."""
    settings = folder.with_name("tsconfig.json")
    options = json.loads((JS / "tsconfig.json").read_text())["compilerOptions"]
    kept = {name: options[name] for name in ("target", "module", "lib", "strict", "skipLibCheck")}
    files = [str(JS / path) for path in ENTRIES.values()]
    settings.write_text(json.dumps({"compilerOptions": kept | {"types": [], "noEmit": True}, "files": files}))
    modules = JS / "node_modules"
    command = ["node", modules / "typedoc/bin/typedoc", "--plugin", modules / "typedoc-plugin-markdown/dist/index.js"]
    command += ["--options", ROOT / "docs/site/typedoc.json", "--tsconfig", settings, "--basePath", JS, "--out", folder]
    command += [part for path in files for part in ("--entryPoints", path)]
    done = subprocess.run(list(map(str, command)), cwd=JS, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UndocumentedError(done.stdout + done.stderr)
    settings.unlink()
    for name, path in ENTRIES.items():
        page = folder / path.replace(".d.ts", ".md").replace("/index.md", ".md")
        page.write_text(f"# {name}\n{page.read_text(encoding='utf-8').partition(chr(10))[2]}", encoding="utf-8")


def serve(folder: Path) -> None:
    """Serve a site on this machine, on a port that is free, until Ctrl-C."""
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        click.echo(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C to stop)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("Stopped.")


@click.group(invoke_without_command=True)
@click.pass_context
def main(context: click.Context) -> None:
    """Build the site and serve it on this machine."""
    if context.invoked_subcommand is None:
        folder = ROOT / "build" / "site"
        build(folder)
        serve(folder)


@main.command("build")
@click.argument("folder", type=click.Path(path_type=Path), default=ROOT / "build" / "site")
def build_command(folder: Path) -> None:
    """Write the site into FOLDER."""
    try:
        build(folder)
    except UndocumentedError as fault:
        raise click.ClickException(str(fault)) from fault
    click.echo(folder / "index.html")


if __name__ == "__main__":
    sys.exit(main())

"""Set the version, check that all agree on it, and build what is published: what `scripts/release` runs."""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from artefacts import UNDATED, build_twice, day_of, epoch_of, tracked
from bills import bill_of_environment, bill_of_package, extras_of, install, licences_of
from hashes import hashes_of
from licences import is_allowed
from names import NAMES, set_name
from versions import ReleaseError, check_new, check_tag, cut_changelog, read_version, write_version

from sotto_protocol.tables import align

ROOT = Path(__file__).parents[2]
UV = ROOT / ".venv" / "bin" / "uv"
TOOLS = ROOT / ".venv-release" / "bin" / "python"
SUMS = "SHA256SUMS"


def git(*arguments: str) -> list[str]:
    """Return the lines that git prints, in this checkout."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def check(tag: str | None) -> str:
    """Return the version in a sentence. Raises ReleaseError where places, tag, changelog or checkout disagree."""
    version = read_version(ROOT)
    tags = [tag] if tag else git("tag", "--points-at", "HEAD", "--list", "v*")
    for name in tags:
        check_tag(ROOT, name)
    return f"{version}, {'as ' + ' and '.join(tags) if tags else 'without a tag: no release'}"


def set_version(version: str, day: date) -> None:
    """Write the version wherever it stands, cut the changelog, and bundle anew what has the version in it."""
    check_new(ROOT, version)
    cut_changelog(ROOT, version, day)
    write_version(ROOT, version)
    for command in (["npm", "run", "--silent", script] for script in ("bundle", "component")):
        subprocess.run(command, cwd=ROOT / "client" / "js", check=True)
    subprocess.run(["node", "scripts/bundle_page.mjs"], cwd=ROOT, check=True)
    print(f"Now {read_version(ROOT)}. Read the changes, commit them, and: git tag --annotate v{version}")


def build(target: Path) -> None:
    """Build, list and sum up all that is published; refuse a checkout with changes."""
    said = check(None)
    if changed := git("status", "--porcelain"):
        raise ReleaseError(f"{changed[0][3:]} is changed and not committed: what is built must be of a commit.")
    if target.exists() and any(target.iterdir()):
        raise ReleaseError(f"{target} must be empty: what lies there would be summed up too.")
    built = build_twice(ROOT, TOOLS, target)
    [wheel] = [path for path in built if path.suffix == ".whl"]
    list_contents(wheel, target)
    write_json(target / "sottovoce-hashes.json", hashes_of(wheel))
    write_json(target / "sottovoce-js.cdx.json", bill_of_package(ROOT / "client" / "js", epoch=epoch_of(ROOT)))
    paths = sorted(path for path in target.iterdir())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths]
    (target / SUMS).write_text("".join(lines))
    print(f"{''.join(lines)}\nsottovoce {said}, of commit {git('rev-parse', 'HEAD')[0]}")


def list_contents(wheel: Path, target: Path) -> None:
    """Install the wheel with each extra, and write its bill; then the licences of all, or raise ReleaseError."""
    moment = None if day_of(ROOT) == UNDATED else f"{day_of(ROOT)}T00:00:00Z"
    licences: set[tuple[str, str, str]] = set()
    sizes = [["installed with", "distributions", "MB"]]
    for extra in extras_of(wheel):
        with tempfile.TemporaryDirectory() as folder:
            python = install(wheel, extra, Path(folder) / "env", uv=UV, moment=moment)
            subprocess.run([python.with_name("sotto"), "--version"], check=True, capture_output=True, cwd=folder)
            bill = bill_of_environment(python, wheel, tools=TOOLS, epoch=epoch_of(ROOT))
            write_json(target / f"sottovoce{extra and '-' + extra}.cdx.json", bill)
            licences |= {*licences_of(python)}
            n_bytes = sum(path.stat().st_size for path in python.parents[1].rglob("*") if path.is_file())
            sizes.append([extra or "no extra", str(len(bill["components"]) + 1), f"{n_bytes / 1e6:,.0f}"])
    if refused := [
        f"{name} {version}: {licence}" for name, version, licence in sorted(licences) if not is_allowed(licence)
    ]:
        raise ReleaseError(f"Licences outside of those allowed in scripts/releasing/licences.py: {'; '.join(refused)}")
    (target / "licences.txt").write_text(align([["", "version", "licence"], *sorted(licences)]) + "\n")
    print(align(sizes, n_left=1) + "\n")


def write_json(path: Path, document: object) -> None:
    path.write_text(json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do as the command line says; return the status."""
    parser = argparse.ArgumentParser(prog="scripts/release", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    setting = commands.add_parser("version", help="write a new version wherever it stands, and cut the changelog")
    setting.add_argument("version", help="three numbers, such as 1.2.3")
    setting.add_argument(
        "--day", type=date.fromisoformat, default=datetime.now(UTC).date(), help="of release; today's, UTC"
    )
    naming = commands.add_parser("name", help="write another name wherever it stands")
    naming.add_argument("index", choices=[*NAMES], help="where the name is: at PyPI, at npm, or the repository's")
    naming.add_argument("name", help="such as sottovoce; at github owner/repository")
    checking = commands.add_parser("check", help="whether version, tag and changelog agree")
    checking.add_argument("tag", nargs="?", help="such as v1.2.3; otherwise those of this commit")
    building = commands.add_parser("build", help="wheel, source and npm package, bills of material, licences, hashes")
    building.add_argument(
        "--directory", type=Path, default=ROOT / "dist", help="where to; must be empty (default: dist)"
    )
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "version":
            set_version(asked.version, asked.day)
        elif asked.command == "name":
            print(*set_name(ROOT, tracked(ROOT), asked.index, asked.name), sep="\n")
        elif asked.command == "check":
            print(check(asked.tag))
        else:
            build(asked.directory)
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

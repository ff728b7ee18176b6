"""The npm package as it would be published: packed here, and put into projects of its users."""

import shutil
import tarfile
from pathlib import Path

from node import JS, require_npm, require_package, run

OF_NPM = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]

COMPILERS = {version: JS / "node_modules" / f"typescript-{version}" / "bin" / "tsc" for version in ("5.4", "7")}
"""The oldest TypeScript that is promised, and the newest."""


def pack(folder: Path) -> Path:
    """Pack the package into an empty folder; return the tarball's path."""
    run([*require_npm(), "pack", *OF_NPM, "--pack-destination", str(folder)], timeout_s=300)
    [packed] = folder.iterdir()
    return packed


def make_project(folder: Path, tarball: Path, **beside: str) -> Path:
    """Put the tarball and packages of ours, by the names that they have there, into a project's folder; return it."""
    require_package("tsc")  # npm's packages are there
    modules = folder / "node_modules"
    modules.mkdir(parents=True)
    (folder / "package.json").write_text('{"name": "project", "private": true, "type": "module"}')
    with tarfile.open(tarball) as packed:
        packed.extractall(modules, filter="data")
    (modules / "package").rename(modules / "sottovoce")
    for name, ours in beside.items():
        shutil.copytree(JS / "node_modules" / ours, modules / name)
    return folder

"""Wheel and source distribution as they would be published: built here, and read."""

import re
import subprocess
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

import sotto_author
import sotto_client
import sotto_collector
import sotto_estimator
import sotto_protocol
import sotto_rehearsal
import sotto_relay
from packing import ROOT, build, needs_hatch

SIDES = (sotto_author, sotto_client, sotto_collector, sotto_estimator, sotto_protocol, sotto_rehearsal, sotto_relay)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"), "wheel")


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {*archive.namelist()}


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


def tracked() -> list[str]:
    """Return the files of this checkout that are kept."""
    command = ["git", "ls-files"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


@needs_hatch
def test_the_wheel_has_every_module_and_all_that_browsers_get_and_no_test(wheel: Path) -> None:
    names = names_in(wheel)
    sides = tuple(
        f"{side}/sotto_{side}/"
        for side in ("author", "client", "collector", "estimator", "protocol", "rehearsal", "relay")
    )
    expected = {path.split("/", 1)[1] for path in tracked() if path.startswith(sides) and not path.endswith(".po")}
    of_browsers = ("src/", "form/", "component/", "words/")
    scripts = [path.removeprefix("client/js/") for path in tracked() if path.startswith("client/js/")]
    served = [path for path in scripts if path.startswith(of_browsers) or re.fullmatch(r"[a-z-]+(\.min)?\.js", path)]
    assert "sottovoce.min.js" in served
    expected |= {f"sotto_collector/js/{path}" for path in served}
    dist_info = {name for name in names if re.match(rf"\w+-{re.escape(sotto_protocol.__version__)}\.dist-info/", name)}
    assert names - dist_info == expected
    assert {name.rpartition("/")[2] for name in dist_info if "/licenses/" in name} == {"LICENSE", "NOTICE"}
    assert all(f"{side.__name__}/py.typed" in names for side in SIDES)


@needs_hatch
def test_its_metadata_says_who_made_it_and_where_it_is(wheel: Path) -> None:
    metadata = metadata_of(wheel)
    assert metadata["Author"] == PROJECT["authors"][0]["name"]
    links = dict(line.split(", ") for line in metadata.get_all("Project-URL", []))
    assert links == PROJECT["urls"]
    assert metadata["Description-Content-Type"].startswith("text/markdown")
    assert metadata["License-Expression"] == "Apache-2.0"


@needs_hatch
def test_each_link_of_its_long_description_is_absolute_and_leads_to_a_file_that_is_there(wheel: Path) -> None:
    shown, written = str(metadata_of(wheel).get_payload()), (ROOT / "README.md").read_text()
    target = re.compile(r"\]\(([^)]+)\)")
    assert len(target.findall(shown)) == len(target.findall(written)) > 10
    relative = {link for link in target.findall(written) if not link.startswith(("http", "#"))}
    own = re.compile(r"https://(?:github|raw\.githubusercontent)\.com/sottovoce/sottovoce/(?:blob/)?main/(.+)")
    led = {match[1] for link in target.findall(shown) if (match := own.fullmatch(link))}
    assert led == relative
    assert [path for path in led if not (ROOT / path.partition("#")[0]).exists()] == []
    assert not [link for link in target.findall(shown) if not link.startswith(("https://", "http://", "#"))]
    assert not re.search(r"(?:src|href)=\"(?!https:)", shown)


@needs_hatch
@pytest.mark.thorough
def test_the_source_distribution_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    packed = build(tmp_path / "sdist", "sdist")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    [source] = tmp_path.glob("*-[0-9]*/")
    assert not [path for path in source.rglob("*") if path.name in (".venv", "node_modules", "__pycache__")]
    assert not (source / ".git").exists()  # the version needs neither it nor a tag
    assert build(tmp_path / "again", "wheel", source).read_bytes() == wheel.read_bytes()


@pytest.mark.parametrize(("package", "first_without"), [("requests", "2.33.0"), ("flask", "3.1.3")])
def test_no_version_with_a_published_advisory_is_allowed(package: str, first_without: str) -> None:
    """requests: .netrc (CVE-2024-47081), verify (2024-35195), zip paths (2026-25645); Flask: keys (2025-47278), Vary
    (2026-27205)."""
    wanted = [
        *PROJECT["dependencies"],
        *(each for extra in PROJECT["optional-dependencies"].values() for each in extra),
    ]
    (least,) = [found[1] for each in wanted if (found := re.fullmatch(rf"{package}>=([\d.]+)", each))]
    assert [*map(int, least.split("."))] >= [*map(int, first_without.split("."))]

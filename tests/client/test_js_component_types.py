"""What TypeScript knows of `<sotto-survey>`: its events and attributes, in the DOM and in React's JSX."""

import re
import shutil
from pathlib import Path

import pytest

from embedded import EXAMPLES
from node import JS, require_package, run

PROGRAM = """
import "sottovoce/component";
const element = document.querySelector("sotto-survey")!;
element.addEventListener("sotto-refused", ({ detail }) => { const code: string = detail.code; void code; });
addEventListener("message", () => undefined);
element.addEventListener("sotto-sent", ({ detail }) => { const wave: WAVE = detail.wave; void wave; });
"""


def check(folder: Path, programs: dict[str, str]) -> None:
    """Compile programs that use the package, React's types beside it; fail with what the compiler says."""
    for name, text in programs.items():
        (folder / name).write_text(text)
    flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"]
    flags += ["--jsx", "react-jsx", "--lib", "es2022,dom", "--types", "react"]
    run([*require_package("tsc"), *flags, *programs], timeout_s=300, cwd=folder)


def test_element_and_events_are_typed_in_the_dom_and_in_reacts_jsx(tmp_path: Path) -> None:
    require_package("tsc")
    (tmp_path / "node_modules").mkdir()
    shutil.copytree(JS, tmp_path / "node_modules" / "sottovoce", ignore=shutil.ignore_patterns("node_modules", "test"))
    for package in ("@types", "csstype"):
        (tmp_path / "node_modules" / package).symlink_to(JS / "node_modules" / package)
    example = (EXAMPLES / "component" / "react.tsx").read_text()
    check(tmp_path, {"good.ts": PROGRAM.replace("WAVE", "number"), "good.tsx": example})
    without = "\n".join(line for line in example.splitlines() if "fingerprint=" not in line)
    with pytest.raises(pytest.fail.Exception) as told:
        check(tmp_path, {"bad.ts": PROGRAM.replace("WAVE", "string"), "bad.tsx": without})
    said = str(told.value)
    assert re.search(r"bad\.ts\(6,\d+\): error TS2322: .*'number'.*'string'", said)
    assert re.search(r"bad\.tsx\(10,8\): error (?s:.*)'fingerprint' is missing", said)
    assert said.count("): error TS") == 2

"""Runs the examples of the documentation as a reader would: block by block, in one folder, with a real collector.

Blocks are fenced. `console`: lines that start with `$ ` are commands, the others their output, where `..` stands for
any text, and a line `..` for any lines; `cat NAME` shows a file that the reader is to write. `toml`: a first line
`# NAME.toml` names the file. `python`: run as a script, or saved, like `js`, if its first line names a file. The
documented addresses are wherever the collector and the relay that the blocks started listen.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import starting

DOCUMENTED_URL = "http://127.0.0.1:8000"
DOCUMENTED_RELAY = "http://127.0.0.1:8100"
BIN = Path(sys.executable).parent
SAVED = {"toml": r"# (\S+\.toml)\n", "python": r"# (\w+\.py)\n", "js": r"// (\w+\.mjs)\n"}
"""By the language of a block, a first line that names the file in which a reader saves it."""
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(document: Path) -> list[tuple[str, str]]:
    """Return the fenced blocks as (language, text)."""
    return [(match[1], match[2]) for match in _FENCE.finditer(document.read_text())]


@dataclass
class Console:
    """A reader's terminal. `close` stops what it started."""

    folder: Path
    url: str = DOCUMENTED_URL
    relay_url: str = DOCUMENTED_RELAY
    servers: list[subprocess.Popen[str]] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SOTTO_")},
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "SOTTO_PORT": "0",
            "XDG_STATE_HOME": str(self.folder / "state"),
        }

    def run_document(self, document: Path, instead: Mapping[str, str] | None = None) -> None:
        """Run every block, and compare what is printed with what the document says.

        Words are replaced by others in all of it: what an example does at length, a test may do of less.
        """
        for language, text in blocks(document):
            for words, others in (instead or {}).items():
                assert words in document.read_text()
                text = text.replace(words, others)
            if language in SAVED and (name := re.match(SAVED[language], text)):
                (self.folder / name[1]).write_text(self.really(text))
            elif language == "python":
                self.run([sys.executable, "-c", self.really(text)])
            elif language == "console":
                self.run_session(text)

    def run_session(self, text: str) -> None:
        """Run the commands of a console block."""
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            if command.startswith("cat "):
                (self.folder / command.removeprefix("cat ")).write_text(expected)
            elif not command.startswith("scripts/"):  # tested by running it whole
                compare(self.as_documented(self.run_command(command)), expected, command)

    def run_command(self, command: str) -> str:
        """Run one command line; return what it printed."""
        words = [self.tokens.get(word, word) for word in shlex.split(self.really(command))]
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            self.environment[name] = self.tokens.get(value, value)
            return ""
        if words[:2] in (["sotto", "serve"], ["sotto", "relay"]):
            return self.serve(words)
        if words[-2:-1] == [">"]:
            (self.folder / words[-1]).write_text(self.run(words[:-2]))
            return ""
        printed = self.run(words)
        if words[:3] == ["sotto", "token", "create"]:
            role = words[words.index("--role") + 1]
            self.tokens[f"sotto_{role}_.."] = printed.strip()
        if words[:3] == ["sotto", "db", "init"]:
            self.tokens["sotto_admin_.."] = printed.strip()
        return printed

    def run(self, words: list[str]) -> str:
        """Run a program to its end; it must succeed."""
        done = starting.run(
            words, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def really(self, text: str) -> str:
        """Return a text with the addresses at which what was started listens."""
        return text.replace(DOCUMENTED_URL, self.url).replace(DOCUMENTED_RELAY, self.relay_url)

    def as_documented(self, text: str) -> str:
        """Return a text with the addresses that the documentation has."""
        return text.replace(self.url, DOCUMENTED_URL).replace(self.relay_url, DOCUMENTED_RELAY)

    def serve(self, words: list[str]) -> str:
        """Start a collector or a relay on a free port; return its first line, with the documented address."""
        is_relay = words[1] == "relay"
        port = ["--port", "0"] if is_relay or "--port" in words else []
        server = starting.Popen(
            [*words, *port], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True
        )
        self.servers.append(server)
        assert server.stdout
        line = server.stdout.readline()
        if is_relay:
            self.relay_url = line.split()[-1]
        else:
            self.url = line.split()[-1]
        return self.as_documented(line)

    def close(self) -> None:
        """Stop what was started; each must end cleanly."""
        for server in self.servers:
            server.terminate()
            server.communicate(timeout=300)
            assert server.returncode == 0


def compare(printed: str, expected: str, command: str) -> None:
    """Fail unless the output is what the document shows; where it shows nothing, all is well."""
    shown = _lines(expected)
    pattern = "".join(_ANY_LINES if line == ".." else re.escape(line).replace(r"\.\.", ".*") + "\n" for line in shown)
    seen = "\n".join(_lines(printed)) + "\n"
    assert not shown or re.fullmatch(pattern, seen), f"$ {command}\nshown:\n{expected}\nseen:\n{seen}"


_ANY_LINES = r"(?:.*\n)*"


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]

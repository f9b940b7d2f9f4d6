"""The code blocks of a Markdown page, and what is to be done with each.

A Python block is executed, and so is a block of commands: one in `console`, `sh`, `bash` or `shell`, or one without a
language whose first word is a program below. In a block with prompts (`$ `), the lines without one are output. A
comment on the line before a block, or several, one a line, say otherwise:

| comment | meaning |
|---|---|
| `<!-- file: nim.py -->` | write the block to this file for the commands below it; Python is executed as well |
| `<!-- smaller: -n 20 --games 2 -->` | a long measurement: append these options to each command |
| `<!-- smaller: games=400 -> games=4; … -->` | the same by replacements; `$CLONE` is the repository |
| `<!-- smaller on this page: --games 2 -->` | the same for all commands of a page that have no comment of their own |
| `<!-- output -->` | not code: exactly what the block above it prints |
| `<!-- tested: tests/test_packaging.py -->` | it installs packages: not executed, but checked by this test |
| `<!-- not run: needs a language model -->` | leave it out: it needs something that few machines have |
"""

import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

BLOCK = re.compile(
    r"(?P<comments>(?:^[ ]*<!--[ ]*(?:file|smaller|output|tested|not run)(?::[^\n]*?)?[ ]*-->[ ]*\n)*)"
    r"^(?P<indent>[ ]*)```(?P<language>[a-z]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
COMMENT = re.compile(r"<!--[ ]*(?P<marker>[a-z ]+?)(?::[ ]*(?P<value>[^\n]*?))?[ ]*-->")
ON_THE_PAGE = re.compile(r"^<!-- smaller on this page: (.*?) -->$", re.MULTILINE)
SHELL = {"console", "sh", "bash", "shell"}
PROGRAMS = {"playout", "python", "make", "pip", "ray", "git"}


@dataclass(frozen=True)
class Block:
    """One code block; `line` is the first line of its text in the page."""

    page: Path
    line: int
    language: str
    text: str
    markers: dict[str, str]

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def kind(self) -> str:
        """`python`, `shell`, `file`, `output` or `other`, which is not code to run."""
        if "output" in self.markers:
            return "output"
        if self.language == "python":
            return "python"
        if self.language in SHELL or (not self.language and _begins_with_a_program(self.text)):
            return "shell"
        return "file" if "file" in self.markers else "other"

    @property
    def code(self) -> str:
        """The text of a block, with the replacements of `smaller`."""
        code, smaller = self.text, self.markers.get("smaller", "")
        for change in smaller.split("; ") if "->" in smaller else []:
            long, _, short = change.partition("->")
            if long.strip() not in code:
                raise ValueError(f"{self.place}: there is no '{long.strip()}' to replace")
            code = code.replace(long.strip(), short.strip())
        return code

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block, each with the options of `smaller`."""
        lines = self.code.replace("\\\n", " ").splitlines()
        if any(line.startswith("$ ") for line in lines):
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        commands = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
        return [self._with_options(command) for command in commands]

    def _with_options(self, command: str) -> str:
        smaller = self.markers.get("smaller", "")
        if not smaller or "->" in smaller:
            return command
        return f"{shlex.join(shlex.split(command, comments=True))} {smaller}"


def _begins_with_a_program(text: str) -> bool:
    words = text.removeprefix("$ ").split(maxsplit=1)
    return bool(words) and words[0] in PROGRAMS


def blocks(page: Path) -> list[Block]:
    """All code blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    on_the_page = ON_THE_PAGE.search(text)
    found = []
    for match in BLOCK.finditer(text):
        indent = match["indent"]
        body = "".join(line.removeprefix(indent) for line in match["text"].splitlines(keepends=True))
        line = text.count("\n", 0, match.start("text")) + 1
        markers = {found["marker"]: found["value"] or "" for found in COMMENT.finditer(match["comments"])}
        block = Block(page, line, match["language"], body, markers)
        if on_the_page and not markers and block.kind == "shell":
            block = replace(block, markers={"smaller": on_the_page[1]})
        found.append(block)
    return found

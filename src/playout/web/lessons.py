"""Lessons: Markdown files with prepared links, read into plain blocks that a page can show without HTML of their own.

The page draws blocks and spans as elements with text, so nothing in a lesson can run. Of Markdown there are headings,
paragraphs, lists, code blocks, `code`, *stress*, **strong** and links; a link is a prepared one (`?game=…`). A
paragraph that is one link with `vary=` is shown as a slider.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.errors import FileError

from .prepared import Prepared, parse_link
from .refusals import Refusal

FOLDER = Path(__file__).parent / "lesson_files"
SHIPPED = ("four-phases", "exploration", "network")
LARGEST = 1 << 18  # bytes of a file
LANGUAGES = ("en", "zh")
_SPAN = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)\s]*)\)")
_HEADING = re.compile(r"(#{1,3}) +(.+)")
_ITEM = re.compile(r"(?:([-*])|(\d{1,3})\.) +(.+)")

Check = Callable[[Prepared], None]
Block = dict[str, Any]


@dataclass(frozen=True)
class LessonPage:
    """One lesson: its title and blocks in each language that it has."""

    name: str
    titles: dict[str, str]
    blocks: dict[str, list[Block]]

    def view(self, language: str) -> dict[str, Any]:
        """The lesson in this language, or in the one that it has."""
        found = language if language in self.blocks else next(iter(self.blocks))
        return {"name": self.name, "title": self.titles[found], "language": found, "blocks": self.blocks[found]}


class Lessons:
    """The lessons of a server: those that come with Playout, and one of the user's own."""

    def __init__(self, wanted: str | None = None, check: Check | None = None) -> None:
        """`wanted` is shown first: a file, whose links `check` refuses, or the name of a lesson that comes along."""
        self.all = {name: read_lesson(name, FOLDER / f"{name}.md") for name in SHIPPED}
        self.first: str | None = None
        if wanted is not None:
            if wanted not in self.all:
                path = Path(wanted)
                self.all = {path.stem: read_lesson(path.stem, path, check), **self.all}
            self.first = wanted if wanted in SHIPPED else Path(wanted).stem

    def find(self, name: str) -> LessonPage:
        """A lesson by its name."""
        if name not in self.all:
            raise Refusal(404, "not_found", f"no lesson '{name[:60]}' (there are: {', '.join(self.all)})")
        return self.all[name]

    def listed(self, language: str) -> list[dict[str, str]]:
        """The names and titles."""
        return [{"name": one.name, "title": one.view(language)["title"]} for one in self.all.values()]


def read_lesson(name: str, path: Path, check: Check | None = None) -> LessonPage:
    """A lesson from a file, and from the file beside it in Chinese (lesson.zh.md for lesson.md) if there is one."""
    files = {"en": path, "zh": path.with_suffix(".zh.md")}
    texts = {language: _text(file) for language, file in files.items() if language == "en" or file.is_file()}
    titles, blocks = {}, {}
    for language, text in texts.items():
        try:
            blocks[language] = parse_blocks(text, check)
        except Refusal as refusal:
            raise FileError(f"--lesson {files[language]}: {refusal.message}") from None
        first = blocks[language][0] if blocks[language] else None
        if first is None or first["kind"] != "heading":
            raise FileError(f"--lesson {files[language]}: the first line is no heading, expected '# ' and a title")
        titles[language] = "".join(span["text"] for span in first["spans"])
        blocks[language] = blocks[language][1:]
    return LessonPage(name, titles, blocks)


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise FileError(
                f"--lesson {path}: there is no such file, and of the lessons that come along ({', '.join(SHIPPED)}) "
                f"none has that name"
            )
        if (size := path.stat().st_size) > LARGEST:
            raise FileError(f"--lesson {path}: has {size:,} bytes, expected at most {LARGEST:,}")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"--lesson {path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise FileError(f"--lesson {path}: can't be read ({error.strerror or error})") from None
    if "\0" in text:
        raise FileError(f"--lesson {path}: has a zero byte, expected Markdown text")
    return text


def parse_blocks(text: str, check: Check | None = None) -> list[Block]:
    """The blocks of a lesson; a link that can't be used is refused with its line.

    >>> parse_blocks("# One\\n\\nSee [it](?game=tictactoe&step=3).")[1]["spans"][1]["link"]
    '?game=tictactoe&step=3'
    """
    blocks: list[Block] = []
    lines, at = text.splitlines(), 0
    while at < len(lines):
        line, here = lines[at].strip(), at + 1
        if not line:
            at += 1
        elif line.startswith("```"):
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip().startswith("```")), None)
            if end is None:
                raise Refusal(400, "file", f"line {here}: a code block begins that never ends; close it with ```")
            blocks.append({"kind": "code", "text": "\n".join(lines[at + 1 : end])})
            at = end + 1
        elif found := _HEADING.fullmatch(line):
            spans = parse_spans(found[2], here, check)
            blocks.append({"kind": "heading", "level": len(found[1]), "spans": spans})
            at += 1
        elif found := _ITEM.fullmatch(line):
            kind, items = "list" if found[1] else "steps", []
            while at < len(lines) and (item := _ITEM.fullmatch(lines[at].strip())):
                words, here, at = [item[3]], at + 1, at + 1
                while at < len(lines) and _goes_on(lines[at]):
                    words.append(lines[at].strip())
                    at += 1
                items.append(parse_spans(" ".join(words), here, check))
            blocks.append({"kind": kind, "items": items})
        else:
            words = []
            while at < len(lines) and _goes_on(lines[at]):
                words.append(lines[at].strip())
                at += 1
            spans = parse_spans(" ".join(words), here, check)
            blocks.append(_slider(spans) or {"kind": "text", "spans": spans})
    return blocks


def _goes_on(line: str) -> bool:
    """Whether a line belongs to the paragraph before it."""
    line = line.strip()
    return bool(line) and not (line.startswith("```") or _HEADING.fullmatch(line) or _ITEM.fullmatch(line))


def parse_spans(text: str, line: int, check: Check | None = None) -> list[dict[str, str]]:
    """The pieces of a line: each has a kind, its text, and a link its query.

    >>> [span["kind"] for span in parse_spans("so *it* is", 1)]
    ['text', 'stress', 'text']
    """
    spans, end = [], 0
    for found in _SPAN.finditer(text):
        if found.start() > end:
            spans.append({"kind": "text", "text": text[end : found.start()]})
        code, strong, stress, label, link = found.groups()
        if label is not None:
            _check_link(link, line, check)
            spans.append({"kind": "link", "text": label, "link": link})
        else:
            kinds = {"code": code, "strong": strong, "stress": stress}
            spans += [{"kind": kind, "text": words} for kind, words in kinds.items() if words is not None]
        end = found.end()
    if end < len(text):
        spans.append({"kind": "text", "text": text[end:]})
    return spans


def _check_link(link: str, line: int, check: Check | None) -> None:
    if not link.startswith("?"):
        raise Refusal(400, "link", f"line {line}: the link '{link[:80]}' is no prepared one, expected ?game=…")
    try:
        prepared = parse_link(link)
        if check is not None:
            check(prepared)
    except Refusal as refusal:
        raise Refusal(400, "link", f"line {line}: {refusal.message}") from None


def _slider(spans: Sequence[dict[str, str]]) -> Block | None:
    """A paragraph that is only a link with `vary=`, as a slider."""
    if len(spans) != 1 or spans[0]["kind"] != "link":
        return None
    prepared = parse_link(spans[0]["link"])
    if prepared.vary is None:
        return None
    return {
        "kind": "slider",
        "text": spans[0]["text"],
        "link": spans[0]["link"],
        "vary": prepared.vary,
        "least": prepared.least,
        "most": prepared.most,
    }

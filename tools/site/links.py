"""Check the links of the built site: `python -m tools.site.links [FOLDER]`, by default build/site.

A link within the site must lead to a file there and, after a `#`, to an element of that page; nothing that a browser
loads by itself may come from another host. Links in the Markdown sources must lead to files of the repository.
"""

import argparse
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from .run import ROOT, pages

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}  # without a click
RELATED = {"canonical", "alternate", "next", "prev", "edit", "license"}  # of `link`: not loaded
MARKDOWN = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)#\s:]+)(?:#[^)\s]*)?\)")
CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


class Page(HTMLParser):
    """What a page links to, what it loads, and the names of its elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attributes}
        self.names |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.add(given["href"])
        loads = tag in LOADED and not (tag == "link" and set(given.get("rel", "").split()) & RELATED)
        if loads and given.get(LOADED[tag]):
            self.loaded.add(given[LOADED[tag]])


def dead_links(site: Path) -> tuple[int, list[str]]:
    """How many links there are, and what is wrong with which."""
    read = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    faults, count = [], 0
    for file, page in read.items():
        for target in sorted(page.links | page.loaded):
            parts = urlsplit(target)
            count += 1
            if parts.scheme in ("http", "https") or target.startswith("//"):
                if target in page.loaded:
                    faults.append(f"{file.relative_to(site)}: loads {target} from another host")
                continue
            if parts.scheme:  # mailto, data, javascript
                continue
            path = unquote(parts.path)
            there = file if not path else (site / path.lstrip("/") if path.startswith("/") else file.parent / path)
            there = (there / "index.html" if there.is_dir() else there).resolve()
            if not there.is_file():
                faults.append(f"{file.relative_to(site)}: {target} leads nowhere")
            elif parts.fragment and there in read and unquote(parts.fragment) not in {*read[there].names, "__top"}:
                faults.append(f"{file.relative_to(site)}: there is no #{parts.fragment} in {there.relative_to(site)}")
    return count, faults


def dead_sources() -> list[str]:
    """Links in the Markdown files that lead to no file of the repository, but for those to generated pages."""
    generated = ("reference/", "gallery.md", "examples.md", "project/")
    faults = []
    for page in (*pages(), *ROOT.glob("*.md")):
        for match in MARKDOWN.finditer(CODE.sub("", page.read_text(encoding="utf-8"))):
            target = match["target"]
            made = page.is_relative_to(ROOT / "docs") and target.removeprefix("../").startswith(generated)
            if not made and not (page.parent / target).exists():
                faults.append(f"{page.relative_to(ROOT)}: {target} is no file")
    return sorted(set(faults))


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the links of the built site.")
    parser.add_argument("site", nargs="?", type=Path, default=ROOT / "build" / "site")
    site = parser.parse_args().site.resolve()
    count, faults = dead_links(site)
    faults += dead_sources()
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(list(site.rglob('*.html')))} pages, {count} links, {len(faults)} dead or from another host")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())

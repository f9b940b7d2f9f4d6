"""Hooks of MkDocs: generated pages, pages from the repository's root, and links that lead out of `docs/`."""

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from tools.site import generate

ROOT = Path(__file__).resolve().parents[2]
# Files outside `docs/` that are pages of the site.
FROM_ROOT = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
}
PLACES = {**FROM_ROOT, "README.md": "index.md", "examples/README.md": "examples.md"}
SOURCES = {site: source for source, site in PLACES.items() if site != "index.md"}
# The theme would load this from another host; `docs/worker.js` does the same.
SHIM = "https://unpkg.com/iframe-worker/shim"
ELSEWHERE = re.compile(
    r"<(?:script|img|iframe|link rel=.(?:stylesheet|preload|preconnect))[^>]*(?:src|href)=.https?://[^>]*>"
)
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    page, drawings = generate.gallery()
    made = {
        **generate.reference(),
        "reference/command-line.md": generate.command_line(),
        "gallery.md": page,
        "examples.md": generate.examples(),
        **drawings,
        **{site: (ROOT / source).read_text(encoding="utf-8") for source, site in FROM_ROOT.items()},
    }
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to files of the repository lead to their pages, or become the file's name."""
    here = page.file.src_uri
    source = SOURCES.get(here, f"docs/{here}")

    def moved(match: re.Match[str]) -> str:
        target = os.path.normpath(os.path.join(os.path.dirname(source), match["target"]))
        site = PLACES.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else None)
        if site is None:
            return match["text"] if match["text"].strip("`") == target else f"{match['text']} (`{target}`)"
        relative = os.path.relpath(site, os.path.dirname(here) or ".")
        return f"[{match['text']}]({relative}{match['anchor'] or ''})"

    outside = re.split(r"(^ *```.*?^ *```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    outside[::2] = [LINK.sub(moved, part) for part in outside[::2]]
    return "".join(outside)


def on_post_template(output_content: str, template_name: str, **_: Any) -> str:
    return output_content.replace(SHIM, "/worker.js") if template_name == "404.html" else output_content


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Everything that a page loads comes from the site itself."""
    up = "../" * page.file.dest_uri.count("/")
    if SHIM not in output:
        raise PluginError(f"{page.file.src_uri}: the theme no longer loads {SHIM}; docs/worker.js may not be needed")
    output = output.replace(SHIM, f"{up}worker.js")
    if found := ELSEWHERE.search(output):
        raise PluginError(f"{page.file.src_uri} loads something from another host: {found[0]}")
    return output

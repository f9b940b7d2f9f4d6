"""Execute the code blocks of the documentation: `python -m tools.site.run [PAGE …]`, by default README.md and docs/.

Each page has a process and an empty folder of its own, with a copy of `examples/` in it. Its Python blocks share one
namespace; its commands run in that folder with this Python's `playout`. `blocks.py` says how a block is marked.
"""

import argparse
import contextlib
import io
import linecache
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .blocks import Block, blocks

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 300  # seconds for one command, far more than any takes
OF_ONE_PAGE = "--here"


class BlockError(Exception):
    """A block failed; the message says what it did."""


def pages() -> list[Path]:
    return [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def run_page(page: Path) -> Counter[str]:
    """Execute the blocks of a page in the present folder; how many were run, run smaller and left out."""
    counts: Counter[str] = Counter()
    scope: dict[str, Any] = {"__name__": page.stem}
    printed = ""
    for block in blocks(page):
        if block.kind == "other":
            continue
        if left := {"not run", "tested"} & set(block.markers):
            counts[left.pop()] += 1
            continue
        try:
            if file := block.markers.get("file"):
                Path(file).parent.mkdir(parents=True, exist_ok=True)
                Path(file).write_text(block.code, encoding="utf-8")
            if block.kind == "output":
                compare(printed, block.text)
            elif block.kind == "python":
                printed = run_python(block, scope)
            elif block.kind == "shell":
                printed = "".join(run_command(command) for command in block.commands)
        except BlockError as error:
            raise BlockError(f"{block.place}: {error}") from None
        counts["smaller" if "smaller" in block.markers else block.kind] += 1
    return counts


def compare(printed: str, expected: str) -> None:
    """Lines by lines; `…` stands for any text."""
    pattern = re.escape(plain(expected)).replace("…", ".*")
    if not re.fullmatch(pattern, plain(printed), re.DOTALL):
        raise BlockError(f"the block above prints\n{printed}\nand not what stands here")


def plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def run_python(block: Block, scope: dict[str, Any]) -> str:
    out = io.StringIO()
    linecache.cache[block.place] = (len(block.text), None, block.text.splitlines(keepends=True), block.place)
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(block.code, block.place, "exec"), scope)
    except Exception:  # noqa: BLE001  # whatever a block raises is reported with its place
        raise BlockError(f"\n{traceback.format_exc()}") from None
    return out.getvalue()


def run_command(command: str) -> str:
    if command.startswith("playout serve"):
        return run_server(command)
    done = subprocess.run(
        ["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    if done.returncode:
        raise BlockError(f"`{command}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def run_server(command: str) -> str:
    """Start a server on a free port, open its page, and end it."""
    log = Path("serve.txt")
    with log.open("w") as out:
        serving = ["bash", "-c", f"exec {command.partition('#')[0]} --no-open --port 0 --data sessions"]
        server = subprocess.Popen(serving, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + LIMIT
        while not (address := re.search(r"http://[\w.:]+(?:/\S*)?", log.read_text())):
            if server.poll() is not None or time.monotonic() > deadline:
                raise BlockError(f"`{command}` did not serve:\n{log.read_text()}")
            time.sleep(0.1)
        with urllib.request.urlopen(address[0], timeout=LIMIT) as answer:
            answer.read()
    finally:
        server.terminate()
        server.wait(LIMIT)
    return log.read_text()


def run_apart(page: Path) -> tuple[bool, str]:
    """Run a page in a process and a folder of its own; whether all went well, and what it says."""
    with tempfile.TemporaryDirectory(prefix="playout-docs-") as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        programs = Path(folder) / ".bin"
        programs.mkdir()
        for name, start in (("playout", "-m playout"), ("python", "")):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {start} "$@"\n')
            (programs / name).chmod(0o755)
        source = os.environ.get("PYTHONPATH", "")
        environment = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT), *filter(None, [source])]),
            "NO_COLOR": "1",
            "CLONE": str(ROOT),
        }
        done = subprocess.run(
            [sys.executable, "-m", "tools.site.run", OF_ONE_PAGE, str(page)],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
    return done.returncode == 0, (done.stdout if done.returncode == 0 else done.stderr).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description="Execute the code blocks of the documentation.")
    parser.add_argument("pages", nargs="*", type=Path, help="Markdown files; by default README.md and all of docs/")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="pages at a time")
    parser.add_argument(OF_ONE_PAGE, action="store_true", dest="here", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        sys.path.insert(0, "")  # files that a page writes can be imported by its later blocks
        try:
            counts = run_page(given.pages[0])
        except BlockError as error:
            print(error, file=sys.stderr)
            return 1
        print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
        return 0
    wanted = [page.resolve() for page in given.pages or pages() if blocks(page)]
    with ThreadPoolExecutor(given.jobs) as jobs:
        done = list(jobs.map(run_and_report, wanted))
    left = [block for page in wanted for block in blocks(page) if "not run" in block.markers]
    installs = sum("tested" in block.markers for page in wanted for block in blocks(page))
    for block in left:
        print(f"{block.page.relative_to(ROOT)}:{block.line}: not run: {block.markers['not run']}")
    count = sum(len(blocks(page)) for page in wanted)
    print(f"{count} blocks on {len(wanted)} pages, {len(left)} not run, {installs} that install")
    if not all(done):
        print(f"{done.count(False)} pages failed", file=sys.stderr)
    return not all(done)


def run_and_report(page: Path) -> bool:
    start = time.monotonic()
    good, message = run_apart(page)
    print(f"{page.relative_to(ROOT)}: {message or 'nothing to run'} ({time.monotonic() - start:.0f} s)", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main())

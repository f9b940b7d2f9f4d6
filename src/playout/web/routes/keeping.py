"""Keeping: a session as a file, and a search file as a session."""

import json
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from playout.errors import FileError
from playout.web import answers, views
from playout.web.refusals import Refusal
from playout.web.session import Session
from playout.web.sessions import Sessions

from .context import Found, JsonAnswer, PathText, Server, drawing, numbers

HEADER_BYTES = 1 << 24  # of a search file's header
BINARY = "application/octet-stream"

router = APIRouter(prefix="/v1/sessions", tags=["keeping"])


@router.post(
    "/import",
    status_code=201,
    response_model=answers.SessionOut,
    openapi_extra={
        "requestBody": {"required": True, "content": {BINARY: {"schema": {"type": "string", "format": "binary"}}}}
    },
)
async def import_session(
    server: Server, request: Request, name: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """A search file as a new session."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != BINARY:
        raise Refusal(415, "content_type", f"Content-Type is '{kind[:60]}', expected {BINARY}")
    sessions = server.sessions
    with tempfile.TemporaryDirectory(dir=sessions.store.folder, prefix="upload-") as folder:
        await run_in_threadpool(sessions.check_room)
        path = Path(folder) / "upload.search"
        await _receive(request, path, sessions.caps.upload)
        session = await run_in_threadpool(_import, sessions, path, name)
    return JsonAnswer(await run_in_threadpool(session.view), 201)


@router.get("/{session}/export", response_class=Response)
def export(
    session: Found,
    form: Literal["search", "json", "svg"] = "json",
    path: PathText = "",
    depth: Annotated[int, Query(ge=1, le=12)] = 3,
    width: Annotated[int, Query(ge=1, le=40)] = 4,
) -> Response:
    """The session as a file."""
    headers = {"Content-Disposition": _attachment(session.title or f"playout-{session.id}", form)}
    if form == "search":
        copy = session.export()
        clean_up = BackgroundTask(copy.unlink, missing_ok=True)
        return FileResponse(copy, media_type=BINARY, headers=headers, background=clean_up)
    if form == "svg":
        svg = session.look(lambda search: views.node_at(search, numbers(path)).svg(depth, width, 200))
        return drawing(svg, headers)
    data = {
        "session": session.view(),
        "result": views.result_view(session.result()),
        "explanation": views.explanation_view(session.result(), "en"),
        "game": session.game(False),
        "chart": session.chart.points,
        "tree": session.look(lambda search: views.tree_view(search, numbers(path), 4, 20)),
    }
    return JsonAnswer(data, headers=headers)


def _attachment(name: str, form: str) -> str:
    """Content-Disposition with a file name in any script, from which an import takes the session's name."""
    kept = "".join(c for c in name if c.isprintable() and c not in '<>:"/\\|?*').strip(" .")[:80] or "playout"
    plain = "".join(c if c.isascii() else "_" for c in kept)
    return f"attachment; filename=\"{plain}.{form}\"; filename*=UTF-8''{quote(kept)}.{form}"


async def _receive(request: Request, path: Path, most: int) -> None:
    """Stream an upload to disk."""
    size = 0
    with path.open("wb") as file:
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise Refusal(413, "too_large", f"the file has more than {most:,} bytes (--max-upload raises that)")
            await run_in_threadpool(file.write, part)


def _import(sessions: Sessions, path: Path, name: str) -> Session:
    """Check the header and the sizes that the archive declares, before anything is unpacked."""
    most = sessions.caps.bytes
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
            if unpacked > most or archive.getinfo("header.json").file_size > HEADER_BYTES:
                raise Refusal(413, "too_large", f"the search takes {unpacked:,} bytes, more than --max-bytes, {most:,}")
            header = dict(json.loads(archive.read("header.json")))
    except Refusal:
        raise
    except Exception as error:  # noqa: BLE001  # whatever a damaged archive makes zipfile, zlib or json raise
        raise Refusal(400, "file", f"not a search file, or a damaged one ({type(error).__name__})") from None
    try:
        return sessions.import_file(path, header, name)
    except FileError as error:
        raise Refusal(400, "file", str(error).replace(f"{path}: ", "the file ")) from None
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise Refusal(400, "file", f"the file's header can't be used ({type(error).__name__}: {error})") from None

"""The HTTP interface: one route a line of docs/http.md. What is asked is done in `Session`; this only translates."""

import asyncio
import contextlib
import json
import tempfile
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Depends, FastAPI, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from playout.common.version import __version__
from playout.errors import FileError, PlayoutError
from playout.search import Search
from playout.search.compiling import compiling

from . import schemas, views
from .ask import Asker
from .catalogue import Catalogue, describe_presets, describe_settings, option_texts
from .invalid import wrong_fields
from .live import serve_live
from .refusals import Refusal, game_may_fail, refusal_of
from .runs import Run
from .security import DRAWING_POLICY, Door
from .session import Session
from .sessions import Sessions, played

T = TypeVar("T")

HERE = Path(__file__).parent
WAIT = 60.0  # seconds that a request may wait for the end of a run
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.ErrorOut, "description": text}
    for status, text in (
        (400, "What was given is refused, with the reason."),
        (404, "There is no such thing."),
        (409, "Not now: a run is on, or there is nothing to do. With Retry-After: in a moment."),
        (413, "Too large."),
        (415, "Not JSON."),
        (422, "A field is missing, wrong or unknown."),
        (429, "A cap of the server is reached."),
        (503, "The server is stopping, or its disk can't be written."),
    )
}


class Json(JSONResponse):
    """JSON in ASCII, so that no text can break it, and without numbers that JSON does not have."""

    def render(self, content: Any) -> bytes:
        try:
            return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
        except ValueError:
            return json.dumps(views.plain(content), allow_nan=False, separators=(",", ":")).encode()


@dataclass
class Bench:
    """What the routes work with."""

    sessions: Sessions
    catalogue: Catalogue
    asker: Asker


PathText = Annotated[
    str,
    Query(
        max_length=4000,
        pattern=r"^(-?\d{1,10}(,-?\d{1,10})*)?$",
        description="Numbers of the actions from the root, as in 3,4,0; empty: the root.",
    ),
]


def numbers(path: str) -> list[int]:
    return [int(part) for part in path.split(",")] if path else []


def make_app(bench: Bench, host: str = "127.0.0.1", token: str | None = None) -> FastAPI:
    """The application. Closing it saves all sessions."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        from anyio.to_thread import current_default_thread_limiter

        current_default_thread_limiter().total_tokens = 64
        yield
        await run_in_threadpool(sessions.close)

    sessions = bench.sessions
    app = FastAPI(
        title="Playout",
        version=__version__,
        summary="Monte Carlo Tree Search: sessions that run, step, look, decide. The whole of it: docs/http.md.",
        docs_url=None,
        redoc_url=None,
        default_response_class=Json,
        responses=ERRORS,
        lifespan=lifespan,
        redirect_slashes=False,
        separate_input_output_schemas=False,
    )
    _add_errors(app)
    _add_pages(app)
    _add_catalogue(app, bench)

    def found(session: str) -> Session:
        return sessions.find(session)

    Found = Annotated[Session, Depends(found)]  # noqa: N806, RUF100  # a type

    # Sessions.

    @app.post("/api/sessions", status_code=201, response_model=schemas.SessionOut, tags=["sessions"])
    def create_session(body: schemas.SessionIn) -> Response:
        """Create a session, of a game or from another session's position."""
        if (body.game is None) == (body.source is None):
            raise Refusal(422, "invalid", "give either game (one of /api/games) or from (a session's id)")
        if body.source is not None and (body.position is not None or body.moves or body.game_settings):
            raise Refusal(422, "invalid", "with from, the game and the position come from that session; leave them out")
        session = sessions.create(
            body.game,
            body.game_settings,
            body.position,
            list(body.moves),
            body.preset,
            body.options,
            body.seed,
            body.name,
            body.source,
        )
        if body.temporary:
            session.make_temporary()
        return Json(session.view(), 201)

    @app.get("/api/sessions", response_model=schemas.SessionsOut, tags=["sessions"])
    def list_sessions() -> Response:
        """All sessions, the last touched first."""
        return Json({"sessions": sessions.listed()})

    @app.post(
        "/api/sessions/import",
        status_code=201,
        response_model=schemas.SessionOut,
        tags=["keeping"],
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
            }
        },
    )
    async def import_session(request: Request, name: Annotated[str, Query(max_length=200)] = "") -> Response:
        """A search file as a new session."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/octet-stream":
            raise Refusal(415, "content_type", f"Content-Type is '{kind[:60]}', expected application/octet-stream")
        with tempfile.TemporaryDirectory(dir=sessions.store.folder, prefix="upload-") as folder:
            await run_in_threadpool(sessions.check_room)
            path = Path(folder) / "upload.search"
            await _receive(request, path, sessions.caps.upload)
            session = await run_in_threadpool(_import, bench, path, name)
        return Json(await run_in_threadpool(session.view), 201)

    @app.get("/api/sessions/{session}", response_model=schemas.SessionOut, tags=["sessions"])
    def read_session(session: Found) -> Response:
        """One session, with its position and its run."""
        return Json(session.view())

    @app.patch("/api/sessions/{session}", response_model=schemas.SessionOut, tags=["sessions"])
    def rename_session(session: Found, body: schemas.NameIn) -> Response:
        """Give it another name."""
        session.rename(body.name)
        return Json(session.view())

    @app.delete("/api/sessions/{session}", status_code=204, tags=["sessions"])
    def delete_session(session: Found) -> Response:
        """Delete it; its run is stopped."""
        sessions.delete(session.id)
        return Response(status_code=204)

    @app.post("/api/sessions/{session}/settings", response_model=schemas.SessionOut, tags=["sessions"])
    def change_settings(session: Found, body: schemas.SettingsIn) -> Response:
        """Start again from the same position with other settings; the tree is dropped."""
        game, before = session.look(lambda search: (search.game, search.settings))
        settings, preset, options = sessions.changed(
            game, before, session.preset, session.options, body.preset, option_texts(body.options)
        )
        sessions.check(settings)
        session.start_again(settings, body.seed, preset, options)
        return Json(session.view())

    # Running.

    async def ended(run: Run) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(run.finished)), WAIT)
        return run.finished.done()

    async def run_answer(session: Session, run: Run | None, wait: bool) -> Response:
        if run is not None and not (await ended(run) if wait else run.finished.done()):
            return Json({"run": run.to_dict(), "result": None}, 202)
        result = await run_in_threadpool(lambda: views.result_view(session.result()))
        return Json({"run": run.to_dict() if run is not None else None, "result": result})

    @app.post(
        "/api/sessions/{session}/run",
        response_model=schemas.RunAnswer,
        responses={202: {"model": schemas.RunAnswer, "description": "The run is on."}},
        tags=["running"],
    )
    async def start_run(session: Found, body: schemas.RunIn) -> Response:
        """Run until the first of the limits is reached; without any, until stopped."""
        limits = {name: getattr(body, name) for name in ("simulations", "seconds", "nodes", "bytes")}

        def start() -> Run:
            sessions.check_room()
            return session.start_run(limits)

        run = await run_in_threadpool(start)
        return await run_answer(session, run, body.wait)

    @app.post("/api/sessions/{session}/stop", response_model=schemas.RunAnswer, tags=["running"])
    def stop_run(session: Found) -> Response:
        """End the run, if there is one."""
        return Json({"run": session.stop(), "result": None})

    @app.get("/api/sessions/{session}/result", response_model=schemas.ResultOut, tags=["running"])
    def read_result(session: Found) -> Response:
        """What has been found so far, with the best move."""
        return Json(session.look(lambda search: views.result_view(session.result_of(search))))

    @app.get("/api/sessions/{session}/chart", response_model=schemas.ChartOut, tags=["running"])
    def read_chart(session: Found) -> Response:
        """Shares and values of the most visited moves against simulations."""

        def chart(search: Search) -> dict[str, Any]:
            points = list(session.chart.points)
            used = sorted({a["number"] for point in points for a in point["actions"]})
            return {"points": points, "names": {str(n): search.position.action_text(n) for n in used}}

        return Json(session.look(chart))

    # Stepping.

    @app.post("/api/sessions/{session}/step", response_model=schemas.StepOut, tags=["stepping"])
    async def step(session: Found, body: schemas.StepIn) -> Response:
        """One simulation in its four phases."""
        if body.at is not None:
            run = await run_in_threadpool(session.seek, body.at - 1)
            if run is not None and not await ended(run):
                raise Refusal(409, "busy", f"going to simulation {body.at} takes longer than {WAIT:g} s; it goes on")
            reached = await run_in_threadpool(session.look, lambda search: search.simulations)
            if reached != body.at - 1:
                raise Refusal(409, "state", f"simulation {body.at} is never reached: the search ended after {reached}")
        return Json(await run_in_threadpool(session.step, body.svg))

    @app.post(
        "/api/sessions/{session}/seek",
        response_model=schemas.RunAnswer,
        responses={202: {"model": schemas.RunAnswer, "description": "On its way."}},
        tags=["stepping"],
    )
    async def seek(session: Found, body: schemas.SeekIn) -> Response:
        """Go to the tree after so many simulations, back or forward."""

        def start() -> Run | None:
            sessions.check_room()
            return session.seek(body.simulations)

        return await run_answer(session, await run_in_threadpool(start), body.wait)

    # Looking.

    @app.get("/api/sessions/{session}/tree", response_model=schemas.TreeOut, tags=["looking"])
    def read_tree(
        session: Found,
        path: PathText = "",
        depth: Annotated[int, Query(ge=0, le=12)] = 2,
        width: Annotated[int, Query(ge=1, le=400)] = 8,
    ) -> Response:
        """The tree from any node, to a depth and a width."""
        return Json(session.look(lambda search: views.tree_view(search, numbers(path), depth, width)))

    @app.get("/api/sessions/{session}/node", response_model=schemas.DetailOut, tags=["looking"])
    def read_node(session: Found, path: PathText = "") -> Response:
        """One node, with its position."""
        return Json(session.look(lambda search: views.detail_view(search, numbers(path))))

    @app.get("/api/sessions/{session}/line", response_model=schemas.LineOut, tags=["looking"])
    def read_line(session: Found, path: PathText = "") -> Response:
        """The expected play from a node on."""
        return Json(session.look(lambda search: views.line_view(search, numbers(path))))

    @app.get("/api/sessions/{session}/map", response_model=schemas.MapOut, tags=["looking"])
    def read_map(
        session: Found,
        depth: Annotated[int, Query(ge=1, le=64)] = 8,
        cells: Annotated[int, Query(ge=1, le=views.CELLS)] = 2000,
    ) -> Response:
        """The whole tree by depth, as nested shares of visits."""
        return Json(session.look(lambda search: views.map_view(search, depth, cells)))

    @app.get("/api/sessions/{session}/find", response_model=schemas.FindOut, tags=["looking"])
    def find(
        session: Found,
        text: Annotated[str, Query(min_length=1, max_length=200)],
        limit: Annotated[int, Query(ge=1, le=200)] = 20,
    ) -> Response:
        """The most visited nodes whose last action is written so."""
        return Json(session.look(lambda search: views.find_view(search, text, limit)))

    @app.get("/api/sessions/{session}/board.svg", response_class=Response, tags=["looking"])
    def read_board(
        session: Found, path: PathText = "", moment: Annotated[int | None, Query(ge=0, le=2**31)] = None
    ) -> Response:
        """A position drawn: of a node, or of a moment of the game."""

        def draw(search: Search) -> str:
            if moment is not None:
                return views.drawn(session.moments.find(moment).position)
            return views.drawn(views.node_at(search, numbers(path)).position)

        return drawing(session.look(draw))

    # Deciding and the game so far.

    @app.get("/api/sessions/{session}/explain", response_model=schemas.ExplainOut, tags=["deciding"])
    def explain(session: Found, language: schemas.Language = "en") -> Response:
        """The best move, with the reason in words and the facts."""
        return Json(session.look(lambda search: views.explanation_view(session.result_of(search), language)))

    @app.post("/api/sessions/{session}/play", response_model=schemas.SessionOut, tags=["deciding"])
    def play(session: Found, body: schemas.PlayIn) -> Response:
        """Play a move; its subtree is kept."""
        session.play(body.action, body.moment)
        return Json(session.view())

    @app.get("/api/sessions/{session}/game", response_model=schemas.GameSoFar, tags=["deciding"])
    def read_game(session: Found, svg: bool = False) -> Response:
        """The game so far, with its branches."""
        return Json(session.game(svg))

    @app.post("/api/sessions/{session}/goto", response_model=schemas.SessionOut, tags=["deciding"])
    def go_to(session: Found, body: schemas.GotoIn) -> Response:
        """Walk to another moment of the game."""
        session.go_to(body.moment)
        return Json(session.view())

    # Keeping and asking.

    @app.get("/api/sessions/{session}/export", response_class=Response, tags=["keeping"])
    def export(
        session: Found,
        form: Literal["search", "json", "svg"] = "json",
        path: PathText = "",
        depth: Annotated[int, Query(ge=1, le=12)] = 3,
        width: Annotated[int, Query(ge=1, le=40)] = 4,
    ) -> Response:
        """The session as a file."""
        name = f"playout-{session.id}"
        if form == "search":
            path_of_copy = session.export()
            headers = {"Content-Disposition": f'attachment; filename="{name}.search"'}
            return FileResponse(
                path_of_copy,
                media_type="application/octet-stream",
                headers=headers,
                background=BackgroundTask(path_of_copy.unlink, missing_ok=True),
            )
        headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
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
        return Json(data, headers=headers)

    @app.post("/api/sessions/{session}/ask", response_model=schemas.AskOut, tags=["asking"])
    async def ask(session: Found, body: schemas.AskIn) -> Response:
        """Have a step, a choice or a question explained, by a language model where one is set up."""
        if body.kind == "question" and not (body.question or "").strip():
            raise Refusal(422, "invalid", "question is missing; kind question needs one")
        facts = await run_in_threadpool(bench.asker.gather, session, body.kind, body.language)
        return Json(await bench.asker.ask(facts, body.kind, body.question or "", body.language))

    @app.websocket("/api/sessions/{session}/live")
    async def live(socket: WebSocket, session: str) -> None:
        await serve_live(socket, sessions, session)

    @app.api_route("/api/{rest:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
    def nothing(rest: str) -> Response:
        raise Refusal(404, "not_found", f"there is no /api/{rest[:80]}; /docs lists what there is")

    app.add_middleware(Door, host=host, token=token)
    return app


def drawing(svg: str, headers: dict[str, str] | None = None) -> Response:
    """SVG that a browser must not run anything of."""
    content = svg.encode("utf-8", "replace")
    more = {"Content-Security-Policy": DRAWING_POLICY, "Cache-Control": "no-store", **(headers or {})}
    return Response(content, media_type="image/svg+xml", headers=more)


def _add_errors(app: FastAPI) -> None:
    """Every refusal in one form."""

    def answer(refusal: Refusal) -> Response:
        headers = {"Retry-After": "1"} if refusal.try_again or refusal.status == 503 else None
        return Json(refusal.to_dict(), refusal.status, headers=headers)

    @app.exception_handler(Refusal)
    async def refused(_: Request, error: Refusal) -> Response:
        return answer(error)

    @app.exception_handler(PlayoutError)
    async def mistaken(_: Request, error: PlayoutError) -> Response:
        return answer(refusal_of(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        given = {"body": error.body, "query": dict(request.query_params), "path": request.path_params}
        places = {part: [e for e in error.errors() if e["loc"][0] == part] for part in given}
        fields = getattr(request.scope["route"], "body_field", None)
        known = list(fields.field_info.annotation.model_json_schema()["properties"]) if fields else []
        said = [
            wrong_fields([e | {"loc": e["loc"][1:]} for e in errors], given[part], known)
            for part, errors in places.items()
            if errors
        ]
        return answer(Refusal(422, "invalid", "; ".join(said)))

    @app.exception_handler(HTTPException)
    async def other(_: Request, error: HTTPException) -> Response:
        code = {404: "not_found", 405: "method"}.get(error.status_code, "bad_request")
        return answer(Refusal(error.status_code, code, str(error.detail)))


def _add_pages(app: FastAPI) -> None:
    static, reference = HERE / "static", HERE / "reference"

    @app.get("/", include_in_schema=False)
    @app.get("/s/{session}", include_in_schema=False)
    def page(session: str = "") -> Response:
        return FileResponse(static / "index.html", headers={"Cache-Control": "no-cache"})

    @app.get("/docs", include_in_schema=False)
    def docs() -> Response:
        return FileResponse(reference / "index.html", headers={"Cache-Control": "no-cache"})

    app.mount("/static", StaticFiles(directory=static), name="static")
    app.mount("/reference", StaticFiles(directory=reference), name="reference")


def _add_catalogue(app: FastAPI, bench: Bench) -> None:
    caps = bench.sessions.caps

    @app.get("/api/server", response_model=schemas.ServerOut, tags=["choosing"])
    def read_server() -> Response:
        """What this server is and allows."""
        return Json(
            {
                "name": "playout",
                "version": __version__,
                "ask": {"model": bench.asker.model} if bench.asker.is_on else None,
                "limits": {name: getattr(caps, name) for name in ("sessions", "nodes", "bytes", "memory", "upload")},
                "sessions": len(bench.sessions),
                "running": bench.sessions.running(),
                "compiling": compiling.about,
            }
        )

    @app.get("/api/games", response_model=schemas.GamesOut, tags=["choosing"])
    def read_games() -> Response:
        """The games, with their settings."""
        return Json({"games": bench.catalogue.describe_games()})

    @app.get("/api/presets", response_model=schemas.PresetsOut, tags=["choosing"])
    def read_presets() -> Response:
        """Named sets of search settings."""
        return Json({"presets": describe_presets()})

    @app.get("/api/settings", response_model=schemas.OptionsOut, tags=["choosing"])
    def read_settings() -> Response:
        """Every search setting with its meaning."""
        return Json({"settings": describe_settings(bench.catalogue)})

    @app.post("/api/positions", response_model=schemas.PositionOut, tags=["choosing"])
    def check_position(body: schemas.PositionIn) -> Response:
        """Check a position, or make one move by move."""
        game = bench.catalogue.load(body.game, body.game_settings)
        with game_may_fail(type(game)):
            return Json(views.position_view(played(game.position(body.position), list(body.moves))))


async def _receive(request: Request, path: Path, most: int) -> None:
    """An upload, streamed to disk."""
    size = 0
    with path.open("wb") as file:
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise Refusal(413, "too_large", f"the file has more than {most:,} bytes (--max-upload raises that)")
            await run_in_threadpool(file.write, part)


def _import(bench: Bench, path: Path, name: str) -> Session:
    """Look at the header and at the sizes that the archive declares, before anything is unpacked."""
    most = bench.sessions.caps.bytes
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
            if unpacked > most or archive.getinfo("header.json").file_size > 1 << 24:
                raise Refusal(413, "too_large", f"the search takes {unpacked:,} bytes, more than --max-bytes, {most:,}")
            header = dict(json.loads(archive.read("header.json")))
    except Refusal:
        raise
    except Exception as error:  # noqa: BLE001  # whatever a damaged archive makes zipfile, zlib or json raise
        raise Refusal(400, "file", f"this is no search file, or a damaged one ({type(error).__name__})") from None
    try:
        return bench.sessions.import_file(path, header, name)
    except FileError as error:
        raise Refusal(400, "file", str(error).replace(f"{path}: ", "the file ")) from None
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise Refusal(400, "file", f"the file's header can't be used ({type(error).__name__}: {error})") from None

"""The application: the routes under /v1, the pages, the form of problems, and the door in front."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from playout.common.version import __version__
from playout.errors import PlayoutError

from .answers import ProblemOut
from .invalid import wrong_fields
from .live import serve_live
from .meanings import describe
from .refusals import MEDIA_TYPE, Refusal, refusal_of
from .routes import choosing, deciding, keeping, lessons, looking, running, sessions, sharing
from .routes.context import Bench, JsonAnswer
from .security import Door

HERE = Path(__file__).parent
THREADS = 64  # that serve requests at the same time
SUMMARY = "Monte Carlo Tree Search: sessions that run, step, look, decide. docs/http.md describes all of it."
SUBJECTS = (choosing, lessons, sessions, sharing, running, looking, deciding, keeping)
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]
STATUSES = {
    400: "What was given is refused, with the reason.",
    401: "The server was started with a token, and the request has another one or none.",
    403: "The request comes from another site's page, or from one that only follows.",
    404: "There is no such thing.",
    405: "The address does not take this method; Allow says which it takes.",
    408: "The body did not arrive in time.",
    409: "Not now: a run is on, or there is nothing to do. With Retry-After: try again in a moment.",
    413: "Too large.",
    415: "Not JSON.",
    422: "A field is missing, wrong or unknown.",
    431: "The headers are too long.",
    429: "A cap of the server is reached.",
    503: "The server is stopping, or its disk can't be written.",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": ProblemOut, "description": text} for status, text in STATUSES.items()
}


def make_app(bench: Bench, host: str = "127.0.0.1", token: str | None = None) -> FastAPI:
    """The application. Closing it saves all sessions."""
    app = FastAPI(title="Playout", version=__version__, docs_url=None, redoc_url=None, lifespan=_lifespan)
    app.router.responses, app.router.redirect_slashes = PROBLEMS, False
    app.state.bench = bench
    app.openapi = lambda: _schema(app)  # type: ignore[method-assign]
    _add_problems(app)
    _add_pages(app)
    for subject in SUBJECTS:
        app.include_router(subject.router)

    @app.websocket("/v1/sessions/{session}/live")
    async def live(socket: WebSocket, session: str) -> None:
        await serve_live(socket, bench.sessions, session)

    @app.api_route("/v1/{rest:path}", methods=METHODS, include_in_schema=False)
    def nothing(request: Request, rest: str) -> Response:
        routes = [route for subject in SUBJECTS for route in subject.router.routes]
        found = [route for route in routes if route.matches(request.scope)[0] is Match.PARTIAL]
        if allowed := sorted({method for route in found if isinstance(route, Route) for method in route.methods or ()}):
            raise HTTPException(405, "Method Not Allowed", {"Allow": ", ".join(allowed)})
        raise Refusal(404, "not_found", f"there is no /v1/{rest[:80]}; /docs lists all addresses")

    app.add_middleware(Door, host=host, token=token)
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    current_default_thread_limiter().total_tokens = THREADS
    yield
    await run_in_threadpool(app.state.bench.sessions.close)


def _schema(app: FastAPI) -> dict[str, Any]:
    """/openapi.json, made once; FastAPI would describe problems as application/json."""
    if app.openapi_schema is None:
        app.openapi_schema = get_openapi(
            title=app.title,
            version=app.version,
            summary=SUMMARY,
            routes=app.routes,
            separate_input_output_schemas=False,
        )
        schema = app.openapi_schema
        schema["components"]["securitySchemes"] = {
            "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "Only on a server that other machines can reach: the token that it printed.",
            }
        }
        schema["security"] = [{}, {"token": []}]
        schema["x-websocket"] = {
            "/v1/sessions/{session}/live": "Changes of a session as they happen: see docs/http.md, Live."
        }
        describe(schema)
        for operation in (one for path in app.openapi_schema["paths"].values() for one in path.values()):
            for status, answer in operation["responses"].items():
                if int(status) in STATUSES:
                    answer["content"] = {MEDIA_TYPE: answer["content"]["application/json"]}
    return app.openapi_schema


def _add_problems(app: FastAPI) -> None:
    """Answer every error in one form."""

    def answer(refusal: Refusal, more: Mapping[str, str] | None = None) -> Response:
        headers = {"Retry-After": "1"} if refusal.try_again or refusal.status == 503 else {}
        return JsonAnswer(refusal.to_dict(), refusal.status, headers={**headers, **(more or {})}, media_type=MEDIA_TYPE)

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
        return answer(Refusal(error.status_code, code, str(error.detail)), error.headers)  # 405 says what is allowed


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

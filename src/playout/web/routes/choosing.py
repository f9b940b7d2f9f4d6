"""What there is to choose from: games, presets, settings, positions; and what the server is."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from playout.common.version import __version__
from playout.search.compiling import compiling
from playout.web import answers, requests, views
from playout.web.catalogue import describe_presets, describe_settings
from playout.web.refusals import TITLES, game_may_fail
from playout.web.sessions import played

from .context import JsonAnswer, Server

OF = "The session that `restoring` is about."

router = APIRouter(prefix="/v1", tags=["choosing"])


@router.get("/server", response_model=answers.ServerOut)
def read_server(
    server: Server, session: Annotated[str | None, Query(description=OF, max_length=64)] = None
) -> Response:
    """What this server is and allows."""
    caps = server.sessions.caps
    return JsonAnswer(
        {
            "name": "playout",
            "version": __version__,
            "ask": {"model": server.model.name} if server.model.is_on else None,
            "limits": {name: getattr(caps, name) for name in ("sessions", "nodes", "bytes", "memory", "upload")},
            "game": server.catalogue.first,
            "sessions": len(server.sessions),
            "running": server.sessions.running(),
            "compiling": compiling.about,
            "compiling_for": None if (elapsed := compiling.elapsed) is None else round(elapsed, 1),
            "uncompiled": compiling.is_elsewhere,
            "restoring": server.sessions.restoring(session),
        }
    )


@router.get("/problems", response_model=answers.ProblemsOut)
def read_problems() -> Response:
    """The codes of problems, with what each means."""
    return JsonAnswer({"problems": [{"code": code, "title": title} for code, title in TITLES.items()]})


@router.get("/games", response_model=answers.GamesOut)
def read_games(server: Server) -> Response:
    """The games, with their settings."""
    return JsonAnswer({"games": server.catalogue.describe_games()})


@router.get("/presets", response_model=answers.PresetsOut)
def read_presets() -> Response:
    """Named sets of search settings."""
    return JsonAnswer({"presets": describe_presets()})


@router.get("/settings", response_model=answers.OptionsOut)
def read_settings(server: Server) -> Response:
    """Every search setting with its meaning."""
    return JsonAnswer({"settings": describe_settings(server.catalogue), "sources": server.catalogue.sources})


@router.post("/positions", response_model=answers.PositionOut)
def check_position(server: Server, body: requests.PositionIn) -> Response:
    """Check a position, or make one move by move."""
    game = server.catalogue.load(body.game, body.game_settings)
    with game_may_fail(type(game)):
        return JsonAnswer(views.position_view(played(game.position(body.position), list(body.moves))))

"""Sessions: create, list, read, rename, delete, other settings."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from playout.web import answers, requests
from playout.web.catalogue import option_texts
from playout.web.refusals import Refusal
from playout.web.sharing import masked

from .context import Found, JsonAnswer, Server

router = APIRouter(prefix="/v1/sessions", tags=["sessions"])


@router.post("", status_code=201, response_model=answers.SessionOut)
def create_session(server: Server, body: requests.SessionIn) -> Response:
    """Create a session, of a game or from another session's position."""
    if (body.game is None) == (body.source is None):
        raise Refusal(422, "invalid", "give either game (one of /v1/games) or from (a session's id)")
    if body.source is not None and (body.position is not None or body.moves or body.game_settings):
        raise Refusal(422, "invalid", "with from, the game and the position come from that session; leave them out")
    session = server.sessions.create(
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
    if body.passing:
        session.make_passing()
    if body.temporary:
        session.make_temporary()
    return JsonAnswer(session.view(), 201)


@router.get("", response_model=answers.SessionsOut)
def list_sessions(server: Server) -> Response:
    """All sessions, the last used first."""
    return JsonAnswer({"sessions": server.sessions.listed()})


@router.get("/{session}", response_model=answers.SessionOut)
def read_session(session: Found, request: Request) -> Response:
    """One session, with its position and its run."""
    return JsonAnswer(masked(session.view(), request.path_params["session"]))


@router.patch("/{session}", response_model=answers.SessionOut)
def rename_session(session: Found, body: requests.NameIn) -> Response:
    """Rename it."""
    session.rename(body.name)
    return JsonAnswer(session.view())


@router.delete("/{session}", status_code=204)
def delete_session(server: Server, session: Found) -> Response:
    """Delete it; its run is stopped."""
    server.sessions.delete(session.id)
    return Response(status_code=204)


@router.post("/{session}/settings", response_model=answers.SessionOut)
def change_settings(server: Server, session: Found, body: requests.SettingsIn) -> Response:
    """Start again from the same position with other settings; the tree is dropped."""
    game, before = session.look(lambda search: (search.game, search.settings))
    settings, preset, options = server.sessions.changed(
        game, before, session.preset, session.options, body.preset, option_texts(body.options)
    )
    server.sessions.check(settings)
    session.start_again(settings, body.seed, preset, options)
    return JsonAnswer(session.view())

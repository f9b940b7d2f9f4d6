"""Deciding and the game so far: explain, ask, play, walk back."""

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from playout.web import answers, requests, views
from playout.web.refusals import Refusal

from .context import Found, JsonAnswer, Server

router = APIRouter(prefix="/v1/sessions/{session}")


@router.get("/explain", response_model=answers.ExplainOut, tags=["deciding"])
def explain(session: Found, language: requests.Language = "en") -> Response:
    """The best move, with the reasons in words and the facts."""
    return JsonAnswer(session.look(lambda search: views.explanation_view(session.result_of(search), language)))


@router.post("/ask", response_model=answers.AskOut, tags=["asking"])
async def ask(server: Server, session: Found, body: requests.AskIn) -> Response:
    """Have a step, a choice or a question explained, by a language model where one is set up."""
    if body.kind == "question" and not (body.question or "").strip():
        raise Refusal(422, "invalid", "question is missing; kind question needs one")
    facts = await run_in_threadpool(server.model.gather, session, body.kind, body.language)
    return JsonAnswer(await server.model.ask(facts, body.kind, body.question or "", body.language))


@router.post("/play", response_model=answers.SessionOut, tags=["deciding"])
def play(session: Found, body: requests.PlayIn) -> Response:
    """Play a move; its subtree is kept."""
    session.play(body.move, body.moment)
    return JsonAnswer(session.view())


@router.get("/game", response_model=answers.GameSoFar, tags=["deciding"])
def read_game(session: Found, svg: bool = False) -> Response:
    """The game so far, with its branches."""
    return JsonAnswer(session.game(svg))


@router.post("/goto", response_model=answers.SessionOut, tags=["deciding"])
def go_to(session: Found, body: requests.GotoIn) -> Response:
    """Walk to another moment of the game."""
    session.go_to(body.moment)
    return JsonAnswer(session.view())

"""Lessons, and sessions from prepared links."""

from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import Field

from playout.errors import PlayoutError
from playout.web import answers, requests
from playout.web.prepared import Phase, Tab, of_link, parse_link
from playout.web.refusals import Refusal

from .context import JsonAnswer, Server

router = APIRouter(prefix="/v1", tags=["lessons"])


class LinkIn(requests.RequestModel):
    model_config = requests.for_example({"link": "?game=tictactoe&moves=5&c=2&run=100&step=50"})
    link: requests.Text = Field(description="The query of a prepared link, as in ?game=tictactoe&step=10.")


class LinkOut(answers.AnswerModel):
    session: answers.SessionOut
    simulations: int = Field(description="To run first; 0: none.")
    step: int | None = Field(description="The simulation to show step by step; null: none.")
    phase: Phase | None = Field(description="The phase of that simulation to begin with.")
    tab: Tab | None = Field(description="The panel to open.")
    lesson: str | None = Field(description="The lesson to show beside it.")


class LessonHead(answers.AnswerModel):
    name: str
    title: str


class LessonsOut(answers.AnswerModel):
    first: str | None = Field(description="The lesson that a visit begins with; null: none.")
    lessons: list[LessonHead] = Field(description="All lessons, in the order in which they are shown.")


class LessonOut(LessonHead):
    language: Literal["en", "zh"]
    blocks: list[dict[str, Any]] = Field(description="Headings, text, lists, code and sliders, in order.")


@router.get("/lessons", response_model=LessonsOut)
def read_lessons(server: Server, language: requests.Language = "en") -> Response:
    """The lessons there are."""
    return JsonAnswer({"first": server.lessons.first, "lessons": server.lessons.listed(language)})


@router.get("/lessons/{name}", response_model=LessonOut)
def read_lesson(server: Server, name: str, language: requests.Language = "en") -> Response:
    """One lesson, in a language that it has."""
    return JsonAnswer(server.lessons.find(name).view(language))


@router.post("/links", status_code=201, response_model=LinkOut)
def open_link(server: Server, body: LinkIn) -> Response:
    """Create the session of a prepared link; it is deleted once nobody watches it, unless it gets a name."""
    prepared = parse_link(body.link)
    try:
        session = server.sessions.create(
            prepared.game or server.catalogue.first,
            prepared.game_settings,
            prepared.position,
            prepared.moves,
            prepared.preset,
            prepared.options,
            prepared.seed,
            "",
            None,
        )
    except (PlayoutError, Refusal) as error:
        raise of_link(error) from None
    session.make_passing()
    view = {name: getattr(prepared, name) for name in ("step", "phase", "tab", "lesson")}
    return JsonAnswer({"session": session.view(), "simulations": prepared.run, **view}, 201)

"""Sharing: the links to follow and to take over, and what the leading page shows."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import Field, StringConstraints

from playout.web import answers, requests, views
from playout.web.refusals import not_now
from playout.web.session import Session

from .context import Found, JsonAnswer

router = APIRouter(prefix="/v1/sessions/{session}", tags=["sharing"])


class ShareIn(requests.RequestModel):
    model_config = requests.for_example({"page": "kQ3x8Zt1a0PwVb5Y"})
    page: Annotated[str, StringConstraints(pattern=r"^[\w-]{16,64}$")] = Field(
        description="A secret of the page that takes the lead, sent with each change as the header Playout-Page."
    )


class ShownIn(requests.RequestModel):
    """What the leading page shows."""

    tab: Literal["moves", "step", "node", "why"] = Field("moves", description="The panel that is open.")
    path: Annotated[list[requests.ActionNumber], Field(max_length=2000)] | None = Field(
        None, description="The node that is chosen."
    )
    simulation: Annotated[int, Field(strict=True, ge=1, lt=2**31)] | None = Field(
        None, description="The simulation that is shown step by step; null: none."
    )
    beat: Annotated[int, Field(strict=True, ge=0, lt=2**20)] = Field(
        0, description="How far that simulation is shown, counted from 0."
    )


class ShareOut(answers.AnswerModel):
    follow: str | None = Field(description="The page for those who follow; null: the session is not shared.")
    take_over: str | None = Field(description="The page that takes the lead; null: the session is not shared.")
    leads: int = Field(description="Rises whenever another page takes the lead, or sharing ends.")


class ShownOut(answers.AnswerModel):
    leader_view: ShownIn | None = Field(description="What the leading page shows; null: nothing yet.")


@router.get("/share", response_model=ShareOut)
def read_share(session: Found) -> Response:
    """The links of a session that is shared."""
    return JsonAnswer(session.sharing.view(session.id))


@router.post("/share", response_model=ShareOut)
def take_lead(session: Found, body: ShareIn) -> Response:
    """Share the session, or take the lead of one that is shared: only the leading page may change it from now on."""
    session.share(body.page)
    return JsonAnswer(session.sharing.view(session.id))


@router.delete("/share", status_code=204)
def end_share(session: Found) -> Response:
    """End sharing. The link to follow is gone."""
    session.share(None)
    return Response(status_code=204)


@router.put("/shown", status_code=204)
def put_shown(session: Found, body: ShownIn) -> Response:
    """Tell what the leading page shows; those who follow see the same."""
    if session.sharing.follow is None:
        raise not_now("this session is not shared; POST its share first")
    session.sharing.show(body.model_dump())
    session.notify()
    return Response(status_code=204)


@router.get("/shown", response_model=ShownOut)
def read_shown(session: Found) -> Response:
    """What the leading page shows."""
    return JsonAnswer({"leader_view": session.sharing.shown})


@router.get("/step", response_model=answers.StepOut)
def read_step(session: Found) -> Response:
    """The last step again, with its positions drawn."""
    return JsonAnswer(session.look(lambda _: _last_step(session)))


def _last_step(session: Session) -> dict[str, Any]:
    if session.last_step is None:
        raise not_now("no step was taken in this position yet; POST step takes one")
    return views.step_view(session.last_step, True, session.stepped["simulations"]) | session.stepped

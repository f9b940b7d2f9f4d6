"""Looking at the tree: nodes, lines, the map, boards."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from playout.search import Search
from playout.web import answers, views

from .context import Found, JsonAnswer, PathText, drawing, numbers

router = APIRouter(prefix="/v1/sessions/{session}", tags=["looking"])


@router.get("/tree", response_model=answers.TreeOut)
def read_tree(
    session: Found,
    path: PathText = "",
    depth: Annotated[int, Query(ge=0, le=12)] = 2,
    width: Annotated[int, Query(ge=1, le=400)] = 8,
    position: Annotated[bool, Query(description="Whether nodes have the text of their position.")] = False,
    score: Annotated[bool, Query(description="Whether nodes have the score that their parent's policy gives.")] = False,
) -> Response:
    """The tree from any node, to a depth and a width."""
    way = numbers(path)
    return JsonAnswer(
        session.look(
            lambda search: views.tree_view(search, way, depth, width, position=position, score=score), still=score
        )
    )


@router.get("/node", response_model=answers.DetailOut)
def read_node(session: Found, path: PathText = "") -> Response:
    """One node, with its position."""
    return JsonAnswer(session.look(lambda search: views.detail_view(search, numbers(path))))


@router.get("/line", response_model=answers.LineOut)
def read_line(session: Found, path: PathText = "") -> Response:
    """The expected play from a node on."""
    return JsonAnswer(session.look(lambda search: views.line_view(search, numbers(path))))


@router.get("/map", response_model=answers.MapOut)
def read_map(
    session: Found,
    depth: Annotated[int, Query(ge=1, le=64)] = 8,
    cells: Annotated[int, Query(ge=1, le=views.CELLS)] = 2000,
) -> Response:
    """The whole tree by depth, as nested shares of visits."""
    return JsonAnswer(session.look(lambda search: views.map_view(search, depth, cells)))


@router.get("/find", response_model=answers.FindOut)
def find(
    session: Found,
    text: Annotated[str, Query(min_length=1, max_length=200)],
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Response:
    """The most visited nodes whose last action has this text."""
    return JsonAnswer(session.look(lambda search: views.find_view(search, text, limit)))


@router.get("/board.svg", response_class=Response)
def read_board(
    session: Found, path: PathText = "", moment: Annotated[int | None, Query(ge=0, le=2**31)] = None
) -> Response:
    """A position drawn: of a node, or of a moment of the game."""

    def draw(search: Search) -> str:
        if moment is not None:
            return views.drawn(session.moments.find(moment).position)
        return views.drawn(views.node_at(search, numbers(path)).position)

    return drawing(session.look(draw))

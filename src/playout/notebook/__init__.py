"""A search in a notebook cell: `widget(search)` shows it growing, with buttons to run, stop, step and go back.

The page's part (`widget.js`) asks for one batch of simulations after the other, so that the kernel is free between them
and Stop needs no thread. It needs the extra `widget` (anywidget), which is imported when a widget is made.
"""

from pathlib import Path
from typing import Any

from playout.common.arguments import refuses_unknown_names, whole_text
from playout.errors import PlayoutError, SettingsError
from playout.search import Search

HERE = Path(__file__).parent
MOST = 10_000_000  # simulations of one batch


@refuses_unknown_names
def widget(search: Search, batch: int = 1000) -> Any:
    """A live view of a search, for the last line of a notebook cell (extra `widget`).

    Run grows the tree, `batch` simulations between two pictures, until Stop; Step runs one simulation and shows its
    four phases; Back takes the last simulation back. Other cells see what was done: the search is the one given.
    """
    if not isinstance(search, Search):
        raise SettingsError(f"widget got {search!r:.80}, expected a Search, as in widget(po.Search('connect4'))")
    if not isinstance(batch, int) or isinstance(batch, bool) or not 1 <= batch <= MOST:
        raise SettingsError(f"widget: batch is {batch!r:.80}, expected a whole number from 1 to {MOST:,}")
    try:
        import anywidget  # noqa: PLC0415  # heavy, and optional
        import traitlets  # noqa: PLC0415  # heavy, and optional
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"widget needs the package '{error.name}', which is not installed: pip install 'playout[widget]'"
        ) from None
    made = type(
        "SearchWidget",
        (anywidget.AnyWidget,),
        {
            "_esm": (HERE / "widget.js").read_text(encoding="utf-8"),
            "_css": (HERE / "widget.css").read_text(encoding="utf-8"),
            "view": traitlets.Dict().tag(sync=True),  # what the cell shows
            "batch": traitlets.Int(batch, min=1, max=MOST).tag(sync=True),
            "__doc__": "A search in a notebook cell.",
        },
    )
    shown = made()
    shown.on_msg(lambda _, message, __: shown.set_trait("view", answer(search, message)))
    shown.view = view(search)
    return shown


def answer(search: Search, message: Any) -> dict[str, Any]:
    """Do what a button asked for, and return what the cell shows then. Errors become a line of it."""
    step = error = ""
    try:
        asked = message if isinstance(message, dict) else {}
        match asked.get("do"):
            case "run":
                search.run(_count(asked.get("n")))
            case "step":
                step = str(search.step())
            case "back":
                search.rewind(max(0, search.simulations - 1))
            case other:
                raise SettingsError(f"the widget was asked for {other!r:.80}, expected run, step or back")
    except PlayoutError as refused:
        error = " ".join(str(refused).split())
    return view(search, step, error)


def view(search: Search, step: str = "", error: str = "") -> dict[str, Any]:
    """What the cell shows: the search as a notebook shows it, the last step, and an error."""
    result = search.result()
    done = result.proven is not None or not result.actions
    return {"simulations": search.simulations, "html": search._repr_html_(), "step": step, "error": error, "done": done}


def _count(given: Any) -> int:
    try:
        count = whole_text(str(given))
    except ValueError:
        count = 0
    if not 1 <= count <= MOST:
        raise SettingsError(f"simulations: got {given!r:.80}, expected a whole number from 1 to {MOST:,}")
    return count

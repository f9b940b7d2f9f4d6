"""The notebook widget: what its buttons do to the search, and its page's part in Chromium."""

import json
from typing import Any

import pytest

import playout as po
from playout.notebook import HERE, answer
from tests.web.workbench_page import need_chromium

PAGE = """<!doctype html><html lang="en"><title>cell</title><style>{css}</style><body>
<div id="cell"></div><script type="module">
const url = URL.createObjectURL(new Blob([{js}], {{ type: "text/javascript" }}));
const widget = (await import(url)).default;
const values = {{ view: await start(), batch: 50 }};
const listeners = new Set();
const model = {{
  get: (name) => values[name],
  send: async (message) => {{ values.view = await sent(message); for (const each of [...listeners]) each(); }},
  on: (_, act) => listeners.add(act),
  off: (_, act) => listeners.delete(act),
}};
widget.render({{ model, el: document.getElementById("cell") }});
</script></body></html>"""


def press(widget: Any, **message: Any) -> dict[str, Any]:
    """Send what a button sends, as the notebook does."""
    widget._handle_custom_msg(message, [])
    return dict(widget.view)


def test_buttons_run_step_and_go_back() -> None:
    search = po.Search("tictactoe", "textbook", seed=1)
    widget = po.widget(search, batch=40)
    assert (widget.view["simulations"], widget.batch) == (0, 40)
    shown = press(widget, do="run", n=40)
    assert (shown["simulations"], shown["step"], shown["error"]) == (40, "", "")
    assert "<svg" in shown["html"]
    shown = press(widget, do="step")
    assert shown["simulations"] == search.simulations == 41
    assert shown["step"].startswith("simulation 41")
    shown = press(widget, do="back")
    assert search.simulations == 40
    assert (
        search.result().to_dict()["actions"] == po.Search("tictactoe", "textbook", seed=1).run(40).to_dict()["actions"]
    )


def test_a_proven_search_is_done() -> None:
    search = po.Search("tictactoe", seed=1, position="XX.OO....")
    widget = po.widget(search)
    assert press(widget, do="run", n=1000)["done"]


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"do": "jump"}, "the widget was asked for 'jump', expected run, step or back"),
        ({"do": "run", "n": 0}, "simulations: got 0, expected a whole number from 1 to 10,000,000"),
        ({"do": "run", "n": "many"}, "simulations: got 'many', expected"),
        ("run", "the widget was asked for None"),
    ],
    ids=["unknown", "zero", "text", "no dictionary"],
)
def test_what_can_not_be_done_is_a_line_in_the_cell(message: Any, error: str) -> None:
    shown = answer(po.Search("tictactoe", seed=1), message)
    assert shown["error"].startswith(error)
    assert shown["simulations"] == 0


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(po.SettingsError, match=r"widget got 'tictactoe', expected a Search"):
        po.widget("tictactoe")  # type: ignore[arg-type]
    with pytest.raises(po.SettingsError, match=r"widget: batch is 0, expected a whole number from 1"):
        po.widget(po.Search("tictactoe"), batch=0)


@pytest.mark.browser
def test_the_cell_grows_steps_and_stops_in_a_browser() -> None:
    from playwright.sync_api import expect, sync_playwright

    search = po.Search("tictactoe", "textbook", seed=1)
    path = need_chromium()
    source, style = ((HERE / f"widget.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.expose_function("start", lambda: po.widget(search).view)
        page.expose_function("sent", lambda message: answer(search, message))
        page.set_content(PAGE.format(css=style, js=json.dumps(source)))
        expect(page.get_by_role("status")).to_have_text("0 simulations")
        expect(page.get_by_role("button", name="Back")).to_be_disabled()
        page.get_by_role("button", name="Run").click()
        page.wait_for_function("parseInt(document.querySelector('[role=status]').textContent) >= 200")  # batch by batch
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("button", name="Run")).to_be_visible()
        page.get_by_role("button", name="Step").click()
        expect(page.locator(".playout-step")).to_contain_text("simulation")
        expect(page.locator(".playout-search svg").first).to_be_visible()
        page.get_by_role("button", name="Back").click()
        expect(page.locator(".playout-step")).to_be_hidden()
        assert faults == []
        browser.close()

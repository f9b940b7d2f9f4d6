"""The workbench in a real Chromium, 7 and 8: keep, and ask."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from .web_server import Model, serving
from .workbench_page import PATIENCE, Desk, phase, process

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]

ANSWER = "Because <b>it</b> was <script>document.title='taken'</script> visited most."


# 7. Keep


def test_sessions_are_named_linked_exported_and_imported(desk: Desk, tmp_path: Path) -> None:
    page = desk.open(desk.prepare(3000, game="connect4", seed=6))
    shown = page.locator("#tree .node .move").all_inner_texts()
    page.locator("#open-keep").click()
    page.locator("#session-name").fill("<i>mine</i>")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator(".sessions li.here")).to_contain_text("<i>mine</i>")
    assert page.locator("#permalink").input_value() == page.url
    saved = {}
    for name, button in (("search", "Search file"), ("json", "JSON"), ("svg", "SVG"), ("png", "PNG")):
        with page.expect_download() as download:
            page.locator(".keep").get_by_text(button, exact=True).click()
        download.value.save_as(tmp_path / name)
        saved[name] = (tmp_path / name).read_bytes()
    assert json.loads(saved["json"])["result"]["total"] == 3000
    assert saved["png"].startswith(b"\x89PNG")
    assert len(saved["png"]) > 5000
    svg = saved["svg"].decode()
    assert svg.startswith("<svg")
    assert "3000" in svg
    assert "script" not in svg
    other = desk.context.new_page()  # a copy of what was seen, with its colours
    other.goto((tmp_path / "svg").rename(tmp_path / "tree.svg").as_uri())
    assert [text for text in other.locator("text").all_inner_texts() if text in shown]
    assert other.locator("circle").first.evaluate("c => getComputedStyle(c).fill") != "rgb(0, 0, 0)"
    other.close()
    page.locator("#import").set_input_files(tmp_path / "search")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".notices")).to_contain_text("Imported")
    expect(page.locator("#simulations")).to_have_text("3000")
    expect(page.locator("#tree .node").first).to_contain_text("3000")
    desk.run(100)


def test_deleting_asks_once_more(desk: Desk) -> None:
    made = desk.prepare(game="connect4", name="to be deleted")
    page = desk.open()
    page.locator("#open-keep").click()
    row = page.locator(".sessions li", has_text="to be deleted")
    row.get_by_role("button").click()
    expect(row.get_by_role("button")).to_have_text("Really delete?")
    assert desk.http.get(f"/v1/sessions/{made.rpartition('/')[2]}").status_code == 200
    row.get_by_role("button").click()
    expect(row).to_have_count(0)
    assert desk.http.get(f"/v1/sessions/{made.rpartition('/')[2]}").status_code == 404


def test_the_server_is_started_again_and_everything_is_there(browser: Any, tmp_path: Path) -> None:
    """Of `playout serve` itself: the open page comes back by itself, and the permalink opens the session as it was."""
    with process(tmp_path) as bench:
        desk = Desk(browser, bench.address)
        page = desk.open(desk.prepare(game="tictactoe", seed=6))
        desk.run(400)
        page.locator("#play-best").click()
        expect(page.locator(".moment")).to_have_count(2)
        expect(page.locator("#moves tbody tr")).to_have_count(8)
        rows = page.locator("#moves tbody tr").all_inner_texts()
        link = page.url.removeprefix(bench.address)
        bench.stop()
        expect(page.locator("header.top")).to_contain_text("No connection")
        page.locator("#run").click()
        expect(page.locator(".notices")).to_contain_text("The server does not answer.")
        bench.start()
        expect(page.locator("header.top")).not_to_contain_text("No connection", timeout=PATIENCE)
        other = Desk(browser, bench.address)
        opened = other.open(link)
        expect(opened.locator(".moment")).to_have_count(2)
        expect(opened.locator("#moves tbody tr")).to_have_count(8)
        assert opened.locator("#moves tbody tr").all_inner_texts() == rows
        opened.locator("#open-keep").click()
        expect(opened.locator(".sessions li.here")).to_contain_text("tictactoe")
        other.close()
        desk.run(100)
        desk.seen.complaints.clear()  # Chromium reports the connections that failed
        desk.close()


# 8. Ask


def test_questions_without_a_model_get_the_built_in_explanation(desk: Desk) -> None:
    page = desk.open(desk.prepare(500, game="tictactoe", seed=6))
    phase(page, "selection")
    page.locator(".step-panel").get_by_role("button", name="Explain this step").click()
    answers = page.locator(".answer")
    expect(answers).to_have_count(1)
    expect(answers.first).to_contain_text("501")
    expect(answers.first).to_contain_text("built-in explanation")
    page.locator("#ask-choice").click()
    expect(answers).to_have_count(2)
    expect(answers.first).to_contain_text("legal actions the search chooses")
    page.locator("#question").fill("Why not the corner?")
    page.locator("#ask-send").click()
    expect(answers).to_have_count(3)
    expect(answers.first.locator("h4")).to_have_text("Why not the corner?")


def test_questions_go_to_the_model_of_the_server(browser: Any, tmp_path: Path) -> None:
    model = Model()
    model.text = ANSWER
    environment = {
        "PLAYOUT_LLM_URL": f"{model.address}/v1",
        "PLAYOUT_LLM_MODEL": "some/model",
        "PLAYOUT_LLM_KEY": "sk-secret",
    }
    try:
        with serving(tmp_path, environment=environment) as bench:
            desk = Desk(browser, bench.address)
            page = desk.open(desk.prepare(200, game="tictactoe", seed=6))
            page.locator("#tab-why").click()
            expect(page.locator(".ask")).to_contain_text("Answered by some/model")
            page.locator("#question").fill("Why?")
            page.locator("#question").press("Enter")
            answer = page.locator(".answer")
            expect(answer).to_contain_text(ANSWER)  # as text
            assert page.title() != "taken"
            assert "sk-secret" not in page.content()
            desk.close()
    finally:
        model.shutdown()
        model.server_close()

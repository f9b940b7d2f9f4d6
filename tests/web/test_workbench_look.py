"""The workbench in a real Chromium, 4: look at the tree."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from .workbench_page import PATIENCE, Desk, game_named, number

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]


def test_the_tree_opens_closes_pans_and_zooms(desk: Desk) -> None:
    page = desk.open(desk.prepare(30_000, game="connect4", seed=2))
    nodes = page.locator("#tree .node")
    expect(page.locator("#tree")).to_contain_text("30.0k")
    at = page.locator("#tree .node[data-at='0']")
    before = nodes.count()
    at.locator(".turn").click()
    expect(page.locator("#tree .node[data-at^='0,']")).to_have_count(6)
    assert nodes.count() == before + 6
    at.locator(".turn").click()
    expect(nodes).to_have_count(before)
    radii = {float(r) for r in nodes.locator(".dot").evaluate_all("dots => dots.map((d) => d.getAttribute('r'))")}
    fills = set(nodes.locator(".dot").evaluate_all("dots => dots.map((d) => d.getAttribute('fill'))"))
    assert max(radii) > 2 * min(radii)
    assert len(fills) > 4
    where = page.locator("#tree > g")
    first = where.get_attribute("transform")
    box = page.locator(".tree-box").bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    page.mouse.wheel(0, -300)
    zoomed = where.get_attribute("transform")
    page.mouse.down()
    page.mouse.move(box["x"] + 140, box["y"] + 90, steps=4)
    page.mouse.up()
    panned = where.get_attribute("transform")
    assert len({first, zoomed, panned}) == 3
    page.get_by_role("button", name="Fit").click()
    expect(where).to_have_attribute("transform", first)
    pinch(desk, box)
    assert number(where.get_attribute("transform").partition("scale(")[2]) == pytest.approx(
        min(4, 2 * number(first.partition("scale(")[2])), rel=0.02
    )
    page.get_by_role("button", name="Fit").click()
    expect(where).to_have_attribute("transform", first)
    shown = page.locator("#tree .node[data-at]:not([data-at*=',']) .numbers").all_text_contents()
    visits = [number(text.split("·")[0]) for text in shown]
    assert sorted(visits, reverse=True) == visits  # the root, then the most visited child first


def pinch(desk: Desk, box: Any) -> None:
    """Two fingers, 80 points apart and then 160."""
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers = desk.context.new_cdp_session(desk.page)
    for kind, apart in (("touchStart", 80), ("touchMove", 100), ("touchMove", 160), ("touchEnd", None)):
        points = [{"x": x + side * apart / 2, "y": y, "id": side + 1} for side in (-1, 1)] if apart else []
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        desk.page.wait_for_timeout(50)


def test_find_a_move_follow_the_principal_line_and_see_the_whole_tree(desk: Desk) -> None:
    page = desk.open(desk.prepare(30_000, game="connect4", seed=2))
    page.locator("#find").fill("7")
    expect(page.locator(".found button").first).to_be_visible()
    page.locator(".found button").nth(1).click()
    expect(page.locator("#tab-node")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".node-panel h3")).to_contain_text("7")
    expect(page.locator("#tree .node.chosen .move")).to_have_text("7")
    expect(page.locator(".node-board")).to_be_visible()
    assert page.locator(".node-board").evaluate("image => image.naturalWidth") > 0
    cells = page.locator("#icicle .cell")
    assert cells.count() > 40
    wide = page.locator("#icicle .cell rect").evaluate_all(
        "rects => rects.map((r) => [+r.getAttribute('y'), +r.getAttribute('width')])"
    )
    for row in {y for y, _ in wide}:  # each row's shares are at most the whole
        assert sum(w for y, w in wide if y == row) <= wide[0][1] + 5
    cells.nth(1).click()
    expect(page.locator(".node-panel h3")).to_have_text(desk.state("/result")["actions"][0]["action"])
    page.locator(".node-panel .chip", has_text="root").click()
    line = desk.state("/line")
    page.get_by_role("button", name="Principal line").click()
    at = ",".join(str(n) for n in line["path"])
    expect(page.locator(f"#tree .node[data-at='{at}']")).to_have_class("node principal chosen", timeout=PATIENCE)
    expect(page.locator(".node-panel h3")).to_have_text(
        " ".join(node["action"] for node in line["nodes"][-len(line["path"]) :])
    )


def test_the_lines_after_the_best_moves_stand_side_by_side(desk: Desk) -> None:
    page = desk.open(desk.prepare(3_000, game="connect4", seed=2))
    actions = desk.state("/result")["actions"][:3]
    expect(page.locator(".lines li")).to_have_count(3)
    for row, action in zip(page.locator(".lines li").all(), actions, strict=True):
        assert row.locator("button").all_inner_texts() == action["line"][:12]
    page.locator(".lines li").nth(1).locator("button").nth(1).click()
    expect(page.locator(".node-panel h3")).to_have_text(" ".join(actions[1]["line"][:2]))
    with page.expect_download() as found:
        page.locator(".node-panel").get_by_role("link", name="JSON").click()
    saved = json.loads(Path(found.value.path()).read_text(encoding="utf-8"))
    assert saved["tree"]["action"] == actions[1]["line"][1]


def test_two_hundred_children_stay_usable(desk: Desk) -> None:
    page = desk.open(desk.prepare(5000, game=game_named(desk, "Wide"), seed=2))
    first = page.locator("#tree .node:not([data-at*=','])")
    expect(first).to_have_count(9)  # the root and eight of its children
    more = page.locator("#tree .more[data-at^='/']")
    expect(more).to_have_text("192 more")
    more.click()
    expect(first).to_have_count(29)
    expect(more).to_have_text("172 more")
    expect(page.locator("#moves tbody tr")).to_have_count(10)
    page.locator("#find").fill("199")
    expect(page.locator(".found button")).not_to_have_count(0)
    page.locator("#find").press("Enter")
    expect(page.locator("#tree .node.chosen .move")).to_have_text("199")


def test_graph_search_shows_shared_nodes_as_shared(desk: Desk) -> None:
    page = desk.open(desk.prepare(5000, game="tictactoe", seed=2, options={"transpositions": "on", "solver": "off"}))
    shared = desk.state("/tree?depth=3&width=9")
    paths: dict[int, list[list[int]]] = {}

    def walk(node: dict[str, Any], path: list[int]) -> None:
        if node["shared"] and len(path) == 3:
            paths.setdefault(node["node"], []).append(path)
        for child in node["children"]:
            walk(child, [*path, child["number"]])

    walk(shared, [])
    one, two = next(places for places in paths.values() if len(places) > 1)[:2]
    for path in (one, two):
        for depth in (1, 2):
            at = ",".join(str(n) for n in path[:depth])
            turn = page.locator(f"#tree .node[data-at='{at}']")
            if page.locator(f"#tree .node[data-at^='{at},']").count() == 0:
                turn.locator(".turn").dispatch_event("click")
                expect(page.locator(f"#tree .node[data-at^='{at},']")).not_to_have_count(0)
            while page.locator(f"#tree .node[data-at='{','.join(str(n) for n in path[: depth + 1])}']").count() == 0:
                page.locator(f"#tree .more[data-at^='{at}/']").dispatch_event("click")
                page.wait_for_timeout(300)
    first = page.locator(f"#tree .node[data-at='{','.join(map(str, one))}']")
    expect(first.locator(".shared-sign")).to_have_count(1)
    expect(page.locator("#tree .shared-link")).not_to_have_count(0)
    first.dispatch_event("click")
    expect(page.locator(".node-panel")).to_contain_text("reached by several paths")


def test_results_are_shown_where_they_are_counted(desk: Desk) -> None:
    page = desk.open(desk.prepare(300, game="tictactoe", seed=2, options={"wdl": "on"}))
    best = desk.state("/result")["actions"][0]
    shares = [round(100 * n / best["visits"]) for n in best["wdl"]]
    expect(page.locator("#moves thead")).to_contain_text("W/D/L")
    text = page.locator("#moves tbody tr").first.inner_text()
    assert f"{shares[0]}/{100 - shares[0] - shares[2]}/{shares[2]}%" in text
    page.locator("#moves tbody tr").first.click()
    expect(page.locator(".node-panel .facts")).to_contain_text("W/D/L")


@pytest.mark.slow
def test_a_million_nodes_stay_usable(desk: Desk) -> None:
    """How long it takes is measured in benchmarks/web.py."""
    page = desk.open(desk.prepare(1_000_100, game="connect4", seed=2))
    assert desk.state()["nodes"] >= 1_000_000
    expect(page.locator("#tree")).to_contain_text("1.00M")
    assert page.locator("#icicle .cell").count() > 100
    page.get_by_role("button", name="Principal line").click()
    expect(page.locator("#tree .node.principal.chosen")).to_have_count(1)
    page.locator("#find").fill("7")
    expect(page.locator(".found button")).not_to_have_count(0)
    assert page.evaluate("performance.getEntriesByName('tree drawn').length") > 0


def test_the_best_line_found_is_drawn_and_its_return_charted(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="knapsack", preset="optimise", seed=1))
    expect(page.locator("#found")).to_have_count(0)  # nothing was searched yet
    for simulations in (10, 30, 50):
        desk.run(simulations)
    found = desk.state("/result")["best_found"]
    expect(page.locator("#found-value")).to_have_text(f"{found['value']:+.1f}")
    assert page.locator("#found .chip").all_text_contents() == found["line"]
    end = page.locator("#found-end")
    expect(end).to_have_attribute("alt", found["position"])
    assert end.evaluate("image => image.naturalWidth") > 0
    inside, panel = page.locator("#found").bounding_box(), page.locator("#panel").bounding_box()
    assert panel["x"] <= inside["x"]
    assert inside["x"] + inside["width"] <= panel["x"] + panel["width"]
    chart = page.locator(".chart", has_text="Best return found")
    heights = [float(y) for y in re.findall(r",([\d.]+)", chart.locator("path.line").get_attribute("d"))]
    assert heights == sorted(heights, reverse=True)  # the best return never falls, and y grows downwards

"""The workbench in a real Chromium: each test does what a person does, and looks at what a person sees."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect, sync_playwright

from .web_server import Model
from .workbench_page import PATIENCE, Watched, Workbench, need_chromium, number, serving

pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]

GAMES = Path(__file__).with_name("workbench_games.py")
BUILT_IN = {"chess", "connect4", "othello", "target_sum", "tictactoe"}
ANSWER = "Because <b>it</b> was <script>document.title='taken'</script> visited most."


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = need_chromium()
    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    need_chromium()
    with serving(tmp_path_factory.mktemp("data"), games=[f"{GAMES}:Hostile", f"{GAMES}:Wide"]) as found:
        yield found


class Desk:
    """A page of the workbench, and a client for what is prepared or checked behind its back."""

    def __init__(self, browser: Any, bench: Workbench, **more: Any) -> None:
        more = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US", "accept_downloads": True, **more}
        self.bench, self.context = bench, browser.new_context(**more)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.seen = Watched(self.page)
        self.http = httpx.Client(base_url=bench.address, timeout=120)

    def open(self, path: str = "/") -> Any:
        self.page.goto(self.bench.address + path)
        expect(self.page.locator("#tree .node").first).to_be_visible(timeout=PATIENCE)
        return self.page

    def prepare(self, simulations: int = 0, **session: Any) -> str:
        """A session made through the interface; its permalink."""
        made = self.http.post("/api/sessions", json=session).raise_for_status().json()
        if simulations:
            self.http.post(f"/api/sessions/{made['id']}/run", json={"simulations": simulations}).raise_for_status()
            while self.http.get(f"/api/sessions/{made['id']}").json().get("run", "busy"):
                time.sleep(0.1)
        return str(made["permalink"])

    def state(self, what: str = "") -> Any:
        session = self.page.locator("main").get_attribute("data-session")
        return self.http.get(f"/api/sessions/{session}{what}").raise_for_status().json()

    def run(self, simulations: int) -> None:
        self.page.locator("#budget").fill(str(simulations))
        self.page.locator("#run").click()
        self.wait_idle(simulations)

    def wait_idle(self, simulations: int) -> None:
        expect(self.page.locator("#run")).to_contain_text("Run", timeout=PATIENCE)
        deadline = time.monotonic() + 60
        while number(self.page.locator("#simulations").inner_text()) < simulations:
            assert time.monotonic() < deadline, "the run did not come to its end on the page"
            self.page.wait_for_timeout(50)

    def close(self) -> None:
        self.http.close()
        self.context.close()
        strangers = [url for url in self.seen.requests if not url.startswith((self.bench.address, "blob:", "data:"))]
        assert not strangers, "a request to another host"
        assert not self.seen.complaints, "messages on the console"


@pytest.fixture
def desk(browser: Any, bench: Workbench) -> Iterator[Desk]:
    found = Desk(browser, bench)
    yield found
    found.close()


def board(page: Any) -> str:
    return str(page.locator("#board").get_attribute("src"))


def all_drawn(page: Any) -> None:
    """Each position of the game so far has its picture."""
    images = page.locator(".moment img")
    for i in range(images.count()):
        expect(images.nth(i)).to_have_js_property("complete", True)
        assert images.nth(i).evaluate("image => image.naturalWidth") > 0


# 1. Set up


def test_a_new_user_finds_a_ready_session_with_run_step_and_play(desk: Desk) -> None:
    page = desk.open()
    expect(page.locator("header.top")).to_contain_text("tictactoe")
    expect(page.locator("#run")).to_be_enabled()
    expect(page.locator("#step")).to_be_enabled()
    expect(page.locator("#play-best")).to_be_disabled()  # nothing is known yet
    expect(page.locator(".hint")).to_contain_text("Press Run, or Step")
    expect(page.locator("#tree .node")).to_have_count(10)
    page.locator("#run").click()
    expect(page.locator("#play-best")).to_be_enabled(timeout=PATIENCE)


def test_set_up_a_game_with_its_settings_a_preset_and_options(desk: Desk) -> None:
    page = desk.open()
    page.locator("#open-setup").click()
    game = page.locator("[data-field=game]")
    offered = {option.split(" ")[0] for option in game.locator("option").all_inner_texts()}
    assert offered >= BUILT_IN
    assert len([name for name in offered if "Hostile" in name or "Wide" in name]) == 2
    game.select_option("target_sum")
    page.locator("[data-setting=target]").fill("12")
    page.locator("[data-setting=moves]").fill("3")
    page.locator("[data-setting=numbers]").fill("2, 3, 7")
    expect(page.locator("#setup-board")).to_have_attribute("alt", "0 of 12 after 0 moves, 3 moves left\nnumbers: 2 3 7")
    page.locator("[data-field=preset]").select_option("textbook")
    expect(page.locator("dialog")).to_contain_text("how much the policy explores")
    page.locator("[data-option=c]").fill("2.5")
    expect(page.locator("dialog .option.changed label")).to_have_text("c")
    expect(page.locator("dialog .option.off label").first).to_have_text("growth")  # counts only with puct
    page.locator("[data-option=policy]").select_option("puct")
    expect(page.locator("dialog [data-option=growth]")).to_be_enabled()
    page.locator("[data-option=policy]").select_option("uct")
    page.locator("[data-field=seed]").fill("7")
    page.locator("#create").click()
    expect(page.locator("header.top")).to_contain_text("target_sum textbook + c=2.5 · seed 7")
    expect(page.locator(".move-list .chip")).to_have_text(["2", "3", "7"])
    desk.run(500)
    state = desk.state()
    assert (state["game_settings"]["target"], state["options"]["c"], state["seed"]) == (12, "2.5", 7)
    best = page.locator("#moves tbody tr").first
    expect(best).to_have_attribute("data-move", desk.state("/result")["best"])
    page.locator("#open-setup").click()  # it begins with what the session has
    expect(page.locator("[data-setting=numbers]")).to_have_value("2, 3, 7")
    expect(page.locator("#start-again")).to_be_enabled()


def test_a_position_is_pasted_or_made_on_the_board_and_searched_again_with_other_settings(desk: Desk) -> None:
    page = desk.open()
    page.locator("#open-setup").click()
    text = page.locator("[data-field=position]")
    text.fill("X.O/.X./...?")
    expect(page.locator("dialog .problem")).to_contain_text("X.O/.X./...?")
    expect(page.locator("#create")).to_be_disabled()
    text.fill("X.O/.X./...")
    expect(page.locator("dialog .turn-line")).to_contain_text("X.O/.X./...")
    expect(page.locator("dialog .turn-line")).to_contain_text("player 2 to move")
    expect(page.locator("dialog .problem")).to_have_count(0)
    page.get_by_role("button", name="From the start").click()
    expect(page.locator("dialog .turn-line")).to_contain_text(".../.../...")
    page.locator("dialog .square[aria-label='Play 5']").click()
    expect(page.locator("dialog .turn-line")).to_contain_text(".../.X./...")
    page.locator("dialog .move-list .chip", has_text="1").click()
    expect(page.locator("dialog .turn-line")).to_contain_text("O../.X./...")
    page.locator("dialog .square[aria-label='Play 9']").click()
    expect(page.locator("dialog .turn-line")).to_contain_text("O../.X./..X")
    page.get_by_role("button", name="Take back").click()
    expect(page.locator("dialog .turn-line")).to_contain_text("O../.X./...")
    page.locator("#create").click()
    expect(page.locator(".position-card .position-text")).to_have_text("O../.X./...")
    desk.run(300)
    page.locator("#open-setup").click()
    page.locator("[data-option=c]").fill("0.5")
    page.locator("#start-again").click()
    expect(page.locator("#simulations")).to_have_text("0")
    expect(page.locator("header.top")).to_contain_text("c=0.5")
    expect(page.locator(".position-card .position-text")).to_have_text("O../.X./...")
    desk.run(300)
    desk.seen.complaints.clear()  # Chromium reports the 400 for the bad position


# 2. Run


def test_run_for_a_number_a_time_and_until_stopped(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="othello", seed=1))
    desk.run(2000)
    expect(page.locator("#simulations")).to_have_text("2000")
    expect(page.locator("#status")).to_contain_text("done")
    page.get_by_role("radio", name="Time").click()
    page.locator("#budget").fill("0.5")
    page.locator("#run").click()
    expect(page.locator("#status")).to_contain_text("time is up", timeout=PATIENCE)
    page.get_by_role("radio", name="∞").click()
    page.locator("#run").click()
    expect(page.locator("#run")).to_contain_text("Stop")
    expect(page.locator(".progress.endless")).to_be_visible()
    page.wait_for_timeout(500)
    page.locator("#run").click()
    expect(page.locator("#run")).to_contain_text("Run", timeout=PATIENCE)
    expect(page.locator("#status")).to_contain_text("stopped")
    before = desk.state()["simulations"]
    page.wait_for_timeout(300)
    assert desk.state()["simulations"] == before


def test_table_tree_and_charts_follow_five_times_a_second(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="othello", seed=1))
    page.get_by_role("radio", name="∞").click()
    page.locator("#run").click()
    expect(page.locator(".chart polyline").first).to_be_visible(timeout=PATIENCE)
    main = page.locator("main")
    first = int(main.get_attribute("data-updates"))
    page.wait_for_function(f"() => Number(document.querySelector('main').dataset.updates) >= {first + 5}")

    def look() -> list[str]:
        return [
            page.locator("#simulations").inner_text(),
            page.locator("#moves tbody").inner_text(),
            page.locator("#tree").text_content(),
            page.locator(".chart polyline").first.get_attribute("points"),
        ]

    before = look()
    page.wait_for_timeout(1200)
    after = look()
    page.locator("#run").click()
    assert all(old != new for old, new in zip(before, after, strict=True))


# 3. Step


def phase(page: Any, name: str) -> Any:
    """Press Step, and wait until the phase has been shown to its end."""
    page.locator("#step").click()
    panel = page.locator(f".step-panel[data-phase={name}]")
    expect(panel).to_be_visible()
    return panel


def test_a_step_shows_its_four_phases(desk: Desk) -> None:
    page = desk.open(desk.prepare(60, game="tictactoe", seed=3))
    before = page.locator("#tree .node").count()

    panel = phase(page, "selection")
    expect(panel).to_contain_text("Node 2 of 2 on the path", timeout=PATIENCE)
    expect(page.locator("#tree .node.path, #tree .node.now")).to_have_count(2)
    expect(page.locator("#tree .edge.lit")).not_to_have_count(0)
    rows = panel.locator("tbody tr")
    assert rows.count() >= 7
    expect(panel.locator("tr[data-chosen]")).to_have_count(1)
    page.locator("#beat-back").click()  # at the root all children were visited: finite scores
    expect(panel).to_contain_text("Node 1 of 2 on the path")
    terms = panel.locator("tr[data-chosen] td").all_inner_texts()
    value, exploration, score = (number(text) for text in terms[1:4])
    assert score == pytest.approx(value + exploration, abs=2e-3)
    scores = [number(text) for text in panel.locator("tbody tr td:nth-child(5)").all_inner_texts()]
    assert score == max(scores)
    grown = page.locator("#tree .node").count()

    panel = phase(page, "expansion")
    expect(page.locator("#tree .node.fresh")).to_have_count(1)
    expect(panel).to_contain_text("added to the tree")
    assert page.locator("#tree .node").count() > grown
    drawn = board(page)

    panel = phase(page, "playout")
    expect(panel.locator("#outcome")).to_be_visible(timeout=PATIENCE)
    assert board(page) != drawn  # the moves were played on the board
    chips = panel.locator(".chip.static")
    expect(panel.locator(".chip.done")).to_have_count(chips.count())
    expect(panel.locator("#outcome")).to_contain_text("player 1:")
    root = page.locator("#tree .node").first
    expect(root).to_contain_text("60")

    panel = phase(page, "backup")
    expect(panel).to_contain_text("every other number stays", timeout=PATIENCE)
    changes = [row.split() for row in panel.locator("tbody tr").all_inner_texts()]
    assert ["root", "visits", "60", "→", "61"] in changes
    expect(root).to_contain_text("61")
    expect(page.locator("#tree .node.changed, #tree .node.now")).not_to_have_count(0)
    assert before > 9


def test_forward_back_to_a_simulation_and_slow_motion(desk: Desk) -> None:
    page = desk.open(desk.prepare(20, game="tictactoe", seed=5))
    which = page.locator("#simulation")
    page.locator("#beat-on").click()
    expect(which).to_have_text("Simulation 21")
    page.locator("#go-to").fill("7")
    page.locator("#go-to").press("Enter")
    expect(which).to_have_text("Simulation 7")
    expect(page.locator("#simulations")).to_have_text("7")
    page.locator("#sim-on").click()
    expect(which).to_have_text("Simulation 8")
    expect(page.locator(".step-panel")).to_have_attribute("data-phase", "selection")
    page.locator("[data-phase=backup] >> nth=0").click()
    expect(page.locator(".step-panel")).to_have_attribute("data-phase", "backup")
    page.locator("#sim-back").click()
    expect(which).to_have_text("Simulation 7")
    page.locator("#beat-back").click()
    for _ in range(3):
        page.locator("#beat-back").click()
    expect(which).to_have_text("Simulation 6")
    page.locator(".stepper select").select_option("5")
    page.locator("#slow").click()
    expect(which).to_have_text("Simulation 8", timeout=PATIENCE)
    page.locator("#slow").click()
    expect(page.locator("#slow")).to_contain_text("Slow motion")
    here = which.inner_text()
    page.wait_for_timeout(700)
    assert which.inner_text() == here


def test_steps_are_the_simulations_of_a_plain_run(desk: Desk) -> None:
    plain = desk.prepare(9, game="connect4", seed=11)
    page = desk.open(desk.prepare(game="connect4", seed=11))
    for k in range(1, 10):
        page.locator("#sim-on").click()
        expect(page.locator("#simulation")).to_have_text(f"Simulation {k}")
    page.locator("#tab-moves").click()
    expect(page.locator("#simulations")).to_have_text("9")
    stepped = page.locator("#moves tbody tr").all_inner_texts()
    desk.open(plain)
    expect(page.locator("#simulations")).to_have_text("9")
    assert page.locator("#moves tbody tr").all_inner_texts() == stepped


# 4. Look


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
    shown = page.locator("#tree .node[data-at]:not([data-at*=',']) .numbers").all_text_contents()
    visits = [number(text.split("·")[0]) for text in shown]
    assert sorted(visits, reverse=True) == visits  # the root, then the most visited child first


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


def game_named(desk: Desk, name: str) -> str:
    games = desk.http.get("/api/games").json()["games"]
    return str(next(game["game"] for game in games if name in game["game"]))


def test_graph_search_shows_shared_nodes_as_shared(desk: Desk) -> None:
    page = desk.open(desk.prepare(5000, game="tictactoe", seed=2, options={"transpositions": "on", "solver": "off"}))
    shared = desk.state("/tree?depth=3&width=9")
    paths: dict[int, list[list[int]]] = {}

    def walk(node: dict[str, Any], path: list[int]) -> None:
        if node["shared"] and len(path) == 3:
            paths.setdefault(node["id"], []).append(path)
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


@pytest.mark.slow
def test_a_million_nodes_are_drawn_in_a_fifth_of_a_second(desk: Desk) -> None:
    page = desk.open(desk.prepare(1_000_100, game="connect4", seed=2))
    assert desk.state()["nodes"] >= 1_000_000
    expect(page.locator("#tree")).to_contain_text("1.00M")
    took = []
    for _ in range(5):
        page.evaluate("performance.clearMeasures()")
        fetched = page.evaluate(
            """async () => {
                const began = performance.now();
                const { session } = document.querySelector("main").dataset;
                await (await fetch(`/api/sessions/${session}/tree?depth=2&width=7`)).json();
                return performance.now() - began;
            }"""
        )
        page.get_by_role("button", name="Zoom in").click()
        page.wait_for_timeout(300)
        drawn = page.evaluate("performance.getEntriesByName('tree drawn').map((entry) => entry.duration)")
        took.append(fetched + max(drawn))
    assert all(milliseconds > 0 for milliseconds in took)  # how long, benchmarks/web.py says


# 5. Decide


def test_the_best_move_with_its_reason_is_played_and_the_game_walked_back(desk: Desk) -> None:
    page = desk.open(desk.prepare(20_000, game="connect4", seed=4))
    result = desk.state("/result")
    page.locator("#tab-why").click()
    expect(page.locator("#best-move")).to_have_text(result["best"])
    reason = page.locator("#reason")
    expect(reason).to_contain_text(f"Of 7 legal actions the search chooses {result['best']}")
    expect(reason).to_contain_text("the 95% interval is")
    expect(page.locator(".versus tbody tr")).to_have_count(2)
    expect(page.locator(".versus .whiskers .span")).to_have_count(2)
    lines = page.locator(".line-row")
    expect(lines).to_have_count(2)
    now = board(page)
    lines.first.locator("button.chip").nth(1).click()
    expect(page.locator(".position-card h2")).to_contain_text(f"Expected: {' '.join(result['line'][:2])}")
    assert board(page) != now
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator("#board")).to_have_attribute("src", now)

    page.locator("#play-best").click()
    kept = page.locator("#kept")
    visits = result["actions"][0]["visits"]
    expect(kept).to_contain_text(f"of 20.0k visits ({round(100 * visits / 20_000)}%)")
    assert board(page) != now
    second = desk.state("/result")["actions"][-1]["action"]
    page.locator(f".square[aria-label='Play {second}']").click()
    expect(page.locator(".moment")).to_have_count(3)
    expect(page.locator(".moment.here")).to_contain_text(f"2. {second}")
    images = page.locator(".moment img")
    all_drawn(page)
    assert images.count() == 3
    page.locator(".moment").first.click()
    expect(page.locator(".moment.here")).to_contain_text("start")
    expect(kept).to_contain_text("The whole tree was still here")
    expect(page.locator("#board")).to_have_attribute("src", now)
    other = result["actions"][-1]["action"]
    page.locator(f"tr[data-move='{other}'] .play").click() if page.locator("#moves").count() else page.locator(
        ".move-list .chip", has_text=other
    ).click()
    expect(page.locator(".moments.branch")).to_have_count(1)
    expect(page.locator(".moment.here")).to_contain_text(f"1. {other}")
    expect(page.locator(".moment")).to_have_count(4)


def test_a_game_is_played_to_its_end(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="tictactoe", position="XX./OO./...", seed=1))
    page.locator("#run").click()
    expect(page.locator("#status")).to_contain_text("solved", timeout=PATIENCE)
    expect(page.locator("#play-best")).to_contain_text("Play 3")
    expect(page.locator(".best-numbers")).to_contain_text("proven")
    page.locator("#play-best").click()
    expect(page.locator(".turn-line")).to_contain_text("The game is over")
    expect(page.locator("#run")).to_be_disabled()
    expect(page.locator("#step")).to_be_disabled()


def test_where_chance_moves_its_outcome_is_drawn(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="game2048", preset="game2048", seed=1))
    desk.run(300)
    page.locator("#play-best").click()
    expect(page.locator("#play-best")).to_contain_text("Draw chance")
    expect(page.locator(".turn-line")).to_contain_text("chance to move")
    expect(page.locator("#run")).to_be_disabled()  # there is nothing to choose
    expect(page.locator("#step")).to_be_disabled()
    page.locator("#play-best").click()
    expect(page.locator(".turn-line")).to_contain_text("player 1 to move")
    expect(page.locator(".moment")).to_have_count(3)
    expect(page.locator("#run")).to_be_enabled()


# 6. Compare


def test_two_settings_are_compared_on_the_same_position(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="connect4", position="441", seed=4))
    page.locator("#open-compare").click()
    page.locator("[data-side=B] [data-field=preset]").select_option("guided")
    page.locator("#compare-budget").fill("4000")
    page.locator("#run-both").click()
    expect(page.locator("#agreement")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".side-simulations")).to_have_text(["4000", "4000"])
    best = page.locator(".side-best").all_inner_texts()
    said = page.locator("#agreement").inner_text()
    assert said == (f"Both choose {best[0]}." if best[0] == best[1] else f"A chooses {best[0]}, B chooses {best[1]}.")
    expect(page.locator("[data-side=A] tbody tr")).to_have_count(7)
    expect(page.locator("[data-side=B] tbody tr")).to_have_count(7)
    assert page.locator("[data-side=A] tbody").inner_text() != page.locator("[data-side=B] tbody").inner_text()
    page.locator("[data-side=B]").get_by_role("button", name="Go on with this one").click()
    expect(page.locator("header.top")).to_contain_text("guided")
    expect(page.locator("#simulations")).to_have_text("4000")
    expect(page.locator(".position-card .position-text")).to_have_text("441")


# 7. Keep


def test_sessions_are_named_linked_exported_and_imported(desk: Desk, tmp_path: Path) -> None:
    page = desk.open(desk.prepare(3000, game="connect4", seed=6))
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
    page.locator("#import").set_input_files(tmp_path / "search")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".notices")).to_contain_text("Imported")
    expect(page.locator("#simulations")).to_have_text("3000")
    expect(page.locator("#tree .node").first).to_contain_text("3000")
    desk.run(100)


def test_an_svg_that_was_exported_looks_like_the_tree(desk: Desk, tmp_path: Path) -> None:
    page = desk.open(desk.prepare(3000, game="connect4", seed=6))
    shown = page.locator("#tree .node .move").all_inner_texts()
    page.locator("#open-keep").click()
    with page.expect_download() as download:
        page.locator("#save-svg").click()
    download.value.save_as(tmp_path / "tree.svg")
    other = desk.context.new_page()
    other.goto((tmp_path / "tree.svg").as_uri())
    texts = other.locator("text").all_inner_texts()
    assert [text for text in texts if text in shown]
    assert other.locator("circle").first.evaluate("c => getComputedStyle(c).fill") != "rgb(0, 0, 0)"
    other.close()


def test_sessions_survive_a_restart_of_the_server(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as bench:
        desk = Desk(browser, bench)
        page = desk.open(desk.prepare(game="tictactoe", seed=6))
        desk.run(400)
        page.locator("#play-best").click()
        expect(page.locator(".moment")).to_have_count(2)
        kept, link = page.locator("#kept").inner_text(), page.url.removeprefix(bench.address)
        expect(page.locator("#moves tbody tr")).to_have_count(8)
        rows = page.locator("#moves tbody tr").all_inner_texts()
        page.goto("about:blank")
        desk.close()
        bench.stop()
        bench.start()
        desk = Desk(browser, bench)
        page = desk.open(link)
        expect(page.locator(".moment")).to_have_count(2)
        expect(page.locator("#moves tbody tr")).to_have_count(8)
        assert page.locator("#moves tbody tr").all_inner_texts() == rows
        assert kept
        desk.run(100)
        page.locator("#open-keep").click()
        expect(page.locator(".sessions li.here")).to_contain_text("tictactoe")
        desk.close()


def test_the_page_comes_back_when_the_server_does(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as bench:
        desk = Desk(browser, bench)
        page = desk.open(desk.prepare(100, game="tictactoe", seed=6))
        bench.stop()
        expect(page.locator("header.top")).to_contain_text("No connection")
        page.locator("#run").click()
        expect(page.locator(".notices")).to_contain_text("The server does not answer.")
        bench.start()
        expect(page.locator("header.top")).not_to_contain_text("No connection", timeout=PATIENCE)
        desk.run(200)
        expect(page.locator("#tree .node").first).to_contain_text("300")
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
            desk = Desk(browser, bench)
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


# The page as a whole


def test_texts_and_drawings_of_a_game_are_never_run(desk: Desk) -> None:
    page = desk.open(desk.prepare(game=game_named(desk, "Hostile"), seed=1, options={"solver": "off"}))
    desk.run(40)
    for tab in ("why", "node", "moves"):
        page.locator(f"#tab-{tab}").click()
    page.locator("#tree .node").nth(1).click()
    expect(page.locator(".node-panel h3")).to_contain_text("<b>bold</b>")
    for _ in range(4):
        page.locator("#step").click()
        page.wait_for_timeout(300)
    page.locator("#open-setup").click()
    expect(page.locator("dialog")).to_contain_text("<script>document.title")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("Escape")  # ends the step
    page.locator(".move-list .chip").first.click()
    expect(page.locator(".moment")).to_have_count(2)
    all_drawn(page)
    assert page.title() != "taken"
    assert page.locator("img[src=x], main b:text-is('bold'), main script").count() == 0


def test_everything_is_done_from_the_keyboard(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="tictactoe", seed=1))
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_contain_text("follow the principal line")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("s")
    expect(page.locator(".step-panel")).to_have_attribute("data-phase", "selection")
    page.keyboard.press("s")
    expect(page.locator(".step-panel")).to_have_attribute("data-phase", "expansion")
    page.keyboard.press(",")
    expect(page.locator(".step-panel")).to_have_attribute("data-phase", "selection")
    page.keyboard.press("Escape")
    page.locator("#budget").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("800")
    page.keyboard.press("Enter")
    desk.wait_idle(800)
    page.keyboard.press("t")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    focused = page.evaluate("document.activeElement.getAttribute('data-at')")
    assert focused
    page.keyboard.press("Enter")
    expect(page.locator("#tree .node.chosen")).to_have_attribute("data-at", focused)
    for _ in range(40):  # Tab comes to a move of the list
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.move-list .chip')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator(".moment")).to_have_count(2)
    page.keyboard.press("p")
    expect(page.locator(".moment")).to_have_count(3)
    page.keyboard.press("n")
    expect(page.locator("dialog [data-field=game]")).to_be_visible()


def test_chinese_and_dark(browser: Any, bench: Workbench) -> None:
    desk = Desk(browser, bench, locale="zh-CN", color_scheme="dark")
    page = desk.open(desk.prepare(500, game="connect4", seed=1))
    expect(page.locator("#run")).to_contain_text("运行")
    page.locator("#tab-why").click()
    expect(page.locator("#reason")).to_contain_text("搜索选择")
    page.locator("#open-setup").click()
    expect(page.locator("dialog")).to_contain_text("策略探索的强度")
    expect(page.locator("dialog")).to_contain_text("四子棋")
    page.keyboard.press("Escape")

    def background() -> int:
        return int(page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]"))

    assert background() < 60
    page.locator("#theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert background() > 200
    page.locator("#language").click()
    expect(page.locator("#run")).to_contain_text("Run")
    page.reload()
    expect(page.locator("#run")).to_contain_text("Run")  # both choices are kept
    assert background() > 200
    missing = page.evaluate(
        """async () => {
            const { dictionaries: { en, zh } } = await import("/static/i18n.js");
            return Object.keys(en).filter((name) => !zh[name]);
        }"""
    )
    assert missing == []
    settings = [s["name"] for s in desk.http.get("/api/settings").json()["settings"]]
    words = page.evaluate("import('/static/i18n.js').then((m) => Object.keys(m.dictionaries.zh))")
    assert [name for name in settings if f"setting_{name}" not in words] == []
    desk.close()


@pytest.mark.parametrize(
    ("width", "height"), [(820, 1180), (1180, 820), (1366, 768)], ids=["tablet", "tablet-wide", "laptop"]
)
def test_nothing_is_cut_off_on_a_tablet_or_a_laptop(browser: Any, bench: Workbench, width: int, height: int) -> None:
    desk = Desk(browser, bench, viewport={"width": width, "height": height})
    page = desk.open(desk.prepare(2000, game="chess", preset="chess", seed=1))

    def too_wide() -> Any:
        return page.evaluate("document.documentElement.scrollWidth - innerWidth")

    assert too_wide() <= 0
    phase(page, "selection")
    assert too_wide() <= 0
    for name in ("setup", "compare", "keep"):
        page.locator(f"#open-{name}").click()
        body = page.locator(".dialog-body")
        assert body.evaluate("body => body.scrollWidth - body.clientWidth") <= 0, name
        page.keyboard.press("Escape")
    box = page.locator(".tree-box").bounding_box()
    assert box["height"] > 200
    desk.close()

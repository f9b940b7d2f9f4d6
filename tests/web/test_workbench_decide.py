"""The workbench in a real Chromium, 5 and 6: decide, and compare."""

import pytest
from playwright.sync_api import expect

from .workbench_page import PATIENCE, Desk, all_drawn, board

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]


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
    page.get_by_role("button", name="Back to the current position").click()
    expect(page.locator("#board")).to_have_attribute("src", now)

    page.locator("#play-best").click()
    kept = page.locator("#kept")
    visits = result["actions"][0]["visits"]
    expect(kept).to_contain_text(f"of 20.0k visits ({round(100 * visits / 20_000)}%)")
    assert board(page) != now
    second = desk.state("/result")["actions"][-1]["action"]
    page.locator(f".square[aria-label^='Play {second}']").click()
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


def test_the_reasons_follow_a_run_and_their_button_plays_the_move_that_it_names(desk: Desk) -> None:
    page = desk.open(desk.prepare(200, game="connect4", seed=4))
    numbers = {a["action"]: a["number"] for a in desk.state()["position"]["actions"]}
    page.locator("#tab-why").click()
    reason = page.locator("#reason")
    expect(reason).to_contain_text("The search ran 200 simulations")
    page.get_by_role("radio", name="∞").click()
    page.locator("#run").click()
    expect(reason).not_to_contain_text("The search ran 200 simulations")
    for _ in range(2):  # and again, while the run goes on
        now = reason.inner_text()
        expect(reason).not_to_have_text(now)
    expect(page.locator("#run")).to_contain_text("Stop")
    button = page.locator("#play-why")
    # The best move may change under the hand: read the name and press in one go.
    with page.expect_request("**/play") as request:
        named = button.evaluate("button => (button.click(), button.innerText)")
    sent = request.value.post_data_json
    assert (sent["number"], sent["moment"]) == (numbers[named.removeprefix("Play ")], 0)
    expect(page.locator(".moment.here")).to_contain_text(f"1. {named.removeprefix('Play ')}")


def test_buttons_and_keys_name_the_move_that_they_play(desk: Desk) -> None:
    page = desk.open(desk.prepare(500, game="connect4", seed=4))
    numbers = {a["action"]: a["number"] for a in desk.state()["position"]["actions"]}
    for press in (lambda: page.locator("#play-best").click(), lambda: page.keyboard.press("p")):
        expect(page.locator("#play-best")).to_contain_text("Play ")
        expect(page.locator("#play-best")).to_be_enabled()
        named = page.locator("#play-best").inner_text().removeprefix("Play ").removesuffix(" →")
        with page.expect_request("**/play") as request:
            press()
        assert request.value.post_data_json["number"] == numbers[named]
        expect(page.locator(".moment.here")).to_contain_text(f". {named}")


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

"""The workbench in a real Chromium, 1 and 2: set up, and run.

Each test of the page does what a person does, and looks at what a person sees.
"""

import time
from typing import Any

import pytest
from playwright.sync_api import expect

from .workbench_page import PATIENCE, Desk

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]

BUILT_IN = {"chess", "connect4", "othello", "target_sum", "tictactoe"}


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
    expect(page.locator("dialog [data-option=growth]")).to_have_count(0)  # counts only with puct
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


def test_a_policy_that_the_server_was_started_with_is_chosen_with_its_fields(desk: Desk) -> None:
    page = desk.open()
    page.locator("#open-setup").click()
    policy, c = page.locator("[data-option=policy]"), page.locator("[data-option=c]")
    policy.select_option("puct")
    expect(c).to_have_value("1.25")  # its own, not that of the preset's policy
    policy.select_option("epsilon_greedy:EpsilonGreedy")
    expect(c).to_have_count(0)
    expect(page.locator("[data-option=epsilon]")).to_have_value("0.1")
    policy.select_option("boltzmann:Boltzmann")
    expect(page.locator("[data-option=epsilon]")).to_have_count(0)  # only what counts is shown
    page.get_by_text("All settings").click()
    page.locator("[data-option='policy.temperature']").fill("0.5")
    page.locator("[data-option=temperature]").select_option("#")
    page.locator("#create").click()
    expect(page.locator("header.top")).to_contain_text("policy=boltzmann:Boltzmann, policy.temperature=0.5")
    desk.run(200)
    options = desk.state()["options"]
    assert (options["policy.temperature"], options["temperature"]) == ("0.5", "1")


def test_set_up_offers_the_games_own_preset(desk: Desk) -> None:
    page = desk.open()
    page.locator("#open-setup").click()
    preset = page.locator("[data-field=preset]")
    expect(preset).to_have_value("default")
    page.locator("[data-option=c]").fill("2.5")
    page.locator("[data-field=game]").select_option("chess")
    expect(preset).to_have_value("chess")
    expect(page.locator("[data-option=evaluator]")).to_have_value("network")
    expect(page.locator("#setup-board")).to_be_visible()
    page.locator("#create").click()
    expect(page.locator("header.top")).to_contain_text("chess chess · seed")
    assert (desk.state()["preset"], desk.state()["changed"]) == ("chess", [])


def test_a_position_is_pasted_or_made_on_the_board_and_searched_again_with_other_settings(desk: Desk) -> None:
    page = desk.open()
    page.locator("#open-setup").click()
    text = page.locator("[data-field=position]")
    text.fill("X.O/.X./...?")
    expect(page.locator("dialog .problem")).to_contain_text("X.O/.X./...?")
    expect(page.locator("#create")).to_be_disabled()
    text.fill("X.O/.X./...")
    expect(page.locator("dialog .turn-line")).to_contain_text("X.O/.X./...")
    expect(page.locator("dialog .turn-line")).to_contain_text("O to move")
    expect(page.locator("dialog .problem")).to_have_count(0)
    page.get_by_role("button", name="From the start").click()
    expect(page.locator("dialog .turn-line")).to_contain_text(".../.../...")
    page.locator("dialog .square[aria-label^='Play 5']").click()
    expect(page.locator("dialog .turn-line")).to_contain_text(".../.X./...")
    page.locator("dialog .move-list .chip", has_text="1").click()
    expect(page.locator("dialog .turn-line")).to_contain_text("O../.X./...")
    page.locator("dialog .square[aria-label^='Play 9']").click()
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


def test_a_run_that_waits_for_the_compiler_says_so(desk: Desk) -> None:
    page = desk.open()
    held: list[Any] = []
    told = {"compiling": 15, "compiling_for": 4.2, "uncompiled": False, "restoring": None}
    page.route("**/v1/server?*", lambda route: route.fulfill(json=told))
    page.route("**/v1/sessions/*/run", lambda route: held.append(route))  # noqa: PLW0108
    page.locator("#run").click()
    expect(page.locator("#compiling")).to_have_text("compiling once: 4 s so far, about 15 s on an idle machine")
    held[0].continue_()
    expect(page.locator("#compiling")).to_have_count(0)
    expect(page.locator("#play-best")).to_be_enabled()


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
    expect(page.locator(".chart path.line").first).to_be_visible(timeout=PATIENCE)
    main = page.locator("main")
    first = int(main.get_attribute("data-updates"))
    until = time.monotonic() + PATIENCE / 1000
    while (
        int(main.get_attribute("data-updates")) < first + 5
    ):  # the page allows no `wait_for_function`, which evaluates
        assert time.monotonic() < until
        page.wait_for_timeout(50)

    for place in ("#simulations", "#moves tbody", "#tree"):
        expect(page.locator(place)).not_to_have_text(page.locator(place).text_content())
    chart = page.locator(".chart path.line").first
    expect(chart).not_to_have_attribute("d", chart.get_attribute("d"))
    page.locator("#run").click()

"""The workbench's page as a whole, in a real Chromium: hostile texts, the keyboard, languages, colours, sizes."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from playout.settings.options import OPTIONS

from .web_server import Served, serving
from .workbench_page import Desk, all_drawn, game_named, phase

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]


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


EVIL = """async ([server, id]) => {
    const session = `${server}/v1/sessions/${id}`, failed = [];
    const json = { "Content-Type": "application/json" };
    for (const [path, more] of [
        ["", {}],
        ["/run", { method: "POST", mode: "no-cors" }],
        ["/play", { method: "POST", mode: "no-cors", body: '{"number": 3}' }],
        ["/play", { method: "POST", body: '{"number": 3}', headers: json }],
        ["", { method: "DELETE" }],
    ])
        failed.push(await fetch(session + path, more).then(() => false, () => true));
    const make = (name, more) => Object.assign(document.createElement(name), more);
    const form = make("form", { method: "POST", action: `${session}/run`, target: "f" });
    const frame = make("iframe", { name: "f" });
    const image = Object.assign(new Image(), { src: `${session}/board.svg` });
    document.body.append(frame, form);
    form.submit();
    failed.push(await image.decode().then(() => false, () => true));
    const socket = new WebSocket(`${session.replace("http", "ws")}/live`);
    failed.push(await new Promise((done) => {
        socket.onopen = () => done(false);
        socket.onerror = () => done(true);
    }));
    return failed;
}"""


def test_another_page_in_the_same_browser_can_do_nothing(browser: Any, bench: Served, tmp_path: Path) -> None:
    """The other page is that of another server on this machine: the same site, another origin."""
    session = bench.create("connect4")
    with serving(tmp_path) as other:
        page = browser.new_page(bypass_csp=True)
        page.goto(f"{other.address}/docs")
        assert page.evaluate(EVIL, [bench.address, session.rpartition("/")[2]]) == [True] * 7
        page.close()
    state = bench.get(session)
    assert (state["plies"], state["simulations"], state["run"], state["last_run"]) == (0, 0, None, None)


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
    # The focus follows with the next frame: then it is on the one node that Tab comes to, and no longer on the root.
    expect(page.locator("#tree [tabindex='0']:not([data-at='']):focus")).to_have_count(1)
    focused = page.evaluate("document.activeElement.getAttribute('data-at')")
    page.keyboard.press("Enter")
    expect(page.locator("#tree .node.chosen")).to_have_attribute("data-at", focused)
    for _ in range(40):  # Tab comes to a move of the list
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.move-list .chip')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator(".moment")).to_have_count(2)
    expect(page.locator("#play-best")).to_be_enabled()
    page.keyboard.press("p")
    expect(page.locator(".moment")).to_have_count(3)
    page.keyboard.press("n")
    expect(page.locator("dialog [data-field=game]")).to_be_visible()


def test_the_focus_goes_to_the_node_above_where_its_own_is_gone(desk: Desk) -> None:
    """Another line may become the best one while somebody is in the old one."""
    page = desk.open(desk.prepare(800, game="tictactoe", seed=1))
    expect(page.locator("#tree .node[data-at*=',']").first).to_be_visible()
    page.keyboard.press("t")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tree .node:not([data-at='']):focus")).to_have_count(1)
    above = page.evaluate("document.activeElement.getAttribute('data-at')")
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"#tree .node[data-at^='{above},']:focus")).to_have_count(1)
    page.locator(f"#tree .node[data-at='{above}'] .turn").dispatch_event("click")
    expect(page.locator(f"#tree .node[data-at='{above}'][tabindex='0']:focus")).to_have_count(1)


def test_chinese_and_dark(browser: Any, bench: Served) -> None:
    desk = Desk(browser, bench.address, locale="zh-CN", color_scheme="dark")
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
            const { dictionaries: { en, zh } } = await import("/static/words/translate.js");
            return Object.keys(en).filter((name) => !zh[name]);
        }"""
    )
    assert missing == []
    assert [name for name, option in OPTIONS.items() if not option.declared.meaning.zh] == []
    desk.close()


def test_nothing_is_cut_off_on_a_tablet_or_a_laptop(desk: Desk) -> None:
    page = desk.open(desk.prepare(2000, game="chess", preset="chess", seed=1))
    for width, height in ((820, 1180), (1180, 820), (1366, 768)):
        page.set_viewport_size({"width": width, "height": height})

        def too_wide() -> Any:
            return page.evaluate("document.documentElement.scrollWidth - innerWidth")

        assert too_wide() <= 0, width
        phase(page, "selection")
        assert too_wide() <= 0, width
        for name in ("setup", "compare", "keep"):
            page.locator(f"#open-{name}").click()
            body = page.locator(".dialog-body")
            assert body.evaluate("body => body.scrollWidth - body.clientWidth") <= 0, (width, name)
            page.keyboard.press("Escape")
            expect(page.locator("dialog")).to_have_count(0)
        assert page.locator(".tree-box").bounding_box()["height"] > 200
        page.keyboard.press("Escape")  # ends the step


CONTRAST = """() => {
    const parts = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = (colour) => {
        const [r, g, b] = colour.map((p) => (p <= 10 ? p / 3294 : ((p / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const over = (front, back, share) => front.slice(0, 3).map((p, i) => share * p + (1 - share) * back[i]);
    const found = [];
    const look = (element) => {
        const text = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join("");
        const box = element.getBoundingClientRect();
        if (!text || !box.width || element.closest(":disabled, .hidden, .option.off, #icicle")) return;
        const layers = [];
        let opacity = 1;
        for (let e = element; e; e = e.parentElement) {
            const style = getComputedStyle(e);
            opacity *= Number(style.opacity);
            const [r, g, b, a = 1] = parts(style.backgroundColor);
            if (a > 0) layers.push([[r, g, b], a]);
            if (a === 1) break;
        }
        const pill = element.closest("g")?.querySelector(":scope > .pill");
        if (element.ownerSVGElement && pill) layers.unshift([parts(getComputedStyle(pill).fill), 1]);
        const back = layers.reduceRight((under, [colour, a]) => over(colour, under, a), [255, 255, 255]);
        const style = getComputedStyle(element);
        const ink = over(parts(element.ownerSVGElement ? style.fill : style.color), back, opacity);
        const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
        const contrast = (a + 0.05) / (b + 0.05);
        const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        const name = element.className.baseVal ?? element.className;
        if (contrast < (large ? 3 : 4.5)) found.push(`${name} '${text.slice(0, 20)}' ${contrast.toFixed(2)}`);
    };
    document.querySelectorAll("#app *").forEach(look);
    return [...new Set(found)];
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_has_the_contrast_that_wcag_asks_for(browser: Any, bench: Served, theme: str) -> None:
    desk = Desk(browser, bench.address, color_scheme=theme)
    page = desk.open(desk.prepare(500, game="connect4", seed=1))
    for tab in ("why", "moves"):
        page.locator(f"#tab-{tab}").click()
        assert page.evaluate(CONTRAST) == []
    for name in ("selection", "backup"):
        phase(page, "selection") if name == "selection" else page.locator(f"[data-phase={name}] >> nth=0").click()
        assert page.evaluate(CONTRAST) == [], name
    held: list[Any] = []
    page.route("**/v1/positions", lambda route: held.append(route))  # noqa: PLW0108
    page.locator("#open-setup").click()
    expect(page.locator("dialog .checking")).to_be_visible()  # while the server is being asked for the position
    assert page.evaluate(CONTRAST) == []
    while not held:  # the page asks after a pause
        page.wait_for_timeout(20)
    for route in held:
        route.continue_()
    page.unroute("**/v1/positions")
    expect(page.locator("dialog .checking")).to_have_count(0)
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    for name in ("compare", "keep"):
        page.locator(f"#open-{name}").click()
        expect(page.locator("dialog")).to_be_visible()
        assert page.evaluate(CONTRAST) == [], name
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
    page = desk.open(desk.prepare(game="Failing"))
    page.locator("#run").click()
    expect(page.locator(".failure")).to_be_visible()
    assert page.evaluate(CONTRAST) == []
    page.wait_for_load_state("networkidle")  # a request on its way would find no session
    bench.bench.sessions.delete(desk.state()["id"])
    expect(page.locator("main.start .sessions")).to_be_visible()
    assert page.evaluate(CONTRAST) == []
    desk.close()


def test_the_reference_of_the_interface_comes_from_here_alone(desk: Desk) -> None:
    page = desk.page
    page.goto(f"{desk.address}/docs")
    expect(page.locator("summary", has_text="One simulation in its four phases.")).to_be_visible()
    create = page.locator("details", has_text="Create a session, of a game")
    create.locator("summary").click()
    expect(create).to_contain_text("The same seed gives the same search again.")
    expect(create).to_contain_text('"game": "connect4"')  # an example

# ruff: noqa: RUF001  # Chinese punctuation
"""The built-in explanations in Chinese say what the English ones say."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

import playout as po
from playout.web.ask import WORDS
from playout.web.views import explanation_view
from tests.games.toy_games import Nim
from tests.report.test_show import made, result_of, stats

from .web_server import Served, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data")) as found:
        yield found


def test_without_a_model_questions_in_chinese_are_answered_in_chinese(server: Served) -> None:
    session = server.create("connect4", seed=7)
    empty = server.get(f"{session}/explain?language=zh")["text"]
    assert "尚未搜索（7 个合法行动）" in empty
    assert "还没有进行过单步" in server.post(f"{session}/ask", kind="step", language="zh")["answer"]
    server.post(f"{session}/run", simulations=200, wait=True)
    step = server.post(f"{session}/step")
    explained = server.get(f"{session}/explain?language=zh")
    best = explained["facts"]["best"]
    assert f"在 7 个合法行动中，搜索选择 {best['action']}：访问 {best['visits']} 次" in explained["text"]
    assert f"其次是 {explained['facts']['next']['action']}" in explained["text"]
    # The same facts, the same paragraphs.
    assert len(explained["text"].split("\n\n")) == len(server.get(f"{session}/explain")["text"].split("\n\n"))
    question = server.post(f"{session}/ask", kind="question", question="为什么？", language="zh")
    assert (question["answer"], question["source"]) == (explained["text"], "built-in")
    assert "没有配置语言模型" in question["note"]
    told = server.post(f"{session}/ask", kind="step", language="zh")["answer"]
    assert f"第 {step['simulation']} 次模拟" in told
    assert len(told.splitlines()) == len(server.post(f"{session}/ask", kind="step")["answer"].splitlines())
    for text in (explained["text"], told, question["note"]):
        words = set(re.findall(r"[A-Za-z_]{3,}", text))
        assert words <= {"visits", "inf", "PLAYOUT_LLM_URL", "PLAYOUT_LLM_MODEL", "PLAYOUT_LLM_KEY"}


def solved(position: str, **settings: Any) -> po.Result:
    return po.Search(po.games.load("tictactoe"), po.Settings(**settings), position=position, seed=1).run(500)


RESULTS = {
    "a lead": lambda: result_of(simulations=600),
    "a clear lead": lambda: made(stats(3, 900, 0.5, 0.01), stats(2, 100, 0.3, 0.05)),
    "a toss-up": lambda: made(stats(3, 500, 0.50, 0.05), stats(2, 450, 0.45, 0.05)),
    "few visits": lambda: made(stats(3, 20, 0.9, 0.01), stats(2, 10, -0.9, 0.01)),
    "a higher mean elsewhere": lambda: made(stats(3, 500, 0.1, 0.01), stats(2, 40, 0.4, 0.01)),
    "a win": lambda: solved("XX./OO./..."),
    "a draw": lambda: solved("XOX/OOX/.XO"),
    "one action": lambda: solved("XOX/OOX/.XO"),
    "one player": lambda: po.Search(po.games.load("target_sum"), seed=1).run(300),
    "priors": lambda: po.Search(po.games.load("chess"), "guided", seed=1).run(60),
    "three actions": lambda: po.Search(Nim(), seed=1).run(40),
    "not searched": lambda: po.Search(Nim(), seed=1).result(),
    "over": lambda: po.Search(po.games.load("tictactoe"), position="XXX/OO./...").result(),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_each_choice_has_as_many_paragraphs_in_both_languages(kind: str) -> None:
    result = RESULTS[kind]()
    english, told = (explanation_view(result, language)["text"].split("\n\n") for language in ("en", "zh"))
    assert len(told) == len(english)
    for text in told:
        assert re.search(r"[\u4e00-\u9fff]", text)


def test_every_word_has_its_chinese() -> None:
    assert WORDS["zh"].keys() == WORDS["en"].keys()

"""Both languages say the same: one renderer, and tables with the same names and placeholders."""

from string import Formatter
from typing import Any

import pytest

import playout as po
from playout.report import words_en, words_zh
from playout.report.explain import explain, render
from playout.report.facts import explain_data
from playout.report.language import LANGUAGES, Language
from playout.report.steps import step_text
from playout.search import step
from tests.games.toy_games import Nim

from .test_show import made, stats

TABLES = {"en": words_en.WORDS, "zh": words_zh.WORDS}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_languages_have_the_same_names_with_the_same_placeholders() -> None:
    assert words_zh.WORDS.keys() == words_en.WORDS.keys()
    for name, text in words_en.WORDS.items():
        assert placeholders(words_zh.WORDS[name]) == placeholders(text), name


@pytest.mark.parametrize("name", TABLES)
def test_every_rule_stop_ending_and_field_has_its_words(name: str) -> None:
    words = TABLES[name]
    fields = {*step.NODE_FIELDS, *step.EDGE_FIELDS, "proven", "least", "greatest"}
    assert {f"rule_{rule}" for rule in ("visits", "value", "bound", "proof")} <= words.keys()
    assert {f"stop_{stop}" for stop in ("seconds", "nodes", "bytes", "stop", "proven", "decided")} <= words.keys()
    assert {f"ending_{ending}" for ending in step.ENDINGS.values()} <= words.keys()
    assert {f"field_{field}" for field in fields} <= words.keys()
    assert all(words[name] for name in words if name != "between")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the sentences that were said."""
    names: list[str] = []

    def noted(self: Language, name: str, **values: Any) -> str:
        names.append(name)
        return self.words[name].format(**values)

    monkeypatch.setattr(Language, "__call__", noted)
    return names


def test_an_explanation_says_the_same_sentences_in_each_language(said: list[str]) -> None:
    result = made(stats(3, 900, 0.20, 0.01), stats(2, 90, 0.10, 0.01), stats(1, 40, 0.31, 0.1), stopped_by="seconds")
    texts, names = {}, {}
    for language in LANGUAGES:
        said.clear()
        texts[language] = render(explain_data(result), language)
        names[language] = list(said)
    assert names["zh"] == names["en"]
    assert {"chosen", "next", "higher_value", "since_of", "stop_seconds", "intervals"} <= set(names["en"])
    assert texts["en"] == explain(result)
    assert texts["zh"] == explain(result, "zh") != texts["en"]


def test_a_step_says_the_same_lines_in_each_language(said: list[str]) -> None:
    search = po.Search(Nim(), po.Settings(solver=False), position="stones=2 turn=0", seed=1)
    for _ in range(20):
        taken, names = search.step(), {}
        for language in LANGUAGES:
            said.clear()
            text = step_text(taken, language)
            names[language] = list(said)
            assert ("the leaf" in text or "叶节点" in text) == taken.leaf_added
        assert names["zh"] == names["en"]
        assert str(taken) == step_text(taken, "en")


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(po.SettingsError, match="unknown language 'fr', expected one of en, zh"):
        explain(made(stats(3, 1, 0.0)), "fr")

"""Questions to a language model, against a server of our own that speaks both forms, well and badly."""

import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playout.common.chat import ChatModel
from playout.errors import SettingsError
from playout.web.ask import LanguageModel

from .web_server import Model, Served, serving

KEY = "sk-very-secret-key"


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    found = Model()
    yield found
    found.shutdown()
    found.server_close()


@pytest.fixture(autouse=True)
def fresh(model: Model) -> None:
    model.requests.clear()
    model.reply, model.text = None, "Because it was visited most."


@pytest.fixture(scope="module", params=["chat", "gemini"])
def server(request: pytest.FixtureRequest, model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    url = f"{model.address}/v1" if request.param == "chat" else f"{model.address}/gemini"
    environment = {
        "PLAYOUT_LLM_URL": url,
        "PLAYOUT_LLM_MODEL": "some/model",
        "PLAYOUT_LLM_KEY": KEY,
        "PLAYOUT_LLM_TIMEOUT": "300",
    }
    with serving(tmp_path_factory.mktemp("data"), environment=environment) as found:
        yield found


@pytest.fixture
def session(server: Served) -> str:
    session = server.create(seed=1)
    server.post(f"{session}/run", simulations=30, wait=True)
    return session


def test_a_long_answer_is_cut_for_the_page_only(server: Served, session: str, model: Model) -> None:
    model.text = "x" * 30_000
    assert len(server.post(f"{session}/ask", kind="choice", question=None, language="en")["answer"]) == 20_000
    chat = ChatModel({"PLAYOUT_LLM_URL": f"{model.address}/v1", "PLAYOUT_LLM_MODEL": "some/model"})
    assert chat.complete("", "") == model.text


def test_a_question_goes_out_with_the_numbers_and_comes_back(server: Served, session: str, model: Model) -> None:
    server.post(f"{session}/step")
    best = server.get(f"{session}/result")["best"]
    for kind, question in (("choice", None), ("step", None), ("question", "Why not the corner?")):
        answer = server.post(f"{session}/ask", kind=kind, question=question, language="zh")
        assert answer == {"answer": model.text, "source": "model", "model": "some/model", "note": None}
    for (path, headers, body), kind in zip(model.requests, ("choice", "step", "question"), strict=True):
        said = json.dumps(body)
        assert best in said
        assert "Chinese" in said
        assert ("selection" in said) == (kind != "choice")
        if "v1" in path:
            assert path == "/v1/chat/completions"
            assert headers["Authorization"] == f"Bearer {KEY}"
            assert body["model"] == "some/model"
            assert [message["role"] for message in body["messages"]] == ["system", "user"]
        else:
            assert path == "/gemini/models/some%2Fmodel:generateContent"
            assert {name.lower(): value for name, value in headers.items()}["x-goog-api-key"] == KEY
            assert "key=" not in path
            assert set(body) == {"systemInstruction", "contents"}
    assert "Why not the corner?" in json.dumps(model.requests[2][2])
    assert server.get("/v1/server")["ask"] == {"model": "some/model"}


def drip(handler: Any) -> None:
    """An answer that never ends."""
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(100):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.1)
    except OSError:
        pass


def silence(handler: Any) -> None:
    time.sleep(2)
    handler.close_connection = True


def hang_up(handler: Any) -> None:
    handler.close_connection = True


def nonsense(handler: Any) -> None:
    handler.wfile.write(b"\x00\x01 what is this\r\n\r\n")
    handler.close_connection = True


FAILURES = {
    "refused": ((401, {"error": {"message": f"bad key {KEY}"}}, {}), "status 401"),
    "broken": ((500, b"<html>oops", {}), "status 500"),
    "too busy": ((429, {}, {}), "status 429"),
    "moved": ((302, b"", {"Location": "http://127.0.0.1:1/elsewhere"}), "status 302"),
    "no JSON": ((200, b"<html>", {}), "not understood"),
    "another shape": ((200, {"choices": [], "candidates": []}, {}), "not understood"),
    "another type": ((200, [1, 2], {}), "not understood"),
    "no text": ((200, {"choices": [{"message": {"content": None}}], "candidates": [{"content": {}}]}, {}), ""),
    "too long": ((200, b"x" * (2 << 20), {}), "too long"),
    "deep": ((200, b"[" * 100_000, {}), "not understood"),
    "slow": (silence, "did not answer within 1 seconds"),
    "endless": (drip, "did not answer within 1 seconds"),
    "gone": (hang_up, ""),
    "no HTTP": (nonsense, ""),
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_failure_ends_in_a_plain_message(
    server: Served,
    session: str,
    model: Model,
    what: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    model.reply, expected = FAILURES[what]
    if "did not answer" in expected:  # nothing else may depend on how quick this machine is
        monkeypatch.setattr(server.bench.model, "patience", 1.0)
    answer = server.http.post(f"{session}/ask", json={"kind": "choice"})
    assert answer.status_code == 200
    found = answer.json()
    assert (found["source"], found["model"]) == ("built-in", None)
    assert found["answer"] == server.get(f"{session}/explain")["text"]
    assert expected in found["note"]
    assert "\n" not in found["note"]
    assert KEY not in answer.text
    assert KEY not in caplog.text


def test_the_key_stays_on_the_server(server: Served, session: str, model: Model) -> None:
    model.text = f"Your key is {KEY}. <script>alert(1)</script>"
    answer = server.post(f"{session}/ask")
    assert KEY not in answer["answer"]
    assert "<script>" in answer["answer"]  # plain text: the page shows it as such
    for path in ("/v1/server", "/openapi.json", session, f"{session}/export?form=json"):
        assert KEY not in server.http.get(path).text
    server.bench.sessions._save(everything=True)
    for file in server.bench.sessions.store.folder.rglob("*"):
        assert file.is_dir() or KEY.encode() not in file.read_bytes()
    assert KEY not in repr(server.bench.model)


def test_a_model_that_can_not_be_reached(tmp_path: Path) -> None:
    environment = {"PLAYOUT_LLM_URL": "http://127.0.0.1:9", "PLAYOUT_LLM_MODEL": "m", "PLAYOUT_LLM_KEY": KEY}
    with serving(tmp_path, environment=environment) as server:
        session = server.create()
        assert "can't be reached" in server.post(f"{session}/ask")["note"]


@pytest.mark.parametrize(
    ("url", "gemini"),
    [
        ("https://generativelanguage.googleapis.com/v1beta", True),
        ("https://generativelanguage.googleapis.com/v1beta/openai", False),
        ("https://api.openai.com/v1", False),
        ("http://localhost/x/models/m:generateContent", True),
    ],
)
def test_the_form_follows_from_the_address(url: str, gemini: bool) -> None:
    assert LanguageModel({"PLAYOUT_LLM_URL": url, "PLAYOUT_LLM_MODEL": "m"}).is_gemini == gemini


def test_an_address_that_is_none_is_said_at_the_start() -> None:
    for url in ("file:///etc/passwd", "ftp://x", "nonsense"):
        with pytest.raises(SettingsError, match="PLAYOUT_LLM_URL"):
            LanguageModel({"PLAYOUT_LLM_URL": url, "PLAYOUT_LLM_MODEL": "m", "PLAYOUT_LLM_KEY": KEY})
    assert not LanguageModel({"PLAYOUT_LLM_KEY": KEY}).is_on

"""A thin client for language models: OpenAI-compatible chat completions, and Gemini's generateContent.

The model is named by environment variables. The key is sent to the model's address only: redirects are not followed,
and the key is removed from every answer.
"""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from playout.errors import SettingsError

PATIENCE = 30.0
ANSWER_BYTES = 1 << 20
HINTS = {401: "key", 403: "key", 404: "address"}
WORDS = {
    "slow": "the language model did not answer within {seconds:g} seconds",
    "long": "the language model's answer is too long",
    "refused": "the language model's server refused with status {status}",
    "key": " (is the key right?)",
    "address": " (is the address right?)",
    "unreached": "the language model's server can't be reached",
    "broken": "the language model's server closed the connection ({error})",
    "protocol": "the language model's server did not answer in HTTP",
    "odd": "the language model's answer was not understood",
    "empty": "the language model's answer was empty",
}


class AskError(Exception):
    """Why the model did not answer: a key of `WORDS` with its values, and a key of `WORDS` for a hint."""

    def __init__(self, why: str, hint: str | None = None, **values: Any) -> None:
        super().__init__(why)
        self.why, self.hint, self.values = why, hint, values

    def text(self, words: Mapping[str, str] = WORDS) -> str:
        """The reason, as a sentence."""
        return words[self.why].format(**self.values) + (words[self.hint] if self.hint else "")

    def __str__(self) -> str:
        return self.text() if self.why in WORDS else self.why


class Completion(NamedTuple):
    """A model's answer."""

    text: str
    tokens: int | None  # of the question and the answer, where the server says


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class ChatModel:
    """The language model that the environment variables name, if any."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        given = os.environ if environment is None else environment
        self.url = given.get("PLAYOUT_LLM_URL", "").strip().rstrip("/")
        self.name = given.get("PLAYOUT_LLM_MODEL", "").strip()
        self._key = given.get("PLAYOUT_LLM_KEY", "").strip()
        self.is_on = bool(self.url and self.name)
        self.patience = PATIENCE
        if not self.is_on:
            return
        if urlsplit(self.url).scheme not in ("http", "https") or not urlsplit(self.url).hostname:
            raise SettingsError("PLAYOUT_LLM_URL is not an http or https address, as in https://api.openai.com/v1")
        try:
            self.patience = float(given.get("PLAYOUT_LLM_TIMEOUT", PATIENCE))
        except ValueError:
            raise SettingsError("PLAYOUT_LLM_TIMEOUT is not a number of seconds") from None
        # Under …/openai, Gemini speaks the other protocol.
        path = urlsplit(self.url).path.rstrip("/")
        google = "generativelanguage" in (urlsplit(self.url).hostname or "") and not path.endswith("/openai")
        self.is_gemini = google or self.url.endswith(":generateContent") or path.endswith("/gemini")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name or 'none'}>"

    def complete(self, system: str, user: str) -> str:
        """One question to the model; `AskError` says what went wrong, without the key and without the model's words."""
        return self.answer(system, user).text

    def answer(self, system: str, user: str) -> Completion:
        """The same, with what the server says about tokens."""
        request = self._request(system, user)
        opener = urllib.request.build_opener(_NoRedirect)
        until = time.monotonic() + self.patience
        slow = AskError("slow", seconds=self.patience)
        try:
            with opener.open(request, timeout=self.patience) as response:
                body = b""
                while part := response.read1(1 << 16):
                    body += part
                    if len(body) > ANSWER_BYTES:
                        raise AskError("long")
                    if time.monotonic() > until:
                        raise slow
        except urllib.error.HTTPError as error:
            error.close()
            raise AskError("refused", HINTS.get(error.code), status=error.code) from None
        except TimeoutError:
            raise slow from None
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise slow from None
            raise AskError("unreached") from None
        except (OSError, ValueError, EOFError) as error:
            raise AskError("broken", error=type(error).__name__) from None
        except Exception as error:
            if type(error).__module__ == "http.client":
                raise AskError("protocol") from None
            raise
        return self._read(body)

    def _request(self, system: str, user: str) -> urllib.request.Request:
        headers = {"Content-Type": "application/json"}
        if self.is_gemini:
            url = self.url
            if not url.endswith(":generateContent"):
                url = f"{url}/models/{quote(self.name.removeprefix('models/'), safe='')}:generateContent"
            body: dict[str, Any] = {
                "systemInstruction": {"parts": [{"text": system}]},
                "contents": [{"role": "user", "parts": [{"text": user}]}],
            }
            if self._key:
                headers["x-goog-api-key"] = self._key
        else:
            url = self.url if self.url.endswith("/chat/completions") else f"{self.url}/chat/completions"
            body = {
                "model": self.name,
                "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            }
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
        return urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")  # http(s), checked above

    def _read(self, body: bytes) -> Completion:
        try:
            data = json.loads(body)
            if self.is_gemini:
                parts = data["candidates"][0]["content"]["parts"]
                text = "".join(part["text"] for part in parts if not part.get("thought"))
            else:
                text = data["choices"][0]["message"]["content"]
            usage = data.get("usageMetadata" if self.is_gemini else "usage") or {}
            tokens = usage.get("totalTokenCount" if self.is_gemini else "total_tokens")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise AskError("odd") from None
        if not isinstance(text, str) or not text.strip():
            raise AskError("empty")
        text = text.strip()
        if self._key and self._key in text:
            text = text.replace(self._key, "…")
        return Completion(text, tokens if type(tokens) is int else None)

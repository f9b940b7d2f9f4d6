"""An extension of Griffe: doctests in docstrings become code blocks, instead of quotations."""

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"((?:^[ ]*>>>[^\n]*\n?(?:^[ ]*(?!>>>)\S[^\n]*\n?)*)+)", re.MULTILINE)


class Doctests(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring and ">>>" in obj.docstring.value:
            obj.docstring.value = DOCTEST.sub(
                lambda match: f"\n```pycon\n{match[1].rstrip()}\n```\n", obj.docstring.value
            )

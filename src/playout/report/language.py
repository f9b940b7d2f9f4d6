"""The sentences of a language, to be filled in. The languages are the `words_*.py` beside this file."""

from collections.abc import Iterable, Mapping, Sequence

from playout.errors import SettingsError
from playout.game import CHANCE, TERMINAL

from . import words_en, words_zh


class Language:
    """Fills in the sentences of one table.

    >>> Language(words_en.WORDS)("tree", positions="12 positions")
    'The tree holds 12 positions.'
    """

    def __init__(self, words: Mapping[str, str], names: Sequence[str] = ()) -> None:
        self.words, self.names = words, names

    def naming(self, names: Sequence[str]) -> "Language":
        """The same language, which calls the players by these names."""
        return Language(self.words, names)

    def __call__(self, name: str, **values: object) -> str:
        return self.words[name].format(**values)

    def __contains__(self, name: object) -> bool:
        return name in self.words

    def count(self, number: int, thing: str, things: str = "") -> str:
        """A number of things, by the names of one and of several.

        >>> Language(words_en.WORDS).count(1, "visit"), Language(words_zh.WORDS).count(12345, "visit")
        ('1 visit', '访问 12,345 次')
        """
        return self(thing if number == 1 else things or f"{thing}s", n=f"{number:,}")

    def who(self, player: int) -> str:
        """A player, chance, or no player where the game is over.

        >>> Language(words_zh.WORDS, ["White", "Black"]).who(1)
        '黑方'
        """
        if player == TERMINAL:
            return self("no_player")
        if player == CHANCE:
            return self("chance")
        if player < len(self.names):
            name = self.names[player]
            return self.words.get(f"name_{name}", name)
        return self("player", n=player + 1)

    def text(self, paragraphs: Iterable[Iterable[str]]) -> str:
        """Paragraphs of sentences; empty ones are left out."""
        joined = (self("between").join(filter(None, sentences)) for sentences in paragraphs)
        return "\n\n".join(filter(None, joined))


LANGUAGES = {"en": Language(words_en.WORDS), "zh": Language(words_zh.WORDS)}


def language_of(name: str) -> Language:
    """The language of that name: "en" or "zh"."""
    if name not in LANGUAGES:
        raise SettingsError(f"unknown language '{name}', expected one of {', '.join(LANGUAGES)}")
    return LANGUAGES[name]

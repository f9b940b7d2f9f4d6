"""Every mistake of a user's that Playout reports: one class each, all of them `PlayoutError` (a `ValueError`).

A message says what came, what was expected, where, and what to do. Front ends print it as one line.
"""


class PlayoutError(ValueError):
    """Something that the caller can put right."""


class GameError(PlayoutError):
    """A game class with a part missing, a part that can't be compiled, or one that breaks the contract."""


class PositionError(PlayoutError):
    """A position that can't be read, can't be reached, or is at its end."""


class ActionError(PlayoutError):
    """An action that can't be read or is not legal."""


class SettingsError(PlayoutError):
    """A setting or a limit with a value that it can't have."""


class FileError(PlayoutError):
    """A search file that is damaged, foreign, or of another version or game; a network that can't be read."""


class BusyError(PlayoutError):
    """A search asked for from two threads at once."""


class EvaluatorError(PlayoutError):
    """A network, or a function in its place, that failed or did not answer with a policy and a value."""


class GeneratorError(PlayoutError):
    """A generator that failed, took too long, or did not answer with a state and a score.

    A generator may raise it itself, with what the attempt cost.
    """

    def __init__(self, message: str = "", cost: float = 0.0, tokens: int | None = None) -> None:
        super().__init__(message)
        self.cost, self.tokens = cost, tokens

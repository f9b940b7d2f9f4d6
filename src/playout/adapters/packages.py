"""Packages that only adapters need: imported when one is used, and named with their extra where they are missing."""

import importlib
from types import ModuleType

from playout.errors import GameError

EXTRAS = {"gymnasium": "gymnasium", "pettingzoo": "pettingzoo", "pyspiel": "openspiel", "chess": "chess"}


def package(name: str, caller: str, extra: str = "") -> ModuleType:
    """Import a package or one of its modules; `GameError` names the extra to install where it is missing."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        top = name.partition(".")[0]
        if (error.name or "").partition(".")[0] == top:
            extra = extra or EXTRAS.get(top, top)
            raise GameError(f"{caller} needs {top}, which is not installed: pip install 'playout[{extra}]'") from None
        raise GameError(
            f"{caller} can't import {name}: there is no module '{error.name}'; pip install '{error.name}'"
        ) from None

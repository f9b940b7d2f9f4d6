"""Messages for wrong fields of a request: which field, what came, what was expected."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from playout.common.arguments import did_you_mean

MOST = 4  # mistakes in one answer
LONGEST = 60  # characters of what came
WHOLE, NUMBER = "a whole number", "a number"

# By Pydantic's name of the error. Pydantic's own messages say neither what came nor where.
EXPECTED = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "an object",
    "finite_number": "a finite number",
    "float_parsing": NUMBER,
    "float_type": NUMBER,
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "int_from_float": WHOLE,
    "int_parsing": WHOLE,
    "int_parsing_size": WHOLE,
    "int_type": WHOLE,
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "list_type": "a list",
    "literal_error": "{expected}",
    "model_attributes_type": "an object",
    "model_type": "an object",
    "string_pattern_mismatch": "numbers as in 3,4,0",  # the only pattern is that of paths
    "string_too_long": "at most {max_length} characters",
    "string_too_short": "at least {min_length} character",
    "string_type": "a text",
    "string_unicode": "a text in Unicode",
    "too_long": "at most {max_length} entries",
}


def wrong_fields(errors: Iterable[Any], given: Any, known: Sequence[str] = ()) -> str:
    """Message for Pydantic's `errors` about `given`; `known`: the names of all fields.

    >>> from pydantic import BaseModel, ValidationError
    >>> class Dice(BaseModel, extra="forbid"):
    ...     sides: int | list[int]
    >>> try:
    ...     Dice.model_validate({"sides": "six", "side": 6})
    ... except ValidationError as error:
    ...     print(wrong_fields(error.errors(), {"sides": "six", "side": 6}, ["sides"]))
    sides is "six", expected a whole number or a list; no field 'side' (there are: sides); did you mean 'sides'?
    """
    expected: dict[str, list[str]] = {}  # several for a field that may be of several kinds
    whole: list[str] = []
    for error in errors:
        kind, context = error["type"], error.get("ctx", {})
        field, value = _found(error["loc"], given, is_missing=kind == "missing")
        if kind == "json_invalid":
            whole.append(f"the body is not JSON: {context['error']} at character {error['loc'][-1]}")
        elif kind == "value_error":
            whole.append(str(error["msg"]).removeprefix("Value error, "))
        elif kind == "missing":
            whole.append(f"{field or 'the body'} is missing" + ("" if field else ", expected a JSON object"))
        elif kind == "extra_forbidden":
            there = f" (there are: {', '.join(known)})" if known else ""
            whole.append(f"no field '{field[:LONGEST]}'{there}{did_you_mean(field, known)}")
        else:
            words = EXPECTED.get(kind, str(error["msg"]).removeprefix("Input should be "))
            options = expected.setdefault(f"{field or 'the body'} is {_shown(value)}", [])
            options.append(words.format(**{n: f"{v:g}" if isinstance(v, float) else v for n, v in context.items()}))
    return "; ".join([*(f"{what}, expected {_either(words)}" for what, words in expected.items()), *whole][:MOST])


def _either(options: Sequence[str]) -> str:
    different = [word for word in dict.fromkeys(options) if word != WHOLE or NUMBER not in options]
    return " or ".join([", ".join(different[:-1]), different[-1]] if different[1:] else different)


def _found(place: Sequence[Any], given: Any, is_missing: bool) -> tuple[str, Any]:
    """The wrong field and its value; after the field, Pydantic's location names the type that was tried."""
    names = []
    for part in place:
        if (isinstance(given, dict) and part in given) or (
            isinstance(given, list) and isinstance(part, int) and part < len(given)
        ):
            given = given[part]
        else:
            names += [part] if is_missing else []
            break
        names.append(part)
    return ".".join(str(name)[:LONGEST] for name in names), given


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, default=repr)
    except RecursionError:
        return "nested too deeply"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"

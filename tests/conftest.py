"""Which tests run where, and the data they compare with."""

import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from playout.core.jit import COMPILED

from .full_size import CASES
from .sizes import FULL_SIZE

UNCOMPILED = 4  # cases of a sampled test that run in plain Python, where they take their time in another way
HERE = Path(__file__).parent
REFERENCE = Path(os.environ.get("PLAYOUT_REFERENCE") or Path(__file__).parents[2] / "shared" / "data")

# Front ends, reports, processes, files, and the doctor, which runs rules in both ways itself: they behave the same in
# plain Python and with bounds checks, so the tests in these files run compiled only. A file that is not listed takes
# part in all three runs.
COMPILED_ONLY = (
    "adapters/test_*.py",
    "generate/test_*.py",
    "mcp/test_*.py",
    "test_arena*.py",
    "test_best*.py",
    "test_client*.py",
    "test_cli*.py",
    "test_compare*.py",
    "test_data*.py",
    "test_docs*.py",
    "test_doctor*.py",
    "test_evaluate*.py",
    "test_explain*.py",
    "test_object_interrupts*.py",
    "test_object_sources*.py",
    "test_packaging*.py",
    "test_plugins*.py",
    "test_examples*.py",
    "test_widget*.py",
    "cli/test_play*.py",
    "test_presets*.py",
    "test_readme*.py",
    "test_repository*.py",
    "test_shipped*.py",
    "test_show*.py",
    "test_training*.py",
    "test_tune*.py",
    "test_uci*.py",
    "test_web*.py",
    "test_workbench*.py",
)

# Users' rules, parts and objects have their indices checked in every compiled run, and so has what people type: the
# tests in these files take no part in the bounds-checked run, which is about the core and the built-in games.
GUARDED = (
    "test_bad_input*.py",
    "test_chess_text*.py",
    "test_help*.py",
    "test_object_*.py",
    "test_policies*.py",
    "test_review*.py",
    "test_solve_faults*.py",
    "test_stubborn_games*.py",
    "test_wrong_answers*.py",
)
LISTED = {"compiled_only": COMPILED_ONLY, "guarded": GUARDED}


def selects_reference(config: pytest.Config) -> bool:
    return "reference" in config.option.markexpr


def pytest_configure(config: pytest.Config) -> None:
    if selects_reference(config) and not REFERENCE.is_dir():
        raise pytest.UsageError(f"no reference data at {REFERENCE}; set PLAYOUT_REFERENCE to the folder that holds it")


@cache
def markers_of(path: Path) -> list[str]:
    """The lists above that a file is in."""
    return [name for name, patterns in LISTED.items() if any(path.match(pattern) for pattern in patterns)]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run without the tests in a file need not import it, nor what it imports."""
    return any(f"not {name}" in config.option.markexpr for name in markers_of(collection_path)) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for name in markers_of(item.path):
            item.add_marker(name)
    left_out = [] if selects_reference(config) else [i for i in items if i.get_closest_marker("reference")]
    left_out += beyond_the_sample(config, items)
    config.hook.pytest_deselected(items=left_out)
    dropped = set(left_out)
    items[:] = [item for item in items if item not in dropped]


def beyond_the_sample(config: pytest.Config, items: list[pytest.Item]) -> list[pytest.Item]:
    """Mark the tests of `full_size.py`; the cases among them that this run leaves to `make test-reference`."""
    listed: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        name = getattr(item, "originalname", item.name)
        if name in CASES.get(item.path.relative_to(HERE).as_posix() if item.path.is_relative_to(HERE) else "", {}):
            item.add_marker("full_size")
            listed.setdefault((item.path, name), []).append(item)
    if FULL_SIZE or names_tests(config):
        return []
    left_out = []
    for (path, name), cases in listed.items():
        wanted = CASES[path.relative_to(HERE).as_posix()][name] if COMPILED else UNCOMPILED
        wanted = min(wanted, len(cases))
        kept = {len(cases) * i // wanted for i in range(wanted)}
        left_out += [case for i, case in enumerate(cases) if i not in kept]
    return left_out


def names_tests(config: pytest.Config) -> bool:
    """Whether single files or tests were asked for: then all their cases run."""
    return any(Path(given.partition("::")[0]).suffix == ".py" for given in config.args)


def pytest_collection_finish() -> None:
    """The tests stay until the end: whenever a compiler has made many objects, the collector need not pass by them."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def quick_doctor() -> Iterator[None]:
    """The doctor measures the speed of a game with as few playouts as it can."""
    from playout.doctor import speed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speed, "SPEED_SECONDS", 1e-9)
        yield


@pytest.fixture(scope="session")
def reference() -> Path:
    """The data outside the repository; only tests marked `reference` may use it."""
    return REFERENCE

"""What a user of the package gets: real types for every result, docstrings for every name, and a light import."""

import dataclasses
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import playout as po
from tests.places import ROOT

CLIENT = Path(__file__).with_name("client.py")
SOURCES = Path(po.__file__).parents[1]
HEAVY = ("fastapi", "onnx", "onnxruntime", "rich", "starlette", "torch", "typer", "uvicorn")


def test_a_strict_client_sees_no_any() -> None:
    """Each `reveal_type` is followed by the type that it must reveal, without the modules."""
    command = [sys.executable, "-m", "mypy", "--config-file", str(CLIENT.with_name("mypy.ini")), str(CLIENT)]
    cache = {"MYPYPATH": str(SOURCES), "MYPY_CACHE_DIR": str(ROOT / ".mypy_cache" / "client")}
    done = subprocess.run(command, env={**os.environ, **cache}, capture_output=True, text=True, check=False)
    assert "Success" in done.stdout, done.stdout + done.stderr
    revealed = {int(n): found for n, found in re.findall(r':(\d+): note: Revealed type is "(.*)"', done.stdout)}
    expected = {
        number: line.partition("# E: ")[2]
        for number, line in enumerate(CLIENT.read_text(encoding="utf-8").splitlines(), start=1)
        if "# E: " in line
    }
    assert len(expected) > 30
    assert {number: short(found) for number, found in revealed.items()} == expected


def short(revealed: str) -> str:
    """A type as the client writes it: no modules, no question marks of literals, `X | None`."""
    plain = re.sub(r"[\w.]+\.(\w+)", r"\1", revealed).replace("?", "").replace("def ()", "")
    return re.sub(r"Union\[(.*), None\]$", r"\1 | None", plain)


def test_the_client_runs() -> None:
    done = subprocess.run([sys.executable, str(CLIENT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_heavy_is_imported_with_the_package() -> None:
    code = f"import sys, playout; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def public() -> list[str]:
    return [name for name in po.__all__ if not name.startswith("_") and not isinstance(getattr(po, name), int)]


@pytest.mark.parametrize("name", public())
def test_every_public_name_has_a_docstring(name: str) -> None:
    """Classes with their public methods and properties; a generated one (`Name(field: type)`) says nothing."""
    thing = getattr(po, name)
    assert not is_bare(thing), name
    if not inspect.isclass(thing):
        return
    for kind in thing.__mro__:
        if not kind.__module__.startswith("playout"):
            continue
        for key, member in vars(kind).items():
            inner = getattr(member, "__func__", member)
            counts = inspect.isfunction(inner) or isinstance(member, property) or hasattr(member, "attrname")
            if not key.startswith("_") and counts and not in_compiled_code(kind, key):
                assert not is_bare(inner), f"{kind.__module__}.{kind.__name__}.{key} has no docstring"


def is_bare(thing: object) -> bool:
    if isinstance(thing, ModuleType):
        return not thing.__doc__
    text = getattr(thing, "__doc__", None) or ""
    return not text.strip() or text.startswith(f"{getattr(thing, '__name__', '')}(")


def in_compiled_code(kind: type, name: str) -> bool:
    """The functions of a policy or backup: their base class says what each is for."""
    return name in getattr(kind, "_signatures", {})


@pytest.mark.parametrize("cls", [po.Settings, po.PUCT, po.Rollouts, po.Network, po.Widening], ids=lambda c: c.__name__)
def test_the_help_of_settings_names_every_field_with_its_meaning(cls: type) -> None:
    text = inspect.getdoc(cls) or ""
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        assert re.search(rf"^ *{field.name}: \S", text, re.MULTILINE), field.name

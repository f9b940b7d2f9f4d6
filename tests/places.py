"""Where the tests find what is not beside them."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent
DATA = TESTS / "data"
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"
DOCS = ROOT / "docs"

"""The README's blocks of Python, for the tests that run them or build upon them."""

import re
from pathlib import Path

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
NIM, SEARCH = re.findall(r"```python\n(.*?)```", README, re.DOTALL)

"""A search that is saved, read again, and goes on as if nothing had happened."""

import tempfile
from pathlib import Path

import playout as po

whole = po.Search("tictactoe", "textbook", seed=7)
whole.run(400)

with tempfile.TemporaryDirectory() as folder:
    half = po.Search("tictactoe", "textbook", seed=7)
    half.run(200)
    half.save(Path(folder) / "half.search")
    again = po.Search.load(Path(folder) / "half.search")
    print("read:", again)
    again.run(200)

visits = [[action.visits for action in search.result().actions] for search in (whole, again)]
print("visits of the uninterrupted search:", visits[0])
print("visits of the one that was saved:  ", visits[1])
assert visits[0] == visits[1]

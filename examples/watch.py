"""Write a search as pictures: `python examples/watch.py` makes tree-10.svg, tree-100.svg and tree-1000.svg."""

from pathlib import Path

import playout as po

if __name__ == "__main__":
    search = po.Search("connect4", position="44455", seed=1)
    for simulations in (10, 100, 1000):
        result = search.run(simulations - search.simulations)
        file = Path(f"tree-{simulations}.svg")
        file.write_text(search.root.svg(depth=2), encoding="utf-8")
        print(f"{file}: {search.nodes} nodes, best {result.best_text}, value {result.value:+.2f}")

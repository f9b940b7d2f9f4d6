"""A tour through some cities by nested search, and by tree search for comparison."""

import playout as po

game = po.games.load("tsp", cities=10)
nested = po.solve(game, playouts=3000, seed=1)
print(f"nested search: a tour of length {-nested.value:.3f}")
tree = po.Search(game, "optimise", seed=1).run(3000)
print(f"tree search:   a tour of length {-tree.best_found.value:.3f}")
print("cities in order:", *nested.line)

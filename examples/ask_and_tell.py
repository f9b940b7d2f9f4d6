"""An evaluator of your own, outside of the search: it asks for values of positions, and your code tells them."""

import playout as po

search = po.Search("connect4", po.Settings(policy=po.PUCT(1.5), evaluator=po.Outside()), seed=1)
asked = 0
while search.simulations < 200:
    for leaf in search.ask(8):  # eight different positions, each under virtual loss
        asked += 1
        position = leaf.position
        search.tell(leaf, value=position.evaluate()[position.player])  # here a model of yours would answer
print(f"{asked} positions were evaluated outside")
print(f"the search has {search.simulations} simulations and {search.nodes} positions")
print(f"best: column {search.result().best_text}")

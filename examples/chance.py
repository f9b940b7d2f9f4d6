"""A game with dice: chance has nodes of its own, and the value of a move is a mean over them."""

import playout as po

search = po.Search("game2048", seed=2)
for _ in range(6):
    position = search.position
    if position.player == po.CHANCE:
        action = max(position.outcomes(), key=lambda outcome: outcome[1])[0]  # the likeliest tile
    else:
        action = search.run(300).best_action
        print("move:", position.action_text(action))
    search.play(action)
print(search.position.show())

"""The first simulations of a search, one at a time: what was selected, expanded, played out and backed up."""

import playout as po

search = po.Search("tictactoe", "textbook", position="XX.OO....", seed=3)
for _ in range(3):
    print(search.step())
    print()
search.rewind(0)
print("taken back:", search.simulations, "simulations")

"""A plain Python object as a game: no NumPy, no compiler; slower, and often fast enough."""

import playout as po


class Stones:
    """Take one or two stones; whoever takes the last one wins."""

    def __init__(self, stones=10, player=0):
        self.stones, self.player = stones, player

    def current_player(self):
        return None if self.stones == 0 else self.player

    def legal_actions(self):
        return [1, 2] if self.stones > 1 else [1]

    def play(self, action):
        return Stones(self.stones - action, 1 - self.player)  # the next state; this one stays as it is

    def returns(self):
        return [1.0, -1.0] if self.player == 1 else [-1.0, 1.0]  # whoever moved last has won


result = po.Search(po.wrap(Stones(10)), seed=1).run(2000)
print(f"ten stones: take {result.best_text}")
print(f"proven: {result.proven}")
print(result.explain())

"""How a simulation's way down ends, and why a run returns: one numbering for all kernels and for Python.

Selection that can't be finished returns a status in place of an ending. A small file on its own, because every kernel
and the `search` package share these numbers.
"""

# Selection ended at: a new position; a position seen before, which becomes a node; the end of the game; a proven edge;
# the root, which is evaluated itself.
NEW, UNEXPANDED, FINISHED, PROVEN, ROOT_ITSELF = range(5)
# In a graph: a known node, through a new edge; a known position without a node, likewise (in an open loop: a node at
# which another player moved before); a node on its own path.
MET, KNOWN, CYCLE = range(5, 8)

# A run returned because: it is done; the tree must grow; the path must grow; the root is proven; the answer can't
# change; a limit was reached; the counters are full.
DONE, GROW, DEEPER, SOLVED, DECIDED, NODE_LIMIT, BYTE_LIMIT, FULL = range(8, 16)
# The rules are wrong; the detail is their answer.
NO_ACTIONS, TOO_MANY_ACTIONS, BAD_PLAYER, BAD_CHANCE = range(16, 20)
BAD_PLAYOUT = 20  # the detail is what the playout returned
BAD_VALUE = 21  # returns that are impossible in the game; the detail is the depth of the leaf
BAD_KEY = 22  # two positions have the same key; the detail is the other's entry in the table
BAD_SCORE = 23  # the policy's score is not a number; the detail is the depth
# Values from outside: an action's index in the policy is out of bounds (the detail is the index); all slots are taken.
BAD_INDEX, NO_SLOT = 24, 25
BAD_BACKUP = 26  # the backup gave a value that is impossible in the game; the mean replaced it
IN_FLIGHT = 27  # with threads in a graph: what the simulation came to waits for another one's value

"""How a walk ends, and why a simulation or a run comes back: one numbering for all kernels and for Python.

A walk that can't be finished comes back with a status in place of its ending.
"""

# How a walk ends: at a position never seen; at one seen before, which becomes a node; at the end of the game; at a
# proven edge; at the root, which is evaluated itself.
NEW, UNEXPANDED, FINISHED, PROVEN, ROOT_ITSELF = range(5)
# In a graph: a node was met over a new edge; a position without a node likewise (in an open loop: a node where another
# player moves than this time); the walk is back on its path.
MET, KNOWN, CYCLE = range(5, 8)

# Why a run comes back: all is done; there is no room in the tree, or in the path; nothing is left to find out; the
# answer can't change; a limit.
DONE, GROW, DEEPER, SOLVED, DECIDED, NODE_LIMIT, BYTE_LIMIT, FULL = range(8, 16)
# What is wrong with the rules; the detail is their answer.
NO_ACTIONS, TOO_MANY_ACTIONS, BAD_PLAYER, BAD_CHANCE = range(16, 20)
BAD_PLAYOUT = 20  # the detail is what the playout returned
BAD_VALUE = 21  # returns that the game can't have; the detail is the depth of the leaf
BAD_KEY = 22  # two positions of one key; the detail is the other's entry in the table
BAD_SCORE = 23  # the policy's score is not a number; the detail is the depth
# Values from outside: an action whose place in the policy is out of bounds (the detail is the place); all places for
# leaves are taken.
BAD_INDEX, NO_SLOT = 24, 25
BAD_BACKUP = 26  # a value that the game can't have, made up by the backup; the mean took its place

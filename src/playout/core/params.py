"""The settings as the kernels see them: one tuple of numbers, so that changing a setting compiles nothing.

A small file on its own, because it is the whole interface between `settings` and the kernels.
"""

from typing import NamedTuple

from .pack import packed

INFINITE, FIXED, PARENT, PARENT_BY_SEEN = range(4)  # score of an unvisited edge
RANDOM, MAST, NST = range(3)  # what playouts learn
ALL, ONE, WIDENING = range(3)  # expansion
ROLLOUTS, STATIC, MIXED, OUTSIDE = range(4)  # evaluator
TREE, GRAPH, OPEN = range(3)  # topology: what a node stands for
ALONE, BATCHED, SHARED = range(3)  # simulations in flight beside one: none, leaves that wait, those of other threads
BY_VISITS, BY_VALUE, BY_BOUND, BY_PROOF = range(4)  # answer
FORGOTTEN, TRACED, TOLD = range(3)  # the best line: not remembered; the playout writes it down, or tells it when asked
PLAIN, FORCED, HALVING, GUMBEL = range(4)  # root: who chooses there; from HALVING on, a plan


@packed
class Params(NamedTuple):
    """The settings of a search and the facts about its game that the kernels need."""

    players: int
    max_actions: int
    draws: int  # which actions are drawn: LISTED_ONLY, OF_PLAYERS, OF_ALL of `core/draws.py`
    most_added: int  # edges that one simulation may add
    unvisited: int
    unvisited_value: float  # the number, or the reduction
    expansion: int
    expand_first: int  # 1: a position becomes a node at its first visit, 0: at its second
    widening_initial: float
    widening_k: float
    widening_alpha: float
    widening_cap: float
    evaluator: int
    static_too: int  # 1: the backup needs a leaf's static value beside its playouts
    rollouts: int
    depth: int  # a playout's limit
    mix: float  # share of the playouts in a mixed value
    discount: float
    solver: int
    lowest: float  # the range of a player's remaining return; infinite if unknown
    highest: float
    least_return: float  # the range of returns; a value outside means that a rule is wrong
    most_return: float
    sum_of_returns: float  # what the returns of all players must add up to; nan: unknown
    win_decides: int  # 1: when one player gets the most, that determines what the others get
    normalise: int
    random_ties: int
    has_chance: int  # the game has chance outcomes
    has_priors: int  # the game gives priors
    by_prior: int  # edges have priors, from the game, from noise or from a literal tree: take them in that order
    evaluate_root: int  # 1: the first simulation evaluates the root itself
    keep_states: int
    answer: int
    z: float  # width of the confidence bound, in standard errors
    early_stop: int
    few_outcomes: int  # chance nodes admit min(cap, initial + k N^alpha) different outcomes
    outcomes_initial: float
    outcomes_k: float
    outcomes_alpha: float
    outcomes_cap: float
    open_loop: int
    graph: int  # NO_GRAPH, SCALARS, VECTORS of `core/tree.py`
    has_hash: int  # the game gives keys; otherwise they are a hash of the state's bytes
    check_keys: int  # compare the states of equal keys
    virtual_loss: float  # 1: a simulation in flight counts as a loss, 0: as its edge's value
    prior_power: float  # exponent for the weights of a policy from outside
    returns_sum: float  # the sum for two players, for outside values given for one of them; nan: unknown
    node_spread: int  # 1: the policy may read a node's spread
    root: int  # PLAIN, FORCED, HALVING, GUMBEL
    forced: float  # FORCED: an edge gets at least sqrt(forced prior N) visits
    considered: int  # actions that a plan compares, at most
    planned: int  # simulations of a plan where the run does not tell; 0: by the number of actions
    gumbel_noise: float  # the scale of the noise
    visit_offset: float  # what values count for in a score: (offset + most visits) scale
    value_scale: float
    rescale: int  # 1: values at the root are scaled to 0 to 1 by the least and greatest of them
    learns: int  # what playouts learn (`core/learned.py`)
    pair_bits: int  # NST: the room for pairs of codes, as a power of two
    led: int  # how many actions of a playout are chosen by what was learned
    epsilon: float  # how often one of them is any action instead
    codes: int  # room for the action codes, a power of two, if what simulations play is recorded; otherwise 0
    code_bits: int  # which power it is
    amaf: int  # visits from which on a node's tables of actions are shown (`core/amaf.py`); -1: there are none
    remembers: int  # whether and how the best complete line is remembered (`core/found.py`)
    has_index: int  # the game gives an action's index in a policy; otherwise it is the action itself

"""The settings as the kernels see them: numbers only, one tuple, so that no setting compiles anything again."""

from typing import NamedTuple

from .pack import packed

INFINITE, FIXED, PARENT, PARENT_BY_SEEN = range(4)  # score of an unvisited edge
ALL, ONE, WIDENING = range(3)  # expansion
ROLLOUTS, STATIC, MIXED, OUTSIDE = range(4)  # evaluator
TREE, GRAPH, OPEN = range(3)  # topology: what a node stands for
BY_VISITS, BY_VALUE, BY_BOUND, BY_PROOF = range(4)  # answer


@packed
class Params(NamedTuple):
    players: int
    max_actions: int
    unvisited: int
    unvisited_value: float  # the number, or the reduction
    expansion: int
    expand_first: int  # 1: a position becomes a node at its first visit, 0: at its second
    widening_initial: float
    widening_k: float
    widening_alpha: float
    widening_cap: float
    evaluator: int
    rollouts: int
    depth: int  # a playout's limit
    mix: float  # share of the playouts in a mixed value
    discount: float
    solver: int
    lowest: float  # the range of what a player can still get; infinite where it is not known
    highest: float
    least_return: float  # what a return may be; outside of it, a rule is wrong
    most_return: float
    sum_of_returns: float  # what the returns of all players must add up to; nan: not known
    win_decides: int  # 1: when one player has the most, what the others have follows
    normalise: int
    random_ties: int
    has_chance: int  # the game has chance outcomes
    has_priors: int  # the game gives priors
    by_prior: int  # edges are taken in order of prior, whether the game gives them, noise, or a tree by hand
    evaluate_root: int  # 1: the first simulation evaluates the root itself
    keep_states: int
    answer: int
    z: float  # width of the confidence bound, in standard errors
    early_stop: int
    few_outcomes: int  # chance nodes let in min(cap, initial + k N^alpha) different outcomes
    outcomes_initial: float
    outcomes_k: float
    outcomes_alpha: float
    outcomes_cap: float
    open_loop: int
    graph: int  # NO_GRAPH, SCALARS, VECTORS of `core/tree.py`
    has_hash: int  # the game gives keys; otherwise a hash of the state's bytes
    check_keys: int  # compare the states of equal keys
    virtual_loss: float  # 1: a walk under way counts as a loss, 0: as what its edge is worth
    prior_power: float  # what the weights of a policy from outside are raised to
    returns_sum: float  # what two players get together, for values from outside that name one player's; nan: unknown
    node_spread: int  # 1: the policy may look at a node's spread
    has_index: int  # the game says where a policy has an action; otherwise the action's own number

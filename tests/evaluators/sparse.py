"""Networks inside the search for tests: random ones, games that they can see, and the oracle's view of them."""

import numpy as np

import playout as po
from playout.core import rules as core
from playout.core.fast import FACTS
from playout.evaluators.fast import FastNetwork, save_fast
from tests.games.toy_games import Dice, Nim
from tests.oracles.oracle import Rules


class SparseNim(Nim):
    """Nim whose features are the stones, one by one, and the player."""

    feature_count, policy_size = 24, 4

    @staticmethod
    def features(state, player, out):
        for i in range(state.stones):
            out[i] = i
        out[state.stones] = 22 + player
        return state.stones + 1


class TableNim(SparseNim):
    """The same with the numbers of the features in a table of constants, and the policy upside down."""

    constants = np.dtype([("numbers", np.int32, 24)])

    def fill_constants(self, constants):
        constants.numbers[:] = np.arange(24)[::-1]

    @staticmethod
    def features(state, player, out):
        for i in range(state.stones):
            out[i] = state.numbers[i]
        return state.stones

    @staticmethod
    def action_index(state, action):
        return 3 - action


class SparseDice(Dice):
    """Two players and chance: whose turn it is, and the points of both, each several times."""

    feature_count, policy_size = 40, 2

    @staticmethod
    def features(state, player, out):
        out[0], out[1] = state.turn, 4 + state.thrown
        out[2], out[3] = 6 + state.points[player], 6 + 17 + state.points[1 - player]
        return 4


def random_network(
    game, hidden=40, value="wdl", activation="squared", seed=0, *, exact=False, **more: object
) -> FastNetwork:
    """Random weights. With `exact`, few binary digits: then no sum in float32 is rounded, whatever its order."""
    random, outputs = np.random.default_rng(seed), 3 if value == "wdl" else 1

    def drawn(*shape):
        found = random.normal(0, 0.4, shape)
        return (np.round(np.clip(found, -2, 2) * 16) / 16 if exact else found).astype(np.float32)

    return FastNetwork(
        inputs=drawn(game.feature_count, hidden),
        input_bias=drawn(hidden),
        value=drawn(outputs, hidden),
        value_bias=drawn(outputs),
        policy=drawn(game.policy_size, hidden),
        policy_bias=drawn(game.policy_size),
        game=game.title,
        game_version=game.version,
        activation=activation,
        **more,
    )


def saved(folder, network, name="net.fast") -> str:
    save_fast(folder / name, network)
    return str(folder / name)


def seen_by(network, position, temperature=1.0):
    """The network's own answer to a position: the value for each player, and the priors of its actions."""
    player, game = max(0, position.player), position.game
    actions = position.actions() if position.player >= 0 else []
    logits_of = [position.action_index(action) for action in actions]
    static, known = game_knows(position) if network.base_value or network.base_policy else ([0.0] * game.players, [])
    value, priors = network.answer(position.features(player), logits_of or [0], static[player], known or [1.0])
    weights = np.array(priors) ** (1 / temperature)
    values = [0.0] * game.players
    for p in range(game.players):
        values[p] = value if p == player else game.sums_to - value
    shares = (weights / weights.sum()).tolist()
    if game.has("is_known") and game.rules.functions["is_known"](game.rules.view(position.buffer)):
        return static if network.base_value else values, known if network.base_policy else shares
    return values, shares


def game_knows(position):
    """The game's own static values and priors of a position, for a network that builds on them."""
    game = position.game
    table = game.rules_table(wanted=("evaluate", "priors"))
    values, out = np.zeros(game.players), np.zeros(game.rules.room)
    core.evaluate(table, position.buffer, values)
    actions = np.array(position.actions() if position.player >= 0 else [], np.int32)
    if len(actions) and game.has("priors"):
        core.priors(table, position.buffer, np.resize(actions, game.rules.room), len(actions), out)
    return values.tolist(), out[: len(actions)].tolist()


class NetworkRules(Rules):
    """The rules that an oracle asks, with the network's answers computed by `FastNetwork.answer`."""

    network: FastNetwork
    temperature = 1.0

    def __init__(self, game):
        super().__init__(game)
        self.has_priors = True

    def answer(self, state):
        return seen_by(self.network, self.game.position_of(state), self.temperature)

    def evaluate(self, state):
        return self.answer(state)[0]

    def priors(self, state, actions):
        return self.answer(state)[1]


def oracle_with(kind, network, temperature=1.0):
    """A kind of oracle whose values and priors are those of a network."""
    rules = type("rules", (NetworkRules,), {"network": network, "temperature": temperature})

    class NetworkOracle(kind):
        rules_of = rules

        def evaluate(self, state):
            return self.rules.evaluate(state)

    return NetworkOracle


def table_of(game, network):
    """A rules table with the network in it, and what must stay alive beside it."""
    facts = network.facts(game)
    assert facts.record.dtype == FACTS
    return game.rules_table(wanted=("features",), network=facts.record), facts


SETTINGS = po.Settings(policy=po.PUCT(1.25), unvisited=po.Parent(), evaluate_root=True)

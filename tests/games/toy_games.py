"""Small games, each for a part of the contract that the built-in games don't have, or with an answer known by hand."""

import numpy as np

import playout as po

# Both tables are data of the rules: a compiled game may refer to arrays of its module.
COINS = np.array([[1.0, 5.0, -3.0], [0.5, -12.0, 7.25], [2.0, 2.0, 2.0], [-1.0, 30.0, -30.0]])
# Payoffs after two choices, [first, second, player]. For player 1 the choices after first = 1 are equal (3 and 3) and
# differ for player 0 (2 or 0): nobody can say what first = 1 is worth to player 0.
SHARES = np.array([[[1.0, 1.0], [0.0, 0.0]], [[2.0, 3.0], [0.0, 3.0]], [[1.5, 0.5], [1.5, 2.0]]])


class Nim(po.Game):
    """Take one to three stones; whoever takes the last one wins. A multiple of four is lost for the side to move."""

    players = 2
    max_actions = 3
    state = np.dtype([("stones", np.int32), ("turn", np.int8)])
    settings = {"stones": 21}  # noqa: RUF012

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else state.turn

    @staticmethod
    def legal_actions(state, actions):
        count = min(3, state.stones)
        for i in range(count):
            actions[i] = i + 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


class PointNim(Nim):
    """Nim where the winner gets 1 and the loser 0, as the well-known dictionary implementation counts."""

    value_range = (0.0, 1.0)
    returns_sum = 1.0

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn] = 1.0
        state.turn = 1 - state.turn


class NimOfThree(po.Game):
    """Three players in turn take one or two stones; who takes the last one has all, the others nothing."""

    players = 3
    max_actions = 2
    state = np.dtype([("stones", np.int32), ("turn", np.int8)])
    settings = {"stones": 9}  # noqa: RUF012
    value_range = (0.0, 1.0)
    returns_sum = 1.0

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else state.turn

    @staticmethod
    def legal_actions(state, actions):
        count = min(2, state.stones)
        for i in range(count):
            actions[i] = i + 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn] = 1.0
        state.turn = (state.turn + 1) % 3


class TwiceNim(po.Game):
    """Nim where each player takes one or two stones twice in a row; whoever takes the last one wins."""

    players = 2
    max_actions = 2
    state = np.dtype([("stones", np.int32), ("move", np.int32)])
    settings = {"stones": 11}  # noqa: RUF012

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else (state.move // 2) % 2

    @staticmethod
    def legal_actions(state, actions):
        count = min(2, state.stones)
        for i in range(count):
            actions[i] = i + 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        player = (state.move // 2) % 2
        state.stones -= action
        state.move += 1
        if state.stones == 0:
            rewards[player], rewards[1 - player] = 1.0, -1.0


class KeptTwiceNim(TwiceNim):
    """The same with a state at every node."""

    keep_states = True


class Coins(po.Game):
    """One player collects one of three coins on each of four shelves; nobody says what coins can be worth.

    The best is 5 + 7.25 + 2 + 30 = 44.25.
    """

    players = 1
    max_actions = 3
    state = np.dtype([("shelf", np.int32)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.shelf == 4 else 0

    @staticmethod
    def legal_actions(state, actions):
        for i in range(3):
            actions[i] = i
        return 3

    @staticmethod
    def apply(state, action, rewards):
        rewards[0] = COINS[state.shelf, action]
        state.shelf += 1


class KnownCoins(Coins):
    """The same, where it is known what can still be had."""

    value_range = (-50.0, 50.0)


class Dice(po.Game):
    """Two players, two turns each: 0 is a sure point; 1 throws a die that gives 0, 1 or 3 points, with 0.5, 0.3, 0.2.

    Most points win. Rewards come at the end.
    """

    players = 2
    max_actions = 3
    state = np.dtype([("points", np.int32, (2,)), ("turn", np.int32), ("thrown", np.int32)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        if state.turn == 4:
            return po.TERMINAL
        return po.CHANCE if state.thrown else state.turn % 2

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 0, 1
        return 2

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1], actions[2] = 0, 1, 3
        probabilities[0], probabilities[1], probabilities[2] = 0.5, 0.3, 0.2
        return 3

    @staticmethod
    def apply(state, action, rewards):
        if action == 1 and not state.thrown:
            state.thrown = 1
            return
        player = state.turn % 2
        state.points[player] += action if state.thrown else 1
        state.thrown = 0
        state.turn += 1
        if state.turn == 4 and state.points[0] != state.points[1]:
            winner = 0 if state.points[0] > state.points[1] else 1
            rewards[winner], rewards[1 - winner] = 1.0, -1.0


class KeptDice(Dice):
    """The same with a state at every node."""

    keep_states = True


class Lots(po.Game):
    """Two players, four moves: take one point, or two and give one away. Lots say who moves next, and one of the three
    lots leaves no choice but to take three. Most points win.
    """

    players = 2
    max_actions = 3
    state = np.dtype([("points", np.int32, (2,)), ("moves", np.int32), ("turn", np.int32), ("lot", np.int32)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        if state.moves == 4:
            return po.TERMINAL
        return po.CHANCE if state.turn == 2 else state.turn

    @staticmethod
    def legal_actions(state, actions):
        if state.lot == 2:
            actions[0] = 3
            return 1
        actions[0], actions[1] = 1, 2
        return 2

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1], actions[2] = 0, 1, 2
        probabilities[0], probabilities[1], probabilities[2] = 0.25, 0.5, 0.25
        return 3

    @staticmethod
    def apply(state, action, rewards):
        if state.turn == 2:
            state.turn, state.lot = action % 2, action
            return
        state.points[state.turn] += action
        state.points[1 - state.turn] += action == 2
        state.moves += 1
        state.turn = 2
        if state.moves == 4 and state.points[0] != state.points[1]:
            winner = 0 if state.points[0] > state.points[1] else 1
            rewards[winner], rewards[1 - winner] = 1.0, -1.0


class Gamble(po.Game):
    """One player, one choice: 0.5 for certain, or a throw that brings 1 with 0.7 and -1 with 0.3: 0.4 on average."""

    players = 1
    max_actions = 2
    state = np.dtype([("phase", np.int32)])
    value_range = (-1.0, 1.0)

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        if state.phase == 2:
            return po.TERMINAL
        return po.CHANCE if state.phase == 1 else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 0, 1
        return 2

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1] = 1, -1
        probabilities[0], probabilities[1] = 0.7, 0.3
        return 2

    @staticmethod
    def apply(state, action, rewards):
        if state.phase == 1:
            rewards[0] = action
            state.phase = 2
        elif action == 0:
            rewards[0] = 0.5
            state.phase = 2
        else:
            state.phase = 1


class GuidedNim(Nim):
    """Nim with everything that can guide a search; priors have ties, are never normalised, and may be all zero."""

    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = 2.0 if actions[i] == state.stones % 4 else 1.0
        if state.stones % 5 == 0:
            for i in range(count):
                out[i] = 0.0

    @staticmethod
    def evaluate(state, values):
        good = 0.25 if state.stones % 4 else -0.75
        values[state.turn], values[1 - state.turn] = good, -good

    @staticmethod
    def playout_action(state, actions, count, rng):
        wanted = state.stones % 4
        if wanted > 0 and po.random_float(rng) < 0.5:
            return wanted
        return actions[po.random_below(rng, count)]


class PriorNim(Nim):
    """Nim with priors only, which then guide playouts too; some of them are zero."""

    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = 1.0 + i
        if state.stones % 3 == 0:
            out[0] = out[count - 1] = 0.0


class Corridor(po.Game):
    """One player walks on for 0.01 a step or leaves; after each step a gust may or may not blow. Long, and deep."""

    players = 1
    max_actions = 2
    state = np.dtype([("at", np.int32), ("gust", np.int32), ("gone", np.int32), ("length", np.int32)])
    settings = {"length": 1000}  # noqa: RUF012
    value_range = (0.0, 300.0)

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        if state.gone or state.at >= state.length:
            return po.TERMINAL
        return po.CHANCE if state.gust else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 0, 1
        return 2

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1] = 0, 1
        probabilities[0], probabilities[1] = 0.999, 0.001
        return 2

    @staticmethod
    def apply(state, action, rewards):
        if state.gust:
            state.gust = 0
        elif action == 1:
            state.gone = 1
        else:
            rewards[0] = 0.01
            state.at += 1
            state.gust = 1


class Shares(po.Game):
    """Two players choose once each and share what the table says: neither a fight nor a team."""

    players = 2
    max_actions = 3
    state = np.dtype([("first", np.int32), ("move", np.int32)])
    value_range = (0.0, 3.0)
    returns_sum = None

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.move == 2 else state.move

    @staticmethod
    def legal_actions(state, actions):
        count = 3 if state.move == 0 else 2
        for i in range(count):
            actions[i] = i
        return count

    @staticmethod
    def apply(state, action, rewards):
        if state.move == 0:
            state.first = action
        else:
            rewards[0], rewards[1] = SHARES[state.first, action, 0], SHARES[state.first, action, 1]
        state.move += 1


class Auction(po.Game):
    """Three players raise in turn for four rounds; what one gains, the next loses half of and the third nothing of."""

    players = 3
    max_actions = 3
    state = np.dtype([("turn", np.int32), ("pot", np.int32)])
    value_range = (-6.0, 6.0)
    returns_sum = None

    @staticmethod
    def initial_state(state):
        state.pot = 1

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.turn == 4 else (state.turn * 2) % 3

    @staticmethod
    def legal_actions(state, actions):
        for i in range(3):
            actions[i] = i
        return 3

    @staticmethod
    def apply(state, action, rewards):
        player = (state.turn * 2) % 3
        gain = 0.25 * ((state.pot * (action + 2)) % 5) - 0.25
        rewards[player] = gain
        rewards[(player + 1) % 3] = -0.5 * gain
        state.pot += action
        state.turn += 1


class MostlyPass(po.Game):
    """Two players in turn; player 1 can only ever pass. Player 0 wins by choosing 1 three times in a row."""

    players = 2
    max_actions = 2
    state = np.dtype([("ply", np.int32), ("ones", np.int32)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.ply == 6 else state.ply % 2

    @staticmethod
    def legal_actions(state, actions):
        if state.ply % 2 == 1:
            actions[0] = -1
            return 1
        actions[0], actions[1] = 0, 1
        return 2

    @staticmethod
    def apply(state, action, rewards):
        state.ones += action == 1
        state.ply += 1
        if state.ply == 6:
            winner = 0 if state.ones == 3 else 1
            rewards[winner], rewards[1 - winner] = 1.0, -1.0


TOY_GAMES = (
    Nim,
    PointNim,
    NimOfThree,
    TwiceNim,
    KeptTwiceNim,
    Coins,
    KnownCoins,
    Dice,
    KeptDice,
    Lots,
    Gamble,
    GuidedNim,
    PriorNim,
    Corridor,
    Shares,
    Auction,
    MostlyPass,
)

"""Self-play: games of a network against itself, many searches in lockstep (`search/lockstep.py`).

A game depends on the seed of its generation, on its number and on the numbers at its table, whose leaves share a
batch; not on time, on other tables, or on who plays it. Proofs are on: a proven value is exact,
so it is learnt instead of how the game happened to go on.
"""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from playout.common.raised import described
from playout.errors import GameError
from playout.game import CHANCE, Game, Position
from playout.game.faults import rule_origin
from playout.play.chance import draw_outcome, seed_of
from playout.policies import PUCT, Parent
from playout.search import Search
from playout.search.lockstep import Lockstep, Member, RootEdges, check_finite
from playout.search.pruning import pruned_visits
from playout.settings import Forced, Gumbel, Noise, Settings

from .network_kind import kind_of, width
from .recipe import Recipe, value_kind
from .replay import Samples

CACHE = 1 << 16  # answers that the games of a table share
LOOKED, LOOK_SECONDS = 200, 1.0  # the most positions whose observations are checked before a training

OpenedNetwork = Callable[[Any], tuple[Any, Any]] | str  # a function of a batch of planes, or the file of a fast network


@dataclass
class PlayedPosition:
    """A position of a game, and what is learnt from it."""

    player: int
    rewards: Any = None  # [P]: of the action chosen here
    proven: Any = None  # [P]: the return of each player from here on, if it was proven
    planes: Any = None  # None: nothing is learnt from this position
    policy: Any = None
    value: float = 0.0  # the search's value for the player
    strayed: bool = False  # another action was played than the search's best


@dataclass
class SelfPlayGames:
    """The games of one table: what is learnt from them, and figures about them."""

    samples: Samples
    figures: dict[str, float] = field(default_factory=dict)


def play_table(
    game: Game,
    recipe: Recipe,
    network: OpenedNetwork | None,
    games: int,
    seed: int,
    count: Callable[[int, int], None] = lambda games, evaluations: None,
    first: int = 0,
) -> SelfPlayGames:
    """Play `games` games of a network against itself, with numbers from `first` on; without a network, of plain UCT.

    `count` is called with the number of games and of evaluations that were done since its last call.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # uncompiled, as compiled
        return _SelfPlay(game, recipe, network, games, seed, count, first).play()


def check_observations(game: Game) -> None:
    """Play at random and call `observe` uncompiled: an index out of bounds may crash compiled code.

    The first game is looked at whole, however long the compiler takes meanwhile, and others until the time is up.
    """
    random, position = np.random.default_rng(0), game.position()
    looked, until = 0, np.inf
    with np.errstate(all="ignore"):
        while looked < LOOKED and time.monotonic() < until:
            if position.is_terminal:
                if not looked:
                    return  # it is over at the start: self-play reports that
                until = min(until, time.monotonic() + LOOK_SECONDS)
                position = game.position()
            chosen = [action for action, weight in position.outcomes() if weight > 0]
            if position.player != CHANCE:
                looked += 1
                check_observation(position)
                chosen = position.actions()
            position = position.play(chosen[int(random.integers(len(chosen)))])


def check_observation(position: Position) -> None:
    """Call `observe` uncompiled for one position, and refuse what it must not do."""
    game, where = position.game, f"in {position.text or 'the start'}"
    planes = np.zeros(game.planes, np.float32)
    try:
        game.rules.functions["observe"](game.rules.view(position.buffer.copy()), position.player, planes)
    except IndexError as error:
        raise GameError(
            f"{game.title}.observe raised {described(error)}, at {rule_origin(game, error)[1]}, {where}; it may write "
            f"where `planes` = {tuple(game.planes)} has room"
        ) from error
    except Exception:  # noqa: BLE001  # compiled it may be fine; if it is not, self-play reports it
        return
    check_finite(game, planes.ravel(), where)


class _SelfPlay:
    """All games of a table."""

    def __init__(
        self,
        game: Game,
        recipe: Recipe,
        network: Any,
        games: int,
        seed: int,
        count: Callable[[int, int], None],
        first: int = 0,
    ) -> None:
        self.game, self.recipe, self.network = game, recipe, network
        self.games, self.seed, self.count, self.first = games, seed, count, first
        self.begun, self.done = 0, 0
        self.lockstep = Lockstep(CACHE)
        self.lines: dict[int, list[PlayedPosition]] = {}  # finished games, by number
        self.kind, self.network_kind = value_kind(game), kind_of(recipe)
        self.in_lockstep = network is not None and self.network_kind.in_lockstep
        self.evaluations = 0  # inside the searches
        if network is None:
            self.quiet = self.loud = Settings()
        else:
            evaluator = self.network_kind.evaluator(network, recipe.leaves, cache=0)
            gumbel = Gumbel(min(recipe.considered, game.max_actions)) if recipe.gumbel else None
            forced = Forced(recipe.forced) if recipe.forced and not recipe.gumbel else None
            noise = Noise(recipe.noise, recipe.alpha, recipe.shaped) if recipe.noise and not recipe.gumbel else None
            self.loud = Settings(
                policy=PUCT(1.25, growth=1.0),
                evaluator=evaluator,
                unvisited=Parent(),
                root=gumbel or forced,
                noise=noise,
                root_temperature=recipe.root_temperature,
            )
            quiet = None if gumbel is None else dataclasses.replace(gumbel, noise=0.0)
            self.quiet = self.loud.replace(root=quiet, noise=None, root_temperature=1.0)

    def play(self) -> SelfPlayGames:
        began = time.perf_counter()
        seats = [s for _ in range(min(self.recipe.seats, self.games)) if (s := self.next_game()) is not None]
        if self.in_lockstep:
            self.play_in_lockstep(seats)
        else:
            for seat in seats:
                self.play_alone(seat)
        return self.result(time.perf_counter() - began)

    def play_alone(self, seat: "_SelfPlayGame | None") -> None:
        """Play a game, and those that follow it, by searches that need nothing from outside."""
        while seat is not None:
            ran = seat.search.run(self.recipe.teacher if self.network is None else seat.stop_at).simulations
            if self.network is not None:
                self.evaluations += ran
                self.count(0, ran)
            seat = self.moved(seat)

    def play_in_lockstep(self, seats: "list[_SelfPlayGame]") -> None:
        while seats:
            found = [(seat.member, seat.gather()) for seat in seats]
            if rows := self.lockstep.answer(found):
                self.count(0, rows)
            seats = [s for seat in seats if (s := self.moved(seat) if seat.is_ready() else seat) is not None]

    def moved(self, seat: "_SelfPlayGame") -> "_SelfPlayGame | None":
        """The same game after its move, or the next game if it is over; None: there are no more."""
        if not seat.move():
            return seat
        self.lines[seat.number] = seat.line
        self.done += 1
        self.count(1, 0)
        return self.next_game()

    def next_game(self) -> "_SelfPlayGame | None":
        if self.begun >= self.games:
            return None
        self.begun += 1
        return _SelfPlayGame(self, self.first + self.begun - 1)

    def worth(self, turn: PlayedPosition, after: Any) -> Any:
        """The return of each player from a position on: proven, or as the game went on.

        Where an action other than the search's best was played, for variety, the rest of the game tells about that
        action only: the search's value counts instead, for this position and for those before it.
        """
        if turn.proven is not None:
            return turn.proven
        if turn.strayed and self.kind == "scalar":
            worth = np.full(self.game.players, (self.game.sums_to or 0.0) - turn.value)
            worth[turn.player] = turn.value
            return worth
        return turn.rewards + after

    def learnt(self, turn: PlayedPosition, after: Any) -> float:
        """The value to learn: proven, or a blend of how the game went and of the search's value."""
        went = float(after[turn.player])
        return went if turn.proven is not None else went + self.recipe.blend * (turn.value - went)

    def result(self, seconds: float) -> SelfPlayGames:
        planes, policies, values, entropy, lengths, firsts = [], [], [], list[float](), list[int](), list[float]()
        players = self.game.players
        for number in sorted(self.lines):
            after, total = np.zeros(players), np.zeros(players)
            line = self.lines[number]
            for turn in reversed(line):
                after = self.worth(turn, after)
                total += turn.rewards
                if turn.planes is not None:
                    planes.append(turn.planes)
                    policies.append(turn.policy)
                    values.append([self.learnt(turn, after)] if self.kind == "scalar" else after)
                    seen = turn.policy[turn.policy > 0]
                    entropy.append(float(-(seen * np.log(seen)).sum()))
            lengths.append(len(line))
            firsts.append(float(total[0]))
        samples = Samples(
            np.array(planes, np.float32).reshape(len(planes), width(self.network_kind, self.game)),
            np.array(policies, np.float32).reshape(len(planes), self.game.policy_size),
            np.array(values, np.float32).reshape(len(planes), 1 if self.kind == "scalar" else players),
        )
        if not np.isfinite(samples.values).all():
            bad = samples.values[~np.isfinite(samples.values)][0]
            raise GameError(
                f"{self.game.title}: a game brought {bad} in all, expected finite numbers that fit into 32 bits; "
                f"`playout doctor` looks at the rewards of `apply`"
            )
        figures = {
            "games": float(len(lengths)),
            "moves": float(sum(lengths)),
            "samples": float(len(planes)),
            "evaluations": float(self.lockstep.evaluations + self.evaluations),
            "seconds": seconds,
            "network_seconds": self.lockstep.seconds,
            "entropy": float(np.mean(entropy)) if entropy else 0.0,
            "first": float(np.mean(firsts)) if firsts else 0.0,
        }
        return SelfPlayGames(samples, figures)


class _SelfPlayGame:
    """One game in play."""

    member: Member  # of the lockstep, if a network plays

    def __init__(self, table: _SelfPlay, number: int) -> None:
        self.table, self.number, self.recipe = table, number, table.recipe
        self.random = np.random.default_rng(seed_of(table.seed, number))
        self.line: list[PlayedPosition] = []
        self.moves = 0
        position = self.past_chance(self.opening())
        self.search = Search(table.game, table.quiet, position=position, seed=seed_of(table.seed, "search", number))
        if table.in_lockstep:
            self.member = table.lockstep.join(self.search)
        self.begin_turn()

    def opening(self) -> Position:
        """The start, or in a share of the games a position some random actions later."""
        start = self.table.game.position()
        if self.recipe.openings == 0 or self.random.random() >= self.recipe.opened:
            return start
        for _ in range(10):
            position, made = start, 0
            wanted = int(self.random.integers(1, self.recipe.openings + 1))
            while made < wanted and not position.is_terminal:
                if position.player == CHANCE:
                    position = position.play(self.outcome(position))
                else:
                    actions = position.actions()
                    position = position.play(actions[int(self.random.integers(len(actions)))])
                    made += 1
            if not self.past_chance(position).is_terminal:
                self.moves = made
                return position
        return start

    def outcome(self, position: Position) -> int:
        return draw_outcome(position, self.random)

    def past_chance(self, position: Position) -> Position:
        while position.player == CHANCE:
            position = position.play(self.outcome(position))
        return position

    # One turn.

    def choose_effort(self) -> None:
        """Choose whether the next position is searched in full, with noise, and learnt from."""
        self.full = self.table.network is None or self.random.random() >= self.recipe.cheap
        self.search.set_root(self.table.loud if self.full else self.table.quiet)

    def begin_turn(self) -> None:
        if not self.line:
            self.choose_effort()
        search, visits = self.search, self.search.root.visits
        wanted = self.recipe.simulations if self.full else self.recipe.cheap_simulations
        # The first simulation of a new root evaluates the root itself: there must be one more.
        self.stop_at = max(1 if visits > 0 else 2, wanted // 4, wanted - visits)
        if self.table.in_lockstep:
            self.member.is_exhausted = False
            self.member.aim(self.stop_at)
        planes = None
        if self.full:
            planes = self.table.network_kind.seen(search.position)
        self.line.append(PlayedPosition(search.position.player, planes=planes))

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing is left to search at this position."""
        return self.table.in_lockstep and self.member.is_exhausted

    def gather(self) -> list[int]:
        """Collect leaves that wait for an answer; returns their slots, none where the position needs no more."""
        return self.member.collect(self.recipe.leaves, self.stop_at)

    def is_ready(self) -> bool:
        """Whether the position was searched enough to choose an action."""
        if self.is_exhausted:
            return self.member.waiting == 0
        return self.search.simulations >= self.stop_at

    def move(self) -> bool:
        """Note what the search found, and play; returns whether the game is over."""
        search, turn, root = self.search, self.line[-1], RootEdges.of(self.search)
        weights = self.weights(root)
        if self.full:
            turn.policy = self.as_policy(root.actions, weights)
        favourite = self.favourite(root, weights)
        turn.value = float(root.values[favourite] if root.edge_visits[favourite] > 0 else root.value)
        turn.proven = root.proven
        action = self.choice(root, weights)
        turn.strayed = action != int(root.actions[favourite])
        self.moves += 1
        self.choose_effort()
        after = search.play(action)
        turn.rewards = after.rewards.copy()
        while after.player == CHANCE:
            after = search.play(self.outcome(after))
            turn.rewards = turn.rewards + after.rewards
        if after.is_terminal or self.moves >= self.recipe.max_moves:
            return True
        self.begin_turn()
        return False

    def weights(self, root: RootEdges) -> Any:
        """The search's policy over the root's edges, in the order of the tree; they sum to one.

        Visits without those that were forced, or Gumbel's improved policy. If the position is proven, only actions that
        are proven to be as good. With one player, a proven action gets no more visits: if it is the answer, it counts
        as the most visited one.
        """
        shares = root.edge_visits.astype(np.float64)
        if self.full and isinstance(self.search.settings.root, Forced):
            shares = pruned_visits(self.search, root)
        if self.table.game.players == 1 and root.is_proven[best := self.favourite(root, shares)]:
            shares[best] = shares.max()
        if self.is_planned(root):
            shares = root.improved
        if root.proven is not None:
            value = float(root.proven[self.search.position.player])
            good = root.is_exact & (np.abs(root.values - value) < 1e-9)
            if good.any():
                shares = np.where(good, shares + 1e-3, 0.0)
        if shares.sum() <= 0.0:
            shares = root.priors.astype(np.float64) + 1e-9
        return shares / shares.sum()

    def as_policy(self, actions: Any, weights: Any) -> Any:
        """Weights of actions as a row of the network's policy."""
        position = self.search.position
        policy = self.table.network_kind.empty_policy(position)
        for action, weight in zip(actions.tolist(), weights.tolist(), strict=True):
            policy[position.action_index(action)] += weight
        return policy

    def choice(self, root: RootEdges, weights: Any) -> int:
        """The action to play."""
        if self.is_planned(root):
            return int(root.actions[root.best])
        if self.moves < self.recipe.temperature_moves:
            return int(root.actions[int(self.random.choice(len(root.actions), p=weights))])
        return int(root.actions[self.favourite(root, weights)])

    def favourite(self, root: RootEdges, weights: Any) -> int:
        """Which of the root's edges the search would play."""
        best = -1 if self.is_planned(root) else root.best
        return best if best >= 0 else int(np.argmax(weights))

    def is_planned(self, root: RootEdges) -> bool:
        """Whether Gumbel's plan has chosen an action; at a proven position, only what is proven counts."""
        return root.improved is not None and root.best >= 0 and not self.is_exhausted

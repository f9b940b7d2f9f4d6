"""Answers, field by field: the second half of /openapi.json. `views` makes them; these models only describe them.

The tests compare the two. docs/glossary.md has one meaning for each name.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Interval = list[float] | None
Score = float | Literal["infinity", "-infinity"] | None
VALUE = "Mean return for player `value_for`; exact if proven; null before the first visit."
PROVEN = "The exact value for player `value_for`, or null."


class AnswerModel(BaseModel):
    """Base of all answers: more fields may come."""

    model_config = ConfigDict(extra="allow")


class ProblemOut(AnswerModel):
    """Problem details (RFC 9457), as application/problem+json."""

    type: str = Field(description="The address of /v1/problems, and the code.")
    title: str = Field(description="The same for all problems of this code.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="For people: what came, what was expected, what to do.")
    code: str


class ProblemKindOut(AnswerModel):
    code: str
    title: str


class ProblemsOut(AnswerModel):
    problems: list[ProblemKindOut]


# What there is to choose from.


class ServerOut(AnswerModel):
    name: str
    version: str
    ask: dict[str, str] | None = Field(description="The language model, or null.")
    limits: dict[str, int] = Field(description="Caps, by name; see docs/http.md.")
    game: str = Field(description="The game that a visit begins with: the first of `--game`, or tictactoe.")
    sessions: int = Field(description="How many there are.")
    running: int = Field(description="How many of them have a run on.")
    compiling: int | None = Field(description="While a first search is compiled, about how many seconds that takes.")
    compiling_for: float | None = Field(
        description="While a first search is compiled, for how many seconds it has been."
    )
    uncompiled: bool = Field(description="Whether searches run uncompiled, slowly, until the compiler is done.")
    restoring: float | None = Field(
        description="While the session named in the request is read from disk, the share that was read."
    )


class GameOut(AnswerModel):
    game: str
    description: str
    about: str
    players: int = Field(description="The number of players.")
    presets: list[str] = Field(description="Those that can be used with it.")
    player_names: list[str] = Field(description="What people call the players; empty: they have no names.")
    preset: str = Field(description="The preset used when none is named.")
    range: Interval = Field(description="The lowest and the highest return of a player; null: unknown.")
    built_in: bool
    settings: list[dict[str, Any]]
    position: str = Field(description="The start, as an example of how positions are written.")
    parts: list[str]


class GamesOut(AnswerModel):
    games: list[GameOut]


class PresetsOut(AnswerModel):
    presets: list[dict[str, Any]]


class OptionOut(AnswerModel):
    name: str
    meaning: str
    unit: str | None
    translations: dict[str, dict[str, str | None]] = Field(description="Meaning and unit in other languages: `zh`.")
    words: list[str]
    number: str | None = Field(description="integer, number, or null: no number.")
    least: float | None
    most: float | None
    above: bool = Field(description="The number must be more than `least`.")
    default: str
    defaults: dict[str, str] = Field(description="The default with each of the kinds; empty: it has to be given.")
    part: str
    kinds: list[str]


class OptionsOut(AnswerModel):
    settings: list[OptionOut]
    sources: dict[str, str] = Field(
        description="The Python source of each policy and backup that the server was started with, by its kind."
    )


class ActionOut(AnswerModel):
    number: int = Field(description="The action's number, for paths and requests.")
    action: str
    probability: float | None = Field(None, description="Where chance moves.")


class PositionOut(AnswerModel):
    text: str
    player: int = Field(description="Who moves: 0, 1, …; -1: chance; -4: the game is over.")
    over: bool
    chance: bool
    show: str
    svg: str = Field(description="From the game's `draw`: show it as an image only.")
    actions: list[ActionOut]


# Sessions and runs.


class RunOut(AnswerModel):
    id: int = Field(description="The number of the run in this session.")
    kind: str
    limits: dict[str, float | None] = Field(description="What ends it; null: no such limit.")
    share: float | None = Field(description="Of the limits, 0 to 1; null: until stopped.")
    simulations: int = Field(description="Of this run.")
    seconds: float = Field(description="Wall-clock time, waiting for a turn included.")
    simulations_per_second: float = Field(description="Of this run, by wall clock.")
    stopped_by: str | None = Field(description="Null during the run.")
    message: str | None = Field(description="For people: what failed; null: nothing did.")


class KeptOut(AnswerModel):
    visits: int = Field(description="Visits of the new root that were kept.")
    of: int = Field(description="Visits of the root that was left.")
    how: str = Field(description="subtree, parked or none.")


class FailureOut(AnswerModel):
    what: str = Field(description="run, seek, step, play, goto or settings.")
    message: str = Field(description="For people: which rule failed, and how.")
    position: str = Field(description="The position that the session was at.")
    moment: int = Field(description="The moment that the session was at.")


class SessionHead(AnswerModel):
    id: str
    permalink: str
    name: str
    game: str
    created: float = Field(description="Seconds since 1970.")
    touched: float = Field(description="Seconds since 1970.")
    in_memory: bool
    temporary: bool = Field(description="Made for a visit and not used yet.")


class ListedOut(SessionHead):
    position: str
    simulations: int = Field(description="Since the present position was set.")
    running: bool


class SessionsOut(AnswerModel):
    sessions: list[ListedOut]


class TreeSize(AnswerModel):
    visits: int = Field(description="Of the root, kept ones included.")
    nodes: int = Field(description="Positions in the tree.")
    edges: int = Field(description="Actions in the tree.")
    bytes: int = Field(description="Memory used by the tree.")


class SessionOut(SessionHead, TreeSize):
    game_settings: dict[str, Any]
    players: int = Field(description="The number of players.")
    player_names: list[str] = Field(description="What people call the players; empty: they have no names.")
    zero_sum: bool = Field(description="Two players, and what one gets the other loses.")
    range: Interval = Field(description="The lowest and the highest return of a player; null: unknown.")
    preset: str
    options: dict[str, str]
    changed: list[str]
    seed: int = Field(description="The same seed gives the same search again.")
    position: PositionOut
    moment: int = Field(description="The present moment of the game.")
    plies: int = Field(description="Moves since the start.")
    returns: list[float] | None = Field(description="What each player has got since the start; null before a move.")
    simulations: int = Field(description="Since the present position was set.")
    proven: float | None = Field(description="The root's exact value, for the player who moves there.")
    graph: bool
    run: RunOut | None
    last_run: RunOut | None
    failure: FailureOut | None = Field(
        description="What the game or the evaluator failed at; null: the last request succeeded."
    )
    kept: KeptOut | None
    leads: int | None = Field(description="Rises whenever another page takes the lead; null: it is not shared.")
    version: int = Field(description="Rises with every change except the simulations of a run.")


# What a search has found.


class EvaluatedOut(AnswerModel):
    """What the search knows of an action or a node."""

    visits: int = Field(description="Simulations that went through it.")
    value: float | None = Field(description=VALUE)
    interval: Interval = Field(description="Confidence interval of the value, for the same player.")
    wdl: tuple[int, int, int] | None = Field(description="Wins, draws and losses of that player, if they are counted.")
    proven: float | None = Field(description=PROVEN)


class ActionStatsOut(EvaluatedOut):
    action: str
    number: int = Field(description="The action's number, for paths and requests.")
    share: float = Field(description="Of all visits of the root's actions.")
    error: float | None = Field(description="Standard error of the value.")
    prior: float = Field(description="The action's prior probability, 0 to 1.")
    line: list[str]
    line_numbers: list[int] = Field(description="The line by the numbers of its actions.")


class BestFoundOut(AnswerModel):
    value: float = Field(description="Its return from the root on, discounted as the search counts it.")
    line: list[str]
    line_numbers: list[int] = Field(description="The line by the numbers of its actions; up to 1,000 of them.")
    line_length: int = Field(description="How many actions it has.")
    simulation: int | None = Field(description="The one that found it; null: an earlier one, or a proof.")
    position: str = Field(description="Its end.")
    svg: str = Field(description="Its end, from the game's `draw`: show it as an image only.")


class ResultOut(TreeSize):
    game: str
    position: str
    player: int = Field(description="Who moves at the root; -1: chance; -4: the game is over.")
    value_for: int = Field(description="Whose values these are: the player who moves at the root.")
    simulations: int = Field(description="Of the last run, or of the present one so far.")
    total: int | None = Field(description="Simulations since the position was set.")
    seconds: float = Field(description="Of the last run, or of the present one so far.")
    simulations_per_second: float = Field(description="Of the last run, or of the present one so far.")
    value: float | None = Field(description="Of the root, for player `value_for`.")
    proven: float | None = Field(description=PROVEN)
    best: str | None
    best_number: int | None = Field(description="The number of the best action; null: none yet.")
    line: list[str]
    line_numbers: list[int] = Field(description="The expected play by the numbers of its actions.")
    actions: list[ActionStatsOut]
    stopped_by: str
    leader_since: int = Field(description="The simulation since which the best action has been ahead.")
    mean_depth: float = Field(description="Mean number of actions from the root to the leaf.")
    max_depth: int = Field(description="Greatest number of actions from the root to a leaf.")
    playout_length: float = Field(description="Mean number of actions of a playout.")
    seed: int | None = Field(description="The search's seed.")
    hits: int | None = Field(None, description="Graph search: how often a new edge led to a known position.")
    saved: int | None = Field(None, description="Graph search: edges to a node that another edge led to first.")
    best_found: BestFoundOut | None = Field(
        None, description="One player without chance: the best complete line seen in the tree or in a playout."
    )


class RunAnswer(AnswerModel):
    run: RunOut | None
    result: ResultOut | None = None


class PointActionOut(AnswerModel):
    number: int = Field(description="The action's number.")
    share: float = Field(description="Of the root's visits.")
    value: float | None = Field(description="For `value_for` of the point.")


class PointOut(AnswerModel):
    simulations: int = Field(description="Since the position was set.")
    value: float | None = Field(description="Of the root, for player `value_for`.")
    value_for: int = Field(description="The player who moves at the root.")
    best_number: int | None = Field(description="The number of the best action; null: none.")
    best_found: float | None = Field(None, description="The return of the best complete line; null: none is known.")
    actions: list[PointActionOut]


class ChartOut(AnswerModel):
    points: list[PointOut]
    names: dict[str, str] = Field(description="Texts of the actions, by number.")


# One simulation.


class EdgeScoreOut(AnswerModel):
    number: int = Field(description="The action's number.")
    action: str
    visits: int = Field(description="Before this simulation.")
    value: float | None = Field(description="Mean return for the player who chooses at this node.")
    prior: float = Field(description="The action's prior probability, 0 to 1.")
    proven: bool
    value_term: Score = Field(description="The value as the score counts it, for the player who chooses here.")
    exploration_term: Score = Field(description="The rest of the score.")
    score: Score = Field(description="The sum of the two; of a chance outcome, its probability.")
    chosen: bool
    terms: dict[str, Score] = Field(description="The parts of the score, in the policy's own words.")


class StepPosition(AnswerModel):
    position: str
    svg: str | None
    player: int = Field(description="Who moves there; -1: chance.")


class ChoiceOut(StepPosition):
    visits: int = Field(description="Of the node, before this simulation.")
    edges: list[EdgeScoreOut]
    number: int = Field(description="The number of the action taken.")
    action: str = Field(description="The action taken.")
    rewards: list[float] = Field(description="Rewards of the step, one for each player.")
    expanded: bool


class ExpansionOut(StepPosition):
    depth: int = Field(description="Actions from the root.")
    actions: list[str]
    priors: list[float] = Field(description="In the order of the actions.")


class PlayoutOut(AnswerModel):
    actions: list[str]
    returns: list[float] = Field(description="One for each player.")
    final_position: str
    final_svg: str | None
    positions: list[str]
    svgs: list[str]
    shown: int = Field(description="How many of its positions are here.")


class ChangeOut(AnswerModel):
    what: str
    line: list[str]
    path: list[int] = Field(description="The line by the numbers of its actions.")
    field: str
    before: Score = Field(description="Of an edge: for the player who chooses above; of a node: for who moves there.")
    after: Score = Field(description="For the same player as `before`; null: there is none.")


class StepOut(AnswerModel):
    simulation: int = Field(description="Its number since the present position was set, from 1.")
    selection: list[ChoiceOut]
    expansion: ExpansionOut | None
    leaf: str
    leaf_added: bool = Field(description="The leaf is in the tree for the first time.")
    leaf_svg: str | None
    ending: str
    playouts: list[PlayoutOut] = Field(description="The first 100 of them.")
    played: int = Field(description="How many playouts there were.")
    static_values: list[float] | None = Field(description="One for each player.")
    returns: list[float] = Field(description="From the leaf on, one for each player.")
    backup: list[ChangeOut]
    path: list[int] = Field(description="Numbers of the actions taken in the tree.")
    simulations: int = Field(description="How many have been run now, this one included.")
    version: int = Field(description="The session's, after the step.")
    before: dict[str, Any] | None = Field(description="The views that `before` asked for, as updates have them.")


# Looking.


class NodeOut(EvaluatedOut):
    action: str | None
    number: int | None = Field(description="The number of the action that leads here; null at the root.")
    value_for: int = Field(description="The player who chose the action; at the root, who moves there.")
    prior: float | None = Field(description="The action's prior probability; null at the root.")
    player: int | None = Field(description="Who moves after the action; null where the rules fail there.")
    expanded: bool
    node: int | None = Field(description="The node's number in the tree; null while it has none.")
    parents: int = Field(description="Edges that lead to the node.")
    node_visits: int = Field(description="Visits of the node over all edges that lead to it.")
    shared: bool
    best_number: int | None = Field(description="The number of the best child's action; null: none.")
    children: list["NodeOut"]
    more: int = Field(description="Children that are not listed.")
    score: Score = Field(None, description="What the policy at its parent gives it now, where the request asks for it.")
    position: str | None = Field(None, description="Its position's text, where the request asks for it.")


class TreeOut(NodeOut):
    depth: int = Field(description="Of the top node: actions from the root.")
    path: list[int] = Field(description="Of the top node: numbers of the actions from the root.")


class DetailOut(NodeOut):
    path: list[int] = Field(description="Numbers of the actions from the root.")
    line: list[str]
    position: PositionOut  # type: ignore[assignment]  # more than its text
    visited: int = Field(description="Children that were visited.")
    expected: list[str | None]
    expected_numbers: list[int] = Field(description="The expected play by the numbers of its actions.")
    error: float | None = Field(description="Standard error of the value.")


class MapOut(AnswerModel):
    visits: int = Field(description="Of the root.")
    cells: list[list[float | None]] = Field(
        description="[parent, number, share, value, value_for]: the value is for player value_for."
    )
    names: list[str | None] = Field(description="Texts of the actions, cell by cell.")
    least: int = Field(description="Nodes with fewer visits are left out.")
    depth: int = Field(description="The number of rows requested.")


class LineOut(AnswerModel):
    path: list[int] = Field(description="Numbers of the actions from the root, to the line's end.")
    nodes: list[NodeOut]


class FoundOut(AnswerModel):
    path: list[int] = Field(description="Numbers of the actions from the root.")
    line: list[str]
    visits: int = Field(description="Simulations that went through it.")
    value: float | None = Field(description=VALUE)
    value_for: int = Field(description="The player who chose the action.")
    player: int = Field(description="Who moves after the action.")


class FindOut(AnswerModel):
    found: list[FoundOut]
    complete: bool


# Deciding, and the game so far.


class ExplainOut(AnswerModel):
    text: str
    facts: dict[str, Any] = Field(description="Values are for the player who moves at the root.")


class MomentOut(AnswerModel):
    moment: int = Field(description="The number of the moment in this session.")
    parent: int | None = Field(description="The moment before it; null: the start.")
    ply: int = Field(description="Moves since the start.")
    number: int | None = Field(description="The number of the move that led here.")
    action: str | None
    player: int | None = Field(description="Who made the move.")
    text: str
    next_player: int = Field(description="Who moves now; -1: chance; -4: the game is over.")
    over: bool
    rewards: list[float] = Field(description="Rewards of the move, one for each player.")
    parked: int = Field(description="Visits of the tree that is in memory there.")
    current: bool
    svg: str | None


class GameSoFar(AnswerModel):
    moment: int = Field(description="The present moment.")
    moments: list[MomentOut]


class AskOut(AnswerModel):
    answer: str
    source: Literal["model", "built-in"]
    model: str | None
    note: str | None

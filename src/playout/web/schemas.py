"""What comes in and what goes out, field by field: the source of /openapi.json. See docs/http.md for the whole of it.

Requests are checked against these; answers are made by `views` and only described here (the tests compare them).
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from playout.common.arguments import whole


def _as_whole(value: Any) -> Any:
    """1e5 as 100000; what is no whole number stays, and is refused for what it is."""
    found = whole(value)
    return value if found is None else found


AsWhole = BeforeValidator(_as_whole)

Text = Annotated[str, StringConstraints(max_length=4000)]
Name = Annotated[str, StringConstraints(max_length=200)]
ActionIn = Annotated[int, Field(strict=True, ge=-(2**31), lt=2**31)] | Annotated[str, StringConstraints(max_length=200)]
ActionNumber = Annotated[int, Field(strict=True, ge=-(2**31), lt=2**31)]
Seed = Annotated[int, AsWhole, Field(strict=True, ge=0, lt=2**64)]
OptionValue = (
    Annotated[bool, Field(strict=True)]
    | Annotated[int, Field(strict=True, ge=-(2**53), le=2**53)]
    | Annotated[float, Field(strict=True, allow_inf_nan=False)]
    | Annotated[str, StringConstraints(max_length=100)]
)
Scalar = (
    Annotated[int, Field(strict=True, ge=-(2**53), le=2**53)]
    | Annotated[float, Field(strict=True, allow_inf_nan=False)]
)
SettingValue = (
    Scalar | Annotated[list[Scalar], Field(max_length=1000)] | Annotated[str, StringConstraints(max_length=1000)]
)
Options = Annotated[dict[Name, OptionValue], Field(max_length=100)]
GameSettings = Annotated[dict[Name, SettingValue], Field(max_length=100)]
Moves = Annotated[list[ActionIn], Field(max_length=2000)]
Count = Annotated[int, AsWhole, Field(strict=True, ge=1, le=2**53)]
Moment = Annotated[int, Field(strict=True, ge=0, le=2**31)]
Language = Literal["en", "zh"]


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Answer(BaseModel):
    model_config = ConfigDict(extra="allow")


def _for_example(*bodies: dict[str, Any]) -> ConfigDict:
    """Bodies that work as they stand, for /docs and for tests."""
    return ConfigDict(json_schema_extra={"examples": list(bodies)})


# Requests.


class PositionIn(Request):
    model_config = _for_example({"game": "connect4", "position": "44", "moves": ["4", 2]})
    game: Name = Field(description="One of /api/games.")
    game_settings: GameSettings = Field(default_factory=dict, description="As in {'target': 21}.")
    position: Text | None = Field(None, description="In the game's own text; null: the start.")
    moves: Moves = Field(default_factory=list, description="Played from there, each by its text or its number.")


class SessionIn(Request):
    model_config = _for_example(
        {"game": "connect4", "position": "44", "options": {"c": 2, "policy": "uct"}, "seed": 1, "name": "my analysis"},
        {"game": "target_sum", "game_settings": {"target": 21, "moves": 4, "numbers": [1, 5, 9]}, "preset": "textbook"},
    )
    game: Name | None = Field(None, description="One of /api/games; or give `from`.")
    source: Name | None = Field(None, alias="from", description="A session whose game and present position are taken.")
    game_settings: GameSettings = Field(default_factory=dict)
    position: Text | None = None
    moves: Moves = Field(default_factory=list)
    preset: Name | None = Field(None, description="One of /api/presets; null: the game's own, or that of `from`.")
    options: Options = Field(default_factory=dict, description="Changes to the preset, by the names of /api/settings.")
    seed: Seed | None = Field(0, description="The same seed gives the same search again; null: any.")
    name: Name = ""
    temporary: bool = Field(False, description="Deleted again unless somebody uses it: see docs/http.md.")


class SettingsIn(Request):
    model_config = _for_example({"preset": "textbook", "options": {"c": 1}, "seed": 2}, {"options": {"c": 0.5}})
    preset: Name | None = Field(None, description="Null: the present settings, with these options changed.")
    options: Options = Field(default_factory=dict)
    seed: Seed | None = Field(None, description="Null: as it was.")


class NameIn(Request):
    name: Name


class RunIn(Request):
    model_config = _for_example({"simulations": 100_000, "seconds": 5, "wait": True}, {"seconds": 0.5})
    simulations: Count | None = Field(None, description="So many new ones.")
    seconds: Annotated[float, Field(strict=True, gt=0, le=1e9, allow_inf_nan=False)] | None = Field(
        None, description="Of wall clock, waiting for its turn included."
    )
    nodes: Count | None = Field(None, description="Positions of the whole tree.")
    bytes: Count | None = Field(None, description="Of the whole tree.")
    wait: bool = Field(False, description="Answer when it has ended, at most 60 s later.")


class SeekIn(Request):
    simulations: Annotated[int, AsWhole, Field(strict=True, ge=0, le=2**31 - 2)] = Field(
        description="Since the present position was set."
    )
    wait: bool = True


class StepIn(Request):
    at: Annotated[int, AsWhole, Field(strict=True, ge=1, le=2**31 - 2)] | None = Field(
        None, description="Simulation number k of this root; null: the next one."
    )
    svg: bool = Field(False, description="With its positions drawn.")


class PlayIn(Request):
    model_config = _for_example({"action": "4"}, {"action": 3}, {"action": "best", "moment": 0})
    action: ActionIn = Field(
        description="Its text or its number; best: the best one, or where chance moves an outcome by its probability."
    )
    moment: Moment | None = Field(
        None, description="Refused unless the game is at this moment: a move is never played in another position."
    )

    @model_validator(mode="before")
    @classmethod
    def _action_is_given(cls, body: Any) -> Any:
        if isinstance(body, dict) and body.get("action") is None:
            raise ValueError("action is missing, expected a move's text or number, or best")
        return body


class GotoIn(Request):
    moment: Moment = Field(description="The id of a moment of the game so far.")


class AskIn(Request):
    kind: Literal["choice", "step", "question"] = "choice"
    question: Annotated[str, StringConstraints(max_length=2000)] | None = None
    language: Language = "en"


class TreeWatch(Request):
    path: Annotated[list[ActionNumber], Field(max_length=2000)] = Field(default_factory=list)
    depth: Annotated[int, Field(strict=True, ge=0, le=12)] = 2
    width: Annotated[int, Field(strict=True, ge=1, le=400)] = 8
    lean: bool = Field(False, description="While a run is on, of each node's children only the best is opened.")


class MapWatch(Request):
    depth: Annotated[int, Field(strict=True, ge=1, le=64)] = 8
    cells: Annotated[int, Field(strict=True, ge=1, le=5000)] = 800


class LineWatch(Request):
    path: Annotated[list[ActionNumber], Field(max_length=2000)] = Field(default_factory=list)
    depth: Annotated[int, Field(strict=True, ge=1, le=64)] = 64


class Watch(Request):
    """What a WebSocket client wants to see in updates."""

    type: Literal["watch"] = "watch"
    result: bool = True
    explain: Annotated[Language | None, Field(description="The reasons for the choice, in this language.")] = None
    tree: TreeWatch | None = None
    map: MapWatch | None = None
    line: LineWatch | None = None
    rate: Annotated[float, Field(gt=0, le=20, allow_inf_nan=False)] = 8.0


# Answers.

Interval = list[float] | None
VALUE = "Mean return for player `value_for`; exact if proven; null before the first visit."
PROVEN = "The exact value for player `value_for`, or null."


class ErrorDetail(Answer):
    code: str
    message: str = Field(description="For people: what came, what was expected, what to do.")


class ErrorOut(Answer):
    error: ErrorDetail


class ServerOut(Answer):
    name: str
    version: str
    ask: dict[str, str] | None = Field(description="The language model, or null.")
    limits: dict[str, int] = Field(description="Caps, by name; see docs/http.md.")
    sessions: int = Field(description="How many there are.")
    running: int = Field(description="How many of them have a run on.")
    compiling: int | None = Field(
        description="Seconds that it takes, about, while a first search is compiled; or null."
    )


class GameOut(Answer):
    game: str
    description: str
    about: str
    players: int = Field(description="How many play it.")
    preset: str = Field(description="The preset it is searched with when none is named.")
    range: Interval = Field(description="Least and most that a player can get; null: unknown.")
    built_in: bool
    settings: list[dict[str, Any]]
    position: str = Field(description="The start, as an example of how positions are written.")
    parts: list[str]


class GamesOut(Answer):
    games: list[GameOut]


class PresetsOut(Answer):
    presets: list[dict[str, Any]]


class OptionOut(Answer):
    name: str
    meaning: str
    unit: str | None
    translations: dict[str, dict[str, str | None]] = Field(description="Meaning and unit in other languages: `zh`.")
    words: list[str]
    number: str | None
    least: float | None
    most: float | None
    above: bool = Field(description="The number must be more than `least`.")
    default: str
    defaults: dict[str, str] = Field(description="The default with each of the kinds; empty: it has to be given.")
    part: str
    kinds: list[str]


class OptionsOut(Answer):
    settings: list[OptionOut]


class ActionOut(Answer):
    number: int = Field(description="The action's number, for paths and requests.")
    action: str
    probability: float | None = Field(None, description="Where chance moves.")


class PositionOut(Answer):
    text: str
    player: int = Field(description="Who moves: 0, 1, …; -1 chance, -4 nobody.")
    over: bool
    chance: bool
    show: str
    svg: str = Field(description="From the game's `draw`: show it as an image only.")
    actions: list[ActionOut]


class RunOut(Answer):
    id: int = Field(description="The number of the run in this session.")
    kind: str
    limits: dict[str, float | None] = Field(description="What ends it; null: no such limit.")
    share: float | None = Field(description="Of the limits, 0 to 1; null: until stopped.")
    simulations: int = Field(description="Of this run.")
    seconds: float = Field(description="Of wall clock, waiting for its turn included.")
    simulations_per_second: float = Field(description="Of this run, by wall clock.")
    stopped_by: str | None = Field(description="Null while it is on.")
    error: str | None


class KeptOut(Answer):
    visits: int = Field(description="Of the new root, that were there before.")
    of: int = Field(description="Visits of the tree that was left.")
    how: str = Field(description="subtree, parked or none.")


class FailureOut(Answer):
    what: str = Field(description="run, seek, step, play, goto or settings.")
    message: str = Field(description="For people: which rule failed, and how.")
    position: str = Field(description="Where the session was.")
    moment: int = Field(description="The same, as a moment of the game.")


class SessionHead(Answer):
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


class SessionsOut(Answer):
    sessions: list[ListedOut]


class SessionOut(SessionHead):
    game_settings: dict[str, Any]
    players: int = Field(description="How many play the game.")
    range: Interval = Field(description="Least and most that any one player can get; null: unknown.")
    preset: str
    options: dict[str, str]
    changed: list[str]
    seed: int = Field(description="The same seed gives the same search again.")
    position: PositionOut
    moment: int = Field(description="The id of the present moment of the game.")
    plies: int = Field(description="Moves since the start.")
    simulations: int = Field(description="Since the present position was set.")
    visits: int = Field(description="Of the root, kept ones included.")
    nodes: int = Field(description="Positions in the tree.")
    edges: int = Field(description="Actions in the tree.")
    bytes: int = Field(description="What the tree takes in memory.")
    proven: float | None = Field(description="The root's exact value, for the player who moves there.")
    graph: bool
    run: RunOut | None
    last_run: RunOut | None
    failure: FailureOut | None = Field(
        description="What the game or the evaluator failed at; null: the last work went well."
    )
    kept: KeptOut | None
    version: int = Field(description="Rises with every change but the simulations of a run.")


class ActionStatsOut(Answer):
    action: str
    number: int = Field(description="The action's number, for paths and requests.")
    visits: int = Field(description="Simulations that went through it.")
    share: float = Field(description="Of all visits of the root's actions.")
    value: float | None = Field(description=VALUE)
    error: float | None = Field(description="Standard error of the value.")
    interval: Interval = Field(description="Confidence interval of the value, for the same player.")
    prior: float = Field(description="Share of attention that the game's priors give it, for who moves at the root.")
    proven: float | None = Field(description=PROVEN)
    line: list[str]
    line_numbers: list[int] = Field(description="The line by the numbers of its actions.")


class ResultOut(Answer):
    game: str
    position: str
    player: int = Field(description="Who moves at the root; -1: chance, -4: nobody.")
    value_for: int = Field(description="Whose values these are: who moves at the root.")
    simulations: int = Field(description="Of the last run, or of the present one so far.")
    total: int | None = Field(description="Since the position was set.")
    seconds: float = Field(description="Of the run that is on, or was last.")
    simulations_per_second: float = Field(description="Of the run that is on, or was last.")
    visits: int = Field(description="Of the root.")
    nodes: int = Field(description="Positions in the tree.")
    edges: int = Field(description="Actions in the tree.")
    bytes: int = Field(description="What the tree takes in memory.")
    value: float | None = Field(description="Of the root, for player `value_for`.")
    proven: float | None = Field(description=PROVEN)
    best: str | None
    best_number: int | None = Field(description="The number of the best action; null: none yet.")
    line: list[str]
    line_numbers: list[int] = Field(description="The expected play by the numbers of its actions.")
    actions: list[ActionStatsOut]
    stopped_by: str
    leader_since: int = Field(description="The simulation since which the best action has been ahead.")
    mean_depth: float = Field(description="Actions from the root to where simulations left the tree, on average.")
    max_depth: int = Field(description="The same, at most.")
    playout_length: float = Field(description="Actions of a playout, on average.")


class RunAnswer(Answer):
    run: RunOut | None
    result: ResultOut | None = None


class ChartOut(Answer):
    points: list[dict[str, Any]] = Field(description="Values are for `value_for` of each point, who moves at the root.")
    names: dict[str, str]


Score = float | Literal["infinity", "-infinity"] | None


class EdgeScoreOut(Answer):
    action: int = Field(description="The action's number.")
    text: str
    visits: int = Field(description="Before this simulation.")
    value: float | None = Field(description="Mean return for the player who chooses at this node.")
    prior: float = Field(description="For the player who chooses here.")
    proven: bool
    value_term: Score = Field(description="For the player who chooses at this node, as the score counts it.")
    exploration_term: Score = Field(description="For the player who chooses here.")
    score: Score = Field(description="The sum of the two; a chance outcome: its probability.")
    chosen: bool


class ChoiceOut(Answer):
    position: str
    svg: str | None
    player: int = Field(description="Who chose there; -1: chance.")
    visits: int = Field(description="Of the node, before this simulation.")
    edges: list[EdgeScoreOut]
    action: int = Field(description="The number of the action taken.")
    text: str
    rewards: list[float] = Field(description="What the step brought, to each player.")
    expanded: bool


class ExpansionOut(Answer):
    position: str
    svg: str | None
    depth: int = Field(description="Actions from the root.")
    player: int = Field(description="Who moves there.")
    actions: list[str]
    priors: list[float] = Field(description="For the player who moves there, in the order of the actions.")


class PlayoutOut(Answer):
    actions: list[str]
    returns: list[float] = Field(description="To each player, by number.")
    final_position: str
    final_svg: str | None
    positions: list[str]
    svgs: list[str]
    shown: int = Field(description="How many of its positions are here.")


class ChangeOut(Answer):
    what: str
    path: list[str]
    numbers: list[int] = Field(description="The path by the numbers of its actions.")
    field: str
    before: Score = Field(description="An edge's: for who chooses at the node above; a node's: for who moves there.")
    after: Score = Field(description="For the same player as before; null: there is none.")


class StepOut(Answer):
    simulation: int = Field(description="Its number since the present position was set, from 1.")
    selection: list[ChoiceOut]
    expansion: ExpansionOut | None
    leaf: str
    leaf_added: bool = Field(description="The leaf is in the tree for the first time.")
    leaf_svg: str | None
    ending: str
    playouts: list[PlayoutOut] = Field(description="The first 100 of them.")
    played: int = Field(description="How many playouts there were.")
    static_values: list[float] | None = Field(description="For each player, by number.")
    returns: list[float] = Field(description="From the leaf on, for each player, by number.")
    backup: list[ChangeOut]
    path: list[int] = Field(description="Numbers of the actions taken in the tree.")
    simulations: int = Field(description="How many there have been now, this one included.")


class NodeOut(Answer):
    action: str | None
    number: int | None = Field(description="The number of the action that leads here; null at the root.")
    visits: int = Field(description="Simulations that went through it.")
    value: float | None = Field(description=VALUE)
    value_for: int = Field(description="Who chose the action; at the root, who moves there.")
    interval: Interval = Field(description="Confidence interval of the value, for the same player.")
    prior: float | None = Field(description="For player `value_for`, who chose the action.")
    proven: float | None = Field(description=PROVEN)
    player: int | None = Field(description="Who moves after the action; null where the rules fail there.")
    expanded: bool
    id: int | None = Field(description="The node's number in the tree; null while it has none.")
    shared: bool
    best: int | None = Field(description="The number of the child that the search would answer with; null: none.")
    children: list["NodeOut"]
    more: int = Field(description="Children that are not listed.")


class TreeOut(NodeOut):
    depth: int = Field(description="Of the top node: actions from the root.")
    path: list[int] = Field(description="Of the top node: numbers of the actions from the root.")


class DetailOut(Answer):
    node: NodeOut
    path: list[int] = Field(description="Numbers of the actions from the root.")
    line: list[str]
    position: PositionOut
    children: int = Field(description="All of them, visited or not.")
    visited: int = Field(description="Those that were visited.")
    expected: list[str | None]
    expected_numbers: list[int] = Field(description="The expected play by the numbers of its actions.")
    error: float | None = Field(description="Standard error of the node's value.")


class MapOut(Answer):
    visits: int = Field(description="Of the root.")
    cells: list[list[float | None]] = Field(
        description="[parent, number, share, value, value_for]: the value is for player value_for."
    )
    names: list[str | None]
    least: int = Field(description="Nodes with fewer visits are left out.")
    depth: int = Field(description="Rows that were asked for.")


class LineOut(Answer):
    path: list[int] = Field(description="Numbers of the actions from the root, to the line's end.")
    nodes: list[NodeOut]


class FoundOut(Answer):
    path: list[int] = Field(description="Numbers of the actions from the root.")
    line: list[str]
    visits: int = Field(description="Simulations that went through it.")
    value: float | None = Field(description=VALUE)
    value_for: int = Field(description="The player who chose the action.")
    player: int = Field(description="Who moves after the action.")


class FindOut(Answer):
    found: list[FoundOut]
    complete: bool


class ExplainOut(Answer):
    text: str
    facts: dict[str, Any] = Field(description="Values are for the player who moves at the root.")


class MomentOut(Answer):
    id: int = Field(description="The number of the moment in this session.")
    parent: int | None = Field(description="The moment before it; null: the start.")
    ply: int = Field(description="Moves since the start.")
    number: int | None = Field(description="The number of the move that led here.")
    action: str | None
    player: int | None = Field(description="Who made the move.")
    text: str
    next_player: int = Field(description="Who moves now; -1: chance, -4: nobody.")
    over: bool
    rewards: list[float] = Field(description="What the move brought each player.")
    parked: int = Field(description="Visits of the tree that is in memory there.")
    current: bool
    svg: str | None


class GameSoFar(Answer):
    moment: int = Field(description="The id of the present moment.")
    moments: list[MomentOut]


class AskOut(Answer):
    answer: str
    source: Literal["model", "built-in"]
    model: str | None
    note: str | None

"""Request bodies and live messages, field by field: the first half of /openapi.json. docs/http.md explains them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from playout.common.arguments import whole


def _as_whole(value: Any) -> Any:
    """1e5 as 100000; anything that is not a whole number is returned unchanged, for the field's own check to refuse."""
    found = whole(value)
    return value if found is None else found


AsWhole = BeforeValidator(_as_whole)

Text = Annotated[str, StringConstraints(max_length=4000)]
Name = Annotated[str, StringConstraints(max_length=200)]
ActionText = Annotated[str, StringConstraints(max_length=200)]
ActionNumber = Annotated[int, AsWhole, Field(strict=True, ge=-(2**31), lt=2**31)]
Seed = Annotated[int, AsWhole, Field(strict=True, ge=0, lt=2**64)]
OptionValue = (
    Annotated[bool, Field(strict=True)]
    | Annotated[int, Field(strict=True, ge=-(2**53), le=2**53)]
    | Annotated[float, Field(strict=True, allow_inf_nan=False)]
    | Annotated[str, StringConstraints(max_length=100)]
)
Scalar = Annotated[
    Annotated[int, Field(strict=True, ge=-(2**53), le=2**53)]
    | Annotated[float, Field(strict=True, allow_inf_nan=False)],
    AsWhole,
]
SettingValue = (
    Scalar | Annotated[list[Scalar], Field(max_length=1000)] | Annotated[str, StringConstraints(max_length=100_000)]
)
Options = Annotated[dict[Name, Annotated[OptionValue, AsWhole]], Field(max_length=100)]
GameSettings = Annotated[dict[Name, SettingValue], Field(max_length=100)]
Moves = Annotated[list[ActionNumber | ActionText], Field(max_length=2000)]
Count = Annotated[int, AsWhole, Field(strict=True, ge=1, le=2**53)]
MomentNumber = Annotated[int, AsWhole, Field(strict=True, ge=0, le=2**31)]
Language = Literal["en", "zh"]


class RequestModel(BaseModel):
    """Base of all requests: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


def for_example(*bodies: dict[str, Any]) -> ConfigDict:
    """Bodies that work as written, for /docs and for tests."""
    return ConfigDict(json_schema_extra={"examples": list(bodies)})


class PositionIn(RequestModel):
    model_config = for_example({"game": "connect4", "position": "44", "moves": ["4", 2]})
    game: Name = Field(description="One of /v1/games.")
    game_settings: GameSettings = Field(default_factory=dict, description="As in {'target': 21}.")
    position: Text | None = Field(None, description="In the game's own text; null: the start.")
    moves: Moves = Field(default_factory=list, description="Played from there, each by its text or its number.")


class SessionIn(RequestModel):
    model_config = for_example(
        {"game": "connect4", "position": "44", "options": {"c": 2, "policy": "uct"}, "seed": 1, "name": "my analysis"},
        {"game": "target_sum", "game_settings": {"target": 21, "moves": 4, "numbers": [1, 5, 9]}, "preset": "textbook"},
    )
    game: Name | None = Field(None, description="One of /v1/games; or give `from`.")
    source: Name | None = Field(None, alias="from", description="A session whose game and present position are taken.")
    game_settings: GameSettings = Field(default_factory=dict)
    position: Text | None = None
    moves: Moves = Field(default_factory=list)
    preset: Name | None = Field(None, description="One of /v1/presets; null: the game's own, or that of `from`.")
    options: Options = Field(default_factory=dict, description="Changes to the preset, by the names of /v1/settings.")
    seed: Seed | None = Field(0, description="The same seed gives the same search again; null: a random one.")
    name: Name = ""
    passing: bool = Field(False, description="Deleted when nobody watches or reads it any more: see docs/http.md.")
    temporary: bool = Field(False, description="Deleted again unless it is used: see docs/http.md.")


class SettingsIn(RequestModel):
    model_config = for_example({"preset": "textbook", "options": {"c": 1}, "seed": 2}, {"options": {"c": 0.5}})
    preset: Name | None = Field(None, description="Null: the present settings, with these options changed.")
    options: Options = Field(default_factory=dict)
    seed: Seed | None = Field(None, description="Null: unchanged.")


class NameIn(RequestModel):
    name: Name


class RunIn(RequestModel):
    model_config = for_example({"simulations": 100_000, "seconds": 5, "wait": True}, {"seconds": 0.5})
    simulations: Count | None = Field(None, description="New ones, of this run.")
    seconds: Annotated[float, Field(strict=True, gt=0, le=1e9, allow_inf_nan=False)] | None = Field(
        None, description="Wall-clock time, waiting for a turn included."
    )
    nodes: Count | None = Field(None, description="Of the whole tree.")
    bytes: Count | None = Field(None, description="Of the whole tree.")
    wait: bool = Field(False, description="Answer when the run has ended, at most 60 s later.")


class SeekIn(RequestModel):
    simulations: Annotated[int, AsWhole, Field(strict=True, ge=0, le=2**31 - 2)] = Field(
        description="Since the present position was set."
    )
    wait: bool = True


# Live messages, and the views that they ask for.


class TreeWatch(RequestModel):
    path: Annotated[list[ActionNumber], Field(max_length=2000)] = Field(default_factory=list)
    depth: Annotated[int, AsWhole, Field(strict=True, ge=0, le=12)] = 2
    width: Annotated[int, AsWhole, Field(strict=True, ge=1, le=400)] = 8
    lean: bool = Field(False, description="During a run, only the best child of each node is opened.")


class MapWatch(RequestModel):
    depth: Annotated[int, AsWhole, Field(strict=True, ge=1, le=64)] = 8
    cells: Annotated[int, AsWhole, Field(strict=True, ge=1, le=5000)] = 800


class LineWatch(RequestModel):
    path: Annotated[list[ActionNumber], Field(max_length=2000)] = Field(default_factory=list)
    depth: Annotated[int, AsWhole, Field(strict=True, ge=1, le=64)] = 64


class WatchedViews(RequestModel):
    """Views of a search that are made together, so that all of them show the same moment."""

    result: bool = True
    explain: Annotated[Language | None, Field(description="The reasons for the choice, in this language.")] = None
    tree: TreeWatch | None = None
    map: MapWatch | None = None
    line: LineWatch | None = None


class WatchMessage(WatchedViews):
    """What a WebSocket client wants to see in updates."""

    type: Literal["watch"] = "watch"
    rate: Annotated[float, Field(gt=0, le=20, allow_inf_nan=False)] = 8.0


class StepIn(RequestModel):
    at: Annotated[int, AsWhole, Field(strict=True, ge=1, le=2**31 - 2)] | None = Field(
        None, description="Simulation number k of this root; null: the next one."
    )
    svg: bool = Field(False, description="With its positions drawn.")
    before: WatchedViews | None = Field(None, description="Views of the search before the step, to answer with it.")


class PlayIn(RequestModel):
    model_config = for_example({"action": "4"}, {"number": 3}, {"action": "best", "moment": 0})
    action: ActionText | None = Field(
        None, description="The action's text; best: the best action, or at a chance node an outcome by its probability."
    )
    number: ActionNumber | None = Field(None, description="The action's number, instead of its text.")
    moment: MomentNumber | None = Field(
        None, description="Refused unless the game is at this moment: a move is never played in another position."
    )

    @model_validator(mode="before")
    @classmethod
    def _one_action_is_given(cls, body: Any) -> Any:
        if isinstance(body, dict):
            given = [name for name in ("action", "number") if body.get(name) is not None]
            if not given:
                raise ValueError("action is missing, expected a move's text, or best (or number: a move's number)")
            if len(given) > 1:
                raise ValueError("action and number are both given, expected one of them")
        return body

    @property
    def move(self) -> int | str:
        """The action's number, or its text."""
        return self.number if self.number is not None else self.action or ""


class GotoIn(RequestModel):
    moment: MomentNumber = Field(description="A moment of the game so far.")


class AskIn(RequestModel):
    kind: Literal["choice", "step", "question"] = "choice"
    question: Annotated[str, StringConstraints(max_length=2000)] | None = None
    language: Language = "en"

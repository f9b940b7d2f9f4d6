# ruff: noqa: RUF001  # Chinese punctuation
"""The methods of nested search and their settings."""

from playout.common.declare import PLAYOUTS, Text, check_fields, flag, number, setting, whole

MOST_LEVELS = 8
MOST_ITERATIONS = 1_000_000
PRIORS = Text(
    "draw by the game's own priors, too, where it has them; off: as if all were equal",
    "抽取时也用游戏自带的先验（如果有）；off：视为全部相等",
)


@setting
class NRPA:
    """Nested rollout policy adaptation (Rosin 2011), with the game's priors as bias (Cazenave 2020).

    A level repeats the level below, keeps the best line and adapts the policy to it; level 0 is a playout by the
    policy. The top level begins again when it is done.
    """

    levels: int = whole(default=3, least=1, most=MOST_LEVELS, meaning=Text("levels above the playouts", "嵌套层数"))
    iterations: int = whole(
        default=100, least=2, most=MOST_ITERATIONS, meaning=Text("repetitions in each level", "每层的重复次数")
    )
    alpha: float = number(
        default=1.0, above=0.0, most=10.0, meaning=Text("how far one adaptation moves the policy", "每次调整策略的步长")
    )
    playouts: int = whole(
        default=1,
        least=1,
        most=MOST_ITERATIONS,
        unit=PLAYOUTS,
        meaning=Text("playouts at level 1 for each adaptation", "第 1 层每次调整前的模拟局数"),
    )
    repetitions: int = whole(
        default=10,
        least=0,
        most=MOST_ITERATIONS,
        meaning=Text(
            "a level ends when it has found its best line again this often; 0: never",
            "某层再次找到其最佳路线达到此次数时结束；0：不限",
        ),
    )
    priors: bool = flag(default=True, meaning=PRIORS)

    def __post_init__(self) -> None:
        check_fields("NRPA", self)


@setting
class NMCS:
    """Nested Monte Carlo search (Cazenave 2009): a level plays a game and tries every action with the level below."""

    levels: int = whole(default=2, least=1, most=MOST_LEVELS, meaning=Text("levels above the playouts", "嵌套层数"))
    priors: bool = flag(default=True, meaning=PRIORS)

    def __post_init__(self) -> None:
        check_fields("NMCS", self)


METHODS: dict[str, type[NRPA] | type[NMCS]] = {"nrpa": NRPA, "nmcs": NMCS}

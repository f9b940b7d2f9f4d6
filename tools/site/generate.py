"""Pages that are made when the site is built: the reference, the command line, the gallery and the examples."""

import html
from pathlib import Path
from typing import Any

from typer.main import get_command

import playout as po
from playout.cli import app

ROOT = Path(__file__).resolve().parents[2]
MOVES = 6  # what a game's position in the gallery is after: moves of a short search

# Every public name of the package stands on one of these pages; a name that is on none stops the build.
REFERENCE = {
    "search": (
        "Searching",
        "Search Settings preset Result ActionStats TreeStats Node widget",
    ),
    "step": (
        "One simulation",
        "Step Choice EdgeScore Expansion Playout Change",
    ),
    "game": (
        "Games and positions",
        "Game Position games wrap TERMINAL CHANCE random random_float random_below normal",
    ),
    "policies": (
        "Policies and backups",
        "Policy UCT UCB1Tuned PUCT Improved GRAVE Thompson UCBV Parent Backup Mean Best PowerMean ImplicitMinimax",
    ),
    "parts": (
        "Expansion, roots and evaluators",
        "All OneAtATime Widening Gumbel Halving Forced Noise Falling Rollouts Static Mixed Network "
        "TorchNetwork Outside Leaf",
    ),
    "solve": (
        "Nested search",
        "solve Solver Solution NRPA NMCS",
    ),
    "adapters": (
        "Other people's environments",
        "act from_gymnasium gym_env from_pettingzoo pettingzoo_env from_openspiel openspiel_bot from_chess",
    ),
    "generated": (
        "Generated children",
        "GeneratedSearch GeneratedResult GeneratedNode GeneratePolicy GeneratingNode GeneratorStats GENERATE "
        "ABMCTS Answer Call CallEstimate Pace Spend proposer judge",
    ),
    "checks": (
        "Checks and errors",
        "check_game check_part Finding Report PartReport PlayoutError ActionError BusyError EvaluatorError "
        "FileError GameError GeneratorError PositionError SettingsError __version__",
    ),
}


def reference() -> dict[str, str]:
    placed = [name for _, names in REFERENCE.values() for name in names.split()]
    if sorted(placed) != sorted(po.__all__):
        differ = sorted(set(placed) ^ set(po.__all__))
        raise SystemExit(f"tools/site/generate.py: REFERENCE and playout.__all__ differ by {', '.join(differ)}")
    made = {}
    for page, (title, names) in REFERENCE.items():
        entries = "\n\n".join(f"::: playout.{name}" for name in names.split())
        where = "All of this is in `playout` (`import playout as po`)."
        made[f"reference/{page}.md"] = f"# {title}\n\n{where}\n\n{entries}\n"
    return made


def command_line() -> str:
    group: Any = get_command(app)
    parts = [
        "# The command line",
        "Made from the commands' own help; `playout COMMAND --help` prints it. "
        "Exit codes: 0 success, 1 `doctor` found an error, 2 invalid input, 130 Ctrl-C.",
    ]
    for name, command in group.commands.items():
        arguments = [f"[{word_of(p)}]" if not p.required else word_of(p) for p in command.params if not options_of(p)]
        usage = " ".join(["playout", name, *arguments, "[OPTIONS]"])
        parts += [f"## playout {name}", f"`{usage}`", text_of(command.help)]
        rows = [parameter_row(parameter) for parameter in command.params if not parameter.hidden]
        if rows:
            parts.append("\n".join(["| | | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def options_of(parameter: Any) -> list[str]:
    return [name for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("-")]


def word_of(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def text_of(help_text: str | None) -> str:
    return "\n\n".join(" ".join(part.split()) for part in (help_text or "").split("\n\n"))


def parameter_row(parameter: Any) -> str:
    meaning = text_of(parameter.help)
    default = parameter.default
    if default not in (None, False, (), []) and not callable(default):
        meaning += f" Default: `{getattr(default, 'value', default)}`."
    options = ", ".join(f"`{name}`" for name in options_of(parameter))
    word = "" if getattr(parameter, "is_flag", False) else f"`{word_of(parameter)}`"
    cells = (options, word, meaning) if options else (word, "", meaning)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def gallery() -> tuple[str, dict[str, str]]:
    """The page, and the drawings it shows: each game at its start and after a few moves of a short search."""
    parts, drawings = [
        "# Every built-in game",
        "Each game as Playout draws it, at its start and after a few moves of a search of 200 simulations "
        "(seed 1). `playout play GAME` plays it, `playout games` lists its settings.",
    ], {}  # fmt: skip
    for name in po.games.names():
        game = po.games.load(name)
        search = po.Search(game, seed=1)
        drawings[f"gallery/{name}-start.svg"] = search.position.draw()
        line = []
        while len(line) < MOVES and not search.position.is_terminal:
            position = search.position
            if position.player == po.CHANCE:
                action = max(position.outcomes(), key=lambda outcome: outcome[1])[0]
            else:
                action = search.run(200).choose(seed=1)
            line.append(position.action_text(action))
            search.play(action)
        drawings[f"gallery/{name}.svg"] = search.position.draw()
        settings = ", ".join(f"`{key}={value}`" for key, value in game.settings.items() if value not in ("", None))
        parts += [
            f"## {name}",
            html.escape(po.games.describe(name), quote=False),
            f'<div class="boards"><img src="gallery/{name}-start.svg" alt="{name} at its start">'
            f'<img src="gallery/{name}.svg" alt="{name} after {len(line)} moves"></div>',
            f"Moves: {', '.join(f'`{move}`' for move in line)}." + (f" Settings: {settings}." if settings else ""),
        ]
    return "\n\n".join(parts) + "\n", drawings


def examples() -> str:
    """The table of `examples/`, and every script in it."""
    parts = [(ROOT / "examples" / "README.md").read_text(encoding="utf-8")]
    for file in sorted((ROOT / "examples").rglob("*.py")):
        name = file.relative_to(ROOT / "examples")
        parts += [f"## {name}", f"```python\n{file.read_text(encoding='utf-8')}```"]
    return "\n\n".join(parts) + "\n"

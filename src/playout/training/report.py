"""The report of a training: one line a generation, and a self-contained HTML page with curves."""

import html
import json
from typing import Any

from playout.report.numbers import ticks

WIDTH, HEIGHT = 460, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 14, 34
COLOURS = ("#2563a8", "#c2571a", "#2e8540", "#7a4fa3")
STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --soft: #66717e; --line: #d9dfe6; --page: #ffffff; --card: #f7f9fb }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6ebf0; --soft: #98a3af; --line: #36414d; --page: #14191f; --card: #1b222a }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1rem; margin: 1.5rem 0 .25rem }
.card h2 { margin-top: 0 }
.lead { color: var(--soft); margin: 0 0 1rem }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 1rem; margin: 1rem 0 2rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem }
svg { width: 100%; height: auto; display: block } svg text { fill: var(--soft); font: 11px system-ui, sans-serif }
.key { color: var(--soft); font-size: .85rem } .key i { display: inline-block; width: .9em; height: .25em;
  vertical-align: middle; margin: 0 .35em 0 .8em; border-radius: 2px }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem;
  overflow-x: auto; white-space: pre-wrap }
table { border-collapse: collapse; font-size: .9rem } td, th { padding: .15rem .8rem .15rem 0; text-align: right }
td:nth-child(-n+2), th:nth-child(-n+2) { text-align: left } th { color: var(--soft); font-weight: 500 }
.settings { columns: 3 14rem; padding: 0; list-style: none } .settings b { font-weight: 500 }
"""
# The figures of every generation, and of every match.
NEEDED = ("generation", "games", "samples", "entropy", "games_per_minute", "policy_loss", "value_loss", "seconds")
MATCH = ("wins", "draws", "losses", "score", "low", "high", "elo", "simulations")

Line = tuple[str, list[tuple[float, float]]]


ON_CLUSTER = ("machines", "actors", "restarts", "repeated", "memory_mb", "driver_mb")  # figures of workers
LINES = 20  # generations whose workers are shown


def summary(figures: dict[str, Any]) -> str:
    """A generation in one line."""
    text = (
        f"generation {figures['generation']}: {figures['games']} games, {figures['samples']:,} positions, "
        f"loss {figures['policy_loss']:.3f} + {figures['value_loss']:.3f}, entropy {figures['entropy']:.2f}, "
        f"{figures['games_per_minute']:,.0f} games a minute, {figures['seconds']:.1f} s"
    )
    return f"{text}; {matches_text(figures['matches'])}" if "matches" in figures else text


def matches_text(matches: dict[str, Any]) -> str:
    """The scores of a generation's matches in one line."""
    names = {"uct": "UCT", "best": "the best so far"}
    parts = []
    for name, found in matches.items():
        who = names.get(name, f"UCT with {name[3:]} times the simulations")
        parts.append(f"{100 * found['score']:.0f}% against {who}")
    return ", ".join(parts)


def report_html(
    game: str, history: list[dict[str, Any]], settings: dict[str, Any], command: str, seconds: float
) -> str:
    """The whole page."""
    matches = [(h["generation"], h["matches"]) for h in history if "matches" in h]
    strength: list[Line] = [
        ("UCT, equal simulations", [(g, 100 * m["uct"]["score"]) for g, m in matches if "uct" in m]),
        ("UCT, ten times the simulations", [(g, 100 * m["uct10"]["score"]) for g, m in matches if "uct10" in m]),
        ("the best network before", [(g, 100 * m["best"]["score"]) for g, m in matches if "best" in m]),
    ]
    charts = [
        chart("Loss", [("policy", curve(history, "policy_loss")), ("value", curve(history, "value_loss"))]),
        chart(
            "Policy entropy",
            [("of the search", curve(history, "entropy")), ("of the network", curve(history, "answer_entropy"))],
        ),
        chart("Strength: score of 100 against", strength, (0.0, 100.0), 50.0),
        chart("Games a minute", [("games a minute", curve(history, "games_per_minute"))]),
        chart("Evaluations a second", [("evaluations a second", curve(history, "evaluations_per_second"))]),
        chart("Moves of a game", [("moves", curve(history, "length"))]),
    ]
    games, positions = sum(h["games"] for h in history), sum(h["samples"] for h in history)
    lead = f"{len(history)} generations, {games:,} games, {positions:,} positions, {duration(seconds)}"
    tables = f"<h2>Matches</h2>{match_table(matches)}"
    far = [h for h in history if ON_CLUSTER[0] in h]
    if far:
        shown = ("generation", *ON_CLUSTER, "games_per_minute", "network_share")
        lines = "\n".join(json.dumps({name: h[name] for name in shown if name in h}) for h in far[-LINES:])
        tables += f"<h2>Workers on the cluster</h2><pre>{html.escape(lines, quote=False)}</pre>"
    return page_html(game, lead, charts, tables, settings, command or "playout.training.train(…)")


def page_html(game: str, lead: str, charts: list[str], tables: str, settings: dict[str, Any], command: str) -> str:
    """The page of a training: charts, then tables, the command and the settings."""
    listed = "".join(f"<li><b>{html.escape(k)}</b> {html.escape(str(v))}</li>" for k, v in settings.items())
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Training of {html.escape(game)}</title><style>{STYLE}</style></head><body>"
        f"<h1>Training of {html.escape(game)}</h1><p class='lead'>{lead}</p>"
        f"<div class='grid'>{''.join(charts)}</div>"
        f"{tables}"
        f"<h2>Command</h2><pre>{html.escape(command)}</pre>"
        f"<h2>Settings</h2><ul class='settings'>{listed}</ul></body></html>\n"
    )


def check_history(history: Any, generations: int) -> None:
    """`ValueError` unless `history`, read from a file, is one of `generations` generations that can be shown."""
    if not isinstance(history, list) or len(history) != generations:
        raise ValueError(f"its history is {history!r:.40}, expected a list of {generations} generations")
    for number, figures in enumerate(history, 1):
        if not isinstance(figures, dict):
            raise ValueError(f"generation {number} of its history is {figures!r:.40}, expected an object")
        matches = figures.get("matches", {})
        if not isinstance(matches, dict):
            raise ValueError(f"the matches of generation {number} are {matches!r:.40}, expected an object")
        for found in matches.values():
            check_figures(found, MATCH, f"a match of generation {number}")
        check_figures({k: v for k, v in figures.items() if k != "matches"}, NEEDED, f"generation {number}")
        if figures["generation"] != number:
            raise ValueError(f"generation {number} of its history says that it is {figures['generation']}")


def check_figures(figures: Any, needed: tuple[str, ...], where: str) -> None:
    """`ValueError` unless these are numbers by name, with all that are needed. Only Elo may be None."""
    if not isinstance(figures, dict) or not set(needed) <= set(figures):
        raise ValueError(f"{where} is {figures!r:.40}, expected figures of {', '.join(needed)}")
    for name, value in figures.items():
        number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
        if not number and not (name == "elo" and value is None):
            raise ValueError(f"{name} in {where} is {value!r:.40}, expected a number")


def curve(history: list[dict[str, Any]], name: str) -> list[tuple[float, float]]:
    """The points (generation, figure) of the generations that have the figure; (epoch, figure) of a taught network."""
    return [(float(h["epoch"] if "epoch" in h else h["generation"]), float(h[name])) for h in history if h.get(name)]


def chart(
    title: str,
    lines: list[Line],
    limits: tuple[float, float] | None = None,
    mark: float | None = None,
    axis: str = "generation",
) -> str:
    """One chart with its title and key; `mark` is a height that gets a dashed line, `axis` what the steps are."""
    lines = [(name, points) for name, points in lines if points]
    if not lines:
        return f"<div class='card'><h2>{html.escape(title)}</h2><p class='key'>nothing yet</p></div>"
    xs = [x for _, points in lines for x, _ in points]
    ys = [y for _, points in lines for _, y in points]
    low, high = limits or (min(0.0, *ys), max(ys))
    high = high if high > low else low + 1.0
    left, right = min(xs), max(xs)

    def at(x: float, y: float) -> tuple[float, float]:
        across = (x - left) / (right - left) if right > left else 0.5
        up = (y - low) / (high - low)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    body = []
    for tick in ticks(low, high):
        _, y = at(left, tick)
        body.append(
            f"<line x1='{LEFT}' x2='{WIDTH - RIGHT}' y1='{y:.1f}' y2='{y:.1f}' stroke='var(--line)'/>"
            f"<text x='{LEFT - 6}' y='{y + 4:.1f}' text-anchor='end'>{tick:,g}</text>"
        )
    for tick in ticks(left, right, 6):
        if tick == int(tick):
            x, _ = at(tick, low)
            body.append(f"<text x='{x:.1f}' y='{HEIGHT - BOTTOM + 16}' text-anchor='middle'>{tick:g}</text>")
    body.append(f"<text x='{(LEFT + WIDTH - RIGHT) / 2}' y='{HEIGHT - 4}' text-anchor='middle'>{axis}</text>")
    if mark is not None:
        _, y = at(left, mark)
        body.append(
            f"<line x1='{LEFT}' x2='{WIDTH - RIGHT}' y1='{y:.1f}' y2='{y:.1f}' stroke='var(--soft)' "
            f"stroke-dasharray='4 4'/>"
        )
    key = []
    for (name, points), colour in zip(lines, COLOURS, strict=False):
        places = [at(x, y) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        body.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>")
        if len(places) <= 40:
            body += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2.5' fill='{colour}'/>" for x, y in places]
        key.append(f"<i style='background:{colour}'></i>{html.escape(name)} ({short(points[-1][1])})")
    return (
        f"<div class='card'><h2>{html.escape(title)}</h2><svg viewBox='0 0 {WIDTH} {HEIGHT}' role='img' "
        f"aria-label='{html.escape(title)}'>{''.join(body)}</svg><p class='key'>{''.join(key)}</p></div>"
    )


def short(value: float) -> str:
    """
    >>> short(5478.2), short(0.17341)
    ('5,478', '0.173')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def duration(seconds: float) -> str:
    """
    >>> duration(75), duration(4000)
    ('1 min 15 s', '1 h 6 min')
    """
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def match_table(matches: list[tuple[int, dict[str, Any]]]) -> str:
    """All matches as an HTML table."""
    if not matches:
        return "<p class='key'>none yet</p>"
    rows = []
    for generation, found in matches:
        for name, m in found.items():
            who = (
                f"generation {m.get('generation', '?')}" if name == "best" else f"UCT, {m['simulations']:,} simulations"
            )
            elo = f"{m['elo']:+.0f}" if m["elo"] is not None else "—"
            rows.append(
                f"<tr><td>{generation}</td><td>{who}</td><td>{m['wins']}</td><td>{m['draws']}</td><td>{m['losses']}</td>"
                f"<td>{100 * m['score']:.1f}%</td><td>{100 * m['low']:.0f} to {100 * m['high']:.0f}%</td>"
                f"<td>{elo}</td></tr>"
            )
    head = "".join(f"<th>{t}</th>" for t in ("generation", "against", "won", "drawn", "lost", "score", "95%", "Elo"))
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"

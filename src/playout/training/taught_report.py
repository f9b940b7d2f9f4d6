"""The report of a taught network: lines for the terminal, and a page with curves."""

import html
from typing import Any

from .report import chart, curve, duration, page_html


def epoch_text(figures: dict[str, Any], epochs: int) -> str:
    """An epoch in one line."""
    losses, held = (
        f"{figures[prefix + 'policy_loss']:.3f} + {figures[prefix + 'value_loss']:.4f}, moves "
        f"{100 * figures[prefix + 'accuracy']:.1f}%"
        for prefix in ("", "held_")
    )
    return f"epoch {figures['epoch']} of {epochs}: loss {losses}; held out: {held}"


def facts_text(facts: dict[str, Any]) -> str:
    """The positions of a training in one line."""
    return (
        f"{facts['learnt']:,} positions to learn from and {facts['held_out']:,} held out, of {facts['labelled']:,} "
        f"that {facts['teacher']} labelled in {facts['parts']:,} parts"
    )


def held_text(measured: dict[str, Any], facts: dict[str, Any]) -> str:
    """What the finished network scores on the held-out positions, in one line."""
    return (
        f"held out, {facts['held_out']:,} positions: policy {measured['policy_loss']:.3f} (guessing "
        f"{facts['even_policy_loss']:.3f}), value {measured['value_loss']:.4f} (guessing "
        f"{facts['even_value_loss']:.4f}), moves {100 * measured['accuracy']:.1f}%"
    )


def taught_html(
    game: str, facts: dict[str, Any], history: list[dict[str, Any]], settings: dict[str, Any], command: str
) -> str:
    """The whole page."""
    pairs = (
        ("Policy: cross-entropy with the teacher's moves", "policy_loss", None),
        ("Value: squared error", "value_loss", None),
        ("Share of first choices that are the teacher's", "accuracy", (0.0, 1.0)),
    )
    charts = [
        chart(
            title,
            [("learnt from", curve(history, name)), ("held out", curve(history, f"held_{name}"))],
            limits,
            axis="epoch",
        )
        for title, name, limits in pairs
    ]
    seconds = sum(figures.get("seconds", 0.0) for figures in history)
    lead = f"{html.escape(facts_text(facts))}; learnt in {duration(seconds)}"
    names = ("epoch", *(prefix + name for _, name, _ in pairs for prefix in ("", "held_")))
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in names)
    rows = "".join("<tr>" + "".join(f"<td>{figures[name]:g}</td>" for name in names) + "</tr>" for figures in history)
    tables = (
        f"<h2>Epochs</h2><table><tr>{head}</tr>{rows}</table><p>Guessing would score: policy "
        f"{facts['even_policy_loss']:.3f} (all legal actions alike), value {facts['even_value_loss']:.4f} (always the "
        f"mean), on the held-out positions.</p>"
    )
    return page_html(game, lead, charts, tables, settings, command or "playout.training.teach(…)")

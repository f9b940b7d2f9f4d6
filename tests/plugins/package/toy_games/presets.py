"""Presets: a function that makes settings, or settings."""

import playout as po


def quick() -> po.Settings:
    """Few simulations: one child at a time, the highest value."""
    return po.preset("stepwise", c=0.5, answer="value")


wrong = {"c": 1.4}  # not Settings: Playout says so where it is used

"""How the exploration constant spreads the visits: `python examples/choose_c.py`."""

import playout as po

if __name__ == "__main__":
    print("   c  share of the visits by column")
    for c in (0.1, 0.5, 1.4, 4.0, 10.0):
        result = po.Search("connect4", po.preset("textbook", c=c), seed=1).run(2_000)
        by_column = sorted(result.actions, key=lambda stats: stats.action)
        print(f"{c:4}", *(f"{stats.visits / 2_000:5.0%}" for stats in by_column))

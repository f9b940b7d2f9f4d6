"""Compile what nearly every test needs, each kernel once, before pytest's workers start and compile it side by side.

python -m tests.warm_up PROCESSES
"""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

import playout as po


def trees() -> None:
    po.Search(po.games.load("connect4")).run(20)


def graphs() -> None:
    po.Search(po.games.load("connect4"), po.Settings(transpositions=True)).run(20)


def batches() -> None:
    po.Search(po.games.load("connect4"), "network").run(20)


def open_loops() -> None:
    po.Search(po.games.load("game2048"), po.Settings(open_loop=True)).run(20)


def steps() -> None:
    po.Search(po.games.load("connect4")).step()


def steps_in_graphs() -> None:
    po.Search(po.games.load("connect4"), po.Settings(transpositions=True)).step()


def chess() -> None:
    po.Search(po.games.load("chess"), "chess").run(20)


if __name__ == "__main__":
    with ProcessPoolExecutor(int(sys.argv[1]), multiprocessing.get_context("spawn")) as pool:
        for work in [
            pool.submit(kernels) for kernels in (batches, graphs, trees, steps_in_graphs, open_loops, steps, chess)
        ]:
            work.result()

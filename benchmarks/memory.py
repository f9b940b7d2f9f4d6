"""Memory: bytes an edge, and Python objects left behind by a search."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from pathlib import Path

from . import limit, openspiel
from .measure import C_LIMIT, OPENSPIEL, Check, Options, Row

SIMULATIONS = 1_000_000
QUICK = 100_000
BYTES_PER_EDGE = 40.0
# A run may leave its Result and the like behind, but nothing that grows with the tree. A single object for each of
# its nodes would be hundreds of thousands.
OBJECTS_PER_RUN = 1_000.0
PYTHON_DOMAIN = 0  # of tracemalloc: Python's own allocations. NumPy counts its arrays, the tree, in another.


def measure(options: Options) -> list[Row]:
    simulations = options.pick(SIMULATIONS, QUICK)
    edges = Row(f"memory, connect4, {simulations:,} simulations", "bytes an edge")
    if reason := openspiel.missing():
        edges.notes.append(reason)
    elif sys.platform != "linux":
        edges.notes.append("the memory of OpenSpiel is measured on Linux only")
    else:
        command = [sys.executable, "-m", "benchmarks.openspiel", str(options.pick(200_000, 50_000))]
        folder = Path(__file__).parent.parent
        answer = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout
        edges.peers[OPENSPIEL] = float(answer)  # it has a node for every edge
    if reason := limit.missing():
        edges.notes.append(reason)
    else:
        edges.peers[C_LIMIT] = float(limit.search("connect4", 1000)["bytes_per_edge"])
    if options.peers_only:
        return [edges]

    from . import ours

    result = ours.builtin("connect4").run(simulations=simulations)
    edges.ours = result.bytes / result.edges
    edges.checks.append(Check("bytes an edge", edges.ours, BYTES_PER_EDGE, at_most=True))
    edges.notes.append(f"{result.nodes:,} nodes, {result.edges:,} edges, {result.bytes / 1e6:,.0f} MB in all")
    return [edges, _objects(simulations)]


def _objects(simulations: int) -> Row:
    """What Python holds after a long run, less what it held before, in the same search."""
    from . import ours

    row = Row(f"Python objects left by a run of {simulations:,} simulations", "blocks")
    search = ours.builtin("connect4")
    search.run(simulations=1000)
    gc.collect()
    blocks = sys.getallocatedblocks()
    result = search.run(simulations=simulations)
    gc.collect()
    row.ours = float(sys.getallocatedblocks() - blocks)
    row.checks.append(Check("blocks a run", row.ours, OBJECTS_PER_RUN, at_most=True))
    row.notes.append(f"{row.ours / result.nodes:.6f} for each of the tree's {result.nodes:,} nodes")

    search = ours.builtin("connect4")
    search.run(simulations=1000)
    gc.collect()
    tracemalloc.start()
    search.run(simulations=simulations)
    gc.collect()
    traces = tracemalloc.take_snapshot().filter_traces([tracemalloc.DomainFilter(True, PYTHON_DOMAIN)])
    tracemalloc.stop()
    kept = sum(statistic.size for statistic in traces.statistics("filename"))
    row.notes.append(f"tracemalloc: {kept / 1024:,.0f} KiB of Python objects kept")
    return row

"""Nothing false is called proven: every proof in a tree is gone through with the rules of python-chess alone."""

import csv
import re

import chess as pychess
import pytest

import playout as po

MATES = [  # mate in one, in two by a quiet key move, and the same for the side that is mated
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1.0),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 1.0),
    ("kbK5/pp6/RP6/8/8/8/8/8 b - - 1 1", -1.0),
]
DRAWS = [  # by fifty moves; by too little material; by stalemate or one of these
    "4k3/8/8/8/8/8/8/R3K3 w Q - 99 80",
    "7k/5K1P/8/8/8/8/8/8 b - - 0 1",
    "6k1/6P1/5K2/8/8/8/8/8 w - - 98 90",
    "7K/7p/7k/8/8/8/8/8 w - - 97 80",
]


@pytest.fixture(scope="module")
def chess():
    return po.games.load("chess")


def searched(chess, position, simulations):
    search = po.Search(chess, "chess-classic", position=position, seed=1)
    search.run(simulations)
    return search


def verdict(board):
    """The result for the side to move where the game is over, as python-chess sees it, or None."""
    if board.is_checkmate():
        return -1.0
    drawn = board.is_stalemate() or board.is_insufficient_material() or board.halfmove_clock >= 100
    return 0.0 if drawn or board.is_repetition(3) else None


def check_proof(node, board, value):
    """Go through the proof that a position is worth `value` to the side to move; returns how many positions it has.

    A win needs one winning move; a draw or a loss needs all moves, and none of them better.
    """
    over = verdict(board)
    if over is not None:
        assert value == over, board.fen()
        return 1
    children = node.children
    assert {c.text for c in children} == {m.uci() for m in board.legal_moves}, board.fen()
    if value == 1.0:
        children = [c for c in children if c.proven == 1.0][:1]
    proven = [c.proven for c in children]
    assert None not in proven, (
        f"{board.fen()}: {value} is proven, and {[c.text for c in children if c.proven is None]} not"
    )
    assert max(proven) == value, board.fen()
    count = 1
    for child in children:
        board.push_uci(child.text)
        count += check_proof(child, board, -child.proven)
        board.pop()
    return count


def check_tree(search, board):
    """Every proof in the tree that is not part of a larger one; returns their values at the node's own side to move."""
    root, found = search.root, []
    waiting = [(root, ())]
    while waiting:
        node, path = waiting.pop()
        if node.proven is not None:
            for text in path:
                board.push_uci(text)
            value = node.proven if node is root else -node.proven
            check_proof(node, board, value)
            found.append(value)
            for _ in path:
                board.pop()
        else:
            waiting += [(child, (*path, child.text)) for child in node.children if child.is_visited]
    return found


def can_mate(board, moves):
    """Whether the side to move can force mate within so many moves: all of them tried, nothing of ours used."""
    for move in list(board.legal_moves):
        board.push(move)
        if board.is_checkmate():
            done = True
        elif moves == 1 or verdict(board) is not None:
            done = False
        else:
            done = True
            for answer in list(board.legal_moves):
                board.push(answer)
                done = verdict(board) is None and can_mate(board, moves - 1)
                board.pop()
                if not done:
                    break
        board.pop()
        if done:
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize(("fen", "value"), MATES)
def test_short_mates_are_proven_and_true(chess, fen, value):
    search = searched(chess, fen, 3000)
    assert search.result().proven == value
    assert check_tree(search, pychess.Board(fen)) == [value]


@pytest.mark.parametrize("fen", DRAWS)
def test_short_draws_are_proven_and_true(chess, fen):
    search = searched(chess, fen, 3000)
    assert search.result().proven == 0.0
    assert check_tree(search, pychess.Board(fen)) == [0.0]


def test_a_repetition_counts_what_was_played_before(chess):
    """Going back and forth once more is a draw; the position alone, without its history, would not be one."""
    moves = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"]
    board = pychess.Board()
    for move in moves:
        board.push_uci(move)
    search = searched(chess, f"startpos moves {' '.join(moves)}", 500)
    assert search.root.find("f6g8").proven == 0.0
    assert check_tree(search, board)


@pytest.mark.reference
def test_no_proof_in_the_suites_of_mates_is_false(chess, reference):
    """Against the suite's own verdict, against a search of all moves for mates in two, and move by move."""
    folder, proven = reference / "chess" / "mates", 0
    suites = [(folder / name).read_text() for name in ("classic280.epd", "mates2000.epd")]
    for line in "\n".join(suites).splitlines():
        found = re.search(r"bm #(-?\d+);", line)
        known = int(found[1]) if found else 0
        if not 1 <= abs(known) <= 4:
            continue
        fen = " ".join(line.split()[:4])
        board, search = pychess.Board(f"{fen} 0 1"), searched(chess, fen, 3000)
        check_tree(search, board)
        result = search.result()
        if result.proven is None:
            continue
        proven += 1
        assert result.proven == (1.0 if known > 0 else -1.0), line
        lengths = [len(search.proven_line(a.action)) for a in result.actions if a.proven == result.proven]
        moves = (min(lengths) if known > 0 else max(lengths)) // 2 + (known > 0)
        assert moves >= abs(known), line  # nothing is shorter than the shortest
        if result.proven == 1.0 and moves <= 2:
            assert can_mate(board, moves), line
    assert proven > 10


@pytest.mark.reference
def test_no_proof_in_the_trees_of_puzzles_is_false(chess, reference):
    with (reference / "chess" / "puzzles" / "lichess_996.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[::20]
    found = []
    for row in rows:
        lead = row["Moves"].split()[0]
        board = pychess.Board(row["FEN"])
        board.push_uci(lead)
        found += check_tree(searched(chess, f"{row['FEN']} moves {lead}", 3000), board)
    assert {0.0, 1.0} == set(found)  # a lost position makes the one before it won, and is part of that proof

"""Reading a ledger back into a search."""

from typing import TYPE_CHECKING

from .ledger import Row

if TYPE_CHECKING:
    from .books import Books


def restore(search: "Books", rows: list[Row]) -> None:
    """Count the answers of a ledger in the order in which they counted before; what has none is to be asked again."""
    made = {row.number: row for row in rows if row.phase == "generate"}
    judged = {row.number: row for row in rows if row.phase == "evaluate"}
    order = {number: _told(row, judged.get(number)) for number, row in made.items()}
    for number in sorted((n for n, told in order.items() if told is not None), key=lambda n: order[n] or 0):
        _tell(search, made[number], judged.get(number))
    for number in sorted(n for n, told in order.items() if told is None):
        row, judge = made[number], judged.get(number)
        search.calls = max(search.calls, number)
        for one in (row, judge):
            if one is not None and one.status != "asked":
                search.spend(one, failed=one.status == "failed")
        if "failed" in (row.status, judge.status if judge else ""):
            continue
        call = search.reopen(row)
        call.attempted = True
        if row.status == "answered":
            call.to_judge(search.decoded(row), row.cost or 0.0)
        search.postpone(call)


def _told(row: Row, judge: Row | None) -> int | None:
    if row.told is not None:
        return row.told
    return None if judge is None else judge.told


def _tell(search: "Books", row: Row, judge: Row | None) -> None:
    search.calls = max(search.calls, row.number)
    call = search.reopen(row)
    for one in (row, judge):
        if one is not None:
            search.spend(one, failed=False)
    if row.state is None:
        search.count_none(call)
        return
    score = row.score if judge is None else judge.score
    cost = (row.cost or 0.0) + (0.0 if judge is None else judge.cost or 0.0)
    search.count_answer(call, search.decoded(row), score, cost)

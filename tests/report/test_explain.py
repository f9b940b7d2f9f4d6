"""`explain`: the words agree with the numbers, and never say more than is known."""

import json
from typing import Any

import pytest

import playout as po
from playout.report.explain import explain, render
from playout.report.facts import explain_data
from playout.report.show import number, percent
from playout.search.result import Result
from tests.games.toy_games import Nim
from tests.search.test_node import Dice

from .test_show import hostile, made, result_of, stats


def compared(*actions: Any, **facts: Any) -> Any:
    return explain_data(made(*actions, **facts))["comparison"]


def test_names_the_choice_and_the_next_best_with_visits_shares_and_values() -> None:
    result = result_of(simulations=600)
    text, best, other = explain(result), result.stats(result.best or 0), result.next_best
    assert other is not None
    total = sum(s.visits for s in result.actions)
    assert text.startswith(f"Of 7 legal actions the search chooses {best.text}: it got {best.visits} visits")
    assert f"Next best is {other.text}, with {other.visits} visits" in text
    for s in (best, other):
        low, high = s.interval(result.z, (-1.0, 1.0)) or (0.0, 0.0)
        assert percent(s.visits / total) in text
        assert f"worth {number(s.value)} on average" in text
        assert f"the 95% interval is {number(low)} to {number(high)}" in text
        assert " ".join(result.line_text(s.line[:8])) in text


def test_data_is_json_and_the_text_is_written_from_it_alone() -> None:
    result = result_of()
    data = explain_data(result)
    assert render(json.loads(json.dumps(data))) == explain(result) == result.explain()


def test_intervals_apart_are_a_clear_lead() -> None:
    actions = stats(3, 900, 0.5, 0.01), stats(2, 100, 0.3, 0.05)
    assert compared(*actions) == "clear"
    assert "clear lead" in explain(made(*actions))


def test_intervals_that_overlap_are_a_lead_that_may_turn() -> None:
    assert compared(stats(3, 900, 0.50, 0.01), stats(2, 100, 0.41, 0.05)) == "lead"


def test_each_value_in_the_others_interval_is_a_toss_up() -> None:
    actions = stats(3, 500, 0.50, 0.05), stats(2, 450, 0.45, 0.05)
    assert compared(*actions) == "toss-up"
    assert "toss-up" in explain(made(*actions))


def test_few_visits_or_no_spread_claim_no_certainty() -> None:
    assert compared(stats(3, 20, 0.9, 0.01), stats(2, 10, -0.9, 0.01)) == "unknown"
    assert compared(stats(3, 500, 1.0, 0.0), stats(2, 400, 0.1, 0.01)) == "unknown"
    assert "rough guess" in explain(made(stats(3, 20, 0.9, 0.01), stats(2, 10, -0.9, 0.01)))
    assert "not a proof" in explain(made(stats(3, 500, 1.0, 0.0), stats(2, 400, 0.1, 0.01)))


def test_another_action_of_higher_mean_but_fewer_visits_is_named() -> None:
    result = made(stats(3, 900, 0.20, 0.01), stats(2, 90, 0.10, 0.01), stats(1, 40, 0.31, 0.1))
    text = explain(result)
    assert "By average value alone it would be 2 (+0.310 after 40 visits)" in text
    assert explain_data(result)["by_rule"] == {"visits": "4", "value": "2", "bound": "4", "proof": "4"}


def test_rules_that_agree_are_not_said_to_disagree() -> None:
    text = explain(made(stats(3, 900, 0.20, 0.01), stats(2, 90, 0.10, 0.01)))
    assert "By average value" not in text
    assert "disagree" not in text


def test_the_choice_by_value_says_when_visits_would_choose_otherwise() -> None:
    settings = po.Settings(answer="value")
    result = made(stats(3, 900, 0.20), stats(2, 90, 0.30), best=2, settings=settings)
    text = explain(result)
    assert "chooses 3" in text
    assert "highest average value" in text
    assert "By visits it would be 4" in text


@pytest.mark.parametrize(("rule", "words"), [("bound", "lower end of its interval"), ("proof", "exact value before")])
def test_the_rule_is_told_in_words(rule: str, words: str) -> None:
    assert words in explain(made(stats(3, 900, 0.2), stats(2, 90, 0.1), settings=po.Settings(answer=rule)))


def test_proofs_are_not_mentioned_where_the_search_makes_none() -> None:
    assert "proven" in explain(made(stats(3, 900, 0.2), stats(2, 90, 0.1)))
    assert "proven" not in explain(made(stats(3, 900, 0.2), stats(2, 90, 0.1), settings=po.Settings(solver=False)))


@pytest.mark.parametrize("rule", ["visits", "value", "bound", "proof"])
@pytest.mark.parametrize("position", ["4445", "112233", None], ids=str)
def test_the_rule_asked_about_a_result_is_the_rule_of_the_search(rule: str, position: str | None) -> None:
    for simulations in (5, 60, 200):
        result = result_of("connect4", position, simulations, answer=rule)
        found = result.answer()
        assert found is not None
        assert found.action == result.best
        assert result.next_best is None or result.next_best.action != result.best


def test_next_best_follows_the_rule_and_not_the_table() -> None:
    three = stats(3, 900, 0.2), stats(2, 90, 0.1), stats(1, 40, 0.3)
    by_visits = made(*three)
    by_value = made(*three, best=1, settings=po.Settings(answer="value"))
    assert by_visits.next_best == three[1]
    assert by_value.next_best == three[0]
    lost = stats(2, 90, -1.0, 0.0, proven=-1.0)
    assert made(three[0], lost, three[2]).next_best == three[2]


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(po.SettingsError, match="visits, value, bound, proof"):
        made(stats(3, 1, 0.0)).answer("luck")


def test_a_proven_win_is_called_one_and_ends_the_comparison() -> None:
    text = explain(result_of("tictactoe", "XX./OO./...", 300))
    assert "proven to be a win for player 1" in text
    assert "It ends the game." in text
    text = explain(made(stats(3, 40, 1.0, 0.0, proven=1.0), stats(2, 90, 0.99, 0.1), best=3, proven=1.0))
    assert "Nothing can be better than 4" in text
    assert "with best play it is a win for player 1" in text
    assert "toss-up" not in text


def test_a_solved_draw_is_a_draw_and_its_losing_alternatives_losses() -> None:
    result = result_of("tictactoe", "X.O/.X./...", 300)
    text = explain(result)
    assert "The position itself is solved: with best play it is a draw for player 2" in text
    assert "1 draw" in text
    assert "5 losses" in text
    assert explain_data(result)["comparison"] == "proven"


def test_when_everything_loses_that_is_said() -> None:
    result = result_of("tictactoe", "X.X/.O./O.X", 300)
    text = explain(result)
    assert result.proven == -1.0
    assert "it is a loss for player 2" in text
    assert "worth the same" in text


def test_an_exact_value_between_is_given_as_a_number() -> None:
    result = made(stats(3, 50, 0.5, 0.0, proven=0.5), stats(2, 40, 0.1), game="target_sum")
    assert "It is proven to be worth exactly +0.500." in explain(result)


def test_a_one_player_game_speaks_of_no_players() -> None:
    text = explain(result_of("target_sum", None, 300))
    assert "worth +1.000, the best that this game allows" in text
    assert "player" not in text


def test_a_most_visited_action_that_is_proven_lost_is_put_aside_in_words() -> None:
    lost = stats(3, 900, -1.0, 0.0, proven=-1.0)
    result = made(lost, stats(2, 90, 0.1), best=2)
    assert "4 was visited more often (900 visits), but is proven to be a loss." in explain(result)
    assert result.answer() == result.actions[1]


def test_rewards_of_unknown_range_have_no_scale_and_no_win() -> None:
    search = po.Search(Dice(), seed=1)
    search.play(2)
    text = explain(search.run(simulations=5))
    assert "scale" not in text
    assert "win" not in text.replace("A proven win is always taken", "")
    solved = explain(search.run(simulations=200))
    assert "proven to be worth exactly +3.500" in solved
    assert "where chance moves" in solved


def test_since_when_the_choice_has_stood() -> None:
    two = stats(3, 900, 0.2), stats(2, 90, 0.1)
    assert "4 has been the choice since simulation 10 of 1,000." in explain(made(*two, simulations=1000, visits=1000))
    late = explain(made(*two, simulations=1000, visits=1000, leader_since=950))
    assert "since simulation 950 of 1,000. That is late" in late
    assert "from the beginning" in explain(made(*two, leader_since=0))
    reused = explain(made(*two, simulations=1000, visits=5000))
    assert "since simulation 10." in reused  # of how many, the result can't tell
    assert "has 5,000 visits" in reused
    assert "since simulation 10 of 3,000." in explain(made(*two, simulations=1000, visits=5000, total=3000))


def test_one_legal_action_needs_no_reasons() -> None:
    text = explain(result_of("tictactoe", "XOX/XOO/OX.", 10))
    assert text.startswith("9 is the only legal action. It is proven to be a draw")
    assert "Next best" not in text
    assert "rule" not in text


def test_nothing_searched_nothing_explained() -> None:
    text = explain(po.Search(po.games.load("connect4")).result())
    assert "Nothing has been searched here yet (7 legal actions)" in text


def test_a_finished_game_and_a_roll_of_dice_leave_nothing_to_choose() -> None:
    assert "over" in explain(po.Search(po.games.load("tictactoe"), position="XXX/OO./...").result())
    assert "Chance moves next" in explain(po.Search(Dice()).result())


def test_one_simulation_says_that_the_others_were_not_tried() -> None:
    assert "No other action has been tried yet" in explain(result_of("connect4", None, 1))


def test_how_much_was_looked_at_and_why_it_stopped() -> None:
    text = explain(made(stats(3, 900, 0.2), stats(2, 90, 0.1), stopped_by="seconds"))
    assert "ran 1,234,567 simulations in 2.00 s, going 5.0 actions deep into the tree on average and 9 at most" in text
    assert "1,000,001 positions" in text
    assert "the time was up" in text
    assert "not a guarantee" in text


def test_a_temperature_is_mentioned_since_it_changes_what_is_played() -> None:
    result = made(stats(3, 900, 0.2), stats(2, 90, 0.1), settings=po.Settings(temperature=0.7))
    assert "at temperature 0.7, choose() draws" in explain(result)


def test_hostile_action_texts_stay_on_their_line() -> None:
    text = explain(hostile())
    assert "\x1b" not in text
    assert all(paragraph.strip() == paragraph and "  " not in paragraph for paragraph in text.split("\n\n"))
    assert "\n" not in text.replace("\n\n", "")


@pytest.mark.parametrize("simulations", [1, 2, 7, 8, 40, 300])
@pytest.mark.parametrize("name", ["connect4", "tictactoe", "target_sum", "othello"])
def test_every_stage_of_a_search_can_be_explained(name: str, simulations: int) -> None:
    result: Result = result_of(name, None, simulations)
    text = explain(result)
    assert str(result.best_text) in text
    assert "None" not in text
    assert "nan" not in text


def test_where_priors_steer_the_search_they_are_told():
    """Nim of ten stones: two is the winning move, which values find although the evaluator likes one stone."""
    search = po.Search(Nim(stones=10), po.Settings(policy=po.PUCT(1.0), evaluator=po.Outside(), solver=False))
    for _ in range(40):
        for leaf in search.ask():
            search.tell(leaf, 0.0, {a: 0.8 if a == 1 else 0.1 for a in leaf.actions})
    assert "Before any search the evaluator gave 2 10.0% of the attention and 1 80.0%" in search.result().explain()
    plain = po.Search(Nim(stones=10), po.Settings(solver=False), seed=1)
    assert "Before any search" not in plain.run(100).explain()

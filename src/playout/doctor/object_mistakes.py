"""Mistakes of Python objects, and those that they share with rules in their own words; as in `mistakes`."""

OBJECT_MISTAKES: dict[str, tuple[str, str, str]] = {
    "bad-answer": (
        "returned {value}, expected {expected}",
        "another kind of answer, or a way through the method without `return`",
        "return what is expected",
    ),
    "changes-object": (
        "changes the object itself ({contrast})",
        "the search asks every object again and again, and plays several actions from it",
        "make a new object and change that one, `copy.deepcopy(self)` for instance",
    ),
    "shared-container": (
        "leaves the {kind_} `{name}` in two objects, and it changes ({contrast})",
        "the next object was given the same container, not a copy of it",
        "copy it for the next object: `list(self.…)`, `array.copy()`, or `copy.deepcopy`",
    ),
    "class-state": (
        "changes what the class holds ({contrast})",
        "all objects have that in common; a search asks them in any order",
        "keep it in the object: `self.name` of the next one instead of `Class.name`",
    ),
    "returns-itself": (
        "returned the object itself",
        "it changes `self` and returns it",
        "make a new object, change that one, and return it",
    ),
    "no-object": (
        "returned {value}, which has no {missing}",
        "it changes `self` and returns nothing, or returns a part of the state",
        "return the next object, of the same kind",
    ),
    "hidden-randomness": (
        "{how}",
        "a search keeps one object for each action, so the first draw would stand for all",
        "let current_player() return po.CHANCE and list the outcomes in chance_outcomes()",
    ),
    "hash-differs": (
        "gives two different numbers for objects that are equal",
        "the hash takes in something that equality leaves out, such as an id",
        "hash what __eq__ compares; a frozen dataclass does both",
    ),
    "equal-differs": (
        "says that this is equal to '{other}', where other actions are legal",
        "a field is left out of the comparison; with transpositions the two would share a node",
        "compare everything that matters to the game",
    ),
    "equal-turns": (
        "says that this is equal to '{other}', where player {value} moves",
        "whose turn it is, is left out of the comparison; a search keeps the two apart, sets and dictionaries don't",
        "compare whose turn it is, too",
    ),
    "raises": (
        "raised {error}, at {place}",
        "a case that was not thought of",
        "mend that line",
    ),
    "action-refused": (
        "raised {error}, at {place}",
        "legal_actions() lists an action that play() does not accept",
        "list only what can be played, or let play() accept it",
    ),
    "never-returns": (
        "did not return within {seconds:g} s of processor time; it was at {place}",
        "a loop without an end in this position",
        "let every loop end, for instance by a limit on its rounds; if the method is only slow, raise rule_seconds",
    ),
    "never-ends": (
        "did not tell the end of the game within {most:,} actions",
        "the game never ends, or only by luck",
        "end it by a counter in the object if need be; what may go on for ever can still be searched with "
        "Rollouts(depth=200), if there is evaluate() or rewards()",
    ),
    "bad-value": (
        "gives the value {value:g}, expected {least:g} to {most:g}",
        "the scale differs from that of the returns",
        "bring it to the range of the returns, with tanh(score / scale) for instance, or say value_range= in po.wrap",
    ),
    "no-such-player": (
        "returned {value}, expected 0 to {last}, po.CHANCE (-1), or None or po.TERMINAL (-4) at the end",
        "players are counted from 0; -2 is OpenSpiel's number for players who move at the same time, which Playout "
        "can't search",
        "return the number of the player who moves; for more players say players= in po.wrap",
    ),
    "no-chance-outcomes": (
        "returned po.CHANCE, and the object has no chance_outcomes()",
        "-1 stands for chance, so a turn of -1 does too",
        "define `chance_outcomes(self)`, or return the player who moves",
    ),
    "no-actions": (
        "lists nothing, though it is not the end",
        "an end of the game that {end} does not tell, or a player who must pass",
        "let {end} tell the end, or list what can happen, an action for passing for instance",
    ),
    "too-many-actions": (
        "lists {value}, more than max_actions = {most}",
        "max_actions is too small, or the same action is listed again and again",
        "say max_actions= in po.wrap",
    ),
    "bad-probability": (
        "gives outcome {value} the probability {weight}",
        "a difference below zero, 0 / 0, or no number",
        "give probabilities from 0 to 1",
    ),
    "bad-reward": (
        "returned {values}",
        "0 / 0, or an infinity that stands for a win",
        "give finite numbers, 1 and -1 for instance",
    ),
    "returns-sum": (
        "gives from here on {values}, together {total:.6g}, expected {expected:.6g}",
        "a player's return was forgotten or given twice",
        "give every player their return; if it is meant so, say `returns_sum={instead}` in po.wrap",
    ),
    "value-range": (
        "gives from here on {values}, outside of value_range = ({least:g}, {most:g})",
        "returns of another size than announced",
        "say `value_range=(least, most)` in po.wrap, None where it is not known, or scale them",
    ),
    "value-sum": (
        "gives the values {values}, together {total:.6g}, expected {expected:.6g}",
        "a player's value was forgotten, or was given from the wrong player's side",
        "give a value for every player; what all get together is `returns_sum`",
    ),
    "no-rewards": (
        "gave nothing in any of {value} games",
        "the end is not told apart, or is too rare for random play",
        "return what each player has got at the end",
    ),
    "bad-priors": (
        "gives {value} to {whom}",
        "scores were given where weights are expected, or 0 / 0",
        "give numbers of at least 0, one of them above 0",
    ),
    "bad-random-child": (
        "returned {value}, which is not equal to any of find_children()",
        "the two methods disagree about what can be played",
        "let it choose among find_children()",
    ),
}
